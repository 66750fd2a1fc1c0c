"""Gradients of diffraction orders, E at points and the absorption of gold, against central differences."""
import pathlib
import shutil
import unittest

import numpy

import torre_fdtd as torre
from differences import RNG, RUN, check, check_bits, quiet

DENSITY, ALONG = RNG.random((6, 7)), RNG.standard_normal((6, 7))
PULSE = {"wavelength": 0.65, "band": 0.08}


def grating(polarisation, order, phi=None, width=0.35, conductivity=2e3):
    """A period of 1 um in cells of 50 nm, light at phi from the periodic axis on grey densities above glass.

    The conductivity ends what would ring in it for long.
    """
    glass = torre.Medium(name="glass", permittivity=2.25)
    core = torre.Medium(name="core", permittivity=6.0, conductivity_S_per_m=conductivity)
    wall = "periodic" if phi is None else "bloch"
    job = torre.Job(length_unit="um", size=[1.0, 2.4], cell=0.05, polarisation=polarisation, order=order,
                    precision="fp64", time_fs=4000.0, decay=1e-12, tolerance=1e9,
                    boundaries={"x_lo": wall, "x_hi": wall})
    job += torre.objects.Layer(axis="y", medium=glass, lo=0.15)
    job += torre.Design(box=[[-width, -0.15], [width - 0.02, 0.15]], medium_0="vacuum", medium_1=core,
                        file="density.h5")
    angle = {"direction": "+y"} if phi is None else {"phi_deg": phi}
    job += torre.sources.PlaneWave(box=[[-0.5, -0.4], [0.5, 1.2]], time=torre.Pulse(**PULSE), **angle)
    for name, y in (("behind", 0.55), ("before", -0.55)):
        job += torre.monitors.Orders(name=name, axis="y", position=y, wavelengths=[0.64, 0.66])
    return job


def cell():
    """A 3-D period, light down along z, of which orders travel that are tilted along both axes.

    A conductivity ends what would ring in it for long.
    """
    core = torre.Medium(name="core", permittivity=3.0, conductivity_S_per_m=1e4)
    job = torre.Job(length_unit="um", size=[0.6, 0.65, 1.8], cell=0.05, precision="fp64", time_fs=1000.0, decay=1e-12,
                    tolerance=1e9, boundaries={f"{a}_{end}": "periodic" for a in "xy" for end in ("lo", "hi")})
    job += torre.Design(box=[[-0.2, -0.2, -0.1], [0.2, 0.15, 0.1]], medium_0="vacuum", medium_1=core, file="density.h5")
    job += torre.sources.PlaneWave(box=[[-0.3, -0.325, -0.9], [0.3, 0.325, 0.2]], direction="-z", polarisation="x",
                                   time=torre.Pulse(wavelength=0.38, band=0.03))
    job += torre.monitors.Orders(name="behind", axis="z", position=-0.3, wavelengths=[0.38])
    return job


def film(polarisation, order, medium="Au"):
    """A period of 400 nm in cells of 20 nm, densities between vacuum and gold."""
    job = torre.Job(length_unit="um", size=[0.4, 1.4], cell=0.02, courant=0.5, polarisation=polarisation, order=order,
                    precision="fp64", time_fs=1000.0, decay=1e-15, tolerance=1e9,
                    boundaries={"x_lo": "periodic", "x_hi": "periodic"})
    job += torre.Design(box=[[-0.15, -0.05], [0.13, 0.05]], medium_0="vacuum", medium_1=medium, file="density.h5")
    job += torre.sources.PlaneWave(direction="+y", box=[[-0.2, -0.2], [0.2, 0.7]],
                                   time=torre.Pulse(wavelength=0.6, band=0.1))
    for name, y in (("behind", 0.3), ("before", -0.3)):
        job += torre.monitors.Orders(name=name, axis="y", position=y, wavelengths=[0.58, 0.62])
    return job


FILM = [torre.Order("behind", (0,)), torre.Order("before", (0,), "-")]  # all that travels at this period
GREY = 0.2 + 0.6 * DENSITY


def absorbed(s):
    """Mean over wavelengths of what is neither in the order behind nor in that before."""
    return float((1 - (numpy.abs(s) ** 2).sum(0)).mean()), -numpy.conj(s)


