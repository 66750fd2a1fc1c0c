/* A plane wave of any direction on a line: see oblique_line.h. */
#include "src/model/oblique_line.h"

#include <math.h>
#include <stdlib.h>

#include "src/base/error.h"
#include "src/base/types.h"
#include "src/base/units.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/model/grid_wave.h"
#include "src/model/profile.h"
#include "src/model/source.h"

enum { LAYER = 40, LAYER_GRADE = 3 }; /* cells of the layers at the ends; order of their profile */
static const double layer_loss = 30;  /* exp(-30): what returns */

void tor_oblique_numbers(const double direction[3], const double d[3], int m[3]) {
  enum { MOST = 100 };
  const double near = 0.05 * TOR_PI / 180;
  double best = INFINITY;
  int size = 0;
  for (int a = 0; a < 3; a++) m[a] = 0;
  for (int i = 0; i <= MOST; i++)
    for (int j = 0; j <= MOST; j++)
      for (int k = !i && !j; k <= MOST; k++) {
        const double v[3] = {i / d[0], j / d[1], k / d[2]};
        double across = 0, along = 0;
        if (best <= near && i + j + k >= size) continue;
        for (int a = 0; a < 3; a++) {
          const int b = (a + 1) % 3, c = (a + 2) % 3;
          const double cross = v[b] * fabs(direction[c]) - v[c] * fabs(direction[b]);
          across += cross * cross;
          along += v[a] * fabs(direction[a]);
        }
        const double angle = atan2(sqrt(across), along);
        if (angle > near && angle >= best) continue;
        best = angle;
        size = i + j + k;
        m[0] = i, m[1] = j, m[2] = k;
      }
  for (int a = 0; a < 3; a++)
    if (direction[a] < 0) m[a] = -m[a];
}

double tor_oblique_half(const struct tor_oblique *line, int comp) {
  double half = 0;
  for (int a = 0; a < 3; a++) half += 0.5 * line->m[a] * tor_comp_half(comp, a);
  return half;
}

/* The unit vector along `v` less its part along the unit vector n. */
static void across(const double v[3], const double n[3], double to[3]) {
  const double part = v[0] * n[0] + v[1] * n[1] + v[2] * n[2];
  double sum = 0;
  for (int a = 0; a < 3; a++) {
    to[a] = v[a] - part * n[a];
    sum += to[a] * to[a];
  }
  for (int a = 0; a < 3; a++) to[a] /= sqrt(sum);
}

static void make_wave(struct tor_oblique *line, const struct tor_source *source) {
  const double *n = line->direction, *first = line->polarisation[0];
  across(source->across, n, line->polarisation[0]);
  for (int k = 0; k < 2; k++) line->profile[k] = source->profile;
  if (!source->circular) return;
  for (int a = 0; a < 3; a++) {
    const int b = (a + 1) % 3, c = (a + 2) % 3;
    line->polarisation[1][a] = n[b] * first[c] - n[c] * first[b];
  }
  line->profile[1].phase -= source->circular * TOR_PI / 2;
}

/* Losses of the layers, which are matched: the same for E and H. */
static void make_layers(struct tor_oblique *line, int thickness, const double cb[TOR_NCOMP]) {
  const double rate = (LAYER_GRADE + 1) * layer_loss / (2 * sqrt(line->eps * line->mu) * thickness * line->step);
  for (int c = 0; c < TOR_NCOMP; c++)
    for (int i = 0; i < line->count; i++) {
      const double x = i + tor_oblique_half(line, c),
                   depth = fmax(thickness - x, x - (line->count - 1 - thickness)) / thickness;
      const double half = depth > 0 ? 0.5 * rate * line->grid->ct * pow(fmin(depth, 1), LAYER_GRADE) : 0;
      line->keep[c][i] = (1 - half) / (1 + half);
      line->gain[c][i] = cb[c] / (1 + half);
    }
}

