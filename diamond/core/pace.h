/* The number of threads that a CPU engine uses, chosen from what its work takes: more threads than have a core are
 * slower than fewer, since they wait for each other. No result depends on it.
 *
 * The threads that were asked for are used as long as they rarely wait. Where they do, fewer are tried for a few
 * milliseconds, and kept if the work takes less time; later more again. Trials that failed may take 4 ms and 1 % of the
 * time. The clock is the caller's. Local. */
#ifndef TOR_DIAMOND_CORE_PACE_H
#define TOR_DIAMOND_CORE_PACE_H

#ifdef __cplusplus
extern "C" {
#endif

struct tor_pace_level {
  int threads;
  double cost; /* [s] a unit of work; 0: not known */
};

/* Begins with zeros. */
struct tor_pace {
  int threads;                   /* in use; 0: not begun */
  struct tor_pace_level settled; /* the level in use, or to which a trial returns */
  struct tor_pace_level fewer;   /* a lower level that was measured; threads 0: none */
  int trials;
  double run, debt;           /* [s] so far; by which trials that failed were slower */
  int parts;                  /* since the last decision: calls of tor_pace_add, ... */
  double work, seconds, lost; /* ... the sums of their arguments */
  int hasty, penalty;         /* phases whose waits fall asleep at once (diamond/cpu/team.c): left, last time */
};

/* Of at most `most` threads (>= 1), those to begin with. */
int tor_pace_begin(struct tor_pace *pace, int most);
/* `work` units of work (> 0), of the same kind in all calls, took `seconds` with pace->threads threads, which waited
 * for each other for `lost` seconds in all; `left`: the work until more threads can be used. Returns the threads to use
 * from now on. */
int tor_pace_add(struct tor_pace *pace, int most, double work, double seconds, double lost, double left);

#ifdef __cplusplus
}
#endif

#endif