def lens(polarisation, order, source):
    """Grey densities in a free plane, E at a point behind them."""
    core = torre.Medium(name="core", permittivity=4.0)
    job = torre.Job(length_unit="um", size=[3.0, 3.2], cell=0.05, polarisation=polarisation, order=order,
                    precision="fp64", time_fs=2000.0, decay=1e-12, tolerance=1e9)
    job += torre.Design(box=[[-0.8, -0.3], [0.7, 0.0]], medium_0="vacuum", medium_1=core, file="density.h5")
    job += source
    job += torre.monitors.Field(name="focus", box=[[0.02, 0.3], [0.02, 0.3]], wavelengths=[0.64, 0.66])
    return job


def mirrored(order, half=0.3, **symmetry):
    """A plane wave along z on grey densities in a free box, E at a point behind them."""
    core = torre.Medium(name="core", permittivity=4.0)
    job = torre.Job(length_unit="um", size=[1.6, 1.4, 1.6], cell=0.05, order=order, precision="fp64", time_fs=1000.0,
                    decay=1e-10, tolerance=1e9, boundaries={"cpml": {"cells": 6}})
    job += torre.Design(box=[[-half, -0.2, -0.2], [0.3, 0.2, 0.0]], medium_0="vacuum", medium_1=core, file="density.h5")
    job += torre.sources.PlaneWave(direction="+z", polarisation="x", box=[[-0.4, -0.3, -0.4], [0.4, 0.3, 0.4]],
                                   time=torre.Pulse(**PULSE))
    job += torre.monitors.Field(name="focus", box=[[0.0, 0.0, 0.3]] * 2, wavelengths=[0.64, 0.66])
    job += torre.monitors.Flux(name="plane", box=[[-0.2, -0.2, 0.3], [0.2, 0.2, 0.3]], wavelengths=[0.64, 0.66])
    for axis, parity in symmetry.items():
        job[f"symmetry.{axis}"] = parity
    return job


def even(values, *axes):
    """The mean of values [z][y][x] and their mirror images."""
    for axis in axes:
        values = 0.5 * (values + numpy.flip(values, 2 - "xyz".index(axis)))
    return values