/* A sheet with J d = 2 E / eta radiates E to both sides; its current is spread by a Gaussian. Scaled as a curl. */
static void make_sheet(struct tor_oblique *line, double width) {
  const struct tor_grid *g = line->grid;
  for (int c = 0; c < 3; c++) {
    double sum = 0;
    for (int i = 0; i < line->nsheet; i++) {
      const double x = (i + tor_oblique_half(line, c) - 0.5 * (line->nsheet - 1)) / width;
      sum += line->drive[c][i] = exp(-0.5 * x * x);
    }
    const double scale = 2 * sqrt(line->eps / line->mu) / line->step * tor_grid_metric(g, c) * g->d[c] / sum;
    for (int i = 0; i < line->nsheet; i++) line->drive[c][i] *= scale;
  }
}

/* The parts of the line: layer, gap, sheet, gap, what the box reads, gap, layer. Returns the layers' thickness. */
static int make_parts(struct tor_oblique *line, const int lo[3], const int hi[3], int most, double edge) {
  enum { BEYOND = 3 }; /* nodes outside the box that differences across its faces read */
  int last = 0;
  line->lo = line->watch = 0;
  for (int a = 0; a < 3; a++) {
    const int low = line->m[a] > 0 ? lo[a] : hi[a], high = line->m[a] > 0 ? hi[a] : lo[a];
    line->watch += line->m[a] * low;
    last += line->m[a] * high + BEYOND * abs(line->m[a]);
    line->lo += line->m[a] * low - BEYOND * abs(line->m[a]);
  }
  const int thickness = (int)ceil(LAYER * edge / line->step);
  line->span = last - line->lo + 1;
  line->nsheet = 18 * most + 1;
  line->sheet = thickness + 2 * most;
  line->offset = line->lo - (line->sheet + line->nsheet + 4 * most);
  line->count = line->lo - line->offset + line->span + 2 * most + thickness;
  line->pad = 2 * most;
  return thickness;
}

struct tor_oblique *tor_oblique_new(const struct tor_grid *grid, const struct tor_source *source, const int lo[3],
                                    const int hi[3], const double cb[TOR_NCOMP]) {
  struct tor_oblique *line = tor_alloc(1, sizeof *line, "incident field");
  double sum = 0, edge = INFINITY;
  int most = 0;
  line->grid = grid;
  tor_oblique_numbers(source->travel, grid->d, line->m);
  for (int a = 0; a < 3; a++) {
    line->direction[a] = line->m[a] / grid->d[a];
    sum += line->direction[a] * line->direction[a];
    if (line->m[a]) edge = fmin(edge, grid->d[a]);
    if (abs(line->m[a]) > most) most = abs(line->m[a]);
  }
  line->step = 1 / sqrt(sum);
  for (int a = 0; a < 3; a++) line->direction[a] *= line->step;
  make_wave(line, source);
  /* Of components that the wave has: in two dimensions others may have no coefficients. */
  const int e = fabs(line->polarisation[0][0]) > 0.5 ? TOR_EX : fabs(line->polarisation[0][1]) > 0.5 ? TOR_EY : TOR_EZ;
  const int h = grid->plane == TOR_PLANE_TE ? TOR_HX : line->m[2] ? TOR_HY : TOR_HZ;
  line->eps = grid->ct / (cb[e] * tor_grid_metric(grid, e));
  line->mu = grid->ct / (cb[h] * tor_grid_metric(grid, h));
  const int thickness = make_parts(line, lo, hi, most, edge);
  for (int c = 0; c < TOR_NCOMP; c++) {
    line->field[c] =
        (double *)tor_alloc((size_t)line->count + 2 * (size_t)line->pad, sizeof(double), "incident field") + line->pad;
    line->keep[c] = tor_alloc((size_t)line->count, sizeof(double), "incident field");
    line->gain[c] = tor_alloc((size_t)line->count, sizeof(double), "incident field");
  }
  for (int c = 0; c < 3; c++) line->drive[c] = tor_alloc((size_t)line->nsheet, sizeof(double), "incident field");
  make_layers(line, thickness, cb);
  make_sheet(line, 1.5 * most);
  const double omega = source->profile.kind == TOR_TABLE ? 0 : 2 * TOR_PI * TOR_C0 / source->profile.wavelength;
  line->late = omega > 0 ? tor_oblique_phase(line, omega) / omega : sqrt(line->eps * line->mu) * line->step / TOR_C0;
  return line;
}

