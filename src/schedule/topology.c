/* The machine by hwloc: see topology.h. */
#include "src/schedule/topology.h"

#include <limits.h>

#ifdef TORRE_HWLOC

#include <hwloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/error.h"

struct tor_topology {
  hwloc_topology_t hw;
};

static hwloc_bitmap_t bitmap(void) {
  hwloc_bitmap_t set = hwloc_bitmap_alloc();
  if (!set) TOR_DIE("no memory for a set of CPUs");
  return set;
}

static hwloc_bitmap_t to_bitmap(const struct tor_cpus *cpus) {
  hwloc_bitmap_t set = bitmap();
  hwloc_bitmap_list_sscanf(set, cpus->list);
  return set;
}

static void to_text(hwloc_const_bitmap_t set, struct tor_cpus *cpus) {
  if (hwloc_bitmap_list_snprintf(cpus->list, sizeof cpus->list, set) >= (int)sizeof cpus->list)
    TOR_DIE("a set of CPUs takes more than %zu characters", sizeof cpus->list);
}

const char *tor_topology_version(void) { return HWLOC_VERSION; }

struct tor_topology *tor_topology_open(void) {
  struct tor_topology *t = tor_alloc(1, sizeof *t, "topology");
  if (!hwloc_topology_init(&t->hw)) {
    if (!hwloc_topology_set_type_filter(t->hw, HWLOC_OBJ_PCI_DEVICE, HWLOC_TYPE_FILTER_KEEP_IMPORTANT) &&
        !hwloc_topology_load(t->hw))
      return t;
    hwloc_topology_destroy(t->hw);
  }
  free(t);
  return NULL;
}

void tor_topology_close(struct tor_topology *t) {
  if (!t) return;
  hwloc_topology_destroy(t->hw);
  free(t);
}

int tor_topology_given(const struct tor_topology *t, struct tor_cpus *given) {
  const hwloc_const_cpuset_t all = hwloc_topology_get_allowed_cpuset(t->hw);
  hwloc_bitmap_t set = bitmap();
  int known = !hwloc_get_cpubind(t->hw, set, HWLOC_CPUBIND_PROCESS) && hwloc_bitmap_intersects(set, all);
  if (known) hwloc_bitmap_and(set, set, all);
  to_text(known ? set : all, given);
  hwloc_bitmap_free(set);
  return known ? 0 : -1;
}

int tor_topology_near(const struct tor_topology *t, const char *pci, const struct tor_cpus *of, struct tor_cpus *near) {
  hwloc_obj_t device = hwloc_get_pcidev_by_busidstring(t->hw, pci);
  hwloc_bitmap_t set = to_bitmap(of);
  if (device) hwloc_bitmap_and(set, set, hwloc_get_non_io_ancestor_obj(t->hw, device)->cpuset);
  const int none = hwloc_bitmap_iszero(set);
  *near = *of;
  if (!none) to_text(set, near);
  hwloc_bitmap_free(set);
  return !device ? 1 : none ? -1 : 0;
}

void tor_topology_part(const struct tor_topology *t, const struct tor_cpus *of, int part, int parts,
                       struct tor_cpus *mine) {
  hwloc_topology_t within;
  hwloc_bitmap_t set = to_bitmap(of);
  hwloc_cpuset_t *sets = tor_alloc((size_t)parts, sizeof *sets, "topology");
  if (hwloc_topology_dup(&within, t->hw) || hwloc_topology_restrict(within, set, 0))
    TOR_DIE("hwloc: cannot divide CPUs %s", of->list);
  hwloc_obj_t root = hwloc_get_root_obj(within);
  if (hwloc_distrib(within, &root, 1, sets, (unsigned)parts, INT_MAX, 0))
    TOR_DIE("hwloc: cannot distribute CPUs %s", of->list);
  to_text(sets[part], mine);
  for (int i = 0; i < parts; i++) hwloc_bitmap_free(sets[i]);
  free(sets);
  hwloc_bitmap_free(set);
  hwloc_topology_destroy(within);
}

