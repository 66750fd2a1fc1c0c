#!/usr/bin/env python3
"""Figures of meep_power.py from Meep itself, of examples whose tutorials print none: scenes and methods are those of
Meep's scripts absorbed_power_density.py, bend-flux.py and mode-decomposition.py, run once.

    python3 tests/stress/gallery/meep_power_reference.py [absorbed bend taper] [--times 1] | grep :

Needs Meep (Debian: python3-meep). --times: of the examples' cells a unit, the cylinder's being half of Meep's 100 and
the taper's 10 in place of 25."""
import argparse

import meep as mp
import numpy


def absorbed(times):
    """The part of the light on a cylinder of silica, radius 1 um, at 1 um that it absorbs: by D and by the flux."""
    from meep.materials import SiO2

    layer, radius = 1.0, 1.0
    side = 2 * (layer + 2.0 + radius)

    def run(geometry):
        pulse = mp.GaussianSource(1.0, fwidth=0.1, is_integrated=True)
        source = mp.Source(pulse, center=mp.Vector3(-side / 2 + layer), size=mp.Vector3(0, side), component=mp.Ez)
        simulation = mp.Simulation(resolution=50 * times, cell_size=mp.Vector3(side, side), sources=[source],
                                   boundary_layers=[mp.PML(layer)], k_point=mp.Vector3(),
                                   symmetries=[mp.Mirror(mp.Y)], geometry=geometry)
        fields = simulation.add_dft_fields([mp.Dz, mp.Ez], 1.0, 0, 1, center=mp.Vector3(),
                                           size=mp.Vector3(2 * radius, 2 * radius), yee_grid=True)
        front = simulation.add_flux(1.0, 0, 1, mp.FluxRegion(mp.Vector3(-radius), size=mp.Vector3(0, 2 * radius)))
        box = [mp.FluxRegion(mp.Vector3(s * radius), size=mp.Vector3(0, 2 * radius), weight=-s) for s in (1, -1)]
        box += [mp.FluxRegion(mp.Vector3(0, s * radius), size=mp.Vector3(2 * radius), weight=-s) for s in (1, -1)]
        box = simulation.add_flux(1.0, 0, 1, *box)
        simulation.run(until_after_sources=100)
        d, e = (simulation.get_dft_array(fields, c, 0) for c in (mp.Dz, mp.Ez))
        power = 2 * numpy.pi * numpy.sum(numpy.imag(e.conj() * d)) / (50 * times)**2
        return power, mp.get_fluxes(box)[0], mp.get_fluxes(front)[0]

    through = run([])[2]
    power, flux, _ = run([mp.Cylinder(material=SiO2, radius=radius)])
    index = numpy.sqrt(SiO2.epsilon(1.0)[0][0])
    print(f"absorbed: index {index:.8g} by D {power / through:.6f} by flux {flux / through:.6f}")


