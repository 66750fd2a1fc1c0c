/* Chooses the number of threads: see pace.h. */
#include "diamond/core/pace.h"

#include <math.h>

/* A decision after so many parts of work that took so long, or after a part that took very long [s]. Processes that
 * share a core have it in turn, for 3 to 4 ms. */
enum { PARTS = 4 };
static const double SHORT = 5e-3, LONG = 10e-3;
/* Waits that are worth a trial: part of the threads' time. A level must be faster by `GAIN` to be kept. */
static const double WAITS = 0.15, GAIN = 0.93;
/* What trials that failed may take: at once [s], and of the run's time. */
static const double GRANT = 4e-3, SHARE = 0.01;
/* A level is left at once when its work takes so many times what fewer threads took, and so long in addition [s]. */
static const double MUCH = 2, SLACK = 1e-3;

static void decide_anew(struct tor_pace *pace) {
  pace->parts = 0;
  pace->work = pace->seconds = pace->lost = 0;
}

static int use(struct tor_pace *pace, int threads) {
  decide_anew(pace);
  return pace->threads = threads;
}

int tor_pace_begin(struct tor_pace *pace, int most) {
  if (!pace->threads || pace->threads > most) {
    *pace = (struct tor_pace){.settled = {.threads = most}, .run = pace->run, .debt = pace->debt};
    use(pace, most);
  }
  return pace->threads;
}

/* Whether a trial that takes `excess` seconds more than the present level fits what trials may take. */
static int may_try(const struct tor_pace *pace, double excess) {
  return pace->debt + fmax(0, excess) <= GRANT + SHARE * pace->run;
}

/* Whether fewer threads, `less`, may be faster; they are kept for the work that is left of a stage. They then have to
 * do what was no wait, and in part what was: it may have been done meanwhile. */
static int may_fall(const struct tor_pace *pace, int less, double left) {
  const double all = pace->seconds * pace->threads, works = all - 0.75 * pace->lost;
  if (less < 1 || pace->lost < WAITS * all) return 0;
  return may_try(pace, (works / less - pace->seconds) / pace->work * fmax(left, pace->work));
}

/* The level to try beside the present one, if any: one thread less, or more, and half, or twice, as many in turn. */
static int trial(struct tor_pace *pace, int most, double left) {
  const int now = pace->threads, far = pace->trials & 1;
  const int more = !far ? now + 1 : 2 * now < most ? 2 * now : most, less = !far ? now - 1 : now / 2;
  const int rises = now < most && may_try(pace, pace->seconds / 2 + SLACK), falls = may_fall(pace, less, left);
  if (!rises && !falls) return now;
  const int up = rises && (!falls || pace->trials & 2);
  pace->trials++;
  return up ? more : less;
}

int tor_pace_add(struct tor_pace *pace, int most, double work, double seconds, double lost, double left) {
  const int now = pace->threads, tries = now != pace->settled.threads;
  const struct tor_pace_level level = {now, (pace->seconds + seconds) / (pace->work + work)};
  pace->parts++;
  pace->work += work;
  pace->seconds += seconds;
  pace->lost += lost;
  pace->run += seconds;
  const double fewer = pace->fewer.cost * pace->work;
  if (pace->fewer.threads && pace->fewer.threads < now && pace->seconds > MUCH * fewer + SLACK) {
    pace->debt += pace->seconds - fewer;
    pace->settled = pace->fewer;
    return use(pace, pace->settled.threads);
  }
  if ((pace->parts < PARTS || pace->seconds < SHORT) && pace->seconds < LONG) return now;
  if (!tries) {
    pace->settled = level;
    const int next = trial(pace, most, left);
    if (next > now) pace->fewer = level;
    return use(pace, next);
  }
  const double usual = pace->settled.cost * pace->work;
  if (level.cost < GAIN * pace->settled.cost)
    pace->settled = level;
  else
    pace->debt += fmax(0, pace->seconds - usual);
  if (now < pace->settled.threads) pace->fewer = level;
  return use(pace, pace->settled.threads);
}
