/* Fibers: see fibers.h. A fiber begins by setcontext; later switches are jumps, without a system call. The run's own
 * thread, the host, continues when the fibers have had some turns. */
#include "tests/gpu/on_cpu/fibers.h"

#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>
#include <vector>

#include "tests/gpu/on_cpu/cuda_runtime.h"
#include "tests/gpu/on_cpu/races.h"

__thread dim3 threadIdx, blockIdx, blockDim, gridDim;

namespace on_cpu {

struct copy {
  void *to;
  const void *from;
  unsigned bytes;
};
struct fiber {
  std::vector<copy> stores;
  ucontext_t start;
  jmp_buf at;
  bool started = false;
};
/* What fibers wait for: the next turn. */
struct gate {
  unsigned turn = 0;
  std::vector<unsigned> waiting; /* fibers */
};
struct barrier {
  unsigned come = 0, count = 0;
  gate next;
  meeting met;
};
struct warp {
  uint64_t in[WARP_SIZE], out[WARP_SIZE];
  unsigned come = 0, mask = 0;
  gate next;
  meeting met;
  uint64_t late_until = 0;
};
struct block {
  std::vector<unsigned char> memory;
  unsigned char *bytes; /* aligned, in it */
  barrier barriers[BLOCK_BARRIERS];
  std::vector<warp> warps;
};
struct copies {
  std::vector<copy> under_way;
  long missing = 0; /* bytes */
  bool expected = false;
  gate phase;
};
/* Where a fiber belongs. */
struct place {
  block *in_block;
  warp *in_warp;
  unsigned number, thread; /* number: of the block, among those that run at the same time */
};

enum { ALIGN = 128 };
constexpr size_t STACK = size_t(4) << 20;
constexpr uint64_t IDLE_ROUNDS = 100; /* without progress of any fiber: the run is considered stalled */

/* Of each host thread. */
static thread_local std::vector<fiber> fibers;
static thread_local std::vector<place> places; /* of the fibers; apart from them, since each switch reads one */
enum { BITS = 64 };
static thread_local std::vector<uint64_t> ready; /* a bit for each fiber that waits for no gate and has not ended */
static thread_local std::vector<block> blocks;
static thread_local std::vector<barrier> clusters;
static thread_local std::map<void *, copies> all_copies;
static thread_local launch now_run;
static thread_local std::function<void()> body;
static thread_local jmp_buf host;
static thread_local unsigned now, left, first_block, next_block; /* next_block: the first that has not begun */
static thread_local uint64_t rounds, last_progress, last_round, random_state;
static thread_local bool progressed;

[[gnu::noinline]] static unsigned char *stacks(size_t count) {
  static thread_local unsigned char *memory;
  static thread_local size_t have;
  if (have < count) {
    void *const more =
        mmap(nullptr, count * STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (more == MAP_FAILED) {
      perror("fibers: stacks");
      exit(1);
    }
    if (memory) munmap(memory, have * STACK);
    memory = static_cast<unsigned char *>(more);
    have = count;
  }
  return memory;
}

static const place &my_place() { return places.data()[now]; }
static block &my_block() { return *my_place().in_block; }
static warp &my_warp() { return *my_place().in_warp; }

void give_up(const char *what) {
  printf("block %u, thread %u: %s\n", blockIdx.x, threadIdx.x, what);
  for (const block &b : blocks)
    for (int i = 0; i < BLOCK_BARRIERS; i++)
      if (b.barriers[i].come)
        printf("block %d, barrier %d: %u of %u threads\n", int(&b - blocks.data()), i, b.barriers[i].come,
               b.barriers[i].count);
  fflush(stdout);
  _exit(1);
}

unsigned random_below(unsigned most) { /* xorshift64* */
  random_state ^= random_state >> 12;
  random_state ^= random_state << 25;
  random_state ^= random_state >> 27;
  return unsigned((random_state * 0x2545f4914f6cdd1du) >> 33) % most;
}
void delay(uint64_t seed) { random_state = seed * 0x9e3779b97f4a7c15u; }

/* --- Switches --- */

[[noreturn]] static void go_to_host() {
  races_run(-1);
  _longjmp(host, 1);
}

static void set_ready(unsigned fiber, bool is) {
  const uint64_t bit = uint64_t(1) << fiber % BITS;
  uint64_t &bits = ready.data()[fiber / BITS];
  bits = is ? bits | bit : bits & ~bit;
}
/* The first fiber from this one on that is ready; their number: none. */
static unsigned next_ready(unsigned from, unsigned count) {
  const uint64_t *const bits = ready.data();
  for (unsigned word = from / BITS; from < count; from = ++word * BITS) {
    const uint64_t rest = bits[word] >> from % BITS;
    if (rest) return from + unsigned(__builtin_ctzll(rest));
  }
  return count;
}

/* Chooses the next fiber that waits for nothing and whose warp is awake; time passes faster while all sleep. The host
 * continues when all fibers wait, when none has made progress for long, or when the turns granted by resume() are over.
 */
static void choose_next() {
  bool all_seen = false;
  const unsigned count = unsigned(places.size()), threads = now_run.block[0] * now_run.block[1];
  const place *f;
  for (uint64_t wakes = UINT64_MAX;;) {
    now = next_ready(now + 1, count);
    if (now == count) {
      now = 0;
      if (all_seen && wakes == UINT64_MAX) go_to_host();
      rounds = all_seen ? wakes : rounds + 1;
      all_seen = true;
      wakes = UINT64_MAX;
      if (rounds > last_progress + IDLE_ROUNDS || rounds > last_round) go_to_host();
      if (!(ready[0] & 1)) continue;
    }
    f = &places.data()[now];
    const uint64_t late_until = f->in_warp->late_until;
    if (late_until <= rounds) break;
    wakes = std::min(wakes, late_until);
    /* The rest of its warp; the last one of a block may be smaller. */
    const unsigned warp_ends = f->thread - f->thread % WARP_SIZE + WARP_SIZE;
    now += std::min(warp_ends, threads) - 1 - f->thread;
  }
  const unsigned number = first_block + f->number;
  threadIdx = dim3(f->thread % blockDim.x, f->thread / blockDim.x, 0);
  blockIdx = dim3(number % gridDim.x, number / gridDim.x % gridDim.y, number / gridDim.x / gridDim.y);
  races_run(int(now));
}
[[noreturn]] static void run_chosen() {
  fiber &f = fibers[now];
  if (f.started) _longjmp(f.at, 1);
  f.started = true;
  setcontext(&f.start);
  abort();
}
void yield() {
  fiber &from = fibers[now];
  if (_setjmp(from.at)) return;
  choose_next();
  run_chosen();
}
static void wait_for(gate &g) {
  g.waiting.push_back(now);
  set_ready(now, false);
  yield();
}
static void open(gate &g) {
  g.turn++;
  for (unsigned fiber : g.waiting) set_ready(fiber, true);
  g.waiting.clear();
}
void note_progress() {
  last_progress = std::max(last_progress, rounds);
  progressed = true;
}
void doze() {
  if (random_state && my_place().thread % WARP_SIZE == 0 && random_below(6) == 0) {
    my_warp().late_until = rounds + random_below(random_below(4) ? 60 : 1500);
    last_progress = std::max(last_progress, my_warp().late_until);
  }
}

static void begin() {
  body();
  set_ready(now, false);
  note_progress();
  if (--left == 0) go_to_host();
  choose_next();
  run_chosen();
}

/* The next blocks that run at the same time. */
static void begin_blocks() {
  const unsigned threads = now_run.block[0] * now_run.block[1];
  const unsigned count = now_run.side_by_side ? gridDim.x * gridDim.y * gridDim.z : now_run.cluster;
  unsigned char *const stack = stacks(size_t(count) * threads);
  races_begin(next_block == 0, count * threads, stack, size_t(count) * threads * STACK);
  first_block = next_block;
  next_block += count;
  blocks.assign(count, block());
  clusters.assign(count / now_run.cluster, barrier());
  all_copies.clear();
  for (block &b : blocks) {
    b.memory.resize(now_run.shared + ALIGN);
    void *at = b.memory.data();
    size_t capacity = b.memory.size();
    b.bytes = static_cast<unsigned char *>(std::align(ALIGN, now_run.shared, at, capacity));
    undefine(b.memory.data(), b.memory.size());
    races_forget(b.memory.data(), b.memory.size());
    b.warps.resize((threads + WARP_SIZE - 1) / WARP_SIZE);
  }
  fibers.assign(size_t(count) * threads, fiber());
  places.resize(fibers.size());
  ready.assign(fibers.size() / BITS + 1, 0);
  for (size_t i = 0; i < fibers.size(); i++) {
    fiber &f = fibers[i];
    block &of = blocks[i / threads];
    const unsigned thread = unsigned(i % threads);
    places[i] = {&of, &of.warps[thread / WARP_SIZE], unsigned(i / threads), thread};
    set_ready(unsigned(i), true);
    getcontext(&f.start);
    f.start.uc_stack.ss_sp = stack + i * STACK;
    f.start.uc_stack.ss_size = STACK;
    f.start.uc_link = nullptr;
    makecontext(&f.start, begin, 0);
  }
  left = unsigned(fibers.size());
  rounds = last_progress = 0;
  now = unsigned(fibers.size()) - 1;
}

void start(const launch &how, const std::function<void()> &each) {
  now_run = how;
  body = each;
  blockDim = dim3(how.block[0], how.block[1]);
  gridDim = dim3(how.grid[0], how.grid[1], how.grid[2]);
  next_block = left = 0;
}

progress resume() {
  progressed = false;
  last_progress = std::max(last_progress, rounds);
  last_round = random_state ? rounds + 1 + random_below(random_below(3) ? 100 : 5000) : UINT64_MAX;
  for (;;) {
    if (!left) {
      if (next_block == gridDim.x * gridDim.y * gridDim.z) return ENDED;
      begin_blocks();
      progressed = true;
    }
    if (!_setjmp(host)) {
      choose_next();
      run_chosen();
    }
    if (left) return progressed ? PROGRESSED : WAITS;
  }
}

/* --- Blocks, clusters, warps --- */

unsigned block_rank() { return now_run.cluster == 1 ? 0 : my_place().number % now_run.cluster; }
unsigned char *block_bytes(unsigned rank) {
  const place &mine = my_place();
  return now_run.cluster == 1 ? mine.in_block->bytes
                              : blocks[mine.number / now_run.cluster * now_run.cluster + rank].bytes;
}

static void come(barrier &b, unsigned count, bool waits) {
  if (b.come && b.count != count) give_up("arrives at a barrier with another count than the threads that wait there");
  b.count = count;
  races_come(b.met, now, waits);
  if (++b.come < count) return;
  races_meet(b.met);
  b.come = 0;
  open(b.next);
  note_progress();
}
static void wait(barrier &b, unsigned count) {
  const unsigned turn = b.next.turn;
  doze();
  come(b, count, true);
  if (b.next.turn == turn) wait_for(b.next);
}
void wait_at(unsigned number, unsigned count) { wait(my_block().barriers[number], count); }
void come_to(unsigned number, unsigned count) {
  come(my_block().barriers[number], count, false);
  doze();
  yield();
}
void wait_for_cluster() {
  wait(clusters[my_place().number / now_run.cluster], now_run.cluster * now_run.block[0] * now_run.block[1]);
}

const uint64_t *exchange(uint64_t value, unsigned mask, bool orders) {
  warp &w = my_warp();
  w.in[my_place().thread % WARP_SIZE] = value;
  if (w.come && w.mask != mask) give_up("votes with other lanes than the ones that wait");
  w.mask = mask;
  if (orders) races_come(w.met, now, true);
  if (++w.come == unsigned(__builtin_popcount(mask))) {
    memcpy(w.out, w.in, sizeof w.out);
    races_meet(w.met);
    w.come = 0;
    open(w.next);
    note_progress();
  } else {
    wait_for(w.next);
  }
  return w.out;
}

/* --- Copies --- */

static void end_phase(copies &c, void *barrier) {
  if (!c.expected || c.missing) return;
  races_end_copies(barrier);
  open(c.phase);
  c.expected = false;
  note_progress();
}
void copies_init(void *barrier) { all_copies[barrier] = copies(); }
void copies_expect(void *barrier, unsigned bytes) {
  copies &c = all_copies[barrier];
  races_come_to_copies(barrier);
  c.missing += bytes;
  c.expected = true;
  end_phase(c, barrier);
}
void undefine(void *memory, size_t bytes) {
  static const unsigned char word[4] = {0xff, 0xff, 0xff, 0x7f};
  for (size_t i = 0; i < bytes; i++) static_cast<unsigned char *>(memory)[i] = word[i % 4];
}
void copies_add(void *barrier, void *to, const void *from, unsigned bytes) {
  if ((uintptr_t(to) | uintptr_t(from) | bytes) % 16)
    give_up("copy whose source, destination or length is not a multiple of 16 bytes");
  copies &c = all_copies[barrier];
  races_copy(barrier, to, from, bytes, __builtin_return_address(0));
  undefine(to, bytes);
  c.under_way.push_back({to, from, bytes});
  c.missing -= bytes;
  end_phase(c, barrier);
}
void copies_store(void *barrier, void *to, const void *from, unsigned bytes) {
  copies &c = all_copies[barrier];
  races_copy(barrier, to, nullptr, bytes, __builtin_return_address(0));
  memcpy(to, from, bytes);
  c.missing -= bytes;
  end_phase(c, barrier);
}
/* The source is read as late as possible, so that an early change of it is detected. */
void copies_wait(void *barrier, unsigned parity) {
  copies &c = all_copies[barrier];
  doze();
  if ((c.phase.turn & 1) == parity) wait_for(c.phase);
  for (const copy &k : c.under_way) memcpy(k.to, k.from, k.bytes);
  c.under_way.clear();
  races_wait_for_copies(barrier);
  exchange(0);
}

void stores_add(void *to, const void *from, unsigned bytes) {
  if ((uintptr_t(to) | uintptr_t(from) | bytes) % 16)
    give_up("store whose source, destination or length is not a multiple of 16 bytes");
  fibers[now].stores.push_back({to, from, bytes});
}
bool stores_take(void **to, const void **from, unsigned *bytes) {
  std::vector<copy> &stores = fibers[now].stores;
  if (stores.empty()) return false;
  *to = stores.back().to;
  *from = stores.back().from;
  *bytes = stores.back().bytes;
  stores.pop_back();
  return true;
}

} // namespace on_cpu
