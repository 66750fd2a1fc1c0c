/* Early but orderly end of a run: signals and the wall-clock limit. Local; run_control.c makes the ranks agree. Ranks
 * of one process share this state. */
#ifndef TOR_SRC_RUN_INTERRUPT_H
#define TOR_SRC_RUN_INTERRUPT_H

/* Starts the clock and installs handlers for SIGTERM, SIGUSR1 and (unless it is ignored) SIGHUP; they no longer
 * terminate the process. SIGPIPE and SIGXFSZ are ignored: the write fails instead. seconds: wall-clock limit, 0: none.
 * In a process of several ranks the first call installs them, and the last tor_interrupt_end restores them. */
void tor_interrupt_begin(double seconds);
/* Restores the former handlers; a caught signal and the limit are cleared. */
void tor_interrupt_end(void);

/* Where ranks have different values, the largest counts. */
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
/* As text, for "stopped by ...". */
const char *tor_interrupt_text(enum tor_interrupt interrupt);

/* Seconds of a text `[D-]HH:MM:SS`; -1 when it has another form. */
double tor_interrupt_parse(const char *text);

#endif
