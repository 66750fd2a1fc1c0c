/* Media in CPML that it may amplify: stretched coordinates absorb waves whose phase and group velocity point the same
 * way along the axis and amplify the others (Becache, Fauqueux, Joly, J. Comput. Phys. 188, 399 (2003)). Such waves are
 * carried by thin metals (the upper branch of their surface plasmons) and by media with three different permittivities,
 * with a full tensor, or with poles beside an anisotropy. */
#ifndef TOR_SRC_MODEL_LAYER_MEDIA_H
#define TOR_SRC_MODEL_LAYER_MEDIA_H

#include "src/job/grid.h"
#include "src/job/job.h"

/* A medium of this kind that reaches into the CPML at a face: its place in job->media, and why: a phrase such as "a
 * metal 10 nm thick". -1: there is none, or the face has no CPML. */
int tor_layer_medium(const struct tor_job *job, const struct tor_grid *grid, int face, char *why, size_t size);

/* What to do about the first such medium, as text in text[size]: absorbers of tor_layer_thickness at the faces that
 * it reaches, and the grid.size, in the job's unit of length, that keeps the domain inside the layers. For a metal
 * nearly free of loss, whose waves grow in the CPML of other faces, too, absorbers at all faces, also where those that
 * it reaches are absorbers already. Returns whether there is one. is_unstable: the run was; then metals of any
 * thickness count, for those of little loss grow, too. */
int tor_layer_advice(const struct tor_job *job, const struct tor_grid *grid, int is_unstable, char *text, size_t size);

/* The same of an unstable run of metals that reach into no CPML: absorbers at all faces with CPML, which returns fields
 * that decay towards it with a phase of its own, so that it may feed a resonance that has little loss. Returns 0 where
 * there is no metal, or no CPML. */
int tor_layer_beside_advice(const struct tor_job *job, const struct tor_grid *grid, char *text, size_t size);
/* Whether that advice should precede any other: a metal between two PEC walls less than half the longest wavelength
 * apart. Such a guide resonates at its cut-off, where fields decay towards the CPML. */
int tor_layer_beside_is_guide(const struct tor_job *job, const struct tor_grid *grid);

/* Thickness that absorbers need [m]: the longest wavelength of the sources; in a domain whose inside, with the
 * room that near fields of films need, is smaller than an eighth of it, where light is no wave yet, the longest one
 * that a film through the domain guides, if all of these are slow: the rate of absorbers damps such a slow wave over
 * one of its wavelengths as it damps light over one of light's (docs/measurements/hard-jobs.md has the errors). Not in
 * a guide at its cut-off (tor_layer_beside_is_guide), whose waves are long. */
double tor_layer_thickness(const struct tor_job *job, const struct tor_grid *grid);

#endif
