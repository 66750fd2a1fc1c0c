"""torre_fdtd: scattering matrices, convergence by cells, ensembles, modes. Run by tests/system/python.sh."""
import pathlib
import tempfile
import unittest

import numpy
import torre_fdtd as torre


def two_guides():
    """A rod between metal plates, and a port on either side of it."""
    sim = torre.Job(title="Two guides", size=[4000, 1000], cell=50, polarisation="TM", precision="fp64", time_fs=400,
                    boundaries=dict(default="cpml", cpml=dict(thickness=600), y_lo="pec", y_hi="pec"))
    sim += torre.Circle(center=[0, 140], radius=160, medium=torre.Medium(index=1.5))
    for number, name, side, into in ((1, "left", -1, "+x"), (2, "right", 1, "-x")):
        sim += torre.sources.Mode(name=name, direction=into, box=[[side * 1300, -500], [side * 1300, 500]],
                                  time=torre.Pulse(wavelength=1400, band=150))
        sim += torre.monitors.Mode(name="port_" + name, box=[[side * 800, -500], [side * 800, 500]], port=number,
                                   wavelengths=[1350, 1400], into=into, source=name, reference=0)
    return sim


class Studies(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def test_s_matrix(self):
        s = two_guides().s_matrix(self.folder / "s", progress=False)
        self.assertEqual(s.dims, ("wavelength", "to", "from"))
        self.assertEqual(s.wavelength.values.tolist(), [1350, 1400])
        power = abs(s) ** 2
        numpy.testing.assert_allclose(power.sum("to"), 1, atol=1e-4)
        self.assertGreater(float(power.sel({"wavelength": 1400, "to": 2, "from": 1})), 0.7)
        self.assertGreater(float(power.sel({"wavelength": 1400, "to": 1, "from": 1})), 0.1)
        numpy.testing.assert_allclose(s.sel({"to": 1, "from": 2}), s.sel({"to": 2, "from": 1}), atol=1e-5)
        self.assertTrue((self.folder / "s" / "smatrix.s2p").exists())
        again = two_guides().s_matrix(self.folder / "s", progress=False)  # nothing is repeated
        self.assertTrue(bool((again == s).all()))
        other = two_guides()
        other["objects[0].radius"] = 100
        with self.assertRaises(torre.FolderError):
            other.s_matrix(self.folder / "s", progress=False)

    def test_s_matrix_without_ports(self):
        sim = two_guides()
        for monitor in sim.monitors:
            monitor.port = monitor.into = monitor.source = monitor.reference = None
        with self.assertRaisesRegex(torre.RunError, "port"):
            sim.s_matrix(self.folder / "s", progress=False)

    def test_convergence(self):
        sim = two_guides()
        del sim.sources[1]
        sim.monitors[0].port = sim.monitors[0].source = sim.monitors[0].into = sim.monitors[0].reference = None
        sim.monitors[1].source = None
        table = sim.convergence([50, 40], self.folder / "c", progress=False)
        self.assertEqual(table.cell.values.tolist(), [50, 40])
        self.assertEqual(table.value.dims, ("number", "cell"))
        self.assertIn("port_right.power_J_per_Hz_m", table.number.values)
        one = table.isel(number=int(numpy.argmax(abs(table.value.values[:, 1]))))
        coarse, fine = one.value.values
        self.assertAlmostEqual(float(one.extrapolated) / (fine + (fine - coarse) / ((50 / 40) ** 2 - 1)), 1, places=6)

    def test_ensemble(self):
        sim = torre.Job(size=[1200, 1000], cell=25, polarisation="TM", time_fs=60, tolerance=1e9,
                        boundaries=dict(cpml=dict(cells=8)))
        sim += torre.Rectangle(size=[500, 200], medium=torre.Medium(index=1.7))
        sim += torre.sources.LineCurrent(position=[0, 0], time=torre.Pulse(wavelength=600, band=200))
        sim += torre.monitors.Flux(name="up", box=[[-300, 250], [300, 250]], wavelengths=[550, 650])
        sim += torre.monitors.DecayRate(name="rate", wavelengths=[550, 650])
        sim += torre.Ensemble(box=[[-200, 50], [200, 50]], count=3, places="middle")
        made = sim.ensemble(self.folder / "e", progress=False)
        self.assertEqual(made.wavelength.values.tolist(), [550, 650])
        numpy.testing.assert_allclose(made.position.sel(axis="x"), [-400 / 3, 0, 400 / 3], atol=1e-6)
        numpy.testing.assert_allclose(made["up.fraction_places"].mean("place"), made["up.fraction"], rtol=1e-7)
        one = made["up.fraction_places"].values[:, 1]
        sim["sources[0].position"] = [0, 50]
        alone = sim.run(self.folder / "alone", progress=False)
        numpy.testing.assert_allclose(alone["up"].fraction, one, rtol=1e-7)
        power, rate = made["up.power_J_per_Hz_m"], made["rate.power_J_per_Hz_m"]
        numpy.testing.assert_allclose(power / rate, made["up.part"], rtol=1e-7)
        self.assertTrue(bool((made["up.part_error"] > 0).all()))

    def test_modes(self):
        sim = torre.Job(size=[1200, 1600, 1600], cell=50, background=torre.Medium(index=1.444), time_fs=10,
                        boundaries=dict(default="cpml", cpml=dict(cells=4)))
        sim += torre.Box(center=[0, 0, 0], size=[3000, 450, 200], medium=torre.Medium(index=3.48))
        sim += torre.Modes(box=[[0, -500, -500], [0, 500, 500]], wavelengths=[1500, 1600], count=1, target_index=2.3)
        found = sim.modes(self.folder / "m")
        self.assertEqual(found.n_eff.dims, ("wavelength", "mode"))
        first, last = found.n_eff.values[:, 0].real
        self.assertTrue(2.5 > first > last > 1.9, found.n_eff.values)
        self.assertGreater(float(found.te_fraction[0, 0]), 0.9)
        self.assertEqual(found.Ey.dims, ("wavelength", "mode", "z", "y", "x"))
        self.assertEqual(found.Ey.attrs["units"], "V/m")


if __name__ == "__main__":
    unittest.main()
