/* The runs of studies of rates: their list, and those that this machine makes. */
#define _GNU_SOURCE /* sched_getaffinity */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/files/folder.h"
#include "io/files/safe_open.h"
#include "src/base/error.h"
#include "src/study/rates.h"

static int processes(const struct tor_rates *study, const struct tor_rates_point *p) {
  const int devices = study->gpu && study->job.schedule.devices > 1 ? study->job.schedule.devices : 1;
  return (p->px * p->py + devices - 1) / devices;
}

/* Calls word() for each argument of torre of the run. */
static void each_word(const struct tor_rates *study, const struct tor_rates_point *p,
                      void (*word)(void *context, const char *text), void *context) {
  const struct tor_study_options *o = study->options;
  char out[4200];
  word(context, o->job);
  for (int i = 0; i < o->noverrides; i++) {
    if (!strncmp(o->overrides[i], "output=", 7)) continue;
    word(context, "--set");
    word(context, o->overrides[i]);
  }
  for (int i = 0; i < p->nset; i++) {
    word(context, "--set");
    word(context, p->set[i]);
  }
  snprintf(out, sizeof out, "%s/%s", study->folder, p->name);
  word(context, "--out");
  word(context, out);
  word(context, "--quiet");
}

/* --- The list --- */

static void quote(void *context, const char *text) {
  FILE *out = context;
  fputs(" '", out);
  for (; *text; text++) *text == '\'' ? fputs("'\"'\"'", out) : fputc(*text, out);
  fputc('\'', out);
}

static void print_runs(const struct tor_rates *study, FILE *out) {
  for (int i = 0; i < study->npoints; i++) {
    fprintf(out, "%d", processes(study, &study->point[i]));
    each_word(study, &study->point[i], quote, out);
    fputc('\n', out);
  }
}

/* Arrays of the runs with one number of processes each, a process a node. */
static void print_commands(const struct tor_rates *study, FILE *out) {
  const char *f = study->folder;
  fprintf(out, "A process a node; the scripts: torre example batch. When all are done, the same torre study again.\n");
  for (int first = 0, last; first < study->npoints; first = last) {
    const int n = processes(study, &study->point[first]);
    for (last = first; last < study->npoints && processes(study, &study->point[last]) == n;) last++;
    fprintf(out, "sbatch --nodes=%d --time=1:00:00 --array=%d-%d slurm.sh --list %s/runs.txt\n", n, first + 1, last, f);
    if (last > first + 1) /* PBS has no arrays of one */
      fprintf(out, "bash pbs.sh -J %d-%d -l", first + 1, last);
    else
      fprintf(out, "TORRE_TASK=%d bash pbs.sh -l", last);
    fprintf(out, " select=%d:mpiprocs=1 -l walltime=1:00:00 -- --list %s/runs.txt\n", n, f);
    fprintf(out, "bsub -Q 75 -J 'torre[%d-%d]' -n %d -R 'span[ptile=1]' -W 1:00 bash lsf.sh --list %s/runs.txt\n",
            first + 1, last, n, f);
    fprintf(out, "qsub -t %d-%d -pe mpi %d -l h_rt=1:00:00 gridengine.sh --list %s/runs.txt\n", first + 1, last, n, f);
  }
}

static int write_text(const struct tor_rates *study, const char *name,
                      void (*print)(const struct tor_rates *study, FILE *out)) {
  char path[4200];
  snprintf(path, sizeof path, "%s/%s", study->folder, name);
  FILE *file = tor_folder_create(path);
  if (file) print(study, file);
  if (file && !tor_folder_commit(file, path)) return 0;
  fprintf(stderr, "torre study: %s was not written: %s\n", path, strerror(errno));
  return -1;
}

int tor_rates_write_runs(const struct tor_rates *study) {
  return write_text(study, "runs.txt", print_runs) || write_text(study, "submit.txt", print_commands) ? -1 : 0;
}

/* --- Results --- */

static double number_of(const char *text, const char *key) {
  const char *at = strstr(text, key);
  return at ? strtod(at + strlen(key), NULL) : 0;
}

