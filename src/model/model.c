/* The model: see model.h. column.c makes the columns; this file sizes the slab and joins the parts. */
#include "src/model/model.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "diamond/core/column_state.h"
#include "diamond/core/slab.h"
#include "diamond/gpu/device.h"
#include "src/base/concurrent.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/base/units.h"
#include "src/disk/disk.h"
#include "src/job/design.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/model/bloch.h"
#include "src/model/coefficient.h"
#include "src/model/column.h"
#include "src/model/layers.h"
#include "src/model/lists.h"
#include "src/model/metal.h"
#include "src/model/monitor.h"
#include "src/model/pml.h"
#include "src/model/source.h"
#include "src/model/symmetry.h"
#include "src/model/tensor_node.h"
#include "src/model/tensor_planes.h"

static int round_up(int n, int to) { return (n + to - 1) / to * to; }
static int max(int a, int b) { return a > b ? a : b; }
static int min(int a, int b) { return a < b ? a : b; }

static void set_real(void *array, enum tor_precision precision, tor_gidx i, double value) {
  if (precision == TOR_F32)
    ((float *)array)[i] = (float)value;
  else
    ((double *)array)[i] = value;
}

void tor_model_size_slab(const struct tor_job *job, const struct tor_grid *grid, struct tor_slab *slab) {
  slab->order = grid->order;
  slab->precision = job->precision;
  slab->plane = grid->plane;
  slab->dt = grid->ct;
  for (int a = 0; a < 3; a++) slab->n[a] = a < 2 ? tor_grid_slices(grid, a) - 1 : grid->n[a];
  for (int a = 0; a < 2; a++) slab->held[a] = tor_grid_slices(grid, a);
  /* Extra values behind z = n: the node on the upper wall, two ghost values there and two in front of the next
   * component. */
  slab->nzp = round_up(grid->n[2] + 4, TOR_VECTOR);
  for (int f = 0; f < TOR_NFACE; f++) slab->wall[f] = tor_grid_wall(grid, f);
  for (int i = 0; i < 6; i++) {
    const double phase = (i % 2 + 1) * grid->phase[i / 2];
    slab->bloch[i / 2][i % 2][0] = cos(phase);
    slab->bloch[i / 2][i % 2][1] = -sin(phase);
  }
  for (int c = 0; c < TOR_NCOMP; c++) {
    int i = tor_comp_axis(c);
    /* eps e^2 / d_i^2 * volume / 2 with eps = ct / (A cb); H is eta0 H, so both halves read eps0 / 2 (...)^2. In order
     * 2 lengths cancel: it is the same in graded cells. */
    slab->energy_scale[c] = 0.5 * TOR_EPS0 * grid->ct / tor_grid_metric(grid, c) * grid->d[0] * grid->d[1] *
                            grid->d[2] / (grid->d[i] * grid->d[i]);
  }
}

static void hold_part(const struct tor_column_block *held, struct tor_slab *slab) {
  slab->lo[0] = held->x0;
  slab->lo[1] = held->y0;
  slab->held[0] = held->x1 - held->x0;
  slab->held[1] = held->y1 - held->y0;
}

static int layer_cells(const struct tor_grid *grid, int face) {
  return grid->face[face].wall == TOR_CPML ? grid->face[face].cells : 0;
}

/* Sets the thickness of the layers in the slab, without their arrays. */
static void size_cpml(const struct tor_grid *grid, struct tor_slab *slab) {
  for (int a = 0; a < 3; a++) {
    struct tor_cpml_axis *cpml = &slab->cpml[a];
    cpml->lo = layer_cells(grid, 2 * a);
    cpml->hi = layer_cells(grid, 2 * a + 1);
    cpml->count = cpml->lo + cpml->hi + (cpml->hi > 0);
  }
  int nz = slab->n[2], lo = slab->cpml[2].lo, hi = slab->cpml[2].hi;
  slab->zlo = lo ? min(round_up(lo, TOR_VECTOR), nz) : 0;
  slab->zhi0 = hi ? max((nz - hi) / TOR_VECTOR * TOR_VECTOR, slab->zlo) : nz;
  slab->zhi = slab->zhi0 < nz ? round_up(nz - slab->zhi0, TOR_VECTOR) : 0;
}

