/* Ranks on GPUs against the stepwise engine in one process: equal bits of all own columns, energies and monitors, for
 * random jobs with every feature, in every grid of ranks, with slabs that stay on the GPU and with slabs over which a
 * window passes; from three ranks on also with slabs narrower than two overlaps. Run by mpirun or alone, with one rank
 * or several in each process; ranks share GPUs where there are fewer.
 *
 *     ranks [seeds [32 | 64 | 0 [2 | 4 | 0 [resident | window | both | plane | complex | ring [small | short | long
 * [RANKS]]]]]]
 *
 * plane: 2-D jobs. complex: fields between Bloch walls, resident and through windows, ranks along x alone. ring: real
 * fields around a periodic y that ranks share, resident and through windows. short: few
 * steps, smaller slabs, one TH a grid. small: the same, slabs as small as their number allows, which windows hold
 * whole. RANKS: in each process, a thread for each. Exit status 0: equal; 1: not; 77: no GPU
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm/exchange/reduce.h"
#include "diamond/gpu/device.h"
#include "src/simulation/simulation.h"
#include "tests/support/random_job.h"
#include "tests/support/same_state.h"

/* Zeroes the field's values that no stencil reads and that engines may leave undefined: padding between components,
 * and images other than those that tests/support/random_slab.c compares. */
static void clear_unread_of(struct tor_slab *slab, const struct tor_column_block *own) {
  enum { IMAGES = 2 };
  const int n = slab->n[2];
  for (int ix = own->x0; ix < own->x1; ix++)
    for (int iy = own->y0; iy < own->y1; iy++)
      for (int c = 0; c < TOR_NCOMP; c++) {
        const int along_z = tor_comp_axis(c) == TOR_Z, h = tor_comp_is_h(c), images = along_z ? 0 : slab->order / 2;
        const int lo = images && !h ? 1 - images : -images,
                  hi = images ? n + images : n + (h == along_z && slab->wall[TOR_ZHI] == TOR_PMC);
        if (!tor_comp_exists(slab->plane, c)) continue;
        const tor_gidx at = tor_slab_vector(slab, tor_slab_column(slab, ix, iy), c);
        const size_t real = slab->precision;
        memset((char *)slab->field + (at - IMAGES) * (tor_gidx)real, 0, (size_t)(IMAGES + lo) * real);
        memset((char *)slab->field + (at + hi) * (tor_gidx)real, 0, (size_t)(slab->nzp - IMAGES - hi) * real);
      }
}

static void clear_unread(struct tor_slab *slab, const struct tor_column_block *own) {
  clear_unread_of(slab, own);
  if (slab->other) clear_unread_of(slab->other, own);
}

static _Thread_local int moved;  /* slabs larger than their window */
static _Thread_local int narrow; /* runs with slabs narrower than two overlaps */
static _Thread_local int arcs;   /* runs in which ranks share a ring */

/* Bytes of a window that holds a stage and some columns more, also where each has coefficients and poles of its own;
 * each array has 2 MiB at least. */
static double window_bytes(const struct tor_slab *slab, int th, int dts) {
  const double s = slab->order == 4 ? 3 : 1, columns = s * th + 3 * s * dts + 4 * s + 8 + th % 4 * 10,
               granule = 2 << 20;
  const double field = (double)slab->held[1] * 6 * slab->nzp * slab->precision;
  return 3.5 * columns * field + 5 * granule;
}

