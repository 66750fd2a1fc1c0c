/* What all owners of a slab free alike: see slab.h. */
#include "diamond/core/slab.h"

#include <stdlib.h>

void tor_slab_free_tables(struct tor_slab *slab) {
  for (int a = 0; a < 3; a++) {
    free(slab->cpml[a].ik);
    free(slab->cpml[a].b);
    free(slab->cpml[a].c);
    free(slab->cpml[a].index);
  }
  for (int d = 0; d < slab->ndispersion; d++) free(slab->dispersion[d].pole);
}