void tor_oblique_free(struct tor_oblique *line) {
  if (!line) return;
  for (int c = 0; c < TOR_NCOMP; c++) {
    free(line->field[c] - line->pad);
    free(line->keep[c]);
    free(line->gain[c]);
  }
  for (int c = 0; c < 3; c++) free(line->drive[c]);
  free(line);
}

/* f <- keep f + gain ((p[0] - p[-j]) - (q[0] - q[-k])), with the differences of the grid's order. */
static void advance(const struct tor_oblique *line, int comp, const double *restrict p, int j, const double *restrict q,
                    int k) {
  double *restrict f = line->field[comp];
  const double *keep = line->keep[comp], *gain = line->gain[comp];
  if (line->grid->order == 4)
    for (int i = 0; i < line->count; i++) {
      const double first = p[i] - p[i - j] - (p[i + j] - p[i - 2 * j]) / 27.0,
                   second = q[i] - q[i - k] - (q[i + k] - q[i - 2 * k]) / 27.0;
      f[i] = keep[i] * f[i] + gain[i] * (first - second);
    }
  else
    for (int i = 0; i < line->count; i++) f[i] = keep[i] * f[i] + gain[i] * (p[i] - p[i - j] - (q[i] - q[i - k]));
}

/* E lies at whole indices of the axes that its curl differs over, H half a cell above them. */
void tor_oblique_step_h(struct tor_oblique *line) {
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    advance(line, TOR_HX + i, line->field[TOR_EX + j] + line->m[k], line->m[k], line->field[TOR_EX + k] + line->m[j],
            line->m[j]);
  }
}

void tor_oblique_step_e(struct tor_oblique *line, double t) {
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    advance(line, TOR_EX + i, line->field[TOR_HX + k], line->m[j], line->field[TOR_HX + j], line->m[k]);
  }
  for (int c = 0; c < 3; c++) {
    double *f = line->field[c] + line->sheet;
    for (int w = 0; w < 2; w++)
      for (int i = 0; i < line->nsheet && line->polarisation[w][c] != 0; i++) {
        const double after = line->late * (i + tor_oblique_half(line, c) + line->pad);
        f[i] += line->gain[c][line->sheet + i] * line->drive[c][i] * line->polarisation[w][c] *
                line->profile[w].amplitude * tor_profile_value(&line->profile[w], t - after);
      }
  }
}

double tor_oblique_phase(const struct tor_oblique *line, double omega) {
  const struct tor_grid *g = line->grid;
  const double s = 0.5 * tor_wave_frequency(g, omega), target = line->eps * line->mu * s * s;
  int most = 0;
  for (int a = 0; a < 3; a++)
    if (abs(line->m[a]) > most) most = abs(line->m[a]);
  double lo = 0, hi = TOR_PI / most; /* the sum rises up to there */
  for (int i = 0; i < 64; i++) {
    const double x = 0.5 * (lo + hi);
    double sum = 0;
    for (int a = 0; a < 3; a++) sum += pow(tor_wave_difference(g->order, 0.5 * x * line->m[a]) / g->d[a], 2);
    *(sum < target ? &lo : &hi) = x;
  }
  return 0.5 * (lo + hi);
}

double tor_oblique_flux_factor(const struct tor_oblique *line, int axis, double omega) {
  return tor_wave_slope(line->grid->order, 0.5 * tor_oblique_phase(line, omega) * line->m[axis]);
}
