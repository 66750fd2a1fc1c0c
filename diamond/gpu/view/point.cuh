/* Operations on one value of a column with poles, injections or monitors: the general form; where a column allows it,
 * towers do the same for whole vectors.
 *
 * What an injection adds and where a monitor keeps a value are defined here, for all engines and towers; for planes in
 * planes.cuh, by these functions. For the CPU they are defined in diamond/cpu/site.c. */
#ifndef TOR_DIAMOND_GPU_VIEW_POINT_CUH
#define TOR_DIAMOND_GPU_VIEW_POINT_CUH

#include "diamond/gpu/view/lattice.cuh"

/* The explicit part of a pole at one point; j[0], and j[pitch] where it has a polarisation. Returns its current. */
POINT_FN real pole_before(const tor_gpu_view &s, const tor_gpu_pole &pole, int comp, real w, real e, real *j,
                          int pitch) {
  real current;
  if (pole.has_p) {
    real p = j[pitch];
    current = tor_pole_drive(tor_pole_current(pole.k1, pole.k2, *j, p), w, pole.k3[comp], e);
    if (!pole.implicit) j[pitch] = tor_pole_polarisation(s.dt, current, p);
  } else {
    current = tor_pole_drive(pole.k1 * *j, w, pole.k3[comp], e);
  }
  *j = current;
  return current;
}

/* Curl without the currents of the poles; e is the field before the step. */
POINT_FN real poles_before(const tor_gpu_view &s, const tor_extra &extra, int comp, int z, real e, real curl) {
  for (int i = extra.run[comp]; i < extra.run[comp + 1]; i++) {
    const tor_pole_range run = s.run[i];
    int k = z - run.z0;
    if (k < 0 || k >= run.nz) continue;
    const tor_gpu_dispersion d = s.dispersion[run.dispersion];
    const int pitch = run.pitch, at = tor_pole_range_lead(&run) + k;
    const real *weight = s.weight + run.weight + at;
    real *j = s.state + run.state + at, *charge = j + (tor_gidx)d.nstate * pitch;
    const real q = run.branch ? *charge : (real)0, own = run.branch ? tor_branch_field(weight[pitch], e, q) : e;
    real sum = 0;
    for (int p = 0; p < d.npoles; p++) {
      const tor_gpu_pole &pole = s.pole[d.first + p];
      sum += pole_before(s, pole, comp, *weight, own, j, pitch);
      j += pitch * (1 + pole.has_p);
    }
    if (run.branch) {
      *charge = tor_branch_charge(q, weight[2 * pitch], sum);
      sum = tor_branch_current(weight[3 * pitch], sum);
    }
    curl -= sum;
  }
  return curl;
}

/* Completes the implicit poles with the new field. */
POINT_FN void poles_after(const tor_gpu_view &s, const tor_extra &extra, int comp, int z, real e) {
  for (int i = extra.run[comp]; i < extra.run[comp + 1]; i++) {
    const tor_pole_range run = s.run[i];
    int k = z - run.z0;
    const tor_gpu_dispersion d = s.dispersion[run.dispersion];
    if (k < 0 || k >= run.nz || !d.implicit) continue;
    const int pitch = run.pitch, at = tor_pole_range_lead(&run) + k;
    real w = s.weight[run.weight + at], *j = s.state + run.state + at;
    for (int p = 0; p < d.npoles; p++) {
      const tor_gpu_pole &pole = s.pole[d.first + p];
      if (pole.implicit) {
        *j = tor_pole_drive(*j, w, pole.k4[comp], e);
        j[pitch] = tor_pole_polarisation(s.dt, *j, j[pitch]);
      }
      j += pitch * (1 + pole.has_p);
    }
  }
}

/* --- Injections --- */

/* Values of a table in a step, from number `index` on; of an entry `in`, point k has row[in.stride k], of a sheet the
 * sum over its terms. */
POINT_FN const real *inject_row(const real *table, int width, int index, int step) {
  return table + (tor_gidx)step * width + index;
}
POINT_FN const real *inject_row(const tor_gpu_view &s, const struct tor_inject &in, int step) {
  return inject_row(s.table[in.table], s.width[in.table], in.index, step);
}

/* Point k of a sheet, before its factor. */
POINT_FN real sheet_value(const tor_gpu_view &s, const struct tor_inject &in, const real *row, int k) {
  const real *const profile = s.profile + in.profile + k;
  real sum = 0;
#pragma unroll 1
  for (int m = 0; m < in.terms; m++) sum = tor_sheet_term(sum, profile[(tor_gidx)m * in.nz], row[m]);
  return sum;
}

/* A value f with what point k of an entry adds; cb: the coefficient that its update used. */
POINT_FN real inject_point(const tor_gpu_view &s, const struct tor_inject &in, const real *row, int k, real cb,
                           real f) {
  const real value = in.terms ? sheet_value(s, in, row, k) : row[in.stride * k];
  return tor_inject(f, cb, (real)in.factor * value);
}

POINT_FN real inject(const tor_gpu_view &s, const tor_extra &extra, int comp, int step, int z, real cb, real f) {
  for (int i = extra.inject[comp]; i < extra.inject[comp + 1]; i++) {
    const struct tor_inject in = s.inject[i];
    int k = z - in.z0;
    if (k < 0 || k >= in.nz) continue;
    f = inject_point(s, in, inject_row(s, in, step), k, cb, f);
  }
  return f;
}

/* --- Monitors --- */

/* Stores a value of sample >= 0 of any monitor at a place among its points; dft.cuh adds those of Fourier monitors to
 * their sums. */
POINT_FN void store_sample(const tor_gpu_group &group, int sample, tor_gidx place, real f) {
  const tor_gidx at = sample * group.npoints + place;
  if (group.series)
    group.data[at] = (double)f;
  else
    group.dft_samples[at] = f;
}

POINT_FN void record(const tor_gpu_view &s, const tor_extra &extra, int comp, int step, int z, real f) {
  for (int i = extra.record[comp]; i < extra.record[comp + 1]; i++) {
    const tor_record rec = s.record[i];
    int k = z - rec.z0;
    if (k < 0 || k >= rec.nz) continue;
    const tor_gpu_group group = s.group[rec.group];
    const int sample = group.sample[step];
    if (sample >= 0) store_sample(group, sample, rec.offset + k, f);
  }
}

#endif
