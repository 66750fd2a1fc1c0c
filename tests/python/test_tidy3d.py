"""torre_fdtd.from_tidy3d: simulations made with Tidy3D's own classes (tidy3d/make.py) against the same jobs by hand,
media against Tidy3D's own permittivities, a slab against theory. Run by tests/system/python.sh."""
import cmath
import json
import math
import os
import pathlib
import tempfile
import unittest
import warnings

import torre_fdtd as torre

FOLDER = pathlib.Path(os.environ["TORRE_SOURCE"]) / "tests/python/tidy3d"
C = 299.792458  # um THz
WAVELENGTHS = [C / f for f in (270, 300, 330)]


def given(name, **values):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", torre.TorreWarning)
        return torre.from_tidy3d(FOLDER / f"{name}.json", **values)


def pulse(f0=300.0, width=30.0):
    short, long = C / (f0 + math.sqrt(2) * width), C / (f0 - math.sqrt(2) * width)
    return torre.Pulse(wavelength=(short + long) / 2, band=long - short)


def job(size, layers=("x_lo", "x_hi", "y_lo", "y_hi", "z_lo", "z_hi"), periodic=(), cell=0.02, **values):
    faces = {**{f: {"type": "cpml", "cells": 12} for f in layers}, **{f: "periodic" for f in periodic}}
    return torre.Job(**{**dict(length_unit="um", size=size, cell=[cell] * len(size), boundaries=faces, time_fs=100,
                               decay=1e-5), **values})


def box(half, dims=3):
    return [[-half] * dims, [half] * dims]


def plain(value):
    """A job as dictionaries, lists and scalars, with media in place of their names."""
    if hasattr(value, "to_group"):
        value = value.to_group()
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items() if v is not None}
    return [plain(v) for v in value] if isinstance(value, (list, tuple)) else value


