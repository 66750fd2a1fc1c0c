#!/usr/bin/env python3
"""Draws the figures of architecture.md and numerics.md as SVG: python3 docs/design/drawings.py

Tiles, rows and columns are computed from the formulas of tiling.md, so that a drawing cannot disagree with them.
"""
import os

FOLDER = os.path.dirname(os.path.abspath(__file__))
BLUE, ORANGE, GREEN, RED, GREY, INK = "#9ecae1", "#fdbe85", "#a1d99b", "#cb181d", "#d9d9d9", "#222222"


class Drawing:
    """An SVG file of a given size; methods add one element each."""

    def __init__(self, name, width, height, title):
        self.name, self.parts = name, []
        self.head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
            f'height="{height}"\n     font-family="sans-serif" font-size="13" fill="{INK}">\n<title>{title}</title>\n'
            '<defs><marker id="tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8" '
            'orient="auto-start-reverse">\n'
            f'  <path d="M0,0 L10,5 L0,10 z" fill="{INK}"/></marker></defs>\n'
            f'<rect width="{width}" height="{height}" fill="white"/>')

    def add(self, element):
        self.parts.append(element)

    def text(self, x, y, words, anchor="middle", size=13, colour=INK, bold=False):
        weight = ' font-weight="bold"' if bold else ""
        words = words.replace("&", "&amp;").replace("<", "&lt;")
        self.add(f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" font-size="{size}" fill="{colour}"{weight}>{words}'
                 '</text>')

    def box(self, x, y, width, height, fill, lines=(), radius=4):
        self.add(f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{radius}" fill="{fill}" '
                 f'stroke="{INK}"/>')
        for i, line in enumerate(lines):
            self.text(x + width / 2, y + height / 2 + 5 + 16 * (i - (len(lines) - 1) / 2), line, bold=i == 0,
                      size=13 if i == 0 else 12)

    def polygon(self, points, fill, stroke=INK, opacity=1, dash=""):
        corners = " ".join(f"{x:g},{y:g}" for x, y in points)
        dash = f' stroke-dasharray="{dash}"' if dash else ""
        self.add(f'<polygon points="{corners}" fill="{fill}" fill-opacity="{opacity}" stroke="{stroke}"{dash}/>')

    def arrow(self, x0, y0, x1, y1, colour=INK, dash="", tip=True, width=1.5):
        dash = f' stroke-dasharray="{dash}"' if dash else ""
        tip = ' marker-end="url(#tip)"' if tip else ""
        self.add(f'<line x1="{x0:g}" y1="{y0:g}" x2="{x1:g}" y2="{y1:g}" stroke="{colour}" stroke-width="{width}"'
                 f'{dash}{tip}/>')

    def dot(self, x, y, radius, fill, stroke="none"):
        self.add(f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" fill="{fill}" stroke="{stroke}"/>')

    def write(self):
        with open(os.path.join(FOLDER, self.name), "w", encoding="utf-8") as file:
            file.write("\n".join([self.head, *self.parts, "</svg>", ""]))


def in_tile(u, v, row, place, h, radius, s):
    """Whether tower (row, place) advances site (u, v) at half-step h: tiling.md."""
    a, b = (row + place) // 2, (row - place) // 2
    p, q = u + v - 2 * radius * a - s * h, u - v - 2 * radius * b - s * h
    return 0 <= p < 2 * radius and 0 <= q < 2 * radius


def flow():
    d = Drawing("flow.svg", 900, 620, "The way of a job's data from job file to results")
    d.box(20, 20, 190, 54, GREY, ["job.cfg", "what the user writes"])
    d.box(270, 20, 270, 54, BLUE, ["io/config, src/job", "read, check: struct tor_job"])
    d.box(600, 20, 280, 54, BLUE, ["src/model", "grid, media, CPML, sources, monitors"])
    d.arrow(210, 47, 268, 47)
    d.arrow(540, 47, 598, 47)
    d.box(270, 120, 270, 54, BLUE, ["src/schedule, src/predict", "engine, tile, stage, ranks, memory, time"])
    d.arrow(405, 74, 405, 118)
    d.box(600, 120, 280, 54, ORANGE, ["diamond/core/slab.h", "the slab: columns of one rank"])
    d.arrow(740, 74, 740, 118)
    d.arrow(540, 147, 598, 147)
    d.add(f'<rect x="20" y="210" width="860" height="290" rx="8" fill="none" stroke="{INK}" stroke-dasharray="6 4"/>')
    d.text(236, 232, "once a stage: up to TH (time height) steps; src/run/run.c", "start", bold=True)
    d.box(40, 250, 360, 54, BLUE, ["src/simulation", "tables of sources and phases for the stage's steps"])
    d.box(40, 340, 360, 54, GREEN, ["comm/exchange", "waitR calcR sendR calcM waitL calcL sendL"])
    d.box(40, 430, 360, 54, GREEN, ["diamond/core/worker.h", "a range of rows, by the CPU or a GPU"])
    d.arrow(220, 304, 220, 338)
    d.arrow(220, 394, 220, 428)
    d.box(520, 250, 340, 54, ORANGE, ["diamond/cpu, diamond/gpu", "queue: rows from right to left, towers of each row"])
    d.box(520, 340, 340, 54, ORANGE, ["a tower", "its tile through all steps of the stage"])
    d.box(520, 430, 340, 54, ORANGE, ["a site", "diamond/core/update.h: the arithmetic, along z"])
    d.arrow(690, 304, 690, 338)
    d.arrow(690, 394, 690, 428)
    d.arrow(400, 450, 518, 290)
    d.arrow(740, 174, 740, 248)
    d.text(748, 198, "fields, in place", "start", 12)
    d.arrow(405, 174, 405, 192, tip=False)
    d.arrow(405, 192, 220, 192, tip=False)
    d.arrow(220, 192, 220, 248)
    d.box(20, 545, 270, 54, BLUE, ["src/simulation", "stability check, energy, checkpoint"])
    d.box(320, 545, 260, 54, BLUE, ["src/results", "spectra, pictures, snapshots"])
    d.box(640, 545, 240, 54, GREY, ["results/JOB", "CSV, PNG, HDF5; io/"])
    d.arrow(155, 500, 155, 543)
    d.arrow(450, 500, 450, 543)
    d.arrow(580, 572, 638, 572)
    d.text(460, 524, "at a stage's end the whole slab is at one step", "start", 12)
    d.write()


def tile():
    radius, s, step = 4, 1, 26
    d = Drawing("tile.svg", 1010, 450, "A tile in (u, v) at two successive half-steps")
    colour = {(0, 0): "#2166ac", (1, 0): "#b2182b", (0, 1): "#1b7837", (1, 1): "#762a83"}
    names = {(0, 0): "Ez", (1, 0): "Ex, Hy", (0, 1): "Ey, Hx", (1, 1): "Hz"}
    u0, v0 = -3, -6

    def place(u, v):
        return 50 + (u - u0) * step, 60 + (6 - v) * step

    # The outline of the sites that fulfil 0 <= p < 2R and 0 <= q < 2R, half a site beyond them.
    def outline(h, fill, opacity, dash=""):
        low, high = s * h - 0.5, s * h + 2 * radius - 0.5
        corners = [((p + q) / 2, (p - q) / 2) for p, q in ((low, low), (high, low), (high, high), (low, high))]
        d.polygon([place(u, v) for u, v in corners], fill, opacity=opacity, dash=dash)

    outline(2, BLUE, 0.75)
    outline(3, "none", 1, "6 4")
    for u in range(u0, 14):
        for v in range(-6, 7):
            x, y = place(u, v)
            inside = in_tile(u, v, 0, 0, 2, radius, s)
            d.dot(x, y, 5 if inside else 3, colour[u & 1, v & 1] if inside else "#bbbbbb")
    for u in range(u0, 14):
        x, y = place(u, -6)
        d.text(x, y + 22, f"{u}", size=11)
    for v in range(-6, 7):
        x, y = place(u0, v)
        d.text(x - 16, y + 4, f"{v}", "end", 11)
    x, y = place(5, -6)
    d.text(x, y + 44, "u (half cells along x)")
    d.text(40, 40, "v (half cells along y)", "start")
    left = 540
    d.text(left, 60, "Tower (a, b) = (0, 0), order 2 (s = 1), DTS = 4, R = s DTS = 4", "start", 12, bold=True)
    d.polygon([(left, 88), (left + 12, 76), (left + 24, 88), (left + 12, 100)], BLUE, opacity=0.75)
    d.text(left + 34, 92, "tile at half-step h = 2 (E): 0 <= p - sh < 2R, 0 <= q - sh < 2R,", "start", 12)
    d.text(left + 34, 108, "p = u + v, q = u - v", "start", 12)
    d.polygon([(left, 136), (left + 12, 124), (left + 24, 136), (left + 12, 148)], "none", dash="4 3")
    d.text(left + 34, 140, "tile at h = 3 (H): the same diamond, s half cells further right", "start", 12)
    for i, key in enumerate(names):
        d.dot(left + 12, 176 + 24 * i, 5, colour[key])
        parity = f"u {'odd' if key[0] else 'even'}, v {'odd' if key[1] else 'even'}: {names[key]}"
        d.text(left + 34, 180 + 24 * i, parity, "start", 12)
    for i, line in enumerate([
            "At h = 2 the E components of the sites in the blue tile are",
            "advanced; they read H at distance 1: to the left, sites that the",
            "tile itself advanced at h = 1; beyond its right edges, sites that",
            "the towers of the two rows to the right left behind.",
            "A site is a vector along z: z is not tiled."]):
        d.text(left, 292 + 20 * i, line, "start", 12)
    d.write()


def rows():
    radius, scale = 4, 9
    d = Drawing("rows.svg", 1010, 510, "Rows of towers and what a tower waits for")

    def centre(row, j):  # of the tile at h = 0: u = R row + R, v = R j
        return 110 + (radius * row + radius) * scale, 240 - radius * j * scale

    for row in range(0, 8):
        for j in range(-4, 5):
            if (j + row) & 1:
                continue
            x, y = centre(row, j)
            reach = radius * scale
            target = (row, j) == (3, 1)
            needed = (row, j) in ((4, 0), (4, 2), (5, 1))
            fill = BLUE if target else ORANGE if needed else GREEN if row > 5 else GREY if row < 3 else "#f0f0f0"
            d.polygon([(x - reach, y), (x, y - reach), (x + reach, y), (x, y + reach)], fill)
            d.text(x, y + 4, f"{row},{j}", size=11)
    for row, j in ((4, 0), (4, 2), (5, 1)):
        x0, y0 = centre(3, 1)
        x1, y1 = centre(row, j)
        d.arrow(x0 + 0.35 * (x1 - x0), y0 + 0.35 * (y1 - y0), x0 + 0.75 * (x1 - x0), y0 + 0.75 * (y1 - y0), width=2)
    d.arrow(470, 470, 110, 470, width=2)
    d.text(290, 492, "order of the rows: from right to left (u = R row)")
    d.arrow(40, 330, 40, 42, width=2)
    d.text(10, 30, "place j (v = R j)", "start")
    left = 560
    d.text(left, 60, "Tiles at the stage's start, labelled row, place", "start", 13, bold=True)
    for i, (fill, words) in enumerate([
            (BLUE, "the tower that wants to start: (a, b), row r = a + b, place j = a - b"),
            (ORANGE, "must be done first: (a+1, b), (a, b+1), (a+1, b+1)"),
            (GREEN, "rows further right: done, or implied by the orange ones"),
            ("#f0f0f0", "the same row, and rows in progress: no order among them"),
            (GREY, "rows further left: still at the stage's start")]):
        y = 96 + 34 * i
        d.polygon([(left, y), (left + 12, y - 12), (left + 24, y), (left + 12, y + 12)], fill)
        d.text(left + 34, y + 4, words, "start", 11)
    for i, line in enumerate([
            "Each tower runs all steps of the stage before it is done (CPU),",
            "or publishes each step and may be followed at a distance of one",
            "step (GPU). During the stage its tile moves 2 s TH half cells to",
            "the right, over the towers that are done."]):
        d.text(left, 290 + 20 * i, line, "start", 12)
    d.write()


def window():
    d = Drawing("window.svg", 900, 300, "A slab in host memory passes through a window on the GPU")
    d.text(20, 30, "the slab in host memory (columns along x)", "start", bold=True)
    d.box(20, 40, 860, 44, "#f0f0f0", radius=0)
    d.box(20, 40, 300, 44, GREY, ["still at the stage's start"], radius=0)
    d.box(320, 40, 320, 44, BLUE, ["in the window"], radius=0)
    d.box(640, 40, 240, 44, GREEN, ["TH steps later"], radius=0)
    d.text(20, 160, "the window in device memory:", "start", bold=True)
    d.text(20, 178, "a ring of columns", "start", bold=True)
    d.box(320, 170, 80, 54, GREY, ["loading"], radius=0)
    d.box(400, 170, 150, 54, ORANGE, ["rows that run now", "and their lean"], radius=0)
    d.box(550, 170, 90, 54, GREEN, ["leaving"], radius=0)
    d.arrow(360, 86, 360, 168)
    d.arrow(595, 168, 595, 86)
    d.text(370, 120, "stream 1: load", "start", 12)
    d.text(605, 120, "stream 3: leave", "start", 12)
    d.text(475, 244, "stream 2: compute, one group of rows a launch", size=12)
    d.arrow(640, 270, 320, 270, width=2)
    d.text(480, 290, "the window moves to the left with the sweep", size=12)
    d.write()


def ranks():
    d = Drawing("ranks.svg", 900, 400, "The seven steps of two ranks along x")
    d.text(20, 28, "columns along x", "start", bold=True)
    d.box(120, 40, 300, 40, BLUE, ["rank i alone"], radius=0)
    d.box(420, 40, 130, 40, ORANGE, ["overlap i | i+1"], radius=0)
    d.box(550, 40, 310, 40, GREEN, ["rank i+1 alone"], radius=0)
    start = 120

    def bar(y, names, fills, at, widths):
        x = at
        edges = {}
        for name, fill, width in zip(names, fills, widths):
            d.box(x, y, width, 36, fill, [name], radius=0)
            edges[name] = (x, x + width)
            x += width
        return edges

    names = ["waitR", "calcR", "sendR", "calcM", "waitL", "calcL", "sendL"]
    fills = [GREY, ORANGE, GREY, "#f0f0f0", GREY, ORANGE, GREY]
    widths = [56, 80, 56, 170, 56, 80, 56]
    d.text(20, 140, "rank i+1", "start", bold=True)
    right_first = bar(125, ["calcL", "sendL"], [ORANGE, GREY], start, [80, 56])
    right = bar(125, names, fills, start + 136 + 14, widths)
    d.text(20, 280, "rank i", "start", bold=True)
    d.text(20, 296, "stage k", "start", 12)
    left = bar(265, names, fills, start + 170, widths)
    d.text(start + 60, 118, "end of stage k", size=12)
    d.text(start + 420, 118, "stage k + 1", size=12)
    d.arrow(right_first["sendL"][0] + 28, 161, left["waitR"][0] + 28, 263, width=2)
    d.text(215, 205, "overlap, after rank i+1's", "end", 12)
    d.text(225, 220, "calcL of stage k", "end", 12)
    d.arrow(left["sendR"][0] + 28, 263, right["waitL"][0] + 28, 163, width=2)
    d.text(610, 215, "overlap, finished: back for", "start", 12)
    d.text(610, 230, "calcL of stage k + 1", "start", 12)
    d.arrow(start, 340, 860, 340)
    d.text(870, 344, "time", "start", 12)
    d.text(450, 372, "Rank i runs stage k while rank i+1 runs stage k+1. calcM, the rows that touch no overlap, hides "
           "both messages.", size=12)
    d.write()


def yee():
    d = Drawing("yee.svg", 860, 330, "The Yee cell in half-cell coordinates (u, v)")
    unit = 110
    colour = {"E": "#2166ac", "H": "#b2182b"}
    at = {(0, 0): ["Ez (w odd)"], (1, 0): ["Ex (w even)", "Hy (w odd)"], (0, 1): ["Ey (w even)", "Hx (w odd)"],
          (1, 1): ["Hz (w even)"]}
    x0, y0 = 70, 270
    d.polygon([(x0, y0), (x0 + 2 * unit, y0), (x0 + 2 * unit, y0 - 2 * unit), (x0, y0 - 2 * unit)], "#f7f7f7")
    for u in range(3):
        for v in range(3):
            x, y = x0 + u * unit, y0 - v * unit
            d.dot(x, y, 6, colour["H"] if (u & 1 and v & 1) else colour["E"], INK)
            if u < 2 and v < 2:
                for i, name in enumerate(at[u, v]):
                    d.text(x + 10, y - 12 - 16 * (len(at[u, v]) - 1 - i), name, "start", 12, colour[name[0]])
    for i in range(3):
        d.text(x0 + i * unit, y0 + 22, f"{i}", size=12)
        d.text(x0 - 14, y0 - i * unit + 4, f"{i}", "end", 12)
    d.text(x0 + unit, y0 + 44, "u, half cells along x")
    d.text(x0 - 50, y0 - 2 * unit - 14, "v, half cells along y", "start")
    left = 400
    for i, line in enumerate([
            "One cell seen along z; w counts half cells along z.",
            "E components stand on the edges: Ex (1,0,0), Ey (0,1,0), Ez (0,0,1);",
            "H components on the faces: Hx (0,1,1), Hy (1,0,1), Hz (1,1,0).",
            "A site is a point (u, v) with all w: the parities of u and v name",
            "the components that stand there.",
            "E at whole steps, H half a step earlier."]):
        d.text(left, 90 + 22 * i, line, "start", 12.5)
    d.write()


if __name__ == "__main__":
    for draw in (flow, tile, rows, window, ranks, yee):
        draw()
