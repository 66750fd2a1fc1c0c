/* The machine file reader: see machine_file.h. Its table of keys, and the machine filled from a checked tree. */
#include "src/predict/machine_file.h"

#include <libconfig.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/config/config.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/predict/machine.h"

#define POSITIVE 0, INFINITY, TOR_KEY_ABOVE | TOR_KEY_REQUIRED, NULL, NULL
#define MUST 0, 0, TOR_KEY_REQUIRED, NULL, NULL
#define COUNT(most) 1, most, TOR_KEY_REQUIRED, NULL, NULL

/* clang-format off */
static const struct tor_key keys[] = {
    {"name", NULL, TOR_KEY_TEXT, MUST, .help = "Name of the machine."},
    {"source", NULL, TOR_KEY_TEXT, 0, 0, 0, NULL, "", .help = "Where the figures come from."},
    {"nodes", NULL, TOR_KEY_INTEGER, COUNT(1e6), .unit = "nodes", .help = "Nodes that a run may take."},
    {"cores", NULL, TOR_KEY_INTEGER, COUNT(1e6), .unit = "cores", .help = "Cores of a node."},
    {"host", NULL, TOR_KEY_GROUP, MUST, .help = "The memory of a node."},
    {"host.memory_GB", NULL, TOR_KEY_NUMBER, POSITIVE, .unit = "GB", .help = "Memory of a node."},
    {"host.GB_per_s", NULL, TOR_KEY_NUMBER, POSITIVE,
     .unit = "GB/s", .help = "Bandwidth of that memory, reads and writes together."},
    {"devices", NULL, TOR_KEY_GROUP, 0, 0, 0, NULL, NULL,
     .computed = "none: a node's processor is its one device", .help = "The GPUs of a node."},
    {"devices.per_node", NULL, TOR_KEY_INTEGER, COUNT(1024), .unit = "devices", .help = "GPUs of a node."},
    {"devices.memory_GB", NULL, TOR_KEY_NUMBER, POSITIVE, .unit = "GB", .help = "Memory of a GPU."},
    {"devices.memory_GB_per_s", NULL, TOR_KEY_NUMBER, 0, 1e6, 0, NULL, "0",
     .unit = "GB/s", .computed = "0: not known", .help = "Bandwidth of that memory, reads and writes together."},
    {"devices.link", NULL, TOR_KEY_LIST, MUST,
     .help = "Host link of each GPU, by the number of GPUs that copy at once; linear in the total between entries."},
    {"devices.link[].devices", NULL, TOR_KEY_INTEGER, COUNT(1024),
     .unit = "devices", .help = "GPUs that copy at once: 1 in the first entry, then increasing."},
    {"devices.link[].GB_per_s", NULL, TOR_KEY_NUMBER, POSITIVE,
     .unit = "GB/s", .help = "Rate of each link, each way, both ways busy."},
    {"devices.link_latency_us", NULL, TOR_KEY_NUMBER, 0, 1e6, 0, NULL, "0",
     .unit = "us", .help = "Latency of a copy between host and GPU."},
    {"devices.peer_GB_per_s", NULL, TOR_KEY_NUMBER, POSITIVE,
     .unit = "GB/s", .help = "Rate of a copy between two GPUs of a node, each way."},
    {"devices.peer_latency_us", NULL, TOR_KEY_NUMBER, 0, 1e6, 0, NULL, "0",
     .unit = "us", .help = "Latency of such a copy."},
    {"devices.peer_on_link", NULL, TOR_KEY_BOOL, 0, 0, 0, NULL, "false",
     .help = "Such copies pass over the host links."},
    {"devices.rows", NULL, TOR_KEY_WORD, 0, 0, 0, "barrier flow", "flow",
     .help = "Towers start when their neighbours are done (flow), or by one launch for each row (barrier)."},
    {"devices.launch_us", NULL, TOR_KEY_NUMBER, 0, 1e6, 0, NULL, "0",
     .unit = "us", .help = "Time between two dependent launches."},
    {"network", NULL, TOR_KEY_GROUP, MUST, .help = "The network between nodes."},
    {"network.GB_per_s", NULL, TOR_KEY_NUMBER, POSITIVE, .unit = "GB/s", .help = "Rate of a node, each way."},
    {"network.latency_us", NULL, TOR_KEY_NUMBER, 0, 1e6, 0, NULL, "0", .unit = "us", .help = "Latency of a message."},
    {"network.within_GB_per_s", NULL, TOR_KEY_NUMBER, 0, 1e6, 0, NULL, "0",
     .unit = "GB/s", .computed = "0: half of the host's bandwidth, shared",
     .help = "Rate of a message between two ranks of a node through its memory, each way."},
    {"disk", NULL, TOR_KEY_GROUP, 0, 0, 0, NULL, NULL,
     .computed = "none", .help = "The disk of a node, for slabs that its memory does not hold."},
    {"disk.memory_GB", NULL, TOR_KEY_NUMBER, POSITIVE, .unit = "GB", .help = "Its space for columns."},
    {"disk.GB_per_s", NULL, TOR_KEY_NUMBER, POSITIVE, .unit = "GB/s", .help = "Its reads and writes together."},
    {"rates", NULL, TOR_KEY_LIST, MUST, .help = "Rates of a device, each order and precision at most once."},
    {"rates[].order", NULL, TOR_KEY_INTEGER, 2, 4, TOR_KEY_REQUIRED, "2 4", NULL,
     .help = "Order of the differences in space."},
    {"rates[].precision", NULL, TOR_KEY_WORD, 0, 0, TOR_KEY_REQUIRED, "fp32 fp64", NULL,
     .help = "Numbers of the fields."},
    {"rates[].dts", NULL, TOR_KEY_INTEGER, COUNT(1024),
     .unit = "reaches", .help = "Half-width of the towers (diamond tile size), in reaches of the stencil."},
    {"rates[].Gcells_per_s", NULL, TOR_KEY_NUMBER, POSITIVE,
     .unit = "G cells/s", .help = "Rate of a whole slab, walls included."},
    {"rates[].th", NULL, TOR_KEY_INTEGER, COUNT(1e6), .unit = "steps", .help = "Steps of a stage (time height)."},
    {"rates[].towers", NULL, TOR_KEY_INTEGER, COUNT(1e6),
     .unit = "towers", .help = "Blocks, or clusters of blocks, resident at once."},
    {"rates[].nz", NULL, TOR_KEY_INTEGER, 0, 1e6, 0, NULL, "0",
     .unit = "cells", .computed = "0: the rate of any number",
     .help = "Cells along z; with fewer the rate falls in proportion."},
    {"rates[].block_nz", NULL, TOR_KEY_INTEGER, 0, 1e6, 0, NULL, "0",
     .unit = "cells", .computed = "0: towers of any height",
     .help = "Cells along z of one of the towers in flight; a taller one takes the places of several."},
    {"rates[].most_nz", NULL, TOR_KEY_INTEGER, 0, 1e6, 0, NULL, "0",
     .unit = "cells", .computed = "0: no limit",
     .help = "Cells along z of the tallest tower."},
    {"rates[].layer_cost", NULL, TOR_KEY_NUMBER, 0, 1e4, 0, NULL, "0",
     .unit = "cells", .computed = "0: not counted",
     .help = "Time that a cell in the CPML takes beyond a vacuum cell, in units of that."},
    {"rates[].pole_cost", NULL, TOR_KEY_NUMBER, 0, 1e4, 0, NULL, "0",
     .unit = "cells", .computed = "0: not counted",
     .help = "Time that a cell in a medium of one Drude pole takes beyond a vacuum cell, in units of that."},
};
/* clang-format on */

