/* The two kinds of failure.
 *
 * The user's faults are collected, all of them, and reported together: struct tor_faults.
 * The machine's failures and our own bugs end the run at once with file, line and function: TOR_DIE. */
#ifndef TOR_SRC_BASE_ERROR_H
#define TOR_SRC_BASE_ERROR_H

#include <stddef.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The parts of a fault for programs; NULL or 0: unknown, or there is none. */
struct tor_fault_parts {
  char *file;
  long line;
  char *key;            /* "objects[0].radius" */
  char *found, *needed; /* of a text "got FOUND, need NEEDED" */
};

struct tor_faults {
  int count;
  char **text;                   /* [count], owned */
  struct tor_fault_parts *parts; /* [count], their texts are owned */
};

/* Adds one fault, printf style; the text should read `job.cfg:12: sources[0].wavelength: got "red", need a number in
 * nm`. */
void tor_fault(struct tor_faults *faults, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same with its parts, whose texts the list takes over. */
void tor_fault_with(struct tor_faults *faults, struct tor_fault_parts parts, const char *text);
/* Sets found and needed, to be freed, from the text behind the place: "got FOUND, need NEEDED", "missing, need NEEDED";
 * NULL where it has other words. */
void tor_fault_split(const char *body, char **found, char **needed);
/* One line a fault, in their order; where three or more differ in their line and in numbers of lists alone, as
 * objects[3].medium and objects[7].medium, one line with their number and the first places (fault_print.c). */
void tor_faults_print(const struct tor_faults *faults, FILE *out);
void tor_faults_free(struct tor_faults *faults);

/* Prints where and why, then exits with TOR_EXIT_FAILURE. */
void tor_die(const char *file, int line, const char *function, const char *format, ...)
    __attribute__((noreturn, format(printf, 4, 5)));
#define TOR_DIE(...) tor_die(__FILE__, __LINE__, __func__, __VA_ARGS__)

/* The same when the reason has been printed. */
void tor_end(void) __attribute__((noreturn));
/* Sets the function that ends a run of several ranks instead of exit; NULL: exit. */
void tor_on_death(void (*end)(int status));

/* Memory whose pages have not been touched, 64-byte aligned; from TOR_OWN_PAGES bytes on it shares no page with other
 * data, and huge pages are requested, since a tile touches more pages than a core's TLB has entries. NULL when there is
 * no memory. Free with free(). */
enum { TOR_OWN_PAGES = 4 << 20 };
void *tor_reserve(size_t bytes);
/* count * size bytes of zeros whose pages have not been touched, with huge pages for large sizes; NULL when there is no
 * memory. Free with free(). */
void *tor_reserve_zeros(size_t count, size_t size);
/* Zeroed memory of count * size bytes, 64-byte aligned; ends the run with a message that names `what` when there is
 * none. Overflow of count * size counts as "none". Free with free(). */
void *tor_alloc(size_t count, size_t size, const char *what);
/* Grows an array owned by the caller to hold `count` items (capacity doubles); ends the run when memory is short. */
void *tor_grow(void *array, size_t count, size_t *capacity, size_t size);
char *tor_strdup(const char *text);

#ifdef __cplusplus
}
#endif

#endif
