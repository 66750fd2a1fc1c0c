/* Progress of a long run on stdout.
 *
 * On a terminal: one line, rewritten at most five times a second. Elsewhere (a batch log): a plain line every 10 %, and
 * in between once 30 s and 1 % have passed, so a run of any length writes at most about a hundred lines.
 * Percent and remaining time relate to the longest run time; a decay condition may end the run earlier.
 * Local: call it on one rank, in its own thread. Each thread has its own state, all but one of them quiet. */
#ifndef TOR_IO_FILES_PROGRESS_H
#define TOR_IO_FILES_PROGRESS_H

#include "src/base/types.h"

enum tor_progress_form {
  TOR_PROGRESS_TEXT,
  TOR_PROGRESS_NONE,
  /* For programs: on stderr, at the start, at the end and about once a second in between, a line such as {"step": 640,
   * "steps": 8655, "energy_J": 1.2e-21, "energy_of_max": 0.4, "cell_updates_per_second": 2.1e8, "seconds": 3.1,
   * "seconds_left": 39}; null: unknown. */
  TOR_PROGRESS_JSON
};
void tor_progress_begin(tor_gidx total_steps, double cells_per_step, enum tor_progress_form form);

/* The last sum of the energy and the largest one [J], for TOR_PROGRESS_JSON. */
void tor_progress_energy(double energy, double largest);

/* `step` steps are done. The first call sets the step at which the run starts (0, or the step of a checkpoint): make it
 * before the first stage. Cheap: call it after every stage. `suffix` ends the line: "energy 1.2e-3 of max"; may be
 * NULL. */
void tor_progress_update(tor_gidx step, const char *suffix);

/* Prints the last line: steps done, time, rate. */
void tor_progress_end(void);

/* Clears the rewritten line, if one is on the terminal, before something else is printed. */
void tor_progress_clear(void);

#endif
