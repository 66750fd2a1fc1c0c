/* A request to stop: see stop.h. */
#include "src/base/stop.h"

#include <stdatomic.h>

static atomic_int asked; /* without a lock, so that a handler may set it */

void tor_stop_ask(void) { asked = 1; }
void tor_stop_clear(void) { asked = 0; }
int tor_stop_asked(void) { return asked; }
