/* A slab's copy on a device, for one precision: to the device, back, and the table of operations. See device.h. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/environment.h"
#include "src/base/error.h"
#include "diamond/gpu/engine/copy.cuh"
#include "diamond/gpu/engine/node_tables.cuh"
#include "diamond/gpu/tower_reg/reg_range_flags.cuh"
#include "diamond/gpu/tower_smem/smem_pole_segments.cuh"
#include "diamond/gpu/tower/tower_radius.cuh"

typedef struct tor_gpu_copy copy;

static size_t fields(const struct tor_slab *slab) {
  return (size_t)tor_slab_columns(slab) * (size_t)tor_plane_comps(slab->plane) * (size_t)slab->nzp;
}
static size_t psis(const struct tor_slab *slab, int axis) {
  if (axis == TOR_Z) return (size_t)tor_slab_columns(slab) * 4 * (size_t)(slab->zlo + slab->zhi);
  return (size_t)slab->cpml[axis].count * (size_t)slab->held[1 - axis] * 4 * (size_t)slab->nzp;
}
static size_t group_values(const struct tor_record_group *group) {
  return (size_t)group->npoints * (group->kind == TOR_RECORD_DFT ? 2 * (size_t)group->nfreq : (size_t)group->nsample);
}

/* Before column i of a store is read, columns being passed in rising order; *held: the end of those that can be. */
static void hold_column(const copy *gpu, tor_gidx i, int *held) {
  const int ix = (int)(i / gpu->slab->held[1]);
  if (gpu->store && ix >= *held) *held = gpu->store->calls->hold(gpu->store->self, ix);
}

/* Device memory with `count` values copied from the host (null: zeros); owned by the copy. */
template <typename T> static T *upload(copy *gpu, const T *from, size_t count) {
  T *to = nullptr;
  size_t bytes = (count ? count : 1) * sizeof(T);
  tor_gpu_alloc(&to, bytes);
  gpu->owned = (void **)tor_grow(gpu->owned, gpu->nowned + 1, &gpu->capacity, sizeof *gpu->owned);
  gpu->owned[gpu->nowned++] = (void *)to;
  if (from && count)
    CUDA_TRY(cudaMemcpy((void *)to, from, count * sizeof(T), cudaMemcpyHostToDevice));
  else
    CUDA_TRY(cudaMemset((void *)to, 0, bytes));
  return to;
}

/* The same for values that a run changes, which are 0 at its beginning. */
template <typename T> static T *upload_state(copy *gpu, const T *from, size_t count) {
  return upload(gpu, gpu->slab->untouched ? nullptr : from, count);
}

static real *upload_field(copy *gpu, const struct tor_slab *slab) {
  real *const field = upload(gpu, (const real *)nullptr, fields(slab) + 2 * TOR_GPU_SLACK) + TOR_GPU_SLACK;
  if (!gpu->slab->untouched)
    CUDA_TRY(cudaMemcpy(field - TOR_IMAGES, (const real *)slab->field - TOR_IMAGES,
                        (fields(slab) + 2 * TOR_IMAGES) * sizeof(real), cudaMemcpyHostToDevice));
  return field;
}

/* Bloch walls: the imaginary part. */
static void load_imaginary(copy *gpu) {
  const struct tor_slab *const part = gpu->slab->other;
  tor_gpu_view *s = &gpu->view;
  if (!part) return;
  const void *const psi[3] = {part->psi_x, part->psi_y, part->psi_z};
  for (int a = 0; a < (gpu->sweep ? 2 : 3); a++)
    s->other_psi[a] = upload_state(gpu, (const real *)psi[a], psis(part, a));
  if (!gpu->sweep) {
    s->other_field = upload_field(gpu, part);
    s->other_state = upload_state(gpu, (const real *)part->state, (size_t)part->nstate);
  }
  s->other_inject = upload(gpu, part->inject, (size_t)part->ninject);
  s->other_record = upload(gpu, part->record, (size_t)part->nrecord);
  const struct tor_column_block all = tor_column_block_held(part);
  gpu->imaginary_samples = TOR_NAME(tor_gpu_dft_new)(part, &all);
  for (int i = 0; i < 12; i++) s->turn[i / 4][i / 2 % 2][i % 2] = (real)gpu->slab->bloch[i / 4][i / 2 % 2][i % 2];
}

