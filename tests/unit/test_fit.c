/* Poles fitted to tables of n and k: known poles come back, published tables fit, bad tables are refused. */
#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "src/base/units.h"
#include "src/job/index_table.h"
#include "src/job/material_fit.h"
#include "src/model/coefficient.h"
#include "tests/support/job_text.h"

#define HEAD "wavelength_nm,n,k\n"
#define FOUR "400,1,0.5\n500,1.1,0.5\n600,1.2,0.5\n700,1.3,0.5\n"

/* --- Tables --- */

static char found_faults[4096]; /* faults, one a line, without the marks */

static void add_line(void *to, int line, const char *text) {
  char *plain = tor_strdup(text);
  (void)to;
  tor_fault_split(plain, NULL, NULL);
  snprintf(found_faults + strlen(found_faults), sizeof found_faults - strlen(found_faults), "%d: %s\n", line, plain);
  free(plain);
}

static int read_text(const char *text, struct tor_index_table *table) {
  char path[96];
  snprintf(path, sizeof path, "%s/table", job_folder);
  write_text(path, text);
  found_faults[0] = 0;
  const int failed = tor_index_table_read(path, table, add_line, NULL);
  remove(path);
  return failed;
}

static void expect_table(const char *text, double nm, double n, double k) {
  struct tor_index_table t;
  if (read_text(text, &t)) fail_msg("%s is refused: %s", text, found_faults);
  int found = 0;
  for (int i = 0; i < t.count; i++)
    found |=
        fabs(t.wavelength[i] - nm * TOR_NM) < 1e-6 * TOR_NM && fabs(t.n[i] - n) < 1e-12 && fabs(t.k[i] - k) < 1e-12;
  for (int i = 1; i < t.count; i++) assert_true(t.wavelength[i] > t.wavelength[i - 1]);
  if (!found || t.count < 4) fail_msg("%s: no n = %g, k = %g at %g nm", text, n, k, nm);
  tor_index_table_free(&t);
}

static void tables_as_users_have_them(void **state) {
  (void)state;
  expect_table(HEAD FOUR, 500, 1.1, 0.5);
  expect_table(
      "\xef\xbb\xbf# measured\r\n\"Wavelength (um)\"; \"n\"; \"k\"; \"error\"\r\n.4;1;2;0\r\n.5;1.1;2;0\r\n.6;1;2;0\r\n"
      ".7;1;2;0\r\n",
      500, 1.1, 2);
  expect_table("lambda [nm]\tk\tn\n700\t1\t2\n600\t1\t2\n500\t3\t4\n400\t1\t2 # end\n", 500, 4, 3);
  expect_table("energy_eV n k\n1 2 3\n1.5 2 3\n2 2 3\n2.479683968664 5 6\n", 500, 5, 6);
  expect_table("\xce\xbb (\xc2\xb5m), n\n0.4, 1\n0.5, 1.1\n0.6, 1\n0.7, 1\n", 500, 1.1, 0);
  /* The site's export: two blocks; k at the wavelengths of n. */
  expect_table("wl,n\n0.4,1\n0.5,1.1\n0.6,1.2\n0.7,1.3\n\nwl,k\n0.4,0.2\n0.6,0.4\n0.7,0.4\n", 500, 1.1, 0.3);
  /* Its database. */
  expect_table(
      "REFERENCES: |\n    1 2 3\nDATA:\n  - type: tabulated nk\n    data: |\n        0.4 1 2\n        0.5 1.1 2\n"
      "        0.6 1 2\n        0.7 1 2\nCONDITIONS:\n    temperature: 295\n",
      500, 1.1, 2);
  expect_table("DATA:\n  - type: formula 1\n    wavelength_range: 0.5 2\n    coefficients: 0 1.25 0 1 0.1\n"
               "  - type: tabulated k\n    data: |\n        0.5 0.25\n        2 0.25\n",
               500, sqrt(2.25 + 0.25 / 0.24), 0.25);
  expect_table("DATA:\n  - type: formula 4\n    wavelength_range: 0.43 1.53\n    coefficients: 5.913 0.2441 0 0.0803 1 "
               "0 0 0 1\n",
               430, sqrt(5.913 + 0.2441 / (0.43 * 0.43 - 0.0803)), 0);
}