/* 1: the same; 0: not; -1: that number of ranks does not fit. */
static int same_run(const struct tor_job *job, struct tor_simulation *whole, const int ranks[2], int th, int windowed) {
  const int layer_z = whole->model->slab.cpml[TOR_Z].lo + whole->model->slab.cpml[TOR_Z].hi > 0;
  const int dts = job->plane ? TOR_GPU_PLANE_HALO(job->order) : tor_device_dts(job->order, job->precision, layer_z);
  struct tor_decomposition layout;
  if (tor_decomposition_make(&layout, &whole->model->slab, dts, th, ranks, NULL)) return -1;
  layout.margin = dts * (job->order == 4 ? 3 : 1);
  narrow += layout.narrow;
  arcs += layout.ring;
  struct tor_part share = tor_decomposition_part(&layout, tor_message_rank() / ranks[1], tor_message_rank() % ranks[1]);
  struct tor_model part;
  struct tor_exchange exchange;
  struct tor_simulation sim;
  same_state_model(job, &share.held, &part);
  tor_exchange_open(&exchange, &layout, &part.slab, share.x, share.y);
  tor_simulation_init(&sim, &part, &(struct tor_engine_setup){TOR_ENGINE_DIAMOND, dts, 1}, th);
  tor_simulation_use_ranks(&sim, &exchange);
  const double window = windowed ? window_bytes(&part.slab, th, dts) : 0;
  const double fields = (double)tor_slab_columns(&part.slab) * TOR_NCOMP * part.slab.nzp * part.slab.precision;
  moved += windowed && fields > window;
  tor_simulation_use_gpu(&sim, tor_message_neighbour() % tor_device_count(), window);
  while (!tor_simulation_done(&sim)) {
    tor_simulation_stage(&sim, part.steps);
    if (exchange.stages % 5 == 3) tor_exchange_settle(&exchange);
  }
  tor_simulation_fetch(&sim);
  clear_unread(&part.slab, &share.own);
  clear_unread(&whole->model->slab, &share.own);
  int ok = same_columns(&part.slab, &whole->model->slab, &share.own);
  ok &= same_records(&exchange, &sim, whole);
  tor_exchange_close(&exchange);
  tor_simulation_free(&sim);
  tor_model_free(&part);
  tor_decomposition_free(&layout);
  return ok;
}

static _Thread_local int failures, compared;

static void compare_grid(const struct tor_job *job, struct tor_simulation *whole, int px, int py, int th,
                         int windowed) {
  const int ok = same_run(job, whole, (const int[2]){px, py}, th, windowed), bad = tor_message_lowest(!ok);
  compared += ok >= 0;
  failures += bad >= 0;
  if (!ok)
    printf("FAILED rank %d of %d x %d: order %d, fp%d, TH %d, %d x %d columns\n", tor_message_rank(), px, py,
           job->order, 8 * job->precision, th, whole->model->slab.n[0], whole->model->slab.n[1]);
}

enum size { SMALL, SHORT, LONG };
static enum size size = LONG;

/* A job in every grid of ranks that fits. */
static void compare_grids(const struct tor_job *job, struct tor_simulation *whole, unsigned seed, int windowed) {
  static const int th[] = {2, 16, 5, 9, 4, 1, 3};
  const int n = tor_message_ranks(), tries = size == LONG ? 2 : 1;
  unsigned runs = 0;
  for (int px = 1; px <= n; px++)
    for (int try = 0; try < tries && n % px == 0 && (px == n || !whole->model->slab.other); try++)
      compare_grid(job, whole, px, n / px, th[(seed * 2 + runs++) % 7], windowed);
}

/* Calls `grids` with a job and its run in one process. */
static void run_whole(const struct tor_job *job, unsigned seed, int windowed,
                      void (*grids)(const struct tor_job *, struct tor_simulation *, unsigned, int)) {
  struct tor_model whole;
  struct tor_simulation sim;
  same_state_model(job, NULL, &whole);
  tor_simulation_init(&sim, &whole, &(struct tor_engine_setup){TOR_ENGINE_STEPWISE, 1, 2}, 16);
  while (!tor_simulation_done(&sim)) tor_simulation_stage(&sim, whole.steps);
  tor_simulation_fetch(&sim); /* closes seams */
  if (job->plane || tor_device_has_rows(&whole.slab)) grids(job, &sim, seed, windowed);
  tor_simulation_free(&sim);
  tor_model_free(&whole);
}

/* All ranks along x, each between two others as narrow as an overlap. */
enum { NARROW_TH = 16 };
static void compare_narrow(const struct tor_job *job, struct tor_simulation *whole, unsigned seed, int windowed) {
  (void)seed;
  compare_grid(job, whole, tor_message_ranks(), 1, NARROW_TH, windowed);
}
static int narrow_columns(const struct tor_job *job, int layer_z, int ranks) {
  const int s = job->order == 4 ? 3 : 1, radius = s * tor_device_dts(job->order, job->precision, layer_z),
            units = (s * NARROW_TH + 2 * radius - 1) / radius;
  return (units * (ranks - 2) + 2) * radius;
}

