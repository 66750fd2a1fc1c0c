/* All mappings on one problem: see classic_compare.h. */
#include "src/classic/classic_compare.h"

#include <stddef.h>

#include "diamond/classic/classic.h"
#include "diamond/classic/classic_case.h"
#include "src/base/types.h"
#include "src/classic/classic_measure.h"
#include "src/classic/classic_slab.h"

void tor_classic_compare(struct tor_classic_bench *b, const int n[3], enum tor_precision precision) {
  static const struct tor_classic_launch boxes[] = {
      {.engine = TOR_CLASSIC_NAIVE},
      {.engine = TOR_CLASSIC_NAIVE_OMP},
      {.engine = TOR_CLASSIC_GIRAUD_1},
      {.engine = TOR_CLASSIC_GIRAUD_1, .variant = TOR_CLASSIC_SHARED},
      {.engine = TOR_CLASSIC_GIRAUD_1, .variant = TOR_CLASSIC_ALONG_I},
      {.engine = TOR_CLASSIC_GIRAUD_1, .variant = TOR_CLASSIC_CUBE},
      {.engine = TOR_CLASSIC_GIRAUD_2},
      {.engine = TOR_CLASSIC_GIRAUD_2, .variant = TOR_CLASSIC_ALONG_I},
      {.engine = TOR_CLASSIC_GIRAUD_3},
  };
  static const struct tor_classic_launch media[] = {
      {.engine = TOR_CLASSIC_DEMIR_XYZ},
      {.engine = TOR_CLASSIC_DEMIR_XY},
      {.engine = TOR_CLASSIC_DEMIR_XYZ, .variant = TOR_CLASSIC_INDEX},
      {.engine = TOR_CLASSIC_DEMIR_XY, .variant = TOR_CLASSIC_INDEX},
  };
  struct tor_classic_wish wish = {.scheme = TOR_CLASSIC_UNIFORM,
                                  .rule = TOR_CLASSIC_TORRE,
                                  .precision = precision,
                                  .n = {n[0], n[1], n[2]},
                                  .seed = 1};
  const int gpu = b->gpu >= 0;
  for (size_t i = 0; i < sizeof boxes / sizeof *boxes; i++)
    if (gpu || !tor_classic_on_gpu(boxes[i].engine)) tor_classic_measure(b, &wish, &boxes[i], 1);
  wish.scheme = TOR_CLASSIC_MEDIA;
  for (size_t i = 0; gpu && i < sizeof media / sizeof *media; i++) tor_classic_measure(b, &wish, &media[i], 1);
  wish.scheme = TOR_CLASSIC_UNIFORM;
  for (int order = 2; order <= 4; order += 2)
    for (int on = 0; on <= gpu; on++)
      for (int engine = TOR_CLASSIC_STEPWISE; engine <= TOR_CLASSIC_TOWERS; engine++)
        tor_classic_measure_slab(b, &wish, order, (enum tor_classic_own)engine, on);
  if (gpu) tor_classic_measure_slab(b, &wish, 4, TOR_CLASSIC_DTS1, 1);
}
