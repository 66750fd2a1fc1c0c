"""Rows of the table of surfaces: the jobs of each, how they are measured, and the limits. Used by table.py.

A job's name is unique in its row. measure(results) gets {job: Result} and returns {quantity: value}; errors are
fractions, shifts nm. `now` is what the rule of 2026-11 was said to have when the limits were written.
"""
import math

import conductors
import references
import scenes
from references import ROW, WAVELENGTHS, peak
from scenes import OFF_NODE, ON_NODE, painted, scattering

PLACES = {"on": ON_NODE, "off": OFF_NODE}
# Eight places of an object in the cell, in cells.
EIGHT = (ON_NODE, OFF_NODE, (0.5, 0.5, 0.5), (0.5, 0, 0.25), (0.12, 0.62, 0.83), (0.77, 0.31, 0.56), (0.9, 0.85, 0.1),
         (0.05, 0.45, 0.7))
EXACT = references.load()
CHEAP, COSTLY = "cheap", "costly"


class Case:
    """jobs(pad): {name: text}; limits: (quantity, unit, now, must, aim), as texts, "" for none; unit % or nm or 1."""

    def __init__(self, key, title, cost, jobs, measure, limits):
        self.key, self.title, self.cost, self.jobs, self.measure, self.limits = key, title, cost, jobs, measure, limits


def relative(got, exact):
    return max(abs(got[nm] / exact[nm] - 1) for nm in got)


def rms(got, exact):
    return math.sqrt(sum((got[nm] / exact[nm] - 1) ** 2 for nm in got) / len(got))


def within(spectrum, lo, hi):
    return {nm: v for nm, v in spectrum.items() if lo - 1e-6 <= nm <= hi + 1e-6}


def worst(results, of):
    return max(of(result) for result in results.values())


def placed(make):
    """Jobs of both places; make(at, pad)."""
    return lambda pad: {name: make(at, pad) for name, at in PLACES.items()}


def dielectric(cells, order):
    def make(at, pad):
        return scattering(painted(scenes.sphere("two", 100)), 100, 100 / cells, at, WAVELENGTHS["dielectric"],
                          "ultraviolet", 100, order, pad=pad)
    must, aim = {(2, 10): ("1.0", "0.9"), (2, 20): ("0.35", "0.25"), (4, 10): ("1.0", "0.5"), (4, 20): ("0.25", "0.12")
                 }[order, cells]
    now = {(2, 10): "2.7", (2, 20): "1.5", (4, 10): "3.7", (4, 20): ""}[order, cells]
    return Case(f"dielectric{cells}" + ("o4" if order == 4 else ""),
                f"n = 2 sphere, {cells} cells a radius, order {order}", CHEAP if cells == 10 and order == 2 else COSTLY,
                placed(make),
                lambda r: {"Q_sca": worst(r, lambda x: relative(x["Q_sca"], EXACT["dielectric"]["Q_sca"]))},
                [("Q_sca", "%", now, must, aim)])


def silicon(order):
    def make(at, pad):
        return scattering(painted(scenes.sphere("silicon", 100)), 100, 10, at, WAVELENGTHS["silicon"], "red", 100,
                          order, time=400, pad=pad)
    exact = peak(EXACT["silicon"]["Q_sca"])
    return Case("silicon" + ("o4" if order == 4 else ""), f"n = 3.5 sphere, 10 cells a radius, order {order}",
                CHEAP if order == 2 else COSTLY, placed(make),
                lambda r: {"peak": worst(r, lambda x: abs(peak(x["Q_sca"]) / exact - 1))},
                [("peak", "%", "", *{2: ("0.4", "0.25"), 4: ("0.15", "0.05")}[order])])


