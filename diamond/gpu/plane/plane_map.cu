/* How a 2-D slab is divided into panels and tiles: see plane.cuh. On the host. */
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <vector>

#include "diamond/gpu/plane/plane.cuh"
#include "diamond/gpu/view/lattice.cuh"
#include "src/base/error.h"

namespace {

enum {
  UNIT = TOR_PLANE_QUAD, /* values of z that are marked together */
  ROWS = TOR_PLANE_TILE_ROWS,
  HEIGHT = TOR_PLANE_TILE_VECTORS * V, /* of a tile along z */
  WALL = 3,                            /* cells at walls that panels keep away from */
  NODES = 2                            /* cells around a surface node that it changes */
};

/* A flag for each UNIT values of z of each row. */
struct marks {
  int rows, values, units;
  std::vector<uint8_t> at;
  marks(int rows, int values)
      : rows(rows), values(values), units((values + UNIT - 1) / UNIT), at((size_t)rows * (size_t)units) {}
  uint8_t *row(int iy) { return &at[(size_t)iy * (size_t)units]; }
  void set(int iy, int z0, int z1) {
    if (iy < 0 || iy >= rows) return;
    z0 = std::max(z0, 0);
    z1 = std::min(z1, values);
    if (z0 < z1) memset(row(iy) + z0 / UNIT, 1, (size_t)((z1 - 1) / UNIT - z0 / UNIT + 1));
  }
};

/* A flag for each tile. */
struct tile_marks {
  int rows, columns;
  std::vector<uint8_t> at;
  tile_marks(int rows, int columns) : rows(rows), columns(columns), at((size_t)rows * (size_t)columns) {}
  uint8_t &operator()(int by, int bz) { return at[(size_t)by * (size_t)columns + (size_t)bz]; }
};

/* What panels cannot hold, and where coefficients of E differ from the panels'. */
struct survey {
  const struct tor_slab *slab;
  const struct tor_gpu_plane_coef *coef;
  marks special, own;
};

const real *values_of(const void *array, tor_gidx at) { return (const real *)array + at; }

/* Marks the z where an array's value is not `usual`. Arrays have a multiple of TOR_VECTOR values. */
void mark_others(marks &m, int iy, const real *value, real usual) {
  uint8_t *const row = m.row(iy);
  for (int i = 0; i < m.units; i++) {
    const real *const v = value + i * UNIT;
    row[i] |= v[0] != usual || v[1] != usual || v[2] != usual || v[3] != usual;
  }
}

bool owns(unsigned cls, int c) { return cls & (c >= TOR_HX ? TOR_COL_COEF_H : TOR_COL_COEF_E); }
bool loses(unsigned cls, int c) { return cls & (c >= TOR_HX ? TOR_COL_LOSSY_H : TOR_COL_LOSSY_E); }

void mark_coefficients(survey &s, int iy, unsigned cls, const struct tor_extra *extra) {
  const struct tor_slab *slab = s.slab;
  for (int c = 0; c < TOR_NCOMP; c++) {
    if (!tor_comp_exists(slab->plane, c)) continue;
    const tor_gidx background = (tor_gidx)c * slab->nzp,
                   first =
                       owns(cls, c) ? (c >= TOR_HX ? extra->coef_h : extra->coef_e) + (tor_gidx)(c % 3) * slab->nzp : 0;
    const real *const cb = owns(cls, c) ? values_of(slab->coef, first) : values_of(slab->cb, background);
    mark_others(c >= TOR_HX ? s.special : s.own, iy, cb, s.coef->at[c]);
    if (loses(cls, c))
      mark_others(s.special, iy, owns(cls, c) ? cb + (tor_gidx)3 * slab->nzp : values_of(slab->ca1, background), 0);
  }
}

void mark_lists(survey &s, int iy, const struct tor_extra *extra) {
  const struct tor_slab *slab = s.slab;
  for (int i = extra->inject[0]; i < extra->inject[TOR_NCOMP]; i++)
    s.special.set(iy, slab->inject[i].z0, slab->inject[i].z0 + slab->inject[i].nz);
  for (int i = extra->record[0]; i < extra->record[TOR_NCOMP]; i++)
    s.special.set(iy, slab->record[i].z0, slab->record[i].z0 + slab->record[i].nz);
  for (int i = extra->run[0]; i < extra->run[3]; i++)
    s.special.set(iy, slab->run[i].z0, slab->run[i].z0 + slab->run[i].nz);
  for (int i = extra->run[3]; i < extra->run[4]; i++)
    for (int row = iy - NODES; row <= iy + NODES; row++)
      s.special.set(row, slab->run[i].z0 - NODES, slab->run[i].z0 + slab->run[i].nz + NODES);
}

void mark_row(survey &s, int iy) {
  const struct tor_slab *slab = s.slab;
  const int at = slab->lo[1] + iy; /* in the domain */
  const tor_gidx column = iy;
  const unsigned cls = slab->cls[column];
  const struct tor_extra *extra = slab->extra_id[column] < 0 ? NULL : &slab->extra[slab->extra_id[column]];
  const int all = s.special.values;
  if (at < WALL || at > slab->n[TOR_Y] - WALL || cls & TOR_COL_CPML_Y) return s.special.set(iy, 0, all);
  s.special.set(iy, 0, std::max(slab->zlo, (int)WALL));
  s.special.set(iy, slab->zhi ? std::min(slab->zhi0, all - WALL) : all - WALL, all);
  mark_coefficients(s, iy, cls, extra);
  if (extra) mark_lists(s, iy, extra);
}

/* The tiles with a mark within `reach` rows and `margin` values. */
tile_marks mark_tiles(marks &m, int reach, int margin) {
  tile_marks tiles((m.rows + ROWS - 1) / ROWS, (m.values + HEIGHT - 1) / HEIGHT);
  for (int iy = 0; iy < m.rows; iy++)
    for (int bz = 0; bz < tiles.columns; bz++) {
      const int first = std::max(bz * HEIGHT - margin, 0) / UNIT,
                past = std::min((bz + 1) * HEIGHT + margin, m.units * UNIT) / UNIT;
      if (!memchr(m.row(iy) + first, 1, (size_t)(past - first))) continue;
      for (int by = std::max(iy - reach, 0) / ROWS; by <= std::min(iy + reach, m.rows - 1) / ROWS; by++)
        tiles(by, bz) = 1;
    }
  return tiles;
}

/* Tiles first those that are kept, then those within `rows` and `columns` tiles of them. */
void list_tiles(tile_marks &kept, int rows, int columns, std::vector<tor_gpu_tile> &list, int *nkept) {
  tile_marks near(kept.rows, kept.columns);
  for (int by = 0; by < kept.rows; by++)
    for (int bz = 0; bz < kept.columns; bz++) {
      if (!kept(by, bz)) continue;
      list.push_back({by * ROWS, bz * HEIGHT});
      for (int y = std::max(by - rows, 0); y <= std::min(by + rows, kept.rows - 1); y++)
        for (int z = std::max(bz - columns, 0); z <= std::min(bz + columns, kept.columns - 1); z++) near(y, z) = 1;
    }
  *nkept = (int)list.size();
  for (int by = 0; by < kept.rows; by++)
    for (int bz = 0; bz < kept.columns; bz++)
      if (near(by, bz) && !kept(by, bz)) list.push_back({by * ROWS, bz * HEIGHT});
}

/* The panels of a row of tiles: between those that are kept, cut where z is a multiple of `width`. */
void cut_row(tile_marks &kept, int by, int width, std::vector<tor_gpu_panel> &row) {
  for (int bz = 0, past; bz < kept.columns; bz = past + 1) {
    for (past = bz; past < kept.columns && !kept(by, past);) past++;
    for (int z = bz * HEIGHT, next; z < past * HEIGHT; z = next) {
      next = std::min((z / width + 1) * width, past * HEIGHT);
      row.push_back({by * ROWS, (by + 1) * ROWS, z, next});
    }
  }
}

/* The other part than the kept tiles of rows of tiles first <= by < past, as few rectangles as rows of equal panels
 * give. */
std::vector<tor_gpu_panel> find_panels(tile_marks &kept, int first, int past, int width) {
  std::vector<tor_gpu_panel> done, open, row;
  for (int by = first; by <= past; by++) {
    row.clear();
    if (by < past) cut_row(kept, by, width, row);
    size_t i = 0;
    for (const tor_gpu_panel &old : open) {
      while (i < row.size() && row[i].z0 < old.z0) i++;
      if (i < row.size() && row[i].z0 == old.z0 && row[i].z1 == old.z1)
        row[i].y0 = old.y0;
      else
        done.push_back(old);
    }
    open = row;
  }
  return done;
}

int parts_of(const tor_gpu_panel &panel, int most) { return (panel.y1 - panel.y0 + most - 1) / most; }

/* The most rows of a panel: panels begin `reach` rows early and end as many late, so long ones are better, but there
 * should be as many as the device runs at a time, or a multiple of that. */
int choose_rows(const std::vector<tor_gpu_panel> &panel, int reach, int resident) {
  double rows = 0, best = 1e30;
  int chosen = 2 * reach;
  for (const tor_gpu_panel &s : panel) rows += s.y1 - s.y0;
  for (int waves = 1; waves <= 6; waves++) {
    int most = std::max((int)(rows / ((double)waves * resident)), 2 * reach);
    for (;; most += std::max(most / 32, 1)) {
      int count = 0;
      for (const tor_gpu_panel &s : panel) count += parts_of(s, most);
      if (count <= waves * resident || count == (int)panel.size()) break;
    }
    const double time = waves * (most + 2.0 * reach);
    if (time >= best) continue;
    best = time;
    chosen = most;
  }
  return chosen;
}

bool any(tile_marks &tiles, const tor_gpu_panel &s) {
  for (int by = s.y0 / ROWS; by <= (s.y1 - 1) / ROWS; by++)
    for (int bz = s.z0 / HEIGHT; bz <= (s.z1 - 1) / HEIGHT; bz++)
      if (tiles(by, bz)) return true;
  return false;
}

template <class T> T *copy_of(const std::vector<T> &from) {
  T *to = (T *)tor_alloc(from.size() + 1, sizeof *to, "GPU");
  std::copy(from.begin(), from.end(), to);
  return to;
}

} // namespace

