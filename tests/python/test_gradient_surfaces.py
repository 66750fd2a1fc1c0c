"""Gradients of power through planes and boxes and of far fields, against central differences."""
import unittest

import numpy

import torre_fdtd as torre
from differences import RNG, RUN, check, check_bits, quiet

DENSITY, ALONG = RNG.random((6, 7)), RNG.standard_normal((6, 7))
PULSE = {"wavelength": 0.65, "band": 0.08}


def weighted(weights):
    """The sum of weights and real s."""
    weights = numpy.array(weights)
    return lambda s: (float((weights * s.real).sum()), weights + 0 * s)


def scatterer(polarisation, order, source=None):
    """Grey densities up to a lossy medium in a free plane in cells of 50 nm; a plane wave upwards."""
    core = torre.Medium(name="core", permittivity=4.0, conductivity_S_per_m=1e4)
    job = torre.Job(length_unit="um", size=[2.4, 2.2], cell=0.05, polarisation=polarisation, order=order,
                    precision="fp64", time_fs=2000.0, decay=1e-14, tolerance=1e9, boundaries={"cpml": {"cells": 8}})
    job += torre.Design(box=[[-0.5, -0.3], [0.4, 0.0]], medium_0="vacuum", medium_1=core, file="density.h5")
    job += source or torre.sources.PlaneWave(direction="+y", box=[[-0.75, -0.6], [0.75, 0.5]],
                                             time=torre.Pulse(**PULSE))
    return job


def share(weights):
    """The part of a flux, the last wave, that is in the directions before it."""
    weights = numpy.array(weights)[:, None]

    def objective(s):
        part, whole = (weights * abs(s[:-1]) ** 2).sum(), s[-1, 0].real
        return part / whole, numpy.vstack([2 * weights * s[:-1].conj() / whole, [[-part / whole**2]]])

    return objective


def cell():
    """A 3-D scatterer of conducting densities a few cells wide, below a dipole."""
    core = torre.Medium(name="core", permittivity=4.0, conductivity_S_per_m=4e4)
    job = torre.Job(length_unit="um", size=[1.0, 1.0, 1.2], cell=0.05, order=4, precision="fp64", time_fs=1000.0,
                    decay=1e-12, tolerance=1e9, boundaries={"cpml": {"cells": 5}})
    job += torre.Design(box=[[-0.1, -0.1, -0.1], [0.1, 0.05, 0.1]], medium_0="vacuum", medium_1=core, file="density.h5")
    job += torre.sources.ElectricDipole(axis="x", position=[0.0, 0.0, 0.25],
                                        time=torre.Pulse(wavelength=0.5, band=0.15))
    return job


