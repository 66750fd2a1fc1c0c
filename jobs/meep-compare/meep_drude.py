"""Meep on the same job as drude.cfg: a Drude ellipsoid that fills 30 % of the domain, PML on all sides."""
import meep as mp
import meep_rate

EV = 5.0 / 1239.841984  # frequency of 1 eV in c per cell, at 5 nm a cell
METAL = mp.Medium(
    epsilon=1,
    E_susceptibilities=[mp.DrudeSusceptibility(frequency=9.0 * EV, gamma=0.07 * EV, sigma=1)],
)
# semi-axes 110, 110, 50 cells
meep_rate.measure("drude", [mp.Ellipsoid(material=METAL, size=mp.Vector3(220, 220, 100))])