def gold(cells):
    def make(at, pad):
        return scattering(painted(scenes.sphere("Au", 50)), 50, 50 / cells, at, WAVELENGTHS["gold"], "visible", 50,
                          time=150, pad=pad)

    def measure(results):
        exact = EXACT["gold"]
        found = {q: worst(results, lambda x, q=q: relative(within(x[q], 450, 750), exact[q]))
                 for q in ("Q_ext", "Q_sca")}
        found["Q_abs"] = worst(results, lambda x: max(abs(v - exact["Q_abs"][nm])
                                                      for nm, v in within(x["Q_abs"], 750, 1000).items()))
        return found
    limits = [("Q_ext", "%", "11" if cells == 10 else "", *(("2", "1.3") if cells == 10 else ("", ""))),
              ("Q_sca", "%", "", *(("2", "1.3") if cells == 10 else ("", ""))),
              ("Q_abs", "1", "0.005" if cells == 10 else "", *(("0.006", "0.003") if cells == 10 else
                                                              ("0.001", "0.001")))]
    return Case(f"gold{cells}", f"Rakic gold, 50 nm, {cells} cells a radius: 450 to 750 nm; Q_abs 750 to 1000 nm",
                CHEAP if cells == 10 else COSTLY, placed(make), measure, limits)


def lossy(medium):
    def make(at, pad):
        return scattering(painted(scenes.sphere(medium, 100)), 100, 10, at, WAVELENGTHS[medium], "ultraviolet", 100,
                          pad=pad)
    return Case(f"{medium}10", f"{medium} sphere, 100 nm, 10 cells a radius", CHEAP, placed(make),
                lambda r: {q: worst(r, lambda x, q=q: relative(x[q], EXACT[medium][q])) for q in ("Q_ext", "Q_abs")},
                [(q, "%", "", "", "") for q in ("Q_ext", "Q_abs")])


def cylinder(medium, cell, key):
    """2-D: errors relative in extinction, absolute in absorption, of efficiencies."""
    name, radius = f"cylinder_{medium}", references.CYLINDER[medium]

    def jobs(pad):
        return {field + place: scenes.across_cylinder(medium, radius, cell, at, field, WAVELENGTHS[name],
                                                      "visible" if medium == "Au" else "violet", pad=pad)
                for field in ("TE", "TM") for place, at in PLACES.items()}

    def measure(results):
        found = {}
        for job, result in results.items():
            field, exact = job[:2], EXACT[name]
            ext, absorbed = ({nm: v / (2 * radius) for nm, v in result[f"C_{q}_nm"].items()} for q in ("ext", "abs"))
            for quantity, error in ((f"{field} ext", relative(ext, exact[f"{field}_ext"])),
                                    (f"{field} abs", max(abs(v - exact[f"{field}_abs"][nm])
                                                         for nm, v in absorbed.items()))):
                found[quantity] = max(found.get(quantity, 0), error)
        return found
    return Case(key, f"2-D: {medium} cylinder, {radius:g} nm, {cell:g} nm cells", CHEAP, jobs, measure,
                [(f"{field} {q}", unit, "", "", "") for field in ("TE", "TM")
                 for q, unit in (("ext", "%"), ("abs", "1"))])


def conducting_cylinder(cells):
    return Case(f"pec_cylinder{cells}", f"2-D: cylinder of PEC, {cells} cells a radius", CHEAP,
                lambda pad: conductors.cylinder_jobs(100 / cells, PLACES, pad), conductors.cylinder_errors,
                [("TE ext", "%", "", "", ""), ("TM ext", "%", "", "", "")])


def conducting_sphere(cells, order):
    return Case(f"pec_sphere{cells}" + ("o4" if order == 4 else ""), f"sphere of PEC, {cells} cells a radius, order "
                f"{order}", CHEAP if cells == 10 else COSTLY,
                placed(lambda at, pad: conductors.sphere_job(100 / cells, at, pad, order)),
                lambda r: {"Q_ext": worst(r, lambda x: conductors.worst(x["Q_ext"], conductors.sphere))},
                [("Q_ext", "%", "", "", "")])


def shifts(reference, quantity, results):
    exact = peak(EXACT[reference][quantity])
    return worst(results, lambda x: abs(peak(x[quantity]) - exact))


def silver():
    def make(at, pad):
        return scattering(painted(scenes.sphere("Ag", 25)), 25, 2.5, at, WAVELENGTHS["silver"], "violet", 25,
                          time=150, pad=pad)
    return Case("silver", "silver, 25 nm, 2.5 nm cells, 350 to 450 nm", CHEAP, placed(make),
                lambda r: {"Q_ext": worst(r, lambda x: relative(x["Q_ext"], EXACT["silver"]["Q_ext"])),
                           "peak": shifts("silver", "Q_ext", r)},
                [("Q_ext", "%", "", "6", "3"), ("peak", "nm", "", "1", "0.5")])


