/* Poles of dispersive layers on a line along z, advanced as those of columns are (diamond/core/update.h). */
#ifndef TOR_SRC_MODEL_LINE_POLES_H
#define TOR_SRC_MODEL_LINE_POLES_H

#include "src/model/layers.h"

struct tor_line_poles;

/* Of the layers' points of E; point j of the line is that of index clamped(j + offset) of the layers, from 1 to last.
 * ct: time step [m]. NULL: none of the points has poles. */
struct tor_line_poles *tor_line_poles_new(const struct tor_layers *layers, int count, int offset, int last, double ct);
void tor_line_poles_free(struct tor_line_poles *poles);

/* Takes the currents that component comp of E, of values e [count], drives from its curl, before its step. */
void tor_line_poles_before(struct tor_line_poles *poles, int comp, const double *e, double *curl);
/* The implicit part, of the values after the step. */
void tor_line_poles_after(struct tor_line_poles *poles, int comp, const double *e);

#endif
