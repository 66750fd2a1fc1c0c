/* The modes of a plane at several wavelengths: those of torre modes, or of a monitor. */
#ifndef TOR_SRC_MODES_MODE_SWEEP_H
#define TOR_SRC_MODES_MODE_SWEEP_H

#include "src/modes/modes.h"

struct tor_mode_sweep {
  const struct tor_job *job;
  const double *wavelength; /* [nwavelength], the request's */
  struct tor_plane_media plane;
  int nwavelength, count;
  int *found;            /* [nwavelength] modes of each, at most count */
  struct tor_mode *mode; /* [nwavelength][count] */
  char why[256];         /* why there are fewer than count somewhere; empty: there are not */
};

/* The plane of a request, which is job->modes or one like it. */
void tor_mode_plane_make(const struct tor_job *job, const struct tor_mode_job *request, struct tor_plane_media *plane);
/* The request of a monitor of modes; its wavelengths are the monitor's. */
struct tor_mode_job tor_mode_request_of(const struct tor_monitor *monitor);
/* Solves at each wavelength of the request; modes of a wavelength stand in the order of those before that they
 * continue. The job and the request's wavelengths must outlive it. */
void tor_mode_sweep_make(const struct tor_job *job, const struct tor_mode_job *request, struct tor_mode_sweep *sweep);
void tor_mode_sweep_free(struct tor_mode_sweep *sweep);

/* tor_mode_beyond_text of mode number m at the wavelength where most of it lies beyond the plane; with more than one
 * the text names it. */
int tor_mode_sweep_beyond_text(const struct tor_mode_sweep *sweep, int m, char *text, size_t size);

static inline const struct tor_mode *tor_mode_sweep_at(const struct tor_mode_sweep *sweep, int wavelength, int m) {
  return &sweep->mode[(size_t)wavelength * (size_t)sweep->count + (size_t)m];
}

#endif
