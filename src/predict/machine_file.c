/* The machine file reader: see input_machine.h. Its table of keys, and the machine filled from a checked tree. */
#include "src/predict/machine_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/config/config_tree.h"
#include "src/job/job.h"

#define M TOR_MACHINE_PREFIX
#define POSITIVE 0, INFINITY, TOR_KEY_ABOVE | TOR_KEY_REQUIRED, NULL, NULL
#define MUST 0, 0, TOR_KEY_REQUIRED, NULL, NULL
#define COUNT(most) 1, most, TOR_KEY_REQUIRED, NULL, NULL

/* clang-format off */
static const struct tor_key keys[] = {
    {M "name", NULL, TOR_KEY_TEXT, MUST},
    {M "source", NULL, TOR_KEY_TEXT, 0, 0, 0, NULL, ""},
    {M "nodes", NULL, TOR_KEY_INTEGER, COUNT(1e6)},
    {M "cores", NULL, TOR_KEY_INTEGER, COUNT(1e6)},
    {M "host", NULL, TOR_KEY_GROUP, MUST},
    {M "host.memory_GB", NULL, TOR_KEY_NUMBER, POSITIVE},
    {M "host.GB_per_s", NULL, TOR_KEY_NUMBER, POSITIVE},
    {M "devices", NULL, TOR_KEY_GROUP, 0, 0, 0, NULL, NULL},
    {M "devices.per_node", NULL, TOR_KEY_INTEGER, COUNT(1024)},
    {M "devices.memory_GB", NULL, TOR_KEY_NUMBER, POSITIVE},
    {M "devices.link", NULL, TOR_KEY_LIST, MUST},
    {M "devices.link[].devices", NULL, TOR_KEY_INTEGER, COUNT(1024)},
    {M "devices.link[].GB_per_s", NULL, TOR_KEY_NUMBER, POSITIVE},
    {M "devices.link_latency_us", NULL, TOR_KEY_NUMBER, 0, 1e6, 0, NULL, "0"},
    {M "devices.peer_GB_per_s", NULL, TOR_KEY_NUMBER, POSITIVE},
    {M "devices.peer_latency_us", NULL, TOR_KEY_NUMBER, 0, 1e6, 0, NULL, "0"},
    {M "devices.peer_on_link", NULL, TOR_KEY_BOOL, 0, 0, 0, NULL, "false"},
    {M "devices.rows", NULL, TOR_KEY_WORD, 0, 0, 0, "barrier flow", "flow"},
    {M "devices.launch_us", NULL, TOR_KEY_NUMBER, 0, 1e6, 0, NULL, "0"},
    {M "network", NULL, TOR_KEY_GROUP, MUST},
    {M "network.GB_per_s", NULL, TOR_KEY_NUMBER, POSITIVE},
    {M "network.latency_us", NULL, TOR_KEY_NUMBER, 0, 1e6, 0, NULL, "0"},
    {M "network.within_GB_per_s", NULL, TOR_KEY_NUMBER, 0, 1e6, 0, NULL, "0"},
    {M "rates", NULL, TOR_KEY_LIST, MUST},
    {M "rates[].order", NULL, TOR_KEY_INTEGER, 2, 4, TOR_KEY_REQUIRED, "2 4", NULL},
    {M "rates[].precision", NULL, TOR_KEY_WORD, 0, 0, TOR_KEY_REQUIRED, "fp32 fp64", NULL},
    {M "rates[].dts", NULL, TOR_KEY_INTEGER, COUNT(1024)},
    {M "rates[].Gcells_per_s", NULL, TOR_KEY_NUMBER, POSITIVE},
    {M "rates[].th", NULL, TOR_KEY_INTEGER, COUNT(1e6)},
    {M "rates[].towers", NULL, TOR_KEY_INTEGER, COUNT(1e6)},
    {M "rates[].layer_cost", NULL, TOR_KEY_NUMBER, 0, 1e4, 0, NULL, "0"},
    {M "rates[].pole_cost", NULL, TOR_KEY_NUMBER, 0, 1e4, 0, NULL, "0"},
};
/* clang-format on */
enum { NKEYS = (int)(sizeof keys / sizeof *keys) };

const struct tor_key *tor_machine_key(int i) { return i < NKEYS ? &keys[i] : NULL; }

