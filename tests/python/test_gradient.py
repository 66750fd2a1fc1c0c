"""Gradients by two runs: exact for the discrete system, so within rounding of central differences."""
import pathlib
import unittest

import h5py
import numpy

import torre_fdtd as torre
from differences import RNG, RUN, check, check_bits, quiet
from torre_fdtd import chunks, topology

DENSITY, ALONG = RNG.random((7, 6)), RNG.standard_normal((7, 6))


def guide(polarisation, order):
    """A guide of index 2.45, 0.4 um wide, around 1.5 um, with a region of grey densities in it and beside it."""
    core = torre.Medium(name="core", permittivity=6.0)
    job = torre.Job(length_unit="um", size=[3.2, 3.6], cell=0.05, polarisation=polarisation, order=order,
                    precision="fp64", time_fs=1000.0, decay=1e-9, tolerance=1e9)
    job += torre.objects.Rectangle(medium=core, center=[0.0, 0.0], size=[20.0, 0.4])
    job += torre.Design(box=[[-0.31, -0.34], [0.47, 0.46]], medium_0="vacuum", medium_1=core, file="density.h5")
    job += torre.sources.Mode(box=[[-0.9, -1.8], [-0.9, 1.8]], direction="+x",
                              time=torre.Pulse(wavelength=1.5, band=0.2))
    for name, x in (("behind", 0.9), ("before", -0.7)):
        job += torre.monitors.Mode(name=name, box=[[x, -1.8], [x, 1.8]], wavelengths=[1.47, 1.5])
    return job


def bend(polarisation, order):
    """The same guide from the left into one that goes down, grey densities where they meet."""
    core = torre.Medium(name="core", permittivity=6.0)
    job = torre.Job(length_unit="um", size=[4.0, 4.0], cell=0.05, polarisation=polarisation, order=order,
                    precision="fp64", time_fs=1000.0, decay=1e-10, tolerance=1e9)
    job += torre.objects.Rectangle(medium=core, center=[-1.4, 0.0], size=[2.0, 0.4])
    job += torre.objects.Rectangle(medium=core, center=[0.0, -1.4], size=[0.4, 2.0])
    job += torre.Design(box=[[-0.4, -0.4], [0.4, 0.4]], medium_0="vacuum", medium_1=core, file="density.h5")
    job += torre.sources.Mode(box=[[-1.2, -2.0], [-1.2, 2.0]], direction="+x",
                              time=torre.Pulse(wavelength=1.5, band=0.2))
    job += torre.monitors.Mode(name="out", box=[[-2.0, -1.2], [2.0, -1.2]], wavelengths=[1.47, 1.5])
    return job