void TOR_NAME(tor_plane_map_make)(const struct tor_slab *slab, int y0, int y1, int steps, int resident,
                                  struct tor_plane_map *map) {
  *map = {};
  const int reach = tor_plane_reach(slab->order) * steps, margin = tor_plane_margin(slab->order, steps),
            rows = slab->held[1], values = slab->n[TOR_Z] + 1, first = y0 / ROWS, past = (y1 + ROWS - 1) / ROWS;
  for (int c = 0; c < TOR_NCOMP; c++)
    map->coef.at[c] = *values_of(slab->cb, (tor_gidx)c * slab->nzp + slab->n[TOR_Z] / 2);
  survey s = {slab, &map->coef, marks(rows, values), marks(rows, values)};
  for (int iy = 0; iy < rows; iy++) mark_row(s, iy);
  tile_marks kept = mark_tiles(s.special, reach, margin), own = mark_tiles(s.own, reach, margin);
  for (int by = 0; by < kept.rows; by++)
    if (by < first || by >= past) memset(&kept(by, 0), 0, (size_t)kept.columns);
  std::vector<tor_gpu_tile> tiles;
  list_tiles(kept, (reach + ROWS - 1) / ROWS, (reach + HEIGHT - 1) / HEIGHT, tiles, &map->kept);
  const std::vector<tor_gpu_panel> whole = find_panels(kept, first, past, TOR_PLANE_WARP - 2 * margin);
  const int most = choose_rows(whole, reach, resident);
  std::vector<tor_gpu_panel> plain, others;
  for (const tor_gpu_panel &w : whole)
    for (int i = 0, parts = parts_of(w, most), height = w.y1 - w.y0; i < parts; i++) {
      const tor_gpu_panel part = {w.y0 + (int)((int64_t)height * i / parts),
                                  w.y0 + (int)((int64_t)height * (i + 1) / parts), w.z0, w.z1};
      (any(own, part) ? others : plain).push_back(part);
    }
  map->plain = (int)plain.size();
  plain.insert(plain.end(), others.begin(), others.end());
  /* Long ones first; of equal length in the order of rows, so that neighbours run together. */
  const auto before = [](const tor_gpu_panel &a, const tor_gpu_panel &b) {
    if (a.y1 - a.y0 != b.y1 - b.y0) return a.y1 - a.y0 > b.y1 - b.y0;
    return a.y0 != b.y0 ? a.y0 < b.y0 : a.z0 < b.z0;
  };
  std::sort(plain.begin(), plain.begin() + map->plain, before);
  std::sort(plain.begin() + map->plain, plain.end(), before);
  map->npanel = (int)plain.size();
  map->ntile = (int)tiles.size();
  map->panel = copy_of(plain);
  map->tile = copy_of(tiles);
  map->stepwise = (double)tiles.size() / ((double)(past - first) * kept.columns);
}

void TOR_NAME(tor_plane_map_free)(struct tor_plane_map *map) {
  free(map->panel);
  free(map->tile);
}
