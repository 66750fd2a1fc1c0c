/* The study of ports: a run for each port that has a source, in which that source alone is at work, and the scattering
 * matrix of all. */
#include <complex.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/files/folder.h"
#include "io/files/table.h"
#include "io/hdf5/h5.h"
#include "io/image/image.h"
#include "src/base/error.h"
#include "src/base/json.h"
#include "src/base/types.h"
#include "src/job/job.h"
#include "src/results/picture.h"
#include "src/study/smatrix.h"
#include "src/study/study_parts.h"

/* --- Runs --- */

/* The monitors that are ports, by number: [nmonitors]. Returns how many. */
static int find_ports(const struct tor_job *job, int *monitor) {
  int n = 0;
  for (int number = 1; n < job->nmonitors && number <= TOR_MOST_PORTS; number++)
    for (int i = 0; i < job->nmonitors; i++)
      if (job->monitors[i].kind == TOR_MODE && job->monitors[i].port == number) monitor[n++] = i;
  return n;
}

static int find_source(const struct tor_job *job, const char *name) {
  for (int i = 0; i < job->nsources; i++)
    if (name && !strcmp(job->sources[i].name, name)) return i;
  return -1;
}

/* Leaves one source in the job. */
static void keep_source(struct tor_job *job, int kept) {
  struct tor_job rest = {.nsources = job->nsources - 1};
  rest.sources = tor_alloc((size_t)job->nsources, sizeof *rest.sources, "sources");
  for (int i = 0, k = 0; i < job->nsources; i++)
    if (i != kept) rest.sources[k++] = job->sources[i];
  job->sources[0] = job->sources[kept];
  job->nsources = 1;
  tor_job_free(&rest);
}

void tor_study_smatrix_prepare(struct tor_study *study, const struct tor_job *job, struct tor_faults *faults) {
  int *const monitor = tor_alloc((size_t)job->nmonitors + 1, sizeof *monitor, "ports");
  const int n = find_ports(job, monitor);
  if (!n)
    tor_fault_at(faults, tor_job_place(job, "monitors"),
                 "no port, need " TOR_NEEDED("monitors of type \"mode\" with the keys port, into and source"));
  for (int i = 0; i < n; i++) {
    const struct tor_monitor *m = &job->monitors[monitor[i]], *first = &job->monitors[monitor[0]];
    char name[32];
    if (m->nwavelength != first->nwavelength ||
        memcmp(m->wavelength, first->wavelength, (size_t)m->nwavelength * sizeof(double)) != 0)
      tor_fault_at(faults, tor_job_monitor_place(job, m), "port %d has other wavelengths than port %d", m->port,
                   first->port);
    const int source = find_source(job, m->source);
    if (source < 0) continue; /* the reader has refused a name that no source has */
    snprintf(name, sizeof name, "port-%d", m->port);
    const int before = study->nruns;
    tor_study_add(study, name, NULL, 0, m->port, faults, "port %d", m->port);
    if (study->nruns > before) keep_source(&study->run[before].job, source);
  }
  if (n && !study->nruns && !faults->count)
    tor_fault_at(faults, tor_job_place(job, "monitors"), "no port has a source, need " TOR_NEEDED("the key source"));
  free(monitor);
}

void tor_study_smatrix_note(const struct tor_study *study) { (void)study; }

/* --- Amplitudes of the finished runs --- */

static const double *column_of(const struct tor_table *table, const char *name, const char *unit) {
  for (int c = 0; c < table->ncolumns; c++) {
    const size_t n = strlen(name);
    if (!strncmp(table->name[c], name, n) && !strcmp(table->name[c] + n, unit)) return table->value[c];
  }
  return NULL;
}