static void load_fields(copy *gpu) {
  const struct tor_slab *slab = gpu->slab;
  tor_gpu_view *s = &gpu->view;
  s->psi[TOR_X] = upload_state(gpu, (const real *)slab->psi_x, psis(slab, TOR_X));
  s->psi[TOR_Y] = upload_state(gpu, (const real *)slab->psi_y, psis(slab, TOR_Y));
  if (gpu->sweep) return;
  s->psi[TOR_Z] = upload_state(gpu, (const real *)slab->psi_z, psis(slab, TOR_Z));
  s->coef = upload(gpu, (const real *)slab->coef, (size_t)slab->ncoef);
  s->state = upload_state(gpu, (const real *)slab->state, (size_t)slab->nstate);
  s->weight = upload(gpu, (const real *)slab->weight, (size_t)slab->nweight);
  s->field = upload_field(gpu, slab);
}

static void load_poles(copy *gpu) {
  const struct tor_slab *slab = gpu->slab;
  int count = 0;
  for (int i = 0; i < slab->ndispersion; i++) count += slab->dispersion[i].npoles;
  tor_gpu_dispersion *dispersion =
      (tor_gpu_dispersion *)tor_alloc((size_t)slab->ndispersion + 1, sizeof *dispersion, "GPU");
  tor_gpu_pole *pole = (tor_gpu_pole *)tor_alloc((size_t)count + 1, sizeof *pole, "GPU");
  for (int i = 0, k = 0; i < slab->ndispersion; i++) {
    const struct tor_dispersion *d = &slab->dispersion[i];
    dispersion[i].first = k;
    dispersion[i].npoles = d->npoles;
    dispersion[i].nstate = d->nstate;
    dispersion[i].implicit = d->implicit;
    for (int p = 0; p < d->npoles; p++, k++) {
      pole[k].k1 = (real)d->pole[p].k1;
      pole[k].k2 = (real)d->pole[p].k2;
      for (int a = 0; a < 3; a++) {
        pole[k].k3[a] = (real)d->pole[p].k3[a];
        pole[k].k4[a] = (real)d->pole[p].k4[a];
      }
      pole[k].has_p = d->pole[p].has_p;
      pole[k].implicit = d->pole[p].implicit;
    }
    if (i >= TOR_GPU_FAST_MEDIA || !d->npoles || d->npoles > TOR_GPU_FAST_POLES || d->implicit) continue;
    tor_gpu_fast_medium *fast = &gpu->view.fast[i];
    fast->npoles = d->npoles;
    fast->nstate = (unsigned)d->nstate;
    unsigned at = 0;
    for (int p = 0; p < d->npoles; p++) {
      const tor_gpu_pole *from = &pole[dispersion[i].first + p];
      fast->k1[p] = from->k1;
      fast->k2[p] = from->has_p ? from->k2 : 0;
      for (int a = 0; a < 3; a++) fast->k3[a][p] = from->k3[a];
      fast->has_p[p] = from->has_p;
      fast->j_at[p] = fast->p_at[p] = at++;
      if (from->has_p) fast->p_at[p] = at++;
    }
    for (int p = d->npoles; p < TOR_GPU_FAST_POLES; p++) fast->j_at[p] = fast->p_at[p] = fast->j_at[d->npoles - 1];
  }
  gpu->view.dispersion = upload(gpu, dispersion, (size_t)slab->ndispersion);
  gpu->view.pole = upload(gpu, pole, (size_t)count);
  free(dispersion);
  free(pole);
}

/* The planes of the slab, and the z where they act. Returns how many inject. */
static int find_planes(copy *gpu) {
  const struct tor_slab *slab = gpu->slab;
  tor_gpu_view *s = &gpu->view;
  const size_t columns = (size_t)tor_slab_columns(slab), nzp = (size_t)slab->nzp;
  struct tor_planes planes;
  int count = 0;
  uint8_t *has = (uint8_t *)tor_alloc(columns, 1, "sources and monitors");
  if (tor_planes_find(slab, tor_gpu_most_planes(slab->order), tor_gpu_most_injects(slab->order), &planes, has)) {
    uint8_t *at = (uint8_t *)tor_alloc(2 * TOR_NCOMP * nzp, 1, "sources and monitors");
    for (int c = 0; c < TOR_NCOMP; c++) {
      count += planes.ninject[c];
      for (int i = planes.ninject[c] - 1; i >= 0; i--) {
        uint8_t *here = &at[(size_t)c * nzp + (size_t)planes.inject[c][i].at.z0];
        *here = (uint8_t)((*here & 0xf0) + 0x10 + 1 + i);
      }
      for (int i = 0; i < planes.nrecord[c]; i++)
        for (int z = 0; z < planes.record[c][i].at.nz; z++)
          at[(size_t)(TOR_NCOMP + c) * nzp + (size_t)(planes.record[c][i].at.z0 + z)] = (uint8_t)(0x10 + 1 + i);
    }
    s->planes = upload(gpu, &planes, 1);
    s->plane_at = upload(gpu, at, 2 * TOR_NCOMP * nzp);
    s->in_planes = upload(gpu, has, columns);
    free(at);
  }
  free(has);
  return count;
}

