/* torre study: a job run several times with one thing varied, and what the runs together say. Studies of rates are
 * those of rates.h.
 *
 * Each run has a results folder of its own in the study's folder, as by `torre run`. A run whose folder has its results
 * already is not repeated, and one that was interrupted continues: by the same command. */
#ifndef TOR_SRC_STUDY_STUDY_H
#define TOR_SRC_STUDY_STUDY_H

#include "src/base/error.h"
#include "src/run/run.h"

enum tor_study_kind {
  TOR_STUDY_CELLS,    /* sizes of the cell: extrapolated values and errors */
  TOR_STUDY_SMATRIX,  /* ports: a run for each, and the scattering matrix */
  TOR_STUDY_BANDS,    /* wave vectors along a path: band structure; the command `torre bands` */
  TOR_STUDY_ENSEMBLE, /* a dipole at several places, of several directions: means of powers */
  /* Rates (rates.h): */
  TOR_STUDY_TH,       /* steps of a stage */
  TOR_STUDY_TOWERS,   /* towers of a row */
  TOR_STUDY_ROOFLINE, /* rate over memory traffic, steps of a stage */
  TOR_STUDY_WEAK,     /* ranks, the job's domain for each */
  TOR_STUDY_STRONG,   /* ranks, the job's domain for all */
  TOR_NSTUDIES
};

struct tor_study_options {
  enum tor_study_kind kind;
  const char *job;              /* path of the job file */
  const char *const *overrides; /* [noverrides], as tor_job_read takes them */
  int noverrides;
  int has_folder;    /* the study's folder is the job's output; 0: beside that, `<output>-cells` */
  const char *cells; /* cells: edges, such as "2,1.4,1", in the job's length_unit */
  int at_once;       /* ensemble: runs at a time, as of a batch */
  /* Of studies of rates. */
  const char *points;         /* their points, "1,2,4"; NULL: usual ones */
  int along;                  /* weak, strong: 'x' or 'y' */
  const char *machine;        /* path of a machine file for the predictions; NULL: by what was measured */
  int list_only;              /* nothing is run */
  struct tor_run_options run; /* of each run; restart is not asked: it is so without overwrite */
};

/* The study of that name that `torre study` makes; TOR_NSTUDIES: there is none. */
enum tor_study_kind tor_study_find(const char *name);
const char *tor_study_name(enum tor_study_kind kind);
/* "cells, ... or ...", in a static buffer. */
const char *tor_study_names(void);

/* Makes the study: runs, then a table on stdout and study.csv, study.json, study.png and study.svg in its folder.
 * Returns an exit status as tor_run does; with TOR_EXIT_USER there are faults, and nothing was run. When a run fails,
 * those after it are left out and the files have the finished ones, if they are two and more. Collective. */
int tor_study(const struct tor_study_options *options, struct tor_faults *faults);

#endif
