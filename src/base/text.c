/* Text for a terminal: see text.h. */
#include "src/base/text.h"

/* Bytes of the UTF-8 character there, which is no control character; 0: none such. */
static int printable(const unsigned char *s) {
  if (s[0] < 0x80) return s[0] >= 0x20 && s[0] != 0x7f;
  const int n = s[0] >= 0xf0 && s[0] < 0xf5 ? 4 : s[0] >= 0xe0 && s[0] < 0xf0 ? 3 : s[0] >= 0xc2 && s[0] < 0xe0 ? 2 : 0;
  for (int i = 1; i < n; i++)
    if (s[i] < 0x80 || s[i] > 0xbf) return 0;
  if (n == 2 && s[0] == 0xc2 && s[1] < 0xa0) return 0;                          /* C1 */
  if (s[0] == 0xe2 && s[1] == 0x80 && (s[2] & 0xfe) == 0xa8) return 0;          /* line and paragraph separators */
  if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xf0 && s[1] < 0x90)) return 0; /* longer than needed */
  if ((s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf4 && s[1] > 0x8f)) return 0; /* surrogates, beyond Unicode */
  return n;
}

void tor_text_clean(char *text) {
  for (unsigned char *s = (unsigned char *)text; *s;) {
    const int n = printable(s);
    if (!n) *s = '?';
    s += n ? n : 1;
  }
}
