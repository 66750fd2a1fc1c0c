/* Environment variables of Torre (docs/user/environment.md). */
#ifndef TOR_SRC_BASE_ENVIRONMENT_H
#define TOR_SRC_BASE_ENVIRONMENT_H

#ifdef __cplusplus
extern "C" {
#endif

/* The value of the variable `name`, NULL where it is not set. `retired`: the name that it had before, which is still
 * accepted with a warning on stderr, once a process; NULL: none. The result belongs to the environment. */
const char *tor_environment(const char *name, const char *retired);

#ifdef __cplusplus
}
#endif

#endif
