/* Ranks of one process: messages arrive unchanged and in order, collective calls give the same result on all. Without
 * MPI. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "comm/transport/message.h"
#include "src/base/error.h"
#include "src/base/types.h"

enum { RANKS = 5, MESSAGES = 200, ROUNDS = 60, AHEAD = 3 };
static int faults[RANKS];

static void expect(int good) { faults[tor_message_rank()] += !good; }

/* Delays some ranks, each at different times. */
static void dawdle(int i) {
  if ((i * 7 + tor_message_rank() * 5) % 11 == 0) nanosleep(&(struct timespec){0, 200000}, NULL);
}

static void run(void (*on_rank)(void *self)) {
  memset(faults, 0, sizeof faults);
  tor_message_split(RANKS, on_rank, NULL);
  for (int r = 0; r < RANKS; r++) assert_int_equal(faults[r], 0);
}

/* --- An end by one --- */

static void die_as_second(void *self) {
  (void)self;
  if (tor_message_rank() == 1) TOR_DIE("the second rank dies");
  tor_message_barrier();
}

/* Runs first: a process that has had threads must not be forked. */
static void a_rank_that_dies_ends_the_others(void **state) {
  (void)state;
  int ends[2], status;
  char text[256] = "";
  assert_int_equal(pipe(ends), 0);
  const pid_t child = fork();
  if (!child) {
    dup2(ends[1], STDERR_FILENO);
    alarm(20);
    tor_message_split(RANKS, die_as_second, NULL);
    _exit(0);
  }
  close(ends[1]);
  assert_true(read(ends[0], text, sizeof text - 1) > 0);
  close(ends[0]);
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), TOR_EXIT_FAILURE);
  assert_non_null(strstr(text, "torre: test_message.c:"));
}

/* --- Numbers --- */

static void know_their_numbers(void *self) {
  (void)self;
  expect(tor_message_ranks() == RANKS && tor_message_neighbours() == RANKS && tor_message_in_process() == RANKS);
  expect(tor_message_rank() == tor_message_neighbour());
  int64_t bit = (int64_t)1 << (8 * tor_message_rank());
  tor_message_sum(&bit, 1);
  expect(tor_message_rank() ? bit == (int64_t)1 << (8 * tor_message_rank()) : bit == 0x0101010101);
}

static void ranks_are_as_many_as_threads(void **state) {
  (void)state;
  run(know_their_numbers);
  assert_int_equal(tor_message_ranks(), 1);
  assert_int_equal(tor_message_rank(), 0);
}

/* --- Messages --- */

/* Around a ring: by channels of two tags, of which the second is sent first, and blocking. */
static void send_around(void *self) {
  const int rank = tor_message_rank(), next = (rank + 1) % RANKS, before = (rank + RANKS - 1) % RANKS;
  struct tor_channel to[2], from[2];
  (void)self;
  for (int tag = 0; tag < 2; tag++) {
    tor_channel_open(&to[tag], next, tag + 1);
    tor_channel_open(&from[tag], before, tag + 1);
  }
  for (int i = 0; i < MESSAGES; i++) {
    const size_t bytes = (size_t)(i % 5) * 3000 + 2 * sizeof(int);
    dawdle(i);
    for (int tag = 1; tag >= 0; tag--) {
      tor_channel_wait(&to[tag]);
      int *words = tor_channel_buffer(&to[tag], bytes);
      words[0] = 100 * i + 10 * tag + rank;
      words[bytes / sizeof *words - 1] = i;
      tor_channel_send(&to[tag], bytes);
    }
    for (int tag = 0; tag < 2; tag++) {
      tor_channel_receive(&from[tag], bytes);
      if (i % 2) tor_channel_wait(&from[tag]);
      while (!tor_channel_test(&from[tag])) continue;
      const int *words = from[tag].buffer;
      expect(words[bytes / sizeof *words - 1] == i &&
             (bytes == 2 * sizeof(int) || words[0] == 100 * i + 10 * tag + before));
    }
  }
  for (int tag = 0; tag < 2; tag++) {
    tor_channel_receive(&from[tag], 8); /* no message arrives any more */
    tor_channel_close(&to[tag], 0);
    tor_channel_close(&from[tag], 1);
  }
}

