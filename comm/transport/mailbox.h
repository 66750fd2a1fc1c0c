/* Transfers between ranks of one process, a thread each: matched by both ranks and tag, in order, and copied once, from
 * buffer to buffer, by the side that arrives second. */
#ifndef TOR_COMM_TRANSPORT_MAILBOX_H
#define TOR_COMM_TRANSPORT_MAILBOX_H

#include <stddef.h>

struct tor_post; /* one side of a pending transfer */

/* Begin a transfer; the data must remain valid until it is done. A message may be shorter than its receive buffer. */
struct tor_post *tor_mailbox_send(int from, int to, int tag, const void *data, size_t bytes);
struct tor_post *tor_mailbox_receive(int from, int to, int tag, void *data, size_t bytes);
int tor_mailbox_is_done(const struct tor_post *post);
void tor_mailbox_wait(const struct tor_post *post);
/* Frees a transfer that is done, or cancels one that has no partner. */
void tor_mailbox_free(struct tor_post *post);

#endif