def bend(times):
    """A guide of permittivity 12, width 1, with a square bend: what is transmitted and returned at wavelengths."""
    size, layer, pad, width = mp.Vector3(16, 32), 1.0, 4.0, 1.0
    x, y = (size.x - width - 2 * pad) / 2, -(size.y - width - 2 * pad) / 2
    wavelengths = numpy.array([6.0, 6.5, 7.0, 7.5, 8.0])
    core = mp.Medium(epsilon=12)

    def run(geometry, out, across, negative):
        source = mp.Source(mp.GaussianSource(0.15, fwidth=0.1), component=mp.Ez,
                           center=mp.Vector3(-size.x / 2 + layer, y), size=mp.Vector3(0, width))
        simulation = mp.Simulation(cell_size=size, boundary_layers=[mp.PML(layer)], geometry=geometry,
                                   sources=[source], resolution=10 * times)
        back = simulation.add_flux(1 / wavelengths, mp.FluxRegion(mp.Vector3(-size.x / 2 + layer + 0.5, y),
                                                                  size=mp.Vector3(0, 2 * width)))
        ahead = simulation.add_flux(1 / wavelengths, mp.FluxRegion(out, size=across))
        if negative:
            simulation.load_minus_flux_data(back, negative)
        simulation.run(until_after_sources=mp.stop_when_fields_decayed(50, mp.Ez, out, 1e-6))
        return numpy.array(mp.get_fluxes(back)), numpy.array(mp.get_fluxes(ahead)), simulation.get_flux_data(back)

    straight = [mp.Block(mp.Vector3(mp.inf, width, mp.inf), center=mp.Vector3(0, y), material=core)]
    turned = [mp.Block(mp.Vector3(size.x - pad, width, mp.inf), center=mp.Vector3(-pad / 2, y), material=core),
              mp.Block(mp.Vector3(width, size.y - pad, mp.inf), center=mp.Vector3(x, pad / 2), material=core)]
    _, sent, data = run(straight, mp.Vector3(size.x / 2 - layer, y), mp.Vector3(0, 2 * width), None)
    back, ahead, _ = run(turned, mp.Vector3(x, size.y / 2 - layer - 0.5), mp.Vector3(2 * width), data)
    for i, wavelength in enumerate(wavelengths):
        print(f"bend: wavelength {wavelength} transmitted {ahead[i] / sent[i]:.5f} returned {-back[i] / sent[i]:.5f}")


def taper(times):
    """From a guide of width 1 to one of 2, permittivity 12, over lengths: what returns in the mode, wavelength 6.67."""
    layer_x, layer_y, arm, side = 6.0, 2.0, 10.0, 12.0
    parity = mp.ODD_Z + mp.EVEN_Y

    def run(length, width, negative):
        total = 2 * layer_x + 2 * arm + length
        source = mp.EigenModeSource(mp.GaussianSource(1 / 6.67, fwidth=0.2 / 6.67), eig_match_freq=True,
                                    center=mp.Vector3(-total / 2 + layer_x + 0.2 * arm), eig_parity=parity,
                                    size=mp.Vector3(0, side - 2 * layer_y))
        ends = [(-total / 2 - 1, 0.5), (-length / 2, 0.5), (length / 2, width / 2), (total / 2 + 1, width / 2)]
        corners = [mp.Vector3(x, y) for x, y in ends] + [mp.Vector3(x, -y) for x, y in reversed(ends)]
        guide = mp.Prism(corners, height=mp.inf, material=mp.Medium(epsilon=12))
        simulation = mp.Simulation(resolution=10 * times, cell_size=mp.Vector3(total, side), geometry=[guide],
                                   boundary_layers=[mp.PML(layer_x, direction=mp.X), mp.PML(layer_y, direction=mp.Y)],
                                   sources=[source], symmetries=[mp.Mirror(mp.Y)])
        at = mp.Vector3(-total / 2 + layer_x + 0.7 * arm)
        monitor = simulation.add_flux(1 / 6.67, 0, 1, mp.FluxRegion(at, size=mp.Vector3(0, side - 2 * layer_y)))
        if negative:
            simulation.load_minus_flux_data(monitor, negative)
        simulation.run(until_after_sources=mp.stop_when_fields_decayed(50, mp.Ez, at, 1e-8))
        amplitude = simulation.get_eigenmode_coefficients(monitor, [1], eig_parity=parity).alpha[0, 0]
        return amplitude, mp.get_fluxes(monitor)[0], simulation.get_flux_data(monitor)

    for length in (1, 2, 4):
        sent, flux, data = run(length, 1.0, None)
        back, returned, _ = run(length, 2.0, data)
        print(f"taper: length {length} by modes {abs(back[1] / sent[0])**2:.4e} by flux {-returned / flux:.4e}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("which", nargs="*", default=["absorbed", "bend", "taper"])
    parser.add_argument("--times", type=int, default=1)
    args = parser.parse_args()
    for name in args.which:
        {"absorbed": absorbed, "bend": bend, "taper": taper}[name](args.times)


if __name__ == "__main__":
    mp.verbosity(0)
    main()
