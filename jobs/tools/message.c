/* Rate of messages between two ranks, both ways at once, sent as overlaps are: `mpirun -n 2 message [megabytes]`.
 *
 * Prints GB/s each way, the best of ten rounds, and the microseconds of a message of 4 kB. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "comm/transport/message.h"
#include "src/base/types.h"

/* Seconds of a round: sent, and received. */
static double exchange(struct tor_channel *from, struct tor_channel *to, size_t bytes) {
  double best = INFINITY;
  tor_channel_buffer(from, bytes);
  tor_channel_buffer(to, bytes);
  for (int round = 0; round < 10; round++) {
    tor_message_barrier();
    double start = tor_message_clock();
    tor_channel_receive(from, bytes);
    tor_channel_send(to, bytes);
    tor_channel_wait(from);
    tor_channel_wait(to);
    best = fmin(best, tor_message_clock() - start);
  }
  return best;
}

int main(int argc, char **argv) {
  tor_message_begin(&argc, &argv);
  const double megabytes = argc > 1 ? strtod(argv[1], NULL) : 30;
  const int good = megabytes >= 0.01 && megabytes < 1e5 && tor_message_ranks() == 2;
  if (good) {
    struct tor_channel from, to;
    const size_t bytes = (size_t)(megabytes * 1e6);
    const int peer = 1 - tor_message_rank();
    tor_channel_open(&from, peer, 1);
    tor_channel_open(&to, peer, 1);
    const double small = exchange(&from, &to, 4096), large = exchange(&from, &to, bytes);
    if (!tor_message_rank()) printf("%.2f %.1f\n", (double)bytes / large * 1e-9, small * 1e6);
    tor_channel_close(&from, 0);
    tor_channel_close(&to, 0);
  } else if (!tor_message_rank())
    fprintf(stderr, "message: needs two ranks, and megabytes from 0.01 to 1e5\n");
  tor_message_end();
  return good ? TOR_EXIT_OK : TOR_EXIT_USER;
}
