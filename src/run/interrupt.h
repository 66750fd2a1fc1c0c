/* What ends a run early but well: signals and the wall-clock limit. Local; ranks agree on it in run_control.c. Ranks of
 * one process share it. */
#ifndef TOR_SRC_RUN_INTERRUPT_H
#define TOR_SRC_RUN_INTERRUPT_H

/* Starts the clock and takes SIGTERM and SIGUSR1: they end nothing from here on. seconds: wall-clock limit, 0: none. In
 * a process of several ranks the first one's call does it, and the last one's tor_interrupt_end undoes it. */
void tor_interrupt_begin(double seconds);
/* Gives the signals their former meaning back; what came and the limit are forgotten. */
void tor_interrupt_end(void);

/* The larger value is told where ranks have several. */
enum tor_interrupt {
  TOR_INTERRUPT_NONE,
  TOR_INTERRUPT_LIMIT,
  TOR_INTERRUPT_HUP,
  TOR_INTERRUPT_USR1,
  TOR_INTERRUPT_TERM
};

/* Why the run should save its state and end now. reserve: seconds that the next stage and a checkpoint will take, to be
 * kept free before the limit. */
enum tor_interrupt tor_interrupt_wanted(double reserve);
/* In words, for "stopped by ...". */
const char *tor_interrupt_words(enum tor_interrupt interrupt);

/* Seconds of `[D-]HH:MM:SS`; -1 when the text is none. */
double tor_interrupt_parse(const char *text);

#endif
