/* Grids in cylindrical coordinates: see cylindrical.h. */
#include "src/job/cylindrical.h"

#include <math.h>
#include <stdio.h>

#include "src/base/types.h"
#include "src/base/units.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/job/turn.h"

void tor_cylindrical_make(const struct tor_job *job, struct tor_grid *grid) {
  const int phi = tor_axis_of_user(job, TOR_Y), r = tor_axis_of_user(job, TOR_X), axial = tor_axis_of_user(job, TOR_Z);
  const double m = tor_cylindrical_number(job->angular), dr = grid->d[r], dz = grid->d[axial];
  const int is_tm = job->angular == TOR_M0_TM;
  grid->angular = job->angular;
  grid->n[r] = grid->n[r] > 1 ? grid->n[r] / 2 : 1;
  grid->lo[r] = 0;
  grid->face[2 * r] = (struct tor_boundary){.wall = is_tm ? TOR_PMC : TOR_PEC};
  grid->n[phi] = 1;
  grid->d[phi] = m > 0 ? sqrt(2) / m * dr : dr;
  grid->lo[phi] = m > 0 ? -grid->d[phi] : -0.5 * grid->d[phi];
  grid->face[2 * phi] = (struct tor_boundary){.wall = is_tm ? TOR_PMC : TOR_PEC};
  grid->face[2 * phi + 1] = (struct tor_boundary){.wall = job->angular == TOR_M0_TE ? TOR_PEC : TOR_PMC};
  const double largest = m > 0 ? m * m + 0.5 + 0.1 / (m * m) : is_tm ? 1.2105 : 1;
  grid->ct = job->courant / sqrt(1 / (dz * dz) + largest / (dr * dr));
  grid->dt = grid->ct / TOR_C0;
}

const char *tor_cylindrical_text(int angular) {
  static _Thread_local char text[16];
  if (angular < 0) return angular == TOR_M0_TM ? "0, TM" : "0, TE";
  snprintf(text, sizeof text, "%d", angular);
  return text;
}

double tor_cylindrical_around(const struct tor_grid *grid) {
  return grid->angular ? 2 * TOR_PI * grid->d[TOR_RADIAL] / grid->d[TOR_PHI] : 1;
}

double tor_cylindrical_share(const struct tor_grid *grid, int comp, int iz) {
  if (grid->angular >= 0) return 1;
  if (grid->angular == TOR_M0_TE) return 0.5;
  return !tor_comp_half(comp, TOR_RADIAL) && iz == 0 ? 2 : 1;
}

double tor_cylindrical_wave(const struct tor_grid *grid, int comp, int iz) {
  const int of = tor_comp_is_h(comp) ? TOR_PHI : TOR_RADIAL; /* the component whose value is known */
  if (tor_comp_axis(comp) == TOR_AXIAL) return 0;
  if (tor_comp_axis(comp) == of) return tor_comp_is_h(comp) ? tor_cylindrical_radius(comp, iz) : 1;
  /* E_phi = -E sin(phi), H_r = H sin(phi). */
  const double amplitude = tor_comp_is_h(comp) ? 1 : -1;
  return amplitude * grid->d[tor_comp_axis(comp)] / grid->d[of] / tor_cylindrical_scale(grid, comp, iz);
}
