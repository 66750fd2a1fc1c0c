/* Shared by the files of src/study alone. */
#ifndef TOR_SRC_STUDY_STUDY_PARTS_H
#define TOR_SRC_STUDY_STUDY_PARTS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "src/job/job.h"
#include "src/study/extrapolate.h"
#include "src/study/study.h"

/* Reports that a file of a study was written (status 0), or on stderr that it was not, why (NULL: errno). command:
 * "torre study". Returns 1 where it was not. study.c */
int tor_study_end_file(const char *command, const char *path, int status, const char *why);

/* --- Runs: study.c --- */

struct tor_study_run {
  struct tor_job job;
  char label[64]; /* "cell 1.4 nm" */
  double value;   /* what is varied, in the job's unit */
  int finished;   /* its results are in job.output */
};

struct tor_study {
  const struct tor_study_options *options;
  const char *name; /* "cells" */
  char *folder;
  char *title;   /* of the job, "" without */
  uint64_t hash; /* of the job without what is varied */
  double unit;   /* length_unit [m] */
  int nruns;
  struct tor_study_run *run; /* [nruns] in the order in which they run */
};

/* Reads the job with more overrides [nset] as the next run, in the folder `<study's folder>/<name>`. Its faults get the
 * label in front. label: printf style. */
void tor_study_add(struct tor_study *study, const char *name, const char *const *set, int nset, double value,
                   struct tor_faults *faults, const char *label, ...) __attribute__((format(printf, 7, 8)));

/* Faults of a job that cannot be run here, or whose folder cannot be used by this run. verbose: prints its cells, steps
 * and what it needs. Rank 0. */
void tor_study_check_run(const struct tor_job *job, const char *label, int overwrite, int verbose,
                         struct tor_faults *faults);

/* The beginning of a study.json, an object that is still open: which study of which job it is. */
void tor_study_begin_json(FILE *f, const struct tor_study *study);

/* "nm", "um": the job's unit in ASCII. */
const char *tor_study_unit(const struct tor_study *study);

/* --- The study of cells: study_cells.c --- */

/* Adds the runs, from coarse to fine. job: without what is varied. */
void tor_study_cells_prepare(struct tor_study *study, const struct tor_job *job, struct tor_faults *faults);
/* Prints what else than the cell differs between the runs. Local, rank 0. */
void tor_study_cells_note(const struct tor_study *study);
/* Table and files. Returns the number of files that could not be made (reasons on stderr). Local, rank 0. */
int tor_study_cells_report(const struct tor_study *study);

/* --- The study of ports: study_smatrix.c; as those of cells --- */

void tor_study_smatrix_prepare(struct tor_study *study, const struct tor_job *job, struct tor_faults *faults);
void tor_study_smatrix_note(const struct tor_study *study);
int tor_study_smatrix_report(const struct tor_study *study);

/* --- The study of bands: study_bands.c, study_bands_report.c; as those of cells --- */

void tor_study_bands_prepare(struct tor_study *study, const struct tor_job *job, struct tor_faults *faults);
void tor_study_bands_note(const struct tor_study *study);
int tor_study_bands_report(const struct tor_study *study);
struct tor_bands;
/* The bands of the finished runs, without velocities; to be freed also after a failure. Returns 0; or -1 with the
 * reason in why[size]. */
int tor_study_bands_read(const struct tor_study *study, struct tor_bands *to, char *why, size_t size);

/* --- The study of ensembles: study_ensemble.c, study_ensemble_report.c; as those of cells --- */

void tor_study_ensemble_prepare(struct tor_study *study, const struct tor_job *job, struct tor_faults *faults);
void tor_study_ensemble_note(const struct tor_study *study);
int tor_study_ensemble_report(const struct tor_study *study);

/* --- Tables of the finished runs: study_tables.c --- */

struct tor_table;

/* Reads a file of a run's folder. Returns 0; 1 where the run has none, -1 where it cannot be read, with the reason in
 * why[size]. */
int tor_study_read_table(const struct tor_study_run *run, const char *file, struct tor_table *table, char *why,
                         size_t size);
/* Whether two have the same columns, and rows of the same first column. */
int tor_study_is_same_form(const struct tor_table *a, const struct tor_table *b);
int tor_study_ends_with(const char *text, const char *end);

/* --- Numbers of the finished runs: study_numbers.c --- */

/* A column of spectra.csv, spectra_NAME.csv or NAME_spectrum.csv: a number for each wavelength. */
struct tor_study_column {
  char *name; /* "sphere.Q_ext"; of a probe "probe.Ex_V_per_m_per_Hz" */
  int count;
  double *wavelength;                     /* [count] in nm */
  double *value[TOR_EXTRAPOLATION_CELLS]; /* [ncells][count] */
  struct tor_extrapolation *x;            /* [count] */
  double
      scale; /* largest finite value at the finest cell, of all columns of its monitor and kind (Q_ext, Q_sca, Q_abs) */
  int worst; /* with the largest error, -1: none has one */
};

struct tor_study_numbers {
  int ncells;
  double cell[TOR_EXTRAPOLATION_CELLS]; /* [ncells] in the job's unit, falling */
  int ncolumns;
  size_t capacity;
  struct tor_study_column *column; /* [ncolumns], largest errors first */
};

/* Reads and extrapolates. Phases of probes are left out, and powers in J/Hz that a fraction stands for. Returns 0; or
 * -1 with the reason in why[size]: tables of the runs differ, or cannot be read. */
int tor_study_numbers_read(const struct tor_study *study, struct tor_study_numbers *numbers, char *why, size_t size);
void tor_study_numbers_free(struct tor_study_numbers *numbers);

/* The error of number q as a part of the column's scale; NaN where there is none. */
double tor_study_share(const struct tor_study_column *column, int q);

/* --- Reports: study_report.c, study_plot.c --- */

/* Summary, and a line for each column, on stdout. */
void tor_study_print(const struct tor_study *study, const struct tor_study_numbers *numbers);
/* study.csv, study.json. Each returns 0; or -1 with the reason on stderr. */
int tor_study_write_csv(const struct tor_study *study, const struct tor_study_numbers *numbers);
int tor_study_write_json(const struct tor_study *study, const struct tor_study_numbers *numbers);
/* study.png and study.svg: differences to the extrapolated values over the cell, both logarithmic, of the columns with
 * the largest errors. Returns the number of those that could not be written; 0 without cairo. */
int tor_study_plot(const struct tor_study *study, const struct tor_study_numbers *numbers);

#endif
