/* Mie theory and layer stacks: see mie.h. */
#include "jobs/tools/mie.h"

#include <math.h>
#include <stdlib.h>

#include "src/base/error.h"
#include "src/base/units.h"

/* D_n(z) = psi_n'(z) / psi_n(z), n = 0 .. nmax, downward (Bohren and Huffman, eq. 4.89). Owned by the caller. */
static double complex *log_derivative(double complex z, int nmax) {
  int start = (int)fmax(nmax, cabs(z)) + 16;
  start += (int)(4 * cbrt(cabs(z)));
  double complex *d = tor_alloc((size_t)start + 1, sizeof *d, "Mie series");
  for (int n = start; n > 0; n--) d[n - 1] = n / z - 1 / (d[n] + n / z);
  return d;
}

struct coefficients {
  int n;                 /* the last */
  double complex *a, *b; /* [n + 1], owned */
};

static struct coefficients coefficients(double x, double complex m) {
  const int nmax = (int)(x + 4.05 * cbrt(x)) + 3; /* Wiscombe, Appl. Opt. 19, 1505 (1980) */
  struct coefficients c = {.n = nmax};
  c.a = tor_alloc((size_t)nmax + 1, sizeof *c.a, "Mie series");
  c.b = tor_alloc((size_t)nmax + 1, sizeof *c.b, "Mie series");
  double complex *d = log_derivative(m * x, nmax);
  double complex *dx = log_derivative(x, nmax);
  double psi0 = cos(x), psi = sin(x), chi0 = -sin(x), chi1 = cos(x); /* n = -1, 0; xi = psi - i chi */
  for (int n = 1; n <= nmax; n++) {
    double chi = (2 * n - 1) / x * chi1 - chi0, psi_last = psi;
    chi0 = chi1;
    chi1 = chi;
    /* Upward while n < x; beyond, where that is unstable and psi has no zeros, by psi_(n-1) / psi_n = D_n + n/x. */
    psi = n < x ? (2 * n - 1) / x * psi - psi0 : psi / (creal(dx[n]) + n / x);
    psi0 = psi_last;
    double complex xi = CMPLX(psi, -chi), xi_last = CMPLX(psi_last, -chi0);
    double complex fa = d[n] / m + n / x, fb = m * d[n] + n / x;
    c.a[n] = (fa * psi - psi_last) / (fa * xi - xi_last);
    c.b[n] = (fb * psi - psi_last) / (fb * xi - xi_last);
  }
  free(d);
  free(dx);
  return c;
}

void tor_mie(double size_parameter, double complex m, double *q_ext, double *q_sca, double *g) {
  const double x = size_parameter;
  const struct coefficients c = coefficients(x, m);
  double ext = 0, sca = 0, asym = 0;
  for (int n = 1; n <= c.n; n++) {
    const double complex a = c.a[n], b = c.b[n];
    ext += (2 * n + 1) * creal(a + b);
    sca += (2 * n + 1) * (creal(a * conj(a)) + creal(b * conj(b)));
    asym += (2 * n + 1.0) / (n * (n + 1.0)) * creal(a * conj(b));
    if (n > 1) asym += (n - 1.0) * (n + 1.0) / n * creal(c.a[n - 1] * conj(a) + c.b[n - 1] * conj(b));
  }
  free(c.a);
  free(c.b);
  if (q_ext) *q_ext = 2 / (x * x) * ext;
  if (q_sca) *q_sca = 2 / (x * x) * sca;
  if (g) *g = sca > 0 ? 2 * asym / sca : 0;
}

void tor_mie_amplitudes(double size_parameter, double complex m, double cosine, double complex s[2]) {
  const struct coefficients c = coefficients(size_parameter, m);
  double pi_last = 0, pi = 1;
  s[0] = s[1] = 0;
  for (int n = 1; n <= c.n; n++) {
    const double tau = n * cosine * pi - (n + 1) * pi_last, next = ((2 * n + 1) * cosine * pi - (n + 1) * pi_last) / n;
    const double weight = (2 * n + 1.0) / (n * (n + 1.0));
    s[0] += weight * (c.a[n] * pi + c.b[n] * tau);
    s[1] += weight * (c.a[n] * tau + c.b[n] * pi);
    pi_last = pi;
    pi = next;
  }
  free(c.a);
  free(c.b);
}

void tor_slab_rt(int nlayers, const double complex *eps, const double *thickness, double wavelength, double *reflected,
                 double *transmitted) {
  double k0 = 2 * TOR_PI / wavelength;
  double complex n_in = csqrt(eps[0]), n_out = csqrt(eps[nlayers + 1]);
  /* Tangential fields at the last face for a transmitted wave of unit amplitude, carried back to the first. To keep
   * thick metals finite each layer's exp(|Im|) is taken out and remembered. */
  double complex e = 1, h = n_out;
  double log_scale = 0;
  for (int l = nlayers - 1; l >= 0; l--) {
    double complex n = csqrt(eps[l + 1]), phase = n * k0 * thickness[l];
    double growth = cimag(phase);
    double complex forward = cexp(CMPLX(-2 * growth, creal(phase))), backward = cexp(CMPLX(0, -creal(phase)));
    double complex c = 0.5 * (forward + backward), is = 0.5 * (forward - backward); /* cos, i sin; both / exp(growth) */
    double complex e_new = c * e - is / n * h;
    h = c * h - is * n * e;
    e = e_new;
    log_scale += growth;
  }
  double complex sum = n_in * e + h, r = (n_in * e - h) / sum, t = 2 * n_in / sum * exp(-log_scale);
  *reflected = creal(r * conj(r));
  *transmitted = creal(t * conj(t)) * creal(n_out) / creal(n_in);
}
