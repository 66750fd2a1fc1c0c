/* Nodes of media whose polarisation is there: see tensor_node.h. */
#include "src/model/tensor_node.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "diamond/core/slab.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/job/chi2.h"
#include "src/job/geometry.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/job/material.h"
#include "src/job/tensor.h"
#include "src/job/turn.h"
#include "src/model/coefficient.h"
#include "src/model/metal.h"
#include "src/model/surface.h"

int tor_tensor_in(const struct tor_job *job, const struct tor_mix *mix) {
  for (int i = 0; i < mix->count; i++)
    if (tor_medium_needs_nodes(tor_mix_medium(job, mix, i))) return 1;
  return 0;
}

int tor_tensor_is_plain(const struct tor_job *job, const struct tor_mix *mix) {
  int plain = 1;
  for (int i = 0; i < mix->count; i++) plain &= tor_medium_is_constant(tor_mix_medium(job, mix, i));
  return plain;
}

int tor_tensor_surface(const struct tor_job *job, const struct tor_mix *mix) {
  double trace[TOR_MIX_MAX], mean = 0;
  for (int i = 0; i < mix->count; i++) {
    const struct tor_medium *m = tor_mix_medium(job, mix, i);
    trace[i] = (m->eps[0] + m->eps[1] + m->eps[2]) / 3;
    mean += mix->share[i] * trace[i];
  }
  return tor_surface_medium(mix, trace, mean);
}

/* --- Stacks of layers --- */

/* With the normal as the first axis, what is weighted by volume in a stack: D across and E along the layers are alike
 * in all of them (Kottke et al., eq. 4). It is its own inverse but for signs, which `back` has. */
static void exchange(const double t[6], int back, double out[6]) {
  const double across = t[0], y = t[tor_tensor_at(0, 1)], z = t[tor_tensor_at(0, 2)];
  out[0] = -1 / across;
  out[tor_tensor_at(0, 1)] = (back ? -y : y) / across;
  out[tor_tensor_at(0, 2)] = (back ? -z : z) / across;
  out[1] = t[1] - y * y / across;
  out[2] = t[2] - z * z / across;
  out[tor_tensor_at(1, 2)] = t[tor_tensor_at(1, 2)] - y * z / across;
}

/* Two unit vectors across a third. */
static void complete_frame(const double normal[3], double frame[3][3]) {
  int least = 0;
  double length = 0;
  for (int a = 1; a < 3; a++)
    if (fabs(normal[a]) < fabs(normal[least])) least = a;
  for (int a = 0; a < 3; a++) {
    frame[0][a] = normal[a];
    frame[1][a] = (a == least) - normal[least] * normal[a];
    length += frame[1][a] * frame[1][a];
  }
  for (int a = 0; a < 3; a++) frame[1][a] /= sqrt(length);
  for (int a = 0; a < 3; a++)
    frame[2][a] = frame[0][(a + 1) % 3] * frame[1][(a + 2) % 3] - frame[0][(a + 2) % 3] * frame[1][(a + 1) % 3];
}

/* The permittivity of `count` layers across a unit normal. */
static void stack(const double tensor[][6], const double share[], int count, const double normal[3], double out[6]) {
  double frame[3][3], turned[3][3], mean[6] = {0}, own[6], weighted[6];
  complete_frame(normal, frame);
  for (int i = 0; i < count; i++) {
    tor_tensor_in_frame(tensor[i], (const double(*)[3])frame, own);
    exchange(own, 0, weighted);
    for (int k = 0; k < 6; k++) mean[k] += share[i] * weighted[k];
  }
  exchange(mean, 1, own);
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++) turned[a][b] = frame[b][a];
  tor_tensor_in_frame(own, (const double(*)[3])turned, out);
}

/* --- Nodes --- */

/* The permittivity of a cube beside its mirror image. */
static void beside_image(double tensor[6], int axis) {
  static const double half[2] = {0.5, 0.5};
  double normal[3] = {0, 0, 0}, both[2][6];
  normal[axis] = 1;
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 6; k++) both[i][k] = i && k >= 3 && k != 3 + axis ? -tensor[k] : tensor[k];
  stack((const double(*)[6])both, half, 2, normal, tensor);
}

static int tensor_has_chi2(const struct tor_job *job, const struct tor_mix *mix) {
  int has = 0;
  for (int i = 0; i < mix->count; i++) has |= tor_mix_medium(job, mix, i)->has_chi2;
  return has;
}