def coated():
    def make(at, pad):
        shape = painted(scenes.sphere("Au", 40), scenes.sphere("glass", 37))
        return scattering(shape, 40, 2, at, WAVELENGTHS["coated"], "far", 40, time=150, pad=pad)

    def measure(results):
        exact = EXACT["coated"]["Q_ext"]
        return {"Q_ext": worst(results, lambda x: relative(within(x["Q_ext"], 600, 1000), exact)),
                "peak": shifts("coated", "Q_ext", results) / peak(exact)}
    return Case("coated", "gold shell of 3 nm on n = 1.45, outer radius 40 nm, 2 nm cells, 600 to 1000 nm", COSTLY,
                placed(make), measure, [("peak", "%", "", "1", "0.5"), ("Q_ext", "%", "", "6", "3")])


def spheroid(cell):
    def make(at, pad):
        return scattering(painted(scenes.ellipsoid("Au", (50, 20, 20))), (50, 20, 20), cell, at,
                          WAVELENGTHS["spheroid"], "visible", time=150, pad=pad)
    return Case(f"spheroid{cell}", f"gold spheroid 40 x 100 nm, {cell} nm cells: its long peak", CHEAP if cell == 4
                else COSTLY, placed(make), lambda r: {"peak": shifts("spheroid", "C_ext_nm2", r)},
                [("peak", "nm", "", *{4: ("4", "2"), 2: ("1", "0.5")}[cell])])


def rod():
    wavelengths = references.steps(560, 960, 8)

    def jobs(pad):
        return {f"{cell}{name}": scenes.rod_on_glass(cell, at, wavelengths, pad) for cell in (4, 1.6)
                for name, at in PLACES.items()}

    def measure(results):
        peaks = {name: peak(result["C_ext_nm2"]) for name, result in results.items()}
        fine = [p for name, p in peaks.items() if name.startswith("1.6")]
        return {"peak": max(abs(p - f) for name, p in peaks.items() if name.startswith("4") for f in fine)}
    return Case("rod", "gold rod of 60 x 20 nm on glass, its peak from 4 to 1.6 nm cells", COSTLY, jobs, measure,
                [("peak", "nm", "12", "3", "1.5")])


def film():
    def jobs(pad):
        return {f"{h:g}": scenes.flat_film(4, h, WAVELENGTHS["film"], pad) for h in (0, 0.3, 0.5)}

    def measure(results):
        exact = EXACT["film"]
        return {"R": worst(results, lambda x: max(abs(-v - exact["R"][nm]) for nm, v in x["R.fraction"].items())),
                "T": worst(results, lambda x: max(abs(v - exact["T"][nm]) for nm, v in x["T.fraction"].items()))}
    return Case("film", "gold film of 20 nm at heights 0, 0.3, 0.5 cell, 4 nm cells", CHEAP, jobs, measure,
                [(q, "1", "", "0.005", "0.002") for q in "RT"])


def tilted(medium, key, title, exact):
    """exact: {"R": {nm: value}, "T": ...}."""
    def jobs(pad):
        return {name: scenes.tilted_film(4, at, film, ROW, WAVELENGTHS["beam"], pad=pad)
                for name, at, film in (*((name, at, medium) for name, at in PLACES.items()), ("empty", ON_NODE, None))}

    def down(result, nm):
        return sum(result[name][nm] * (1 if "u." in name else -1) for name in result.columns()
                   if name.startswith(("N", "M")) and name.endswith("power_J_per_Hz"))

    def measure(results):
        empty, below, error = results.pop("empty"), "T.power_J_per_Hz", {"R": 0, "T": 0}
        for result in results.values():
            for nm in WAVELENGTHS["beam"]:
                values = {"R": 1 - down(result, nm) / down(empty, nm), "T": result[below][nm] / empty[below][nm]}
                for q, value in values.items():
                    error[q] = max(error[q], abs(value - exact[q][nm]))
        return error
    limits = ("0.005", "0.002") if medium == "Au" else ("", "")
    return Case(key, title, CHEAP, jobs, measure, [(q, "1", "", *limits) for q in "RT"])


