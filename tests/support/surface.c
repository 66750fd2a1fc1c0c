/* Surfaces of triangles: see surface.h. */
#include "tests/support/surface.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/error.h"
#include "src/job/mesh.h"
#include "src/job/solid.h"

static void add(struct surface *s, const float a[3], const float b[3], const float c[3]) {
  s->face = tor_grow(s->face, (size_t)s->count + 1, &s->capacity, sizeof *s->face);
  memcpy(s->face[s->count][0], a, 3 * sizeof *a);
  memcpy(s->face[s->count][1], b, 3 * sizeof *b);
  memcpy(s->face[s->count++][2], c, 3 * sizeof *c);
}

/* The middle of an edge, moved to the sphere: the same whichever end is first. */
static void between(const float a[3], const float b[3], float middle[3]) {
  double m[3], length = 0;
  for (int k = 0; k < 3; k++) {
    m[k] = (double)a[k] + (double)b[k];
    length += m[k] * m[k];
  }
  for (int k = 0; k < 3; k++) middle[k] = (float)(m[k] / sqrt(length));
}

static void divide(struct surface *s, int level, const float a[3], const float b[3], const float c[3]) {
  float ab[3], bc[3], ca[3];
  if (!level) {
    add(s, a, b, c);
    return;
  }
  between(a, b, ab);
  between(b, c, bc);
  between(c, a, ca);
  divide(s, level - 1, a, ab, ca);
  divide(s, level - 1, b, bc, ab);
  divide(s, level - 1, c, ca, bc);
  divide(s, level - 1, ab, bc, ca);
}

struct surface surface_sphere(int level) {
  static const int face[20][3] = {{0, 11, 5},  {0, 5, 1},  {0, 1, 7},  {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4},
                                  {11, 10, 2}, {10, 7, 6}, {7, 1, 8},  {3, 9, 4},  {3, 4, 2},   {3, 2, 6}, {3, 6, 8},
                                  {3, 8, 9},   {4, 9, 5},  {2, 4, 11}, {6, 2, 10}, {8, 6, 7},   {9, 8, 1}};
  const double golden = 0.5 * (1 + sqrt(5)), length = sqrt(1 + golden * golden);
  const float u = (float)(1 / length), g = (float)(golden / length);
  const float corner[12][3] = {{-u, g, 0},  {u, g, 0},  {-u, -g, 0}, {u, -g, 0}, {0, -u, g},  {0, u, g},
                               {0, -u, -g}, {0, u, -g}, {g, 0, -u},  {g, 0, u},  {-g, 0, -u}, {-g, 0, u}};
  struct surface s = {0};
  for (int f = 0; f < 20; f++) divide(&s, level, corner[face[f][0]], corner[face[f][1]], corner[face[f][2]]);
  return s;
}

void surface_add_box(struct surface *s, const float lo[3], const float hi[3], int inward) {
  for (int w = 0; w < 3; w++)
    for (int side = 0; side < 2; side++) {
      float p[4][3];
      for (int i = 0; i < 4; i++) { /* around the side, from u towards v */
        p[i][w] = side ? hi[w] : lo[w];
        p[i][(w + 1) % 3] = i == 1 || i == 2 ? hi[(w + 1) % 3] : lo[(w + 1) % 3];
        p[i][(w + 2) % 3] = i >= 2 ? hi[(w + 2) % 3] : lo[(w + 2) % 3];
      }
      const int out = side != inward;
      add(s, p[0], out ? p[1] : p[2], out ? p[2] : p[1]);
      add(s, p[0], out ? p[2] : p[3], out ? p[3] : p[2]);
    }
}

static void put_float(unsigned char *to, float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  for (int i = 0; i < 4; i++) to[i] = (unsigned char)(bits >> 8 * i);
}

void surface_write(const struct surface *s, const char *path) {
  unsigned char record[84] = {0};
  FILE *f = fopen(path, "wb");
  if (!f) abort();
  for (int i = 0; i < 4; i++) record[80 + i] = (unsigned char)(s->count >> 8 * i);
  if (fwrite(record, 1, 84, f) != 84) abort();
  memset(record, 0, sizeof record);
  for (int n = 0; n < s->count; n++) {
    for (int i = 0; i < 9; i++) put_float(record + 12 + 4 * i, s->face[n][i / 3][i % 3]);
    if (fwrite(record, 1, 50, f) != 50) abort();
  }
  if (fclose(f)) abort();
}

struct tor_solid *surface_octahedron(void) {
  static struct tor_solid solid;
  static const int corner[8][3] = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4},
                                   {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
  char why[256];
  if (!solid.users++) {
    float(*vertex)[3] = calloc(6, sizeof *vertex);
    int(*face)[3] = malloc(sizeof corner);
    if (!vertex || !face) abort();
    for (int i = 0; i < 6; i++) vertex[i][i / 2] = i % 2 ? -1 : 1;
    memcpy(face, corner, sizeof corner);
    solid.mesh = tor_mesh_new(vertex, 6, face, 8, why, sizeof why);
    if (!solid.mesh) abort();
    solid.users++;
  }
  return &solid;
}
