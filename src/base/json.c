/* Values of JSON: see json.h. */
#include "src/base/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Length of the UTF-8 sequence at s, 0 when it is none (RFC 3629). */
static int utf8_length(const unsigned char *s) {
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

void tor_json_string(FILE *out, const char *text) {
  if (!text) {
    fputs("null", out);
    return;
  }
  fputc('"', out);
  for (const unsigned char *s = (const unsigned char *)text; *s;) {
    int n = utf8_length(s);
    if (*s == '"' || *s == '\\')
      fprintf(out, "\\%c", *s);
    else if (*s < 0x20 || *s == 0x7f)
      fprintf(out, "\\u%04x", (unsigned)*s);
    else if (n)
      fwrite(s, 1, (size_t)n, out);
    else
      fputs("\\ufffd", out);
    s += n ? n : 1;
  }
  fputc('"', out);
}

void tor_json_number(FILE *out, double value) {
  char text[40];
  if (!isfinite(value)) {
    fputs("null", out);
    return;
  }
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(text, sizeof text, "%.*g", digits, value);
    if (strtod(text, NULL) == value) break;
  }
  fputs(text, out);
}
