/* Failures: see error.h. */
#define _DEFAULT_SOURCE /* madvise */
#include "src/base/error.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "src/base/text.h"
#include "src/base/types.h"

static const size_t HUGE_PAGE = (size_t)2 << 20;

static void add(struct tor_faults *faults, struct tor_fault_parts parts, char *line) {
  tor_text_clean(line); /* it quotes what others wrote */
  char **text = realloc(faults->text, (size_t)(faults->count + 1) * sizeof *text);
  if (text) faults->text = text;
  struct tor_fault_parts *all = realloc(faults->parts, (size_t)(faults->count + 1) * sizeof *all);
  if (!text || !all) TOR_DIE("out of memory while reporting: %s", line);
  faults->parts = all;
  faults->parts[faults->count] = parts;
  faults->text[faults->count++] = tor_strdup(line);
}

void tor_fault(struct tor_faults *faults, const char *format, ...) {
  char line[2048];
  va_list args;
  va_start(args, format);
  vsnprintf(line, sizeof line, format, args);
  va_end(args);
  add(faults, (struct tor_fault_parts){0}, line);
}

void tor_fault_with(struct tor_faults *faults, struct tor_fault_parts parts, const char *text) {
  char line[2048];
  snprintf(line, sizeof line, "%s", text);
  add(faults, parts, line);
}

void tor_fault_split(const char *body, char **found, char **needed) {
  static const char between[] = ", need ";
  const char *quoted = strncmp(body, "got \"", 5) ? NULL : strstr(body + 5, "\", need "); /* it may contain the words */
  const char *middle = quoted ? quoted + 1 : strstr(body, between);
  *found = *needed = NULL;
  if (!middle) return;
  *needed = tor_strdup(middle + strlen(between));
  if (strncmp(body, "got ", 4) != 0) return;
  *found = tor_strdup(body + 4);
  (*found)[middle - body - 4] = 0;
}

void tor_faults_free(struct tor_faults *faults) {
  for (int i = 0; i < faults->count; i++) {
    const struct tor_fault_parts *p = &faults->parts[i];
    free(p->file), free(p->key), free(p->found), free(p->needed);
    free(faults->text[i]);
  }
  free(faults->text);
  free(faults->parts);
  faults->text = NULL;
  faults->parts = NULL;
  faults->count = 0;
}

static void (*end_all)(int status);

void tor_on_death(void (*end)(int status)) { end_all = end; }

void tor_end(void) {
  if (end_all) end_all(TOR_EXIT_FAILURE);
  exit(TOR_EXIT_FAILURE);
}

void tor_die(const char *file, int line, const char *function, const char *format, ...) {
  const char *name = strrchr(file, '/');
  fflush(stdout);
  fprintf(stderr, "torre: %s:%d (%s): ", name ? name + 1 : file, line, function);
  va_list args;
  va_start(args, format);
  vfprintf(stderr, format, args);
  va_end(args);
  fputc('\n', stderr);
  fflush(stderr);
  tor_end();
}

/* Best effort; failure is harmless. */
static void want_huge_pages(void *p, size_t bytes) {
#ifdef MADV_HUGEPAGE
  madvise(p, bytes, MADV_HUGEPAGE);
#else
  (void)p, (void)bytes;
#endif
}

void *tor_reserve(size_t bytes) {
  const size_t align = bytes < TOR_OWN_PAGES ? 64 : HUGE_PAGE;
  bytes = bytes ? (bytes + align - 1) / align * align : align;
  void *p = aligned_alloc(align, bytes);
  if (p && align == HUGE_PAGE) want_huge_pages(p, bytes);
  return p;
}

void *tor_reserve_zeros(size_t count, size_t size) {
  char *p = calloc(count, size);
  const size_t bytes = count * size, before = p ? (HUGE_PAGE - (uintptr_t)p % HUGE_PAGE) % HUGE_PAGE : 0;
  if (p && bytes >= TOR_OWN_PAGES) want_huge_pages(p + before, (bytes - before) / HUGE_PAGE * HUGE_PAGE);
  return p;
}

void *tor_alloc(size_t count, size_t size, const char *what) {
  if (size && count > (SIZE_MAX - HUGE_PAGE) / size)
    TOR_DIE("%s: %zu x %zu bytes is more than a machine can address", what, count, size);
  size_t bytes = count * size;
  void *p = tor_reserve(bytes);
  if (!p)
    TOR_DIE("%s: no memory for %.3f GB; a smaller domain, larger cells or fewer monitors would fit", what,
            (double)bytes * 1e-9);
  memset(p, 0, bytes);
  return p;
}

void *tor_grow(void *array, size_t count, size_t *capacity, size_t size) {
  if (count <= *capacity) return array;
  size_t wanted = *capacity ? *capacity * 2 : 16;
  if (wanted < count) wanted = count;
  if (wanted > SIZE_MAX / size) TOR_DIE("list of %zu items is too long", wanted);
  void *p = realloc(array, wanted * size);
  if (!p) TOR_DIE("no memory for a list of %zu items", wanted);
  *capacity = wanted;
  return p;
}

char *tor_strdup(const char *text) {
  size_t n = strlen(text) + 1;
  char *copy = malloc(n);
  if (!copy) TOR_DIE("no memory for a string of %zu bytes", n);
  memcpy(copy, text, n);
  return copy;
}
