/* See host_border.h. */
#include "host_border.h"

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int copies;
static cudaError_t host_copy(void *to, const void *from, size_t bytes, cudaMemcpyKind, cudaStream_t) {
  memcpy(to, from, bytes);
  return cudaSuccess;
}
static cudaError_t host_copy_2d(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t bytes,
                                size_t rows, cudaMemcpyKind, cudaStream_t) {
  copies++;
  for (size_t i = 0; i < rows; i++) memcpy((char *)to + i * to_pitch, (const char *)from + i * from_pitch, bytes);
  return cudaSuccess;
}
#define cudaMemcpyAsync host_copy
#define cudaMemcpy2DAsync host_copy_2d
#include "../../diamond/border_gpu.cu"

enum { ROW = -1, STEPS = 5 }; /* of the tower that comes with a part, below the run's first row 0 */

struct end {
  tor_gpu_view view;
  tor_gpu_group *group;
  border border;
  struct words word;
  int arrived[3];
};

static void open_end(struct end *e, const struct tor_slab *slab, enum tor_gpu_side side) {
  memset(e, 0, sizeof *e);
  e->view.field = (real *)slab->field;
  e->view.psi[TOR_X] = (real *)slab->psi_x;
  e->view.psi[TOR_Y] = (real *)slab->psi_y;
  e->view.psi[TOR_Z] = (real *)slab->psi_z;
  e->view.state = (real *)slab->state;
  e->view.nzp = slab->nzp;
  e->view.stride = slab->held[1];
  e->view.zlo = slab->zlo;
  e->view.zhi = slab->zhi;
  e->group = (tor_gpu_group *)room_for(nullptr, ((size_t)slab->ngroup + 1) * sizeof *e->group);
  for (int g = 0; g < slab->ngroup; g++)
    e->group[g] = {slab->group[g].kind == TOR_RECORD_SERIES,
                   slab->group[g].nfreq,
                   slab->group[g].npoints,
                   slab->group[g].data,
                   nullptr,
                   nullptr};
  e->border.slab = slab;
  e->border.view = &e->view;
  e->border.group = e->group;
  e->border.side = side;
  e->border.arrived = e->arrived;
  e->border.word = &e->word;
}

static void close_end(struct end *e) {
  free(e->group);
  free(e->border.record);
  free(e->border.piece);
}

static void meet(struct end *e, const struct end *other) {
  const struct tor_slab *there = other->border.slab;
  e->border.peer = {{(char *)(other->view.field - TOR_GPU_SLACK), (char *)other->view.psi[TOR_Z]},
                    {there->lo[0], there->lo[1]},
                    there->held[1]};
}

int host_border_move(const struct tor_slab *from, const struct tor_slab *to, const struct tor_strip_part *part,
                     int near) {
  struct end giver, taker;
  open_end(&giver, from, TOR_GPU_ABOVE);
  open_end(&taker, to, TOR_GPU_BELOW);
  if (near) {
    meet(&giver, &taker);
    meet(&taker, &giver);
  }
  const size_t bytes = TOR_NAME(tor_gpu_border_bytes)(&giver.border, part);
  int result = -1;
  if (bytes != TOR_NAME(tor_gpu_border_bytes)(&taker.border, part)) {
    printf("the two ends of a border have messages of different sizes\n");
  } else {
    char *message = (char *)room_for(nullptr, bytes + 1);
    copies = 0;
    TOR_NAME(tor_gpu_border_take)(&giver.border, part, message);
    result = copies;
    TOR_NAME(tor_gpu_border_put)(&taker.border, part, message, ROW, STEPS);
    free(message);
    if (taker.arrived[1 - ROW] != STEPS) {
      printf("the towers are not told of what has come\n");
      result = -1;
    }
  }
  close_end(&giver);
  close_end(&taker);
  return result;
}
