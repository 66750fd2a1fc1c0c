/* The one-dimensional line of a plane wave along an axis (incident_line.h): its media and cells are the grid's. */
#ifndef TOR_SRC_MODEL_WAVE_LINE_H
#define TOR_SRC_MODEL_WAVE_LINE_H

#include "src/job/grid.h"
#include "src/model/incident.h"
#include "src/model/layers.h"

struct tor_incident_line;

/* Which derivative of which component enters a component's curl: derivative 0 adds, 1 subtracts. */
void tor_curl_term(int comp, int derivative, int *axis, int *of);

/* Cell j of a wave's line: that of the grid, beyond the box's faces as the last one that they read [m]. */
double tor_wave_line_cell(const struct tor_incident *in, const struct tor_grid *g, int j);

/* The line of `count` nodes of a wave whose box, axis and offset are known. layered: its medium is that of the layered
 * background, cell by cell; else that at index `front` along z everywhere. Freed by tor_incident_line_free. */
struct tor_incident_line *tor_wave_line_new(const struct tor_incident *in, const struct tor_grid *g,
                                            const struct tor_layers *layers, int layered, int count, int front);

#endif
