/* A stage on the device: its tables, and a run of the whole slab. See device.h. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/error.h"
#include "diamond/gpu/engine/copy.cuh"

typedef struct tor_gpu_copy copy;

/* The steps of a group's samples in a stage, and the samples' numbers there, [steps] each; returns how many there are.
 */
static int find_samples(const int *sample, int steps, int *step, int *number) {
  int count = 0;
  for (int i = 0; i < steps; i++) {
    number[i] = sample[i] >= 0 ? count : -1;
    if (sample[i] >= 0) step[count++] = i;
  }
  return count;
}

/* Replaces device memory, by calls that wait for no other device of this process: towers of that device may wait for
 * the next ones here. */
static void *enlarge(void *memory, size_t bytes) {
  if (memory) CUDA_TRY(cudaFreeAsync(memory, 0));
  CUDA_TRY(cudaMallocAsync(&memory, bytes, 0));
  return memory;
}

/* Divides memory for the DFT samples of a stage among the groups. */
static void divide_dft_samples(copy *gpu, int steps) {
  const struct tor_slab *slab = gpu->slab;
  size_t used = 0;
  gpu->samples = (int *)tor_grow(gpu->samples, 2 * (size_t)slab->ngroup * (size_t)steps, &gpu->samples_capacity,
                                 sizeof *gpu->samples);
  for (int g = 0; g < slab->ngroup; g++) {
    tor_gpu_group *group = &gpu->group[g];
    int *const step = gpu->samples + 2 * (size_t)g * (size_t)steps;
    group->ndft_samples = find_samples(slab->group[g].sample, steps, step, step + steps);
    if (group->series) group->ndft_samples = 0;
    used += (size_t)group->ndft_samples * (size_t)group->npoints;
  }
  if (used > gpu->dft_sample_capacity) {
    gpu->dft_sample_values = (real *)enlarge(gpu->dft_sample_values, used * sizeof(real));
    CUDA_TRY(cudaMemsetAsync(gpu->dft_sample_values, 0xff, used * sizeof(real), 0)); /* no sample: dft.cu */
    gpu->dft_sample_capacity = used;
  }
  real *at = gpu->dft_sample_values;
  for (int g = 0; g < slab->ngroup; g++) {
    tor_gpu_group *group = &gpu->group[g];
    group->dft_samples = group->ndft_samples ? at : nullptr;
    at += (size_t)group->ndft_samples * (size_t)group->npoints;
  }
}

/* A place for `bytes` in the stage's memory, filled from the host. A first pass with no memory only counts. */
static char *place(copy *gpu, size_t *used, const void *from, size_t bytes) {
  char *to = gpu->stage + *used;
  if (gpu->stage && bytes) memcpy(gpu->stage_host + *used, from, bytes);
  *used += (bytes + 15) / 16 * 16;
  return to;
}

static size_t place_stage(copy *gpu, const struct tor_stage *stage) {
  tor_gpu_view *s = &gpu->view;
  size_t used = 0, steps = (size_t)stage->steps;
  for (int t = 0; t < TOR_NINJECT_TABLE; t++) {
    s->width[t] = stage->width[t];
    s->table[t] = (const real *)place(gpu, &used, stage->table[t],
                                      stage->table[t] ? steps * (size_t)stage->width[t] * sizeof(real) : 0);
  }
  for (int g = 0; g < gpu->slab->ngroup; g++) {
    const struct tor_record_group *group = &gpu->slab->group[g];
    const int *step = gpu->samples + 2 * (size_t)g * steps;
    gpu->group[g].dft_sample_step = (const int *)place(gpu, &used, step, steps * sizeof(int));
    gpu->group[g].sample =
        (const int *)place(gpu, &used, gpu->group[g].dft_samples ? step + steps : group->sample, steps * sizeof(int));
    gpu->group[g].phase = (const double *)place(gpu, &used, group->phase,
                                                group->phase ? steps * 4 * (size_t)group->nfreq * sizeof(double) : 0);
  }
  s->group = (const tor_gpu_group *)place(gpu, &used, gpu->group, (size_t)gpu->slab->ngroup * sizeof *gpu->group);
  uint8_t *sampled = (uint8_t *)calloc(steps + 1, 1);
  for (int g = 0; g < gpu->slab->ngroup; g++)
    for (size_t i = 0; i < steps; i++) sampled[i] |= gpu->slab->group[g].sample[i] >= 0;
  s->sampled = (const uint8_t *)place(gpu, &used, sampled, steps);
  free(sampled);
  return used;
}

/* Towers, or the panels of a 2-D slab, for all of the slab; false: stepwise alone can. */
static bool has_towers(copy *gpu) {
  const tor_gpu_view *s = &gpu->view;
  if (s->plane && !s->other_field) {
    if (!gpu->plane) gpu->plane = TOR_NAME(tor_gpu_plane_new)(gpu->slab, s, 0, gpu->slab->held[1]);
    return TOR_NAME(tor_gpu_plane_pays)(gpu->plane);
  }
  return tor_device_has_rows(gpu->slab);
}

