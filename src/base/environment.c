/* Environment variables: see environment.h. */
#include "src/base/environment.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

const char *tor_environment(const char *name, const char *retired) {
  static atomic_int has_warned;
  const char *value = getenv(name);
  if (value || !retired) return value;
  value = getenv(retired);
  if (value && !atomic_exchange(&has_warned, 1))
    fprintf(stderr, "warning: the environment variable %s is called %s now; the old name will be ignored later\n",
            retired, name);
  return value;
}
