/* run.log: see log.h. */
#include "io/files/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "io/files/progress.h"
#include "io/files/safe_open.h"
#include "src/base/error.h"
#include "src/base/text.h"

/* The file belongs to the one rank that is not mute; the other variables are per rank, which may be a thread. */
static FILE *log_file;
static int log_error;
static _Thread_local int warnings, is_quiet, is_mute;
static struct timespec log_start;
static tor_log_receiver *receiver;
static void *receiver_context;

static void start_clock(void) { clock_gettime(CLOCK_MONOTONIC, &log_start); }

static double elapsed(void) {
  struct timespec now;
  if (!log_start.tv_sec && !log_start.tv_nsec) start_clock();
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)(now.tv_sec - log_start.tv_sec) + 1e-9 * (double)(now.tv_nsec - log_start.tv_nsec);
}

/* One that is there already is a regular file with no other name, or nothing is written to it. */
static FILE *open_file(const char *path, int append) {
  int fd = append ? tor_safe_open(path, O_WRONLY | O_APPEND) : -1;
  struct stat about;
  if (fd >= 0 && (fstat(fd, &about) || about.st_nlink > 1)) {
    close(fd);
    errno = EMLINK;
    return NULL;
  }
  if (!append || (fd < 0 && errno == ENOENT)) fd = tor_safe_create(path);
  FILE *file = fd < 0 ? NULL : fdopen(fd, append ? "a" : "w");
  const int error = errno;
  if (fd >= 0 && !file) close(fd);
  errno = error;
  return file;
}

int tor_log_open(const char *path, int append) {
  tor_log_close();
  log_file = open_file(path, append);
  if (!log_file) return -1;
  log_error = warnings = 0;
  start_clock();
  return 0;
}

int tor_log_move(const char *path) {
  if (is_mute || !log_file) return 0;
  FILE *file = open_file(path, 1);
  if (!file) return -1;
  fclose(log_file);
  log_file = file;
  return 0;
}

void tor_log_quiet(int quiet) { is_quiet = quiet; }

void tor_log_redirect(tor_log_receiver *to, void *context) {
  receiver = to;
  receiver_context = context;
}

void tor_log_mute(int mute) { is_mute = mute; }

static void put_line(FILE *out, double seconds, const char *mark, const char *text) {
  errno = 0;
  const int bad = fprintf(out, "[%10.3f s] %s%s\n", seconds, mark, text) < 0 || fflush(out) == EOF;
  if (bad && out == log_file && !log_error) log_error = errno ? errno : EIO;
}

static void put(int to_screen, const char *mark, const struct tor_place *place, const char *format, va_list args) {
  if (is_mute) return;
  char line[8192]; /* longer ones are cut off */
  struct tor_fault parts = {.text = line};
  double seconds = elapsed();
  vsnprintf(line, sizeof line, format, args);
  tor_fault_split(line, receiver ? &parts.found : NULL, receiver ? &parts.needed : NULL);
  tor_text_clean(line);
  if (place) {
    parts.file = (char *)place->file;
    parts.line = place->line;
    parts.key = (char *)place->key;
  }
  if (receiver)
    receiver(receiver_context, mark, &parts);
  else if (to_screen) {
    tor_progress_clear();
    put_line(stdout, seconds, mark, line);
  }
  if (log_file) put_line(log_file, seconds, mark, line);
  free(parts.found);
  free(parts.needed);
}

void tor_log(const char *format, ...) {
  va_list args;
  va_start(args, format);
  put(!is_quiet, "", NULL, format, args);
  va_end(args);
}

void tor_log_note(const char *format, ...) {
  va_list args;
  va_start(args, format);
  put(!is_quiet, "note: ", NULL, format, args);
  va_end(args);
}

void tor_log_note_at(const struct tor_place *place, const char *format, ...) {
  va_list args;
  va_start(args, format);
  put(!is_quiet, "note: ", place, format, args);
  va_end(args);
}

void tor_log_warning(const char *format, ...) {
  va_list args;
  va_start(args, format);
  warnings++;
  put(1, "warning: ", NULL, format, args);
  va_end(args);
}

void tor_log_warning_at(const struct tor_place *place, const char *format, ...) {
  va_list args;
  va_start(args, format);
  warnings++;
  put(1, "warning: ", place, format, args);
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
