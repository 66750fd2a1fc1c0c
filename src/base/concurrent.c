/* Runs side by side: see concurrent.h. */
#include "src/base/concurrent.h"

#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local int number;
enum { WHOLE = 55440 };     /* divides by most numbers */
static atomic_int stepping; /* runs that have given the turn away for that, in parts of WHOLE */
static _Thread_local int sharers = 1, added;

int tor_concurrent_number(void) { return number; }

void tor_concurrent_adopt(int mine) { number = mine; }

void tor_concurrent_begin(int mine) {
  number = mine;
  pthread_mutex_lock(&turn);
}

void tor_concurrent_end(void) {
  pthread_mutex_unlock(&turn);
  number = 0;
}

void tor_concurrent_give(int steps) {
  if (!number) return;
  if (steps) stepping += added = WHOLE / sharers;
  pthread_mutex_unlock(&turn);
}

void tor_concurrent_take(int steps) {
  if (!number) return;
  if (steps) stepping -= added;
  pthread_mutex_lock(&turn);
}

void tor_concurrent_share(int runs) { sharers = runs; }

int tor_concurrent_steppers(void) {
  const int runs = (stepping + WHOLE - 1) / WHOLE;
  return runs > 1 ? runs : 1;
}