/* Cells along x and y for n ranks. */
static void take_size(struct tor_job *job, int n, int windowed) {
  static const int x[3][2] = {{24, 16}, {40, 30}, {60, 50}}, x_windowed[3][2] = {{24, 16}, {120, 120}, {200, 200}},
                   y[3][2] = {{4, 16}, {20, 20}, {30, 30}};
  const int *along_x = (windowed ? x_windowed : x)[size], *along_y = y[size];
  job->size[0] = (along_x[0] + n * along_x[1]) * job->cell[0];
  job->size[1] = (windowed && size != SMALL ? 100 : along_y[0] + n * along_y[1]) * job->cell[1];
  job->run_time *= size == LONG ? 0.5 : 0.1;
}

/* Fields between Bloch walls, which media with a Kerr effect do not have, nor GPUs' towers absorbers there. */
static void use_complex(struct tor_job *job, unsigned seed) {
  for (int f = 0; f < TOR_NFACE; f++)
    if (job->boundary[f].wall == TOR_ABSORBER) job->boundary[f].wall = TOR_CPML;
  tor_random_job_use_bloch(job, seed);
}

static void compare(int order, enum tor_precision precision, int seeds, int windowed, int bloch) {
  for (unsigned seed = 1; seed <= (unsigned)seeds; seed++) {
    struct tor_job job;
    tor_random_job(seed, order, precision, &job);
    if (seed % 2) tor_random_job_use_tensor(&job, 1);
    const int n = tor_message_ranks();
    take_size(&job, n, windowed);
    if (seed % 4 == 3) tor_random_job_use_tensors(&job, seed);
    if (seed % 4 == 0)
      tor_random_job_use_full(&job, seed / 4 % 4 == 3 ? 1 : seed / 4); /* not with gain, without towers */
    if (bloch || seed % 4 == 2)
      tor_random_job_use_periodic(&job, 1u << TOR_Y | (bloch ? seed % 2 : seed % 8 == 2) << TOR_Z);
    if (bloch) use_complex(&job, seed);
    job.samples = 1;
    if (seed % 3 == 0) job.run_decay = 0.7;
    run_whole(&job, seed, windowed, compare_grids);
    const int layer_z = job.boundary[TOR_ZLO].wall == TOR_CPML || job.boundary[TOR_ZHI].wall == TOR_CPML;
    job.size[0] = narrow_columns(&job, layer_z, n) * job.cell[0];
    if (n > 2) run_whole(&job, seed, windowed, compare_narrow);
    tor_job_free(&job);
  }
  if (!tor_message_rank())
    printf("order %d fp%d%s: %d runs compared so far, %d failures\n", order, 8 * precision, windowed ? ", window" : "",
           compared, failures);
  fflush(stdout);
}

/* Rings of real fields that ranks along y share, as narrow as they may be and somewhat wider. */
static void compare_rings(int order, enum tor_precision precision, int seeds, int windowed) {
  for (unsigned seed = 1; seed <= (unsigned)seeds; seed++) {
    struct tor_job job;
    tor_random_job(seed, order, precision, &job);
    if (seed % 2) tor_random_job_use_tensor(&job, 1);
    take_size(&job, tor_message_ranks(), windowed);
    if (seed % 4 == 3) tor_random_job_use_tensors(&job, seed);
    job.size[1] = (36 * tor_message_ranks() + 12 * (int)(seed % 2)) * job.cell[1];
    tor_random_job_use_periodic(&job, 1u << TOR_Y | (seed % 4 == 2) << TOR_Z);
    job.samples = 1;
    run_whole(&job, seed, windowed, compare_grids);
    tor_job_free(&job);
  }
  if (!tor_message_rank())
    printf("order %d fp%d, rings%s: %d runs compared so far, %d failures\n", order, 8 * precision,
           windowed ? ", window" : "", compared, failures);
  fflush(stdout);
}