/* Whether shared-memory towers (smem_tile.cuh) can run the slab, which has so many planes that inject; if so, uploads
 * their tables for columns with poles. */
static bool load_pole_segments(copy *gpu, int planes) {
  const struct tor_slab *slab = gpu->slab;
  tor_gpu_view *s = &gpu->view;
  const char *off = tor_environment("TORRE_GPU_SMEM_TOWERS", "TORRE_GPU_TRAYS");
  const int nblock = tor_smem_blocks(slab->n[2]), part = tor_smem_part(slab->n[2], nblock);
  if (s->periodic[TOR_Y] || s->periodic[TOR_Z] || !tor_smem_towers_fit(slab, (int)sizeof(real), s->pmc, s->in_planes) ||
      planes > TOR_SMEM_PLANES(slab->order, nblock > 1) || (off && !strcmp(off, "off")))
    return false;
  const tor_gidx columns = tor_slab_columns(slab);
  int32_t *at = (int32_t *)tor_alloc((size_t)columns, sizeof *at, "GPU");
  int32_t count = 0;
  int held = 0;
  for (tor_gidx i = 0; i < columns; i++) at[i] = slab->cls[i] & TOR_COL_POLES ? count++ : -1;
  tor_gpu_pole_segment *pole_segment =
      (tor_gpu_pole_segment *)tor_alloc((size_t)count * 3 * TOR_GPU_POLE_SEGMENTS + 1, sizeof *pole_segment, "GPU");
  uint64_t *coef_lanes = (uint64_t *)tor_alloc((size_t)count * 3 * (size_t)nblock + 1, sizeof *coef_lanes, "GPU");
  bool fits = true;
  for (tor_gidx i = 0; i < columns && fits; i++)
    for (int c = 0; c < 3 && at[i] >= 0; c++) {
      const struct tor_extra *extra = &slab->extra[slab->extra_id[i]];
      fits &= tor_pole_segments_find(slab, extra, c, s->fast,
                                     pole_segment + ((size_t)at[i] * 3 + (size_t)c) * TOR_GPU_POLE_SEGMENTS);
      if (slab->cls[i] & TOR_COL_COEF_E) hold_column(gpu, i, &held);
      for (int b = 0; b < nblock && slab->cls[i] & TOR_COL_COEF_E; b++) {
        const int z0 = b * part, n = slab->n[2] - z0;
        coef_lanes[((size_t)at[i] * 3 + (size_t)c) * (size_t)nblock + (size_t)b] =
            tor_coef_lanes(slab, extra, c, z0, n < part ? n : part);
      }
    }
  if (fits) {
    s->segment_at = upload(gpu, at, (size_t)columns);
    s->pole_segment = upload(gpu, pole_segment, (size_t)count * 3 * TOR_GPU_POLE_SEGMENTS);
    s->coef_lanes = upload(gpu, coef_lanes, (size_t)count * 3 * (size_t)nblock);
    s->smem_blocks = nblock;
  }
  free(at);
  free(pole_segment);
  free(coef_lanes);
  return fits;
}

