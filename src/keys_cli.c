/* torre keys: see keys_cli.h. */
#include "src/keys_cli.h"

#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/config/config.h"
#include "io/config/config_print.h"
#include "src/base/command_line.h"
#include "src/base/text.h"
#include "src/base/types.h"
#include "src/job/job_keys.h"
#include "src/predict/machine_file.h"

static const char doc[] =
    "The keys that a job file may hold, or those of one GROUP: values, units, defaults, meaning.\v"
    "Groups of a job file: job, grid, boundaries, media, objects, sources, monitors, run, schedule, checkpoint; of a "
    "machine file: machine, host, devices, network, rates.\n\n"
    "Examples:\n"
    "  torre keys grid\n"
    "  torre keys --machine network";

enum { KEY_JSON = 256, KEY_MARKDOWN, KEY_MACHINE };

static const struct argp_option options[] = {
    {"json", KEY_JSON, 0, 0, "An array of objects, for programs", 0},
    {"markdown", KEY_MARKDOWN, 0, 0, "The table of a GROUP as docs/user/job-file.md has it", 0},
    {"machine", KEY_MACHINE, 0, 0, "The keys of machine files (jobs/machines/)", 0},
    {0}};

typedef int printer(const struct tor_key_table *table, const char *group, FILE *out);

struct keys_cli {
  printer *print;
  const struct tor_key_table *table;
  const char *group;
};

static error_t parse_option(int key, char *arg, struct argp_state *state) {
  struct keys_cli *c = state->input;
  switch (key) {
  case KEY_JSON: c->print = tor_keys_json; return 0;
  case KEY_MARKDOWN: c->print = tor_keys_markdown; return 0;
  case KEY_MACHINE: c->table = &tor_machine_keys; return 0;
  case ARGP_KEY_ARG:
    if (c->group) argp_error(state, "unexpected argument \"%s\"", arg);
    c->group = arg;
    return 0;
  case ARGP_KEY_END:
    if (c->print == tor_keys_markdown && !c->group) argp_error(state, "--markdown: need a GROUP");
    return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

static void print_groups(const struct tor_key_table *table, const char *group) {
  char *name;
  tor_text_print(stderr, "torre: keys: no group \"%s\"; known groups:", group);
  for (int i = 0; (name = tor_keys_group(table, i)); i++) {
    fprintf(stderr, "%s %s", i ? "," : "", name);
    free(name);
  }
  fprintf(stderr, "\n");
}

/* Is there such a group? */
static int is_group(const struct tor_key_table *table, const char *group) {
  char *name;
  int found = 0;
  for (int i = 0; !found && (name = tor_keys_group(table, i)); i++) {
    found = !strcmp(name, group);
    free(name);
  }
  return found;
}

const struct argp tor_keys_argp = {options, parse_option, "[GROUP]", doc, 0, 0, 0};

int tor_keys_main(int argc, char **argv) {
  struct keys_cli c = {tor_keys_print, &tor_job_keys, NULL};
  char name[] = "torre keys";
  argv[0] = name;
  tor_command_line_parse(&tor_keys_argp, argc, argv, &c, TOR_EXIT_USER);
  if (c.group && !is_group(c.table, c.group)) {
    print_groups(c.table, c.group);
    return TOR_EXIT_USER;
  }
  c.print(c.table, c.group, stdout);
  return TOR_EXIT_OK;
}
