/* The commands: see commands.h. */
#include "src/commands.h"

#include <string.h>

#include "src/base/text.h"

const struct tor_command_text tor_commands[TOR_NCOMMANDS] = {
    [TOR_COMMAND_RUN] =
        {"run", "JOB.cfg...", "run the job, or several, and write results folders",
         "Runs the job and writes its results folder. Several jobs, or one at several values of a key "
         "(--sweep), run one after another, each in a folder of its own, with a table at the end; the "
         "same command continues them, finished ones are not repeated, and a failed one stops no "
         "other.\v"
         "Exit status: 0 done, 1 failure of the machine, 2 fault in the job or the command line, 3 done, but "
         "spectra may be off by more than run.tolerance (energy left, a source cut off, layers that return waves), 75 "
         "stopped by a signal or --max-time with its state saved: the same command with --restart continues.\n\n"
         "Examples:\n"
         "  torre run job.cfg\n"
         "  torre run job.cfg --set grid.cell=2.5 --out results/coarse\n"
         "  torre run job.cfg --restart --max-time 23:50:00\n"
         "  torre run a.cfg b.cfg c.cfg --out results/all\n"
         "  torre run job.cfg --sweep objects[0].radius=20:60:9\n"
         "  mpirun -n 4 torre run job.cfg --ranks 2x2"},
    [TOR_COMMAND_CHECK] = {"check", "JOB.cfg", "whether it fits, how long it takes, every fault",
                           "Reports whether the job fits this machine and about how long it takes, then warnings; or "
                           "every fault of the job file, each with its line, and ends with status 2. Nothing "
                           "is run or written. Options of run are accepted.\v"
                           "Example:\n"
                           "  torre check job.cfg --set grid.cell=2.5\n"
                           "  torre check job.cfg --json"},
    [TOR_COMMAND_PLAN] = {"plan", "JOB.cfg", "grid, time step, memory by part, schedule, predicted time",
                          "Prints the job's grid, time step, memory by part, schedule and predicted time on this "
                          "machine or on another. Nothing is run or written. Options of run are accepted.\v"
                          "Examples:\n"
                          "  torre plan job.cfg\n"
                          "  torre plan job.cfg --ranks 4x2\n"
                          "  torre plan job.cfg --machine jobs/machines/h200-8.cfg --nodes 4"},
    [TOR_COMMAND_STUDY] =
        {"study", "KIND JOB.cfg", "run a job several times: errors by cells; S-matrix; ensembles; rates",
         "cells: runs the job at several sizes of the cell and extrapolates each number of the spectra to "
         "cells of size zero, with its error: a table, study.csv, study.json and a picture in the "
         "folder DIR (default: the job's output with -cells behind it), and a results folder of "
         "each run in it. The same command continues "
         "an interrupted study; finished runs are not repeated.\v"
         "Three cells in steps of 1.4 give a fitted order of convergence; with two, order 2 is "
         "assumed. Exit statuses are those of run.\n\n"
         "smatrix: a run for each port (monitors of modes with the key port), in which its source alone "
         "is at work: the scattering matrix, smatrix.csv, smatrix.h5, Touchstone and a picture.\n\n"
         "ensemble: a run for each place and direction of the dipole that the job's group ensemble names: means of "
         "powers over incoherent dipoles, with standard errors, in spectra.csv, ensemble.h5 and a picture.\n\n"
         "th, towers, roofline, weak, strong: rates by the steps of a stage, the towers of a row, "
         "the memory traffic, the number of ranks (for each or for all of them the job's domain): a "
         "table, study.csv and pictures with the cluster model's predictions; runs.txt and "
         "submit.txt have the runs as arrays for batch systems. Runs that need more ranks than this "
         "machine has CPUs are left to these.\n\n"
         "Examples:\n"
         "  torre study cells job.cfg --cells 2,1.4,1\n"
         "  torre study cells job.cfg --cells 4,2.8,2 --set run.decay=1e-7 --out results/errors\n"
         "  torre study smatrix two-ports/job.cfg\n"
         "  torre study ensemble oled/job.cfg --jobs 2\n"
         "  torre study th job.cfg --points 8,16,32,64 --device gpu --device-memory 4\n"
         "  torre study strong job.cfg --points 1,2,4,8 --along y --machine machine.cfg"},
    [TOR_COMMAND_MODES] = {"modes", "JOB.cfg", "modes of a guide: indices, losses, fields",
                           "Solves for the modes that the job's media guide through the plane of its group modes: a "
                           "table, and modes.csv, modes.h5 and pictures in the folder DIR (default: the job's output "
                           "with -modes behind it). The modes are those of the job's own grid, as a run has them. "
                           "Nothing is run.\v"
                           "Examples:\n"
                           "  torre example silicon-wire\n"
                           "  torre modes silicon-wire/job.cfg\n"
                           "  torre modes silicon-wire/job.cfg --set modes.count=4 --json"},
    [TOR_COMMAND_BANDS] =
        {"bands", "JOB.cfg", "band structure along a path of wave vectors",
         "Finds the bands of a periodic structure along the path of the job's group bands: at each wave vector a run "
         "or "
         "several of the cell with Bloch walls, in which dipoles excite all fields, and what resonates in them. A "
         "table with the gaps, and bands.csv, bands.h5 and pictures in the folder DIR (default: the job's output with "
         "-bands behind it), with a results folder of each run. The same command continues an interrupted one; "
         "finished runs are not repeated. Sources and monitors of the job are left out.\v"
         "Exit statuses are those of run.\n\n"
         "Examples:\n"
         "  torre example crystal-bands\n"
         "  torre bands crystal-bands/job.cfg\n"
         "  torre bands crystal-bands/job.cfg --set bands.points=16"},
    [TOR_COMMAND_EXAMPLE] = {"example", "[NAME]", "list the ready jobs; write one of them into a folder", NULL},
    [TOR_COMMAND_REFERENCE] = {"reference", "[FILE]", "write the reference job, which shows every key", NULL},
    [TOR_COMMAND_SHOW] = {"show", "JOB.cfg", "draw sections: media, layers, boxes, monitors, sources", NULL},
    [TOR_COMMAND_MATERIALS] = {"materials", "[NAME]", "the built-in media; of one: n, k and poles",
                               "Lists the built-in media with their ranges and sources; of the one that is named: "
                               "index, permittivity and poles.\v"
                               "Examples:\n"
                               "  torre materials\n"
                               "  torre materials Au --wavelengths 500:700:21"},
    [TOR_COMMAND_FIT] = {"fit", "TABLE", "poles fitted to a table of n and k, for a job's media", NULL},
    [TOR_COMMAND_KEYS] = {"keys", "[GROUP]", "the keys of job files: values, units, defaults, meaning", NULL},
    [TOR_COMMAND_SCALING] = {"scaling", "OPTIONS", "predicted weak and strong scaling on a machine", NULL},
    [TOR_COMMAND_BENCH] = {"bench", "", "rates of the engines on this machine: table, CSV, pictures",
                           "Measures the rates of the engines on this machine, feature by feature: a table, bench.csv "
                           "and pictures.\v"
                           "Example:\n"
                           "  torre bench --features vacuum,cpml --threads 8 --out results/bench"},
    [TOR_COMMAND_TUNE] = {"tune", "", "measure the CPU and GPU 0 once, for the plans of later runs",
                          "Measures the CPU and GPU 0, half a minute each, so that plans choose well on this machine. "
                          "The figures are kept in $XDG_CACHE_HOME/torre (~/.cache/torre).\v"
                          "Examples:\n"
                          "  torre tune\n"
                          "  torre tune --device cpu --threads 8"},
    [TOR_COMMAND_CLASSIC] = {"classic", "OPTIONS", "kernels of four papers beside Torre's engines", NULL},
    [TOR_COMMAND_HELP] = {"help", "[COMMAND]", "this list; of one command: its options and examples", NULL},
};

enum tor_command tor_command_find(const char *name) {
  for (int c = 0; c < TOR_NCOMMANDS; c++)
    if (!strcmp(name, tor_commands[c].name)) return (enum tor_command)c;
  return TOR_NCOMMANDS;
}

const char *tor_command_names(void) {
  static char text[256];
  for (int c = 0; c < TOR_NCOMMANDS; c++) tor_text_list(text, sizeof text, c, TOR_NCOMMANDS, tor_commands[c].name);
  return text;
}
