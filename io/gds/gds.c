/* GDSII stream files: see gds.h. A file is a sequence of records: two bytes of length, high byte first, one of kind,
 * one of the data's type, the data. It is kept as bytes and walked from cell to cell. */
#include "io/gds/gds.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/files/whole_file.h"
#include "src/base/error.h"
#include "src/base/units.h"

enum kind {
  UNITS = 0x03,
  ENDLIB = 0x04,
  BGNSTR = 0x05,
  STRNAME = 0x06,
  ENDSTR = 0x07,
  BOUNDARY = 0x08,
  PATH = 0x09,
  SREF = 0x0A,
  AREF = 0x0B,
  TEXT = 0x0C,
  LAYER = 0x0D,
  DATATYPE = 0x0E,
  WIDTH = 0x0F,
  XY = 0x10,
  ENDEL = 0x11,
  SNAME = 0x12,
  COLROW = 0x13,
  NODE = 0x15,
  STRANS = 0x1A,
  MAG = 0x1B,
  ANGLE = 0x1C,
  PATHTYPE = 0x21,
  BOX = 0x2D,
  BOXTYPE = 0x2E,
  BGNEXTN = 0x30,
  ENDEXTN = 0x31
};

enum { MOST_DEPTH = 64, MOST_OUTLINES = 2000000, MOST_VISITS = 20000000, MOST_BYTES = 1 << 30, CORNERS = 64 };

struct record {
  int kind;
  const uint8_t *data;
  size_t size, at; /* bytes of data; place in the file */
};

struct cell {
  const uint8_t *name;
  size_t length, begin; /* of the name; place of the record behind it */
  int is_used;          /* another refers to it */
};

/* An element as it is read. */
struct element {
  int kind, layer, type, path_type, columns, rows, reflected, absolute;
  int32_t width, extension[2];
  double mag, angle; /* [rad] */
  const uint8_t *name, *xy;
  size_t length, points; /* of the name; of xy */
};

/* What an instance does to points: matrix p + by. */
struct placed {
  double matrix[2][2], by[2], mag;
};

