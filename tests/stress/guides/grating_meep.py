#!/usr/bin/env python3
"""The grating coupler of jobs/grating-coupler by Meep, in the same cells: the coupling to the fibre at each wavelength.

    python3 tests/stress/guides/grating_meep.py [--cell 0.02] [--time 900] | grep , > meep.csv

Needs Meep (Debian: python3-meep). Lines of CSV: wavelength [nm], what crosses the fibre's plane, the part of the beam,
what returns in the guide, all over the power of the guide's mode. The beam is that of the job: in the plane through its
focus across its direction E falls as exp(-r^2 / waist^2); it is summed from plane waves, and its part in the fields is
the overlap of E and H of both on the plane."""
import argparse

import meep as mp
import numpy

LIGHT = 0.299792458  # um/fs
SIZE, LAYER, PLANE, HALF = (24.0, 8.0), 1.0, 1.22, 10.9  # um
SILICON, SILICA, PERIOD, FIRST = 3.4757, 1.444, 0.62, -6.0
WAIST, FOCUS, TILT = 5.0, -2.0, numpy.radians(10.0)
SOURCE, GUIDE, SIDE = -9.0, -8.0, 1.5  # planes across the guide, half of their length


def scene():
    silicon, silica = mp.Medium(index=SILICON), mp.Medium(index=SILICA)
    everywhere = mp.inf
    objects = [
        mp.Block(mp.Vector3(everywhere, 10, everywhere), center=mp.Vector3(0, -5), material=silica),
        mp.Block(mp.Vector3(everywhere, 10, everywhere), center=mp.Vector3(0, -7), material=silicon),
        mp.Block(mp.Vector3(everywhere, 0.22, everywhere), center=mp.Vector3(0, 0.11), material=silicon)]
    for i in range(20):
        middle = mp.Vector3(FIRST + PERIOD / 4 + PERIOD * i, 0.185)
        objects.append(mp.Block(mp.Vector3(PERIOD / 2, 0.07, everywhere), center=middle, material=mp.Medium()))
    return objects


def beam(x, frequency):
    """Ez and Hx of the beam at points x of the plane, exp(-i omega t), light 1."""
    k = 2 * numpy.pi * frequency
    across = numpy.linspace(-1, 1, 2001) * min(0.8 * k, 9 / WAIST)
    along = numpy.sqrt(k**2 - across**2)
    weight = numpy.exp(-(across * WAIST)**2 / 4)
    kx = along * numpy.sin(TILT) + across * numpy.cos(TILT)
    ky = along * numpy.cos(TILT) - across * numpy.sin(TILT)
    waves = numpy.exp(1j * numpy.outer(x - FOCUS, kx)) * weight
    return waves.sum(1), (waves * ky / k).sum(1)


def run(cell, time):
    wavelengths = numpy.linspace(1.5, 1.6, 51)
    f = 1 / wavelengths
    centre = 1 / 1.55
    source = mp.EigenModeSource(mp.GaussianSource(centre, fwidth=0.2), center=mp.Vector3(SOURCE),
                                size=mp.Vector3(0, 2 * SIDE), direction=mp.X, eig_band=1, eig_parity=mp.ODD_Z,
                                eig_match_freq=True)
    simulation = mp.Simulation(cell_size=mp.Vector3(*SIZE), resolution=round(1 / cell), geometry=scene(),
                               boundary_layers=[mp.PML(LAYER)], sources=[source], default_material=mp.Medium())
    fields = simulation.add_dft_fields([mp.Ez, mp.Hx], f, center=mp.Vector3(0, PLANE), size=mp.Vector3(2 * HALF))
    up = simulation.add_flux(f, mp.FluxRegion(mp.Vector3(0, PLANE), size=mp.Vector3(2 * HALF), direction=mp.Y))
    guide = simulation.add_mode_monitor(f, mp.FluxRegion(mp.Vector3(GUIDE), size=mp.Vector3(0, 2 * SIDE),
                                                         direction=mp.X))
    simulation.run(until=time * LIGHT)
    amplitude = simulation.get_eigenmode_coefficients(guide, [1], eig_parity=mp.ODD_Z).alpha[0]
    flux = mp.get_fluxes(up)
    x = simulation.get_array_metadata(dft_cell=fields)[0]
    for i, wavelength in enumerate(wavelengths):
        e, h = (simulation.get_dft_array(fields, component, i) for component in (mp.Ez, mp.Hx))
        weight = numpy.gradient(x)
        e_beam, h_beam = beam(x, f[i])
        of_beam = (e_beam * h_beam.conj() * weight).sum().real
        overlap = ((e * h_beam.conj() + e_beam.conj() * h) * weight).sum()
        sent = abs(amplitude[i, 0])**2
        print(f"{1000 * wavelength:.1f},{flux[i] / sent:.6f},{abs(overlap)**2 / (4 * of_beam * sent):.6f},"
              f"{abs(amplitude[i, 1])**2 / sent:.6f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cell", type=float, default=0.02)
    parser.add_argument("--time", type=float, default=900.0, help="[fs]")
    args = parser.parse_args()
    print("wavelength_nm,fraction,beam_fraction,reflected")
    run(args.cell, args.time)


if __name__ == "__main__":
    mp.verbosity(0)
    main()
