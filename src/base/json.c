/* Values of JSON: see json.h. */
#include "src/base/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "src/base/text.h"

void tor_json_string(FILE *out, const char *text) {
  if (!text) {
    fputs("null", out);
    return;
  }
  fputc('"', out);
  for (const unsigned char *s = (const unsigned char *)text; *s;) {
    int n = tor_text_utf8(s);
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

void tor_json_member_string(FILE *out, const char *name, const char *text) {
  fprintf(out, ", \"%s\": ", name);
  tor_json_string(out, text);
}

void tor_json_member_number(FILE *out, const char *name, double value) {
  fprintf(out, ", \"%s\": ", name);
  tor_json_number(out, value);
}
