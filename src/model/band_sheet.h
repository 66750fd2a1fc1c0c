/* The sheet of fields that are known on a plane at the frequencies of a pulse's band: terms, profiles and signals
 * (docs/design/plane-sources.md, Terms). */
#ifndef TOR_SRC_MODEL_BAND_SHEET_H
#define TOR_SRC_MODEL_BAND_SHEET_H

#include "src/job/job.h"
#include "src/job/sheet.h"
#include "src/model/band.h"
#include "src/model/plane_media.h"

/* Frequencies at which the fields are asked for: the band's points and, at odd numbers, the places between them, at
 * which the error is found. A continuous wave has one. */
enum { TOR_BAND_SHEET_MOST = 2 * TOR_BAND_POINTS - 1 };
int tor_band_sheet_frequencies(const struct tor_band *band);
double tor_band_sheet_omega(const struct tor_band *band, int frequency); /* [rad/s] */

/* Gives the fields: E (h 0) or H (h 1) along the plane at one of TOR_SHEET_PLACES along the axis, as the update stores
 * them, for a pulse of amplitude 1: to[real, imaginary][next, last][plane->npoints], all of it set. */
typedef void tor_band_sheet_take(void *self, int frequency, int h, int place, double *to);

/* The sheet, owned by the caller; its error is the largest part of the fields that the terms lack, over their norm.
 * Ends the run when memory is short. */
struct tor_sheet *tor_band_sheet_make(const struct tor_plane_media *plane, const struct tor_source *source,
                                      tor_band_sheet_take *take, void *self);

/* The same of fields at given frequencies omega[count], rising [rad/s], by whose number they are asked for: exact at
 * these, between them and beyond a polynomial through all. Its error is what the terms lack at one of them. */
struct tor_sheet *tor_band_sheet_through(const struct tor_plane_media *plane, const struct tor_source *source,
                                         int count, const double *omega, tor_band_sheet_take *take, void *self);

#endif
