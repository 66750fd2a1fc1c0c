/* What this build needs of a CPU, as the compiler's macros say: compiled with the options of all other files. */
#include "src/base/cpu_check.h"

#ifdef __SSE4_2__
#define SSE42 TOR_CPU_SSE42
#else
#define SSE42 0
#endif
#ifdef __POPCNT__
#define POPCNT TOR_CPU_POPCNT
#else
#define POPCNT 0
#endif
#ifdef __AVX__
#define AVX TOR_CPU_AVX
#else
#define AVX 0
#endif
#ifdef __AVX2__
#define AVX2 TOR_CPU_AVX2
#else
#define AVX2 0
#endif
#ifdef __FMA__
#define FMA TOR_CPU_FMA
#else
#define FMA 0
#endif
#ifdef __BMI__
#define BMI TOR_CPU_BMI
#else
#define BMI 0
#endif
#ifdef __BMI2__
#define BMI2 TOR_CPU_BMI2
#else
#define BMI2 0
#endif
#ifdef __AVX512F__
#define AVX512F TOR_CPU_AVX512F
#else
#define AVX512F 0
#endif
#ifdef __AVX512CD__
#define AVX512CD TOR_CPU_AVX512CD
#else
#define AVX512CD 0
#endif
#ifdef __AVX512BW__
#define AVX512BW TOR_CPU_AVX512BW
#else
#define AVX512BW 0
#endif
#ifdef __AVX512DQ__
#define AVX512DQ TOR_CPU_AVX512DQ
#else
#define AVX512DQ 0
#endif
#ifdef __AVX512VL__
#define AVX512VL TOR_CPU_AVX512VL
#else
#define AVX512VL 0
#endif
#ifdef __AVX512VBMI__
#define AVX512VBMI TOR_CPU_AVX512VBMI
#else
#define AVX512VBMI 0
#endif
#ifdef __AVX512VNNI__
#define AVX512VNNI TOR_CPU_AVX512VNNI
#else
#define AVX512VNNI 0
#endif

const unsigned tor_cpu_needs = SSE42 | POPCNT | AVX | AVX2 | FMA | BMI | BMI2 | AVX512F | AVX512CD | AVX512BW |
                               AVX512DQ | AVX512VL | AVX512VBMI | AVX512VNNI;
