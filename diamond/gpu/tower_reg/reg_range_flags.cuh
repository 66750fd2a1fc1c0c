/* Range flags: a flag word for each range of 32 values of z of a column records what acts there. It is made once, when
 * the slab is loaded, so that a tower need not follow the column's lists. */
#ifndef TOR_DIAMOND_GPU_TOWER_REG_REG_RANGE_FLAGS_CUH
#define TOR_DIAMOND_GPU_TOWER_REG_REG_RANGE_FLAGS_CUH

#include "diamond/gpu/view/nodes.cuh"

/* Injections of a component at one z that are planes (planes.h). */
__host__ __device__ constexpr int tor_gpu_most_injects(int order) { return order == 4 ? 4 : 1; }

/* Those at any z, as many as fit in a block's shared memory. */
__host__ __device__ constexpr int tor_gpu_most_planes(int order) { return order == 4 ? TOR_MOST_PLANES : 2; }

/* Place in view.work of the pole vectors of a component of E, or of its edges at nodes. */
POINT_FN unsigned work_for(tor_gpu_range_flags range_flags, int comp) {
  const unsigned bit = 1u << (range_flags.bits >> TOR_RANGE_NODES >> comp & 1 ? 3 + comp : comp);
  return (unsigned)(range_flags.work + __popc(range_flags.bits >> TOR_RANGE_POLES & (bit - 1)));
}

/* Entries of a list [first, past) that act on 32 values from z0 on; returns the first of them and how many entries lie
 * from it to the last. */
template <class Entry> POINT_FN tor_gpu_work entries_in_range(const Entry *list, int first, int past, int z0) {
  tor_gpu_work found = {first, 0};
  for (int i = first; i < past; i++)
    if (list[i].z0 < z0 + 32 && list[i].z0 + list[i].nz > z0) {
      if (!found.count) found.first = i;
      found.count = i + 1 - found.first;
    }
  return found;
}

/* Is at most one of the runs at any z, and are all of one fast medium? */
POINT_FN bool runs_are_simple(const tor_gpu_view &s, tor_gpu_work runs) {
  const tor_pole_range *run = s.run + runs.first;
  if (run[0].dispersion >= TOR_GPU_FAST_MEDIA || !s.fast[run[0].dispersion].npoles) return false;
  for (int i = 0; i < runs.count; i++) {
    if (run[i].pitch / TOR_POLE_RANGE_ALIGN > 0xffff) return false; /* tor_gpu_pole_vector.more */
    if (i && (run[i].dispersion != run[0].dispersion || run[i].z0 < run[i - 1].z0 + run[i - 1].nz)) return false;
  }
  return true;
}

/* What a pole_vector packs: its runs' pitch, the places of its first values of state and weight. */
POINT_FN unsigned pitch_of(const tor_gpu_pole_vector &pole_vector) {
  return (pole_vector.more >> 16) * TOR_POLE_RANGE_ALIGN;
}
POINT_FN tor_gidx state_of(const tor_gpu_pole_vector &pole_vector) {
  return (pole_vector.state | (tor_gidx)(pole_vector.more & 0xff) << 32) * V;
}
POINT_FN tor_gidx weight_of(const tor_gpu_pole_vector &pole_vector) {
  return (pole_vector.weight | (tor_gidx)(pole_vector.more >> 8 & 0xff) << 32) * V;
}

/* The pole_vectors of simple runs within 32 values from z0 on, at most one of each vector; returns their number. to: if
 * not null, gets them. */
