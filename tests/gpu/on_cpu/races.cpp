/* Races: see races.h. The last accesses to each word of memory are kept, with the thread, its clock and the place in
 * the program. An access that a later one of the same kind covers is discarded; of more than PLACES that nothing
 * orders, one of the same warp, or any, is discarded. */
#include "tests/gpu/on_cpu/races.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <unistd.h>
#include <unordered_map>

#include "tests/gpu/on_cpu/fibers.h"

extern "C" char __executable_start;

namespace on_cpu {

enum { PLACES = 8, WORD = 4, PAGE_WORDS = 1024, MOST_COPIES = 64 };

struct access {
  uint32_t clock, place; /* place: in the program, of the call */
  uint32_t blocks;       /* those that ran at the same time */
  uint16_t thread;
  uint8_t bytes; /* bit mask; 0: no access */
  bool writes;
};
struct word {
  access last[PLACES];
};
struct page {
  uint32_t launch = 0;
  word at[PAGE_WORDS];
};
struct agent { /* the copy engine of a barrier, with a clock of its own */
  unsigned thread;
  clocks come, ended;
};

static thread_local std::unordered_map<uintptr_t, std::unique_ptr<page>> pages;
static thread_local page *last_page;
static thread_local uintptr_t last_page_number;
static thread_local std::vector<clocks> known; /* by each thread */
static thread_local std::map<const void *, agent> agents;
static thread_local std::map<const void *, clocks> counts;
static thread_local uint32_t launches, all_blocks;
static thread_local int running = -1;
static thread_local uintptr_t stacks_begin, stacks_end;

/* --- Findings: pairs of places, each reported once, at the end --- */

struct finding {
  unsigned long times;
  std::string first;
};
static std::map<std::pair<uint32_t, uint32_t>, finding> found;

/* File, line and function of each place, with the functions that it is inlined in. */
static std::map<uint32_t, std::string> where() {
  std::map<uint32_t, std::string> all;
  char name[4096], line[1024];
  const ssize_t length = readlink("/proc/self/exe", name, sizeof name);
  std::string command = "addr2line -Cpise " + std::string(name, size_t(std::max<ssize_t>(length, 0)));
  for (const auto &[places, f] : found)
    for (uint32_t place : {places.first, places.second}) all[place];
  for (const auto &[place, text] : all) {
    snprintf(line, sizeof line, " %#x", place - 1);
    command += line;
  }
  auto at = all.end();
  if (FILE *f = popen(command.c_str(), "r")) {
    while (fgets(line, sizeof line, f)) {
      if (strncmp(line, " (inlined by)", 13)) at = at == all.end() ? all.begin() : std::next(at);
      at->second += line;
    }
    pclose(f);
  }
  return all;
}
static void report_all() {
  if (found.empty()) return;
  std::map<uint32_t, std::string> text = where();
  for (const auto &[places, f] : found)
    printf("race, %lu times, first %s\n%s  and before\n%s", f.times, f.first.c_str(), text[places.second].c_str(),
           text[places.first].c_str());
  printf("%zu races\n", found.size());
  fflush(stdout);
  _exit(1);
}
static void record_race(const access &before, const access &now, uintptr_t address) {
  static const int registered = atexit(report_all);
  (void)registered;
  finding &f = found[{before.place, now.place}];
  if (f.times++) return;
  char text[200];
  snprintf(text, sizeof text, "thread %d %s the word that thread %d %s, at %#lx", now.thread,
           now.writes ? "writes" : "reads", before.thread, before.writes ? "wrote" : "read", (unsigned long)address);
  f.first = text;
}

size_t races_found() {
  const size_t count = found.size();
  found.clear();
  return count;
}

/* --- Accesses --- */

static page &page_of(uintptr_t address) {
  const uintptr_t number = address / (WORD * PAGE_WORDS);
  if (!last_page || number != last_page_number) {
    std::unique_ptr<page> &p = pages[number];
    if (!p) p = std::make_unique<page>();
    last_page = p.get();
    last_page_number = number;
  }
  if (last_page->launch != launches) {
    memset(last_page->at, 0, sizeof last_page->at);
    last_page->launch = launches;
  }
  return *last_page;
}

static bool is_ordered(const access &a, const clocks &by) { return a.blocks == all_blocks && by[a.thread] >= a.clock; }

static void touch_word(word &w, const access &now, const clocks &by, uintptr_t address) {
  int free_place = -1, same_warp = -1;
  for (int i = 0; i < PLACES; i++) {
    access &a = w.last[i];
    if (!a.bytes) {
      free_place = i;
      continue;
    }
    const bool ordered = is_ordered(a, by);
    if (!ordered && a.bytes & now.bytes && (a.writes || now.writes)) record_race(a, now, address);
    if ((ordered || a.thread == now.thread) && !(a.bytes & ~now.bytes) && (now.writes || !a.writes)) {
      a.bytes = 0;
      free_place = i;
    } else if (a.thread / WARP_SIZE == now.thread / WARP_SIZE && a.writes == now.writes) {
      same_warp = i;
    }
  }
  if (free_place < 0) free_place = same_warp >= 0 ? same_warp : int((now.clock + address / WORD) % PLACES);
  w.last[free_place] = now;
}

static void touch(const void *at, size_t bytes, bool writes, unsigned thread, const clocks &by, const void *place) {
  access now = {
      by[thread], uint32_t(uintptr_t(place) - uintptr_t(&__executable_start)), all_blocks, uint16_t(thread), 0, writes};
  for (uintptr_t address = uintptr_t(at), end = address + bytes; address < end;) {
    const unsigned first = address % WORD;
    const uintptr_t next = std::min<uintptr_t>(address - first + WORD, end);
    now.bytes = uint8_t((1u << (first + next - address)) - (1u << first));
    touch_word(page_of(address).at[address / WORD % PAGE_WORDS], now, by, address);
    address = next;
  }
}
static void touch_now(const void *at, size_t bytes, bool writes, const void *place) {
  if (running < 0 || (uintptr_t(at) >= stacks_begin && uintptr_t(at) < stacks_end)) return;
  touch(at, bytes, writes, unsigned(running), known[size_t(running)], place);
}

/* --- Order --- */

static void learn(clocks &of, const clocks &what) {
  if (of.size() < what.size()) of.resize(what.size());
  uint32_t *const to = of.data();
  const uint32_t *const from = what.data();
  for (size_t i = 0, count = what.size(); i < count; i++) to[i] = std::max(to[i], from[i]);
}
static clocks &mine() { return known[size_t(running)]; }
static void report_others(clocks &to, unsigned thread) {
  learn(to, known[thread]);
  known[thread][thread]++;
}

void races_begin(bool new_launch, unsigned threads, const void *stacks, size_t bytes) {
  if (new_launch) launches++;
  all_blocks++;
  known.assign(threads, clocks(threads + MOST_COPIES));
  for (unsigned t = 0; t < threads; t++) known[t][t] = 1;
  agents.clear();
  counts.clear();
  stacks_begin = uintptr_t(stacks);
  stacks_end = stacks_begin + bytes;
}
void races_forget(const void *memory, size_t bytes) {
  for (uintptr_t at = uintptr_t(memory) / WORD * WORD; at < uintptr_t(memory) + bytes; at += WORD)
    page_of(at).at[at / WORD % PAGE_WORDS] = word();
}
void races_run(int thread) { running = thread; }
void races_come(meeting &m, unsigned thread, bool waits) {
  report_others(m.come, thread);
  if (waits) m.waiting.push_back(thread);
}
void races_meet(meeting &m) {
  /* A thread that waits has learnt nothing since it arrived: only its own clock is ahead. */
  for (unsigned thread : m.waiting) {
    clocks &of = known[thread];
    const uint32_t own = of[thread];
    std::copy(m.come.begin(), m.come.end(), of.begin());
    of[thread] = own;
  }
  m.come.clear();
  m.waiting.clear();
}

static agent &agent_of(const void *barrier) {
  const auto [at, is_new] = agents.try_emplace(barrier);
  if (is_new) {
    if (agents.size() > MOST_COPIES) give_up("more barriers of copies than MOST_COPIES of races.cpp");
    at->second.thread = unsigned(known.size() + agents.size() - 1);
  }
  return at->second;
}
void races_copy(void *barrier, void *to, const void *from, unsigned bytes, const void *place) {
  agent &a = agent_of(barrier);
  clocks by = mine();
  by[a.thread] = (a.come.empty() ? 0 : a.come[a.thread]) + 1;
  if (a.ended.size()) by[a.thread] = std::max(by[a.thread], a.ended[a.thread] + 1);
  touch(to, bytes, true, a.thread, by, place);
  if (from) touch(from, bytes, false, a.thread, by, place);
  learn(a.come, by);
  mine()[unsigned(running)]++;
}
void races_come_to_copies(void *barrier) { report_others(agent_of(barrier).come, unsigned(running)); }
void races_end_copies(void *barrier) {
  agent &a = agent_of(barrier);
  learn(a.ended, a.come);
  a.come.clear();
}
void races_wait_for_copies(void *barrier) { learn(mine(), agent_of(barrier).ended); }

void races_publish(const void *count) { report_others(counts[count], unsigned(running)); }
void races_see(const void *count) {
  const auto at = counts.find(count);
  if (at != counts.end()) learn(mine(), at->second);
}

} // namespace on_cpu