/* A port's waves in a run, from NAME_modes.csv. Returns 0; or -1 with the reason. */
static int read_port(const struct tor_study_run *run, const struct tor_monitor *m, struct tor_smatrix *to, int port,
                     int r, char *why, size_t size) {
  struct tor_table table;
  char path[4096];
  const char *unit = run->job.plane ? "_J_per_Hz_m" : "_J_per_Hz";
  snprintf(path, sizeof path, "%s/%s_modes.csv", run->job.output, m->name);
  if (tor_table_read(path, &table)) {
    snprintf(why, size, "%s: %s", path, errno == EINVAL ? "is no table of numbers" : strerror(errno));
    return -1;
  }
  const double *mode = column_of(&table, "mode", ""), *nm = column_of(&table, "wavelength_nm", "");
  const double *power[2] = {column_of(&table, "backward", unit), column_of(&table, "forward", unit)};
  const double *phase[2] = {column_of(&table, "backward_phase_rad", ""), column_of(&table, "forward_phase_rad", "")};
  int found = 0;
  for (tor_gidx i = 0; mode && nm && power[0] && power[1] && phase[0] && phase[1] && i < table.nrows; i++) {
    if ((int)mode[i] != m->port_mode || found == to->nwavelength) continue;
    const size_t at = ((size_t)found * (size_t)to->nports + (size_t)port) * (size_t)to->nruns + (size_t)r;
    const int into = m->into > 0;
    to->wavelength[found++] = nm[i];
    to->enter[at] = sqrt(power[into][i]) * cexp(CMPLX(0, phase[into][i]));
    to->leave[at] = sqrt(power[!into][i]) * cexp(CMPLX(0, phase[!into][i]));
  }
  tor_table_free(&table);
  if (found == to->nwavelength) return 0;
  snprintf(why, size, "%s: mode %d at %d wavelengths, need %d", path, m->port_mode, found, to->nwavelength);
  return -1;
}

/* --- Reports --- */

static void print(const struct tor_smatrix *m) {
  printf("%12s %5s %12s %12s", "wavelength", "from", "sum |S|^2", "asymmetry");
  for (int to = 0; to < m->nports; to++) printf("   |S|^2 to %-2d", m->port[to]);
  printf("\n");
  for (int q = 0; q < m->nwavelength; q++)
    for (int r = 0; r < m->nruns; r++) {
      printf("%9.6g nm %5d %12.7f %12.1e", m->wavelength[q], m->port[m->driven[r]], tor_smatrix_sum(m, q, r),
             tor_smatrix_asymmetry(m, q));
      for (int to = 0; to < m->nports; to++) {
        const double complex s = tor_smatrix_at(m, q, to, r);
        printf(" %13.7f", creal(s * conj(s)));
      }
      printf("\n");
    }
}

static int write_json(const struct tor_study *study, const struct tor_smatrix *m, const char *path) {
  FILE *f = tor_folder_create(path);
  if (!f) return -1;
  tor_study_begin_json(f, study);
  fprintf(f, ",\n  \"ports\": [");
  for (int i = 0; i < m->nports; i++) fprintf(f, "%s%d", i ? ", " : "", m->port[i]);
  fprintf(f, "],\n  \"sums\": [");
  for (int q = 0; q < m->nwavelength; q++)
    for (int r = 0; r < m->nruns; r++) {
      fprintf(f, "%s\n    {\"wavelength_nm\": %.10g, \"from\": %d", q + r ? "," : "", m->wavelength[q],
              m->port[m->driven[r]]);
      tor_json_member_number(f, "sum", tor_smatrix_sum(m, q, r));
      tor_json_member_number(f, "asymmetry", tor_smatrix_asymmetry(m, q));
      fputs("}", f);
    }
  fprintf(f, "\n  ]\n}\n");
  return tor_folder_commit(f, path);
}

