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

/* The part of a text from `mark` on, without it, to be freed; NULL: there is none. */
static char *part_from(const char *text, char mark) {
  const char *from = strchr(text, mark);
  if (!from) return NULL;
  char *part = tor_strdup(from + 1), *to = part;
  const size_t length = strcspn(part, "\3");
  for (size_t i = 0; i < length; i++)
    if (part[i] != '\1' && part[i] != '\2') *to++ = part[i];
  *to = 0;
  return part;
}

void tor_fault_split(char *text, char **found, char **needed) {
  if (found) *found = part_from(text, '\1');
  if (needed) *needed = part_from(text, '\2');
  char *to = text;
  for (const char *from = text; *from; from++)
    if (*from < '\1' || *from > '\3') *to++ = *from;
  *to = 0;
}

void tor_place_text(const struct tor_place *p, char *text, size_t size) {
  char line[24] = "";
  const int repeats = p->set && p->key && !strcmp(p->set, p->key);
  const char *key = p->key && *p->key && !repeats ? p->key : NULL;
  if (p->line) snprintf(line, sizeof line, ":%ld", p->line);
  snprintf(text, size, "%s%s%s%s%s%s%s%s", p->set ? "--set " : "",
           p->set    ? p->set
           : p->file ? p->file
                     : "",
           line, key ? ": " : "", key ? key : "", p->name ? " (" : "", p->name ? p->name : "", p->name ? ")" : "");
}

static char *copy(const char *text) { return text && *text ? tor_strdup(text) : NULL; }

struct tor_fault tor_fault_make(const struct tor_place *place, const char *format, va_list args) {
  char text[2048] = "";
  struct tor_fault fault = {0};
  if (place) {
    const size_t room = sizeof text - sizeof ": ";
    tor_place_text(place, text, room);
    memcpy(text + strlen(text), ": ", sizeof ": ");
    fault = (struct tor_fault){
        .file = copy(place->file), .line = place->line, .key = copy(place->key), .name = copy(place->name)};
  }
  const size_t used = strlen(text);
  vsnprintf(text + used, sizeof text - used, format, args);
  tor_fault_split(text + used, &fault.found, &fault.needed);
  tor_text_clean(text); /* it quotes what others wrote */
  fault.text = tor_strdup(text);
  return fault;
}

void tor_fault_free(struct tor_fault *f) {
  free(f->file), free(f->key), free(f->name), free(f->found), free(f->needed), free(f->text);
  *f = (struct tor_fault){0};
}

void tor_fault_add(struct tor_faults *faults, struct tor_fault fault) {
  struct tor_fault *item = realloc(faults->item, (size_t)(faults->count + 1) * sizeof *item);
  if (!item) TOR_DIE("out of memory while reporting: %s", fault.text);
  faults->item = item;
  faults->item[faults->count++] = fault;
}

void tor_fault_at(struct tor_faults *faults, const struct tor_place *place, const char *format, ...) {
  va_list args;
  va_start(args, format);
  tor_fault_add(faults, tor_fault_make(place, format, args));
  va_end(args);
}

void tor_fault(struct tor_faults *faults, const char *format, ...) {
  va_list args;
  va_start(args, format);
  tor_fault_add(faults, tor_fault_make(NULL, format, args));
  va_end(args);
}

void tor_faults_move(struct tor_faults *faults, struct tor_faults *from, const char *label) {
  for (int i = 0; i < from->count; i++) {
    struct tor_fault fault = from->item[i];
    char text[2304];
    snprintf(text, sizeof text, "%s: %s", label, fault.text);
    free(fault.text);
    fault.text = tor_strdup(text);
    tor_fault_add(faults, fault);
  }
  from->count = 0;
  tor_faults_free(from);
}

void tor_faults_free(struct tor_faults *faults) {
  for (int i = 0; i < faults->count; i++) tor_fault_free(&faults->item[i]);
  free(faults->item);
  faults->item = NULL;
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
