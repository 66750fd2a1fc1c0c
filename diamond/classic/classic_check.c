/* What an engine cannot run: see classic.h. */
#include <stdint.h>

#include "diamond/classic/classic.h"
#include "diamond/classic/classic_dts1.h"
#include "src/base/error.h"
#include "src/base/types.h"

enum { MOST_THREADS = 1024, MOST_SHARED = 48 << 10, MOST_GRID = 65535, WARP = 32 };

static void check_numbers(const struct tor_classic_case *c, struct tor_faults *faults) {
  const int plane = c->scheme == TOR_CLASSIC_TM || c->scheme == TOR_CLASSIC_TE;
  for (int a = 0; a < 3 - plane; a++)
    if (c->n[a] < 2 || c->n[a] > 1 << 20)
      tor_fault(faults, "--cells: got " TOR_FOUND("%d along %c") ", need " TOR_NEEDED("2 to %d"), c->n[a], "xyz"[a],
                1 << 20);
  for (int a = 0; c->value && a < 3 - plane; a++)
    if (c->place[a] < 1 || c->place[a] >= c->n[a])
      tor_fault(faults, "the source is at %d along %c, need " TOR_NEEDED("a place inside, 1 to %d"), c->place[a],
                "xyz"[a], c -> n[a] - 1);
  if (c->scheme != TOR_CLASSIC_UNIFORM) return;
  if (!(c->eps > 0 && c->mu > 0)) tor_fault(faults, "eps and mu: need " TOR_NEEDED("numbers above 0"));
  double sum = 0;
  for (int a = 0; a < 3; a++) sum += 1 / (c->edge[a] * c->edge[a]);
  if (!(c->dt > 0) || c->dt * c->dt * sum > c->eps * c->mu * (1 + 1e-12))
    tor_fault(faults, "dt: got " TOR_FOUND("%g") ", need " TOR_NEEDED("above 0 and within Courant's limit"), c->dt);
}

/* Which variants an engine has. */
static unsigned variants_of(enum tor_classic_engine engine) {
  const unsigned plane = TOR_CLASSIC_OLD | TOR_CLASSIC_CONSTANT | TOR_CLASSIC_ALONG_I;
  switch (engine) {
  case TOR_CLASSIC_DEMIR_XYZ:
  case TOR_CLASSIC_DEMIR_XY: return TOR_CLASSIC_INDEX;
  case TOR_CLASSIC_GIRAUD_1: return plane | TOR_CLASSIC_SHARED | TOR_CLASSIC_CUBE;
  case TOR_CLASSIC_GIRAUD_2: return plane | TOR_CLASSIC_SYNC;
  default: return 0;
  }
}

static void check_variant(const struct tor_classic_launch *l, struct tor_faults *faults) {
  static const char *const names[] = {"index", "old", "constant", "axis-i", "sync", "shared", "cube"};
  const unsigned extra = l->variant & ~variants_of(l->engine);
  int count = 0;
  for (int bit = 0; bit < 7; bit++) {
    if (extra >> bit & 1)
      tor_fault(faults, "--variant: got " TOR_FOUND("%s") ", which %s does not have", names[bit],
                tor_classic_name(l->engine));
    count += (int)(l->variant >> bit & 1);
  }
  const unsigned apart = TOR_CLASSIC_SHARED | TOR_CLASSIC_CUBE;
  if ((l->variant & apart) && count > 1) tor_fault(faults, "--variant: shared and cube stand alone");
}

static void check_block(const struct tor_classic_case *c, const struct tor_classic_launch *l,
                        struct tor_faults *faults) {
  const int cube = (l->variant & TOR_CLASSIC_CUBE) != 0;
  const double threads = (double)l->block[0] * l->block[1] * (cube ? l->block[1] : 1);
  if (l->block[0] < 1 || l->block[1] < 1 || threads > MOST_THREADS)
    tor_fault(faults, "--block: got " TOR_FOUND("%d,%d") ", need " TOR_NEEDED("1 to %d threads a block"), l->block[0],
              l->block[1], (int)MOST_THREADS);
  if ((l->engine == TOR_CLASSIC_DEMIR_XYZ || l->engine == TOR_CLASSIC_DEMIR_XY) && l->block[0] % WARP)
    tor_fault(faults, "--block: got " TOR_FOUND("%d") ", need " TOR_NEEDED("a multiple of %d"), l->block[0], (int)WARP);
  double shared = 0, grid = 0;
  if (l->engine == TOR_CLASSIC_TAKADA_SHARED) shared = 2.0 * c->precision * (l->block[0] + 1) * (l->block[1] + 1);
  if (l->variant & TOR_CLASSIC_SHARED) shared = 3.0 * c->precision * (l->block[0] + 1) * (l->block[1] + 1);
  if (shared > MOST_SHARED)
    tor_fault(faults, "--block: %d,%d needs %.0f bytes of shared memory, there are " TOR_NEEDED("%d"), l->block[0],
              l->block[1], shared, (int)MOST_SHARED);
  if (l->engine == TOR_CLASSIC_TAKADA_SHARED || l->engine == TOR_CLASSIC_TAKADA_PLAIN)
    grid = (double)(c->n[1] + 1) / l->block[1];
  else if (l->engine != TOR_CLASSIC_DEMIR_XY)
    grid = c->n[2];
  if (grid > MOST_GRID)
    tor_fault(faults, "--block: %.0f blocks along the second axis, need " TOR_NEEDED("at most %d"), grid,
              (int)MOST_GRID);
  if (l->chunk < 1) tor_fault(faults, "--chunk: got " TOR_FOUND("%d") ", need " TOR_NEEDED("1 or more"), l->chunk);
}

void tor_classic_check(const struct tor_classic_case *c, const struct tor_classic_launch *l,
                       struct tor_faults *faults) {
  const int before = faults->count;
  check_numbers(c, faults);
  if (!tor_classic_takes(l->engine, c->scheme))
    tor_fault(faults, "%s does not advance this case", tor_classic_name(l->engine));
  check_variant(l, faults);
  if (!tor_classic_on_gpu(l->engine)) return;
  check_block(c, l, faults);
  if (faults->count > before) return;
  struct tor_classic_layout layout;
  tor_classic_layout_make(c, l, &layout);
  if (layout.values > INT32_MAX)
    tor_fault(faults, "--cells: an array has %.3g values, need " TOR_NEEDED("at most 2^31"), (double)layout.values);
}

void tor_classic_dts1_check(const int n[3], enum tor_precision precision, struct tor_faults *faults) {
  enum { LEAST = 4 };
  const int most = precision == TOR_F32 ? TOR_CLASSIC_DTS1_F32_Z : TOR_CLASSIC_DTS1_F64_Z;
  for (int a = 0; a < 3; a++)
    if (n[a] < LEAST)
      tor_fault(faults, "--cells: got " TOR_FOUND("%d along %c") ", dts1 needs " TOR_NEEDED("at least %d"), n[a],
                "xyz"[a], (int)LEAST);
  if (n[2] > most)
    tor_fault(faults, "--cells: got " TOR_FOUND("%d along z") ", dts1 needs " TOR_NEEDED("at most %d threads"), n[2],
              most);
}
