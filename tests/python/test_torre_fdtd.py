"""The package src/python/torre_fdtd with the program: TORRE its path, TORRE_SOURCE the repository. Run by
tests/system/python.sh, in an empty folder."""
import os
import pathlib
import re
import stat
import unittest
import warnings

import matplotlib
import numpy

matplotlib.use("Agg")
import torre_fdtd as torre  # noqa: E402

SOURCE = pathlib.Path(os.environ["TORRE_SOURCE"])


def sphere_job(**values):
    """A gold sphere in 50^3 cells, as a job that is checked, not run."""
    sim = torre.Job(**{**dict(size=[300, 300, 300], cell=6, time_fs=60), **values})
    sim += torre.Sphere(medium="Au", radius=40)
    sim += torre.PlaneWave(direction="+z", polarisation="x", time=torre.Pulse(wavelength=580, band=320),
                           box=[[-66] * 3, [66] * 3])
    sim += torre.CrossSection(name="sphere", radius=40, wavelengths=torre.span(450, 750, 31))
    sim += torre.Field(name="near", box=[[-30, 0, -30], [30, 0, 30]], wavelengths=[530])
    return sim


def small_job(time_fs=3.0, place=10.0):
    """12^3 cells between walls, all kinds of results, a fraction of a second."""
    sim = torre.Job(size=[60, 60, 60], cell=5, time_fs=time_fs, tolerance=1e9, boundaries=dict(default="pec"),
                    title="Small job")
    sim += torre.ElectricDipole(position=[0, 0, 0], axis="z", amplitude=1e-12,
                                time=torre.Pulse(wavelength=500, band=200))
    sim += torre.Probe(name="p", position=[place, 0, 0], wavelengths=[400, 500])
    sim += torre.FluxBox(name="o", box=[[-20] * 3, [20] * 3], wavelengths=[400, 500, 600])
    sim += torre.Field(name="f", box=[[-20, 0, -20], [20, 0, 20]], wavelengths=[500])
    sim += torre.Snapshot(name="s", every_fs=1, components=["Ez"])
    sim += torre.Energy(name="e", every=10)
    return sim


