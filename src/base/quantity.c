/* Amounts of memory and of time: see quantity.h. */
#include "src/base/quantity.h"

#include <stdio.h>
#include <string.h>

/* Divides *value by its unit. */
static const char *unit_of(double *value) {
  static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB", "PB", "EB"};
  const int most = (int)(sizeof units / sizeof *units) - 1;
  int i = 0;
  for (; i < most && *value >= 999.5; i++) *value *= 1e-3;
  return units[i];
}

static void print_figures(double value, char *text, size_t size) {
  snprintf(text, size, value >= 9.95e5 ? "%.1e" : value >= 9.95 || value <= 0 ? "%.0f" : "%.1f", value);
}

void tor_quantity_bytes(double bytes, char *text, size_t size) {
  char figures[32];
  const char *unit = unit_of(&bytes);
  print_figures(bytes, figures, sizeof figures);
  snprintf(text, size, "%s %s", figures, unit);
}

void tor_quantity_share(double bytes, double whole, char *text, size_t size) {
  char part[32], all[32];
  const char *part_unit = unit_of(&bytes), *unit = unit_of(&whole);
  print_figures(bytes, part, sizeof part);
  print_figures(whole, all, sizeof all);
  const int same = !strcmp(part_unit, unit);
  snprintf(text, size, "%s%s%s of %s %s", part, same ? "" : " ", same ? "" : part_unit, all, unit);
}

static void print_count(double count, const char *unit, char *text, size_t size) {
  snprintf(text, size, count < 1e6 ? "%.0f %s%s" : "%.1e %s%s", count, unit, count < 1.5 ? "" : "s");
}

/* Two units; the smaller one is rounded to a multiple of `step`, and left out where that is 0. */
static void print_two(double seconds, double large, const char *name, double small, const char *small_name, int step,
                      char *text, size_t size) {
  char first[48], second[48];
  const long in_one = (long)(large / small), all = (long)(seconds / (small * step) + 0.5) * step;
  const long whole = all / in_one;
  print_count((double)whole, name, first, sizeof first);
  print_count((double)(all % in_one), small_name, second, sizeof second);
  snprintf(text, size, all % in_one ? "%s %s" : "%s", first, second);
}

void tor_quantity_time(double seconds, char *text, size_t size) {
  static const double MINUTE = 60, HOUR = 3600, DAY = 86400, YEAR = 365.25 * 86400;
  if (seconds < 0.95)
    snprintf(text, size, "less than a second");
  else if (seconds < 99.5)
    print_count(seconds, "second", text, size);
  else if (seconds < 99.5 * MINUTE)
    print_count(seconds / MINUTE, "minute", text, size);
  else if (seconds < 1.5 * DAY)
    print_two(seconds, HOUR, "hour", MINUTE, "minute", 10, text, size);
  else if (seconds < 9.5 * DAY)
    print_two(seconds, DAY, "day", HOUR, "hour", 1, text, size);
  else if (seconds < 2 * YEAR)
    print_count(seconds / DAY, "day", text, size);
  else
    print_count(seconds / YEAR, "year", text, size);
}
