#!/usr/bin/env python3
"""Error against cells a radius, for each rule of cut cells: a dielectric and a gold sphere against Mie's series.

    python3 jobs/accuracy/convergence.py --torre build/torre

Writes convergence.csv and convergence.svg into --out. Dielectric: n = 2, radius 100 nm, root mean square of the
relative error of Q_sca at kr = 1.13, 1.51, 1.88, 2.26. Gold: radius 50 nm (Rakic), of Q_ext from 450 to 750 nm. Of the
sphere's centre on a node and off it by (0.3, 0.17, 0.41) cells, the larger. --draw CSV draws again without running.
Of the source tree: needs tests/stress/surfaces.
"""
import argparse
import csv
import math
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "tests", "stress", "surfaces"))
COLOURS = ("#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#8c564b")
SCENES = {"dielectric": "n = 2, Q_sca", "gold": "gold, Q_ext 450 to 750 nm"}
GRID, INK = "#dddddd", "#222222"


def measure(args):
    """Rows (scene, rule, cells, error)."""
    import cases
    import scenes
    import table
    runner = table.Runner(args.torre, args.work, args.key, [word for s in args.set for word in ("--set", s)])
    rows = []
    for name in SCENES:
        for cells in args.cells:
            for rule in args.rule:
                worst = 0.0
                for at in cases.PLACES.values():
                    if name == "dielectric":
                        text = scenes.scattering(scenes.painted(scenes.sphere("two", 100)), 100, 100 / cells, at,
                                                 cases.WAVELENGTHS[name], "ultraviolet", 100)
                    else:
                        text = scenes.scattering(scenes.painted(scenes.sphere("Au", 50)), 50, 50 / cells, at,
                                                 cases.WAVELENGTHS[name], "visible", 50, time=150)
                    result, _ = runner.run(text, rule)
                    quantity = "Q_sca" if name == "dielectric" else "Q_ext"
                    got = result[quantity] if name == "dielectric" else cases.within(result[quantity], 450, 750)
                    worst = max(worst, cases.rms(got, cases.EXACT[name][quantity]))
                rows.append((name, rule, cells, worst))
                print(f"{name}, {rule}, {cells:g} cells a radius: {100 * worst:.3g} %", flush=True)
    return rows


class Panel:
    """Axes with logarithmic scales; (x0, y0) is the lower left corner in the drawing."""

    def __init__(self, title, x0, rows, width=330, height=300, y0=360):
        self.x0, self.y0, self.width, self.height, self.parts = x0, y0, width, height, []
        cells, errors = [r[2] for r in rows], [100 * r[3] for r in rows]
        self.x_range = (min(cells) / 1.15, max(cells) * 1.15)
        self.y_range = (min(errors) / 1.6, max(errors) * 1.6)
        self.parts.append(f'<text x="{x0 + width / 2:g}" y="{y0 - height - 12:g}" text-anchor="middle" '
                          f'font-weight="bold">{title}</text>')
        for value in sorted(set(cells)):
            x = self.x(value)
            self.line(x, y0, x, y0 - height, GRID)
            self.text(x, y0 + 18, f"{value:g}", "middle")
        decade = math.floor(math.log10(self.y_range[0]))
        while 10 ** decade < self.y_range[1]:
            for step in (1, 2, 5):
                value = step * 10 ** decade
                if self.y_range[0] <= value <= self.y_range[1]:
                    self.line(x0, self.y(value), x0 + width, self.y(value), GRID)
                    self.text(x0 - 6, self.y(value) + 4, f"{value:g}", "end")
            decade += 1
        self.parts.append(f'<rect x="{x0}" y="{y0 - height}" width="{width}" height="{height}" fill="none" '
                          f'stroke="{INK}"/>')
        self.text(x0 + width / 2, y0 + 38, "cells a radius", "middle")

    def x(self, value):
        lo, hi = self.x_range
        return self.x0 + self.width * math.log(value / lo) / math.log(hi / lo)

    def y(self, value):
        lo, hi = self.y_range
        return self.y0 - self.height * math.log(value / lo) / math.log(hi / lo)

    def line(self, xa, ya, xb, yb, colour, more=""):
        self.parts.append(f'<line x1="{xa:.1f}" y1="{ya:.1f}" x2="{xb:.1f}" y2="{yb:.1f}" stroke="{colour}"{more}/>')

    def text(self, x, y, words, anchor="start", colour=INK):
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}">{words}</text>')

    def curve(self, points, colour):
        path = " ".join(f"{self.x(c):.1f},{self.y(100 * e):.1f}" for c, e in points)
        self.parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        self.parts += [f'<circle cx="{self.x(c):.1f}" cy="{self.y(100 * e):.1f}" r="4" fill="{colour}"/>'
                       for c, e in points]

    def slope(self, order, cells, error):
        """A dashed line of an order from the coarsest cells, cut at the panel's lower edge."""
        first, last = min(cells), max(cells)
        last = min(last, first * (100 * error / self.y_range[0]) ** (1 / order))
        end = 100 * error * (first / last) ** order
        self.line(self.x(first), self.y(100 * error), self.x(last), self.y(end), "#888888", ' stroke-dasharray="5 4"')
        self.text(self.x(last) - 4, min(self.y(end) - 6, self.y0 - 4), f"order {order}", "end", "#666666")