const struct tor_key_table tor_machine_keys = {
    .keys = keys,
    .count = (int)(sizeof keys / sizeof *keys),
    .root = "machine",
};

static const double giga = 1e9, micro = 1e-6;

static void read_links(struct tor_config *config, const struct tor_view *devices, struct tor_machine *m) {
  const config_setting_t *list = tor_get(devices, "link");
  int count = tor_get_length(devices, "link"), least = 0;
  m->link = tor_alloc((size_t)count + 1, sizeof *m->link, "links");
  if (list && !count)
    tor_config_fault(config, list, NULL,
                     "got " TOR_FOUND("no entry") ", need " TOR_NEEDED("at least that of 1 device"));
  for (int i = 0; i < count; i++) {
    const config_setting_t *item = config_setting_get_elem(list, (unsigned)i);
    struct tor_view view = tor_view_of(config, item, "devices.link[].");
    const config_setting_t *at = tor_get(&view, "devices");
    int n = tor_get_int(&view, "devices");
    if (at && !i && n != 1)
      tor_config_fault(config, at, NULL, "got " TOR_FOUND("%d") ", need " TOR_NEEDED("1 in the first entry"), n);
    if (at && i && n <= least) tor_config_fault(config, at, NULL, "got %d after %d, numbers must increase", n, least);
    m->link[m->nlink++] = (struct tor_machine_link){n, tor_get_double(&view, "GB_per_s") * giga};
    least = n;
  }
}