static void expect_refused(const char *text, const char *fault) {
  struct tor_index_table t;
  const int failed = read_text(text, &t);
  if (!failed || !strstr(found_faults, fault)) fail_msg("%s: got \"%s\", need \"%s\"", text, found_faults, fault);
  tor_index_table_free(&t);
}

static void bad_tables_are_refused_with_their_lines(void **state) {
  (void)state;
  expect_refused(FOUR, "1: numbers without a header, need one that names the columns and their unit");
  expect_refused("wavelength,n,k\n" FOUR, "1: the first column has no unit, need its name with nm");
  expect_refused("a,b,c\n" FOUR, "1: got other names, need a header");
  expect_refused(HEAD "400,1,2\n500,1\n600,red,2\n700,1,nan\n", "3: got something else, need 3 numbers");
  assert_non_null(strstr(found_faults, "\n4: got something else"));
  assert_non_null(strstr(found_faults, "\n5: got something else")); /* all at once */
  /* Files that are no tables: one fault. */
  expect_refused("Dear reader,\nthis is\n12 lines\nof text,n\n", "1: got other names, need a header");
  assert_non_null(strstr(found_faults, "n,k; and 2 more lines\n"));
  assert_null(strstr(found_faults, "\n2:"));
  expect_refused(HEAD "- another\n- one\n",
                 "2: got something else, need 3 numbers, as its header says; and 1 more line\n");
  expect_refused(HEAD FOUR "600,1,2\n", "6: the wavelengths rise and fall, need them in order");
  expect_refused(HEAD "400,1,2\n" FOUR, "3: got the wavelength of line 2 again, need each once");
  expect_refused(HEAD "400,1,2\n500,1,2\n", "0: got 2 lines of numbers, need at least 4");
  expect_refused("", "0: got 0 lines of numbers, need at least 4");
  expect_refused(HEAD FOUR "800,1,-2\n", "6: got k = -2: gain, with which fields grow without end");
  expect_refused(HEAD FOUR "800,0,0\n", "6: got n = k = 0");
  expect_refused(HEAD "0,1,1\n" FOUR, "2: got a wavelength of 0 nm");
  expect_refused("wavelength_nm;n;k\n400;1,5;2\n" FOUR, "2: got something else");
  expect_refused("wavelength_nm,k\n400,1\n500,1\n600,1\n700,1\n", "0: got k alone, need n, or n and k");
  expect_refused("DATA:\n  - type: tabulated nk\n    data: |\n        0.4 1 2\n        0.5 1\n",
                 "5: got something else, need 3");
  expect_refused("DATA:\n  - type: formula 9\n    wavelength_range: 1 2\n    coefficients: 1 2\n", "2: got formula 9");
  struct tor_index_table t;
  found_faults[0] = 0;
  assert_int_equal(tor_index_table_read("no/such/file", &t, add_line, NULL), -1);
  assert_non_null(strstr(found_faults, "cannot be read: No such file"));
}

/* --- Fits --- */

/* A medium's table, even in frequency between two energies [eV]. */
static struct tor_index_table table_of(const struct tor_medium *m, double lowest, double highest, int count) {
  struct tor_index_table t = {.count = count, .has_k = 1};
  t.wavelength = tor_alloc((size_t)count, sizeof *t.wavelength, "table");
  t.n = tor_alloc((size_t)count, sizeof *t.n, "table");
  t.k = tor_alloc((size_t)count, sizeof *t.k, "table");
  for (int i = 0; i < count; i++) {
    const double omega = (highest + (lowest - highest) * i / (count - 1)) * TOR_EV;
    const double complex n = csqrt(tor_medium_permittivity(m, 0, omega));
    t.wavelength[i] = 2 * TOR_PI * TOR_C0 / omega;
    t.n[i] = creal(n);
    t.k[i] = cimag(n);
  }
  return t;
}

