/* Time profiles of sources. */
#ifndef TOR_SRC_MODEL_PROFILE_H
#define TOR_SRC_MODEL_PROFILE_H

#include "src/job/job.h"

/* Value of a time profile at t [s]; its amplitude is not applied. */
double tor_profile_value(const struct tor_profile *profile, double t);
/* The smooth start of a continuous wave: from 0 at t = 0 to 1 at `rise` and later. */
double tor_profile_ramp(double rise, double t);
/* Centre and half-width [rad/s] of a pulse's spectrum, exp(-((w - w0) / half)^2); of a continuous wave half is 0. */
void tor_profile_band(const struct tor_profile *profile, double *omega, double *half);
/* Time after which a pulse or a table is over [s]; INFINITY for a continuous wave. */
double tor_profile_end(const struct tor_profile *profile);
/* Frequency [Hz] above which the profile's spectrum is below 1e-8 of its peak; INFINITY for a table. */
double tor_profile_bandwidth(const struct tor_profile *profile);

/* Width of the profile's band [Hz]: of a pulse between the frequencies where its spectrum has fallen to 1/e; of a table
 * the least that its length allows; 0 of a continuous wave. */
double tor_profile_width(const struct tor_profile *profile);

/* Amplitude of a pulse's spectrum at a wavelength, INFINITY: at frequency 0, in units of its peak; 1 for other
 * profiles, whose spectra are unknown. Without what zero_mean takes away. */
double tor_profile_level(const struct tor_profile *profile, double wavelength);

/* The mean of a profile: its time integral over the largest amplitude of its spectrum, of a table over the integral of
 * its modulus, which is at least that; 0 of a continuous one. A dipole leaves charges of this size. */
#define TOR_NO_CHARGE 1e-8 /* and means below this leave none that matter */
double tor_profile_mean(const struct tor_profile *profile);

#endif