/* The mean of chi2 by shares as a multiple of one, whose square differs least from it: between domains that are turned
 * over it is exact. */
static double mean_chi2(const struct tor_job *job, const struct tor_mix *mix, const double chi2[TOR_CHI2_SIZE]) {
  double mean = 0, square = 0;
  for (int l = 0; l < TOR_CHI2_SIZE; l++) square += (l % 6 < 3 ? 1 : 2) * chi2[l] * chi2[l];
  for (int i = 0; i < mix->count; i++)
    for (int l = 0; l < TOR_CHI2_SIZE; l++)
      mean += mix->share[i] * (l % 6 < 3 ? 1 : 2) * chi2[l] * tor_mix_medium(job, mix, i)->chi2[l] / square;
  return mean;
}

struct tor_node tor_tensor_node(const struct tor_job *job, const struct tor_mix *mix, const double normal[3],
                                int mirrors) {
  static const double ROUNDING = 1e-13;
  const int plain = tor_tensor_is_plain(job, mix), along = normal[0] == 0 && normal[1] == 0 && normal[2] == 0;
  struct tor_node node = {.kind = plain || mix->count == 1 ? TOR_NODE_TENSOR : TOR_NODE_TENSOR_OTHER};
  double tensor[TOR_MIX_MAX][6], mean[6] = {0}, edge[3] = {0}, largest = 0;
  for (int i = 0; i < mix->count; i++) {
    const struct tor_medium *m = tor_mix_medium(job, mix, i);
    tor_medium_tensor(m, tensor[i]);
    for (int a = 0; a < 3; a++) edge[a] += plain ? mix->share[i] / tor_medium_edge(m, a) : 0;
    for (int k = 0; k < 6; k++)
      mean[k] += mix->share[i] * (tensor[i][k] - (plain || k >= 3 ? 0 : tor_medium_edge(m, k)));
  }
  if (mix->count > 1 && plain && !along) stack((const double(*)[6])tensor, mix->share, mix->count, normal, mean);
  for (int a = 0; a < 3; a++)
    if (mirrors >> a & 1 && plain)
      beside_image(mean, a);
    else if (mirrors >> a & 1)
      mean[3 + (a + 1) % 3] = mean[3 + (a + 2) % 3] = 0;
  for (int k = 0; k < 6; k++) {
    node.tensor[k] = mean[k] - (plain && k < 3 ? 1 / edge[k] : 0);
    largest = fmax(largest, fabs(mean[k]));
  }
  for (int i = 0, most = -1; i < mix->count; i++) {
    const struct tor_medium *m = tor_mix_medium(job, mix, i);
    node.kerr += mix->share[i] * m->chi3;
    if (!m->has_node_pole && !m->has_chi2) continue;
    node.share += m->has_node_pole ? mix->share[i] : 0;
    if (most < 0 || mix->share[i] > mix->share[most]) most = i;
    node.special = mix->medium[most] < 0 ? job->background : mix->medium[most];
  }
  if (tensor_has_chi2(job, mix)) node.chi2 = mean_chi2(job, mix, job->media[node.special].chi2);
  for (int k = 0; k < 6; k++)
    if (fabs(node.tensor[k]) < ROUNDING * fmax(largest, 1)) node.tensor[k] = 0;
  return node;
}

/* --- Checks --- */

static void check_medium(const struct tor_job *job, const struct tor_grid *grid, const struct tor_medium *m,
                         struct tor_faults *faults) {
  const struct tor_place *place = tor_job_place(job, "media");
  for (int a = 0; a < 3; a++) {
    const int mixes = m->off[(a + 1) % 3] != 0 || m->off[(a + 2) % 3] != 0;
    if (!mixes) continue;
    if (grid->plane && a == TOR_X)
      tor_fault_at(faults, place,
                   "the permittivity of \"%s\" couples E along z to the others, and the job is 2-D, with one of both; "
                   "need " TOR_NEEDED("elements yz and xz of 0, or a 3-D job"),
                   m->name);
    if (grid->mirror[a])
      tor_fault_at(faults, place,
                   "the permittivity of \"%s\" is not its own mirror image along %c; need " TOR_NEEDED(
                       "symmetry.%c = \"none\", or a principal axis along %c"),
                   m->name, tor_axis_name(job, a), tor_axis_name(job, a), tor_axis_name(job, a));
  }
}