static void read_result(const struct tor_rates *study, struct tor_rates_point *p) {
  char path[4200], *text = tor_alloc(1, 1 << 20, "run.json");
  snprintf(path, sizeof path, "%s/%s/run.json", study->folder, p->name);
  FILE *file = tor_safe_read(path);
  if (file) {
    text[fread(text, 1, (1 << 20) - 1, file)] = 0;
    fclose(file);
    p->rate = number_of(text, "\"cell_updates_per_second\": ");
    p->finished = p->rate > 0;
    p->seconds = number_of(text, "\"seconds\": ");
    p->steps = number_of(text, "\"steps\": ");
    p->th = (int)number_of(text, "\"th\": ");
    p->dts = (int)number_of(text, "\"dts\": ");
    double fill = 0;
    for (const char *at = text; (at = strstr(at, "\"fill_s\": ")); at++) {
      const double one = strtod(at + 10, NULL);
      if (one > fill) fill = one;
    }
    p->filled = fill < p->seconds ? p->rate * p->seconds / (p->seconds - fill) : p->rate;
  }
  free(text);
}

/* --- Runs --- */

struct words {
  char *word[256];
  int n;
};

static void collect(void *context, const char *text) {
  struct words *w = context;
  if (w->n < 255) w->word[w->n++] = tor_strdup(text);
}

static void collect_launcher(struct words *w, int n) {
  const char *given = getenv("LAUNCH");
  char *text = tor_strdup(given && *given ? given : "mpirun -n"), count[16], *rest = text, *one;
  while ((one = strtok_r(rest, " ", &rest))) collect(w, one);
  free(text);
  snprintf(count, sizeof count, "%d", n);
  collect(w, count);
}

/* The exit status of the run's process. */
static int launch(const struct tor_rates *study, const struct tor_rates_point *p) {
  struct words w = {{0}, 0};
  const int n = processes(study, p);
  char self[4096] = "";
  if (readlink("/proc/self/exe", self, sizeof self - 1) < 1) snprintf(self, sizeof self, "torre");
  if (n > 1) collect_launcher(&w, n);
  collect(&w, self);
  collect(&w, "run");
  each_word(study, p, collect, &w);
  collect(&w, study->options->run.overwrite ? "--overwrite" : "--restart");
  fflush(stdout);
  const pid_t child = fork();
  int status = 0;
  if (!child) {
    prctl(PR_SET_PDEATHSIG, SIGTERM); /* a run whose study has ended saves its state */
    execvp(w.word[0], w.word);
    fprintf(stderr, "torre study: %s: %s\n", w.word[0], strerror(errno));
    _exit(127);
  }
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  for (int i = 0; i < w.n; i++) free(w.word[i]);
  return child < 0 ? TOR_EXIT_FAILURE : WIFEXITED(status) ? WEXITSTATUS(status) : TOR_EXIT_FAILURE;
}

int tor_rates_run(struct tor_rates *study) {
  cpu_set_t cpus;
  const int most = sched_getaffinity(0, sizeof cpus, &cpus) ? 1 : CPU_COUNT(&cpus);
  int status = TOR_EXIT_OK, left = 0;
  for (int i = 0; i < study->npoints; i++) {
    struct tor_rates_point *p = &study->point[i];
    const int here = !study->options->list_only && processes(study, p) <= most && status != TOR_EXIT_AGAIN;
    if (here) {
      printf("%s (%d of %d)\n", p->name, i + 1, study->npoints);
      const int ended = launch(study, p);
      if (ended == TOR_EXIT_AGAIN)
        status = ended;
      else if (ended) {
        fprintf(stderr, "torre study: %s ended with status %d\n", p->name, ended);
        status = TOR_EXIT_FAILURE;
      }
    }
    read_result(study, p);
    left += !p->finished && !here;
  }
  if (left) printf("%d not run here: %s/submit.txt has the commands for a cluster\n", left, study->folder);
  return status;
}