POINT_FN int make_pole_vectors(const tor_gpu_view &s, tor_gpu_work runs, int z0, tor_gpu_pole_vector *to) {
  int count = 0;
  for (int z = z0; z < z0 + 32; z += V) {
    const tor_pole_range *shared = nullptr;
    unsigned what = 0;
    for (int i = runs.first; i < runs.first + runs.count; i++) {
      const tor_pole_range *run = s.run + i;
      for (int k = 0; k < V; k++) {
        if (z + k < run->z0 || z + k >= run->z0 + run->nz) continue;
        what |= (unsigned)run->charged << TOR_GPU_POLE_VECTOR_CHARGED | 1u << k;
        shared = run;
      }
    }
    if (!shared) continue;
    if (to) {
      const int at = z - shared->from;
      const tor_gidx state = (shared->state + at) / V, weight = (shared->weight + at) / V;
      to[count] = {(unsigned)state, (unsigned)weight,
                   (unsigned)(state >> 32 & 0xff) | (unsigned)(weight >> 32 & 0xff) << 8 |
                       (unsigned)(shared->pitch / TOR_POLE_RANGE_ALIGN) << 16,
                   what | (unsigned)((z - z0) / V) << TOR_GPU_POLE_VECTOR_VECTOR};
    }
    count++;
  }
  return count;
}

/* The nodes beside a component of E of a column. Those where a period of z begins act on its last value, too, and
 * between Bloch walls those beyond a seam are of both parts: false. */
POINT_FN bool find_node_edge(const tor_gpu_view &s, tor_gidx column, int comp, tor_gpu_node_edge &edge) {
  edge = {};
  if (s.other_inject && comp == TOR_EY && column_at_end(s, column, comp, 1) <= column) return false;
  for (int end = 0; end < 2; end++) {
    const int at = nodes_at(s, column_at_end(s, column, comp, end)), above = comp == TOR_EZ && end;
    if (at < 0) continue;
    const tor_gpu_nodes &nodes = s.nodes[at];
    if (above && acts_at_end(s, node_run_of(s, nodes), 0, s.n[2])) return false;
    edge.j[end] = nodes.state + (comp + tor_node_current_of(nodes.metal, end)) * nodes.pitch;
    edge.gap0[end] = (int16_t)nodes.gap0;
    edge.gap[end] = (int16_t)nodes.gap;
    edge.block[end] = (int16_t)(nodes.metal > 0 ? tor_node_states_of(nodes.metal) * METAL_ROW : 0);
    edge.from[end] = (int16_t)(nodes.z0 - above);
    edge.past[end] = (int16_t)(nodes.z0 - above + nodes.nz);
  }
  return true;
}

/* Where flag_ranges appends: work descriptors, pole vectors, edges at nodes. Null: they are only counted. */
struct range_work {
  unsigned long long *count; /* [3] */
  tor_gpu_work *work;
  tor_gpu_pole_vector *pole_vector;
  tor_gpu_node_edge *edge_at_nodes;
};

/* The work descriptor of a component with simple poles in a range from z0 on. */
POINT_FN tor_gpu_work work_of_poles(const tor_gpu_view &s, const range_work &to, tor_gpu_work runs, int z0) {
  const int pole_vectors = make_pole_vectors(s, runs, z0, nullptr);
  const unsigned long long first = atomicAdd(&to.count[1], (unsigned long long)pole_vectors);
  if (to.work) make_pole_vectors(s, runs, z0, to.pole_vector + first);
  return {(int)first, pole_vectors | s.run[runs.first].dispersion << TOR_GPU_MEDIUM_SHIFT};
}

/* Numbers in view.edge_at_nodes of a column's components of E; -1: it has no nodes there, or they are for the general
 * case.
 */
struct column_edges {
  int edge[3];
};
POINT_FN column_edges edges_at_nodes(const tor_gpu_view &s, const range_work &to, tor_gidx column, unsigned cls) {
  column_edges of = {{-1, -1, -1}};
  for (int c = 0; c < 3 && cls & TOR_COL_AT_NODES; c++) {
    tor_gpu_node_edge edge;
    if (!has_nodes_beside(s, column, c, 0, s.nzp) || !find_node_edge(s, column, c, edge)) continue;
    of.edge[c] = (int)atomicAdd(&to.count[2], 1ull);
    if (to.work) to.edge_at_nodes[of.edge[c]] = edge;
  }
  return of;
}

