/* Signals and the wall-clock limit: see interrupt.h. */
#include "src/run/interrupt.h"

#include <ctype.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "io/files/log.h"
#include "src/base/stop.h"
#include "src/base/types.h"

static atomic_int caught, asked; /* without a lock, so that a handler may set them; asked: times of SIGINT */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int users; /* between begin and end */
static struct sigaction former_term, former_usr1, former_hup, former_int, former_pipe, former_size;
static double started, limit; /* [s] */

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void note(int number) {
  caught = number;
  tor_stop_ask();
}

/* Ctrl-C. Whoever presses it waits for an answer; the second time the process ends here and now. */
static void note_interrupt(int number) {
  static const char answer[] =
      "\ntorre: ends after this stage with its state saved; Ctrl-C once more: at once, unsaved\n";
  const int kept = errno;
  if (atomic_fetch_add(&asked, 1)) _exit(TOR_EXIT_INTERRUPTED);
  if (write(STDERR_FILENO, answer, sizeof answer - 1) < 0) errno = kept; /* a closed terminal */
  errno = kept;
  note(number);
}

/* Unless whoever started the process wants it ignored: nohup, or a shell's background job. */
static void take(int number, const struct sigaction *action, struct sigaction *former) {
  sigaction(number, NULL, former);
  if (former->sa_handler != SIG_IGN) sigaction(number, action, NULL);
}

static void install(void) {
  struct sigaction action = {.sa_handler = note, .sa_flags = SA_RESTART};
  caught = asked = 0;
  tor_stop_clear();
  started = now();
  limit = 0;
  sigemptyset(&action.sa_mask);
  sigaction(SIGTERM, &action, &former_term);
  sigaction(SIGUSR1, &action, &former_usr1);
  take(SIGHUP, &action, &former_hup);
  action.sa_handler = note_interrupt;
  take(SIGINT, &action, &former_int);
  /* A closed terminal or a file size limit: the write fails instead, and its caller reports that. */
  action.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &action, &former_pipe);
  sigaction(SIGXFSZ, &action, &former_size);
}

static void remove_handlers(void) {
  sigaction(SIGTERM, &former_term, NULL);
  sigaction(SIGUSR1, &former_usr1, NULL);
  sigaction(SIGHUP, &former_hup, NULL);
  sigaction(SIGINT, &former_int, NULL);
  sigaction(SIGPIPE, &former_pipe, NULL);
  sigaction(SIGXFSZ, &former_size, NULL);
  caught = 0;
  tor_stop_clear();
  limit = 0;
}

void tor_interrupt_begin(void) {
  pthread_mutex_lock(&lock);
  if (!users++) install();
  pthread_mutex_unlock(&lock);
}

void tor_interrupt_limit(double seconds) { limit = seconds; }

void tor_interrupt_end(void) {
  pthread_mutex_lock(&lock);
  if (!--users) remove_handlers();
  pthread_mutex_unlock(&lock);
}

enum tor_interrupt tor_interrupt_wanted(double reserve) {
  const int signal = caught;
  if (signal == SIGINT) return TOR_INTERRUPT_INT;
  if (signal == SIGTERM) return TOR_INTERRUPT_TERM;
  if (signal == SIGUSR1) return TOR_INTERRUPT_USR1;
  if (signal == SIGHUP) return TOR_INTERRUPT_HUP;
  return limit > 0 && now() - started + reserve >= limit ? TOR_INTERRUPT_LIMIT : TOR_INTERRUPT_NONE;
}

const char *tor_interrupt_text(enum tor_interrupt interrupt) {
  static const char *const text[] = {"nothing", "the limit of --max-time",       "SIGHUP", "SIGUSR1", "SIGTERM",
                                     "SIGINT",  "the loss of its results folder"};
  return text[interrupt];
}

void tor_interrupt_log(int is_alone) {
  const char *job = getenv("SLURM_JOB_ID"), *step = getenv("SLURM_STEP_ID");
  char host[256] = "this machine", parent[64] = "", path[64];
  snprintf(path, sizeof path, "/proc/%ld/comm", (long)getppid());
  FILE *f = fopen(path, "r");
  if (f && !fgets(parent, sizeof parent, f)) *parent = 0;
  if (f) fclose(f);
  gethostname(host, sizeof host - 1);
  if (job && step && !strncmp(parent, "slurmstepd", 10))
    tor_log("to stop with the state saved: scancel --signal=USR1 %s.%s", job, step);
  else
    tor_log("to stop with the state saved: kill -USR1 %ld on %s%s", (long)getpid(), host,
            is_alone ? ", or Ctrl-C once" : " (not Ctrl-C, which mpirun takes)");
}

/* Reads a whole number of at most `digits` digits before `end` and advances *text past that. */
static long field(const char **text, char end, int digits) {
  char *stop;
  if (!isdigit((unsigned char)**text)) return -1;
  long value = strtol(*text, &stop, 10);
  if (stop - *text > digits || *stop != end) return -1;
  *text = stop + (end != 0);
  return value;
}

double tor_interrupt_parse(const char *text) {
  const char *at = text;
  long days = field(&at, '-', 4);
  if (days < 0) {
    days = 0;
    at = text;
  }
  long hours = field(&at, ':', 6), minutes = hours < 0 ? -1 : field(&at, ':', 2),
       seconds = minutes < 0 ? -1 : field(&at, 0, 2);
  if (seconds < 0 || minutes > 59 || seconds > 59) return -1;
  return ((double)days * 24 + (double)hours) * 3600 + (double)minutes * 60 + (double)seconds;
}
