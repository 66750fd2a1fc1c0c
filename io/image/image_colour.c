/* The colour maps: see image.h. */
#include "io/image/image.h"

#include <math.h>
#include <stdint.h>

static double to_linear(double s) { return s <= 0.04045 ? s / 12.92 : pow((s + 0.055) / 1.055, 2.4); }

static double from_linear(double v) {
  double s = v <= 0.0031308 ? 12.92 * v : 1.055 * pow(v, 1 / 2.4) - 0.055;
  return s < 0 ? 0 : s > 1 ? 1 : s;
}

/* sRGB (IEC 61966-2-1) and CIELAB with white D65. */
static const double white[3] = {0.95047, 1, 1.08883};

static void lab_to_rgb(const double lab[3], unsigned char rgb[3]) {
  static const double m[3][3] = {
      {3.2404542, -1.5371385, -0.4985314}, {-0.9692660, 1.8760108, 0.0415560}, {0.0556434, -0.2040259, 1.0572252}};
  double fy = (lab[0] + 16) / 116, f[3] = {fy + lab[1] / 500, fy, fy - lab[2] / 200}, xyz[3];
  for (int i = 0; i < 3; i++)
    xyz[i] = white[i] * (f[i] > 6.0 / 29 ? f[i] * f[i] * f[i] : (f[i] - 4.0 / 29) * 108 / 841);
  for (int i = 0; i < 3; i++)
    rgb[i] = (unsigned char)lround(255 * from_linear(m[i][0] * xyz[0] + m[i][1] * xyz[1] + m[i][2] * xyz[2]));
}

static void rgb_to_lab(uint32_t colour, double lab[3]) {
  static const double m[3][3] = {
      {0.4124564, 0.3575761, 0.1804375}, {0.2126729, 0.7151522, 0.0721750}, {0.0193339, 0.1191920, 0.9503041}};
  double rgb[3], f[3];
  for (int i = 0; i < 3; i++) rgb[i] = to_linear((colour >> (16 - 8 * i) & 255) / 255.0);
  for (int i = 0; i < 3; i++) {
    double t = (m[i][0] * rgb[0] + m[i][1] * rgb[1] + m[i][2] * rgb[2]) / white[i];
    f[i] = t > 216.0 / 24389 ? cbrt(t) : t * 841 / 108 + 4.0 / 29;
  }
  lab[0] = 116 * f[1] - 16;
  lab[1] = 500 * (f[0] - f[1]);
  lab[2] = 200 * (f[1] - f[2]);
}

/* Moreland's map from the end (part 1) to the middle (part 0): M from 80 to 94, saturation s from 1.08 to 0, and a hue
 * that spins away as the colour pales (his equation for the spin towards an unsaturated colour). */
static void msh_to_lab(double part, int red, double lab[3]) {
  const double m_end = 80, m_middle = 94, s_end = 1.08;
  double spin = s_end * sqrt(m_middle * m_middle - m_end * m_end) / (m_end * sin(s_end)) * (1 - part);
  double m = m_middle + (m_end - m_middle) * part, s = s_end * part, h = red ? 0.5 + spin : -1.1 - spin;
  lab[0] = m * cos(s);
  lab[1] = m * sin(s) * cos(h);
  lab[2] = m * sin(s) * sin(h);
}

static double msh_distance(double a, double b) {
  double p[3], q[3];
  msh_to_lab(a, 0, p);
  msh_to_lab(b, 0, q);
  return sqrt((p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) + (p[2] - q[2]) * (p[2] - q[2]));
}

static void diverging_colours(unsigned char rgb[TOR_IMAGE_COLOURS][3]) {
  enum { SIDE = TOR_IMAGE_COLOURS / 2, FINE = 2048 };
  double length = 0, walked = 0, lab[3];
  for (int i = 0; i < FINE; i++) length += msh_distance((double)i / FINE, (i + 1.0) / FINE);
  for (int k = 0, i = 0; k <= SIDE; k++) {
    while (i < FINE && walked < length * k / SIDE) walked += msh_distance((double)i / FINE, (i + 1.0) / FINE), i++;
    double part = k == SIDE ? 1 : (double)i / FINE;
    for (int red = 0; red < 2; red++) {
      msh_to_lab(part, red, lab);
      lab_to_rgb(lab, rgb[red ? SIDE + k : SIDE - k]);
    }
  }
}

static void sequential_colours(unsigned char rgb[TOR_IMAGE_COLOURS][3]) {
  static const uint32_t magma[] = {0x000004, 0x140e36, 0x3b0f70, 0x641a80, 0x8c2981, 0xb73779,
                                   0xde4968, 0xf7705c, 0xfe9f6d, 0xfecf92, 0xfcfdbf};
  enum { LAST = sizeof magma / sizeof *magma - 1 };
  double anchor[LAST + 1][3], lab[3];
  for (int i = 0; i <= LAST; i++) rgb_to_lab(magma[i], anchor[i]);
  for (int k = 0, i = 0; k < TOR_IMAGE_COLOURS; k++) {
    lab[0] = anchor[0][0] + (anchor[LAST][0] - anchor[0][0]) * k / (TOR_IMAGE_COLOURS - 1);
    while (i < LAST - 1 && lab[0] > anchor[i + 1][0]) i++;
    double part = (lab[0] - anchor[i][0]) / (anchor[i + 1][0] - anchor[i][0]);
    for (int j = 1; j < 3; j++) lab[j] = anchor[i][j] + (anchor[i + 1][j] - anchor[i][j]) * part;
    lab_to_rgb(lab, rgb[k]);
  }
}

void tor_image_colours(enum tor_image_mode mode, unsigned char rgb[TOR_IMAGE_COLOURS][3]) {
  if (mode == TOR_IMAGE_DIVERGING)
    diverging_colours(rgb);
  else
    sequential_colours(rgb);
}