static void check_near(double got, double wanted, double part) {
  if (!(fabs(got - wanted) <= part * fabs(wanted))) fail_msg("got %.9g, need %.9g", got, wanted);
}

static void known_poles_come_back(void **state) {
  struct tor_pole poles[] = {{.kind = TOR_DRUDE, .strength = 9 * TOR_EV, .gamma = 0.07 * TOR_EV},
                             {.kind = TOR_LORENTZ, .strength = 1.1, .omega = 2.7 * TOR_EV, .gamma = 0.6 * TOR_EV},
                             {.kind = TOR_LORENTZ, .strength = 0.6, .omega = 4.1 * TOR_EV, .gamma = 0.9 * TOR_EV}};
  const struct tor_medium known = {.eps = {4, 4, 4}, .mu = {1, 1, 1}, .npoles = 3, .poles = poles};
  struct tor_index_table t = table_of(&known, 0.8, 5, 60);
  const struct tor_fit_options o = {6, 1e-5, {t.wavelength[0], t.wavelength[t.count - 1]}};
  struct tor_medium m, again;
  (void)state;
  tor_medium_fit("known", &t, &o, &m);
  assert_int_equal(m.npoles, 3);
  assert_true(m.fit.rms <= 1e-5 && m.fit.points == 60);
  check_near(m.eps[0], 4, 1e-3);
  for (int p = 0; p < 3; p++) {
    int same = 0; /* pole of the fit */
    for (int q = 1; q < 3; q++)
      if (fabs(m.poles[q].omega - poles[p].omega) < fabs(m.poles[same].omega - poles[p].omega)) same = q;
    assert_int_equal(m.poles[same].kind, poles[p].kind);
    check_near(m.poles[same].strength, poles[p].strength, 3e-3);
    check_near(m.poles[same].gamma, poles[p].gamma, 3e-3);
    if (poles[p].omega > 0) check_near(m.poles[same].omega, poles[p].omega, 1e-3);
  }
  tor_medium_fit("known", &t, &o, &again);
  assert_memory_equal(m.poles, again.poles, 3 * sizeof *m.poles);
  tor_medium_free(&m);
  tor_medium_free(&again);
  tor_index_table_free(&t);
}

static void expect_fit(const char *file, double from, double to, int poles, double rms) {
  char path[1024];
  struct tor_index_table t;
  struct tor_medium m;
  snprintf(path, sizeof path, "%s/jobs/media/%s", getenv("TORRE_SOURCE"), file);
  found_faults[0] = 0;
  if (tor_index_table_read(path, &t, add_line, NULL)) fail_msg("%s: %s", file, found_faults);
  const struct tor_fit_options o = {poles, TOR_FIT_WANTED, {from * TOR_NM, to * TOR_NM}};
  tor_medium_fit("m", &t, &o, &m);
  print_message("%-18s %g to %g nm: %d poles, rms %.4f, largest %.4f at %g nm\n", file, from, to, m.npoles, m.fit.rms,
                m.fit.largest, m.fit.at / TOR_NM);
  assert_true(m.npoles <= poles && m.fit.rms <= rms && m.fit.rms <= m.fit.largest);
  assert_true(m.eps[0] >= 1 && m.range[0] >= from * TOR_NM * (1 - 1e-9) && m.range[1] <= to * TOR_NM * (1 + 1e-9));
  /* Passive at all frequencies, stable with cells of 5 nm. */
  for (double ev = 0.01; ev < 100; ev *= 1.1) assert_true(cimag(tor_medium_permittivity(&m, 0, ev * TOR_EV)) >= 0);
  const struct tor_job small = {.size = {1e-7, 1e-7, 1e-7}, .cell = {5e-9, 5e-9, 5e-9}, .order = 2, .courant = 0.9};
  struct tor_grid grid;
  tor_grid_make(&small, &grid);
  assert_true(tor_medium_frequency(&m, &small, &grid) < 1);
  tor_medium_free(&m);
  tor_index_table_free(&t);
}