static int is_pmc(const struct tor_grid *grid, int axis) {
  return grid->face[2 * axis].wall == TOR_PMC || grid->face[2 * axis + 1].wall == TOR_PMC;
}

/* The current that turns is no mirror image of itself but where the magnetic field, an axial vector, lies across the
 * mirror; at a PMC the node's mean field across it is 0, but not its current. */
static void check_magnetised(const struct tor_job *job, const struct tor_grid *grid, const struct tor_medium *m,
                             struct tor_faults *faults) {
  const struct tor_place *place = tor_job_place(job, "media");
  for (int a = 0; a < 3; a++) {
    const int across = m->cyclotron[(a + 1) % 3] != 0 || m->cyclotron[(a + 2) % 3] != 0;
    if (!across) continue;
    if (grid->plane && a == TOR_X)
      tor_fault_at(faults, place,
                   "the magnetic field in \"%s\" couples E along z to the others, and the job is 2-D; "
                   "need " TOR_NEEDED("a field along z, or a 3-D job"),
                   m->name);
    else if (grid->mirror[a] || is_pmc(grid, a))
      tor_fault_at(faults, place,
                   "the magnetic field in \"%s\" is not its own mirror image along %c, where the job has a mirror or a "
                   "PMC; need " TOR_NEEDED("a field along %c, or other walls"),
                   m->name, tor_axis_name(job, a), tor_axis_name(job, a));
  }
}

static void check_absorption(const struct tor_job *job, const struct tor_medium *m, struct tor_faults *faults) {
  for (int i = 0; i < job->nmonitors; i++)
    if (job->monitors[i].kind == TOR_ABSORPTION)
      tor_fault_at(faults, tor_job_monitor_place(job, &job->monitors[i]),
                   "maps of absorption do not have what the %s of \"%s\" absorbs; need " TOR_NEEDED("flux boxes"),
                   tor_medium_node_part(m), m->name);
}

/* In a mirror the medium must be its own image, with fields that change their sign there (PEC) or do not. A wall that
 * is a PEC is the medium's end: what is behind it does not matter. */
static void check_chi2(const struct tor_job *job, const struct tor_grid *grid, const struct tor_medium *m,
                       struct tor_faults *faults) {
  const struct tor_place *place = tor_job_place(job, "media");
  for (int a = 0; a < 3; a++) {
    const int pmc = is_pmc(grid, a);
    if (grid->plane && a == TOR_X && tor_chi2_has_parity(m->chi2, a, 1))
      tor_fault_at(faults, place,
                   "the second-order susceptibility of \"%s\" couples E along z to the others, and the job is 2-D; "
                   "need " TOR_NEEDED("elements with z an even number of times, or a 3-D job"),
                   m->name);
    else if (((grid->mirror[a] > 0 || pmc) && tor_chi2_has_parity(m->chi2, a, 1)) ||
             (grid->mirror[a] < 0 && tor_chi2_has_parity(m->chi2, a, 0)))
      tor_fault_at(faults, place,
                   "the second-order susceptibility of \"%s\" is not its own mirror image along %c, where the job has "
                   "a mirror or a PMC; need " TOR_NEEDED("a crystal that is, or other walls"),
                   m->name, tor_axis_name(job, a));
  }
}

/* A magnetised or saturable pole, a Kerr effect, chi2. */
static void check_full(const struct tor_job *job, const struct tor_grid *grid, const struct tor_medium *m,
                       struct tor_faults *faults) {
  const struct tor_place *place = tor_job_place(job, "media");
  if (m->has_node_pole) check_absorption(job, m, faults);
  if (m->has_node_pole) check_magnetised(job, grid, m, faults);
  if (grid->plane == TOR_PLANE_TM)
    tor_fault_at(
        faults, place,
        "\"%s\" has a %s, whose polarisation is at nodes, and the job is 2-D TM; need " TOR_NEEDED("TE, or 3-D"),
        m->name, tor_medium_node_part(m));
  if (m->has_chi2) check_chi2(job, grid, m, faults);
  if (tor_medium_is_nonlinear(m) && tor_grid_complex(grid))
    tor_fault_at(faults, place,
                 "\"%s\" has a %s, and fields between Bloch walls are complex; need " TOR_NEEDED("\"periodic\" walls"),
                 m->name, tor_medium_node_part(m));
}

