/* Numbers of the built-in media as printed in their papers; material.c turns them into poles.
 *
 * Metals: A. D. Rakic et al., Appl. Opt. 37, 5271 (1998), Lorentz-Drude model, tables 1 and 2.
 * Terms without damping are lossless poles. Fits are ours, to the data named, and keep to positive strengths: passive.
 * Those called after the author of a table are fits of `torre fit` to the files in jobs/media, with at most 6 poles
 * (Si_Schinke: 8) over the range of the medium. tests/unit/test_material.c holds the tabulated points, or reads them
 * there, and checks every stated error. */
#include "src/job/material_data.h"

#define RAKIC "Rakic et al., Appl. Opt. 37, 5271 (1998), Lorentz-Drude model"
#define JOHNSON "fit to Johnson and Christy, Phys. Rev. B 6, 4370 (1972)"

/* clang-format off */
const struct tor_builtin tor_builtins[] = {
    {"Ag", 1.0, 9.01, {0.248e-6, 12.4e-6}, 0.0, RAKIC, 6,
     {{TOR_TERM_RAKIC0, 0.845, 0.048, 0.0},
      {TOR_TERM_RAKIC, 0.065, 3.886, 0.816},
      {TOR_TERM_RAKIC, 0.124, 0.452, 4.481},
      {TOR_TERM_RAKIC, 0.011, 0.065, 8.185},
      {TOR_TERM_RAKIC, 0.840, 0.916, 9.083},
      {TOR_TERM_RAKIC, 5.646, 2.419, 20.29}}},
    {"Ag_Johnson", 3.654507, 0.0, {0.3009e-6, 1.937e-6}, 0.026, JOHNSON, 6,
     {{TOR_TERM_DRUDE, 9.25303, 0.01266238, 0.0},
      {TOR_TERM_LORENTZ, 0.3606243, 0.0649833, 4.388347},
      {TOR_TERM_LORENTZ, 0.02115564, 0.1036633, 3.946865},
      {TOR_TERM_LORENTZ, 0.08307399, 0.1548493, 4.10422},
      {TOR_TERM_LORENTZ, 0.003245996, 0.0662505, 3.642329},
      {TOR_TERM_LORENTZ, 0.4156972, 1.503764, 1.840574}}},
    {"Al", 1.0, 14.98, {0.062e-6, 248e-6}, 0.0, RAKIC, 5,
     {{TOR_TERM_RAKIC0, 0.523, 0.047, 0.0},
      {TOR_TERM_RAKIC, 0.227, 0.333, 0.162},
      {TOR_TERM_RAKIC, 0.050, 0.312, 1.544},
      {TOR_TERM_RAKIC, 0.166, 1.351, 1.808},
      {TOR_TERM_RAKIC, 0.030, 3.382, 3.473}}},
    {"Al_McPeak", 1.148739, 0.0, {0.2e-6, 1.7e-6}, 0.0104, "fit to McPeak et al., ACS Photonics 2, 326 (2015)", 5,
     {{TOR_TERM_DRUDE, 11.81579, 0.1158371, 0.0},
      {TOR_TERM_LORENTZ, 3.918485, 0.2995583, 1.539321},
      {TOR_TERM_LORENTZ, 3.860328, 0.6932359, 1.765689},
      {TOR_TERM_LORENTZ, 1.551983, 0.3731074, 0.821641},
      {TOR_TERM_LORENTZ, 4.26945, 2.360421, 2.199432}}},
    {"Au", 1.0, 9.03, {0.248e-6, 6.20e-6}, 0.0, RAKIC, 6,
     {{TOR_TERM_RAKIC0, 0.760, 0.053, 0.0},
      {TOR_TERM_RAKIC, 0.024, 0.241, 0.415},
      {TOR_TERM_RAKIC, 0.010, 0.345, 0.830},
      {TOR_TERM_RAKIC, 0.071, 0.870, 2.969},
      {TOR_TERM_RAKIC, 0.601, 2.494, 4.304},
      {TOR_TERM_RAKIC, 4.384, 2.214, 13.32}}},
    {"Au_Johnson", 3.969874, 0.0, {0.3009e-6, 1.937e-6}, 0.028, JOHNSON, 6,
     {{TOR_TERM_LORENTZ, 0.2046156, 0.1600477, 4.282643},
      {TOR_TERM_LORENTZ, 0.7152239, 0.6842963, 2.999749},
      {TOR_TERM_LORENTZ, 0.7831595, 0.9040617, 3.497585},
      {TOR_TERM_LORENTZ, 2426.25, 0.06500269, 0.1757047},
      {TOR_TERM_LORENTZ, 0.3511856, 0.4245045, 2.657652},
      {TOR_TERM_LORENTZ, 0.7220547, 0.7975285, 4.026223}}},
    {"Cu", 1.0, 10.83, {0.207e-6, 12.4e-6}, 0.0, RAKIC, 5,
     {{TOR_TERM_RAKIC0, 0.575, 0.030, 0.0},
      {TOR_TERM_RAKIC, 0.061, 0.378, 0.291},
      {TOR_TERM_RAKIC, 0.104, 1.056, 2.957},
      {TOR_TERM_RAKIC, 0.723, 3.213, 5.300},
      {TOR_TERM_RAKIC, 0.638, 4.305, 11.18}}},
    {"Cu_Johnson", 3.132486, 0.0, {0.3009e-6, 1.937e-6}, 0.043, JOHNSON, 6,
     {{TOR_TERM_DRUDE, 8.918944, 0.08788273, 0.0},
      {TOR_TERM_LORENTZ, 0.3671399, 0.3062352, 2.328302},
      {TOR_TERM_LORENTZ, 1.605321, 1.550184, 4.956995},
      {TOR_TERM_LORENTZ, 0.9851223, 1.304719, 3.66158},
      {TOR_TERM_LORENTZ, 0.527151, 0.4916052, 2.611416},
      {TOR_TERM_LORENTZ, 0.6089279, 0.8182119, 3.036426}}},
    {"GaAs", 7.05016, 0.0, {0.44e-6, 0.84e-6}, 0.006, "fit to Jellison, Opt. Mater. 1, 151 (1992)", 2,
     {{TOR_TERM_LORENTZ, 4.72374, 0.395760, 3.16342}, {TOR_TERM_LORENTZ, 0.220451, 0.986163, 2.19370}}},
    {"GaAs_ir", 5.372514, 0.0, {0.97e-6, 17e-6}, 0.0, "Skauli et al., J. Appl. Phys. 94, 6447 (2003), Sellmeier", 3,
     {{TOR_TERM_SELLMEIER, 5.466742, 0.0, 0.4431307},
      {TOR_TERM_SELLMEIER, 0.02429960, 0.0, 0.8746453},
      {TOR_TERM_SELLMEIER, 1.957522, 0.0, 36.9166}}},
    {"Ge_Aspnes", 2.261412, 0.0, {0.3024e-6, 0.8266e-6}, 0.0051, "fit to Aspnes, Phys. Rev. B 27, 985 (1983)", 6,
     {{TOR_TERM_LORENTZ, 4.223153, 0.7901918, 4.301996},
      {TOR_TERM_LORENTZ, 0.7832859, 0.1815988, 2.135656},
      {TOR_TERM_LORENTZ, 2.044308, 0.3642596, 2.333322},
      {TOR_TERM_LORENTZ, 2.269355, 0.6795745, 2.640633},
      {TOR_TERM_LORENTZ, 2.056774, 0.9442575, 3.797373},
      {TOR_TERM_LORENTZ, 3.323025, 1.019464, 3.312289}}},
    /* The fit's k exceeds the tabulated one above 700 nm: 0.0098 against 0.0022 at 900 nm. */
    {"Si", 2.93063, 0.0, {0.4e-6, 1.0e-6}, 0.0029, "fit to Green, Sol. Energy Mater. Sol. Cells 92, 1305 (2008)", 2,
     {{TOR_TERM_LORENTZ, 1.84838, 0.223647, 3.39882}, {TOR_TERM_LORENTZ, 6.95072, 0.0, 3.91260}}},
    {"Si_Schinke", 2.612033, 0.0, {0.3e-6, 1e-6}, 0.015, "fit to Schinke et al., AIP Adv. 5, 067168 (2015)", 8,
     {{TOR_TERM_LORENTZ, 3.311498, 0.06665858, 4.24894},
      {TOR_TERM_LORENTZ, 0.8709938, 0.1663774, 3.518123},
      {TOR_TERM_LORENTZ, 0.651514, 0.08924, 3.849104},
      {TOR_TERM_LORENTZ, 1.077659, 0.06665858, 4.088684},
      {TOR_TERM_LORENTZ, 0.5247724, 0.1136103, 3.632907},
      {TOR_TERM_LORENTZ, 0.4990628, 0.08998529, 3.737766},
      {TOR_TERM_LORENTZ, 0.6618591, 0.06349012, 3.967926},
      {TOR_TERM_LORENTZ, 1.502053, 0.1797099, 3.388654}}},
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
