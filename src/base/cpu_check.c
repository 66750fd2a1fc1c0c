/* The check of the CPU: see cpu_check.h. src/base/CMakeLists.txt compiles this file for the first x86-64, since it must
 * run on CPUs for which the program was not built. */
#include "src/base/cpu_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/types.h"

#ifdef __x86_64__
/* The sets that this CPU and its system have. */
static unsigned present(void) {
  __builtin_cpu_init();
  return (__builtin_cpu_supports("sse4.2") ? TOR_CPU_SSE42 : 0) |
         (__builtin_cpu_supports("popcnt") ? TOR_CPU_POPCNT : 0) | (__builtin_cpu_supports("avx") ? TOR_CPU_AVX : 0) |
         (__builtin_cpu_supports("avx2") ? TOR_CPU_AVX2 : 0) | (__builtin_cpu_supports("fma") ? TOR_CPU_FMA : 0) |
         (__builtin_cpu_supports("bmi") ? TOR_CPU_BMI : 0) | (__builtin_cpu_supports("bmi2") ? TOR_CPU_BMI2 : 0) |
         (__builtin_cpu_supports("avx512f") ? TOR_CPU_AVX512F : 0) |
         (__builtin_cpu_supports("avx512cd") ? TOR_CPU_AVX512CD : 0) |
         (__builtin_cpu_supports("avx512bw") ? TOR_CPU_AVX512BW : 0) |
         (__builtin_cpu_supports("avx512dq") ? TOR_CPU_AVX512DQ : 0) |
         (__builtin_cpu_supports("avx512vl") ? TOR_CPU_AVX512VL : 0) |
         (__builtin_cpu_supports("avx512vbmi") ? TOR_CPU_AVX512VBMI : 0) |
         (__builtin_cpu_supports("avx512vnni") ? TOR_CPU_AVX512VNNI : 0);
}
#else
static unsigned present(void) { return ~0u; }
#endif

/* By bit. */
static const char *const names[] = {"SSE4.2",    "POPCNT",    "AVX",         "AVX2",       "FMA",
                                    "BMI1",      "BMI2",      "AVX-512F",    "AVX-512CD",  "AVX-512BW",
                                    "AVX-512DQ", "AVX-512VL", "AVX-512VBMI", "AVX-512VNNI"};
enum { NSETS = sizeof names / sizeof *names };

/* For tests: the sets named in TORRE_TEST_CPU_LACKS, separated by blanks, count as missing. */
static unsigned pretended(void) {
  const char *words = getenv("TORRE_TEST_CPU_LACKS");
  unsigned sets = 0;
  for (size_t n; words && *words; words += n) {
    words += strspn(words, " ");
    n = strcspn(words, " ");
    for (int i = 0; i < NSETS; i++)
      if (n == strlen(names[i]) && !memcmp(words, names[i], n)) sets |= 1u << i;
  }
  return sets;
}

/* Before main and other constructors: their code may need what is missing. */
__attribute__((constructor(101))) void tor_cpu_check(void) {
  const unsigned missing = tor_cpu_needs & (~present() | pretended());
  if (!missing) return;
  fputs("torre: this program was built for CPUs with", stderr);
  for (int i = 0; i < NSETS; i++)
    if (missing & 1u << i) fprintf(stderr, " %s", names[i]);
  fputs(
      ", which this one lacks; need a build on a machine like this one, or one with -DTORRE_ARCH=portable (any x86-64 "
      "with AVX2 and FMA), or for a CPU without these -DTORRE_ARCH=x86-64, slower (docs/user/cluster-building.md)\n",
      stderr);
  _exit(TOR_EXIT_FAILURE);
}
