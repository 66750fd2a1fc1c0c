/* Ranks of other programs, or with other commands, would wait for each other forever or take part unnoticed: all of
 * them compare these before anything else. */
#ifndef TOR_SRC_SAME_COMMAND_H
#define TOR_SRC_SAME_COMMAND_H

#include "src/base/error.h"
#include "src/commands.h"

/* Whether a command line asks for help or the version, which is printed while it is read. */
int tor_same_command_explains(int argc, char **argv);

/* A fault on each rank whose version, command or wish for help is not that of rank 0. command: TOR_NCOMMANDS where
 * there is none. Collective, after tor_message_begin. */
void tor_same_command_check(enum tor_command command, int explains, struct tor_faults *faults);

/* For what one process does while others that mpirun started have nothing to do: compares with them and parts from
 * them. 1: this process continues, as the only one; 0: it ends with *status. Collective over all processes that were
 * started, in place of tor_message_begin; those that call this and those that begin and check are compared, too. */
int tor_same_command_alone(int *argc, char ***argv, enum tor_command command, int explains, int *status);

#endif
