/* What ends a run early but well: signals and the wall-clock limit. Local; with several ranks, rank 0 asks and tells
 * the others. */
#ifndef TOR_INTERRUPT_H
#define TOR_INTERRUPT_H

/* Starts the clock and takes SIGTERM and SIGUSR1: they end nothing from here on. seconds: wall-clock limit, 0: none. */
void tor_interrupt_begin(double seconds);
/* Gives the signals their former meaning back. */
void tor_interrupt_end(void);

/* Why the run should save its state and end now, in words; NULL: it may go on. reserve: seconds that the next stage and
 * a checkpoint will take, to be kept free before the limit. */
const char *tor_interrupt_wanted(double reserve);

/* Seconds of `[D-]HH:MM:SS`; -1 when the text is none. */
double tor_interrupt_parse(const char *text);

#endif
