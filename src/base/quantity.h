/* Amounts of memory and of time as a person says them. */
#ifndef TOR_SRC_BASE_QUANTITY_H
#define TOR_SRC_BASE_QUANTITY_H

#include <stddef.h>

/* "31 MB", "3.1 GB", "548 TB": two or three figures, units of 1000. */
void tor_quantity_bytes(double bytes, char *text, size_t size);
/* The part of a whole: "3.1 of 24 GB", "31 MB of 24 GB"; the unit stands once where both have it. */
void tor_quantity_share(double bytes, double whole, char *text, size_t size);
/* "less than a second", "5 seconds", "4 minutes", "3 hours 20 minutes", "2 days 5 hours", "40 years": an estimate, so
 * rounded. */
void tor_quantity_time(double seconds, char *text, size_t size);

#endif
