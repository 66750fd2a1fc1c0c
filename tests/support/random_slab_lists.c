/* Lists of the columns of random slabs: poles, surface nodes, injections, records, planes. */
#include <stdlib.h>
#include <string.h>

#include "src/base/error.h"
#include "tests/support/random_slab_maker.h"

/* A range of z for a list's entry of a component with n values; short ones are the usual. */
static void range(struct maker *m, int n, int32_t *z0, int32_t *nz) {
  const struct tor_slab *slab = m->slab;
  if (slab->segments) n = slab->period;
  *nz = chance(m, 0.5) ? 1 : between(m, 1, n);
  *z0 = between(m, 0, n - *nz);
  if (slab->segments) *z0 += between(m, 0, slab->segments - 1) * tor_slab_segment_pitch(slab);
}

struct tor_extra *extra_new(struct tor_slab *slab, struct counts *cap, tor_gidx column) {
  slab->extra = tor_grow(slab->extra, (size_t)slab->nextra + 1, &cap->extra, sizeof *slab->extra);
  slab->extra[slab->nextra] = (struct tor_extra){.coef_e = -1, .coef_h = -1};
  slab->extra_id[column] = slab->nextra;
  return &slab->extra[slab->nextra++];
}
static struct tor_inject *new_inject(struct tor_slab *slab, struct counts *cap) {
  slab->inject = tor_grow(slab->inject, (size_t)slab->ninject + 1, &cap->inject, sizeof *slab->inject);
  return &slab->inject[slab->ninject++];
}
static struct tor_record *new_record(struct tor_slab *slab, struct counts *cap) {
  slab->record = tor_grow(slab->record, (size_t)slab->nrecord + 1, &cap->record, sizeof *slab->record);
  return &slab->record[slab->nrecord++];
}

void make_runs(struct maker *m, struct tor_extra *extra, struct counts *cap, int any) {
  struct tor_slab *slab = m->slab;
  const int simple = has(m, RANDOM_SIMPLE), medium = between(m, 0, 1);
  for (int c = 0; c < 3; c++) {
    extra->run[c] = (int32_t)slab->nrun;
    for (int z = 0, n = any ? random_slab_points_z(slab, c) : 0; n && chance(m, 0.7);) {
      if (has(m, RANDOM_SMEM) && slab->nrun - extra->run[c] == 2) break;
      z = in_segment(slab, z + between(m, 0, n / 3));
      if (z >= n) break;
      int nz = least(between(m, 1, n), segment_left(slab, n, z));
      slab->run = tor_grow(slab->run, (size_t)slab->nrun + 1, &cap->run, sizeof *slab->run);
      int d = simple || chance(m, 0.3) ? medium : between(m, 0, slab->ndispersion - 1);
      const int branch = !slab->dispersion[d].implicit && chance(m, 0.3);
      slab->run[slab->nrun++] = (struct tor_pole_range){.z0 = z, .nz = nz, .dispersion = d, .branch = branch};
      z += simple ? nz : between(m, 0, nz); /* media may overlap */
    }
    for (tor_gidx i = extra->run[c]; i < slab->nrun;)
      i += tor_pole_range_place(slab->dispersion, &slab->run[i], (int)(slab->nrun - i), &slab->nstate, &slab->nweight);
  }
  extra->run[3] = extra->run[4] = (int32_t)slab->nrun;
}

/* A run of nodes at the column, behind its poles. */
void make_nodes(struct maker *m, struct tor_extra *extra, struct counts *cap) {
  struct tor_slab *slab = m->slab;
  struct tor_pole_range run = {.dispersion = TOR_NODE_RUN};
  const int last = slab->n[2] - tor_slab_periodic(slab, TOR_Z);
  run.z0 = between(m, 0, last);
  run.nz = between(m, 1, last + 1 - run.z0);
  for (int d = 0; d < slab->ndispersion && run.z0 % 2; d++)
    if (slab->dispersion[d].npoles > run.metal) run.metal = slab->dispersion[d].npoles;
  if (run.z0 % 4 == 2) run.metal = -1 - run.z0 / 4 % -TOR_CHI2_NODES; /* towers on GPUs have all but gain */
  const int blocks = (run.z0 + run.nz - 1) / TOR_METAL_PITCH - run.z0 / TOR_METAL_PITCH + 1;
  if (run.metal > 0 && blocks > 2 && !slab->segments && chance(m, 0.5)) {
    run.gap0 = between(m, 1, blocks - 2);
    run.gap = between(m, 1, blocks - 1 - run.gap0);
  }
  slab->run = tor_grow(slab->run, (size_t)slab->nrun + 1, &cap->run, sizeof *slab->run);
  tor_node_run_place(&run, &slab->nstate, &slab->nweight);
  slab->run[slab->nrun++] = run;
  extra->run[4] = (int32_t)slab->nrun;
}

