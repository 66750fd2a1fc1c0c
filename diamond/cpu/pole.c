/* Dispersive media at a site on the CPU: see pole.h. All poles of a vector of points are advanced while its curl is
 * in a register. */
#include "diamond/cpu/vector.h"

#include <stddef.h>

#include "diamond/core/slab.h"
#include "diamond/core/update.h"
#include "diamond/cpu/pole.h"

/* The first values of a run's arrays. */
ALWAYS tor_real *state_of(const struct tor_slab *slab, const struct tor_pole_range *run) {
  return (tor_real *)slab->state + run->state + tor_pole_range_lead(run);
}
ALWAYS const tor_real *weight_of(const struct tor_slab *slab, const struct tor_pole_range *run) {
  return (const tor_real *)slab->weight + run->weight + tor_pole_range_lead(run);
}

/* The poles of one vector of a run, from its first J, without the implicit part. Returns the sum of their currents. */
ALWAYS vec explicit_part(const struct tor_dispersion *d, int comp, vec dt, int pitch, tor_real *j, vec w, vec e,
                         const int count) {
  vec sum = {0};
  for (int i = 0; i < d->npoles; i++) {
    const struct tor_pole_coef *pole = &d->pole[i];
    const vec k1 = TOR_VALUE(pole->k1), k3 = TOR_VALUE(pole->k3[comp]);
    vec current = load_some(j, count);
    if (pole->has_p) {
      tor_real *p = j + pitch;
      vec polarisation = load_some(p, count);
      current = tor_pole_drive(tor_pole_current(k1, TOR_VALUE(pole->k2), current, polarisation), w, k3, e);
      if (!pole->implicit) store_some(p, tor_pole_polarisation(dt, current, polarisation), count);
    } else {
      current = tor_pole_drive(k1 * current, w, k3, e);
    }
    store_some(j, current, count);
    sum += current;
    j += pitch * (1 + pole->has_p);
  }
  return sum;
}

ALWAYS void run_block(const struct tor_slab *slab, const struct tor_pole_range *run, int comp, const tor_real *e,
                      tor_real *curl, int z, const int count) {
  const struct tor_dispersion *d = &slab->dispersion[run->dispersion];
  tor_real *j = state_of(slab, run) + z, *to = curl + run->z0 + z;
  const tor_real *w = weight_of(slab, run) + z;
  const vec dt = TOR_VALUE(slab->dt);
  store_some(to,
             load(to) - explicit_part(d, comp, dt, run->pitch, j, load_some(w, count), load(e + run->z0 + z), count),
             count);
}

/* The same for a single Drude pole, whose coefficients stay in registers from vector to vector. */
ALWAYS void drude_block(vec k1, vec k3, const tor_real *w, const tor_real *e, tor_real *j, tor_real *curl,
                        const int count) {
  vec current = tor_pole_drive(k1 * load_some(j, count), load_some(w, count), k3, load(e));
  store_some(j, current, count);
  store_some(curl, load(curl) - ((vec){0} + current), count); /* as a sum of one, where -0 is 0 */
}

static void drude_run(const struct tor_slab *slab, const struct tor_pole_range *run, int comp, const tor_real *e,
                      tor_real *curl) {
  const struct tor_pole_coef *pole = slab->dispersion[run->dispersion].pole;
  const vec k1 = TOR_VALUE(pole->k1), k3 = TOR_VALUE(pole->k3[comp]);
  const tor_real *w = weight_of(slab, run);
  tor_real *j = state_of(slab, run);
  const int nz = run->nz;
  int z = 0;
  e += run->z0;
  curl += run->z0;
  for (; z <= nz - LANES; z += LANES) drude_block(k1, k3, w + z, e + z, j + z, curl + z, LANES);
  if (z < nz) drude_block(k1, k3, w + z, e + z, j + z, curl + z, nz - z);
}

ALWAYS void branch_block(const struct tor_slab *slab, const struct tor_pole_range *run, int comp, const tor_real *e,
                         tor_real *curl, int z, const int count) {
  const struct tor_dispersion *d = &slab->dispersion[run->dispersion];
  const int pitch = run->pitch;
  tor_real *j = state_of(slab, run) + z, *charge = j + (size_t)d->nstate * (size_t)pitch, *to = curl + run->z0 + z;
  const tor_real *w = weight_of(slab, run) + z, *a = w + pitch, *g = a + pitch, *r = g + pitch;
  const vec dt = TOR_VALUE(slab->dt), q = load_some(charge, count);
  const vec field = tor_branch_field(load_some(a, count), load(e + run->z0 + z), q);
  const vec current = explicit_part(d, comp, dt, pitch, j, load_some(w, count), field, count);
  store_some(charge, tor_branch_charge(q, load_some(g, count), current), count);
  store_some(to, load(to) - tor_branch_current(load_some(r, count), current), count);
}

void TOR_NAME(tor_poles_before)(const struct tor_slab *slab, const struct tor_extra *extra, int comp, const tor_real *e,
                                tor_real *curl) {
  for (int i = extra->run[comp]; i < extra->run[comp + 1]; i++) {
    const struct tor_pole_range *run = &slab->run[i];
    const struct tor_dispersion *d = &slab->dispersion[run->dispersion];
    int z = 0;
    if (run->branch) {
      for (; z <= run->nz - LANES; z += LANES) branch_block(slab, run, comp, e, curl, z, LANES);
      if (z < run->nz) branch_block(slab, run, comp, e, curl, z, run->nz - z);
    } else if (d->npoles == 1 && !d->pole->has_p) {
      drude_run(slab, run, comp, e, curl);
    } else {
      for (; z <= run->nz - LANES; z += LANES) run_block(slab, run, comp, e, curl, z, LANES);
      if (z < run->nz) run_block(slab, run, comp, e, curl, z, run->nz - z);
    }
  }
}

/* The implicit part of one vector of a run. */
ALWAYS void implicit_part(const struct tor_slab *slab, const struct tor_pole_range *run, int comp, const tor_real *e,
                          int z, const int count) {
  const struct tor_dispersion *d = &slab->dispersion[run->dispersion];
  const int pitch = run->pitch;
  tor_real *j = state_of(slab, run) + z;
  const vec w = load_some(weight_of(slab, run) + z, count), from = load(e + run->z0 + z);
  const vec dt = TOR_VALUE(slab->dt);
  for (int i = 0; i < d->npoles; i++) {
    const struct tor_pole_coef *pole = &d->pole[i];
    if (pole->implicit) {
      vec current = tor_pole_drive(load_some(j, count), w, TOR_VALUE(pole->k4[comp]), from);
      store_some(j, current, count);
      store_some(j + pitch, tor_pole_polarisation(dt, current, load_some(j + pitch, count)), count);
    }
    j += pitch * (1 + pole->has_p);
  }
}

void TOR_NAME(tor_poles_after)(const struct tor_slab *slab, const struct tor_extra *extra, int comp,
                               const tor_real *e) {
  for (int i = extra->run[comp]; i < extra->run[comp + 1]; i++) {
    const struct tor_pole_range *run = &slab->run[i];
    if (!slab->dispersion[run->dispersion].implicit) continue;
    int z = 0;
    for (; z <= run->nz - LANES; z += LANES) implicit_part(slab, run, comp, e, z, LANES);
    if (z < run->nz) implicit_part(slab, run, comp, e, z, run->nz - z);
  }
}
