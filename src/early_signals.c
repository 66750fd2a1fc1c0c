/* Early signals: see early_signals.h. Compiled for the first x86-64, as the check of the CPU that it begins with. */
#include "src/early_signals.h"

#include "src/base/cpu_check.h"
#include "src/commands.h"
#include "src/run/interrupt.h"

/* Options may stand before the command. A name among their values, as in `--out run check job.cfg`, is taken for it:
 * that command then ends by the second Ctrl-C. */
static int runs_jobs(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    const enum tor_command command = tor_command_find(argv[i]);
    if (command == TOR_COMMAND_RUN || command == TOR_COMMAND_STUDY || command == TOR_COMMAND_BANDS) return 1;
    if (command != TOR_NCOMMANDS) return 0;
  }
  return 0;
}

void tor_early_signals(int argc, char **argv) {
  static int done;
  if (done) return;
  done = 1;
  if (!runs_jobs(argc, argv)) return;
  tor_interrupt_begin();
}

#if defined __ELF__ && !defined TORRE_SANITIZED /* sanitizers begin in the same way, and must come first */
static void first(int argc, char **argv, char **environment) {
  (void)environment;
  tor_cpu_check();
  tor_early_signals(argc, argv);
}

__attribute__((section(".preinit_array"), used)) static void (*const before_libraries)(int, char **, char **) = first;
#endif