class Surfaces(unittest.TestCase):
    def setUp(self):
        quiet()

    def test_flux_tm_order_2_and_bits(self):
        job = scatterer("TM", 2)
        job += torre.monitors.Flux(name="through", box=[[-0.6, 0.25], [0.5, 0.25]], wavelengths=[0.64, 0.66])
        objective, waves = weighted([[0.5, -0.3]]), [torre.FluxOf("through")]
        gradient = check(self, job, DENSITY, ALONG, objective, waves)[1]
        check_bits(self, job, DENSITY, objective, waves, gradient)

    def test_absorption_in_free_space_te_order_4(self):
        job = scatterer("TE", 4)
        box = [[-0.6, -0.45], [0.5, 0.2]]
        job += torre.monitors.FluxBox(name="around", box=box, wavelengths=[0.64, 0.66])
        job += torre.monitors.Absorption(name="absorbed", box=box, wavelengths=[0.64, 0.66])
        value = check(self, job, DENSITY, ALONG, weighted([[-1.0, -1.0]]), [torre.FluxOf("around")])[0]
        fraction = torre.Results("gradient/forward")["absorbed"]["fraction"].values
        self.assertLess(abs(value / fraction.sum() - 1), 1e-5, (value, fraction))

    def test_two_fluxes_of_a_dipole_and_a_point_te_order_2(self):
        job = scatterer("TE", 2, torre.sources.LineDipole(axis="x", position=[0.1, -0.6], time=torre.Pulse(**PULSE)))
        job += torre.monitors.Flux(name="up", box=[[-0.6, 0.25], [0.5, 0.25]], wavelengths=[0.65])
        job += torre.monitors.Flux(name="side", box=[[0.55, -0.5], [0.55, 0.3]], wavelengths=[0.65])
        job += torre.monitors.Field(name="point", box=[[0.02, 0.4], [0.02, 0.4]], wavelengths=[0.65])

        def objective(s):
            up, side, at = s[0, 0].real, s[1, 0].real, s[2, 0]
            return up / side + 2e-17 * abs(at) ** 2, [[1 / side], [-up / side**2], [4e-17 * at.conjugate()]]

        waves = [torre.FluxOf("up"), torre.FluxOf("side"), torre.Point("point", "Ex")]
        check(self, job, DENSITY, ALONG, objective, waves)

    def test_flux_through_a_cell_at_an_angle_is_that_of_its_orders(self):
        # More wavelengths than one adjoint run has.
        core = torre.Medium(name="core", permittivity=6.0, conductivity_S_per_m=1e4)
        lengths = [0.62, 0.63, 0.64, 0.65, 0.66, 0.67, 0.68]
        job = torre.Job(length_unit="um", size=[0.5, 2.0], cell=0.05, polarisation="TE", precision="fp64",
                        time_fs=1000.0, decay=1e-13, tolerance=1e9, boundaries={"x_lo": "bloch", "x_hi": "bloch"})
        job += torre.Design(box=[[-0.2, -0.15], [0.2, 0.15]], medium_0="vacuum", medium_1=core, file="density.h5")
        job += torre.sources.PlaneWave(box=[[-0.25, -0.3], [0.25, 1.0]], phi_deg=80, time=torre.Pulse(**PULSE))
        job += torre.monitors.Flux(name="through", box=[[-0.25, 0.35], [0.25, 0.35]], wavelengths=lengths)
        job += torre.monitors.Orders(name="orders", axis="y", position=0.35, wavelengths=lengths)
        weights = numpy.linspace(0.5, 1.5, 7)
        value = check(self, job, DENSITY, ALONG, weighted([weights]), [torre.FluxOf("through")])[0]
        table = torre.Results("gradient/forward").table("orders_orders.csv")
        fractions = table["fraction"].values[table["direction"].values == 1]
        # The orders leave what the absorbing layer returns, 1e-5 of a wave at this angle.
        self.assertLess(abs(value / (weights * fractions).sum() - 1), 1e-4, fractions)

    def test_flux_box_in_3d_order_4(self):
        job = cell()
        job += torre.monitors.FluxBox(name="around", box=[[-0.15, -0.15, -0.15], [0.15, 0.15, 0.15]], wavelengths=[0.5])
        density, along = RNG.random((2, 4, 3)), RNG.standard_normal((2, 4, 3))
        check(self, job, density, along, weighted([[1.0]]), [torre.FluxOf("around")])

    def test_far_field_of_a_plane_te_order_4_and_bits(self):
        job = scatterer("TE", 4)
        job += torre.monitors.FarField(name="far", box=[[-0.7, 0.25], [0.65, 0.25]], wavelengths=[0.64, 0.66],
                                       phi_deg=[70.0], image=False)
        waves, objective = [torre.Far("far", 70.0), torre.Far("far", 100.0)], torre.power([[1e6, 1e6], [-4e5, -2e5]])
        gradient = check(self, job, DENSITY, ALONG, objective, waves)[1]
        check_bits(self, job, DENSITY, objective, waves, gradient)

    def test_scattering_of_a_plane_wave_tm_order_2(self):
        job = scatterer("TM", 2)
        job.sources[0].box = [[-0.55, -0.35], [0.45, 0.05]]
        job += torre.monitors.FarField(name="far", box=[[-0.7, -0.5], [0.6, 0.2]], wavelengths=[0.65],
                                       phi_deg=[30.0, 200.0], image=False)
        value = check(self, job, DENSITY, ALONG, torre.power(1e6), [torre.Far("far", 200.0)])[0]
        table = torre.Results("gradient/forward").table("far_far.csv")
        self.assertLess(abs(table["dC_nm_per_rad"].values.ravel()[-1] * 1e-3 / value - 1), 1e-7)

    def test_share_of_a_dipole_in_an_aperture_3d_order_4(self):
        job = cell()
        job.sources[0].position = [0.0, 0.0, -0.25]
        job += torre.monitors.FarField(name="far", box=[[-0.2, -0.25, 0.25], [0.25, 0.2, 0.25]], wavelengths=[0.5],
                                       theta_deg=[30.0], phi_deg=[20.0], image=False)
        density, along = RNG.random((2, 4, 3)), RNG.standard_normal((2, 4, 3))
        waves, weights = torre.far_cone("far", "+z", 30.0, 2)
        check(self, job, density, along, share(weights), [*waves, torre.FluxOf("far")])

    def test_all_directions_have_the_flux_3d_order_2(self):
        job = cell()
        job["grid.order"] = 2
        job += torre.monitors.FarField(name="far", box=[[-0.2, -0.2, -0.2], [0.2, 0.2, 0.3]], wavelengths=[0.5],
                                       theta_deg=[30.0], phi_deg=[20.0], image=False)
        waves, weights = torre.far_cone("far", "-x", 180.0, 6)
        value = torre.value_and_grad(job, numpy.full((2, 4, 3), 0.5), lambda s: (share(weights)(s)[0], 0.0),
                                     [*waves, torre.FluxOf("far")], "share", **RUN)[0]
        self.assertLess(abs(value - 1), 1e-3, value)

    def test_all_directions_have_the_flux_2d_and_a_cone_has_less(self):
        job = scatterer("TM", 2, torre.sources.LineCurrent(position=[0.1, -0.35], time=torre.Pulse(**PULSE)))
        job += torre.monitors.FarField(name="far", box=[[-0.7, -0.5], [0.6, 0.2]], wavelengths=[0.65],
                                       phi_deg=[0.0], image=False)
        waves, weights = torre.far_cone("far", "+y", 180.0, 40, axes=2)
        cone, parts = torre.far_cone("far", "+y", 40.0, 10, axes=2)
        seen = []

        def objective(s):
            seen.extend([share(weights)(s[10:])[0], share(parts)(numpy.vstack([s[:10], s[-1:]]))[0]])
            return 0.0, 0.0

        torre.value_and_grad(job, DENSITY, objective, [*cone, *waves, torre.FluxOf("far")], "share", **RUN)
        self.assertLess(abs(seen[0] - 1), 1e-4, seen)  # 13 cells a wave; at 26 it is 4e-6
        self.assertTrue(0.05 < seen[1] < 0.9, seen)

    def test_what_has_no_gradient_is_refused(self):
        job = scatterer("TM", 4)
        for name, y, half in (("layer", 0.25, 0.9), ("wave", 0.5, 0.5)):
            job += torre.monitors.Flux(name=name, box=[[-half, y], [half, y]], wavelengths=[0.65])
        job += torre.monitors.Field(name="point", box=[[0.1, 0.4], [0.1, 0.4]], wavelengths=[0.65])
        for name, text in (("layer", "reaches into an absorbing layer"), ("wave", "of the plane wave's box"),
                           ("point", "no monitor point of type flux"), ("none", "no monitor none of type flux")):
            with self.assertRaisesRegex(torre.ArgumentError, text) as caught:
                torre.value_and_grad(job, DENSITY, weighted(1.0), [torre.FluxOf(name)], "refused", **RUN)
            self.assertEqual(caught.exception.argument, "waves")
        job = scatterer("TM", 2)
        job["boundaries.x_lo"] = "pmc"
        job.sources[0].box = [[-0.4, -0.6], [0.75, 0.05]]
        job += torre.monitors.FarField(name="mirror", box=[[-1.2, 0.2], [0.7, 0.2]], wavelengths=[0.65],
                                       phi_deg=[70.0], image=False)
        for wave, text in ((torre.Far("mirror"), "ends on a mirror"),
                           (torre.Far("layer"), "no monitor layer of type far"),
                           (torre.Far("mirror", 0.0, 10.0, "phi"), "theta_deg and component")):
            with self.assertRaisesRegex(torre.ArgumentError, text) as caught:
                torre.value_and_grad(job, DENSITY, torre.power(), [wave], "refused", **RUN)
            self.assertEqual(caught.exception.argument, "waves")
        for wrong, argument in ((lambda: torre.Far("far", 0.0, 10.0), "component"),
                                (lambda: torre.Far("far", component="z"), "component"),
                                (lambda: torre.far_cone("far", "+z", 10.0, axes=2), "direction"),
                                (lambda: torre.far_cone("far", "+z", 190.0), "direction")):
            with self.assertRaises(torre.ArgumentError) as caught:
                wrong()
            self.assertEqual(caught.exception.argument, argument)


if __name__ == "__main__":
    unittest.main()