/* Towers and panels end at each step that sums the energy. */
static void run_stage(copy *gpu, const uint8_t *energy, bool stepwise) {
  tor_gpu_view *s = &gpu->view;
  const cudaStream_t stream = gpu->stream;
  const tor_gpu_view imaginary = tor_gpu_imaginary(gpu);
  if (stepwise) {
    const struct tor_gpu_span span = {0, s->steps, INT_MAX, INT_MIN, nullptr};
    TOR_NAME(tor_gpu_stepwise)(s, s->other_field ? &imaginary : nullptr, gpu->slab->order, &span, energy, stream);
    return;
  }
  if (s->other_field && s->periodic[TOR_Z]) TOR_NAME(tor_gpu_cross_ghosts)(s, 0, s->n[0] + 1, stream);
  for (int step = 0, past; step < s->steps; step = past) {
    for (past = step + 1; past < s->steps && !energy[past - 1];) past++;
    if (s->plane)
      TOR_NAME(tor_gpu_plane_run)(gpu->plane, s, step, past - step, stream);
    else
      TOR_NAME(tor_gpu_plain_run)(gpu->plain, s, gpu->slab->order, step, past - step, stream);
    if (!energy[past - 1]) continue;
    TOR_NAME(tor_gpu_sum_energies)(s, 0, s->n[0] + 1, stream);
    if (s->other_field) TOR_NAME(tor_gpu_sum_energies)(&imaginary, 0, s->n[0] + 1, stream);
  }
}

void TOR_NAME(tor_gpu_load_stage)(copy *gpu, const struct tor_stage *stage) {
  divide_dft_samples(gpu, stage->steps);
  char *kept = gpu->stage;
  gpu->stage = nullptr;
  size_t bytes = place_stage(gpu, stage);
  gpu->stage = kept;
  if (bytes > gpu->stage_bytes) {
    gpu->stage = (char *)enlarge(gpu->stage, bytes);
    /* Ordinary memory: to pin some could wait for other devices of the process, whose towers may wait for this one. */
    free(gpu->stage_host);
    gpu->stage_host = (char *)tor_alloc(bytes, 1, "tables of a stage");
    gpu->stage_bytes = bytes;
  }
  place_stage(gpu, stage);
  CUDA_TRY(cudaMemcpy(gpu->stage, gpu->stage_host, bytes, cudaMemcpyHostToDevice));
  gpu->view.steps = stage->steps;
  CUDA_TRY(cudaStreamSynchronize(0)); /* other streams do not wait for its copies */
}

void TOR_NAME(tor_gpu_run)(struct tor_device *device, const struct tor_stage *stage, enum tor_engine_kind engine) {
  copy *gpu = tor_gpu_use(device);
  TOR_NAME(tor_gpu_load_stage)(gpu, stage);
  uint8_t *none = stage->energy ? nullptr : (uint8_t *)calloc((size_t)stage->steps, 1);
  const uint8_t *energy = stage->energy ? stage->energy : none;
  /* The division into panels is no part of the stage's time. */
  const bool stepwise = engine == TOR_ENGINE_STEPWISE || (!gpu->sweep && !has_towers(gpu));
  if (stepwise && gpu->slab->segments) TOR_DIE("stepwise on a GPU: the slab has segments, which towers alone run");
  cudaEvent_t start, end;
  CUDA_TRY(cudaEventCreate(&start));
  CUDA_TRY(cudaEventCreate(&end));
  CUDA_TRY(cudaEventRecord(start, gpu->stream));
  if (gpu->sweep) {
    TOR_NAME(tor_gpu_sweep_run)(gpu->sweep, &gpu->view, gpu->slab->order, energy);
  } else {
    run_stage(gpu, energy, stepwise);
    TOR_NAME(tor_gpu_set_ghosts)(&gpu->view, 0, gpu->view.n[0] + 1, gpu->stream);
    if (gpu->view.other_field) {
      const tor_gpu_view imaginary = tor_gpu_imaginary(gpu);
      TOR_NAME(tor_gpu_set_ghosts)(&imaginary, 0, gpu->view.n[0] + 1, gpu->stream);
    }
  }
  TOR_NAME(tor_gpu_dft_sum)(gpu->dft_samples, &gpu->view, gpu->stream);
  if (gpu->imaginary_samples) TOR_NAME(tor_gpu_dft_sum)(gpu->imaginary_samples, &gpu->view, gpu->stream);
  CUDA_TRY(cudaEventRecord(end, gpu->stream));
  CUDA_TRY(cudaEventSynchronize(end));
  CUDA_TRY(cudaEventElapsedTime(&gpu->milliseconds, start, end));
  CUDA_TRY(cudaEventDestroy(start));
  CUDA_TRY(cudaEventDestroy(end));
  free(none);
}