class Gradients(unittest.TestCase):
    def setUp(self):
        quiet()

    def check(self, polarisation, order, waves, weights):
        job, objective = guide(polarisation, order), torre.power(numpy.array(weights))
        value, gradient = check(self, job, DENSITY, ALONG, objective, waves)
        self.assertTrue(0.1 < abs(value) < 1, value)
        return value, gradient

    def test_bend_te_order_2(self):
        check(self, bend("TE", 2), DENSITY, ALONG, torre.power(0.5), [torre.Wave("out", "-")])

    def test_bend_tm_order_4(self):
        check(self, bend("TM", 4), DENSITY, ALONG, torre.power(0.5), [torre.Wave("out", "-")])

    def test_transmission_tm_order_2_and_permittivities(self):
        waves, weights = [torre.Wave("behind")], [[0.5, 0.5]]
        value, gradient = self.check("TM", 2, waves, weights)
        job = guide("TM", 2)
        job.designs[0] = torre.Design(box=job.designs[0].box, values="permittivity", file="density.h5")
        by_value = torre.value_and_grad(job, 1 + 5 * DENSITY, torre.power(numpy.array(weights)), waves, "values", **RUN)
        self.assertAlmostEqual(by_value[0], value, 12)
        self.assertTrue(numpy.allclose(5 * by_value[1], gradient, rtol=1e-9, atol=1e-12))

    def test_transmission_te_order_4(self):
        self.check("TE", 4, [torre.Wave("behind")], [[0.5, 0.5]])

    def test_transmission_tm_order_4(self):
        self.check("TM", 4, [torre.Wave("behind")], [[0.5, 0.5]])

    def test_both_waves_te_order_2_and_bits(self):
        waves, weights = [torre.Wave("behind"), torre.Wave("before", "-")], [[0.5, 0.3], [-0.5, -1.0]]
        gradient = self.check("TE", 2, waves, weights)[1]
        check_bits(self, guide("TE", 2), DENSITY, torre.power(numpy.array(weights)), waves, gradient)

    def test_filter_and_projection_have_their_transposes(self):
        for shape in ((7, 6), (3, 4, 5)):
            x, g, along = RNG.random(shape), RNG.standard_normal(shape), RNG.standard_normal(shape)
            mean, project = topology.ConicFilter(shape, 2.5), topology.Projection(8, 0.4)
            self.assertTrue(numpy.allclose(mean(numpy.ones(shape)), 1))
            self.assertAlmostEqual((g * mean(x)).sum(), (mean.transpose(g) * x).sum(), 11)
            slope = (project(x + 1e-6 * along) - project(x - 1e-6 * along)) / 2e-6
            self.assertAlmostEqual((g * slope).sum(), (project.transpose(g, x) * along).sum(), 7)
            self.assertTrue(numpy.allclose(project(numpy.array([0.0, 1.0])), [0, 1]))

    def test_amplitudes_for_autograd_and_jax(self):
        job, waves = guide("TE", 2), [torre.Wave("behind"), torre.Wave("before", "-")]
        weights = numpy.array([[1.0], [-0.5]])
        value, slope = torre.value_and_grad(job, DENSITY, torre.power(weights), waves, "gradient", **RUN)
        f = torre.Amplitudes(job, waves, "amplitudes", **RUN)
        s = f(DENSITY)
        self.assertEqual(float((weights * abs(s) ** 2).sum()), value)
        numpy.testing.assert_array_equal(f.pullback(DENSITY, 2 * weights * numpy.conj(s)), slope)
        self.assertIs(f(DENSITY), s)  # not run again
        self.assertFalse(numpy.array_equal(f(0.9 * DENSITY), s))
        try:
            import autograd
            import autograd.numpy as anp
        except ImportError:
            print("autograd: not here")
        else:
            of, own = f.autograd(), numpy.sqrt(DENSITY)
            found = autograd.grad(lambda x: anp.sum(weights * anp.abs(of(x * x)) ** 2))(own)
            numpy.testing.assert_allclose(found, 2 * own * slope, rtol=1e-10)
        try:
            import jax
        except ImportError:
            print("jax: not here")
            return
        jax.config.update("jax_enable_x64", True)
        of, own = f.jax(), numpy.sqrt(DENSITY)
        found = jax.grad(lambda x: jax.numpy.sum(weights * jax.numpy.abs(of(x * x)) ** 2))(own)
        numpy.testing.assert_allclose(found, 2 * own * slope, rtol=1e-10)

    def test_planes_of_a_dataset_by_threads(self):
        data = RNG.random((2, 13, 5, 6, 2)).astype("f4")
        ways = ({"chunks": (1, 1, 2, 6, 2), "fletcher32": True}, {"chunks": (1, 4, 5, 6, 2)}, {},
                {"chunks": (1, 4, 5, 6, 2), "compression": "gzip"}, {"chunks": (1, 13, 5, 6, 2), "fletcher32": True})
        with h5py.File("planes.h5", "w") as file:
            for i, way in enumerate(ways):
                file.create_dataset(str(i), data=data, **way)
        with h5py.File("planes.h5", "r") as file:
            for i, way in enumerate(ways):
                with chunks.Planes(file[str(i)]) as planes:
                    for q, first, last in ((0, 0, 13), (1, 3, 6), (1, 12, 13)):
                        out = numpy.empty((last - first, 5, 6, 2), "f4")
                        planes.read(q, first, last, out)
                        numpy.testing.assert_array_equal(out, data[q, first:last])
            where = file["0"].id.get_chunk_info_by_coord((1, 3, 4, 0, 0)).byte_offset
        with open("planes.h5", "r+b") as raw:
            raw.seek(where + 5)
            byte = raw.read(1)[0]
            raw.seek(where + 5)
            raw.write(bytes([byte ^ 16]))
        with h5py.File("planes.h5", "r") as file, chunks.Planes(file["0"]) as planes:
            planes.read(1, 0, 3, numpy.empty((3, 5, 6, 2), "f4"))
            with self.assertRaisesRegex(OSError, "planes.h5: the checksum of a part of /0 is wrong"):
                planes.read(1, 3, 4, numpy.empty((1, 5, 6, 2), "f4"))

    def test_outlines_of_a_design_as_gds(self):
        try:
            import gdstk
        except ImportError:
            self.skipTest("no gdstk")
        y, x = numpy.mgrid[0:40, 0:60]
        ring = (numpy.hypot(x - 29.5, y - 19.5) < 15) & (numpy.hypot(x - 29.5, y - 19.5) > 7)
        topology.write_gds("ring.gds", ring.astype(float), [[-3.0, -2.0], [3.0, 2.0]], layer=7)
        polygons = gdstk.read_gds("ring.gds").cells[0].polygons
        area = sum(polygon.area() for polygon in polygons)
        self.assertAlmostEqual(area, numpy.pi * (1.5**2 - 0.7**2), delta=0.05 * area)
        bounds = numpy.array([polygon.bounding_box() for polygon in polygons])
        numpy.testing.assert_allclose([bounds[:, 0].min(axis=0), bounds[:, 1].max(axis=0)], [[-1.5] * 2, [1.5] * 2],
                                      atol=0.06)
        self.assertEqual({polygon.layer for polygon in polygons}, {7})

    def test_maximise_finds_a_known_design(self):
        wanted = numpy.zeros((8, 8))
        wanted[2:6, 2:6] = 1
        value, density = topology.maximise(lambda rho: (-((rho - wanted) ** 2).sum(), -2 * (rho - wanted)),
                                           numpy.full((8, 8), 0.5), radius=1.5)
        self.assertGreater(value, -0.1)
        self.assertTrue(((density > 0.5) == (wanted > 0.5)).all())

    def test_maximise_goes_on_where_it_was_killed(self):
        wanted = RNG.random((6, 5))
        options = {"radius": 1.5, "betas": (4, 8), "steps": 3, "etas": (0.5, 0.4, 0.6)}
        calls = []

        def value_and_grad(rho, last=10**9):
            if len(calls) == last:
                raise KeyboardInterrupt
            calls.append(rho)
            return -((rho - wanted) ** 2).sum(), -2 * (rho - wanted)

        start = numpy.full((6, 5), 0.5)
        whole = topology.maximise(value_and_grad, start, **options)
        self.assertEqual(len(calls), 2 * 3 * 3)
        for last in (2, 7, 13):  # before the first step ends, in the first beta, in the second
            path = pathlib.Path(f"state-{last}.npz")
            path.unlink(missing_ok=True)
            calls.clear()
            with self.assertRaises(KeyboardInterrupt):
                topology.maximise(lambda rho: value_and_grad(rho, last), start, keep=path, **options)
            value, density = topology.maximise(value_and_grad, start, keep=path, **options)
            self.assertEqual(value, whole[0])
            self.assertTrue((density == whole[1]).all())
            done = len(calls)
            self.assertEqual(topology.maximise(value_and_grad, start, keep=path, **options)[0], value)
            self.assertEqual(len(calls), done)
        with self.assertRaises(torre.ArgumentError) as caught:
            topology.maximise(value_and_grad, start, keep=path, **{**options, "steps": 4})
        self.assertEqual(caught.exception.argument, "keep")

    def test_margins_are_the_mean_of_their_designs(self):
        # One step from grey: the gradient by the free variables is that of the mean over the thresholds.
        wanted, seen = RNG.random((6, 5)), []
        etas, mean = (0.5, 0.3, 0.7), topology.ConicFilter((6, 5), 1.5)
        x, along = 0.2 + 0.6 * RNG.random((6, 5)), RNG.standard_normal((6, 5))

        def value(at):
            return numpy.mean([-((topology.Projection(4, eta)(mean(at)) - wanted) ** 2).sum() for eta in etas])

        pathlib.Path("margins.npz").unlink(missing_ok=True)
        topology.maximise(lambda rho: (-((rho - wanted) ** 2).sum(), -2 * (rho - wanted)), x, radius=1.5, betas=(4,),
                          steps=1, rate=1e-9, etas=etas, keep="margins.npz",
                          report=lambda step, beta, found, density: seen.append((found, density)))
        self.assertAlmostEqual(seen[0][0], value(x), 12)
        self.assertTrue((seen[0][1] == topology.Projection(4, 0.5)(mean(x))).all())
        gradient = numpy.load("margins.npz")["mean"] / 0.1  # Adam's first mean
        slope = (value(x + 1e-6 * along) - value(x - 1e-6 * along)) / 2e-6
        self.assertAlmostEqual((gradient * along).sum(), slope, 7)

    def test_wrong_numbers_of_a_design_are_refused(self):
        half = numpy.full((4, 4), 0.5)
        for wrong, argument in ((lambda: topology.ConicFilter((4, 4), -1), "radius"),
                                (lambda: topology.ConicFilter((4, 4), float("nan")), "radius"),
                                (lambda: topology.Projection(0), "beta"),
                                (lambda: topology.Projection(8, 1.5), "eta"),
                                (lambda: topology.maximise(None, half + 1, radius=1), "start"),
                                (lambda: topology.maximise(None, half, radius=1, betas=()), "betas"),
                                (lambda: topology.maximise(None, half, radius=1, steps=0), "steps"),
                                (lambda: topology.maximise(None, half, radius=1, etas=()), "etas"),
                                (lambda: torre.Wave("behind", "forward"), "direction")):
            with self.assertRaises(torre.ArgumentError) as caught:
                wrong()
            self.assertEqual(caught.exception.argument, argument)

    def test_what_has_no_gradient_is_refused(self):
        job, objective = guide("TM", 2), torre.power()
        for waves, changes, argument in (([], {}, "waves"), ([torre.Wave("none")], {}, "waves"),
                                         ([torre.Wave("behind", mode=1)], {}, "waves"),
                                         ([torre.Wave("behind", mode=-1)], {}, "waves"),
                                         ([torre.Wave("behind")], {"monitors[0].reference": 0.5}, "waves"),
                                         ([torre.Wave("behind")], {"monitors[0].window": {"to_fs": 100.0}}, "waves"),
                                         ([torre.Wave("behind")], {"sources[0].time": torre.times.Continuous(
                                             wavelength=1.5)}, "sources"),
                                         ([torre.Wave("behind")], {"designs[0].box": [[-1.6, 0], [0, 1]]}, "design"),
                                         ([torre.Wave("behind")], {"designs[0].box": [[-0.3, 0], [0.4, 1.4]]},
                                          "design"),
                                         ([torre.Wave("behind"), torre.Wave("before")],
                                          {"monitors[1].wavelengths": [1.5]}, "waves")):
            other = job.copy()
            for path, value in changes.items():
                other[path] = value
            with self.assertRaises(torre.ArgumentError) as caught:
                torre.value_and_grad(other, DENSITY, objective, waves, "refused", **RUN)
            self.assertEqual(caught.exception.argument, argument)
        job += job.designs[0].copy(box=[[0.4, 0.4], [0.6, 0.6]])
        with self.assertRaises(torre.ArgumentError) as caught:
            torre.value_and_grad(job, DENSITY, objective, [torre.Wave("behind")], "refused", **RUN)
        self.assertEqual(caught.exception.argument, "design")


if __name__ == "__main__":
    unittest.main()
