/* Names, ranges and layouts of the engines of classic.h; what they move and need. */
#include "diamond/classic/classic.h"

#include "src/base/types.h"

#include <string.h>

static const char *const names[TOR_CLASSIC_NENGINES] = {
    [TOR_CLASSIC_NAIVE] = "naive",
    [TOR_CLASSIC_NAIVE_OMP] = "naive-omp",
    [TOR_CLASSIC_TAKADA_SHARED] = "takada-shared",
    [TOR_CLASSIC_TAKADA_PLAIN] = "takada-plain",
    [TOR_CLASSIC_DEMIR_XYZ] = "demir-xyz",
    [TOR_CLASSIC_DEMIR_XY] = "demir-xy",
    [TOR_CLASSIC_GIRAUD_1] = "giraud-1",
    [TOR_CLASSIC_GIRAUD_2] = "giraud-2",
    [TOR_CLASSIC_GIRAUD_3] = "giraud-3",
};

const char *tor_classic_name(enum tor_classic_engine engine) {
  return engine < TOR_CLASSIC_NENGINES ? names[engine] : NULL;
}

enum tor_classic_engine tor_classic_find(const char *name) {
  int e = 0;
  while (e < TOR_CLASSIC_NENGINES && strcmp(name, names[e])) e++;
  return (enum tor_classic_engine)e;
}

int tor_classic_on_gpu(enum tor_classic_engine engine) { return engine > TOR_CLASSIC_NAIVE_OMP; }

static int is_takada(enum tor_classic_engine e) {
  return e == TOR_CLASSIC_TAKADA_SHARED || e == TOR_CLASSIC_TAKADA_PLAIN;
}
static int is_demir(enum tor_classic_engine e) { return e == TOR_CLASSIC_DEMIR_XYZ || e == TOR_CLASSIC_DEMIR_XY; }

int tor_classic_takes(enum tor_classic_engine engine, enum tor_classic_scheme scheme) {
  if (!tor_classic_on_gpu(engine)) return 1;
  if (is_takada(engine)) return scheme == TOR_CLASSIC_TM || scheme == TOR_CLASSIC_TE;
  return scheme == (is_demir(engine) ? TOR_CLASSIC_MEDIA : TOR_CLASSIC_UNIFORM);
}

int tor_classic_has(enum tor_classic_scheme scheme, int comp) {
  static const unsigned some[] = {[TOR_CLASSIC_TM] = 1u << TOR_HX | 1u << TOR_HY | 1u << TOR_EZ,
                                  [TOR_CLASSIC_TE] = 1u << TOR_EX | 1u << TOR_EY | 1u << TOR_HZ,
                                  [TOR_CLASSIC_UNIFORM] = ~0u,
                                  [TOR_CLASSIC_MEDIA] = ~0u};
  return (int)(some[scheme] >> comp & 1);
}

void tor_classic_range(const struct tor_classic_case *c, int comp, int first[3], int last[3]) {
  for (int a = 0; a < 3; a++) {
    const int half = (a == tor_comp_axis(comp)) != tor_comp_is_h(comp);
    first[a] = half ? 0 : 1;
    last[a] = c->n[a] - (half || !c->open);
    if (a == TOR_Z && !c->n[a]) first[a] = last[a] = 0;
  }
}

static int whole(int value, int part) { return (value + part - 1) / part * part; }

/* Giraud's H stands half a cell below E: in his arrays, with a border, each component lies one place further along the
 * axes where it stands at a half. */
static void giraud_layout(const struct tor_classic_case *c, struct tor_classic_layout *l) {
  l->pitch = c->n[0] + 2;
  l->plane = l->pitch * (c->n[1] + 2);
  l->values = l->plane * (c->n[2] + 2);
  for (int comp = 0; comp < TOR_NCOMP; comp++) {
    const tor_gidx stride[3] = {1, l->pitch, l->plane};
    l->shift[comp] = 0;
    for (int a = 0; a < 3; a++)
      if ((a == tor_comp_axis(comp)) != tor_comp_is_h(comp)) l->shift[comp] += stride[a];
  }
}

void tor_classic_layout_make(const struct tor_classic_case *c, const struct tor_classic_launch *launch,
                             struct tor_classic_layout *l) {
  enum { ALIGNED = 32, PADDED = 16 };
  if (is_takada(launch->engine)) { /* a row and a few values of zeros at both ends */
    l->pitch = whole(c->n[0] + 1, PADDED);
    l->plane = 0;
    for (int comp = 0; comp < TOR_NCOMP; comp++) l->shift[comp] = l->pitch;
    l->values = l->pitch * (c->n[1] + 3) + ALIGNED;
  } else if (is_demir(launch->engine)) { /* neighbours of padded cells are read in front of and behind the planes */
    l->pitch = whole(c->n[0] + 1, PADDED);
    l->plane = l->pitch * whole(c->n[1] + 1, PADDED);
    for (int comp = 0; comp < TOR_NCOMP; comp++) l->shift[comp] = l->plane + ALIGNED;
    l->values = l->shift[0] + l->plane * (c->n[2] + 1) + l->pitch + 2 * launch->block[0] + ALIGNED;
  } else
    giraud_layout(c, l);
}