class Counterparts(unittest.TestCase):
    def same(self, a, b, path="job"):
        if isinstance(a, dict) and isinstance(b, dict):
            self.assertEqual(sorted(a), sorted(b), path)
            for key in a:
                self.same(a[key], b[key], f"{path}.{key}")
        elif isinstance(a, list) and isinstance(b, list):
            self.assertEqual(len(a), len(b), path)
            for i, (x, y) in enumerate(zip(a, b)):
                self.same(x, y, f"{path}[{i}]")
        elif isinstance(a, float) or isinstance(b, float):
            self.assertTrue(math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9), f"{path}: {a} {b}")
        else:
            self.assertEqual(a, b, path)

    def by_hand(self, name, hand, **values):
        """The simulation as a job is accepted, and equals the one by hand."""
        made = given(name, **values)
        made.check()
        for a, b in zip((made, hand), (hand, made)):
            for medium in a._named_media():
                medium.name = f"m{a._named_media().index(medium)}"
        self.same(plain(made._items()), plain(hand._items()))

    def test_permittivity(self):
        sim = json.loads((FOLDER / "sphere.json").read_text(encoding="utf-8"))
        sim["monitors"] = [{"type": "PermittivityMonitor", "name": "eps", "center": [0.0, 0.0, 0.1],
                            "size": [0.8, 0.8, 0.0], "freqs": [3e14], "apodization": {"start": 1e-14}}]
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "sphere.json"
            path.write_text(json.dumps(sim), encoding="utf-8")
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", torre.TorreWarning)
                made = torre.from_tidy3d(path)
        made.check()
        (eps,) = made._items()["monitors"]
        self.same(plain(eps), {"type": "permittivity", "name": "eps", "wavelengths": [C / 300],
                               "box": {"lo": [-0.4, -0.4, 0.1], "hi": [0.4, 0.4, 0.1]}})

    def test_sphere(self):
        hand = job([2.08] * 3)
        hand += torre.Sphere(center=[0, 0, 0], radius=0.3, medium=torre.Medium(permittivity=4))
        hand += torre.PlaneWave(name="wave", box=box(0.5), direction="+z", polarisation="x", time=pulse(), amplitude=1)
        hand += torre.FluxBox(name="scattered", box=box(0.6), wavelengths=WAVELENGTHS)
        hand += torre.FarField(name="far", box=box(0.6), wavelengths=[C / 300], theta_deg=[0, 90],
                               phi_deg=[0, math.degrees(1)])
        self.by_hand("sphere", hand)

    def test_pillar(self):
        hand = job([0.48, 0.48, 3.48], ("z_lo", "z_hi"), ("x_lo", "x_hi", "y_lo", "y_hi"))
        hand += torre.Box(center=[0, 0, -3.73], size=[1.92, 1.92, 6.46], medium=torre.Medium(permittivity=2.25))
        pole = torre.Lorentz(delta_eps=1, omega_rad_per_s=2e12 * math.pi * 600, gamma_rad_per_s=2e12 * math.pi * 20)
        hand += torre.Cylinder(center=[0, 0, -0.25], axis="z", radius=0.1, height=0.5,
                               medium=torre.Medium(permittivity=1.5, poles=[pole]))
        hand += torre.PlaneWave(box=[[-0.24, -0.24, -1.74], [0.24, 0.24, 1.2]], direction="-z", polarisation="x",
                                time=pulse(), amplitude=1)
        hand += torre.Flux(name="T", box=[[-0.24, -0.24, -1.3], [0.24, 0.24, -1.3]], wavelengths=WAVELENGTHS)
        hand += torre.Orders(name="orders", axis="z", position=-1.3, wavelengths=[C / 300])
        self.by_hand("pillar", hand)

    def test_guide_in_two_dimensions_is_turned(self):
        hand = job([3.48, 4.48], ("x_lo", "x_hi", "y_lo", "y_hi"), polarisation="TE")
        hand += torre.Rectangle(center=[0, 0], size=[0.3, 17.92], medium=torre.Medium(permittivity=12))
        hand += torre.sources.Mode(box=[[-1, -1], [1, -1]], direction="+y", mode=0, time=pulse(), amplitude=1)
        hand += torre.Field(name="near", box=box(1, 2), components=["Ey", "Ex", "Hz"], wavelengths=[C / 300])
        hand += torre.monitors.Mode(name="out", box=[[-1, 1], [1, 1]], count=2, target_index=3,
                                    wavelengths=WAVELENGTHS)
        hand.monitors[0].components = ["Ey", "Ex", "Hz"]
        with self.assertWarnsRegex(torre.TorreWarning, "x, y, z of the job are z, x, y of the simulation"):
            torre.from_tidy3d(FOLDER / "guide_2d.json", polarisation="TE")
        self.by_hand("guide_2d", hand, polarisation="TE")
        with self.assertRaisesRegex(torre.Tidy3dError, "name it: polarisation"):
            given("guide_2d")

    def test_guide(self):
        hand = job([3.96, 2.96, 2.56], cell=0.04)
        hand += torre.Prism(axis="z", lo=-0.12, hi=0.12, vertices=[[-9, -0.22], [9, -0.22], [9, 0.22], [-9, 0.22]],
                            medium=torre.Medium(permittivity=12))
        hand += torre.Box(center=[0, 0, -1.12], size=[15.84, 11.84, 2], medium=torre.Medium(permittivity=2.1))
        hand += torre.sources.Mode(box=[[-1, -0.8, -0.6], [-1, 0.8, 0.6]], direction="+x", mode=0, target_index=2.4,
                                   time=pulse(193.0, 10.0), amplitude=1)
        end = [[1, -0.8, -0.6], [1, 0.8, 0.6]]
        hand += torre.monitors.Mode(name="out", box=end, count=1, wavelengths=[C / 190, C / 193])
        hand += torre.Flux(name="power", box=end, wavelengths=[C / 193])
        grid = 3 / 75, 2 / 50, 1.6 / 40  # whole cells in the simulation's domain
        hand["grid.cell"] = list(grid)
        self.by_hand("guide", hand)

    def test_dipoles(self):
        hand = job([1.48] * 3)
        metal = torre.Drude(plasma_rad_per_s=2 * math.pi * 2.2e15, gamma_rad_per_s=2 * math.pi * 1.7e13)
        hand += torre.Box(center=[0, 0, -1], size=[5.92, 5.92, 1.6], medium=torre.Medium(permittivity=9, poles=[metal]))
        hand += torre.ElectricDipole(position=[0, 0, 0.1], axis="z", time=pulse(), amplitude=1e-6)
        hand += torre.MagneticDipole(position=[0.1, 0, 0.1], axis="y", amplitude=2e-6,
                                     time=torre.Continuous(wavelength=C / 300, phase_deg=-math.degrees(1)))
        hand += torre.Probe(name="probe", position=[0.2, 0, 0.2], every=2, components=["Ez"])
        hand += torre.Field(name="cavity", box=[[-0.2, -0.2, 0.3], [0.2, 0.2, 0.3]], components=["Ex", "Ey"],
                            wavelengths=[C / 300], window=dict(from_fs=30, rise_fs=5 * math.sqrt(2)))
        self.by_hand("dipole", hand)

    def test_rods(self):
        hand = job([2.48, 2.48], ("x_lo", "x_hi", "y_lo", "y_hi"), polarisation="TM")
        medium = torre.Medium(permittivity=8.9)
        hand += [torre.Circle(center=[x, y], radius=0.12, medium=medium) for x in (-0.6, 0, 0.6) for y in (-0.6, 0, 0.6)
                 if (x, y) != (0, 0)]
        hand += torre.LineCurrent(position=[0, 0], time=pulse(), amplitude=1e-6)
        hand += torre.FluxBox(name="out", box=box(0.9, 2), wavelengths=WAVELENGTHS)
        hand += torre.Field(name="near", box=box(0.5, 2), components=["Ez", "Hx", "Hy"], wavelengths=[C / 300])
        self.by_hand("rods", hand)

    def test_prisms(self):
        hand = job([1.68] * 3, background=torre.Medium(name="m0", permittivity=1.7))
        corners = [[0, 0], [0.4, 0], [0.1, 0.3]]
        axes = torre.Medium(permittivity=[2, 3, 4], conductivity_S_per_m=[0, 1e4, 0])
        hand += torre.Prism(axis="y", lo=-0.2, hi=0.1, vertices=[[z, x] for x, z in corners],
                            medium=torre.Medium(permittivity=2.25))
        hand += torre.Prism(axis="x", lo=-0.2, hi=0.1, vertices=corners, medium=axes)
        hand += torre.PlaneWave(box=box(0.4), direction="-x", polarisation="z", time=pulse(), amplitude=1)
        hand += torre.FluxBox(name="f", box=box(0.5), wavelengths=WAVELENGTHS)
        self.by_hand("prisms", hand)

    def test_symmetry(self):
        hand = job([2.08] * 3, symmetry=dict(x="odd", y="even"))
        medium = torre.Medium(permittivity=2.25)
        hand += [torre.Sphere(center=[x, 0, 0], radius=0.2, medium=medium) for x in (-0.25, 0.25)]
        hand += torre.ElectricDipole(position=[0, 0, 0], axis="x", time=pulse(), amplitude=1e-6)
        hand += torre.FluxBox(name="f", box=box(0.7), wavelengths=WAVELENGTHS)
        self.by_hand("symmetric", hand)

    def test_walls_and_moved_shapes(self):
        hand = job([1, 2, 1.32], ())
        hand += torre.Boundaries(x_lo="pec", x_hi="pmc", y_lo=dict(type="absorber", cells=30),
                                 y_hi=dict(type="cpml", cells=20), z_lo=dict(type="cpml", cells=8),
                                 z_hi=dict(type="cpml", cells=8))
        middle = [0.1, 0.2 + 0.5 * (0.4 - 0.6), 0.3]
        medium = torre.Medium(permittivity=2.25)

        def at(x, y, z):
            return [x - middle[0], y - middle[1], z - middle[2]]

        hand += torre.Cone(center=at(0.1, 0.2, 0.5), axis="y", height=0.4, radius_lo=0.2,
                           radius_hi=0.2 - 0.4 * math.tan(0.1), medium=medium)
        hand += torre.Sphere(center=at(0.2, 0, 0), radius=0.15, medium=medium)
        hand += torre.Box(center=at(-0.2, 0, 0), size=[0.2, 0.2, 0.2], medium=medium)
        hand += torre.Box(center=at(0.1, 0.2, 0.05), size=[0.1, 0.2, 0.3], medium=medium)
        hand += torre.MagneticDipole(position=at(0.1, 0.2, 0.3), axis="z", time=pulse(), amplitude=1e-6)
        hand += torre.Flux(name="up", box=[at(-0.1, 0, 0.6), at(0.3, 0.4, 0.6)], wavelengths=WAVELENGTHS)
        self.by_hand("walls", hand)

    def test_shapes_turned_and_combined(self):
        hand = job([1.68] * 3)
        about = dict(rotate_about=[-0.1, 0, 0])
        box_size, half = [0.4, 0.2, 0.1], math.sqrt(0.5) * 0.2
        hand += torre.Box(center=[0, 0, 0], size=box_size, rotate_deg=[0, 0, 30], **about)
        hand += torre.Difference(parts=[torre.Cylinder(center=[-0.1, 0, 0.3], axis="z", height=0.2, radius=0.3),
                                        torre.Cylinder(center=[-0.1, 0, 0.3], axis="z", height=0.4, radius=0.2)])
        hand += torre.Box(center=[0, 0.1 - half, -half], size=box_size, rotate_deg=[45, 0, 0], **about)
        hand += torre.Intersection(parts=[torre.Box(center=[0, 0, 0], size=box_size),
                                          torre.Sphere(center=[-0.1, 0, 0], radius=0.25)])
        hand += torre.Prism(axis="z", lo=-0.4, hi=-0.2, sidewall_deg=math.degrees(0.1), sidewall_at="hi",
                            vertices=[[-0.4, -0.2], [0.2, -0.2], [0.2, 0.2], [-0.4, 0.2]])
        glass = torre.Medium(permittivity=2.25)
        for part in hand.objects:
            part.medium = glass
        hand += torre.PlaneWave(box=box(0.5), direction="+z", polarisation="x", time=pulse(), amplitude=1)
        hand += torre.FluxBox(name="f", box=box(0.55), wavelengths=WAVELENGTHS)
        self.by_hand("shapes", hand)

    def test_tilted_wave(self):
        hand = job([1.68] * 3)
        hand += torre.Sphere(center=[0, 0, 0], radius=0.2, medium=torre.Medium(permittivity=2.25))
        hand += torre.PlaneWave(box=box(0.4), theta_deg=135, phi_deg=-90, psi_deg=-90, time=pulse(), amplitude=1)
        hand += torre.FluxBox(name="f", box=box(0.5), wavelengths=WAVELENGTHS)
        self.by_hand("tilted", hand)

    def test_beams_and_waves_of_any_polarisation(self):
        hand = job([10.4, 10.4, 5.4], cell=0.1)
        angle, turn, tilt = (math.degrees(v) for v in (0.2, 0.3, 0.5))
        axis = [math.sin(0.2) * math.cos(0.5), math.sin(0.2) * math.sin(0.5), math.cos(0.2)]
        low, high = [[-4, -4, -1], [4, 4, -1]], [[-4, -4, 1], [4, 4, 1]]
        keys = dict(waist=2, time=pulse(), amplitude=1)
        hand += torre.GaussianBeam(box=low, focus=[axis[0], axis[1], axis[2] - 1], theta_deg=angle, phi_deg=tilt,
                                   psi_deg=turn, **keys)
        hand += torre.GaussianBeam(box=high, theta_deg=180 - angle, phi_deg=tilt - 180, psi_deg=-turn, **keys)
        hand += torre.GaussianBeam(box=high, direction="-z", polarisation="x", **keys)
        hand += torre.PlaneWave(box=box(0.5), theta_deg=90, phi_deg=180, psi_deg=-150, time=pulse(), amplitude=1)
        hand += torre.Flux(name="f", box=[[-4, -4, 0], [4, 4, 0]], wavelengths=WAVELENGTHS)
        self.by_hand("beam", hand)

    def test_crystal(self):
        faces = ("x_lo", "x_hi", "y_lo", "y_hi")
        hand = job([0.6, 0.6], (), polarisation="TM")
        hand += torre.Boundaries(phase_deg=[180, 90], **{face: "bloch" for face in faces})
        hand += torre.Circle(center=[0, 0], radius=0.12, medium=torre.Medium(permittivity=8.9))
        hand += torre.LineCurrent(position=[0.1, 0.2], time=pulse(), amplitude=1e-6)
        hand += torre.Probe(name="p", position=[0.2, 0.1], every=1, components=["Ez"])
        self.by_hand("crystal", hand)

    def test_sheets(self):
        sim = given("sheets")
        graphene, disc, film = sim.sheets
        self.assertEqual([graphene.axis, graphene.thickness, graphene.medium.name], ["z", 1.0, "graphene"])
        self.assertEqual([(s.position, s.parts[0].to_group()["type"]) for s in sim.sheets],
                         [(0.0, "box"), (-0.5, "cylinder"), (0.5, "prism")])
        self.assertAlmostEqual(disc.parts[0].radius, 0.1)
        self.assertLess(disc.parts[0].height, 0.05)
        # A film of 0.01 um over one of 1 um: 4 - 1, and 0.5 S/um.
        self.assertAlmostEqual(film.medium.permittivity, 1.03)
        self.assertAlmostEqual(film.medium.conductivity_S_per_m, 5e3)
        sim.check()

    def test_parts_without_counterpart_are_all_named(self):
        with self.assertRaises(torre.Tidy3dError) as caught:
            given("unsupported")
        places = [line.split(":")[0] for line in caught.exception.unsupported]
        self.assertEqual(places, ["structures[1].geometry", "structures[2].geometry",
                                  "structures[4].medium", "sources[0] (sheet)", "monitors[0] (power)"])
        with self.assertRaises(torre.Tidy3dError) as caught:
            given("unsupported", media={"cSi_Green2008": torre.Medium(index=3.5), "gold": "Au"})
        self.assertIn("media", [line.split(":")[0] for line in caught.exception.unsupported])

    def test_graded_grids_need_a_cell(self):
        tree = json.loads((FOLDER / "sphere.json").read_text())
        tree["grid_spec"]["grid_y"] = {"type": "AutoGrid", "min_steps_per_wvl": 10}
        with self.assertRaisesRegex(torre.Tidy3dError, "grid_spec.grid_y.*give cell="):
            torre.from_tidy3d(tree)
        self.assertEqual(torre.from_tidy3d(tree, cell=0.04)["grid.cell"], [0.04] * 3)