int tor_topology_count(const struct tor_cpus *cpus, int sets) {
  hwloc_bitmap_t all = bitmap();
  for (int i = 0; i < sets; i++) {
    hwloc_bitmap_t set = to_bitmap(&cpus[i]);
    hwloc_bitmap_or(all, all, set);
    hwloc_bitmap_free(set);
  }
  const int count = hwloc_bitmap_weight(all);
  hwloc_bitmap_free(all);
  return count;
}

int tor_topology_all(const struct tor_topology *t) {
  return hwloc_bitmap_weight(hwloc_topology_get_allowed_cpuset(t->hw));
}

static hwloc_bitmap_t nodes_of(const struct tor_topology *t, const struct tor_cpus *cpus) {
  hwloc_bitmap_t set = to_bitmap(cpus), nodes = bitmap();
  hwloc_cpuset_to_nodeset(t->hw, set, nodes);
  hwloc_bitmap_free(set);
  return nodes;
}

int tor_topology_nodes(const struct tor_topology *t, const struct tor_cpus *cpus, char *text, size_t size) {
  hwloc_bitmap_t nodes = nodes_of(t, cpus);
  const int count = hwloc_bitmap_weight(nodes);
  hwloc_bitmap_list_snprintf(text, size, nodes);
  hwloc_bitmap_free(nodes);
  return count;
}

static void bind_memory(const struct tor_topology *t, const struct tor_cpus *cpus) {
  hwloc_membind_policy_t policy;
  hwloc_bitmap_t nodes = nodes_of(t, cpus), now = bitmap();
  const int unset = !hwloc_get_membind(t->hw, now, &policy, HWLOC_MEMBIND_BYNODESET) &&
                    (policy == HWLOC_MEMBIND_FIRSTTOUCH || policy == HWLOC_MEMBIND_DEFAULT);
  if (unset && hwloc_get_nbobjs_by_type(t->hw, HWLOC_OBJ_NUMANODE) > 1) {
    policy = hwloc_bitmap_weight(nodes) > 1 ? HWLOC_MEMBIND_INTERLEAVE : HWLOC_MEMBIND_BIND;
    /* Best effort: where the system refuses, pages are placed near the thread that touches them first. */
    hwloc_set_membind(t->hw, nodes, policy, HWLOC_MEMBIND_BYNODESET);
  }
  hwloc_bitmap_free(nodes);
  hwloc_bitmap_free(now);
}

int tor_topology_bind(const struct tor_topology *t, const struct tor_cpus *cpus, int thread_alone) {
  hwloc_bitmap_t set = to_bitmap(cpus);
  const int failed = hwloc_set_cpubind(t->hw, set, thread_alone ? HWLOC_CPUBIND_THREAD : HWLOC_CPUBIND_PROCESS);
  hwloc_bitmap_free(set);
  if (failed) return -1;
  bind_memory(t, cpus);
  return 0;
}

#else

const char *tor_topology_version(void) { return NULL; }
struct tor_topology *tor_topology_open(void) { return NULL; }
void tor_topology_close(struct tor_topology *t) { (void)t; }

/* Nothing below is called without a topology. */
int tor_topology_given(const struct tor_topology *t, struct tor_cpus *given) {
  (void)t, (void)given;
  return -1;
}
int tor_topology_near(const struct tor_topology *t, const char *pci, const struct tor_cpus *of, struct tor_cpus *near) {
  (void)t, (void)pci, (void)of, (void)near;
  return -1;
}
void tor_topology_part(const struct tor_topology *t, const struct tor_cpus *of, int part, int parts,
                       struct tor_cpus *mine) {
  (void)t, (void)of, (void)part, (void)parts, (void)mine;
}
int tor_topology_count(const struct tor_cpus *cpus, int sets) {
  (void)cpus, (void)sets;
  return 0;
}
int tor_topology_all(const struct tor_topology *t) {
  (void)t;
  return 0;
}
int tor_topology_nodes(const struct tor_topology *t, const struct tor_cpus *cpus, char *text, size_t size) {
  (void)t, (void)cpus, (void)text, (void)size;
  return 0;
}
int tor_topology_bind(const struct tor_topology *t, const struct tor_cpus *cpus, int thread_alone) {
  (void)t, (void)cpus, (void)thread_alone;
  return -1;
}

#endif