/* The towers' tables by column. */
static void load_range_flags(copy *gpu) {
  const struct tor_slab *slab = gpu->slab;
  tor_gpu_view *s = &gpu->view;
  const tor_gidx columns = tor_slab_columns(slab);
  tor_gidx *coef_at = (tor_gidx *)tor_alloc((size_t)columns, sizeof *coef_at, "GPU");
  for (tor_gidx i = 0; i < columns; i++) {
    coef_at[i] = slab->cls[i] & TOR_COL_COEF_E ? slab->extra[slab->extra_id[i]].coef_e : -1;
    s->classes |= slab->cls[i];
  }
  s->coef_at = upload(gpu, coef_at, (size_t)columns);
  free(coef_at);
  /* Planes of complex fields differ in the parts' factors: they are done from the columns' lists. */
  if (load_pole_segments(gpu, slab->other ? 0 : find_planes(gpu))) return;
  s->nrange = s->n[2] / 32 + 1;
  const dim3 grid((unsigned)((columns + 127) / 128));
  const size_t nflags = (size_t)columns * (size_t)s->nrange;
  unsigned long long total[3];
  range_work to = {upload(gpu, (const unsigned long long *)nullptr, 3), nullptr, nullptr, nullptr};
  tor_gpu_range_flags *range_flags = upload(gpu, (const tor_gpu_range_flags *)nullptr, nflags),
                      *range_flags_in_planes = nullptr;
  if (s->in_planes) range_flags_in_planes = upload(gpu, (const tor_gpu_range_flags *)nullptr, nflags);
  auto make_range_flags = [&] {
    CUDA_TRY(cudaMemset(to.count, 0, sizeof total));
    tor_gpu_launch(flag_ranges, grid, 128, 0, *s, columns, (const uint8_t *)nullptr,
                   (const tor_gpu_range_flags *)nullptr, to, range_flags);
    if (range_flags_in_planes)
      tor_gpu_launch(flag_ranges, grid, 128, 0, *s, columns, s->in_planes, range_flags, to, range_flags_in_planes);
  };
  make_range_flags();
  CUDA_TRY(cudaMemcpy(total, to.count, sizeof total, cudaMemcpyDeviceToHost));
  for (unsigned long long of : total)
    if (of > INT_MAX)
      TOR_DIE("too many dispersive points, sources and monitors for the towers of one GPU: take more GPUs");
  to.work = upload(gpu, (const tor_gpu_work *)nullptr, (size_t)total[0]);
  to.pole_vector = upload(gpu, (const tor_gpu_pole_vector *)nullptr, (size_t)total[1]);
  to.edge_at_nodes = upload(gpu, (const tor_gpu_node_edge *)nullptr, (size_t)total[2]);
  make_range_flags();
  s->range_flags_in_planes = range_flags_in_planes;
  s->range_flags = range_flags;
  s->work = to.work;
  s->pole_vector = to.pole_vector;
  s->edge_at_nodes = to.edge_at_nodes;
}

/* Kernels count columns from the first that is held, as if the domain were no larger. Where it is larger, no row that
 * is run comes near the held columns' ends (halo_x.cuh), so that no wall is applied there. */
static void place_slab(copy *gpu) {
  const struct tor_slab *slab = gpu->slab;
  tor_gpu_view *s = &gpu->view;
  s->plane = slab->plane;
  s->n[TOR_Z] = slab->n[TOR_Z];
  s->nzp = slab->nzp;
  s->origin = 0;
  s->stride = slab->held[1];
  for (int f = 0; f < TOR_NFACE; f++) s->pmc[f] = slab->wall[f] == TOR_PMC;
  for (int a = 0; a < 3; a++) s->periodic[a] = tor_slab_periodic(slab, a);
  s->segments = tor_slab_segments(slab);
  s->pitch = tor_slab_segment_pitch(slab);
  s->period = slab->segments ? slab->period : slab->n[TOR_Z];
  for (int a = 0; a < 2; a++) {
    const bool arc = a == TOR_Y && tor_slab_is_arc(slab), cut_lo = arc || slab->lo[a] > 0,
               cut_hi = arc || slab->lo[a] + slab->held[a] <= slab->n[a];
    if (arc) s->periodic[a] = 0; /* columns beyond the seam lie beside it */
    s->n[a] = slab->held[a] - 1;
    s->first[a] = cut_lo ? 0 : tor_slab_first(slab, a);
    s->last[a] = cut_hi ? 2 * s->n[a] : tor_slab_last(slab, a) - 2 * slab->lo[a];
    if (cut_lo) s->pmc[2 * a] = 0;
    if (cut_hi) s->pmc[2 * a + 1] = 0;
  }
  s->zero_z = s->pmc[TOR_ZLO] ? -1 : 0;
  s->image_z = s->pmc[TOR_ZLO] ? -1 : 1;
}

static void load_magnetised(copy *gpu) {
  const struct tor_slab *slab = gpu->slab;
  tor_gpu_magnetised *to = (tor_gpu_magnetised *)tor_alloc((size_t)slab->nmagnetised + 1, sizeof *to, "GPU");
  for (int i = 0; i < slab->nmagnetised; i++) to[i] = magnetised_of(&slab->magnetised[i]);
  gpu->view.magnetised = upload(gpu, to, (size_t)slab->nmagnetised);
  free(to);
}

