/* Vectors of neighbours along z for the CPU engines, as long as the target's registers. Include before update.h, whose
 * functions then work on vectors. */
#ifndef TOR_DIAMOND_CPU_VECTOR_H
#define TOR_DIAMOND_CPU_VECTOR_H

/* TOR_VECTOR_OF_EIGHT: at most eight values. */
#if defined(__AVX512F__) && !(defined(TOR_VECTOR_OF_EIGHT) && TOR_REAL_BITS == 32)
#define TOR_VECTOR_BYTES 64
#elif defined(__AVX__)
#define TOR_VECTOR_BYTES 32
#else
#define TOR_VECTOR_BYTES 16
#endif

#include <string.h>
#if defined(__AVX512F__) || (defined(__AVX__) && defined(__FMA__))
#include <immintrin.h>
/* The instruction by name: in long functions compilers take lanes apart, of loops over them. */
#if TOR_VECTOR_BYTES == 64 && TOR_REAL_BITS == 32
#define TOR_VECTOR_FMA(a, b, c) ((tor_value)_mm512_fmadd_ps((__m512)(a), (__m512)(b), (__m512)(c)))
#elif TOR_VECTOR_BYTES == 64
#define TOR_VECTOR_FMA(a, b, c) ((tor_value)_mm512_fmadd_pd((__m512d)(a), (__m512d)(b), (__m512d)(c)))
#elif TOR_REAL_BITS == 32
#define TOR_VECTOR_FMA(a, b, c) ((tor_value)_mm256_fmadd_ps((__m256)(a), (__m256)(b), (__m256)(c)))
#else
#define TOR_VECTOR_FMA(a, b, c) ((tor_value)_mm256_fmadd_pd((__m256d)(a), (__m256d)(b), (__m256d)(c)))
#endif
#endif

#include "diamond/core/update.h"

#define ALWAYS static inline __attribute__((always_inline))

typedef tor_value vec;
typedef tor_real loose
    __attribute__((vector_size(TOR_VECTOR_BYTES), aligned(TOR_REAL_BITS / 8), may_alias)); /* in memory */
enum { LANES = TOR_VECTOR_BYTES / (int)sizeof(tor_real) };

/* The first `count` lanes: the others are read as 0 and not written. */
#if TOR_VECTOR_BYTES == 64 && TOR_REAL_BITS == 32
ALWAYS vec load_part(const tor_real *p, int count) { return _mm512_maskz_loadu_ps((__mmask16)((1u << count) - 1), p); }
ALWAYS void store_part(tor_real *p, vec v, int count) { _mm512_mask_storeu_ps(p, (__mmask16)((1u << count) - 1), v); }
#elif TOR_VECTOR_BYTES == 64
ALWAYS vec load_part(const tor_real *p, int count) { return _mm512_maskz_loadu_pd((__mmask8)((1u << count) - 1), p); }
ALWAYS void store_part(tor_real *p, vec v, int count) { _mm512_mask_storeu_pd(p, (__mmask8)((1u << count) - 1), v); }
#else
ALWAYS vec load_part(const tor_real *p, int count) {
  vec v = {0};
  memcpy(&v, p, (size_t)count * sizeof *p);
  return v;
}
ALWAYS void store_part(tor_real *p, vec v, int count) { memcpy(p, &v, (size_t)count * sizeof *p); }
#endif

ALWAYS vec load(const tor_real *p) { return *(const loose *)p; }
ALWAYS void store(tor_real *p, vec v) { *(loose *)p = v; }
/* The same with a count that is LANES, known at compile time, except at a line's end. */
ALWAYS vec load_some(const tor_real *p, const int count) { return count == LANES ? load(p) : load_part(p, count); }
ALWAYS void store_some(tor_real *p, vec v, const int count) {
  if (count == LANES)
    store(p, v);
  else
    store_part(p, v, count);
}

#endif
