/* run.log: see log.h. */
#include "io/files/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

#include "io/files/progress.h"

/* The file belongs to the one rank that is not mute; the other variables are per rank, which may be a thread. */
static FILE *log_file;
static int log_error;
static _Thread_local int warnings, is_quiet, is_mute;
static struct timespec log_start;

static void start_clock(void) { clock_gettime(CLOCK_MONOTONIC, &log_start); }

static double elapsed(void) {
  struct timespec now;
  if (!log_start.tv_sec && !log_start.tv_nsec) start_clock();
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)(now.tv_sec - log_start.tv_sec) + 1e-9 * (double)(now.tv_nsec - log_start.tv_nsec);
}

int tor_log_open(const char *path, int append) {
  tor_log_close();
  log_file = fopen(path, append ? "a" : "w");
  if (!log_file) return -1;
  log_error = warnings = 0;
  start_clock();
  return 0;
}

void tor_log_quiet(int quiet) { is_quiet = quiet; }

void tor_log_mute(int mute) { is_mute = mute; }

static void put_line(FILE *out, double seconds, const char *mark, const char *format, va_list args) {
  errno = 0;
  int bad = fprintf(out, "[%10.3f s] %s", seconds, mark) < 0;
  bad |= vfprintf(out, format, args) < 0;
  bad |= fputc('\n', out) == EOF;
  bad |= fflush(out) == EOF;
  if (bad && out == log_file && !log_error) log_error = errno ? errno : EIO;
}

static void put(int to_screen, const char *mark, const char *format, va_list args) {
  if (is_mute) return;
  double seconds = elapsed();
  if (to_screen) {
    va_list again;
    va_copy(again, args);
    tor_progress_clear();
    put_line(stdout, seconds, mark, format, again);
    va_end(again);
  }
  if (log_file) put_line(log_file, seconds, mark, format, args);
}

void tor_log(const char *format, ...) {
  va_list args;
  va_start(args, format);
  put(!is_quiet, "", format, args);
  va_end(args);
}

void tor_log_note(const char *format, ...) {
  va_list args;
  va_start(args, format);
  put(!is_quiet, "note: ", format, args);
  va_end(args);
}

void tor_log_warning(const char *format, ...) {
  va_list args;
  va_start(args, format);
  warnings++;
  put(1, "warning: ", format, args);
  va_end(args);
}

int tor_log_warnings(void) { return warnings; }

int tor_log_close(void) {
  if (is_mute || !log_file) return 0;
  if (fclose(log_file) && !log_error) log_error = errno;
  log_file = NULL;
  errno = log_error;
  return log_error ? -1 : 0;
}
