/* A store of a slab's columns that the memory does not hold at one time: what a GPU's window (diamond/gpu/window) needs
 * of it, and src/disk has. The arrays of columns (field, psi of z, coef, state, weight) keep their addresses in the
 * slab; in a sweep from the highest ix to the lowest, what is in memory lies in a pool, at other addresses, until it
 * has left.
 *
 * Columns are counted from the first that is held. Sweeps are counted from 0. All calls are local, come from one
 * thread, and end the process with a message when the store fails. */
#ifndef TOR_DIAMOND_CORE_COLUMN_STORE_H
#define TOR_DIAMOND_CORE_COLUMN_STORE_H

#include <stddef.h>

struct tor_column_store_calls {
  /* The pool's addresses, which stay the same. */
  char *(*pool)(void *self, size_t *bytes);
  /* The most columns beside each other that a window may hold at one time, so that others can come and leave; 0: none.
   */
  int (*widest)(void *self);
  /* Between sweeps: columns from ix on may be read at their addresses in the slab, up to the result; others no longer.
   */
  int (*hold)(void *self, int ix);
  /* Begins a sweep. Those before it have been begun; their columns may still be leaving. */
  void (*begin)(void *self);
  /* Whether columns from ix on are in the pool in this sweep, which may be the next one, or have left it. Waits for
   * them, but no longer than so many seconds. */
  int (*has)(void *self, long long sweep, int ix, double seconds);
  /* Where the data at an address in the slab are now, of a column that is in the pool; *bytes: how many lie there. */
  char *(*find)(void *self, const char *address, size_t *bytes);
  /* Columns from ix on are not used any more in this sweep: they are stored. */
  void (*leave)(void *self, long long sweep, int ix);
};
struct tor_column_store {
  const struct tor_column_store_calls *calls;
  void *self;
};

#endif
