/* Physical constants (CODATA 2018) and unit factors. SI unless the name says otherwise. */
#ifndef TOR_SRC_BASE_UNITS_H
#define TOR_SRC_BASE_UNITS_H

#define TOR_PI 3.14159265358979323846
#define TOR_C0 299792458.0          /* speed of light [m/s] */
#define TOR_MU0 1.25663706212e-6    /* vacuum permeability [H/m] */
#define TOR_EPS0 8.8541878128e-12   /* vacuum permittivity [F/m] */
#define TOR_ETA0 376.730313668      /* impedance of vacuum [Ohm] */
#define TOR_HBAR_EV 6.582119569e-16 /* reduced Planck constant [eV s] */
#define TOR_EV (1.0 / TOR_HBAR_EV)  /* angular frequency of 1 eV [rad/s] */
#define TOR_NM 1e-9
#define TOR_FS 1e-15

/* i in double precision: I of <complex.h>, which this needs, is a float. */
#define TOR_I CMPLX(0, 1)

#endif
