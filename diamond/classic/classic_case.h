/* Cases of classic.h with their fields and media. */
#ifndef TOR_DIAMOND_CLASSIC_CLASSIC_CASE_H
#define TOR_DIAMOND_CLASSIC_CLASSIC_CASE_H

#include "diamond/classic/classic.h"

struct tor_classic_wish {
  enum tor_classic_scheme scheme;
  enum tor_classic_rule rule;
  enum tor_precision precision;
  int n[3];             /* cells; n[2] is not used in 2-D */
  int e_first, open;    /* as in the case */
  int source, place[3]; /* the component; its index, 0: the middle, Giraud's in 3-D */
  int sourced;          /* steps for which there is a source; 0: none, and the fields begin at random */
  double period;        /* of the source [steps], 0: 40 */
  int pulse;            /* a Gaussian pulse instead of a sine */
  int random;           /* MEDIA: media at random, else one without losses; cells that are no cubes, and in 2-D
                           coefficients of each component's own */
  uint64_t seed;
};

/* A case and what it points to. */
struct tor_classic_problem {
  struct tor_classic_case c;
  void *field[TOR_NCOMP]; /* NULL: not of the scheme */
  struct tor_classic_medium medium[TOR_CLASSIC_MEDIA_MOST];
  uint8_t *material[TOR_NCOMP];
  double *value;
  struct tor_classic_wish wish;
};

/* Steps of 0.9 of Courant's limit in 3-D; in 2-D c dt / dx = 0.5 as far as it is not random. Ends the process when
 * memory is short. */
void tor_classic_make(struct tor_classic_problem *p, const struct tor_classic_wish *wish);
/* The fields at the beginning: zero with a source, else at random in all points that are advanced. */
void tor_classic_start(struct tor_classic_problem *p);
/* How many values of a component differ in a bit; the first of them is at *at. */
tor_gidx tor_classic_differences(const struct tor_classic_problem *a, const struct tor_classic_problem *b, int comp,
                                 tor_gidx *at);
void tor_classic_free(struct tor_classic_problem *p);

#endif