static void load_nodes(copy *gpu) {
  const struct tor_slab *slab = gpu->slab;
  tor_gpu_view *s = &gpu->view;
  s->has_nodes = slab->has_nodes;
  if (!slab->has_nodes) return;
  for (int a = 0; a < 3; a++) {
    s->node_in[a] = (real)slab->node.in[a];
    s->node_out[a] = (real)slab->node.out[a];
    s->node_edge[a] = (real)slab->node.edge[a];
    s->node_flux[a] = (real)slab->node.flux[a];
    s->node_field[a] = (real)slab->node.field[a];
  }
  s->node_restore = (real)slab->node.restore;
  load_magnetised(gpu);
  const size_t columns = (size_t)tor_slab_columns(slab);
  int32_t *at = (int32_t *)tor_alloc(columns, sizeof *at, "GPU");
  size_t count = 0, vectors = 0;
  for (size_t i = 0; i < columns; i++) {
    const struct tor_pole_range *run = tor_slab_nodes(slab, (tor_gidx)i);
    at[i] = run ? (int32_t)count++ : -1;
    if (run) vectors += (size_t)(run->nz / V + 2);
  }
  if (vectors > INT_MAX) TOR_DIE("too many surface nodes for the towers of one GPU: take more GPUs");
  tor_gpu_nodes *nodes = (tor_gpu_nodes *)tor_alloc(count + 1, sizeof *nodes, "GPU");
  uint16_t *vector = (uint16_t *)tor_alloc(vectors + 1, sizeof *vector, "GPU");
  const size_t ranges = (size_t)s->n[TOR_Z] / 32 + 2;
  uint16_t *range = (uint16_t *)tor_alloc(count * ranges + 1, sizeof *range, "GPU");
  int first = 0, held = 0;
  for (size_t i = 0; i < columns; i++) {
    const struct tor_pole_range *run = tor_slab_nodes(slab, (tor_gidx)i);
    if (!run) continue;
    s->has_medium_nodes |= run->metal < 0;
    hold_column(gpu, (tor_gidx)i, &held);
    const int has = find_node_vectors(slab, run, vector + first);
    nodes[at[i]] = {run->state, run->weight, run->z0, run->nz, run->pitch, run->gap0, run->gap, run->metal, first, has};
    for (size_t r = 0, below = 0; r < ranges; range[(size_t)at[i] * ranges + r++] = (uint16_t)below)
      while (below < (size_t)has && vector[(size_t)first + below] < r * (32 / V)) below++;
    first += has;
  }
  s->nodes_at = upload(gpu, at, columns);
  s->nodes = upload(gpu, nodes, count);
  s->node_vector = upload(gpu, vector, (size_t)first);
  s->node_range = upload(gpu, range, count * ranges);
  free(at);
  free(nodes);
  free(vector);
  free(range);
}

