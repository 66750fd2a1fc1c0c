/* torre help: see help_cli.h. */
#include "src/help_cli.h"

#include <argp.h>
#include <stdio.h>
#include <stdlib.h>

#include "io/config/config_print.h"
#include "src/base/command_line.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/classic/classic_cli.h"
#include "src/cli.h"
#include "src/commands.h"
#include "src/example_cli.h"
#include "src/fit_cli.h"
#include "src/job/job_keys.h"
#include "src/job/material.h"
#include "src/keys_cli.h"
#include "src/predict/scaling.h"
#include "src/show_cli.h"
#include "src/study/study.h"
#include "tor_version.h"

static const char doc[] = "Prints the list of commands; of one COMMAND: its options and examples, as COMMAND --help "
                          "does.\v"
                          "Examples:\n"
                          "  torre help\n"
                          "  torre help run";

enum { KEY_MAN = 256, KEY_BASH };

static const struct argp_option options[] = {
    {"man", KEY_MAN, 0, 0, "All of it as a manual page (troff)", 0},
    {"bash", KEY_BASH, 0, 0, "A script with which bash completes commands, options and names", 0},
    {0}};

static error_t parse_option(int key, char *arg, struct argp_state *state) {
  switch (key) {
  case KEY_MAN:
  case KEY_BASH: *(int *)state->input = key; return 0;
  case ARGP_KEY_ARG:
    if (tor_command_find(arg) == TOR_NCOMMANDS)
      argp_error(state, "no command \"%s\": need %s", arg, tor_command_names());
    argp_error(state, "%s: need it as the only word after help", arg);
    return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp help_argp = {options, parse_option, "[COMMAND]", doc, 0, 0, 0};

/* Options and help of any command. */
static const struct argp *argp_of(enum tor_command command) {
  switch (command) {
  case TOR_COMMAND_EXAMPLE: return &tor_example_argp;
  case TOR_COMMAND_REFERENCE: return &tor_reference_argp;
  case TOR_COMMAND_KEYS: return &tor_keys_argp;
  case TOR_COMMAND_SHOW: return &tor_show_argp;
  case TOR_COMMAND_FIT: return &tor_fit_argp;
  case TOR_COMMAND_SCALING: return &tor_scaling_argp;
  case TOR_COMMAND_CLASSIC: return &tor_classic_argp;
  case TOR_COMMAND_HELP: return &help_argp;
  default: return tor_cli_argp(command);
  }
}

/* --- The manual page --- */

/* A text as troff prints it unchanged. */
static void print_troff(const char *text, FILE *out) {
  for (const char *c = text; *c; c++) {
    if ((c == text || c[-1] == '\n') && *c == '.') fputs("\\&", out);
    switch (*c) {
    case '\\': fputs("\\e", out); break;
    case '-': fputs("\\-", out); break;
    case '\'': fputs("\\(aq", out); break;
    case '`': fputs("\\(ga", out); break;
    case '^': fputs("\\(ha", out); break;
    case '~': fputs("\\(ti", out); break;
    default: fputc(*c, out);
    }
  }
}

/* What COMMAND --help prints, line by line; TOR_NCOMMANDS: what --help prints. */
static void print_help(enum tor_command command, FILE *out) {
  char *text = NULL, name[32];
  size_t size;
  FILE *memory = open_memstream(&text, &size);
  if (!memory) TOR_DIE("out of memory");
  snprintf(name, sizeof name, "torre%s%s", command < TOR_NCOMMANDS ? " " : "",
           command < TOR_NCOMMANDS ? tor_commands[command].name : "");
  argp_help(argp_of(command), memory, ARGP_HELP_SHORT_USAGE | ARGP_HELP_LONG | ARGP_HELP_DOC, name);
  if (fclose(memory) || !text) TOR_DIE("out of memory");
  fprintf(out, ".nf\n");
  print_troff(text, out);
  fprintf(out, "%s.fi\n", size && text[size - 1] != '\n' ? "\n" : "");
  free(text);
}

static void print_man(FILE *out) {
  fprintf(out,
          ".TH TORRE 1 \"\" \"torre %s\" \"User Commands\"\n"
          ".SH NAME\n"
          "torre \\- Maxwell\\(aqs equations in the time domain (FDTD) for nano\\-optics\n"
          ".SH DESCRIPTION\n",
          TOR_VERSION);
  print_help(TOR_NCOMMANDS, out);
  fprintf(out, ".PP\nEach command has \\-\\-help, too; \\-\\-version prints what the program was built with.\n"
               ".SH COMMANDS\n");
  for (int c = 0; c < TOR_NCOMMANDS; c++) {
    fprintf(out, ".SS torre %s\n", tor_commands[c].name);
    print_help((enum tor_command)c, out);
  }
  fprintf(out, ".SH SEE ALSO\n"
               "The documentation in share/doc/torre, the jobs in share/torre/jobs.\n");
}

/* --- Completion --- */

/* The options of a command, and then the words that it takes: names, or none where it takes a job file. */
static void print_words(enum tor_command command, FILE *out) {
  fprintf(out, "  %s) options='--help --usage --version", tor_commands[command].name);
  for (const struct argp_option *o = argp_of(command)->options; o->name; o++)
    if (!(o->flags & OPTION_HIDDEN)) fprintf(out, " --%s", o->name);
  fprintf(out, "' words='");
  char *group;
  switch (command) {
  case TOR_COMMAND_EXAMPLE:
    for (int i = 0; tor_example_name(i); i++) fprintf(out, "%s ", tor_example_name(i));
    break;
  case TOR_COMMAND_MATERIALS:
    for (int i = 0; i < tor_medium_builtin_count(); i++) fprintf(out, "%s ", tor_medium_builtin_name(i));
    break;
  case TOR_COMMAND_KEYS:
    for (int i = 0; (group = tor_keys_group(&tor_job_keys, i)); i++) {
      fprintf(out, "%s ", group);
      free(group);
    }
    break;
  case TOR_COMMAND_STUDY:
    for (int k = 0; k < TOR_NSTUDIES; k++) fprintf(out, "%s ", tor_study_name((enum tor_study_kind)k));
    break;
  default: break;
  }
  fprintf(out, "' ;;\n");
}

static void print_bash(FILE *out) {
  fprintf(out, "# Completion of torre in bash, made by torre help --bash.\n"
               "_torre() {\n"
               "  local options='' words='' commands='");
  for (int c = 0; c < TOR_NCOMMANDS; c++) fprintf(out, "%s%s", c ? " " : "", tor_commands[c].name);
  fprintf(out, "'\n"
               "  local current=${COMP_WORDS[COMP_CWORD]}\n"
               "  if ((COMP_CWORD == 1)); then\n"
               "    mapfile -t COMPREPLY < <(compgen -W \"$commands --help --version\" -- \"$current\")\n"
               "    return\n"
               "  fi\n"
               "  case ${COMP_WORDS[1]} in\n");
  for (int c = 0; c < TOR_NCOMMANDS; c++) print_words((enum tor_command)c, out);
  fprintf(out, "  esac\n"
               "  [[ ${COMP_WORDS[1]} == help ]] && words=$commands\n"
               "  [[ ${COMP_WORDS[1]} == study ]] && ((COMP_CWORD > 2)) && words=''\n"
               "  [[ $current == -* ]] && words=$options\n"
               "  if [[ $words ]]; then\n"
               "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
               "  elif [[ ${COMP_WORDS[1]} == @(run|check|plan|study|modes|show) ]]; then\n"
               "    mapfile -t COMPREPLY < <(compgen -f -X '!*.cfg' -- \"$current\"; compgen -d -- \"$current\")\n"
               "  else\n"
               "    COMPREPLY=() # bash offers files\n"
               "  fi\n"
               "}\n"
               "complete -o bashdefault -o default -F _torre torre\n");
}

int tor_help_main(int argc, char **argv) {
  char name[] = "torre help";
  int what = 0;
  argv[0] = name;
  tor_command_line_parse(&help_argp, argc, argv, &what, TOR_EXIT_USER);
  if (what == KEY_MAN) print_man(stdout);
  if (what == KEY_BASH) print_bash(stdout);
  return TOR_EXIT_OK;
}
