/* Studies of rates, which torre study makes beside that of cells: th, towers, roofline, weak, strong.
 *
 * A point is a run of the job with the steps of a stage, the towers of a row or the number of ranks varied. Runs are
 * processes of their own, started one after the other; those with more ranks than this machine has CPUs are left to a
 * cluster: runs.txt has all of them, a line each, as the scripts of jobs/batch take it, and submit.txt the commands.
 * The same command, given again, has in its table and pictures what has been finished since. */
#ifndef TOR_SRC_STUDY_RATES_H
#define TOR_SRC_STUDY_RATES_H

#include "src/job/job.h"
#include "src/predict/machine.h"
#include "src/study/study.h"

enum { TOR_RATES_POINTS = 64 };

struct tor_rates_point {
  double value; /* TH, towers of a row, or ranks; 0: the stepwise engine */
  int px, py;
  tor_gidx n[3];
  char name[32]; /* of its folder */
  int nset;
  char set[3][128]; /* overrides, path=value */
  /* Of the finished run. */
  int finished, th, dts;
  double steps, seconds, rate, filled; /* cell updates/s: of the whole run; without the fill of the pipeline of ranks */
  /* By the cluster model, the pipeline filled; NaN: unknown. */
  double predicted;
};

struct tor_rates {
  const struct tor_study_options *options;
  const char *name; /* "th" */
  char *folder;
  struct tor_job job;
  int gpu; /* the job runs on one */
  int npoints;
  struct tor_rates_point point[TOR_RATES_POINTS];
  struct tor_machine machine;
  int has_machine; /* by --machine; else its figures are those that were measured here */
  double copy;     /* bandwidth of a copy in the memory of the job's device [bytes/s], measured; 0: not needed */
};

/* The study: see tor_study. Not under a launcher of several processes. */
int tor_rates_study(const struct tor_study_options *options, struct tor_faults *faults);

/* --- Its parts --- */

/* Adds the points (rates_points.c). */
void tor_rates_add(struct tor_rates *study, struct tor_faults *faults);
/* Half-width of the job's towers in cells, as the plan has it. */
int tor_rates_half_width(const struct tor_rates *study);

/* runs.txt and submit.txt. Returns 0; or -1 with the reason on stderr (rates_run.c). */
int tor_rates_write_runs(const struct tor_rates *study);
/* Runs what this machine can, unless list_only, and reads the results that are there. The exit status. */
int tor_rates_run(struct tor_rates *study);

/* Fills in `predicted` of all points (rates_predict.c). */
void tor_rates_predict(struct tor_rates *study);
/* The most towers of a row that an exchange along y, between two ranks, takes longer than; NaN: unknown. */
double tor_rates_hiding_towers(struct tor_rates *study);

/* Table on stdout, study.csv, study.png, study.svg. Returns the number of files that could not be written
 * (rates_report.c). */
int tor_rates_report(struct tor_rates *study);
/* A picture in both forms (rates_plot.c); the same. */
int tor_rates_plot(const struct tor_rates *study);
/* Bytes of device memory that a cell update of the point moves at least. */
double tor_rates_bytes(const struct tor_rates *study, const struct tor_rates_point *point);

#endif
