"""Relative permittivities, exp(-i w t), of the media of the jobs: the poles that `torre materials Au` and `Ag` print.

Rakic et al., Appl. Opt. 37, 5271 (1998), Lorentz-Drude model. references.py --check TORRE compares them with the
program's.
"""
import math

EV_NM = 1239.841984  # photon energy in eV times wavelength in nm

# (plasma, collision rate) of the Drude pole, then (strength, resonance, damping) of each Lorentz pole, in eV. A
# strength is that of Rakic's table: f wp^2, with wp 9.03 (gold) and 9.01 (silver).
RAKIC = {
    "Au": (9.03, (0.760, 0.053),
           ((0.024, 0.415, 0.241), (0.010, 0.830, 0.345), (0.071, 2.969, 0.870), (0.601, 4.304, 2.494),
            (4.384, 13.32, 2.214))),
    "Ag": (9.01, (0.845, 0.048),
           ((0.065, 0.816, 3.886), (0.124, 4.481, 0.452), (0.011, 8.185, 0.065), (0.840, 9.083, 0.916),
            (5.646, 20.29, 2.419))),
}


def permittivity(medium, nm):
    """Relative permittivity of "Au", "Ag", "conducting", "debye" (as in scenes.py) or of a refractive index
    at the vacuum wavelength nm."""
    if medium == "conducting":  # index 2, conductivity 4e4 S/m
        return 4 + 1j * 4e4 / (8.8541878128e-12 * 2 * math.pi * 299792458 / (nm * 1e-9))
    if medium == "debye":
        return 2.25 + 2 / (1 - 1j * 2 * math.pi * 299.792458 / nm * 0.2)
    if not isinstance(medium, str):
        return complex(medium) ** 2
    plasma, (strength, rate), poles = RAKIC[medium]
    w = EV_NM / nm
    value = 1 - strength * plasma ** 2 / (w * w + 1j * w * rate)
    for strength, resonance, damping in poles:
        value += strength * plasma ** 2 / (resonance ** 2 - w * w - 1j * w * damping)
    return value