static void published_tables_fit(void **state) {
  (void)state;
  expect_fit("Ag_Johnson.yml", 300, 1000, 6, 0.025);
  expect_fit("Ag_Johnson.yml", 300, 1940, 6, 0.025);
  expect_fit("Au_Johnson.yml", 300, 1000, 6, 0.025);
  expect_fit("Cu_Johnson.yml", 300, 1940, 6, 0.04);
  expect_fit("Al_McPeak.yml", 200, 1700, 5, 0.006);
  expect_fit("Si_Schinke.yml", 400, 1000, 6, 0.012);
  expect_fit("SiO2_Malitson.yml", 210, 6700, 3, 2e-4);
}

/* --- In a job --- */

static void a_job_names_a_table(void **state) {
  char path[96];
  (void)state;
  snprintf(path, sizeof path, "%s/m.csv", job_folder);
  write_text(path, "wavelength_nm,n,k\n400,0.2,2\n500,0.2,3\n600,0.2,4\n700,0.2,5\n800,0.2,6\n");
  expect_good(read_more("media = ({ name = \"m\"; table = \"m.csv\"; fit = { from = 500; poles = 2; }; });"));
  assert_int_equal(job.nmedia, 2);
  assert_string_equal(job.media[0].table, "m.csv");
  assert_true(job.media[0].npoles > 0 && job.media[0].npoles <= 2 && job.media[0].fit.points == 4);
  assert_true(fabs(job.media[0].range[0] - 500 * TOR_NM) < 1e-15);
  size_t bytes;
  char *text = tor_job_text(&job, &bytes);
  assert_non_null(strstr(text, "plasma_rad_per_s"));
  assert_null(strstr(text, "m.csv")); /* the poles are the job, not the file's name */
  free(text);
  expect_only("media = ({ name = \"m\"; table = \"m.csv\"; fit = { from = 300; }; });", 3, "media[0].fit.from",
              "got 300 nm, outside the table, need 400 to 800 nm");
  expect_only("media = ({ name = \"m\"; table = \"m.csv\"; fit = { from = 650; }; });", 3, "media[0].fit",
              "got 2 points of m.csv from 650 to 800 nm, need at least 4");
  expect_only("media = ({ name = \"m\"; table = \"m.csv\"; index = 2; });", 3, "media[0].index",
              "beside table, need it alone");
  expect_only("media = ({ name = \"m\"; fit = { poles = 2; }; });", 3, "media[0].fit", "is for a table of n and k");
  expect_only("media = ({ name = \"m\"; table = \"none.csv\"; });", 3, "media[0].table", "none.csv: cannot be read");
  expect_only("media = ({ name = \"m\"; table = \"m.csv\"; fit = { poles = 13; }; });", 3, "media[0].fit.poles",
              "need a whole number from 1 to 12");
  write_text(path, "wavelength_nm,n,k\n400,3,1\n450,1,3\n500,3,1\n600,1,3\n700,4,1\n800,1,3\n");
  expect_only("media = ({ name = \"m\"; table = \"m.csv\"; fit = { poles = 2; }; });", 3, "media[0].table",
              "need at most 5 %: fit.from and fit.to nearer");
  write_text(path, "wavelength_nm,n,k\n400,3,1\n450,1\n");
  expect_only("media = ({ name = \"m\"; table = \"m.csv\"; });", 3, "media[0].table",
              "m.csv:3: got something else, need 3 numbers");
  remove(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tables_as_users_have_them), cmocka_unit_test(bad_tables_are_refused_with_their_lines),
      cmocka_unit_test(known_poles_come_back),     cmocka_unit_test(published_tables_fit),
      cmocka_unit_test(a_job_names_a_table),
  };
  return cmocka_run_group_tests(tests, job_text_begin, job_text_end);
}
