/* Progress of a long run: see progress.h. */
#include "io/files/progress.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "io/files/terminal.h"
#include "src/base/types.h"

enum { BAR = 24 };

static _Thread_local struct {
  enum tor_progress_form form;
  int on, terminal, started, shown;
  tor_gidx total, first, step, printed; /* printed: the step of the last line */
  double cells, begin, last;            /* [cells per step], [s], time of the last line [s] */
  double energy, energy_max;            /* [J]; NAN: none yet */
} progress;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* "3.2 s", "4 min 05 s", "2 h 07 min", "3 d 04 h" */
static void write_time(char *text, size_t size, double seconds) {
  long s = seconds < 1e9 ? (long)(seconds + 0.5) : 1000000000;
  if (seconds < 9.95)
    snprintf(text, size, "%.1f s", seconds);
  else if (s < 60)
    snprintf(text, size, "%ld s", s);
  else if (s < 3600)
    snprintf(text, size, "%ld min %02ld s", s / 60, s % 60);
  else if (s < 86400)
    snprintf(text, size, "%ld h %02ld min", s / 3600, s % 3600 / 60);
  else
    snprintf(text, size, "%ld d %02ld h", s / 86400, s % 86400 / 3600);
}

/* Billions of cells advanced a second, from the start; 0 when nothing was done yet. */
static double rate(double time) {
  double done = (double)(progress.step - progress.first) * progress.cells;
  return time > progress.begin ? done / (time - progress.begin) * 1e-9 : 0;
}

static void write_state(char *text, size_t size, double time, const char *suffix) {
  char left[40];
  tor_gidx done = progress.step - progress.first;
  if (done <= 0) {
    snprintf(text, size, "%s", suffix ? suffix : "");
    return;
  }
  write_time(left, sizeof left, (time - progress.begin) / (double)done * (double)(progress.total - progress.step));
  snprintf(text, size, "%7.3f G cells/s  at most %s left%s%s", rate(time), left, suffix && *suffix ? "  " : "",
           suffix ? suffix : "");
}

static void json_member(char *line, size_t size, const char *name, double value) {
  const size_t used = strlen(line);
  if (isfinite(value))
    snprintf(line + used, size - used, ", \"%s\": %.6g", name, value);
  else
    snprintf(line + used, size - used, ", \"%s\": null", name);
}

/* In one piece, since stderr has no buffer and may be shared by ranks. */
static void print_json(double time) {
  static const double UNKNOWN = (double)NAN;
  const double gone = time - progress.begin, done = (double)(progress.step - progress.first),
               left = (double)(progress.total - progress.step);
  char line[512];
  snprintf(line, sizeof line, "{\"step\": %lld, \"steps\": %lld", (long long)progress.step, (long long)progress.total);
  json_member(line, sizeof line, "energy_J", progress.energy);
  json_member(line, sizeof line, "energy_of_max",
              progress.energy_max > 0 ? progress.energy / progress.energy_max : UNKNOWN);
  json_member(line, sizeof line, "cell_updates_per_second", done > 0 && gone > 0 ? 1e9 * rate(time) : UNKNOWN);
  json_member(line, sizeof line, "seconds", gone);
  json_member(line, sizeof line, "seconds_left", done > 0 ? gone / done * left : UNKNOWN);
  fprintf(stderr, "%s}\n", line);
  progress.last = time;
  progress.printed = progress.step;
}

static void print_line(double time, const char *suffix) {
  char state[256], bar[BAR + 1];
  double part = progress.total > 0 ? (double)progress.step / (double)progress.total : 1;
  write_state(state, sizeof state, time, suffix);
  if (progress.terminal) {
    int full = (int)(part * BAR);
    memset(bar, '-', BAR);
    memset(bar, '#', (size_t)full);
    bar[BAR] = 0;
    printf("\r[%s] %5.1f %%  %s\033[K", bar, 100 * part, state);
    fflush(stdout);
    progress.shown = 1;
  } else {
    printf("%3.0f %%  %s\n", 100 * part, state);
    fflush(stdout);
  }
  progress.last = time;
  progress.printed = progress.step;
}

void tor_progress_begin(tor_gidx total_steps, double cells_per_step, enum tor_progress_form form) {
  memset(&progress, 0, sizeof progress);
  progress.form = form;
  progress.on = form != TOR_PROGRESS_NONE;
  progress.energy = (double)NAN;
  progress.terminal = tor_terminal_shows_stdout();
  progress.total = total_steps;
  progress.cells = cells_per_step;
  progress.begin = progress.last = now();
}

void tor_progress_energy(double energy, double largest) {
  progress.energy = energy;
  progress.energy_max = largest;
}

static int is_due(double time) {
  if (progress.form == TOR_PROGRESS_JSON) return time - progress.last >= 1;
  if (progress.terminal) return time - progress.last >= 0.2;
  tor_gidx gone = progress.step - progress.printed, total = progress.total > 0 ? progress.total : 1;
  if (progress.step * 10 / total > progress.printed * 10 / total) return 1;
  return time - progress.last >= 30 && gone > 0 && gone >= total / 100;
}

void tor_progress_update(tor_gidx step, const char *suffix) {
  if (!progress.on) return;
  double time = now();
  progress.step = step < progress.total ? step : progress.total;
  if (!progress.started) {
    progress.started = 1;
    progress.first = progress.printed = progress.step;
    progress.begin = progress.last = time;
    if (progress.form == TOR_PROGRESS_JSON) print_json(time);
    return;
  }
  if (!is_due(time)) return;
  if (progress.form == TOR_PROGRESS_JSON)
    print_json(time);
  else
    print_line(time, suffix);
}

void tor_progress_clear(void) {
  if (!progress.shown) return;
  fputs("\r\033[K", stdout);
  progress.shown = 0;
}

void tor_progress_end(void) {
  if (!progress.on) return;
  char took[40];
  double time = now();
  progress.on = 0;
  if (progress.form == TOR_PROGRESS_JSON) {
    print_json(time);
    return;
  }
  tor_progress_clear();
  write_time(took, sizeof took, time - progress.begin);
  printf("%lld of at most %lld steps done in %s, %.3f G cells/s\n", (long long)progress.step, (long long)progress.total,
         took, rate(time));
  fflush(stdout);
}