/* --- The calls of -fsanitize=thread --- */

#define HERE __builtin_return_address(0)
#define ACCESSES(bytes)                                                                      \
  void __tsan_read##bytes(void *at) { on_cpu::touch_now(at, bytes, false, HERE); }           \
  void __tsan_write##bytes(void *at) { on_cpu::touch_now(at, bytes, true, HERE); }           \
  void __tsan_unaligned_read##bytes(void *at) { on_cpu::touch_now(at, bytes, false, HERE); } \
  void __tsan_unaligned_write##bytes(void *at) { on_cpu::touch_now(at, bytes, true, HERE); } \
  void __tsan_volatile_read##bytes(void *at) { on_cpu::touch_now(at, bytes, false, HERE); }  \
  void __tsan_volatile_write##bytes(void *at) { on_cpu::touch_now(at, bytes, true, HERE); }
extern "C" {
ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)
void __tsan_read_range(void *at, size_t bytes) { on_cpu::touch_now(at, bytes, false, HERE); }
void __tsan_write_range(void *at, size_t bytes) { on_cpu::touch_now(at, bytes, true, HERE); }
void __tsan_vptr_update(void **, void *) {}
void __tsan_vptr_read(void **) {}
void __tsan_func_entry(void *) {}
void __tsan_func_exit() {}
void __tsan_init() {}
}