class Waves(unittest.TestCase):
    def setUp(self):
        quiet()

    def check(self, job, waves, weights, density=DENSITY, along=ALONG):
        return check(self, job, density, along, torre.power(numpy.array(weights)), waves)

    def test_orders_tm_order_2_and_bits(self):
        waves = [torre.Order("behind", (1,)), torre.Order("before", (0,), "-")]
        weights = [[0.5, 0.5], [-0.5, -0.3]]
        gradient = self.check(grating("TM", 2), waves, weights)[1]
        check_bits(self, grating("TM", 2), DENSITY, torre.power(numpy.array(weights)), waves, gradient, ())

    def test_orders_te_order_4(self):
        self.check(grating("TE", 4), [torre.Order("behind", (-1,))], [[0.5, 0.5]])

    def test_oblique_orders_tm_order_4(self):
        self.check(grating("TM", 4, 70), [torre.Order("behind", (-1,))], [[0.5, 0.5]])

    def test_oblique_orders_te_order_2_of_a_region_to_the_walls(self):
        self.check(grating("TE", 2, 70, 0.5), [torre.Order("before", (0,), "-"), torre.Order("behind", (0,))],
                   [[0.5, 0.5], [0.2, 0.1]])

    def test_orders_are_those_of_the_table_and_of_the_flux(self):
        job = grating("TM", 2, conductivity=0.0)
        numbers = numpy.full((1, 1), 1.0)
        waves = [torre.Order("behind", (m,)) for m in (-2, -1, 0, 1, 2)]
        waves += [torre.Order("before", (m,), "-") for m in (-1, 0, 1)]
        seen = []
        torre.value_and_grad(job, numbers, lambda s: (seen.append(s) or 0.0, 0.0), waves, "orders", **RUN)
        self.assertTrue(numpy.allclose((numpy.abs(seen[0]) ** 2).sum(0), 1, atol=2e-4), seen)
        table = torre.Results("orders/forward").table("behind_orders.csv")
        rows = (table["order_x"] == 1) & (table["direction"] == 1)
        self.assertTrue(numpy.allclose(table["fraction"][rows], numpy.abs(seen[0][3]) ** 2, rtol=1e-8))
        self.assertTrue(numpy.allclose(numpy.exp(1j * table["s_phase_rad"][rows].values),
                                       seen[0][3] / numpy.abs(seen[0][3]), atol=1e-7))

    def test_conical_order_in_3d(self):
        density, along = RNG.random((2, 4, 3)), RNG.standard_normal((2, 4, 3))
        self.check(cell(), [torre.Order("behind", (1, 1), "-", "p")], [[1e3]], density, along)

    def test_absorption_of_gold_te_order_2_and_bits(self):
        job = film("TE", 2)
        gradient = check(self, job, GREY, ALONG, absorbed, FILM)[1]
        check_bits(self, job, GREY, absorbed, FILM, gradient, ())

    def test_absorption_of_gold_tm_order_4(self):
        check(self, film("TM", 4), GREY, ALONG, absorbed, FILM)

    def test_absorption_of_a_lossy_medium_is_that_of_the_monitor(self):
        lossy = torre.Medium(name="lossy", permittivity=3.0, conductivity_S_per_m=3e4,
                             poles=[torre.poles.Debye(delta_eps=1.0, tau_fs=1.0)])
        job = film("TM", 2, lossy)
        job += torre.monitors.Absorption(name="absorbed", box=[[-0.2, -0.12], [0.2, 0.12]], wavelengths=[0.58, 0.62])
        value = check(self, job, GREY, ALONG, absorbed, FILM)[0]
        fraction = torre.Results("gradient/forward")["absorbed"]["fraction"].values
        self.assertLess(abs(fraction.mean() / value - 1), 1e-4, (fraction, value))

    def test_focus_of_a_plane_wave_tm_order_2_and_bits(self):
        job = lens("TM", 2, torre.sources.PlaneWave(direction="+y", box=[[-1.0, -0.6], [1.0, 0.5]],
                                                    time=torre.Pulse(**PULSE)))
        waves = [torre.Point("focus", "Ez")]
        gradient = self.check(job, waves, [[0.5, 0.5]])[1]
        check_bits(self, job, DENSITY, torre.power(numpy.array([[0.5, 0.5]])), waves, gradient)

    def test_focus_of_a_plane_wave_te_order_4(self):
        job = lens("TE", 4, torre.sources.PlaneWave(direction="+y", box=[[-1.0, -0.6], [1.0, 0.5]],
                                                    time=torre.Pulse(**PULSE)))
        self.check(job, [torre.Point("focus", "Ex"), torre.Point("focus", "Ey")], [[0.5, 0.5]])

    def test_focus_of_a_dipole(self):
        job = lens("TE", 2, torre.sources.LineDipole(axis="x", position=[0.1, -0.6], time=torre.Pulse(**PULSE)))
        self.check(job, [torre.Point("focus", "Ex")], 1e-5)

    def test_points_share_a_run(self):
        places = [(0.3, 0.35), (-0.4, 0.35)]
        for polarisation, order, components in (("TM", 4, ["Ez"]), ("TE", 2, ["Ex", "Ey"])):
            job = lens(polarisation, order, torre.sources.PlaneWave(
                direction="+y", box=[[-1.0, -0.6], [1.0, 0.5]], time=torre.Pulse(**PULSE)))
            for number, place in enumerate(places):
                job += torre.monitors.Field(name=f"at-{number}", box=[place, place], wavelengths=[0.64, 0.66])
            waves = [torre.Point(name, c) for name in ("focus", "at-0", "at-1") for c in components]
            shutil.rmtree("gradient", ignore_errors=True)
            check(self, job, DENSITY, ALONG, torre.power(numpy.linspace(0.1, 0.6, len(waves))[:, None]), waves)
            self.assertEqual(len(list(pathlib.Path("gradient").glob("*/results.h5"))), 2)

    def test_points_share_a_run_with_a_flux_in_3d(self):
        job = mirrored(2)
        job += torre.monitors.Field(name="aside", box=[[0.1, -0.05, 0.2]] * 2, wavelengths=[0.64, 0.66])
        waves = [torre.Point("focus", "Ex"), torre.Point("aside", "Ey"), torre.Point("aside", "Ez"),
                 torre.FluxOf("plane")]
        density, along = RNG.random((2, 5, 6)), RNG.standard_normal((2, 5, 6))

        def objective(s):
            phase = numpy.exp(1j * numpy.arange(6.0)).reshape(3, 2)  # of linear parts, as interference has them
            return (float((phase * s[:3]).real.sum() + s[3].real.sum()),
                    numpy.vstack([phase, numpy.ones((1, 2))]))

        shutil.rmtree("gradient", ignore_errors=True)
        check(self, job, density, along, objective, waves)
        self.assertEqual(len(list(pathlib.Path("gradient").glob("*/results.h5"))), 2)

    def test_quarter_and_half_have_the_gradient_of_the_whole(self):
        # E at a point half a cell beside the plane is in them the mean of both sides, as its gradient.
        waves, objective = [torre.Point("focus", "Ex")], torre.power([[0.5, 0.3]])
        for order, symmetry in ((2, {"x": "odd", "y": "even"}), (4, {"y": "even"})):
            density = even(RNG.random((2, 5, 6)), *symmetry)
            whole = torre.value_and_grad(mirrored(order), density, objective, waves, "whole", **RUN)
            part = torre.value_and_grad(mirrored(order, **symmetry), density, objective, waves, "part", **RUN)
            wanted = even(whole[1], *symmetry)
            self.assertAlmostEqual(part[0] / whole[0], 1, 12)
            self.assertLess(abs(part[1] - wanted).max(), 1e-12 * abs(wanted).max())
            self.assertGreater(abs(whole[1] - wanted).max(), 1e-3 * abs(wanted).max() if "x" in symmetry else 0)

    def test_what_lacks_the_symmetry_is_refused(self):
        density, objective = even(RNG.random((2, 4, 6)), "x"), torre.power()
        other = density.copy()
        other[1, 2, 0] = 1 - other[1, 2, 0]
        for job, values, waves, argument in (
                (mirrored(2, x="odd"), other, [torre.Point("focus", "Ex")], "density"),
                (mirrored(2, half=0.25, x="odd"), density, [torre.Point("focus", "Ex")], "design"),
                (mirrored(2, x="odd"), density, [torre.FluxOf("plane")], "waves")):
            with self.assertRaises(torre.ArgumentError) as caught:
                torre.value_and_grad(job, values, objective, waves, "refused", **RUN)
            self.assertEqual(caught.exception.argument, argument)
        job = mirrored(2, x="odd")
        job.designs[0].file = str(torre.write_density("refused/other.h5", other).absolute())
        with self.assertRaisesRegex(torre.JobError, "mirror image along x differ"):
            job.check()
        job.designs[0].file = str(torre.write_density("refused/same.h5", density).absolute())
        job.check()

    def test_what_has_no_gradient_is_refused(self):
        job, objective = grating("TM", 2), torre.power()
        job += torre.monitors.Field(name="line", box=[[-0.1, 0.5], [0.1, 0.5]], wavelengths=[0.64, 0.66])
        job += torre.monitors.Field(name="point", box=[[0.1, 0.5], [0.1, 0.5]], wavelengths=[0.64, 0.66],
                                    components=["Hx"])
        job += torre.monitors.Field(name="edge", box=[[0.1, 0.9], [0.1, 0.9]], wavelengths=[0.64, 0.66])
        for wave, argument in ((torre.Order("behind", (1, 0)), "waves"), (torre.Order("none", (1,)), "waves"),
                               (torre.Order("behind", (9,)), "waves"), (torre.Order("before", (2,)), "waves"),
                               (torre.Point("line", "Ez"), "waves"), (torre.Point("point", "Ez"), "waves"),
                               (torre.Point("edge", "Ez"), "waves"), (torre.Point("behind", "Ez"), "waves")):
            with self.assertRaises(torre.ArgumentError) as caught:
                torre.value_and_grad(job, DENSITY, objective, [wave], "refused", **RUN)
            self.assertEqual(caught.exception.argument, argument, wave)
        for wrong, argument in ((lambda: torre.Order("behind", (1,), "up"), "direction"),
                                (lambda: torre.Order("behind", (1,), "+", "x"), "polarisation"),
                                (lambda: torre.Point("point", "Hx"), "component")):
            with self.assertRaises(torre.ArgumentError) as caught:
                wrong()
            self.assertEqual(caught.exception.argument, argument)


if __name__ == "__main__":
    unittest.main()
