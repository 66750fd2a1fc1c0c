/* See grid_plane_wave.h. */
#include "tests/support/grid_plane_wave.h"

#include <complex.h>
#include <math.h>

#include "src/base/types.h"
#include "src/base/units.h"
#include "src/job/grid.h"

struct tor_grid_plane_wave tor_grid_plane_wave(const struct tor_grid *g, const int periods[3]) {
  struct tor_grid_plane_wave w = {.amplitude = {{0.3, -0.7, 0.5}}};
  double square = 0, along = 0, discrete[3];
  for (int a = 0; a < 3; a++) {
    w.k[a] = (2 * TOR_PI * periods[a] + g->phase[a]) / (g->n[a] * g->d[a]);
    const double x = 0.5 * w.k[a] * g->d[a];
    discrete[a] = 2 / g->d[a] * (g->order == 2 ? sin(x) : 9.0 / 8.0 * sin(x) - sin(3 * x) / 24.0);
    square += discrete[a] * discrete[a];
    along += discrete[a] * w.amplitude[0][a];
  }
  for (int a = 0; a < 3; a++) w.amplitude[0][a] -= along / square * discrete[a];
  for (int a = 0; a < 3; a++) {
    const int b = (a + 1) % 3, c = (a + 2) % 3;
    w.amplitude[1][a] = (discrete[b] * w.amplitude[0][c] - discrete[c] * w.amplitude[0][b]) / sqrt(square);
  }
  w.omega = 2 / g->dt * asin(0.5 * g->ct * sqrt(square));
  return w;
}

double complex tor_grid_plane_wave_value(const struct tor_grid_plane_wave *w, const struct tor_grid *g, int comp,
                                         const int at[3], double time) {
  double phase = -w->omega * time;
  for (int a = 0; a < 3; a++) phase += w->k[a] * tor_grid_place(g, comp, a, at[a]);
  return w->amplitude[tor_comp_is_h(comp)][tor_comp_axis(comp)] * g->d[tor_comp_axis(comp)] *
         CMPLX(cos(phase), sin(phase));
}
