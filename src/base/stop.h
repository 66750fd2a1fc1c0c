/* Whether the process was asked to stop: set by signal handlers, looked at by what takes long. */
#ifndef TOR_SRC_BASE_STOP_H
#define TOR_SRC_BASE_STOP_H

/* From a signal handler, or any thread. */
void tor_stop_ask(void);
/* For tests, and where handlers are installed. */
void tor_stop_clear(void);
int tor_stop_asked(void);

#endif
