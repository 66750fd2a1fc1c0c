#!/usr/bin/env python3
"""The third harmonic of a Kerr slab by Meep, as in its example 3rd-harm-1d: one dimension, index 1, a pulse at a
wavelength of 3 um (width 1/e^0.5 of its spectrum a tenth of the centre), of E = 1 at its peak, in vacuum; the slab is
30 um long.

    python3 tests/stress/gallery/kerr_meep.py [--chi3 1e-3 3e-3 1e-2] [--resolution 20]

Needs Meep (Debian: python3-meep). A line of CSV for each chi3: what crosses the plane behind the slab at the first and
at the third harmonic, over what crosses it at the first without the slab. tests/system/node_media.sh has the same in
Torre, in the same cells and time steps."""
import argparse

import meep as mp

CENTRE, LENGTH, SIZE = 1 / 3, 30.0, 50.0


def powers(chi3, resolution):
    source = mp.Source(mp.GaussianSource(CENTRE, fwidth=CENTRE / 10), component=mp.Ex, center=mp.Vector3(0, 0, -20),
                       amplitude=2)  # E = J / 2
    slab = mp.Block(mp.Vector3(mp.inf, mp.inf, LENGTH), center=mp.Vector3(), material=mp.Medium(index=1, chi3=chi3))
    run = mp.Simulation(cell_size=mp.Vector3(0, 0, SIZE), geometry=[slab] if chi3 else [], sources=[source],
                        boundary_layers=[mp.PML(3.0)], resolution=resolution, dimensions=1)
    plane = mp.FluxRegion(mp.Vector3(0, 0, 20))
    flux = [run.add_flux(n * CENTRE, 0, 1, plane) for n in (1, 3)]
    run.run(until=400)
    return [mp.get_fluxes(f)[0] for f in flux]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chi3", type=float, nargs="*", default=[1e-3, 3e-3, 1e-2])
    parser.add_argument("--resolution", type=int, default=20)
    args = parser.parse_args()
    mp.verbosity(0)
    whole = powers(0, args.resolution)[0]
    print("chi3,first,third")
    for chi3 in args.chi3:
        first, third = powers(chi3, args.resolution)
        print(f"{chi3:g},{first / whole:.6f},{third / whole:.6e}", flush=True)


main()
