/* Options of a command line: see command_line.h. */
#define _GNU_SOURCE /* fopencookie */
#include "src/base/command_line.h"

#include <argp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "src/base/text.h"

/* Writes lines to stderr, each without control characters. */
static ssize_t write_clean(void *cookie, const char *text, size_t size) {
  (void)cookie;
  char line[1024];
  for (size_t at = 0; at < size;) {
    const char *end = memchr(text + at, '\n', size - at);
    size_t n = end ? (size_t)(end - text) - at : size - at;
    const int ends = end && n < sizeof line - 1;
    if (n > sizeof line - 2) n = sizeof line - 2;
    for (size_t i = 0; i < n; i++) line[i] = text[at + i] ? text[at + i] : '?';
    line[n] = 0;
    tor_text_clean(line);
    line[n] = '\n';
    if (write(STDERR_FILENO, line, n + (size_t)ends) < 0) return (ssize_t)at;
    at += n + (size_t)ends;
  }
  return (ssize_t)size;
}

void tor_command_line_parse(const struct argp *argp, int argc, char **argv, void *input, int exit_status) {
  static char buffer[1 << 16]; /* a message as a whole, so that no character is cut */
  FILE *const plain = stderr;
  FILE *clean = fopencookie(NULL, "w", (cookie_io_functions_t){.write = write_clean});
  if (clean) {
    setvbuf(clean, buffer, _IOFBF, sizeof buffer);
    stderr = clean; /* getopt writes there, whatever argp was given */
  }
  argp_err_exit_status = exit_status;
  argp_parse(argp, argc, argv, 0, 0, input);
  stderr = plain;
  if (clean) fclose(clean);
}