def draw(rows, path):
    parts = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 860 450" width="860" height="450" '
             f'font-family="sans-serif" font-size="13" fill="{INK}">',
             "<title>Error against cells a radius, by the rule of cut cells</title>",
             '<rect width="860" height="450" fill="white"/>',
             '<text x="20" y="30">error, %</text>']
    rules = list(dict.fromkeys(r[1] for r in rows))
    for i, (name, title) in enumerate(SCENES.items()):
        mine = [r for r in rows if r[0] == name]
        if not mine:
            continue
        panel = Panel(title, 70 + 420 * i, mine)
        cells = [r[2] for r in mine]
        start = min(r[3] for r in mine if r[2] == min(cells))
        for order in (1, 2):
            panel.slope(order, cells, start)
        for rule, colour in zip(rules, COLOURS):
            panel.curve(sorted((r[2], r[3]) for r in mine if r[1] == rule), colour)
        parts += panel.parts
    for i, (rule, colour) in enumerate(zip(rules, COLOURS)):
        parts.append(f'<circle cx="{80 + 150 * i}" cy="430" r="5" fill="{colour}"/><text x="{92 + 150 * i}" y="435">'
                     f'{rule}</text>')
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join([*parts, "</svg>", ""]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--torre", default="build/torre", help="the program")
    parser.add_argument("--rule", action="append", help="value of the key, any number of times; default all three")
    parser.add_argument("--key", default="grid.averaging", help="the key that chooses the rule")
    parser.add_argument("--cells", default="5,7,10,14,20", type=lambda s: [float(c) for c in s.split(",")])
    parser.add_argument("--set", action="append", default=[], help="PATH=VALUE for every job, as of torre run")
    parser.add_argument("--work", default="results/surfaces", help="folder of the jobs' results")
    parser.add_argument("--out", default="results", help="folder of convergence.csv and convergence.svg")
    parser.add_argument("--draw", help="a convergence.csv to draw instead of running")
    args = parser.parse_args()
    args.rule = args.rule or ["subpixel", "staircase", "tensor"]
    os.makedirs(args.out, exist_ok=True)
    if args.draw:
        with open(args.draw, encoding="ascii") as file:
            rows = [(r["scene"], r["rule"], float(r["cells_a_radius"]), float(r["error"]))
                    for r in csv.DictReader(file)]
    else:
        rows = measure(args)
        with open(os.path.join(args.out, "convergence.csv"), "w", encoding="ascii") as file:
            file.write("scene,rule,cells_a_radius,error\n")
            file.writelines(f"{name},{rule},{cells:g},{error:.6g}\n" for name, rule, cells, error in rows)
    draw(rows, os.path.join(args.out, "convergence.svg"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