static void make_cpml(const struct tor_job *job, const struct tor_grid *grid, struct tor_slab *slab) {
  const double wave_number = 2 * TOR_PI / tor_job_wavelength(job), index = tor_background_index(job);
  size_cpml(grid, slab);
  size_t real = (size_t)slab->precision;
  for (int a = 0; a < 3; a++) {
    struct tor_cpml_axis *cpml = &slab->cpml[a];
    int n = slab->n[a], count = a == TOR_Z ? 2 * slab->nzp : 2 * n + 1;
    cpml->ik = tor_alloc((size_t)count, real, "boundary layers");
    cpml->b = tor_alloc((size_t)count, real, "boundary layers");
    cpml->c = tor_alloc((size_t)count, real, "boundary layers");
    for (int i = 0; i < count; i++) {
      int u = a == TOR_Z ? min(2 * (i % slab->nzp) + i / slab->nzp, 2 * n) : i;
      struct tor_pml_point p = tor_pml_at(grid, a, u, index, wave_number);
      set_real(cpml->ik, slab->precision, i, p.ik);
      set_real(cpml->b, slab->precision, i, p.b);
      set_real(cpml->c, slab->precision, i, p.c);
    }
    if (a == TOR_Z) continue;
    cpml->index = tor_alloc((size_t)n + 1, sizeof *cpml->index, "boundary layers");
    cpml->count = 0;
    for (int i = 0; i <= n; i++) {
      int layer = i < cpml->lo || (cpml->hi && i >= n - cpml->hi),
          here = i >= slab->lo[a] && i < slab->lo[a] + slab->held[a];
      cpml->index[i] = layer && here ? cpml->count++ : -1;
    }
  }
  size_t nx = (size_t)slab->held[0], ny = (size_t)slab->held[1], nzp = (size_t)slab->nzp;
  slab->psi_x = tor_alloc((size_t)slab->cpml[0].count * ny * 4 * nzp, real, "boundary layers in x");
  slab->psi_y = tor_alloc((size_t)slab->cpml[1].count * nx * 4 * nzp, real, "boundary layers in y");
  const size_t psi_z = nx * ny * 4 * (size_t)(slab->zlo + slab->zhi);
  slab->psi_z = slab->disk ? tor_disk_zeros(slab->disk, TOR_DISK_PSI_Z, psi_z * real)
                           : tor_alloc(psi_z, real, "boundary layers in z");
}

static void make_fields(struct tor_model *model, int untouched, int threads) {
  struct tor_slab *slab = &model->slab;
  size_t slice =
             (size_t)slab->held[1] * (size_t)tor_plane_comps(slab->plane) * (size_t)slab->nzp * (size_t)slab->precision,
         front = 64, nx = (size_t)slab->held[0];
  /* Ghost values of the first component are in front of z = 0. */
  size_t bytes = front + slice * nx + front;
  slab->energy = tor_alloc((size_t)tor_slab_columns(slab) * TOR_NCOMP, sizeof *slab->energy, "energy sums");
  if (slab->disk) {
    slab->field = (char *)tor_disk_zeros(slab->disk, TOR_DISK_FIELD, bytes) + front;
    return;
  }
  model->base = tor_reserve(bytes);
  if (!model->base)
    TOR_DIE("no memory for the fields: %.3f GB; use larger cells, a smaller domain or fp32", (double)bytes * 1e-9);
  slab->field = (char *)model->base + front;
  memset(model->base, 0, front);
  memset((char *)slab->field + slice * nx, 0, front);
  slab->untouched = untouched;
  if (!untouched) {
    /* Touched by the threads that will work there, so that pages lie near them. */
    const size_t parts = slab->plane ? (size_t)slab->held[1] : nx, part = slice * nx / parts;
#pragma omp parallel for schedule(static) num_threads(threads)
    for (size_t i = 0; i < parts; i++) memset((char *)slab->field + part * i, 0, part);
  }
}

static void set_classes(struct tor_slab *slab, tor_gidx *special) {
  for (int ix = slab->lo[0]; ix < slab->lo[0] + slab->held[0]; ix++)
    for (int iy = slab->lo[1]; iy < slab->lo[1] + slab->held[1]; iy++) {
      uint16_t *cls = &slab->cls[tor_slab_column(slab, ix, iy)];
      if (slab->cpml[0].index[ix] >= 0) *cls |= TOR_COL_CPML_X;
      if (slab->cpml[1].index[tor_slab_domain_y(slab, iy)] >= 0) *cls |= TOR_COL_CPML_Y;
      *special += *cls != 0;
    }
}

