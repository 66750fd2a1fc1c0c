/* Whether this CPU has the instructions that the program was compiled for. */
#ifndef TOR_SRC_BASE_CPU_CHECK_H
#define TOR_SRC_BASE_CPU_CHECK_H

/* Sets of instructions of x86-64 that compilers use by themselves. */
enum tor_cpu_set {
  TOR_CPU_SSE42 = 1,
  TOR_CPU_POPCNT = 2,
  TOR_CPU_AVX = 4,
  TOR_CPU_AVX2 = 8,
  TOR_CPU_FMA = 16,
  TOR_CPU_BMI = 32,
  TOR_CPU_BMI2 = 64,
  TOR_CPU_AVX512F = 128,
  TOR_CPU_AVX512CD = 256,
  TOR_CPU_AVX512BW = 512,
  TOR_CPU_AVX512DQ = 1024,
  TOR_CPU_AVX512VL = 2048,
  TOR_CPU_AVX512VBMI = 4096,
  TOR_CPU_AVX512VNNI = 8192
};

/* The sets, enum tor_cpu_set, that the program's files are compiled for; 0 on other CPUs than x86-64. Data: no code of
 * the file that holds it runs. */
extern const unsigned tor_cpu_needs;

/* Ends the program with TOR_EXIT_FAILURE and a message when one of them is missing. In a program that links it, it runs
 * by itself before main, and is compiled for the first x86-64. */
void tor_cpu_check(void);

#endif
