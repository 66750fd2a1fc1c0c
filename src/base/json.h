/* Values of JSON (RFC 8259). */
#ifndef TOR_SRC_BASE_JSON_H
#define TOR_SRC_BASE_JSON_H

#include <stdio.h>

/* A text in quotes; bytes that are no UTF-8 become U+FFFD. NULL: null. */
void tor_json_string(FILE *out, const char *text);
/* The shortest of 15 to 17 digits that gives the number back; null when it is not finite. */
void tor_json_number(FILE *out, double value);
/* Further members of an object: ", " in front, the name, and the value by one of these. */
void tor_json_member_string(FILE *out, const char *name, const char *text);
void tor_json_member_number(FILE *out, const char *name, double value);

#endif
