/* The comparison of the ranks' commands: see same_command.h. */
#include "src/same_command.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "comm/exchange/reduce.h"
#include "comm/transport/message.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/commands.h"
#include "tor_version.h"

/* The options of argp, also shortened as it takes them. */
static int is_explaining(const char *word) {
  static const char *const options[] = {"--help", "--usage", "--version"};
  if (!strcmp(word, "-?") || !strcmp(word, "-V")) return 1;
  for (size_t i = 0; i < sizeof options / sizeof *options; i++)
    if (strlen(word) > 2 && !strncmp(word, options[i], strlen(word))) return 1;
  return 0;
}

int tor_same_command_explains(int argc, char **argv) {
  for (int i = 1; i < argc; i++)
    if (is_explaining(argv[i])) return 1;
  return 0;
}

struct started {
  char program[128];
  int32_t command, explains;
};

static void name(const struct started *s, char *text, size_t size) {
  const int known = s->command < TOR_NCOMMANDS;
  snprintf(text, size, "torre%s%s%s", known ? " " : "", known ? tor_commands[s->command].name : "",
           s->explains && s->command != TOR_COMMAND_HELP ? ", with --help or --version" : "");
}

void tor_same_command_check(enum tor_command command, int explains, struct tor_faults *faults) {
  struct started first, mine;
  char here[64], there[64];
  memset(&mine, 0, sizeof mine);
  snprintf(mine.program, sizeof mine.program, "%s (%s)", TOR_VERSION, TOR_GIT_HASH);
  mine.command = (int32_t)command;
  mine.explains = explains;
  first = mine;
  tor_message_bcast(&first, sizeof first);
  name(&mine, here, sizeof here);
  name(&first, there, sizeof there);
  if (strcmp(first.program, mine.program))
    tor_fault(faults, "rank %d is torre %s, rank 0 is torre %s: need the same program on all nodes", tor_message_rank(),
              mine.program, first.program);
  else if (memcmp(&first, &mine, sizeof mine))
    tor_fault(faults, "rank %d was started as %s, rank 0 as %s: need one command for all", tor_message_rank(), here,
              there);
}

int tor_same_command_alone(int *argc, char ***argv, enum tor_command command, int explains, int *status) {
  struct tor_faults faults = {0};
  *status = TOR_EXIT_OK;
  if (tor_message_alone()) return 1;
  tor_message_begin(argc, argv);
  tor_same_command_check(command, explains, &faults);
  if (tor_reduce_faults(&faults)) *status = TOR_EXIT_USER;
  const int first = !tor_message_rank();
  tor_message_end();
  if (faults.count) tor_faults_refuse(&faults);
  return first && *status == TOR_EXIT_OK;
}
