/* Early but orderly end of a run: signals and the wall-clock limit. Local; run_control.c makes the ranks agree. Ranks
 * of one process share this state. */
#ifndef TOR_SRC_RUN_INTERRUPT_H
#define TOR_SRC_RUN_INTERRUPT_H

/* Starts the clock and installs handlers for SIGTERM, SIGUSR1, SIGHUP and SIGINT: in any number they no longer
 * terminate the process, but a second SIGINT, which ends it at once with TOR_EXIT_INTERRUPTED. SIGHUP and SIGINT that
 * were ignored stay ignored. SIGPIPE and SIGXFSZ are ignored: the write fails instead. The program calls this before
 * anything else (src/early_signals.h) and keeps it to its end, so that no signal meets the default. Where several
 * threads call it, the first call installs the handlers. */
void tor_interrupt_begin(void);
/* The wall-clock limit [s], from tor_interrupt_begin on; 0, as at first: none. Before other threads are started. */
void tor_interrupt_limit(double seconds);
/* For commands without a run, and tests: the last of as many calls as of tor_interrupt_begin restores the former
 * handlers; a caught signal and the limit are cleared. */
void tor_interrupt_end(void);

/* Where ranks have different values, the largest counts. */
enum tor_interrupt {
  TOR_INTERRUPT_NONE,
  TOR_INTERRUPT_LIMIT,
  TOR_INTERRUPT_HUP,
  TOR_INTERRUPT_USR1,
  TOR_INTERRUPT_TERM,
  TOR_INTERRUPT_INT,
  TOR_INTERRUPT_LOST /* the results folder is lost: not by tor_interrupt_wanted */
};

/* Why the run should save its state and end now. reserve: seconds that the next stage and a checkpoint will take, to be
 * kept free before the limit. */
enum tor_interrupt tor_interrupt_wanted(double reserve);
/* As text, for "stopped by ...". */
const char *tor_interrupt_text(enum tor_interrupt interrupt);

/* Logs the command that stops this run with its state saved. A step of Slurm has no other process that the signal could
 * end; a signal to one rank is enough. is_alone: no other process takes part. */
void tor_interrupt_log(int is_alone);

/* Seconds of a text `[D-]HH:MM:SS`; -1 when it has another form. */
double tor_interrupt_parse(const char *text);

#endif
