/* STL files: see stl.h. Binary: 80 bytes, a count, 50 bytes a face, low byte first. ASCII: lines of words. */
#include "io/stl/stl.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "io/files/whole_file.h"
#include "src/base/error.h"

enum { MOST_FACES = 10000000, HEADER = 84, RECORD = 50, NORMAL = 12 };
static const size_t MOST_BYTES = (size_t)4 << 30;

struct reader {
  char *data; /* [size], then a zero */
  size_t size;
  float (*corner)[3]; /* [3 nface] */
  size_t nface, capacity;
  char *why;
  size_t why_size;
};

static int fail(const struct reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
static int fail(const struct reader *r, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(r->why, r->why_size, format, arguments);
  va_end(arguments);
  return -1;
}

static int load(struct reader *r, const char *path) {
  switch (tor_whole_file_read(path, MOST_BYTES, &r->data, &r->size)) {
  case TOR_WHOLE_READ: return 0;
  case TOR_WHOLE_CLOSED: return fail(r, "it cannot be read: %s", strerror(errno));
  case TOR_WHOLE_FOLDER: return fail(r, "it is a folder, need a file");
  case TOR_WHOLE_NO_FILE: return fail(r, "it is not a regular file");
  case TOR_WHOLE_LARGE: return fail(r, "it has %zu bytes, need at most %zu", r->size, MOST_BYTES);
  default: return fail(r, "it cannot be read");
  }
}

/* --- Binary --- */

static uint32_t uint32_at(const char *at) {
  const unsigned char *d = (const unsigned char *)at;
  return (uint32_t)d[0] | (uint32_t)d[1] << 8 | (uint32_t)d[2] << 16 | (uint32_t)d[3] << 24;
}

static float float_at(const char *at) {
  const uint32_t bits = uint32_at(at);
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static int read_binary(struct reader *r) {
  const uint32_t faces = uint32_at(r->data + HEADER - 4);
  const double needed = HEADER + (double)RECORD * faces;
  if ((double)r->size != needed)
    return fail(r, "its header counts %u faces, which need %.0f bytes, but it has %zu", (unsigned)faces, needed,
                r->size);
  if (faces > MOST_FACES) return fail(r, "it has %u faces, need at most %d", (unsigned)faces, MOST_FACES);
  r->nface = faces;
  r->corner = tor_alloc(3 * r->nface + 1, sizeof *r->corner, "STL");
  for (size_t f = 0; f < r->nface; f++)
    for (size_t i = 0; i < 9; i++) {
      const float value = float_at(r->data + HEADER + RECORD * f + NORMAL + 4 * i);
      if (!isfinite(value)) return fail(r, "face %zu has a coordinate that is not a finite number", f);
      r->corner[3 * f + i / 3][i % 3] = value;
    }
  return 0;
}

/* --- ASCII --- */

/* Where a line of words is. */
struct line {
  const char *at;
  size_t number;
};

/* Whether the line begins with a word; *rest is what follows it. */
static int begins(const char *line, const char *word, const char **rest) {
  const size_t length = strlen(word);
  if (strncasecmp(line, word, length) || (line[length] && !isspace((unsigned char)line[length]))) return 0;
  *rest = line + length;
  return 1;
}

static int read_vertex(const struct reader *r, const struct line *l, const char *rest, float corner[3]) {
  for (int a = 0; a < 3; a++) {
    char *end;
    const char *from = rest + strspn(rest, " \t");
    const double value = strtod(from, &end);
    if (end == from || *from == '\n' || *from == '\r')
      return fail(r, "line %zu: a vertex needs three numbers", l->number);
    if (!(fabs(value) <= 3.4e38)) return fail(r, "line %zu: a coordinate is not a finite number", l->number);
    corner[a] = (float)value;
    rest = end;
  }
  return 0;
}

/* One line; `corners` counts those of the face so far, -1 outside of faces. Returns 1 at the end of a solid. */
static int read_line(struct reader *r, const struct line *l, int *corners) {
  const char *word = l->at + strspn(l->at, " \t\r"), *rest;
  if (!*word || *word == '\n') return 0;
  if (begins(word, "vertex", &rest)) {
    if (*corners < 0 || *corners > 2) return fail(r, "line %zu: a vertex that is none of three of a face", l->number);
    r->corner = tor_grow(r->corner, 3 * r->nface + 3, &r->capacity, sizeof *r->corner);
    return read_vertex(r, l, rest, r->corner[3 * r->nface + (size_t)(*corners)++]);
  }
  if (begins(word, "facet", &rest)) {
    if (*corners >= 0) return fail(r, "line %zu: a face begins in a face", l->number);
    if (r->nface == MOST_FACES) return fail(r, "it has more than %d faces", MOST_FACES);
    *corners = 0;
    return 0;
  }
  if (begins(word, "endfacet", &rest)) {
    if (*corners != 3) return fail(r, "line %zu: a face ends with %d vertices", l->number, *corners < 0 ? 0 : *corners);
    r->nface++;
    *corners = -1;
    return 0;
  }
  if (begins(word, "endsolid", &rest))
    return *corners < 0 ? 1 : fail(r, "line %zu: the solid ends in a face", l->number);
  if (begins(word, "solid", &rest) || begins(word, "outer", &rest) || begins(word, "endloop", &rest)) return 0;
  return fail(r, "line %zu is none of an STL file", l->number);
}

static int read_ascii(struct reader *r) {
  struct line l = {r->data, 0};
  int corners = -1, ended = 0;
  for (const char *next = l.at; next; l.at = next) {
    next = strchr(l.at, '\n');
    if (next) next++;
    l.number++;
    const int got = read_line(r, &l, &corners);
    if (got < 0) return -1;
    ended |= got;
  }
  return ended && corners < 0 ? 0 : fail(r, "it ends without endsolid");
}

/* --- Vertices --- */

/* A place in a table of powers of two from three numbers. */
static size_t place_of(const float c[3], size_t places) {
  uint32_t bits[3];
  uint64_t hash = 0;
  memcpy(bits, c, sizeof bits);
  for (int a = 0; a < 3; a++) hash = (hash ^ bits[a]) * 0x9E3779B97F4A7C15u, hash ^= hash >> 29;
  return (size_t)hash & (places - 1);
}

/* One vertex for all corners at the same place. */
static void join(struct reader *r, struct tor_stl *stl) {
  size_t places = 16;
  while (places < 4 * r->nface) places *= 2;
  int *table = tor_alloc(places, sizeof *table, "STL"), vertex[3]; /* 1 + the vertex; 0: none */
  stl->face = tor_alloc(r->nface + 1, sizeof *stl->face, "STL");
  for (size_t f = 0; f < r->nface; f++) {
    for (int i = 0; i < 3; i++) {
      float *c = r->corner[3 * f + (size_t)i];
      for (int a = 0; a < 3; a++) c[a] += 0.0f; /* no -0 */
      size_t at = place_of(c, places);
      while (table[at] && memcmp(r->corner[table[at] - 1], c, sizeof *r->corner) != 0) at = (at + 1) & (places - 1);
      if (!table[at]) { /* vertices take the place of corners that were read */
        memmove(r->corner[stl->nvertex], c, sizeof *r->corner);
        table[at] = ++stl->nvertex;
      }
      vertex[i] = table[at] - 1;
    }
    if (vertex[0] == vertex[1] || vertex[1] == vertex[2] || vertex[2] == vertex[0]) continue;
    memcpy(stl->face[stl->nface++], vertex, sizeof vertex);
  }
  stl->vertex = r->corner;
  r->corner = NULL;
  free(table);
}

int tor_stl_read(const char *path, struct tor_stl *stl, char *why, size_t size) {
  struct reader r = {.why = why, .why_size = size};
  *stl = (struct tor_stl){0};
  int bad = load(&r, path);
  const int is_sized = !bad && r.size >= HEADER && (double)r.size == HEADER + (double)RECORD * uint32_at(r.data + 80);
  const int is_text =
      !bad && !is_sized && !memchr(r.data, 0, r.size) && !strncasecmp(r.data + strspn(r.data, " \t\r\n"), "solid", 5);
  if (!bad && !is_text && r.size < HEADER)
    bad = fail(&r, r.size ? "it is no STL file" : "it is empty");
  else if (!bad)
    bad = is_text ? read_ascii(&r) : read_binary(&r);
  if (!bad && !r.nface) bad = fail(&r, "it has no faces");
  if (!bad) join(&r, stl);
  free(r.data);
  free(r.corner);
  if (!bad && !stl->nface) {
    tor_stl_free(stl);
    bad = fail(&r, "none of its faces has three different corners");
  }
  return bad;
}

void tor_stl_free(struct tor_stl *stl) {
  free(stl->vertex);
  free(stl->face);
  *stl = (struct tor_stl){0};
}