def tilted_films():
    mirror = {"R": {nm: 1 for nm in WAVELENGTHS["beam"]}, "T": {nm: 0 for nm in WAVELENGTHS["beam"]}}
    return [tilted("Au", "tilted", "the same film turned by 20 degrees, a beam at right angles to it", EXACT["beam"]),
            tilted("pec", "pec_tilted", "the same of PEC", mirror)]


def decay(cell):
    exact = EXACT["decay"]

    def jobs(pad):
        return {f"{axis}_{name}": scenes.dipole_at_silver(cell, at, axis, WAVELENGTHS["decay"], pad=pad)
                for axis in "zx" for name, at in PLACES.items()}

    def rates(name):
        """Of a dipole along x the sphere's centre lies aside: part of the moment is radial."""
        tilt = (PLACES[name[2:]][0] * cell / (references.SILVER_RADIUS + references.HEIGHT)) if name[0] == "x" else 0
        aside = math.hypot(*PLACES[name[2:]][:2]) * cell / (references.SILVER_RADIUS + references.HEIGHT)
        part = tilt ** 2 if name[0] == "x" else 1 - aside ** 2
        return {nm: part * exact["radial"][nm] + (1 - part) * exact["tangential"][nm] for nm in exact["radial"]}

    def measure(results):
        error = {"radial": 0, "tangential": 0}
        for name, result in results.items():
            axis = "radial" if name[0] == "z" else "tangential"
            error[axis] = max(error[axis], relative(result["fraction"], rates(name)))
        return error
    must, aim = {2: ("5", "3"), 1: ("2", "1")}[cell]
    return Case(f"decay{cell}", f"dipole 10 nm above silver, radius 40 nm, {cell} nm cells, 420 to 620 nm: total rate",
                COSTLY, jobs, measure, [(q, "%", "4 to 19" if cell == 2 else "", must, aim)
                                        for q in ("radial", "tangential")])


def convergence():
    """Orders from cells of 10 and 5 nm (cheap) and, of the row `order_fine`, from 5 and 2.5 nm."""
    def thick(cell, at, pad):
        shape = painted(scenes.sphere("Au", 50), scenes.sphere("glass", 30))
        return scattering(shape, 50, cell, at, WAVELENGTHS["thick_coat"], "visible", 50, time=150, pad=pad)

    def rounded(cell, at, pad):
        return scattering(painted(*scenes.rounded_box("two", 160, 40)), 80, cell, at, references.steps(400, 700, 25),
                          "visible", time=150, pad=pad)

    def spheroids(cell, at, pad):
        return scattering(painted(scenes.ellipsoid("Au", (50, 20, 20))), (50, 20, 20), cell, at,
                          WAVELENGTHS["spheroid"], "visible", time=150, pad=pad)

    def case(key, cost, cells, box_cells):
        def jobs(pad):
            found = {}
            for name, at in PLACES.items():
                for c in cells:
                    found[f"coat{c}{name}"] = thick(c, at, pad)
                    found[f"spheroid{c * 0.8:g}{name}"] = spheroids(c * 0.8, at, pad)
                for c in box_cells:
                    found[f"box{c}{name}"] = rounded(c, at, pad)
            return found

        def measure(results):
            def error(scene, cell, quantity, reference):
                return math.sqrt(sum(rms(results[f"{scene}{cell:g}{name}"][quantity], EXACT[reference][quantity]) ** 2
                                     for name in PLACES))

            def change(a, b):
                return math.sqrt(sum(rms(results[f"box{a}{name}"]["C_ext_nm2"], results[f"box{b}{name}"]["C_ext_nm2"])
                                     ** 2 for name in PLACES))
            ratio = math.log(cells[0] / cells[1])
            found = {"coated": math.log(error("coat", cells[0], "Q_ext", "thick_coat") /
                                        error("coat", cells[1], "Q_ext", "thick_coat")) / ratio,
                     "spheroid": math.log(error("spheroid", cells[0] * 0.8, "C_ext_nm2", "spheroid") /
                                          error("spheroid", cells[1] * 0.8, "C_ext_nm2", "spheroid")) / ratio}
            a, b, c = box_cells
            found["rounded box"] = math.log(change(a, b) / change(b, c)) / math.log(a / b)
            return found
        return Case(key, f"order of convergence of C_ext: cells of {cells[0]:g}, {cells[1]:g} nm (spheroid "
                    f"{cells[0] * 0.8:g}, {cells[1] * 0.8:g}; box {', '.join('%g' % b for b in box_cells)})", cost,
                    jobs, measure, [(q, "order", "1", "1.7", "2") for q in ("coated", "spheroid", "rounded box")])
    return [case("order", CHEAP, (10, 5), (20, 10, 5)), case("order_fine", COSTLY, (5, 2.5), (10, 5, 2.5))]


