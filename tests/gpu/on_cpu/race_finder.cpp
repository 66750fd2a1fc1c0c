/* Tests that races.cpp finds races, and none where there are none, in kernels of a few lines. */
#include <cstdio>

#include "tests/gpu/on_cpu/cuda_runtime.h"

static int failures;

/* Runs a kernel of so many threads in so many blocks one after another; `copied` is memory of the device. */
static int copied[32];
static void expect(const char *what, bool race, unsigned threads, unsigned blocks,
                   const std::function<void()> &kernel) {
  on_cpu::start({{blocks, 1, 1}, {threads, 1}, 1, false, 1024}, kernel);
  while (on_cpu::resume() != on_cpu::ENDED) continue;
  const bool found = on_cpu::races_found() > 0;
  printf("%s: %s, %s\n", found == race ? "ok" : "FAILED", what, found ? "a race" : "no race");
  failures += found != race;
}

static int *words() { return (int *)(block_bytes() + 256); }
static uint64_t *barrier() { return (uint64_t *)block_bytes(); }

template <bool SYNC> static void write_and_read() {
  if (threadIdx.x == 3) words()[7] = 1;
  if (SYNC) __syncthreads();
  if (threadIdx.x == 40) words()[8] = words()[7];
}
/* Warp 0 writes for warp 1; SIGNALS: it arrives at the barrier after the writes, not before. */
template <bool SIGNALS> static void produce_and_consume() {
  if (threadIdx.x < 32) {
    if (!SIGNALS) come_to(1, 64);
    words()[threadIdx.x] = 1;
    if (SIGNALS) come_to(1, 64);
  } else {
    wait_at(1, 64);
    words()[threadIdx.x] = words()[threadIdx.x - 32];
  }
}
/* Warp 0 reads words that warp 1 overwrites. */
template <bool SIGNALS> static void read_and_overwrite() {
  if (threadIdx.x < 32) {
    words()[threadIdx.x + 32] = words()[threadIdx.x];
    if (SIGNALS) come_to(1, 64);
  } else {
    if (SIGNALS) wait_at(1, 64);
    words()[threadIdx.x - 32] = 1;
  }
}
static void write_bytes() { ((unsigned char *)words())[threadIdx.x] = 1; }
static void write_words_of_blocks() { copied[threadIdx.x] = 1; }
template <bool SYNC> static void write_for_warp() {
  words()[threadIdx.x] = 1;
  if (SYNC)
    __syncwarp();
  else
    __any_sync(~0u, 1);
  words()[32 + threadIdx.x] = words()[threadIdx.x ^ 1];
}
/* WAITS: the reading threads have waited for the copy; KEEPS: its source is not changed before. */
template <bool WAITS, bool KEEPS> static void copy() {
  if (threadIdx.x == 0) barrier_init(barrier(), 1);
  __syncthreads();
  if (threadIdx.x == 0) {
    barrier_expect(barrier(), 64);
    bulk_load(words(), copied, 64, barrier());
    if (!KEEPS) copied[5] = 1;
  }
  if (WAITS) barrier_wait(barrier(), 0);
  words()[32 + threadIdx.x] = words()[threadIdx.x % 16];
}
template <bool PUBLISHES> static void count() {
  if (threadIdx.x == 0) {
    words()[1] = 1;
    if (PUBLISHES)
      publish(words(), 1);
    else
      words()[0] = 1, on_cpu::note_progress();
  }
  if (threadIdx.x == 32) {
    while ((PUBLISHES ? published(words()) : *(volatile int *)words()) != 1) __nanosleep(1);
    words()[2] = words()[1];
  }
}

int main() {
  expect("a word written and read, a barrier between", false, 64, 1, write_and_read<true>);
  expect("no barrier", true, 64, 1, write_and_read<false>);
  expect("the writer arrives at a barrier, the reader waits", false, 64, 1, produce_and_consume<true>);
  expect("the writer has arrived before its writes", true, 64, 1, produce_and_consume<false>);
  expect("the reader arrives, the overwriting warp waits", false, 64, 1, read_and_overwrite<true>);
  expect("no warp arrives or waits", true, 64, 1, read_and_overwrite<false>);
  expect("bytes of one word", false, 64, 1, write_bytes);
  expect("the same word in two blocks", true, 16, 2, write_words_of_blocks);
  expect("lanes of a warp, __syncwarp between", false, 32, 1, write_for_warp<true>);
  expect("a vote between", true, 32, 1, write_for_warp<false>);
  expect("a bulk copy that was waited for", false, 32, 1, copy<true, true>);
  expect("no wait for the copy", true, 32, 1, copy<false, true>);
  expect("a copy whose source changes", true, 32, 1, copy<true, false>);
  expect("a count is published", false, 64, 1, count<true>);
  expect("a count is written", true, 64, 1, count<false>);
  return failures > 0;
}
