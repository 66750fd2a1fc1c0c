/* Transfers between ranks of one process, a thread each: matched by both ranks and tag, in order, and copied once, from
 * buffer to buffer, by the one who comes second. */
#ifndef TOR_COMM_TRANSPORT_MAILBOX_H
#define TOR_COMM_TRANSPORT_MAILBOX_H

#include <stddef.h>

struct tor_post; /* a transfer under way, as one side of it sees it */

/* Begin a transfer; the data must stand until it is done. What is received may be shorter than the room for it. */
struct tor_post *tor_mailbox_send(int from, int to, int tag, const void *data, size_t bytes);
struct tor_post *tor_mailbox_receive(int from, int to, int tag, void *data, size_t bytes);
int tor_mailbox_is_done(const struct tor_post *post);
void tor_mailbox_wait(const struct tor_post *post);
/* One that is done, or that nobody will match: that is given up. */
void tor_mailbox_free(struct tor_post *post);

#endif
