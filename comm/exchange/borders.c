/* The choice of borders between ranks: see borders.h. */
#include "comm/exchange/borders.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/error.h"

/* Where border i can be when no rank before it has more than `cap`. */
struct search {
  const struct tor_border_rule *rule;
  int ranks;
  int64_t cap;
  char *reached; /* [ranks][last + 1] */
  int *starts;   /* [last + 2] */
};

static char *reached(const struct search *s, int border) {
  return s->reached + (size_t)border * ((size_t)s->rule->last + 1);
}

/* The furthest end of a rank that begins at a unit, from a guess that is not beyond it. */
static int furthest(const struct search *s, int unit, int guess) {
  const struct tor_border_rule *r = s->rule;
  while (guess < r->last && r->before[guess + 1] - r->before[unit] <= s->cap) guess++;
  return guess;
}

/* Border i + 1 from all places of border i: a union of intervals, whose starts and ends are counted. */
static void advance(const struct search *s, int border) {
  const struct tor_border_rule *r = s->rule;
  const char *from = reached(s, border);
  char *to = reached(s, border + 1);
  memset(s->starts, 0, ((size_t)r->last + 2) * sizeof *s->starts);
  for (int u = 1, end = 0; u <= r->last; u++) {
    end = furthest(s, u, end < u ? u : end);
    if (!from[u] || r->least[u] > end) continue;
    s->starts[r->least[u]]++;
    s->starts[end + 1]--;
  }
  for (int u = 1, inside = 0; u <= r->last; u++) {
    inside += s->starts[u];
    to[u] = (char)(inside > 0);
  }
}

static int last_fits(const struct search *s, int unit) {
  return reached(s, s->ranks - 1)[unit] && s->rule->all - s->rule->before[unit] <= s->cap;
}

/* Whether no rank needs more than `cap`. */
static int admits(struct search *s, int64_t cap) {
  s->cap = cap;
  for (int u = s->rule->first; u <= s->rule->last; u++) reached(s, 1)[u] = (char)(s->rule->before[u] <= cap);
  for (int i = 1; i + 1 < s->ranks; i++) advance(s, i);
  for (int u = 1; u <= s->rule->last; u++)
    if (last_fits(s, u)) return 1;
  return 0;
}

/* From the last border to the first, each at the place that is nearest to even shares. */
static void trace_back(const struct search *s, int *unit) {
  const struct tor_border_rule *r = s->rule;
  for (int i = s->ranks - 1; i > 0; i--) {
    const int64_t even = r->all / s->ranks * i + r->all % s->ranks * i / s->ranks;
    int64_t nearest = INT64_MAX;
    for (int u = 1; u <= r->last; u++) {
      const int64_t apart = llabs(r->before[u] - even);
      const int next = i + 1 < s->ranks ? unit[i + 1] : 0;
      const int fits =
          next ? reached(s, i)[u] && r->least[u] <= next && r->before[next] - r->before[u] <= s->cap : last_fits(s, u);
      if (!fits || apart >= nearest) continue;
      nearest = apart;
      unit[i] = u;
    }
  }
}

int tor_borders_choose(const struct tor_border_rule *rule, int ranks, int *unit) {
  if (ranks < 2) return 0;
  if (rule->last < ranks - 1) return -1;
  const size_t units = (size_t)rule->last + 1;
  struct search s = {.rule = rule, .ranks = ranks};
  s.reached = tor_alloc((size_t)ranks * units, sizeof *s.reached, "layout");
  s.starts = tor_alloc(units + 1, sizeof *s.starts, "layout");
  int64_t too_little = rule->all / ranks - 1, enough = rule->all;
  const int64_t near = rule->all / ranks / 1024;
  const int found = admits(&s, enough);
  while (found && enough - too_little > 1 + near) {
    const int64_t cap = too_little + (enough - too_little) / 2;
    if (admits(&s, cap))
      enough = cap;
    else
      too_little = cap;
  }
  if (found && admits(&s, enough)) trace_back(&s, unit);
  free(s.reached);
  free(s.starts);
  return found ? 0 : -1;
}