struct reader {
  char *bytes;
  const uint8_t *data; /* the same */
  size_t size;
  double unit; /* [m] */
  struct cell *cell;
  int ncells;
  size_t cells, outlines; /* capacities */
  int layer, type;
  long visits;
  struct tor_gds *gds;
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

/* --- Values --- */

static int int16_at(const uint8_t *d) { return (int16_t)(uint16_t)(d[0] << 8 | d[1]); }
static int32_t int32_at(const uint8_t *d) {
  return (int32_t)((uint32_t)d[0] << 24 | (uint32_t)d[1] << 16 | (uint32_t)d[2] << 8 | d[3]);
}

/* Eight bytes: sign, exponent of 16 in excess of 64, a fraction of 56 bits. */
static double real_at(const uint8_t *d) {
  uint64_t fraction = 0;
  for (int i = 1; i < 8; i++) fraction = fraction << 8 | d[i];
  const double value = ldexp((double)fraction, 4 * ((d[0] & 0x7f) - 64) - 56);
  return d[0] & 0x80 ? -value : value;
}

/* The record at `*at`, which becomes the place behind it. Returns -1 where there is none. */
static int next_record(const struct reader *r, size_t *at, struct record *record) {
  if (*at + 4 > r->size) return fail(r, "it ends at byte %zu without ENDLIB", r->size);
  const uint8_t *d = r->data + *at;
  const size_t length = (size_t)(d[0] << 8 | d[1]);
  if (length < 4 || length % 2 || *at + length > r->size)
    return fail(r, "the record at byte %zu has a length of %zu bytes", *at, length);
  *record = (struct record){d[2], d + 4, length - 4, *at};
  *at += length;
  return 0;
}

/* Whether a record has so many bytes at least. */
static int has(const struct reader *r, const struct record *record, size_t bytes) {
  if (record->size >= bytes) return 1;
  fail(r, "the record at byte %zu (kind %d) has %zu bytes of data, need %zu", record->at, record->kind, record->size,
       bytes);
  return 0;
}

static size_t text_length(const struct record *record) {
  size_t n = record->size;
  while (n && !record->data[n - 1]) n--;
  return n;
}

/* --- Elements --- */

static int set_short(const struct reader *r, const struct record *record, int *to) {
  if (!has(r, record, 2)) return -1;
  *to = int16_at(record->data);
  return 0;
}

static int set_member(const struct reader *r, const struct record *record, struct element *e) {
  switch (record->kind) {
  case LAYER: return set_short(r, record, &e->layer);
  case DATATYPE:
  case BOXTYPE: return set_short(r, record, &e->type);
  case PATHTYPE: return set_short(r, record, &e->path_type);
  case WIDTH:
    if (!has(r, record, 4)) return -1;
    e->width = int32_at(record->data);
    return 0;
  case BGNEXTN:
  case ENDEXTN:
    if (!has(r, record, 4)) return -1;
    e->extension[record->kind == ENDEXTN] = int32_at(record->data);
    return 0;
  case XY:
    e->xy = record->data;
    e->points = record->size / 8;
    return 0;
  case SNAME:
    e->name = record->data;
    e->length = text_length(record);
    return 0;
  case COLROW:
    if (!has(r, record, 4)) return -1;
    e->columns = int16_at(record->data);
    e->rows = int16_at(record->data + 2);
    return 0;
  case STRANS:
    if (!has(r, record, 2)) return -1;
    e->reflected = record->data[0] >> 7;
    e->absolute = record->data[1] & 6;
    return 0;
  case MAG:
    if (!has(r, record, 8)) return -1;
    e->mag = real_at(record->data);
    return 0;
  case ANGLE:
    if (!has(r, record, 8)) return -1;
    e->angle = real_at(record->data) * TOR_PI / 180;
    return 0;
  default: return 0; /* properties and the like */
  }
}

static int is_element(int kind) { return (kind >= BOUNDARY && kind <= TEXT) || kind == NODE || kind == BOX; }

/* The next element of a cell from *at on. Returns 1; 0 at the cell's end; -1. */
static int next_element(const struct reader *r, size_t *at, struct element *e) {
  struct record record = {0};
  *e = (struct element){.mag = 1};
  do { /* past what is no element */
    if (next_record(r, at, &record)) return -1;
    if (record.kind == ENDSTR) return 0;
    if (record.kind == ENDLIB || record.kind == BGNSTR)
      return fail(r, "the cell before byte %zu has no end", record.at);
  } while (!is_element(record.kind));
  const size_t begin = record.at;
  e->kind = record.kind;
  do {
    if (next_record(r, at, &record) || set_member(r, &record, e)) return -1;
    if (record.kind == ENDLIB || record.kind == ENDSTR || record.kind == BGNSTR)
      return fail(r, "the element at byte %zu has no end", begin);
  } while (record.kind != ENDEL);
  if (!(e->mag > 0 && e->mag < 1e6 && fabs(e->angle) < 1e6) || e->absolute)
    return fail(r, "the reference at byte %zu has a magnification or angle that is not supported", begin);
  return 1;
}

static void point_at(const struct element *e, size_t i, const struct placed *p, double unit, double made[2]) {
  const double x[2] = {unit * int32_at(e->xy + 8 * i), unit * int32_at(e->xy + 8 * i + 4)};
  for (int a = 0; a < 2; a++) made[a] = p->matrix[a][0] * x[0] + p->matrix[a][1] * x[1] + p->by[a];
}

/* --- Outlines --- */

static struct tor_gds_outline *add_outline(struct reader *r, size_t points, double width) {
  struct tor_gds *gds = r->gds;
  gds->outline = tor_grow(gds->outline, (size_t)gds->count + 1, &r->outlines, sizeof *gds->outline);
  struct tor_gds_outline *o = &gds->outline[gds->count++];
  *o = (struct tor_gds_outline){(int)points, tor_alloc(points, sizeof *o->point, "layout"), width};
  return o;
}

static int add_polygon(struct reader *r, const struct element *e, const struct placed *p) {
  size_t n = e->points;
  if (n > 1 && !memcmp(e->xy, e->xy + 8 * (n - 1), 8)) n--; /* closed */
  if (n < 3) return 0;                                      /* without area */
  struct tor_gds_outline *o = add_outline(r, n, 0);
  for (size_t i = 0; i < n; i++) point_at(e, i, p, r->unit, o->point[i]);
  return 0;
}

static void add_disc(struct reader *r, const double center[2], double radius) {
  struct tor_gds_outline *o = add_outline(r, CORNERS, 0);
  for (int i = 0; i < CORNERS; i++) {
    const double angle = 2 * TOR_PI * (i + 0.5) / CORNERS;
    o->point[i][0] = center[0] + radius * cos(angle);
    o->point[i][1] = center[1] + radius * sin(angle);
  }
}

static int add_path(struct reader *r, const struct element *e, const struct placed *p) {
  const double width = e->width < 0 ? -r->unit * e->width : r->unit * e->width * p->mag;
  double ends[2] = {0};
  if (e->points < 2 || !(width > 0)) return 0;
  for (int end = 0; end < 2; end++)
    ends[end] = e->path_type == 2 ? 0.5 * width : e->path_type == 4 ? r->unit * e->extension[end] * p->mag : 0;
  struct tor_gds_outline *o = add_outline(r, e->points, width);
  int n = 0;
  for (size_t i = 0; i < e->points; i++) {
    point_at(e, i, p, r->unit, o->point[n]);
    if (!n || o->point[n][0] != o->point[n - 1][0] || o->point[n][1] != o->point[n - 1][1]) n++;
  }
  o->count = n;
  if (n < 2) {
    free(o->point);
    r->gds->count--;
    return 0;
  }
  for (int end = 0; end < 2; end++) {
    double *tip = o->point[end ? n - 1 : 0];
    const double *inner = o->point[end ? n - 2 : 1], length = hypot(tip[0] - inner[0], tip[1] - inner[1]);
    for (int a = 0; a < 2; a++) tip[a] += (tip[a] - inner[a]) / length * ends[end];
  }
  if (e->path_type != 1) return 0;
  const double tips[2][2] = {{o->point[0][0], o->point[0][1]}, {o->point[n - 1][0], o->point[n - 1][1]}};
  for (int end = 0; end < 2; end++) add_disc(r, tips[end], 0.5 * width);
  return 0;
}

/* --- Cells --- */

static struct cell *find_cell(const struct reader *r, const uint8_t *name, size_t length) {
  for (int i = 0; i < r->ncells; i++)
    if (r->cell[i].length == length && !memcmp(r->cell[i].name, name, length)) return &r->cell[i];
  return NULL;
}

static int place_cell(struct reader *r, const struct cell *cell, const struct placed *p, int depth);

static int place_reference(struct reader *r, const struct element *e, const struct placed *p, int depth) {
  const struct cell *cell = e->name ? find_cell(r, e->name, e->length) : NULL;
  const int array = e->kind == AREF, columns = array ? e->columns : 1, rows = array ? e->rows : 1;
  if (!cell)
    return fail(r, "a cell \"%.*s\" is referred to, but there is none", (int)e->length,
                e->name ? (const char *)e->name : "");
  if (e->points < (array ? 3u : 1u) || columns < 1 || rows < 1)
    return fail(r, "a reference to \"%.*s\" has no place", (int)e->length, (const char *)e->name);
  const double c = e->mag * cos(e->angle), s = e->mag * sin(e->angle), flip = e->reflected ? -1 : 1;
  const double own[2][2] = {{c, -s * flip}, {s, c * flip}};
  struct placed here = {.mag = p->mag * e->mag};
  double origin[2], end[2][2];
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) here.matrix[i][j] = p->matrix[i][0] * own[0][j] + p->matrix[i][1] * own[1][j];
  point_at(e, 0, p, r->unit, origin);
  for (int k = 0; k < 2; k++) point_at(e, array ? (size_t)k + 1 : 0, p, r->unit, end[k]);
  for (int row = 0; row < rows; row++)
    for (int column = 0; column < columns; column++) {
      for (int a = 0; a < 2; a++)
        here.by[a] = origin[a] + (end[0][a] - origin[a]) * column / columns + (end[1][a] - origin[a]) * row / rows;
      if (place_cell(r, cell, &here, depth + 1)) return -1;
    }
  return 0;
}