def permittivity(medium, f):
    """That of a job's medium at f [Hz], time as exp(-i w t)."""
    w = 2 * math.pi * f
    eps = medium.permittivity + 1j * (medium.conductivity_S_per_m or 0) / (8.8541878128e-12 * w)
    for p in medium.poles or ():
        if type(p).__name__ == "Lorentz":
            eps += p.delta_eps * p.omega_rad_per_s**2 / (p.omega_rad_per_s**2 - w**2 - 1j * w * p.gamma_rad_per_s)
        elif type(p).__name__ == "CriticalPoint":
            turn, q = cmath.exp(1j * p.phase_rad), p.omega_rad_per_s
            eps += p.amplitude * q * (turn / (q - w - 1j * p.gamma_rad_per_s) +
                                      turn.conjugate() / (q + w + 1j * p.gamma_rad_per_s))
        elif type(p).__name__ == "Drude":
            eps -= p.plasma_rad_per_s**2 / (w**2 + 1j * w * p.gamma_rad_per_s)
        else:
            eps += p.delta_eps / (1 - 1j * w * p.tau_fs * 1e-15)
    return eps


class Physics(unittest.TestCase):
    def test_permittivities_are_those_of_tidy3d(self):
        made = {medium.name: medium for medium in given("media", courant=0.8)._named_media()}
        known = json.loads((FOLDER / "permittivities.json").read_text())
        self.assertEqual(sorted(made), sorted(known))
        for name, values in known.items():
            for f, real, imag in values:
                self.assertLess(abs(permittivity(made[name], f) / complex(real, imag) - 1), 1e-8, (name, f))
        self.assertEqual(type(made["drude_residues"].poles[0]).__name__, "Drude")
        given("media", courant=0.8).check()

    def test_slab_transmits_as_airy_says(self):
        sim = given("slab", cell=0.01)
        self.assertEqual(sim.sources[0].polarisation, "y")
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore", torre.TorreWarning)
            found = sim.run(pathlib.Path(folder) / "out", progress=False)["T"].fraction
        for wavelength, value in zip(WAVELENGTHS, found.values):
            phase = cmath.exp(4j * math.pi * 2 * 0.4 / wavelength)
            r = (1 - 2) / (1 + 2)
            t = (1 - r * r) * cmath.sqrt(phase) / (1 - r * r * phase)
            # 45 cells a wavelength in the slab; with 22 the worst is 6.3e-3.
            self.assertLess(abs(value - abs(t) ** 2), 5e-3)

    def test_sheet_transmits_as_its_conductance_says(self):
        tree = json.loads((FOLDER / "slab.json").read_text())
        conductor = {"type": "Medium", "permittivity": 1.0, "conductivity": 0.005}  # S/um over 1 um: 5 mS
        tree["structures"] = [{"geometry": {"type": "Box", "center": [0, 0, 0], "size": ["Infinity", "Infinity", 0]},
                               "medium": {"type": "Medium2D", "ss": conductor, "tt": conductor}}]
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore", torre.TorreWarning)
            found = torre.from_tidy3d(tree, courant=0.7).run(pathlib.Path(folder) / "out", progress=False)["T"].fraction
        for value in found.values:
            self.assertLess(abs(value - (1 + 0.5 * 0.005 * 376.730313) ** -2), 1e-3)

    def test_graphene_transmits_as_its_poles_say(self):
        tree, sheets = (json.loads((FOLDER / f"{name}.json").read_text()) for name in ("slab", "sheets"))
        tree["structures"] = [sheets["structures"][1]]
        poles = [[complex(part["real"], part["imag"]) for part in pole]
                 for pole in sheets["structures"][1]["medium"]["ss"]["poles"]]
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore", torre.TorreWarning)
            found = torre.from_tidy3d(tree).run(pathlib.Path(folder) / "out", progress=False)["T"].fraction
        for wavelength, value in zip(WAVELENGTHS, found.values):
            w = 2 * math.pi * C * 1e12 / wavelength
            chi = -sum(c / (1j * w + a) + (c / (-1j * w + a)).conjugate() for a, c in poles)
            t = 1 / (1 - 0.5j * w / (C * 1e12) * chi)  # of 1 um
            self.assertLess(abs(value - abs(t) ** 2), 5e-5)
            self.assertLess(abs(t) ** 2, 0.98)


if __name__ == "__main__":
    unittest.main()
