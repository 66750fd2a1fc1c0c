/* Numbers of the built-in media as printed in their papers; material.c turns them into poles.
 *
 * Metals: A. D. Rakic et al., Appl. Opt. 37, 5271 (1998), Lorentz-Drude model, tables 1 and 2.
 * Terms without damping are lossless poles. Fits are ours, to the data named, and keep to positive strengths: passive.
 * tests/unit/test_material.c holds the tabulated points and checks every stated error. */
#include "src/job/material_data.h"

#define RAKIC "Rakic et al., Appl. Opt. 37, 5271 (1998), Lorentz-Drude model"

/* clang-format off */
const struct tor_builtin tor_builtins[] = {
    {"Ag", 1.0, 9.01, {0.248e-6, 12.4e-6}, 0.0, RAKIC, 6,
     {{TOR_TERM_RAKIC0, 0.845, 0.048, 0.0},
      {TOR_TERM_RAKIC, 0.065, 3.886, 0.816},
      {TOR_TERM_RAKIC, 0.124, 0.452, 4.481},
      {TOR_TERM_RAKIC, 0.011, 0.065, 8.185},
      {TOR_TERM_RAKIC, 0.840, 0.916, 9.083},
      {TOR_TERM_RAKIC, 5.646, 2.419, 20.29}}},
    {"Al", 1.0, 14.98, {0.062e-6, 248e-6}, 0.0, RAKIC, 5,
     {{TOR_TERM_RAKIC0, 0.523, 0.047, 0.0},
      {TOR_TERM_RAKIC, 0.227, 0.333, 0.162},
      {TOR_TERM_RAKIC, 0.050, 0.312, 1.544},
      {TOR_TERM_RAKIC, 0.166, 1.351, 1.808},
      {TOR_TERM_RAKIC, 0.030, 3.382, 3.473}}},
    {"Au", 1.0, 9.03, {0.248e-6, 6.20e-6}, 0.0, RAKIC, 6,
     {{TOR_TERM_RAKIC0, 0.760, 0.053, 0.0},
      {TOR_TERM_RAKIC, 0.024, 0.241, 0.415},
      {TOR_TERM_RAKIC, 0.010, 0.345, 0.830},
      {TOR_TERM_RAKIC, 0.071, 0.870, 2.969},
      {TOR_TERM_RAKIC, 0.601, 2.494, 4.304},
      {TOR_TERM_RAKIC, 4.384, 2.214, 13.32}}},
    {"Cu", 1.0, 10.83, {0.207e-6, 12.4e-6}, 0.0, RAKIC, 5,
     {{TOR_TERM_RAKIC0, 0.575, 0.030, 0.0},
      {TOR_TERM_RAKIC, 0.061, 0.378, 0.291},
      {TOR_TERM_RAKIC, 0.104, 1.056, 2.957},
      {TOR_TERM_RAKIC, 0.723, 3.213, 5.300},
      {TOR_TERM_RAKIC, 0.638, 4.305, 11.18}}},
    {"GaAs", 7.05016, 0.0, {0.44e-6, 0.84e-6}, 0.006, "fit to Jellison, Opt. Mater. 1, 151 (1992)", 2,
     {{TOR_TERM_LORENTZ, 4.72374, 0.395760, 3.16342}, {TOR_TERM_LORENTZ, 0.220451, 0.986163, 2.19370}}},
    {"GaAs_ir", 5.372514, 0.0, {0.97e-6, 17e-6}, 0.0, "Skauli et al., J. Appl. Phys. 94, 6447 (2003), Sellmeier", 3,
     {{TOR_TERM_SELLMEIER, 5.466742, 0.0, 0.4431307},
      {TOR_TERM_SELLMEIER, 0.02429960, 0.0, 0.8746453},
      {TOR_TERM_SELLMEIER, 1.957522, 0.0, 36.9166}}},
    /* The fit's k exceeds the tabulated one above 700 nm: 0.0098 against 0.0022 at 900 nm. */
    {"Si", 2.93063, 0.0, {0.4e-6, 1.0e-6}, 0.0029, "fit to Green, Sol. Energy Mater. Sol. Cells 92, 1305 (2008)", 2,
     {{TOR_TERM_LORENTZ, 1.84838, 0.223647, 3.39882}, {TOR_TERM_LORENTZ, 6.95072, 0.0, 3.91260}}},
    /* Tatian's third term (B = 1.54, 1104 um) changes n by 7e-6 at most in range and is left out. */
    {"Si_ir", 1.0, 0.0, {1.357e-6, 11.04e-6}, 7e-6, "Salzberg and Villa, J. Opt. Soc. Am. 47, 244 (1957)", 2,
     {{TOR_TERM_SELLMEIER, 10.6684293, 0.0, 0.301516485}, {TOR_TERM_SELLMEIER, 0.0030434748, 0.0, 1.13475115}}},
    /* Published as a Sellmeier term with B = 40314 at 1239.842 um: in range a Drude term with wp = sqrt(B) 1 meV. */
    {"Si3N4", 1.0, 0.0, {0.31e-6, 5.504e-6}, 2.5e-6, "Luke et al., Opt. Lett. 40, 4823 (2015), Sellmeier", 2,
     {{TOR_TERM_SELLMEIER, 3.0249, 0.0, 0.1353406}, {TOR_TERM_DRUDE, 0.2007835, 0.0, 0.0}}},
    /* Malitson's two ultraviolet terms (18.1 and 10.7 eV) in one and a constant: cheaper, stable at larger steps. */
    {"SiO2", 1.310093, 0.0, {0.21e-6, 6.7e-6}, 3.1e-5, "fit to Malitson, J. Opt. Soc. Am. 55, 1205 (1965)", 2,
     {{TOR_TERM_SELLMEIER, 0.7941345, 0.0, 0.1046819}, {TOR_TERM_SELLMEIER, 0.898959, 0.0, 9.900338}}},
    {"TiO2", 5.913, 0.0, {0.43e-6, 1.53e-6}, 0.0, "Devore, J. Opt. Soc. Am. 41, 416 (1951), rutile, ordinary ray", 1,
     {{TOR_TERM_FRACTION, 0.2441, 0.0, 0.0803}}},
};
/* clang-format on */
const int tor_builtin_number = sizeof tor_builtins / sizeof tor_builtins[0];