static struct tor_device *open_slab(const struct tor_slab *slab, int number, double window,
                                    const struct tor_column_store *store) {
  copy *gpu = (copy *)tor_alloc(1, sizeof *gpu, "GPU");
  tor_gpu_view *s = &gpu->view;
  CUDA_TRY(cudaSetDevice(number));
  gpu->device.ops = &TOR_NAME(tor_gpu_ops);
  gpu->number = number;
  gpu->slab = slab;
  gpu->store = store;
  gpu->plain = TOR_NAME(tor_gpu_plain_new)(slab);
  if (window > 0) gpu->sweep = TOR_NAME(tor_gpu_sweep_new)(slab, gpu->plain, window, store);
  gpu->stream = gpu->sweep ? TOR_NAME(tor_gpu_sweep_stream)(gpu->sweep) : tor_gpu_new_stream();
  place_slab(gpu);
  s->dt = (real)slab->dt;
  load_fields(gpu);
  load_imaginary(gpu);
  s->cls = upload(gpu, slab->cls, (size_t)tor_slab_columns(slab));
  s->extra_id = upload(gpu, slab->extra_id, (size_t)tor_slab_columns(slab));
  s->extra = upload(gpu, slab->extra, (size_t)slab->nextra);
  s->cb = upload(gpu, (const real *)slab->cb, (size_t)TOR_NCOMP * (size_t)slab->nzp);
  s->ca1 = upload(gpu, (const real *)slab->ca1, (size_t)TOR_NCOMP * (size_t)slab->nzp);
  for (int a = 0; a < 3; a++) {
    const struct tor_cpml_axis *cpml = &slab->cpml[a];
    /* All places along a ring are alike. */
    const int lo = a == TOR_Z || (a == TOR_Y && tor_slab_is_arc(slab)) ? 0 : slab->lo[a];
    size_t count = a == TOR_Z ? 2 * (size_t)slab->nzp : 2 * (size_t)s->n[a] + 1;
    s->cpml[a].ik = upload(gpu, (const real *)cpml->ik + 2 * lo, count);
    s->cpml[a].b = upload(gpu, (const real *)cpml->b + 2 * lo, count);
    s->cpml[a].c = upload(gpu, (const real *)cpml->c + 2 * lo, count);
    s->cpml[a].index = a == TOR_Z ? nullptr : upload(gpu, (const int *)cpml->index + lo, (size_t)s->n[a] + 1);
    s->damped = slab->damping[a] != nullptr;
    if (s->damped) s->damping[a] = upload(gpu, (const real *)slab->damping[a] + 2 * lo, count);
  }
  s->zlo = slab->zlo;
  s->zhi = slab->zhi;
  s->zhi0 = slab->zhi0;
  s->layers = tor_smem_layers_of(slab);
  load_poles(gpu);
  load_nodes(gpu);
  s->run = upload(gpu, slab->run, (size_t)slab->nrun);
  s->inject = upload(gpu, slab->inject, (size_t)slab->ninject);
  s->profile = upload(gpu, (const real *)slab->profile, (size_t)slab->nprofile);
  s->record = upload(gpu, slab->record, (size_t)slab->nrecord);
  s->energy = upload(gpu, slab->energy, tor_gpu_energies(slab));
  gpu->total = upload(gpu, (const double *)nullptr, (size_t)slab->held[0]);
  gpu->total_host = (double *)tor_alloc((size_t)slab->held[0], sizeof *gpu->total_host, "GPU");
  load_range_flags(gpu);
  gpu->group = (tor_gpu_group *)tor_alloc((size_t)slab->ngroup + 1, sizeof *gpu->group, "GPU");
  for (int g = 0; g < slab->ngroup; g++) {
    gpu->group[g].series = slab->group[g].kind == TOR_RECORD_SERIES;
    gpu->group[g].nfreq = slab->group[g].nfreq;
    gpu->group[g].npoints = slab->group[g].npoints;
    gpu->group[g].data = upload_state(gpu, slab->group[g].data, group_values(&slab->group[g]));
  }
  const struct tor_column_block all = tor_column_block_held(slab);
  gpu->dft_samples = TOR_NAME(tor_gpu_dft_new)(slab, &all);
  CUDA_TRY(cudaStreamSynchronize(0)); /* which other streams do not wait for */
  return &gpu->device;
}

/* --- Back to the host --- */

void TOR_NAME(tor_gpu_copy_energies)(const copy *gpu, double *to) {
  CUDA_TRY(cudaStreamSynchronize(gpu->stream));
  CUDA_TRY(cudaMemcpy(to, gpu->view.energy, tor_gpu_energies(gpu->slab) * sizeof(double), cudaMemcpyDeviceToHost));
}

static void fetch_energy(const struct tor_device *device, struct tor_slab *slab) {
  TOR_NAME(tor_gpu_copy_energies)(tor_gpu_use(device), slab->energy);
}

static void fetch_monitors(const struct tor_device *device, struct tor_slab *slab) {
  const copy *gpu = tor_gpu_use(device);
  CUDA_TRY(cudaStreamSynchronize(gpu->stream));
  if (gpu->store) TOR_NAME(tor_gpu_sweep_finish)(gpu->sweep);
  for (int g = 0; g < slab->ngroup; g++)
    if (slab->group[g].data && group_values(&slab->group[g]))
      CUDA_TRY(cudaMemcpy(slab->group[g].data, gpu->group[g].data, group_values(&slab->group[g]) * sizeof(double),
                          cudaMemcpyDeviceToHost));
}

static void fetch_field(struct tor_slab *slab, const real *field) {
  CUDA_TRY(cudaMemcpy((real *)slab->field - TOR_IMAGES, field - TOR_IMAGES,
                      (fields(slab) + 2 * TOR_IMAGES) * sizeof(real), cudaMemcpyDeviceToHost));
}