static void messages_come_in_order(void **state) {
  (void)state;
  run(send_around);
}

/* Two sends of one tag, the receiver late or early: the first is the first. */
static void send_to_first(void *self) {
  const int rank = tor_message_rank();
  (void)self;
  for (int i = 0; i < MESSAGES; i++) {
    int got = -1;
    dawdle(i);
    if (rank) tor_message_send(&i, sizeof i, 0, 9);
    for (int r = 1; r < RANKS && !rank; r++) {
      tor_message_receive(&got, sizeof got, r, 9);
      expect(got == i);
    }
  }
}

static void blocking_messages_find_their_receiver(void **state) {
  (void)state;
  run(send_to_first);
}

/* --- Collective calls --- */

static void bring_together(void *self) {
  const int rank = tor_message_rank();
  (void)self;
  for (int i = 0; i < MESSAGES; i++) {
    uint64_t own[3] = {0, 0, 0}, all[3];
    int sent = rank ? -1 : i, near[RANKS] = {0}, mine = 10 * i + rank;
    dawdle(i);
    own[rank % 3] = (uint64_t)1 << (10 * rank);
    memcpy(all, own, sizeof own);
    tor_message_or_all(all, 3);
    expect(all[0] == (1 | (uint64_t)1 << 30) && all[1] == ((uint64_t)1 << 10 | (uint64_t)1 << 40) &&
           all[2] == (uint64_t)1 << 20);
    memcpy(all, own, sizeof own);
    tor_message_or(all, 3);
    expect(rank ? !memcmp(all, own, sizeof own) : all[1] == ((uint64_t)1 << 10 | (uint64_t)1 << 40));
    tor_message_bcast(&sent, sizeof sent);
    expect(sent == i);
    expect(tor_message_lowest(rank >= i % (RANKS + 1)) == (i % (RANKS + 1) < RANKS ? i % (RANKS + 1) : -1));
    tor_message_gather_near(&mine, near, sizeof mine);
    for (int r = 0; r < RANKS; r++) expect(near[r] == 10 * i + r);
    tor_message_barrier();
  }
}

static void ranks_agree(void **state) {
  (void)state;
  run(bring_together);
}

/* Up to AHEAD non-blocking gathers are pending, with other collective calls between. */
static void go_round(void *self) {
  const int rank = tor_message_rank();
  struct tor_gather round[AHEAD] = {{NULL}};
  (void)self;
  for (int i = 0; i < ROUNDS + AHEAD; i++) {
    struct tor_gather *this = &round[i % AHEAD];
    if (i >= AHEAD) {
      const int *all = tor_gather_wait(this);
      for (int r = 0; r < RANKS; r++) expect(all[r] == 100 * (i - AHEAD) + r);
    }
    dawdle(i);
    if (i < ROUNDS) tor_gather_start(this, &(int){100 * i + rank}, sizeof(int));
    if (i % 7 == 3) tor_message_barrier();
  }
  for (int i = 0; i < AHEAD; i++) tor_gather_free(&round[i]);
}

static void gathers_do_not_wait(void **state) {
  (void)state;
  run(go_round);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_rank_that_dies_ends_the_others),
      cmocka_unit_test(ranks_are_as_many_as_threads),
      cmocka_unit_test(messages_come_in_order),
      cmocka_unit_test(blocking_messages_find_their_receiver),
      cmocka_unit_test(ranks_agree),
      cmocka_unit_test(gathers_do_not_wait),
  };
  return cmocka_run_group_tests_name("message", tests, NULL, NULL);
}
