/* The text of a file, translated for libconfig.
 *
 * libconfig 1.5 wraps whole numbers beyond 32 bits silently unless they end in L, and refuses 1 and 1.5 in one array.
 */
#include <ctype.h>
#include <errno.h>
#include <libconfig.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/config/config.h"
#include "src/base/error.h"

enum { LONGEST_FILE = 1 << 26 };

char *tor_config_read_file(const char *path, const char **why) {
  size_t count = 0, capacity = 0;
  char *text = NULL;
  FILE *file = fopen(path, "r");
  if (!file) {
    *why = strerror(errno);
    return NULL;
  }
  *why = NULL;
  for (int end = 0; !end && !*why;) {
    text = tor_grow(text, count + 65536, &capacity, 1);
    errno = 0;
    size_t got = fread(text + count, 1, 65535, file);
    end = feof(file);
    if (ferror(file)) {
      *why = errno ? strerror(errno) : "read error";
      break;
    }
    count += got;
    if (count > LONGEST_FILE) *why = "longer than 64 MiB";
    if (!*why && memchr(text + count - got, 0, got)) *why = "not a text file";
  }
  fclose(file);
  if (!*why) {
    text[count] = 0;
    return text;
  }
  free(text);
  return NULL;
}

/* The end of a string or comment, in which libconfig reads no keys, signs or numbers; s itself when there is none.
 */
static const char *skip_opaque(const char *s) {
  if (*s == '"') {
    for (s++; *s && *s != '"'; s++)
      if (*s == '\\' && s[1]) s++;
    return *s ? s + 1 : s;
  }
  if (*s == '#' || (*s == '/' && s[1] == '/')) return s + strcspn(s, "\n");
  if (*s == '/' && s[1] == '*') {
    const char *end = strstr(s + 2, "*/");
    return end ? end + 2 : s + strlen(s);
  }
  return s;
}

static const char *skip_name(const char *s) {
  if (!isalpha((unsigned char)*s) && *s != '*') return s;
  while (isalnum((unsigned char)*s) || (*s && strchr("-_*", *s))) s++;
  return s;
}

/* The end of a whole number (digits or hexadecimal, then L); s itself when there is none, or a number with point or
 * exponent. */
static const char *skip_integer(const char *s) {
  const char *p = s + (*s == '+' || *s == '-'), *digits;
  if (*p == '0' && (p[1] == 'x' || p[1] == 'X')) {
    digits = p += 2;
    while (isxdigit((unsigned char)*p)) p++;
  } else {
    digits = p;
    while (isdigit((unsigned char)*p)) p++;
    if (*p == '.' || *p == 'e' || *p == 'E') return s;
  }
  if (p == digits) return s;
  while (*p == 'L') p++;
  return p;
}

/* The end of a number with point or exponent, or s. */
static const char *skip_float(const char *s) {
  const char *p = s + (*s == '+' || *s == '-');
  if (!isdigit((unsigned char)*p) && !(*p == '.' && isdigit((unsigned char)p[1]))) return s;
  while (isdigit((unsigned char)*p) || *p == '.') p++;
  if (*p == 'e' || *p == 'E') {
    p++;
    if (*p == '+' || *p == '-') p++;
    while (isdigit((unsigned char)*p)) p++;
  }
  return p;
}

/* Writes a whole number so that libconfig keeps its value; returns the length. */
static size_t translate_integer(const char *s, size_t length, char *out, size_t capacity) {
  size_t digits = length;
  while (digits && s[digits - 1] == 'L') digits--;
  double value = strtod(s, NULL);
  int hex = digits > 2 && (memchr(s, 'x', digits) || memchr(s, 'X', digits));
  if (fabs(value) < 9.2e18) {
    long long exact = strtoll(s, NULL, hex ? 16 : 10);
    return (size_t)snprintf(out, capacity, "%lld%s", exact, exact < INT_MIN || exact > INT_MAX ? "L" : "");
  }
  return (size_t)snprintf(out, capacity, "%.17e", value);
}

char *tor_config_translate(const char *text) {
  enum { DEPTH = 64, ROOM = 64 };
  size_t count = 0, capacity = 0, open[DEPTH];
  int depth = 0;
  char *out = NULL;
  if (!strncmp(text, TOR_BYTE_ORDER_MARK, strlen(TOR_BYTE_ORDER_MARK))) text += strlen(TOR_BYTE_ORDER_MARK);
  for (const char *s = text; *s;) {
    const char *end = skip_opaque(s);
    if (end == s) end = skip_name(s);
    if (end == s && skip_integer(s) > s) {
      out = tor_grow(out, count + ROOM + 1, &capacity, 1);
      end = skip_integer(s);
      count += translate_integer(s, (size_t)(end - s), out + count, ROOM);
      s = end;
      continue;
    }
    if (end == s) end = skip_float(s);
    if (end == s) end = s + 1;
    size_t length = (size_t)(end - s);
    out = tor_grow(out, count + length + 1, &capacity, 1);
    memcpy(out + count, s, length);
    if (*s == '\r' && s[1] == '\n') out[count] = ' ';
    if (strchr("[({", *s) && depth <= DEPTH) {
      if (depth < DEPTH) open[depth] = count;
      depth++;
    }
    if (strchr("])}", *s) && depth > 0 && depth <= DEPTH) {
      depth--;
      if (out[open[depth]] == '[' && *s == ']') {
        out[open[depth]] = '(';
        out[count] = ')';
      }
    }
    count += length;
    s = end;
  }
  out = tor_grow(out, count + 2, &capacity, 1);
  out[count++] = '\n'; /* libconfig takes no comment at the very end */
  out[count] = 0;
  return out;
}

/* At an @include libconfig would read other files, whose lines could not be reported. */
static int find_include(struct tor_config *config, const char *text) {
  int line = 1;
  for (const char *s = text; *s;) {
    const char *end = skip_opaque(s);
    if (*s == '@') {
      tor_config_file_fault(config, line, "\"@\": @include is not supported, a job is one file");
      return 1;
    }
    if (*s == '/' && s[1] == '*' && !strstr(s + 2, "*/")) {
      tor_config_file_fault(config, line, "a comment begins here (/*) and never ends: need */");
      return 1;
    }
    if (end == s) end++;
    for (; s < end; s++) line += *s == '\n';
  }
  return 0;
}

char *tor_config_slurp(struct tor_config *config) {
  const char *why;
  char *text = tor_config_read_file(config->path, &why), *out = NULL;
  if (!text)
    tor_config_file_fault(config, 0, "cannot be read: %s", why);
  else if (!find_include(config, text))
    out = tor_config_translate(text);
  free(text);
  return out;
}

int tor_config_open(struct tor_config *config) {
  config_init(&config->tree);
  config_set_auto_convert(&config->tree, 1);
  char *text = tor_config_slurp(config);
  int good = text && config_read_string(&config->tree, text);
  if (text && !good)
    tor_config_file_fault(
        config, config_error_line(&config->tree),
        "%s: need key = value; with every bracket and quote closed (the error may be just before this line)",
        config_error_text(&config->tree));
  free(text);
  return good;
}
