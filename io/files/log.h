/* run.log: messages of the run, with the elapsed time, on stdout and in a file.
 *
 * Local: call it on one rank, in its own thread; where a process has several ranks, the others are mute. One log a
 * run (concurrent.h). Before tor_log_open, lines go to stdout alone. */
#ifndef TOR_IO_FILES_LOG_H
#define TOR_IO_FILES_LOG_H

#include "src/base/error.h"

/* Opens the file, a new one or with `append` (a restarted run) what is there, at its end, and starts the clock. Returns
 * 0; or -1 with errno: a link, a pipe, or a file that has other names (EMLINK) is not written to (safe_open.h). */
int tor_log_open(const char *path, int append);
/* Continues in another file, at its end. Returns 0; or -1 with errno, and continues in the former one. */
int tor_log_move(const char *path);

/* Keeps everything but warnings off stdout; the file has every line. */
void tor_log_quiet(int quiet);
/* Stands in front of each line of this run on stdout; borrowed. NULL, as at first: nothing does. */
void tor_log_label(const char *label);

/* Lines go to `receiver` in place of stdout, without time, with their parts; mark is "warning: ", "note: " or "". NULL:
 * to stdout again. */
typedef void tor_log_receiver(void *context, const char *mark, const struct tor_fault *line);
void tor_log_redirect(tor_log_receiver *receiver, void *context);

/* For ranks other than 0: no line is written, warnings are still counted; tor_log_close does nothing. */
void tor_log_mute(int mute);

/* One line, printf style, no newline at the end. It reaches the file before the call returns. Control characters
 * become `?`. */
void tor_log(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Lines marked `note:` (information for the user) and `warning:` (results may be unreliable or incomplete). */
void tor_log_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
void tor_log_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same about a place in the user's input, which is a part of the line and not of its text; formats may have the
 * marks of error.h. */
void tor_log_note_at(const struct tor_place *place, const char *format, ...) __attribute__((format(printf, 2, 3)));
void tor_log_warning_at(const struct tor_place *place, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Number of warnings so far, for a message at the end of the run. */
int tor_log_warnings(void);

/* Returns 0; or -1 with errno when a line could not be written to the file, ever. Does nothing when none is open. */
int tor_log_close(void);

#endif