/* 2-D jobs, TM and TE: ranks along the job's y, each with twice the halo rows, and panels between the walls. */
static void compare_planes(int order, enum tor_precision precision, int seeds) {
  const int n = tor_message_ranks(), halo = TOR_GPU_PLANE_HALO(order) * (order == 4 ? 3 : 1);
  for (unsigned seed = 1; seed <= 2 * (unsigned)seeds; seed++) {
    struct tor_job job;
    tor_random_job(seed, order, precision, &job);
    if (seed % 2) tor_random_job_use_tensor(&job, 1);
    tor_random_job_make_plane(&job, seed % 2 ? TOR_PLANE_TM : TOR_PLANE_TE);
    job.size[1] = (2 * halo * n + (int)seed) * job.cell[1];
    job.size[2] = 110 * job.cell[2];
    job.run_time *= 0.2;
    job.samples = 1;
    if (seed % 3 == 0) job.run_decay = 0.7;
    run_whole(&job, seed, 0, compare_grids);
    tor_job_free(&job);
  }
  if (!tor_message_rank())
    printf("order %d fp%d, 2-D: %d runs compared so far, %d failures\n", order, 8 * precision, compared, failures);
  fflush(stdout);
}

/* What to do, from the command line. */
struct wish {
  int seeds, bits, order, wants[5]; /* wants: resident, window, 2-D, complex fields, rings */
  int failed;                       /* on all ranks */
};

static void compare_all(void *self) {
  struct wish *w = self;
  for (int kind = 0; kind < 5; kind++)
    for (int order = 2; order <= 4 && w->wants[kind]; order += 2)
      for (int bytes = 4; bytes <= 8; bytes += 4) {
        const enum tor_precision precision = bytes == 4 ? TOR_F32 : TOR_F64;
        if ((w->bits && w->bits != 8 * bytes) || (w->order && w->order != order)) continue;
        if (kind == 2)
          compare_planes(order, precision, w->seeds);
        else
          for (int windowed = kind == 1; windowed <= (kind != 0); windowed++)
            kind == 4 ? compare_rings(order, precision, w->seeds, windowed)
                      : compare(order, precision, w->seeds, windowed, kind == 3);
      }
  const int unmoved = w->wants[1] && size != SMALL && tor_message_lowest(moved > 0) < 0;
  if (!tor_message_rank() && w->wants[1]) printf("%d slabs of rank 0 were larger than their window\n", moved);
  if (!tor_message_rank() && narrow) printf("%d runs with slabs narrower than two overlaps\n", narrow);
  if (!tor_message_rank() && arcs) printf("%d runs in which ranks share a ring\n", arcs);
  const int missed = w->wants[4] ? !arcs : tor_message_ranks() > 2 && !narrow && !w->wants[2];
  const int failed = tor_message_lowest(failures > 0 || compared == 0 || unmoved || missed) >= 0;
  if (tor_message_rank() % tor_message_in_process() == 0) w->failed = failed;
}

int main(int argc, char **argv) {
  tor_message_begin(&argc, &argv);
  const char *which = argc > 4 ? argv[4] : "both";
  struct wish wish = {.seeds = argc > 1 ? atoi(argv[1]) : 4,
                      .bits = argc > 2 ? atoi(argv[2]) : 0,
                      .order = argc > 3 ? atoi(argv[3]) : 0,
                      .wants = {!strcmp(which, "resident") || !strcmp(which, "both"),
                                !strcmp(which, "window") || !strcmp(which, "both"), !strcmp(which, "plane"),
                                !strcmp(which, "complex"), !strcmp(which, "ring")}};
  if (argc > 5) size = !strcmp(argv[5], "small") ? SMALL : !strcmp(argv[5], "short") ? SHORT : LONG;
  const int in_process = argc > 6 ? atoi(argv[6]) : 1;
  if (in_process > 1) tor_device_several();
  const int none = tor_message_lowest(!tor_device_count()) >= 0;
  if (none)
    printf("no GPU\n");
  else
    tor_message_split(in_process, compare_all, &wish);
  tor_message_end();
  return none ? 77 : wish.failed;
}