/* Memory of the CPML, and states of poles and nodes; all: without a window, which holds psi of z and states. */
static void fetch_memory(struct tor_slab *slab, real *const psi[3], const real *state, bool all) {
  void *const to[3] = {slab->psi_x, slab->psi_y, slab->psi_z};
  for (int a = 0; a < 3; a++)
    if (psis(slab, a) && (a != TOR_Z || all))
      CUDA_TRY(cudaMemcpy(to[a], psi[a], psis(slab, a) * sizeof(real), cudaMemcpyDeviceToHost));
  if (slab->nstate && all)
    CUDA_TRY(cudaMemcpy(slab->state, state, (size_t)slab->nstate * sizeof(real), cudaMemcpyDeviceToHost));
}

static void fetch(struct tor_device *device, struct tor_slab *slab) {
  copy *gpu = tor_gpu_use(device);
  const tor_gpu_view *s = &gpu->view;
  TOR_NAME(tor_gpu_settle)(gpu);
  if (gpu->sweep)
    TOR_NAME(tor_gpu_sweep_finish)(gpu->sweep); /* fields, psi of z, and poles are in the slab's own arrays */
  else
    fetch_field(slab, s->field);
  fetch_memory(slab, s->psi, s->state, !gpu->sweep);
  if (slab->other) {
    if (!gpu->sweep) fetch_field(slab->other, s->other_field);
    fetch_memory(slab->other, s->other_psi, s->other_state, !gpu->sweep);
  }
  TOR_NAME(tor_gpu_copy_energies)(gpu, slab->energy);
  fetch_monitors(device, slab);
  slab->untouched = 0;
}

static void close_slab(struct tor_device *device) {
  copy *gpu = tor_gpu_use(device);
  for (int i = 0; i < TOR_NHALO_X; i++)
    if (gpu->halo_x[i]) TOR_NAME(tor_gpu_halo_x_free)(gpu->halo_x[i]);
  TOR_NAME(tor_gpu_dft_free)(gpu->dft_samples);
  if (gpu->imaginary_samples) TOR_NAME(tor_gpu_dft_free)(gpu->imaginary_samples);
  if (gpu->dft_sample_values) CUDA_TRY(cudaFreeAsync(gpu->dft_sample_values, 0));
  free(gpu->samples);
  for (struct tor_gpu_halo_y *halo : gpu->halo_y)
    if (halo) TOR_NAME(tor_gpu_halo_y_free)(halo);
  if (gpu->places.ready) CUDA_TRY(cudaEventDestroy(gpu->places.ready));
  CUDA_TRY(cudaFree(gpu->places.queue));
  if (gpu->sweep)
    TOR_NAME(tor_gpu_sweep_free)(gpu->sweep);
  else
    CUDA_TRY(cudaStreamDestroy(gpu->stream));
  TOR_NAME(tor_gpu_plain_free)(gpu->plain);
  TOR_NAME(tor_gpu_plane_free)(gpu->plane);
  free(gpu->halo_rows);
  for (size_t i = 0; i < gpu->nowned; i++) tor_gpu_free(gpu->owned[i]);
  if (gpu->stage) CUDA_TRY(cudaFreeAsync(gpu->stage, 0));
  free(gpu->stage_host);
  free(gpu->total_host);
  free(gpu->owned);
  free(gpu->group);
  free(gpu);
}

/* --- The table --- */

static int dts(int order, int cpml_z) { return tor_gpu_radius(order, cpml_z) / (order == 4 ? 3 : 1); }
static double seconds(const struct tor_device *device) { return 1e-3 * (double)((const copy *)device)->milliseconds; }

const struct tor_gpu_ops TOR_NAME(tor_gpu_ops) = {.dts = dts,
                                                  .open = open_slab,
                                                  .run = TOR_NAME(tor_gpu_run),
                                                  .seconds = seconds,
                                                  .fetch = fetch,
                                                  .fetch_monitors = fetch_monitors,
                                                  .fetch_energy = fetch_energy,
                                                  .energy = TOR_NAME(tor_gpu_energy),
                                                  .close = close_slab,
                                                  .worker = &TOR_NAME(tor_gpu_worker),
                                                  .plane_worker = &TOR_NAME(tor_gpu_plane_worker),
                                                  .rounds = &TOR_NAME(tor_gpu_rounds)};
