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
#include "src/base/concurrent.h"
#include "src/base/error.h"
#include "src/base/text.h"

/* The file of each run belongs to the one rank that is not mute; variables of a thread are per rank, which may be one.
 */
static struct log {
  FILE *file;
  int error;
  struct timespec start;
  const char *label; /* NULL: none */
} logs[TOR_CONCURRENT_MOST + 1];
static _Thread_local int warnings, is_quiet, is_mute;
static tor_log_receiver *receiver;
static void *receiver_context;

static struct log *mine(void) { return &logs[tor_concurrent_number()]; }

static double elapsed(struct log *log) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (!log->start.tv_sec && !log->start.tv_nsec) log->start = now;
  return (double)(now.tv_sec - log->start.tv_sec) + 1e-9 * (double)(now.tv_nsec - log->start.tv_nsec);
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
  struct log *log = mine();
  tor_log_close();
  log->file = open_file(path, append);
  if (!log->file) return -1;
  log->error = warnings = 0;
  clock_gettime(CLOCK_MONOTONIC, &log->start);
  return 0;
}

int tor_log_move(const char *path) {
  struct log *log = mine();
  if (is_mute || !log->file) return 0;
  FILE *file = open_file(path, 1);
  if (!file) return -1;
  fclose(log->file);
  log->file = file;
  return 0;
}

void tor_log_quiet(int quiet) { is_quiet = quiet; }

void tor_log_label(const char *label) { mine()->label = label; }

void tor_log_redirect(tor_log_receiver *to, void *context) {
  receiver = to;
  receiver_context = context;
}

void tor_log_mute(int mute) { is_mute = mute; }

/* Returns 0, or errno. */
static int put_line(FILE *out, const char *label, double seconds, const char *mark, const char *text) {
  errno = 0;
  const int bad = fprintf(out, "%s%s[%10.3f s] %s%s\n", label ? label : "", label ? ": " : "", seconds, mark, text) < 0;
  if (!bad && fflush(out) != EOF) return 0;
  return errno ? errno : EIO;
}

static void put(int to_screen, const char *mark, const struct tor_place *place, const char *format, va_list args) {
  if (is_mute) return;
  char line[8192]; /* longer ones are cut off */
  struct tor_fault parts = {.text = line};
  struct log *log = mine();
  double seconds = elapsed(log);
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
    put_line(stdout, log->label, seconds, mark, line);
  }
  const int error = log->file ? put_line(log->file, NULL, seconds, mark, line) : 0;
  if (error && !log->error) log->error = error;
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
  struct log *log = mine();
  if (is_mute || !log->file) return 0;
  if (fclose(log->file) && !log->error) log->error = errno;
  log->file = NULL;
  errno = log->error;
  return log->error ? -1 : 0;
}
