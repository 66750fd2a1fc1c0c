/* The commands of the program: their names and what the help says of them. */
#ifndef TOR_SRC_COMMANDS_H
#define TOR_SRC_COMMANDS_H

/* Those before EXAMPLE need a job file. */
enum tor_command {
  TOR_COMMAND_RUN,
  TOR_COMMAND_CHECK,
  TOR_COMMAND_PLAN,
  TOR_COMMAND_STUDY,
  TOR_COMMAND_MODES,
  TOR_COMMAND_BANDS,
  TOR_COMMAND_EXAMPLE,
  TOR_COMMAND_REFERENCE,
  TOR_COMMAND_SHOW,
  TOR_COMMAND_MATERIALS,
  TOR_COMMAND_FIT,
  TOR_COMMAND_KEYS,
  TOR_COMMAND_SCALING,
  TOR_COMMAND_BENCH,
  TOR_COMMAND_TUNE,
  TOR_COMMAND_CLASSIC,
  TOR_COMMAND_HELP,
  TOR_NCOMMANDS
};

struct tor_command_text {
  const char *name, *arguments, *summary;
  const char *doc; /* as argp takes it: before and, after \v, behind the options; NULL: the command has its own */
};

extern const struct tor_command_text tor_commands[TOR_NCOMMANDS];

/* The command of that name; TOR_NCOMMANDS: there is none. */
enum tor_command tor_command_find(const char *name);
/* "run, check, ... or help", in a static buffer. */
const char *tor_command_names(void);

#endif