/* Two kinds whose parts of a node would exclude each other. */
static void check_kinds(const struct tor_job *job, struct tor_faults *faults) {
  const struct tor_medium *pole = NULL, *other = NULL;
  for (int m = 0; m < job->nmedia; m++) {
    const struct tor_medium *medium = &job->media[m];
    if (!tor_job_uses_medium(job, m)) continue;
    if (medium->has_node_pole) pole = medium;
    if (medium->has_tensor || medium->chi3 != 0 || medium->has_chi2) other = medium;
  }
  if (pole && other)
    tor_fault_at(faults, tor_job_place(job, "media"),
                 "\"%s\" has a %s, and \"%s\" a %s; need " TOR_NEEDED("one of both in a job"), pole->name,
                 tor_medium_node_part(pole), other->name,
                 other->has_tensor ? "full permittivity tensor"
                 : other->has_chi2 ? "second-order susceptibility"
                                   : "Kerr effect");
}

/* Whether the nodes' oscillators are fast enough beside the first source's light, at a time step of so many of 100. */
static int is_fast(const struct tor_job *job, const struct tor_grid *grid, int courant) {
  static const double LEAST = 0.75; /* of 1 - (w / w0)^2 */
  struct tor_node_coef coef;
  struct tor_job slower = *job;
  struct tor_grid shorter = *grid;
  slower.courant = courant < 100 * job->courant ? 0.01 * courant : job->courant;
  shorter.ct *= slower.courant / job->courant;
  shorter.dt *= slower.courant / job->courant;
  return tor_surface_coef(&slower, &shorter, &coef) >= LEAST;
}

static void check_step(const struct tor_job *job, const struct tor_grid *grid, const struct tor_medium *tensor,
                       struct tor_faults *faults) {
  char need[64] = "smaller cells";
  if (is_fast(job, grid, 100)) return;
  for (int courant = 99; courant > 0; courant--)
    if (is_fast(job, grid, courant)) {
      snprintf(need, sizeof need, "%.2f or less", 0.01 * courant);
      break;
    }
  tor_fault_at(faults, tor_job_place(job, "grid.courant"),
               "got " TOR_FOUND("%g") ", which leaves no time step for \"%s\", whose polarisation is at nodes; "
                                      "need " TOR_NEEDED("%s"),
               job->courant, tensor->name, need);
}

void tor_tensor_check(const struct tor_job *job, const struct tor_grid *grid, struct tor_faults *faults) {
  const struct tor_medium *tensor = NULL;
  for (int m = 0; m < job->nmedia; m++) {
    if (!tor_medium_needs_nodes(&job->media[m]) || !tor_job_uses_medium(job, m)) continue;
    tensor = &job->media[m];
    if (tensor->has_tensor) check_medium(job, grid, tensor, faults);
    if (tor_medium_node_part(tensor)) check_full(job, grid, tensor, faults);
  }
  if (!tensor || !job->node_media) return;
  check_kinds(job, faults);
  for (int m = 0; m < job->nmedia && job->averaging == TOR_AVERAGE_TENSOR; m++)
    if (tor_is_metal(job, &job->media[m])) {
      tor_fault_at(
          faults, tor_job_place(job, "grid.averaging"),
          "got " TOR_FOUND("\"tensor\"") " in a job with \"%s\", a metal, and \"%s\", whose polarisation is at "
                                         "nodes: they have one of both; need " TOR_NEEDED("\"subpixel\""),
          job->media[m].name, tensor->name);
      break;
    }
  for (int i = 0; i < job->nmonitors; i++)
    if (job->monitors[i].kind == TOR_MODE_VOLUME)
      tor_fault_at(faults, tor_job_monitor_place(job, &job->monitors[i]),
                   "volumes of modes do not have the energy in \"%s\", whose polarisation is at nodes; "
                   "need " TOR_NEEDED("a job without it"),
                   tensor->name);
  if (job->ndesigns)
    tor_fault_at(faults, tor_job_place(job, "designs"),
                 "a job with design regions has \"%s\", whose polarisation is at nodes; need " TOR_NEEDED(
                     "linear media with permittivities along the axes"),
                 tensor->name);
  if (!tensor->has_node_pole) check_step(job, grid, tensor, faults); /* its pole needs no oscillator */
}