void tor_classic_defaults(struct tor_classic_launch *launch, const struct tor_classic_case *c) {
  static const int block[TOR_CLASSIC_NENGINES][2] = {
      [TOR_CLASSIC_TAKADA_SHARED] = {32, 4}, [TOR_CLASSIC_TAKADA_PLAIN] = {64, 4}, [TOR_CLASSIC_DEMIR_XYZ] = {64, 1},
      [TOR_CLASSIC_DEMIR_XY] = {128, 1},     [TOR_CLASSIC_GIRAUD_1] = {16, 16},    [TOR_CLASSIC_GIRAUD_2] = {16, 16},
      [TOR_CLASSIC_GIRAUD_3] = {256, 1}};
  const int along_i = (launch->variant & (TOR_CLASSIC_CUBE | TOR_CLASSIC_ALONG_I)) != 0;
  if (!launch->block[0]) memcpy(launch->block, block[launch->engine], sizeof launch->block);
  if (along_i && launch->block[0] == 16 && launch->block[1] == 16) {
    launch->block[0] = 32;
    launch->block[1] = launch->variant & TOR_CLASSIC_CUBE ? 2 : 8;
  }
  if (launch->engine == TOR_CLASSIC_GIRAUD_3 && launch->block[0] > c->n[0]) launch->block[0] = whole(c->n[0], 32);
  if (!launch->block[1]) launch->block[1] = 1;
  if (!launch->chunk) launch->chunk = 1;
  if (!launch->halves) launch->halves = 3;
  if (!launch->threads) launch->threads = 1;
}

double tor_classic_memory(const struct tor_classic_case *c, const struct tor_classic_launch *launch) {
  struct tor_classic_layout l;
  tor_classic_layout_make(c, launch, &l);
  const int words = c->n[2] ? 6 : 3;
  const double coefficients = !is_demir(launch->engine)             ? 0
                              : launch->variant & TOR_CLASSIC_INDEX ? 6
                              : c->rule == TOR_CLASSIC_TORRE        ? 12.0 * c->precision
                                                                    : 18.0 * c->precision;
  return (double)l.values * (words * (double)c->precision + coefficients);
}

static void demir_bytes(const struct tor_classic_case *c, const struct tor_classic_launch *launch, double *least,
                        double *no_cache) {
  const double word = c->precision, index = launch->variant & TOR_CLASSIC_INDEX;
  const double coefficients = index ? 6 : (c->rule == TOR_CLASSIC_TORRE ? 12 : 18) * word;
  *least = 18 * word + coefficients;
  /* The neighbours along y and z are read where they are; 16 values more a block and tile; xy keeps those along z. */
  *no_cache = *least + ((launch->engine == TOR_CLASSIC_DEMIR_XY ? 4 : 8) + 64.0 / launch->block[0]) * word;
}

static void bytes_of_step(const struct tor_classic_case *c, const struct tor_classic_launch *launch, double *least,
                          double *no_cache) {
  enum { SECTOR = 32, ACCESSES = 30, WITH_TILE = 22 };
  const double word = c->precision;
  if (c->scheme == TOR_CLASSIC_MEDIA) {
    struct tor_classic_launch l = *launch;
    if (!is_demir(l.engine)) l.variant = TOR_CLASSIC_INDEX; /* the CPU's loops */
    if (!l.block[0]) l.block[0] = 1;
    demir_bytes(c, &l, least, no_cache);
    return;
  }
  *least = *no_cache = (c->n[2] ? 18 : 9) * word;
  if (launch->engine == TOR_CLASSIC_TAKADA_PLAIN) *no_cache = 13 * word;
  if (launch->engine == TOR_CLASSIC_TAKADA_SHARED)
    *no_cache = 9 * word + 2.0 * SECTOR / launch->block[0] + 2 * word / launch->block[1];
  if (launch->engine >= TOR_CLASSIC_GIRAUD_1) {
    const int apart = launch->engine == TOR_CLASSIC_GIRAUD_3                       ? launch->chunk
                      : launch->variant & (TOR_CLASSIC_ALONG_I | TOR_CLASSIC_CUBE) ? 1
                                                                                   : SECTOR;
    const double access = apart * word < SECTOR ? apart * word : SECTOR;
    *no_cache = (launch->variant & TOR_CLASSIC_SHARED ? WITH_TILE : ACCESSES) * access;
  }
}

void tor_classic_bytes(const struct tor_classic_case *c, const struct tor_classic_launch *launch, double *least,
                       double *no_cache) {
  bytes_of_step(c, launch, least, no_cache);
  if (launch->halves != 1 && launch->halves != 2) return;
  /* One kernel of the two: in 2-D that from one component to two moves 5 of the 9 words. */
  const int to_two = (c->scheme == TOR_CLASSIC_TM) == (launch->halves == 1);
  const double part = c->n[2] ? 0.5 : to_two ? 5.0 / 9 : 4.0 / 9;
  *least *= part;
  *no_cache *= part;
}

void tor_classic_run(const struct tor_classic_case *c, void *const field[TOR_NCOMP], int first, int steps, int halves,
                     int threads) {
  (c->precision == TOR_F32 ? tor_classic_run_f32 : tor_classic_run_f64)(c, field, first, steps, halves, threads);
}
