/* Text for a terminal: see text.h. */
#define _GNU_SOURCE /* vasprintf */
#include "src/base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int tor_text_utf8(const unsigned char *s) {
  int n = s[0] < 0x80                   ? 1
          : s[0] >= 0xc2 && s[0] < 0xe0 ? 2
          : (s[0] & 0xf0) == 0xe0       ? 3
          : s[0] >= 0xf0 && s[0] < 0xf5 ? 4
                                        : 0;
  for (int i = 1; i < n; i++)
    if ((s[i] & 0xc0) != 0x80) return 0;
  if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf0 && s[1] < 0x90) ||
      (s[0] == 0xf4 && s[1] > 0x8f))
    return 0;
  return n;
}

/* Bytes of the UTF-8 character there, which is no control character; 0: none such. */
static int printable(const unsigned char *s) {
  const int n = tor_text_utf8(s);
  if (n == 1) return s[0] >= 0x20 && s[0] != 0x7f;
  if (n == 2 && s[0] == 0xc2 && s[1] < 0xa0) return 0;                        /* C1 */
  if (s[0] == 0xe2 && s[1] == 0x80 && s[2] >= 0xa8 && s[2] <= 0xae) return 0; /* separators; U+202A to U+202E */
  if (s[0] == 0xe2 && s[1] == 0x81 && s[2] >= 0xa6 && s[2] <= 0xa9) return 0; /* U+2066 to U+2069 */
  return n;
}

void tor_text_clean(char *text) {
  for (unsigned char *s = (unsigned char *)text; *s;) {
    const int n = printable(s);
    if (!n) *s = '?';
    s += n ? n : 1;
  }
}

void tor_text_print(FILE *to, const char *format, ...) {
  va_list list;
  va_start(list, format);
  char *text;
  const int size = vasprintf(&text, format, list);
  va_end(list);
  if (size < 0) return;
  for (char *line = text, *end; *line; line = end) {
    end = line + strcspn(line, "\n");
    const int ends = *end == '\n';
    *end = 0;
    tor_text_clean(line);
    fprintf(to, "%s%s", line, ends ? "\n" : "");
    end += ends;
  }
  free(text);
}

void tor_text_list(char *text, size_t size, int i, int count, const char *name) {
  const size_t n = i ? strlen(text) : 0;
  snprintf(text + n, size - n, "%s%s", !i ? "" : i < count - 1 ? ", " : " or ", name);
}
