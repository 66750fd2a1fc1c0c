/* Handlers of signals from the program's first instruction on, for the commands that run jobs. */
#ifndef TOR_SRC_EARLY_SIGNALS_H
#define TOR_SRC_EARLY_SIGNALS_H

/* Begins tor_interrupt (src/run/interrupt.h) where the command line is that of run, study or bands; only once. In a
 * program that links it, it runs by itself before main and before the libraries' own beginnings, where the system has
 * that (.preinit_array, ELF), after the check of the CPU; main calls it first for systems that do not. What is left to
 * the kernel's default is the time in which libraries are loaded. */
void tor_early_signals(int argc, char **argv);

#endif
