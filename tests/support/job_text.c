/* See job_text.h. */
#include "tests/support/job_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/support/temporary.h"

char job_path[64], job_folder[] = "/tmp/torre_input_XXXXXX";
struct tor_job job;
struct tor_faults faults;

const char job_base[] = "grid = { size = [100, 100, 100]; cell = 2.5; };\nrun = { time_fs = 10; };\n";

void write_text(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

int read_with(const char *text, const char *const *set, int nset) {
  write_text(job_path, text);
  tor_job_free(&job);
  tor_faults_free(&faults);
  return tor_job_read(job_path, set, nset, &job, &faults);
}

int read_more(const char *more) {
  char text[8192];
  snprintf(text, sizeof text, "%s%s", job_base, more);
  return read_with(text, NULL, 0);
}

void expect_good(int good) {
  if (!good) tor_faults_print(&faults, stderr);
  assert_true(good);
}

/* One fault that starts with <job file>:line: path: and holds `part`. */
static int has_fault(int line, const char *path, const char *part) {
  char start[256];
  if (line)
    snprintf(start, sizeof start, "%s:%d: %s: ", job_path, line, path);
  else
    snprintf(start, sizeof start, "%s: %s: ", job_path, path);
  for (int i = 0; i < faults.count; i++)
    if (!strncmp(faults.item[i].text, start, strlen(start)) && strstr(faults.item[i].text, part)) return 1;
  return 0;
}

void expect_fault(int line, const char *path, const char *part) {
  if (has_fault(line, path, part)) return;
  tor_faults_print(&faults, stderr);
  fail_msg("no fault at line %d, %s, with '%s'", line, path, part);
}

/* The small job (2 lines) with `more` after it has exactly one fault. */
void expect_only(const char *more, int line, const char *path, const char *part) {
  assert_false(read_more(more));
  expect_fault(line, path, part);
  if (faults.count != 1) tor_faults_print(&faults, stderr);
  assert_int_equal(faults.count, 1);
}

void read_glass_sphere(int cells, int distance, const char *grid, const char *monitors) {
  char text[1536];
  const double d = GLASS_SPHERE_RADIUS / 12;
  snprintf(text, sizeof text,
           "grid = { size = [%.10g, %.10g, %.10g]; cell = %.10g; averaging = \"tensor\"; %s };\n"
           "symmetry = { x = \"odd\"; y = \"even\"; }; boundaries = { cpml = { cells = 8; }; };\n"
           "media = ( { name = \"glass\"; index = 2.0; } );\n"
           "objects = ( { type = \"sphere\"; medium = \"glass\"; radius = %.10g; } );\n"
           "sources = ( { type = \"plane_wave\"; direction = \"+z\"; polarisation = \"x\"; distance = %.10g;\n"
           "  time = { type = \"pulse\"; wavelength = 500.0; band = 200.0; }; } );\n"
           "monitors = (\n  %s );\n"
           "run = { time_fs = 45.0; };\n",
           cells * d, cells * d, cells * d, d, grid, GLASS_SPHERE_RADIUS, distance * d, monitors);
  read_with(text, NULL, 0);
  expect_good(1);
}

char *reference_path(void) {
  static char path[1024];
  const char *source = getenv("TORRE_SOURCE");
  snprintf(path, sizeof path, "%s/jobs/reference.cfg", source ? source : ".");
  return path;
}

int job_text_begin(void **state) {
  (void)state;
  return temporary_file(job_folder, "job.cfg", job_path, NULL);
}

int job_text_end(void **state) {
  (void)state;
  char path[96];
  tor_job_free(&job);
  tor_faults_free(&faults);
  snprintf(path, sizeof path, "%s/pulse.txt", job_folder);
  unlink(path);
  unlink(job_path);
  return rmdir(job_folder);
}
