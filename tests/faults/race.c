/* For the thread sanitizer: loops that OpenMP's barriers keep apart (silent) and, with TOR_RACE 1, a race (reported).
 */
#include <stdio.h>

enum { COUNT = 64 };

int main(void) {
  int value[COUNT] = {0}, sum = 0;
#pragma omp parallel num_threads(4)
  {
#pragma omp for schedule(static)
    for (int i = 0; i < COUNT; i++) value[i] = i;
#pragma omp for schedule(dynamic)
    for (int i = 0; i < COUNT; i++) value[i] += 1;
    if (TOR_RACE) sum++;
  }
  for (int i = 0; i < COUNT; i++) sum += value[i];
  printf("%d\n", sum);
  return 0;
}
