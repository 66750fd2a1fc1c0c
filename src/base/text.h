/* Text of users and files for a terminal or a log. */
#ifndef TOR_SRC_BASE_TEXT_H
#define TOR_SRC_BASE_TEXT_H

#include <stddef.h>
#include <stdio.h>

/* Replaces by `?` what a terminal might obey and what forges lines of a log: each byte of control characters (C0, DEL,
 * C1), of U+2028 and U+2029, of those that turn the direction of writing, and of what is no UTF-8. The length stays. */
void tor_text_clean(char *text);

/* fprintf of lines in which words of the user stand: each line comes without such characters. */
void tor_text_print(FILE *to, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Bytes of the UTF-8 sequence at s (RFC 3629); 0: there is none. */
int tor_text_utf8(const unsigned char *s);

/* Appends the i-th of count names to a list for a sentence, `a, b or c`, that begins empty; cut to size bytes. */
void tor_text_list(char *text, size_t size, int i, int count, const char *name);

#endif
