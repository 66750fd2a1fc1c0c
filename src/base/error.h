/* The two kinds of failure.
 *
 * The user's faults are collected, all of them, and reported together: struct tor_faults.
 * The machine's failures and our own bugs end the run at once with file, line and function: TOR_DIE. */
#ifndef TOR_SRC_BASE_ERROR_H
#define TOR_SRC_BASE_ERROR_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A place in the user's input, of a fault or a warning. */
struct tor_place {
  const char *file; /* NULL: the command line */
  long line;        /* 0: unknown */
  const char *key;  /* "objects[0].radius"; NULL: none */
  const char *set;  /* key of the override (--set) by which the value came; NULL: of the file */
  const char *name; /* of the source or monitor; NULL: none */
};

/* A fault or a message, with its parts for programs; they and the text are owned, NULL or 0: unknown, or there is none.
 */
struct tor_fault {
  char *file;
  long line;
  char *key, *name;     /* as of the place */
  char *found, *needed; /* what was given there, and what is needed in its place */
  char *text;           /* of all of them: `job.cfg:12: sources[0].wavelength: got "red", need a number in nm` */
};

struct tor_faults {
  int count;
  struct tor_fault *item; /* [count], owned */
};

/* In the format of a fault or a message, what becomes its parts `found` and `needed`:
 * "got " TOR_FOUND("%d") ", need " TOR_NEEDED("at least %d"). The text has the words without the marks. */
#define TOR_FOUND(format) "\1" format "\3"
#define TOR_NEEDED(format) "\2" format "\3"
/* Takes the marks from a text. Sets found and needed, to be freed, NULL where there are none; both may be NULL. */
void tor_fault_split(char *text, char **found, char **needed);

/* A place as text: `job.cfg:12: monitors[2] (NAME)`, `--set grid.cell`. */
void tor_place_text(const struct tor_place *place, char *text, size_t size);
/* The fault at a place; its text begins with the place. place NULL: unknown. */
struct tor_fault tor_fault_make(const struct tor_place *place, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));
void tor_fault_free(struct tor_fault *fault);

/* Adds one fault, printf style, with the marks above: at a place, or without one. */
void tor_fault_at(struct tor_faults *faults, const struct tor_place *place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void tor_fault(struct tor_faults *faults, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Adds a fault, which the list takes over. */
void tor_fault_add(struct tor_faults *faults, struct tor_fault fault);
/* Moves all faults of `from`, which is empty then, with the label in front of their texts: "LABEL: TEXT". */
void tor_faults_move(struct tor_faults *faults, struct tor_faults *from, const char *label);
/* One line a fault, in their order; where three or more differ in their line and in numbers of lists alone, as
 * objects[3].medium and objects[7].medium, one line with their number and the first places (fault_print.c). */
void tor_faults_print(const struct tor_faults *faults, FILE *out);
/* The same to stderr, and a line that counts them: nothing was run. Frees them. */
void tor_faults_refuse(struct tor_faults *faults);
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