/* Makes all parts that take little memory: grid, sizes, sources, monitors. NULL and faults when the job is wrong. */
static struct tor_columns *outline(const struct tor_job *job, const struct tor_column_block *held,
                                   struct tor_model *model, struct tor_faults *faults) {
  memset(model, 0, sizeof *model);
  model->job = job;
  tor_grid_make(job, &model->grid);
  struct tor_grid *grid = &model->grid;
  struct tor_slab *slab = &model->slab;
  model->steps = (tor_gidx)ceil(job->run_time / grid->dt);
  tor_symmetry_check(job, grid, faults);
  tor_bloch_check(job, grid, faults);
  for (int m = 0; m < job->nmedia; m++)
    if (!tor_job_is_film_alone(job, m)) tor_medium_check(&job->media[m], job, grid, faults);
  if (job->averaging == TOR_AVERAGE_TENSOR && !faults->count) tor_metal_coef(job, grid, faults);
  if (!faults->count) tor_tensor_check(job, grid, faults);
  if (!faults->count) tor_tensor_check_modes(job, grid, faults);
  tor_model_size_slab(job, grid, slab);
  if (held) hold_part(held, slab);
  struct tor_columns *columns = tor_columns_new(job, grid, slab);
  const struct tor_layers layers = tor_columns_layers(columns);
  model->sources = tor_sources_new(job, grid, &layers, faults);
  if (!faults->count) model->monitors = tor_monitors_new(job, grid, model->sources, model->steps, faults);
  if (!faults->count) return columns;
  tor_columns_free(columns);
  tor_model_free(model);
  return NULL;
}

int tor_model_make(const struct tor_job *job, int threads, struct tor_model *model, struct tor_faults *faults) {
  return tor_model_make_part(job, NULL, 0, NULL, threads, model, faults);
}

void tor_model_check(const struct tor_job *job, struct tor_faults *faults) {
  struct tor_model model;
  struct tor_columns *columns = outline(job, NULL, &model, faults);
  if (!columns) return;
  tor_columns_free(columns);
  tor_model_free(&model);
}

/* The parts that take memory and time. */
static void fill(struct tor_columns *columns, int untouched, int threads, struct tor_model *model) {
  const struct tor_job *job = model->job;
  struct tor_slab *slab = &model->slab;
  tor_monitors_allocate(model->monitors);
  size_t ncol = (size_t)tor_slab_columns(slab), capacity = 0;
  slab->cls = tor_alloc(ncol, sizeof *slab->cls, "column classes");
  slab->extra_id = tor_alloc(ncol, sizeof *slab->extra_id, "column lists");
  memset(slab->extra_id, 0xff, ncol * sizeof *slab->extra_id);
  tor_columns_make(columns, threads, &capacity, &model->dispersive);
  tor_columns_free(columns);
  make_cpml(job, &model->grid, slab);
  tor_lists_make(slab, model->sources, model->monitors, &capacity);
  slab->ngroup = model->monitors->ngroup;
  slab->group = model->monitors->group;
  set_classes(slab, &model->special);
  make_fields(model, untouched, threads);
  if (tor_grid_complex(&model->grid)) model->imaginary_base = tor_bloch_part(slab, model->monitors->imaginary, threads);
}

/* Other runs of the process have the turn while this one's arrays are made: nothing there is common to them. */
int tor_model_make_part(const struct tor_job *job, const struct tor_column_block *held, int untouched,
                        struct tor_disk *disk, int threads, struct tor_model *model, struct tor_faults *faults) {
  struct tor_columns *columns = outline(job, held, model, faults);
  if (!columns) return -1;
  model->slab.disk = disk;
  tor_concurrent_give(0);
  fill(columns, untouched, threads, model);
  tor_concurrent_take(0);
  if (!disk || !tor_disk_ready(&model->slab)) return 0;
  tor_fault_at(faults, tor_job_place(job, "schedule.disk"), "%s: no space for the columns: %s", job->schedule.disk,
               strerror(errno));
  tor_model_free(model);
  return -1;
}

/* Above so many objects each column takes milliseconds, and fewer are sampled. */
enum { MANY_OBJECTS = 4000 };

/* Why a GPU's towers cannot run the job's periodic walls: of an estimate, whose slab has neither an imaginary part nor
 * absorbers yet. NULL: they can, or there are none. */
static const char *no_rings(const struct tor_model *model, const struct tor_job *job) {
  static double damping;
  struct tor_slab part, slab = model->slab;
  if (slab.plane) return NULL;
  if (tor_grid_complex(&model->grid)) slab.other = &part;
  slab.has_nodes = tor_job_has_nodes(job);
  for (int f = 0; f < TOR_NFACE; f++)
    if (job->boundary[f].wall == TOR_ABSORBER) slab.damping[TOR_X] = &damping;
  return tor_device_no_rings(&slab);
}

