/* Runs side by side: see concurrent.h. */
#include "src/base/concurrent.h"

#include <pthread.h>

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local int number;

int tor_concurrent_number(void) { return number; }

void tor_concurrent_adopt(int mine) { number = mine; }

void tor_concurrent_begin(int mine) {
  number = mine;
  tor_concurrent_take();
}

void tor_concurrent_end(void) {
  tor_concurrent_give();
  number = 0;
}

void tor_concurrent_give(void) {
  if (number) pthread_mutex_unlock(&turn);
}

void tor_concurrent_take(void) {
  if (number) pthread_mutex_lock(&turn);
}