static const double giga = 1e9, micro = 1e-6;

static void read_links(struct tor_input *in, const struct tor_view *devices, struct tor_machine *m) {
  const config_setting_t *list = tor_get(devices, "link");
  int count = tor_get_length(devices, "link"), least = 0;
  m->link = tor_alloc((size_t)count + 1, sizeof *m->link, "links");
  if (list && !count) tor_input_fault(in, list, NULL, "got no entry, need at least that of 1 device");
  for (int i = 0; i < count; i++) {
    const config_setting_t *item = config_setting_get_elem(list, (unsigned)i);
    struct tor_view view = tor_view_of(in, item, M "devices.link[].");
    const config_setting_t *at = tor_get(&view, "devices");
    int n = tor_get_int(&view, "devices");
    if (at && !i && n != 1) tor_input_fault(in, at, NULL, "got %d, need 1 in the first entry", n);
    if (at && i && n <= least) tor_input_fault(in, at, NULL, "got %d after %d, need numbers that rise", n, least);
    m->link[m->nlink++] = (struct tor_machine_link){n, tor_get_double(&view, "GB_per_s") * giga};
    least = n;
  }
}

static void read_devices(struct tor_input *in, const struct tor_view *root, struct tor_machine *m) {
  if (!tor_get(root, "devices")) return;
  struct tor_view view = tor_view_child(root, "devices", M "devices.");
  m->devices = tor_get_int(&view, "per_node");
  m->device_memory = tor_get_double(&view, "memory_GB") * giga;
  m->link_latency = tor_get_double(&view, "link_latency_us") * micro;
  m->peer_rate = tor_get_double(&view, "peer_GB_per_s") * giga;
  m->peer_latency = tor_get_double(&view, "peer_latency_us") * micro;
  m->peer_on_link = tor_get_bool(&view, "peer_on_link");
  m->rows = (enum tor_machine_rows)tor_get_word(&view, "rows");
  m->launch = tor_get_double(&view, "launch_us") * micro;
  read_links(in, &view, m);
}

static void read_rates(struct tor_input *in, const struct tor_view *root, struct tor_machine *m) {
  const config_setting_t *list = tor_get(root, "rates");
  int count = tor_get_length(root, "rates");
  m->rates = tor_alloc((size_t)count + 1, sizeof *m->rates, "rates");
  if (list && !count)
    tor_input_fault(in, list, NULL, "got no entry, need the rate of at least one order and precision");
  for (int i = 0; i < count; i++) {
    const config_setting_t *item = config_setting_get_elem(list, (unsigned)i);
    struct tor_view view = tor_view_of(in, item, M "rates[].");
    struct tor_machine_rate rate = {tor_get_int(&view, "order"),
                                    tor_get_word(&view, "precision") ? TOR_F64 : TOR_F32,
                                    tor_get_int(&view, "dts"),
                                    tor_get_double(&view, "Gcells_per_s") * giga,
                                    tor_get_int(&view, "th"),
                                    tor_get_int(&view, "towers"),
                                    {tor_get_double(&view, "layer_cost"), tor_get_double(&view, "pole_cost")}};
    if (tor_get(&view, "order") && tor_get(&view, "precision") && tor_machine_find(m, rate.order, rate.precision))
      tor_input_fault(in, item, NULL, "order %d in fp%d stands above already, need each once", rate.order,
                      8 * rate.precision);
    m->rates[m->nrates++] = rate;
  }
}

static void fill(struct tor_input *in, struct tor_machine *m) {
  struct tor_view root = tor_view_of(in, config_root_setting(&in->config), M),
                  host = tor_view_child(&root, "host", M "host."),
                  network = tor_view_child(&root, "network", M "network.");
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
  read_devices(in, &root, m);
  read_rates(in, &root, m);
}

int tor_input_read_machine(const char *path, struct tor_machine *machine, struct tor_faults *faults) {
  struct tor_input in = {.path = path, .unit = 1, .per_metre = 1, .unit_name = "m"};
  memset(machine, 0, sizeof *machine);
  if (tor_input_open(&in)) {
    tor_input_check(&in, M);
    fill(&in, machine);
  }
  int good = in.nfault == 0;
  tor_input_give_faults(&in, faults);
  if (!good) tor_machine_free(machine);
  config_destroy(&in.config);
  return good;
}