def spread(medium, cell):
    shapes = {"box": (scenes.box(medium, (100, 100, 100)), 50),
              "tilted bar": (scenes.prism(medium, scenes.turned(100, 60, 20), -50, 50), (60, 50, 50)),
              "prism": (scenes.prism(medium, [(-50, -43), (50, -43), (0, 44)], -50, 50), 50)}

    def jobs(pad):
        return {f"{shape}{i}": scattering(painted(draw), extent, cell, at, references.steps(450, 750, 50), "visible",
                                          time=150, pad=pad)
                for shape, (draw, extent) in shapes.items() for i, at in enumerate(EIGHT)}

    def measure(results):
        found = {}
        for shape in shapes:
            columns = [results[f"{shape}{i}"]["C_ext_nm2"] for i in range(len(EIGHT))]
            found[shape] = max((max(c[nm] for c in columns) - min(c[nm] for c in columns)) /
                               (sum(c[nm] for c in columns) / len(columns)) for nm in columns[0])
        return found
    limits = ("9", "1", "0.5") if cell == 10 else ("", "", "")
    return Case(f"spread_{medium}" + (f"{cell:g}" if cell != 10 else ""),
                f"spread of C_ext over 8 places in the cell, {medium}, 100 nm, {cell:g} nm cells", CHEAP if cell == 10
                else COSTLY, jobs, measure, [(shape, "%", *limits) for shape in shapes])


def energy():
    media, precisions = ("Au", "Ag", "two", "silicon", "pec"), ("fp32", "fp64")

    def jobs(pad):
        return {f"{m}_{p}": scenes.closed_box(m, p) for m in media for p in precisions} if pad == 1 else {}

    def measure(results):
        """Mean energy of a tenth of the run over that of the tenth before, the largest from the second tenth on."""
        found = {}
        for name, result in results.items():
            values = result.energy()
            tenth = len(values) // 10
            means = [sum(values[i * tenth:(i + 1) * tenth]) for i in range(1, 10)]
            found[name] = max(b / a for a, b in zip(means, means[1:]))
        return found
    return Case("energy", "all shapes in a closed box, 50,000 steps: growth of the energy from tenth to tenth", CHEAP,
                jobs, measure, [(f"{m}_{p}", "ratio", "", "1.01", "1.001") for m in media for p in precisions])


def all_cases():
    cheap = [dielectric(10, 2), gold(10), silver(), film(), *tilted_films(), silicon(2), spheroid(4),
             *convergence()[:1],
             spread("two", 10), spread("Au", 10), energy(), lossy("conducting"), lossy("debye"),
             cylinder("Au", 5, "cylinder_Au10"), cylinder("Au", 2.5, "cylinder_Au20"),
             cylinder("Ag", 2.5, "cylinder_Ag10"), *(conducting_cylinder(c) for c in (10, 20, 40)),
             *(conducting_sphere(c, order) for order in (2, 4) for c in (10, 20)), conducting_sphere(40, 2),
             spread("two", 5), spread("Au", 5)]
    costly = [dielectric(20, 2), dielectric(10, 4), dielectric(20, 4), silicon(4), coated(), gold(20), spheroid(2),
              rod(), decay(2), decay(1), *convergence()[1:]]
    return {case.key: case for case in cheap + costly}
