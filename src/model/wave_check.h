/* Requirements of a plane wave on the scene. Its incident field is that of one line (incident.h): of a homogeneous
 * medium, or along z of layers along z, without poles. Faces of the total-field box that meet anything else would
 * radiate.
 */
#ifndef TOR_SRC_MODEL_WAVE_CHECK_H
#define TOR_SRC_MODEL_WAVE_CHECK_H

#include "src/model/layers.h"
#include "src/model/source.h"

/* The wave's total-field box on the grid. */
void tor_wave_box(const struct tor_source *wave, const struct tor_grid *grid, struct tor_box *box);

/* Of a wave along x or y whose box has no sides: the medium of a layer across its axis in which it enters, as its place
 * in job->media. -1: none, or another wave, which enters in the background. */
int tor_wave_front(const struct tor_job *job, const struct tor_grid *grid, const struct tor_source *wave,
                   const struct tor_box *box);

/* Faults of a wave with this box that enters in tor_wave_front. Returns whether the wave travels through layers, which
 * its line then has. */
int tor_wave_check(const struct tor_job *job, const struct tor_grid *grid, const struct tor_source *wave,
                   const struct tor_box *box, const struct tor_layers *layers, int front, struct tor_faults *faults);

/* The medium in which a wave enters a periodic cell (tor_source.periodic), as its place in job->media, 0 with faults:
 * sides that are not open, faces in several media, or in one that absorbs, has poles or is anisotropic. */
int tor_wave_medium(const struct tor_job *job, const struct tor_grid *grid, const struct tor_source *wave,
                    const struct tor_box *box, struct tor_faults *faults);

/* Whether a wave's incident field is that of the lines of tilted_line.h through the layers: its direction is given by
 * angles and layers along z end in its box or within two cells of it, or it travels along z and one of them has poles
 * and meets a face. */
int tor_wave_meets_layers(const struct tor_job *job, const struct tor_grid *grid, const struct tor_source *wave);
/* The medium where such a wave enters, as its place in job->media, 0 with faults. */
int tor_wave_layer(const struct tor_job *job, const struct tor_grid *grid, const struct tor_source *wave,
                   const struct tor_box *box, const struct tor_layers *layers, struct tor_faults *faults);

#endif