/* |S|^2 against the wavelength, the first lines. */
static int draw(const struct tor_study *study, const struct tor_smatrix *m, const char *path) {
  enum { MOST = 9 };
  struct tor_image_series series[MOST];
  char label[MOST][24], xlabel[32];
  double *const x = tor_alloc((size_t)m->nwavelength, sizeof *x, "picture"), *y[MOST];
  int n = 0;
  for (int q = 0; q < m->nwavelength; q++) x[q] = m->wavelength[q] * 1e-9 / study->unit;
  for (int r = 0; r < m->nruns; r++)
    for (int to = 0; to < m->nports && n < MOST; to++, n++) {
      y[n] = tor_alloc((size_t)m->nwavelength, sizeof *y[n], "picture");
      for (int q = 0; q < m->nwavelength; q++) {
        const double complex s = tor_smatrix_at(m, q, to, r);
        y[n][q] = creal(s * conj(s));
      }
      snprintf(label[n], sizeof label[n], "%d to %d", m->port[m->driven[r]], m->port[to]);
      series[n] = (struct tor_image_series){.label = label[n], .n = m->nwavelength, .x = x, .y = y[n]};
    }
  snprintf(xlabel, sizeof xlabel, "wavelength [%s]", tor_picture_unit(&study->run[0].job));
  const struct tor_image_plot plot = {.title = *study->title ? study->title : NULL,
                                      .xlabel = xlabel,
                                      .ylabel = "|S|^2",
                                      .nseries = n,
                                      .series = series};
  const int status = tor_image_lines(path, &plot);
  for (int i = 0; i < n; i++) free(y[i]);
  free(x);
  return status;
}

static int write_files(const struct tor_study *study, const struct tor_smatrix *m) {
  char path[4096];
  snprintf(path, sizeof path, "%s/smatrix.csv", study->folder);
  int failed = tor_study_end_file("torre study", path, tor_smatrix_write_csv(m, path), NULL);
  snprintf(path, sizeof path, "%s/smatrix.h5", study->folder);
  const int status = tor_smatrix_write_h5(m, path);
  failed += tor_study_end_file("torre study", path, status, tor_h5_error());
  snprintf(path, sizeof path, "%s/smatrix.s%dp", study->folder, m->nports);
  if (m->nruns == m->nports)
    failed += tor_study_end_file("torre study", path, tor_smatrix_write_touchstone(m, path), NULL);
  snprintf(path, sizeof path, "%s/study.json", study->folder);
  failed += tor_study_end_file("torre study", path, write_json(study, m, path), NULL);
  snprintf(path, sizeof path, "%s/smatrix.png", study->folder);
  if (m->nwavelength > 2 && tor_image_version())
    failed += tor_study_end_file("torre study", path, draw(study, m, path), NULL);
  return failed;
}

int tor_study_smatrix_report(const struct tor_study *study) {
  const struct tor_job *job = &study->run[0].job;
  const size_t size = (size_t)job->nmonitors + 1;
  int *const monitor = tor_alloc(size, sizeof *monitor, "ports"), *const port = tor_alloc(size, sizeof *port, "ports");
  int *const driven = tor_alloc(size, sizeof *driven, "ports"), status = 0, nruns = 0;
  const int n = find_ports(job, monitor);
  struct tor_smatrix matrix;
  char why[8192];
  for (int i = 0; i < n; i++) port[i] = job->monitors[monitor[i]].port;
  for (int r = 0; r < study->nruns; r++)
    for (int i = 0; i < n && study->run[r].finished; i++)
      if (port[i] == (int)study->run[r].value) driven[nruns++] = i;
  tor_smatrix_begin(&matrix, n, port, nruns, driven, job->monitors[monitor[0]].nwavelength);
  for (int r = 0, at = 0; r < study->nruns && !status; r++) {
    if (!study->run[r].finished) continue;
    for (int i = 0; i < n && !status; i++)
      status = read_port(&study->run[r], &study->run[r].job.monitors[monitor[i]], &matrix, i, at, why, sizeof why);
    at++;
  }
  int failed = 1;
  if (status) {
    fprintf(stderr, "torre study: %s\n", why);
  } else {
    tor_smatrix_solve(&matrix);
    print(&matrix);
    failed = write_files(study, &matrix);
  }
  tor_smatrix_free(&matrix);
  free(monitor);
  free(port);
  free(driven);
  return failed;
}