int tor_model_estimate(const struct tor_job *job, struct tor_model_size *size, struct tor_faults *faults) {
  struct tor_model model;
  struct tor_columns *columns = outline(job, NULL, &model, faults);
  if (!columns) return -1;
  const struct tor_slab *s = &model.slab;
  size_cpml(&model.grid, &model.slab);
  tor_concurrent_give(0);
  struct tor_columns_size c = tor_columns_estimate(columns, job->nobjects > MANY_OBJECTS ? 1000 : 4000);
  tor_concurrent_take(0);
  double nx = s->held[0], ny = s->held[1], nzp = s->nzp, real = s->precision;
  *size =
      (struct tor_model_size){.grid = model.grid, .steps = model.steps, .energy_every = model.monitors->energy_every};
  size->cells = (double)size->grid.n[0] * s->n[1] * s->n[2];
  size->dispersive = c.dispersive;
  memcpy(size->nodes, c.nodes, sizeof size->nodes);
  size->no_rings = no_rings(&model, job);
  size->fits_towers = !size->no_rings && tor_device_has_rows(s);
  struct tor_model_memory *m = &size->memory;
  m->fields = nx * ny * tor_plane_comps(s->plane) * nzp * real;
  m->cpml_z = real * 4 * nx * ny * (s->zlo + s->zhi);
  m->cpml = real * 4 * nzp * (s->cpml[0].count * ny + s->cpml[1].count * nx) + m->cpml_z;
  m->coefficients = real * c.coef;
  m->poles = real * (c.state + c.weight) + c.runs * sizeof(struct tor_pole_range);
  m->monitors = tor_monitors_bytes(model.monitors, &m->series);
  m->copies = fmax(tor_monitors_copies(model.monitors),
                   job->run_until > 0 ? tor_monitors_largest(model.monitors) : 0); /* run/settling.c */
  for (int i = 0; i < job->ndesigns; i++) m->designs += 8.0 * (double)tor_design_count(&job->designs[i]);
  m->dft_samples = real * tor_monitors_recorded(model.monitors, &m->dft_sample_step);
  m->dft_sample_step *= real;
  double entries;
  m->lists = real * (double)tor_sources_profiles(model.sources, NULL, s->precision, NULL) + nx * ny * (6 + 48) +
             tor_lists_bytes(model.sources, model.monitors, nx * ny, c.extra, &entries);
  /* 16 bytes for 32 values along z of a column; 1.2 times the values of pole ranges, since some vectors are not full; 8
   * bytes for an entry of a list. */
  const int ranges = s->n[2] / 32 + 1;
  m->towers = 16.0 * ranges * nx * ny + 1.2 * real * c.dispersive + 8 * entries;
  if (tor_grid_complex(&model.grid)) {
    m->fields *= 2;
    m->cpml_z *= 2;
    m->cpml *= 2;
    m->poles += real * c.state;
  }
  m->total = m->fields + m->cpml + m->coefficients + m->poles + m->monitors + m->lists;
  size->values_dispersive = (tor_grid_complex(&model.grid) ? 2 : 1) * c.state;
  tor_columns_free(columns);
  tor_model_free(&model);
  return 0;
}

void tor_model_free(struct tor_model *model) {
  struct tor_slab *slab = &model->slab;
  tor_bloch_part_free(slab, model->imaginary_base);
  tor_slab_free_tables(slab);
  if (slab->disk) slab->psi_z = slab->coef = slab->state = slab->weight = NULL; /* they are the disk's */
  void *parts[] = {model->base,      slab->cls,        slab->extra_id,   slab->extra,     slab->cb,     slab->ca1,
                   slab->damping[0], slab->damping[1], slab->damping[2], slab->coef,      slab->psi_x,  slab->psi_y,
                   slab->psi_z,      slab->dispersion, slab->run,        slab->state,     slab->weight, slab->inject,
                   slab->record,     slab->energy,     slab->profile,    slab->magnetised};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) free(parts[i]);
  tor_sources_free(model->sources);
  tor_monitors_free(model->monitors);
  memset(model, 0, sizeof *model);
}

double tor_model_energy(const struct tor_model *model, const struct tor_column_block *columns) {
  const struct tor_slab *slab = &model->slab;
  double total = 0;
  for (int ix = columns->x0; ix < columns->x1; ix++)
    for (int iy = columns->y0; iy < columns->y1; iy++)
      for (int c = 0; c < TOR_NCOMP; c++)
        total += slab->energy_scale[c] * slab->energy[tor_slab_column(slab, ix, iy) * TOR_NCOMP + c];
  return total;
}