void make_injects(struct maker *m, struct tor_extra *extra, struct counts *cap, int any) {
  struct tor_slab *slab = m->slab;
  for (int c = 0; c < TOR_NCOMP; c++) {
    extra->inject[c] = (int32_t)slab->ninject;
    for (int k = any ? between(m, 0, 2) : 0; k > 0; k--) {
      struct tor_inject in = {.table = between(m, 0, TOR_NINJECT_TABLE - 1), .factor = uniform(m, -1, 1)};
      range(m, random_slab_points_z(slab, c), &in.z0, &in.nz);
      const int most = in.nz == 1 || (TABLE_WIDTH - 1) / (in.nz - 1) > 3 ? 3 : (TABLE_WIDTH - 1) / (in.nz - 1);
      in.stride = chance(m, 0.5) ? between(m, -most, most) : 0;
      const int reach = in.stride * (in.nz - 1);
      in.index = between(m, reach < 0 ? -reach : 0, TABLE_WIDTH - 1 - (reach > 0 ? reach : 0));
      if (chance(m, 0.3)) {
        in.terms = between(m, 1, 12);
        in.stride = 0;
        in.index = between(m, 0, TABLE_WIDTH - in.terms);
        in.profile = slab->nprofile;
        slab->nprofile += (tor_gidx)in.terms * in.nz;
      }
      *new_inject(slab, cap) = in;
    }
  }
  extra->inject[TOR_NCOMP] = (int32_t)slab->ninject;
}

void make_records(struct maker *m, struct tor_extra *extra, struct counts *cap, int any) {
  struct tor_slab *slab = m->slab;
  for (int c = 0; c < TOR_NCOMP; c++) {
    extra->record[c] = (int32_t)slab->nrecord;
    for (int k = any ? between(m, 0, 2) : 0; k > 0; k--) {
      struct tor_record rec = {.group = between(m, 0, 1)};
      range(m, random_slab_points_z(slab, c), &rec.z0, &rec.nz);
      rec.offset = cap->points[rec.group];
      cap->points[rec.group] += rec.nz;
      *new_record(slab, cap) = rec;
    }
  }
  extra->record[TOR_NCOMP] = (int32_t)slab->nrecord;
}

/* Most columns of the slab: those of a box without injections and records of their own. */
void make_planes(struct maker *m, struct counts *cap) {
  struct tor_slab *slab = m->slab;
  int lo[2], count[2], ninject[TOR_NCOMP], nrecord[TOR_NCOMP];
  for (int a = 0; a < 2; a++) {
    lo[a] = between(m, 0, slab->n[a] / 6);
    count[a] = slab->n[a] - between(m, 0, slab->n[a] / 6) - lo[a];
  }
  struct tor_inject inject[TOR_NCOMP][2];
  struct tor_record record[TOR_NCOMP][2];
  int along[TOR_NCOMP][2][2];
  for (int c = 0; c < TOR_NCOMP; c++) {
    const int n = random_slab_points_z(slab, c);
    ninject[c] = between(m, 0, 2);
    nrecord[c] = n < 4 ? 0 : between(m, 0, 2);
    for (int k = 0; k < 2; k++) {
      struct tor_inject *in = &inject[c][k];
      *in = (struct tor_inject){.z0 = in_segment(slab, between(m, 0, n - 1)) % n,
                                .nz = 1,
                                .table = between(m, 0, TOR_NINJECT_TABLE - 1),
                                .factor = uniform(m, -1, 1)};
      for (int a = 0; a < 2; a++) along[c][k][a] = chance(m, 0.5) && slab->n[a] < 16 ? 1 : 0;
      in->index = between(m, 0, TABLE_WIDTH - 33);
      const int z0 = k ? in_segment(slab, n / 2) % n : 0;
      record[c][k] = (struct tor_record){z0, least(between(m, 1, 2), segment_left(slab, n, z0)), 1, cap->points[1]};
      if (k < nrecord[c]) cap->points[1] += (tor_gidx)count[0] * count[1] * record[c][k].nz;
    }
  }
  for (int x = 0; x < count[0]; x++)
    for (int y = 0; y < count[1]; y++) {
      const tor_gidx column = tor_slab_column(slab, lo[0] + x, lo[1] + y);
      if (slab->cls[column] & (TOR_COL_INJECT | TOR_COL_RECORD)) continue;
      struct tor_extra *extra =
          slab->extra_id[column] < 0 ? extra_new(slab, cap, column) : &slab->extra[slab->extra_id[column]];
      slab->cls[column] |= TOR_COL_INJECT | TOR_COL_RECORD;
      for (int c = 0; c < TOR_NCOMP; c++) {
        extra->inject[c] = (int32_t)slab->ninject;
        extra->record[c] = (int32_t)slab->nrecord;
        for (int k = 0; k < ninject[c]; k++) {
          struct tor_inject *in = new_inject(slab, cap);
          *in = inject[c][k];
          in->index += along[c][k][0] * x + along[c][k][1] * y;
        }
        for (int k = 0; k < nrecord[c]; k++) {
          struct tor_record *rec = new_record(slab, cap);
          *rec = record[c][k];
          rec->offset += ((tor_gidx)x * count[1] + y) * record[c][k].nz;
        }
      }
      extra->inject[TOR_NCOMP] = (int32_t)slab->ninject;
      extra->record[TOR_NCOMP] = (int32_t)slab->nrecord;
    }
}
