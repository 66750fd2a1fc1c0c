/* Transfers within a process: see mailbox.h. */
#include "comm/transport/mailbox.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/error.h"

struct tor_post {
  int from, to, tag;
  const void *data; /* of a send */
  void *buffer;     /* of a receive */
  size_t bytes;
  atomic_int is_done;
  struct tor_post *next; /* of those without a partner, in the order of arrival */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t done = PTHREAD_COND_INITIALIZER;
static struct tor_post *alone;

static int is_partner(const struct tor_post *a, const struct tor_post *b) {
  return a->from == b->from && a->to == b->to && a->tag == b->tag && !a->data != !b->data;
}

/* The link to the post's partner, or to the list's end. */
static struct tor_post **find_partner(const struct tor_post *post) {
  struct tor_post **link = &alone;
  while (*link && !is_partner(*link, post)) link = &(*link)->next;
  return link;
}

static void copy(const struct tor_post *send, const struct tor_post *receive) {
  if (send->bytes > receive->bytes)
    TOR_DIE("rank %d sends %zu bytes to rank %d, whose buffer has %zu (tag %d)", send->from, send->bytes, send->to,
            receive->bytes, send->tag);
  if (send->bytes) memcpy(receive->buffer, send->data, send->bytes);
}

/* From here on their owners may free them. */
static void finish(struct tor_post *a, struct tor_post *b) {
  pthread_mutex_lock(&lock);
  atomic_store_explicit(&a->is_done, 1, memory_order_release);
  atomic_store_explicit(&b->is_done, 1, memory_order_release);
  pthread_cond_broadcast(&done);
  pthread_mutex_unlock(&lock);
}

static struct tor_post *match(const struct tor_post *what) {
  struct tor_post *post = tor_alloc(1, sizeof *post, "messages");
  *post = *what;
  pthread_mutex_lock(&lock);
  struct tor_post **link = find_partner(post), *partner = *link;
  *link = partner ? partner->next : post;
  pthread_mutex_unlock(&lock);
  if (!partner) return post;
  copy(post->data ? post : partner, post->data ? partner : post);
  finish(post, partner);
  return post;
}

struct tor_post *tor_mailbox_send(int from, int to, int tag, const void *data, size_t bytes) {
  return match(&(struct tor_post){.from = from, .to = to, .tag = tag, .data = data ? data : "", .bytes = bytes});
}

struct tor_post *tor_mailbox_receive(int from, int to, int tag, void *data, size_t bytes) {
  return match(&(struct tor_post){.from = from, .to = to, .tag = tag, .buffer = data, .bytes = bytes});
}

int tor_mailbox_is_done(const struct tor_post *post) {
  return atomic_load_explicit(&post->is_done, memory_order_acquire);
}

void tor_mailbox_wait(const struct tor_post *post) {
  pthread_mutex_lock(&lock);
  while (!tor_mailbox_is_done(post)) pthread_cond_wait(&done, &lock);
  pthread_mutex_unlock(&lock);
}

void tor_mailbox_free(struct tor_post *post) {
  pthread_mutex_lock(&lock);
  struct tor_post **link = &alone;
  while (*link && *link != post) link = &(*link)->next;
  const int is_alone = *link != NULL;
  if (is_alone) *link = post->next;
  pthread_mutex_unlock(&lock);
  if (!is_alone) tor_mailbox_wait(post);
  free(post);
}