static int place_cell(struct reader *r, const struct cell *cell, const struct placed *p, int depth) {
  struct element e;
  size_t at = cell->begin;
  int more;
  if (++r->visits > MOST_VISITS) return fail(r, "its cells have too many elements");
  if (depth > MOST_DEPTH) return fail(r, "cells refer to each other more than %d deep", MOST_DEPTH);
  while ((more = next_element(r, &at, &e)) > 0) {
    int bad = 0;
    if (++r->visits > MOST_VISITS || r->gds->count > MOST_OUTLINES) return fail(r, "its cells have too many elements");
    const int wanted = e.layer == r->layer && (r->type < 0 || e.type == r->type);
    if (e.kind == SREF || e.kind == AREF) bad = place_reference(r, &e, p, depth);
    if ((e.kind == BOUNDARY || e.kind == BOX) && wanted) bad = add_polygon(r, &e, p);
    if (e.kind == PATH && wanted) bad = add_path(r, &e, p);
    if (bad) return -1;
  }
  return more;
}

/* Lists the cells, reads the unit. */
static int find_cells(struct reader *r) {
  struct record record = {0};
  for (size_t at = 0; record.kind != ENDLIB;) {
    if (next_record(r, &at, &record)) return -1;
    if (record.kind == UNITS) {
      if (!has(r, &record, 16)) return -1;
      r->unit = real_at(record.data + 8);
    }
    if (record.kind != STRNAME) continue;
    r->cell = tor_grow(r->cell, (size_t)r->ncells + 1, &r->cells, sizeof *r->cell);
    r->cell[r->ncells++] = (struct cell){record.data, text_length(&record), at, 0};
  }
  if (!(r->unit > 1e-15 && r->unit < 1)) return fail(r, "its database unit is %g m", r->unit);
  return r->ncells ? 0 : fail(r, "it has no cells");
}