static void read_devices(struct tor_config *config, const struct tor_view *root, struct tor_machine *m) {
  if (!tor_get(root, "devices")) return;
  struct tor_view view = tor_view_child(root, "devices", "devices.");
  m->devices = tor_get_int(&view, "per_node");
  m->device_memory = tor_get_double(&view, "memory_GB") * giga;
  m->device_rate = tor_get_double(&view, "memory_GB_per_s") * giga;
  m->link_latency = tor_get_double(&view, "link_latency_us") * micro;
  m->peer_rate = tor_get_double(&view, "peer_GB_per_s") * giga;
  m->peer_latency = tor_get_double(&view, "peer_latency_us") * micro;
  m->peer_on_link = tor_get_bool(&view, "peer_on_link");
  m->rows = (enum tor_machine_rows)tor_get_word(&view, "rows");
  m->launch = tor_get_double(&view, "launch_us") * micro;
  read_links(config, &view, m);
}

static void read_disk(const struct tor_view *root, struct tor_machine *m) {
  if (!tor_get(root, "disk")) return;
  struct tor_view view = tor_view_child(root, "disk", "disk.");
  m->disk = tor_get_double(&view, "memory_GB") * giga;
  m->disk_rate = tor_get_double(&view, "GB_per_s") * giga;
}

static void read_rates(struct tor_config *config, const struct tor_view *root, struct tor_machine *m) {
  const config_setting_t *list = tor_get(root, "rates");
  int count = tor_get_length(root, "rates");
  m->rates = tor_alloc((size_t)count + 1, sizeof *m->rates, "rates");
  if (list && !count)
    tor_config_fault(config, list, NULL,
                     "got " TOR_FOUND("no entry") ", need " TOR_NEEDED("the rate of at least one order and precision"));
  for (int i = 0; i < count; i++) {
    const config_setting_t *item = config_setting_get_elem(list, (unsigned)i);
    struct tor_view view = tor_view_of(config, item, "rates[].");
    struct tor_machine_rate rate = {
        tor_get_int(&view, "order"),   tor_get_word(&view, "precision") ? TOR_F64 : TOR_F32,
        tor_get_int(&view, "dts"),     tor_get_double(&view, "Gcells_per_s") * giga,
        tor_get_int(&view, "th"),      tor_get_int(&view, "towers"),
        tor_get_int(&view, "nz"),      tor_get_int(&view, "block_nz"),
        tor_get_int(&view, "most_nz"), {tor_get_double(&view, "layer_cost"), tor_get_double(&view, "pole_cost")}};
    if (tor_get(&view, "order") && tor_get(&view, "precision") && tor_machine_find(m, rate.order, rate.precision))
      tor_config_fault(config, item, NULL, "order %d in fp%d is given above already, need " TOR_NEEDED("each once"),
                       rate.order, 8 * rate.precision);
    m->rates[m->nrates++] = rate;
  }
}

static void fill(struct tor_config *config, struct tor_machine *m) {
  struct tor_view root = tor_view_of(config, config_root_setting(&config->tree), ""),
                  host = tor_view_child(&root, "host", "host."), network = tor_view_child(&root, "network", "network.");
  const char *name = tor_get_text(&root, "name"), *source = tor_get_text(&root, "source");
  m->name = tor_strdup(name ? name : "");
  m->source = tor_strdup(source);
  m->nodes = tor_get_int(&root, "nodes");
  m->cores = tor_get_int(&root, "cores");
  m->host_memory = tor_get_double(&host, "memory_GB") * giga;
  m->host_rate = tor_get_double(&host, "GB_per_s") * giga;
  m->network_rate = tor_get_double(&network, "GB_per_s") * giga;
  m->network_latency = tor_get_double(&network, "latency_us") * micro;
  m->within_rate = tor_get_double(&network, "within_GB_per_s") * giga;
  m->rows = TOR_ROWS_FLOW; /* of the CPU engine */
  read_devices(config, &root, m);
  read_disk(&root, m);
  read_rates(config, &root, m);
}

int tor_machine_read(const char *path, struct tor_machine *machine, struct tor_faults *faults) {
  struct tor_config config = {.path = path, .table = &tor_machine_keys, .unit = 1, .per_metre = 1, .unit_name = "m"};
  memset(machine, 0, sizeof *machine);
  if (tor_config_open(&config)) {
    tor_config_check(&config);
    fill(&config, machine);
  }
  int good = config.nfault == 0;
  tor_config_give_faults(&config, faults);
  if (!good) tor_machine_free(machine);
  config_destroy(&config.tree);
  return good;
}