def quiet_run(sim, *arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", torre.TorreWarning)
        return sim.run(*arguments, **{"progress": False, **options})


class Classes(unittest.TestCase):
    def test_package_and_program_have_one_version(self):
        self.assertEqual(torre.__version__, torre.program().version)

    def test_every_key_of_the_program_is_an_argument(self):
        from torre_fdtd.parts import argument_of, table

        keys = table()
        made = {}
        for _, _, part in keys.all_classes():
            made.setdefault(part._path, []).append(part)
        for key in torre.program().keys:
            group, _, name = key["path"].rpartition(".")
            if not group:
                self.assertIn(argument_of(name), keys.job_keys)
            elif group in made and name != "type":
                for word in key["applies_to"] or [part._word for part in made[group]]:
                    of_word = [part for part in made[group] if part._word == word]
                    self.assertTrue(of_word and argument_of(name) in of_word[0]._keys, key["path"])
                    self.assertIn(argument_of(name) + ":", of_word[0].__doc__)
            elif name != "type":  # keys of a group that is a dictionary
                above = {of["path"] for of in torre.program().keys}
                self.assertIn(group, above, key["path"])

    def test_names_that_no_key_has(self):
        for argument, call in {
            "raduis": lambda: torre.Sphere(raduis=3),
            "sise": lambda: torre.Job(sise=[1, 2, 3]),
            "epsilon": lambda: torre.Medium(name="a", epsilon=2),
            "wavelenght": lambda: torre.Pulse(wavelenght=500),
        }.items():
            with self.assertRaises(torre.ArgumentError) as caught:
                call()
            self.assertEqual(caught.exception.argument, argument)
            self.assertIn(argument, str(caught.exception))
        with self.assertRaisesRegex(AttributeError, "did you mean Sphere"):
            torre.Spere
        with self.assertRaisesRegex(AttributeError, "torre_fdtd.sources has no Sphere"):
            torre.sources.Sphere

    def test_a_program_of_another_kind_is_refused(self):
        try:
            for path in ("/bin/true", "/no/such/file"):
                torre.use(path)
                with self.assertRaisesRegex(torre.ProgramError, "TORRE"):
                    torre.program()
        finally:
            torre.use(None)


class JobFiles(unittest.TestCase):
    def test_graded_grid(self):
        sim = torre.Job(size=[60, 60, 60], cell=5, time_fs=3, boundaries=dict(default="pec"), max_ratio=1.5,
                        refine=[torre.Refine(axis="z", from_=-5, to=5, cell=2.5), {"axis": "x", "from": 0, "to": 5,
                                                                                   "cell": 2.5}])
        sim += torre.ElectricDipole(position=[0, 0, 0], axis="z", time=torre.Pulse(wavelength=500, band=200))
        cells = sim.check().cells
        self.assertGreater(cells[0], cells[1])
        self.assertGreater(cells[2], cells[0])
        with self.assertRaises(torre.ArgumentError) as caught:
            torre.Refine(axis="z", cells=2.5)
        self.assertEqual(caught.exception.argument, "cells")

    def same(self, sim, name):
        file = SOURCE / "jobs" / name / "job.cfg"
        import json

        answer = json.loads(torre.program().answer(["check", str(file), "--json"]).stdout)
        self.assertEqual(sim.check().results_hash, answer["results_hash"])

    def test_gold_sphere_is_the_job_written_by_hand(self):
        sim = torre.Job(size=[200.0] * 3, cell=2.5, boundaries=dict(cpml=dict(cells=10)), time_fs=150, decay=1e-5)
        sim += torre.Sphere(medium="Au", radius=50)
        sim += torre.PlaneWave(name="wave", box=[[-57.5] * 3, [57.5] * 3], direction="+z", polarisation="x",
                               time=torre.Pulse(wavelength=580, band=320))
        sim += torre.CrossSection(name="sphere", wavelengths=torre.span(450, 750, 31), radius=50)
        sim += torre.Field(name="near_field", box=[[-70, 0, -70], [70, 0, 70]], wavelengths=[530], image=True,
                           image_of=["E"])
        sim += torre.Slice(name="pulse", axis="y", position=0, component="Ex", times_fs=[13, 15])
        self.same(sim, "gold-sphere")

    def test_values_come_back_as_they_were_written(self):
        glass = torre.Medium(index=1.5)
        sim = sphere_job(title='A "title"\\ with\ttabs\nand \x01 π', background=glass)
        sim.add(torre.Box(medium=glass, size=(1, 2.5, numpy.float64(3))), torre.Schedule(threads=1))
        text = sim.text
        self.assertIn(r'title = "A \"title\"\\ with\ttabs\nand \x01 π";', text)
        self.assertIn("size = [1.0, 2.5, 3.0];", text)
        self.assertIn('background = "medium1";', text)
        sim["objects[0].radius"] = 25
        sim["sources[0].box.lo"] = [-60, -66, -66]
        self.assertEqual(sim["objects[0].radius"], 25)
        self.assertIn("lo = [-60, -66, -66];", sim.text)
        copied = sim.copy()
        copied.objects[0].radius = 11
        copied.media and self.fail("a medium of an object is not in the job's list")
        self.assertEqual(sim.objects[0].radius, 25)
        self.assertEqual(sim["grid.order"], None)

    def test_what_no_job_file_holds(self):
        for value in (float("nan"), float("inf"), object(), 1j):
            with self.assertRaises(torre.ArgumentError) as caught:
                sphere_job(courant=value).text
            self.assertEqual(caught.exception.argument, "grid.courant")
        with self.assertRaises(torre.ArgumentError) as caught:
            sphere_job(cell=5, grid=dict(cell=5))
        self.assertEqual(caught.exception.argument, "cell")


# Path of a value, a wrong value, and what the exception calls the argument and its owner.
WRONG = [
    ("grid.cell", -5, "cell", "Grid"),
    ("grid.size", "big", "size", "Grid"),
    ("grid.order", 3, "order", "Grid"),
    ("grid.precision", "fp16", "precision", "Grid"),
    ("grid.courant", 2.0, "courant", "Grid"),
    ("run.time_fs", 0, "time_fs", "Run"),
    ("run.decay", [1], "decay", "Run"),
    ("background", "glas", "background", "Job"),
    ("boundaries.default", "floquet", "default", "Boundaries"),
    ("boundaries.x_lo", dict(type="cpml", cells=0), "x_lo.cells", "Boundaries"),
    ("objects[0].radius", "x", "radius", "Sphere"),
    ("objects[0].medium", "Aq", "medium", "Sphere"),
    ("objects[0].center", [0, 1], "center", "Sphere"),
    ("sources[0].direction", "+q", "direction", "PlaneWave"),
    ("sources[0].polarisation", "z", "polarisation", "PlaneWave"),
    ("sources[0].box.lo", [1, "a", 2], "box.lo", "PlaneWave"),
    ("sources[0].time", None, "time.type", "PlaneWave"),
    ("sources[0].time.wavelength", -1, "wavelength", "Pulse"),
    ("sources[0].time.band", 5000, "band", "Pulse"),
    ("monitors[0].wavelengths.count", 0, "wavelengths.count", "CrossSection"),
    ("monitors[0].radius", True, "radius", "CrossSection"),
    ("monitors[1].wavelengths", [], "wavelengths", "Field"),
    ("monitors[1].box.hi", [900, 0, 30], "box.hi", "Field"),
    ("monitors[1].components", ["Qx"], "components", "Field"),
    ("monitors[1].name", "sphere", "name", "Field"),
    ("schedule.threads", -1, "threads", "Schedule"),
]


class WrongArguments(unittest.TestCase):
    def test_each_is_named(self):
        sphere_job().check()
        for path, value, argument, owner in WRONG:
            with self.subTest(path):
                sim = sphere_job()
                sim[path] = value
                with self.assertRaises(torre.JobError) as caught:
                    sim.check()
                fault = next(f for f in caught.exception.faults if f.argument == argument)
                self.assertEqual(type(fault.part).__name__, owner)
                self.assertIn(path.rpartition(".")[2], str(caught.exception))
                self.assertNotIn("/tmp", str(caught.exception))

    def test_missing_ones_are_named_and_all_faults_come_at_once(self):
        with self.assertRaises(torre.JobError) as caught:
            torre.Job(title="t").run("never")
        self.assertLessEqual({"size", "cell"}, set(caught.exception.arguments))
        self.assertFalse(os.path.exists("never"))

    def test_an_object_that_does_not_fit_is_named(self):
        sim = sphere_job()
        sim.objects[0].radius = 100
        with self.assertRaises(torre.JobError) as caught:
            sim.plan()
        self.assertIs(caught.exception.faults[0].part, sim.monitors[0])

    def test_files_of_objects_are_brought(self):
        corners = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
        place = [(0, 0, 0), (20, 0, 0), (0, 20, 0), (0, 0, 20)]
        with open("body.stl", "w", encoding="ascii") as file:
            file.write("solid\n")
            for face in corners:
                file.write("facet\n" + "".join("vertex %g %g %g\n" % place[i] for i in face) + "endfacet\n")
            file.write("endsolid\n")
        sim = sphere_job()
        medium = sim.objects[0].medium
        sim.objects.append(torre.objects.Union(medium=medium, parts=[
            torre.objects.Stl(file="body.stl"), torre.objects.Sphere(radius=5)]))
        sim.check()


class Runs(unittest.TestCase):
    def test_results_have_units_and_coordinates(self):
        r = quiet_run(small_job(), "units", threads=1)
        self.assertEqual(list(r), ["p", "o", "f", "s", "e"])
        spectrum = r["o"].fraction
        self.assertEqual(list(spectrum.wavelength), [400, 500, 600])
        self.assertEqual((spectrum.wavelength.units, spectrum.units), ("nm", "1"))
        table = r.table("spectra.csv")
        numpy.testing.assert_allclose(spectrum, table["fraction"], rtol=1e-8)
        times = r.table("p.csv")
        numpy.testing.assert_allclose(r["p"].Ez, times["Ez_V_per_m"], rtol=1e-8, atol=1e-30)
        self.assertEqual((r["p"].Ez.time.units, r["p"].Ez.units), ("fs", "V/m"))
        self.assertAlmostEqual(float(r["p"].Ez.time[0]), float(times.time_fs[0]), 8)
        spectra = r.table("p_spectrum.csv")
        numpy.testing.assert_allclose(abs(r["p"].Ez_spectrum), spectra.Ez_V_per_m_per_Hz, rtol=1e-12)
        self.assertEqual(r["p"].Ez_spectrum.units, "V/m/Hz")
        field = r["f"].Ex.sel(wavelength=500)
        self.assertTrue(numpy.iscomplexobj(field.values))
        self.assertEqual(field.dims, ("z", "y", "x"))
        self.assertEqual(field.x.units, "nm")
        self.assertAlmostEqual(float(field.x[0]), -17.5)  # Ex lies between nodes along x
        self.assertEqual(r["s"].Ez.dims, ("time", "z", "y", "x"))
        self.assertEqual(r["s"].Ez.shape[1:], (12, 12, 12))
        self.assertGreater(float(abs(r["s"].Ez).max()), 0)
        self.assertEqual(r.energy.units, "J")
        common = r["f"].dataset
        self.assertEqual(common.Ex.shape, common.Ez.shape)
        self.assertEqual(list(common.x), [-15, -10, -5, 0, 5, 10, 15, 20])
        numpy.testing.assert_allclose(common.Ex.sel(x=0, z=5),
                                      (r["f"].Ex.sel(x=-2.5, z=5) + r["f"].Ex.sel(x=2.5, z=5)) / 2)

    def test_poynting_vector(self):
        """Behind a plate of glass: that of the flux; it falls with the cells' square."""
        for cell, limit in ((10, 2.4e-3), (5, 6e-4)):
            sim = torre.Job(size=[2 * cell, 2 * cell, 800], cell=cell, time_fs=60, tolerance=1e9, precision="fp64",
                            boundaries=dict(x_lo="pec", x_hi="pec", y_lo="pmc", y_hi="pmc", z_lo="cpml", z_hi="cpml"))
            sim += torre.Medium(name="glass", index=1.5)
            sim += torre.Layer(medium="glass", axis="z", lo=-100, hi=100)
            sim += torre.PlaneWave(direction="+z", polarisation="x", time=torre.Pulse(wavelength=500, band=200),
                                   box=dict(lo=[-cell, -cell, -250], hi=[cell, cell, 1000]))
            sim += torre.Field(name="f", box=[[-cell, -cell, 150], [cell, cell, 150 + 2 * cell]],
                               wavelengths=[450, 550], components=["Ex", "Ey", "Ez", "Hx", "Hy", "Hz"])
            sim += torre.Field(name="plane", box=[[-cell, -cell, 150], [cell, cell, 150]], wavelengths=[450],
                               components=["Ex", "Ey", "Ez", "Hx", "Hy", "Hz"])
            sim += torre.Field(name="E", box=[[-cell, -cell, 150], [cell, cell, 170]], wavelengths=[450])
            sim += torre.Flux(name="t", box=[[-cell, -cell, 150], [cell, cell, 150]], wavelengths=[450, 550])
            r = quiet_run(sim, f"poynting{cell}", threads=1)
            s = r["f"].poynting()
            self.assertEqual(s.Sz.units, "W/m^2")
            through = 2 * 376.730313668 * s.Sz.mean(("x", "y", "z"))
            error = float(abs(through - r["t"].fraction).max())
            self.assertTrue(1e-6 < error < limit, error)
            self.assertLess(float(abs(s.Sx).max()), 1e-9 * float(s.Sz.max()))
        with self.assertRaisesRegex(ValueError, "one place along z"):
            r["plane"].poynting()
        with self.assertRaisesRegex(ValueError, "found Ex, Ey, Ez"):
            r["E"].poynting()

    def test_far_fields_on_a_line_in_space_and_on_cosines(self):
        """A beam out of glass: projected from a line over it to another one, against the grid's own field there."""
        worst = []
        for cell in (20, 10):
            sim = torre.Job(size=[5000, 2400], cell=cell, polarisation="TM", time_fs=60, tolerance=1e9)
            sim += torre.Medium(name="glass", index=1.5)
            sim += torre.Layer(medium="glass", axis="y", hi=-500)
            sim += torre.GaussianBeam(direction="+y", waist=600, focus=[0, -500], box=[[-2000, -800], [2000, -800]],
                                      time=torre.Pulse(wavelength=600, band=150))
            sim += torre.FarField(name="seen", wavelengths=[600], step_deg=1, box=[[-2300, -300], [2300, -300]],
                                  plane=dict(lo=[-1500, 900], hi=[1500, 900], step=10),
                                  cosines=dict(towards="+y", limit=0.5, step=0.25))
            sim += torre.Field(name="there", wavelengths=[600], components=["Ez"], box=[[-1500, 900], [1500, 900]])
            sim += torre.Flux(name="power", wavelengths=[600], box=[[-1500, 900], [1500, 900]])
            results = quiet_run(sim, folder=f"line-{cell}")
            seen, there = results["seen"], results["there"].Ez.isel(wavelength=0).squeeze()
            off = seen.plane_Ez.isel(wavelength=0) - there.interp(x=seen.plane_Ez.x)
            worst.append(float(abs(off).max() / abs(there).max()))
            self.assertLess(abs(float(seen.plane_power[0] / results["power"].power_J_per_Hz_m[0]) - 1), 2e-3)
            self.assertEqual(list(seen.cosines_power_per_angle.ux), [-0.5, -0.25, 0, 0.25, 0.5])
            angles = seen.power_per_angle.isel(wavelength=0)  # cosines of 0, 60 and 120 degrees
            for cosine, degrees in ((-0.5, 120), (0, 90), (0.5, 60)):
                self.assertAlmostEqual(float(seen.cosines_power_per_angle.sel(ux=cosine)[0] / angles[degrees]), 1, 6)
        self.assertLess(worst[1], 4e-3)
        self.assertGreater(worst[0] / worst[1], 3.5)

    def test_pictures(self):
        r = quiet_run(small_job(), "units")
        lines = r.plot()
        self.assertEqual(lines.get_xlabel(), "wavelength [nm]")
        self.assertTrue(lines.get_lines())
        plane = r["f"].plot(wavelength=500)
        self.assertEqual((plane.get_xlabel(), plane.get_ylabel()), ("x [nm]", "z [nm]"))
        r["s"].plot("Ez", time=2, y=0)
        r["p"].plot("Ez")
        with self.assertRaisesRegex(ValueError, "name places such as"):
            r["s"].plot("Ez")
        if "pictures  by cairo" in torre.program().answer(["--version"]).stdout:
            picture = sphere_job().plot("section.svg", z=0)
            self.assertTrue(picture.png.startswith(b"\x89PNG"))
            self.assertIn("<svg", pathlib.Path("section.svg").read_text(encoding="utf-8"))
            picture.show()
        with self.assertRaises(torre.ArgumentError):
            sphere_job().plot(q=0)

    def test_a_folder_of_another_job_is_refused(self):
        first = quiet_run(small_job(), "mine")
        before = (first.folder / "run.json").stat().st_mtime_ns
        self.assertEqual((quiet_run(small_job(), "mine").folder / "run.json").stat().st_mtime_ns, before)
        with self.assertRaisesRegex(torre.FolderError, "another job"):
            quiet_run(small_job(place=15), "mine")
        self.assertEqual(first.table("p.csv").sizes, torre.Results("mine").table("p.csv").sizes)
        small_job(place=15).write("foreign/job.cfg")
        with self.assertRaisesRegex(torre.FolderError, "another job"):
            quiet_run(small_job(), "foreign")
        self.assertFalse(os.path.exists("foreign/run.json"))
        again = quiet_run(small_job(place=15), "mine", overwrite=True)
        self.assertNotEqual(again.run["results_hash"], first.run["results_hash"])
        with self.assertRaises(torre.FolderError):
            torre.Results("foreign")

    def test_without_a_folder_each_job_has_its_own(self):
        a, b = quiet_run(small_job()), quiet_run(small_job(place=15))
        self.assertNotEqual(a.folder, b.folder)
        self.assertTrue(a.folder.name.startswith("small-job-"))

    def test_an_interrupt_saves_the_state_and_the_same_call_goes_on(self):
        seen = []

        def interrupt(line):
            seen.append(line)
            if line["step"] > 0 and len(seen) < 3:
                raise KeyboardInterrupt

        sim = small_job(time_fs=6000)  # seconds: the interrupt comes before its end
        sim["monitors"] = sim.monitors[:1]
        with self.assertRaises(torre.StoppedError):
            quiet_run(sim, "stopped", progress=interrupt)
        self.assertTrue(os.listdir("stopped/checkpoint"))
        ended = quiet_run(sim, "stopped", progress=seen.append)
        self.assertGreater(ended.run["first_step"], 0)
        self.assertEqual(ended.run["steps"], seen[-1]["steps"])

    def test_a_run_that_fails_says_why(self):
        sim = small_job()
        os.makedirs("full/results.h5/in_the_way")
        with self.assertRaises(torre.RunError) as caught:
            quiet_run(sim, "full")
        self.assertEqual(caught.exception.status, 1)
        self.assertIn("results.h5", str(caught.exception))

    def test_two_processes_give_the_same(self):
        if not re.search("ranks +several", torre.program().answer(["--version"]).stdout):
            self.skipTest("built without MPI")
        launcher = ("mpirun", "--oversubscribe", "--bind-to", "none")
        one = quiet_run(small_job(), "one", threads=1)
        two = quiet_run(small_job(), "two", processes=2, launcher=launcher, threads=1)
        self.assertEqual(numpy.prod(two.run["ranks"]["grid"]), 2)
        numpy.testing.assert_array_equal(one["f"].Ez, two["f"].Ez)


class Sweeps(unittest.TestCase):
    def test_finished_points_are_not_repeated_and_a_failure_stops_no_other(self):
        values = {"monitors[0].position": [[5, 0, 0], [10, 0, 0], [15, 0, 0]]}
        sim = small_job()
        sim["monitors[0].position"] = [10, 0, 0]
        stale = pathlib.Path("sweep") / sim.check().results_hash
        small_job(time_fs=1).write(stale / "job.cfg")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            done = torre.sweep(small_job(), values, "sweep", progress=False)
            self.assertEqual(list(done.failures), [1])
            times = [r.run["finished"] for r in done.results if r]
            (stale / "job.cfg").unlink()
            done = torre.sweep(small_job(), values, "sweep", progress=False)
        self.assertFalse(done.failures)
        self.assertEqual([done.results[i].run["finished"] for i in (0, 2)], times)

    def test_runs_side_by_side_give_the_same(self):
        values = {"monitors[0].position": [[5, 0, 0], [10, 0, 0], [15, 0, 0]]}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            one = torre.sweep(small_job(), values, "one", progress=False)
            both = torre.sweep(small_job(), values, "both", at_once=2, options=["--threads=1"])
            times = [r.run["finished"] for r in both.results]
            (both.results[1].folder / "run.json").unlink()
            both.results[1].folder.joinpath("job.cfg").write_text("title = 1;")
            again = torre.sweep(small_job(), values, "both", at_once=0)
        self.assertEqual(list(again.failures), [1])
        self.assertIn("is another job", str(again.failures[1]))
        self.assertEqual([again.results[i].run["finished"] for i in (0, 2)], [times[0], times[2]])
        for a, b in zip(one, both):
            numpy.testing.assert_array_equal(a[1]["f"].Ez, b[1]["f"].Ez)

    def test_numbers_are_collected_along_the_swept_values(self):
        def job(place, time_fs):
            return small_job(time_fs, place)

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            done = torre.sweep(job, {"place": [5, 10, 15], "time_fs": [2.0, 3.0]}, "sweep", progress=False)
        whole = done.collect(lambda r: r["o"].fraction)
        self.assertEqual(whole.dims, ("place", "time_fs", "wavelength"))
        self.assertEqual(whole.shape, (3, 2, 3))
        single = quiet_run(small_job(2.0, 10), "single")
        numpy.testing.assert_array_equal(whole.sel(place=10, time_fs=2.0), single["o"].fraction)


def program_file(name, text):
    """An executable script in the folder bin."""
    path = pathlib.Path("bin") / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("#!/bin/bash\n" + text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


class Slurm(unittest.TestCase):
    """With programs in place of Slurm's that run the script at once; tests/system/slurm.sh has the real ones."""

    def test_the_job_is_handed_over_and_read_back(self):
        program_file("sbatch", 'printf "%s\\n" "$@" >sbatch.txt\nshift 4\n'
                               "SLURM_JOB_ID=4711 SLURM_CPUS_ON_NODE=1 LAUNCH=env bash \"$@\" >slurm.txt 2>&1\n"
                               "echo '4711;cluster'\n")
        program_file("squeue", '[[ $* == *%L* ]] && echo 1:00:00\nexit 0\n')
        path = os.environ["PATH"]
        os.environ["PATH"] = os.path.abspath("bin") + os.pathsep + path
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                script = pathlib.Path(os.environ["TORRE_SOURCE"], "jobs/batch/slurm.sh")
                job = small_job().submit("queued", nodes=1, time="1:00:00", options=["--threads=1"], script=script)
            self.assertEqual((job.id, job.state), ("4711", "FINISHED"))
            self.assertEqual(job.wait(timeout=1)["o"].fraction.shape, (3,))
            given = pathlib.Path("sbatch.txt").read_text().splitlines()
            self.assertEqual(given[2:4], ["--nodes=1", "--time=1:00:00"])
            with self.assertRaisesRegex(torre.RunError, "ENDED"):
                torre.Submission("4712", pathlib.Path("nowhere"), "0").wait(timeout=1)
        finally:
            os.environ["PATH"] = path


class Page(unittest.TestCase):
    def test_the_first_example_of_the_page_runs(self):
        page = (SOURCE / "docs/user/python.md").read_text(encoding="utf-8")
        code = re.search(r"```python\n(.*?)```", page, re.S).group(1)
        statements = [line for line in code.splitlines() if line and not line.startswith((" ", "#"))]
        self.assertLessEqual(len(statements), 10)
        coarse = re.sub(r"time_fs=[0-9.]+", "time_fs=12", re.sub(r"cell=[0-9.]+", "cell=6", code))
        self.assertNotEqual(coarse, code)
        names = {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(coarse, names)
        self.assertGreater(float(names["results"]["sphere"].Q_ext.max()), 1)


if __name__ == "__main__":
    unittest.main()
