/* Text of users and files for a terminal or a log. */
#ifndef TOR_SRC_BASE_TEXT_H
#define TOR_SRC_BASE_TEXT_H

/* Replaces by `?` what a terminal might obey and what forges lines of a log: each byte of control characters (C0, DEL,
 * C1), of U+2028 and U+2029, and of what is no UTF-8. The length stays. */
void tor_text_clean(char *text);

/* Bytes of the UTF-8 sequence at s (RFC 3629); 0: there is none. */
int tor_text_utf8(const unsigned char *s);

#endif