/* Sets the flags of the ranges of each column and counts the work descriptors made for them, and what these refer to.
 * With `to.work`, fills all. in_planes: if not null, only the columns that are, as if they had no injections and no
 * records; `others` are then the range_flags made earlier without in_planes, whose pole_vectors are reused. */
static __global__ void flag_ranges(const __grid_constant__ tor_gpu_view s, tor_gidx ncolumns, const uint8_t *in_planes,
                                   const tor_gpu_range_flags *others, const range_work to,
                                   tor_gpu_range_flags *range_flags) {
  const tor_gidx column = (tor_gidx)blockIdx.x * blockDim.x + threadIdx.x;
  if (column >= ncolumns || s.extra_id[column] < 0 || (in_planes && !in_planes[column])) return;
  const tor_extra &extra = s.extra[s.extra_id[column]];
  const unsigned cls =
      tor_class_undamped(s.cls[column], s.damped) & (in_planes ? ~(unsigned)(TOR_COL_INJECT | TOR_COL_RECORD) : ~0u);
  const column_edges edges = edges_at_nodes(s, to, column, cls);
  const auto injects = [&](int c, int z0) {
    return s.cls[column] & TOR_COL_INJECT && entries_in_range(s.inject, extra.inject[c], extra.inject[c + 1], z0).count;
  };
  for (int range = 0; range < s.nrange; range++) {
    const int z0 = 32 * range;
    unsigned bits = 0;
    tor_gpu_work runs[3]; /* of E's components with simple poles */
    for (int c = 0; c < TOR_NCOMP; c++) {
      const bool h = comp_is_h(c);
      bool always = cls & (h ? TOR_COL_COEF_H | TOR_COL_LOSSY_H : TOR_COL_LOSSY_E), poles = false;
      const auto acts = [&](unsigned kind, const auto *list, const int32_t *first) {
        return (cls & kind) != 0 && entries_in_range(list, first[c], first[c + 1], z0).count > 0;
      };
      always |= acts(TOR_COL_INJECT, s.inject, extra.inject);
      if (!h && (cls & TOR_COL_POLES)) {
        runs[c] = entries_in_range(s.run, extra.run[c], extra.run[c + 1], z0);
        poles = runs[c].count;
        always |= poles && !runs_are_simple(s, runs[c]);
      }
      const bool nodes = !h && (cls & TOR_COL_AT_NODES) && has_nodes_beside(s, column, c, z0, z0 + 32);
      /* In planes, too, injections at edges at nodes are for the general case: planes come before the nodes. */
      always |= nodes && (poles || edges.edge[c] < 0 || injects(c, z0));
      if (poles && !always) bits |= 1u << (TOR_RANGE_POLES + c);
      if (nodes && !always) bits |= 1u << (TOR_RANGE_NODES + c);
      if (always)
        bits |= 1u << (TOR_RANGE_ALWAYS + c);
      else if (acts(TOR_COL_RECORD, s.record, extra.record))
        bits |= 1u << (TOR_RANGE_SAMPLED + c);
    }
    if (!bits) continue;
    const tor_gpu_range_flags other = others ? others[column * s.nrange + range] : tor_gpu_range_flags{0, 0};
    const int wanted = __popc(bits >> TOR_RANGE_POLES);
    int at = wanted ? (int)atomicAdd(&to.count[0], (unsigned long long)wanted) : 0;
    range_flags[column * s.nrange + range] = {bits, at};
    for (int i = 0; i < 6; i++) {
      const int c = i % 3, first = i < 3 ? TOR_RANGE_POLES : TOR_RANGE_NODES;
      if (!(bits >> (first + c) & 1)) continue;
      tor_gpu_work is = {0, 1 | TOR_GPU_AT_NODES << TOR_GPU_MEDIUM_SHIFT};
      if (i >= 3)
        is.first = edges.edge[c];
      else if (other.bits >> (TOR_RANGE_POLES + c) & 1)
        is = to.work ? to.work[work_for(other, c)] : is;
      else
        is = work_of_poles(s, to, runs[c], z0);
      if (to.work) to.work[at++] = is;
    }
  }
}

#endif