static int mark_used(struct reader *r) {
  for (int i = 0; i < r->ncells; i++) {
    struct element e;
    size_t at = r->cell[i].begin;
    int more;
    while ((more = next_element(r, &at, &e)) > 0) {
      struct cell *other = e.name ? find_cell(r, e.name, e.length) : NULL;
      if (other) other->is_used = 1;
    }
    if (more < 0) return -1;
  }
  return 0;
}

/* The cell of that name, or the only one that is not used by another; NULL with the reason. */
static const struct cell *wanted_cell(struct reader *r, const char *name) {
  const struct cell *found = name ? find_cell(r, (const uint8_t *)name, strlen(name)) : NULL;
  int top = 0;
  if (found) return found;
  if (mark_used(r)) return NULL;
  char list[160] = "";
  for (int i = 0; i < r->ncells; i++) {
    const struct cell *c = &r->cell[i];
    if (c->is_used) continue;
    const size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, "%s\"%.*s\"", top ? ", " : "", (int)c->length, (const char *)c->name);
    top++;
    found = c;
  }
  if (!name && top == 1) return found;
  if (name)
    fail(r, "it has no cell \"%s\"; its top cells are %s", name, list);
  else
    fail(r, "it has %d top cells, need the name of one: %s", top, list);
  return NULL;
}

/* --- The file --- */

static int load(struct reader *r, const char *path) {
  const enum tor_whole_file found = tor_whole_file_read(path, MOST_BYTES, &r->bytes, &r->size);
  r->data = (const uint8_t *)r->bytes;
  if (found == TOR_WHOLE_LARGE) return fail(r, "it has more than %d bytes", MOST_BYTES);
  if (found != TOR_WHOLE_READ) return fail(r, "it cannot be read");
  if (r->size < 6 || r->data[2] != 0 || r->data[3] != 2) return fail(r, "it is no GDSII stream");
  return 0;
}

int tor_gds_read(const char *path, const char *cell, int layer, int datatype, struct tor_gds *gds, char *why,
                 size_t size) {
  struct reader r = {.layer = layer, .type = datatype, .gds = gds, .why = why, .why_size = size};
  const struct placed whole = {.matrix = {{1, 0}, {0, 1}}, .mag = 1};
  *gds = (struct tor_gds){0};
  int bad = load(&r, path) || find_cells(&r);
  const struct cell *top = bad ? NULL : wanted_cell(&r, cell);
  bad = !top || place_cell(&r, top, &whole, 0);
  if (!bad && !gds->count) bad = fail(&r, "the cell has nothing on layer %d with that datatype", layer);
  free(r.bytes);
  free(r.cell);
  if (bad) tor_gds_free(gds);
  return bad ? -1 : 0;
}

void tor_gds_free(struct tor_gds *gds) {
  for (int i = 0; i < gds->count; i++) free(gds->outline[i].point);
  free(gds->outline);
  *gds = (struct tor_gds){0};
}
