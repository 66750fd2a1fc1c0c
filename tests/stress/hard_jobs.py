#!/usr/bin/env python3
"""125 jobs that strain the walls: metals, anisotropic and dispersive media that run into them (hard_scenes.py).

    python3 tests/stress/hard_jobs.py --torre build/torre --minutes 60 --table hard.csv
    python3 tests/stress/hard_jobs.py --torre build/torre --only 'film_Al.*'

Each job is run. One that ends well must have an energy that does not rise after its source, and spectra within 2 % of
those in a domain twice as large, or print an advice. One that is stopped as unstable must print one, too. With what the
advices name (absorbers, the domain's size, layers, the run's time) it must run to its end, with spectra within 2 % of
those in twice the domain. A run that reports energy left in the domain is followed to the time that it names, in both
domains (a cure to that of the job, too, where --most allows it); one that reports energy which does not fall gets
monitors with a window.
A row for each: job, status, verdict, advice (faces that get absorbers; size, layers, time, window), cured (yes, no, or
yes in N cells: run with absorbers of N cells, because the advised domain exceeds --most cell updates), worst
(difference of the power, in % of the spectrum's largest value, between the domains; after the cure where there is one),
seconds, first (that of the job itself, where it was inaccurate). Verdicts: bounded; unstable; refused; unconverged
(status 3); rising (status 0, rising, and reported); silent (status 0 and rising); inaccurate (status 0 and above 2 %).
The exit status is 1 if a job is silent, or unstable, rising, unconverged or inaccurate without an advice, or not cured;
"too large" (the cure exceeds --most) is none. Rows that are in the table already are kept.
"""
import argparse
import copy
import csv
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

import hard_scenes

ADVICE = re.compile(r"use boundaries = \{ (.*?); \} with grid\.size = \[(.*?)\]")
SIZE = re.compile(r"powers may be off by .* % of the largest.*; need grid\.size = \[(.*?)\]")
TIME = re.compile(r"need run\.time_fs = ([0-9.e+]*) or more")
MOVED = re.compile(r"there all positions along x change by ([-0-9.e+]*)")
THICKNESS = re.compile(r"(absorber = \{ .*? \};) ")  # in front of the faces
LONGER = "need a longer run.time_fs"  # without a time: twice as long
STAYS = "which hardly falls"
RISES = "although nothing drives it"
UNCONVERGED = 3
LAYERS = "need 10 cells with sigma = 1"
FIELDS = ["job", "status", "verdict", "advice", "cured", "worst", "seconds", "first"]
LIMIT = 2.0  # %
SHORT = 40, 15  # cells of an absorber where that of a wavelength is too large to run; in three dimensions


def numbers(path, column):
    with open(path, encoding="ascii") as file:
        return [float(row[column]) for row in csv.DictReader(file)]


def rises(folder, end_fs):
    """Whether the largest energy of the last fifth of the time after the source is ten times that of the fifth in the
    middle, above rounding errors. It may fluctuate."""
    energy = list(zip(numbers(folder + "/energy.csv", "time_fs"), numbers(folder + "/energy.csv", "energy_J")))
    later = [e for t, e in energy if t > end_fs]
    part = len(later) // 5
    if not part:
        return False
    last, middle = max(later[-part:]), max(later[2 * part:3 * part])
    return last > 10 * middle and last > 1e-12 * max(e for _, e in energy)


def difference(a, b):
    """Largest difference of two spectra of power, in % of the largest value."""
    a, b = (numbers(folder + "/spectra.csv", "power_J_per_Hz") for folder in (a, b))
    return 100 * max(abs(x - y) for x, y in zip(a, b)) / max(abs(x) for x in b)


class Bench:
    """Runs jobs in a folder of its own."""

    def __init__(self, args):
        self.args, self.torre = args, os.path.abspath(args.torre)
        self.folder = tempfile.mkdtemp(prefix="torre-hard-")

    def run(self, scene, name, **changed):
        """Status and messages; the results are in the folder that is returned."""
        path, out = os.path.join(self.folder, name + ".cfg"), os.path.join(self.folder, name)
        with open(path, "w", encoding="ascii") as file:
            file.write(scene.text(**changed))
        shutil.rmtree(out, ignore_errors=True)
        done = subprocess.run(
            [self.torre, "run", path, "--out", out, "-q", "--device", "gpu" if self.args.gpu else "cpu", "--threads",
             str(self.args.threads)], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr, out

    def updates(self, scene, size, time=0):
        cells = 1.0
        for length in size:
            cells *= round(length / scene.cell)
        return cells * scene.steps * (time or scene.time()) / scene.time()

    def named_time(self, scene, text, time_fs=0):
        """The time [fs] that a message asks for; time_fs: of the run, 0: the scene's. None: it asks for none."""
        found = TIME.search(text)
        return float(found.group(1)) if found else 2 * (time_fs or scene.time()) if LONGER in text else None

    def settle(self, scene, name, changed):
        """Runs a job, and on to the time that it names, which goes into `changed`, until it reports no more energy
        left. Returns the last run's status, text, folder; None where that is too long."""
        done = self.run(scene, name, **changed)
        for _ in range(4):
            time_fs = self.named_time(scene, done[1], changed.get("time_fs"))
            if done[0] not in (0, UNCONVERGED) or not time_fs:
                break
            if self.updates(scene, scene.size(changed.get("double"), changed.get("size")), time_fs) > self.args.most:
                return None
            changed["time_fs"] = time_fs
            done = self.run(scene, name, **changed)
        return done

    def compare(self, scene, out, settle=False, **changed):
        """Difference from the domain twice as large; None where it is too large or not run to its end."""
        changed["double"] = True
        if self.updates(scene, scene.size(True, changed.get("size")), changed.get("time_fs")) > self.args.most:
            return None
        done = self.settle(scene, "larger", changed) if settle else self.run(scene, "larger", **changed)
        return difference(out, done[2]) if done and done[0] in (0, UNCONVERGED) else None

    def advices(self, scene, text, changed):
        """The advices of a text, and what they change, beside what is changed already."""
        found, size, advice = ADVICE.search(text), changed.get("size"), []
        if found:
            thickness, walls = THICKNESS.match(found.group(1)), THICKNESS.sub("", found.group(1))
            changed["sizes_of_layers"] = thickness.group(1) if thickness else ""
            walls = dict(part.replace('"', "").split(" = ") for part in walls.split("; "))
            changed["walls"] = {**changed.get("walls", {}), **walls}
            size = [float(x) for x in found.group(2).split(",")]
            if MOVED.search(text):
                changed["moved"] = float(MOVED.search(text).group(1))
            advice += walls
        for wanted in SIZE.findall(text):  # near fields reach less far than waves: the larger of all advices
            size = [max(float(x), y) for x, y in zip(wanted.split(","), size or [0, 0, 0])]
            advice += ["size"] * ("size" not in advice)
        if size:
            changed["size"] = size
        time_fs = self.named_time(scene, text, changed.get("time_fs"))
        if time_fs:
            advice.append("time")
            if self.updates(scene, scene.size(True, size), time_fs) <= self.args.most:
                changed["time_fs"] = time_fs
        if STAYS in text and not found:
            advice.append("window")
            changed["window"] = True
        return advice

    def shorten(self, scene, row, changed):
        """Absorbers of a few cells in place of those that are too large to run. Returns whether it may."""
        if "walls" not in changed or row["verdict"] in ("inaccurate", "unconverged"):
            return False  # bounded already, and short absorbers show nothing of the spectra
        short = SHORT[scene.cells[1] > 1]
        changed["sizes_of_layers"] = "absorber = { cells = %d; };" % short
        changed["tolerance"] = 1e9  # such absorbers return waves: this shows that the job is stable with them
        changed["size"] = [n * scene.cell for n in scene.cells]
        for face in changed["walls"]:
            changed["size"]["xyz".index(face[0])] += (short - scene.layer) * scene.cell
        row["cured"] = "yes in %d cells" % short
        return self.updates(scene, changed["size"]) <= self.args.most

    def cure(self, scene, text, row):
        """Follows the advices, and those that the cured job prints."""
        changed, advice, done = {}, [], None
        if LAYERS in text:
            scene, cells = copy.copy(scene), scene.cells
            scene.cells = [n + 2 * (10 - scene.layer) * (n > 1) for n in cells]
            scene.layer, scene.cpml = 10, ""
            advice.append("layers")
        for _ in range(3):
            new = self.advices(scene, text, changed)
            advice += [x for x in new if x not in advice]
            if not new and done or not advice:
                break
            row["advice"], row["cured"] = " ".join(advice), "yes"
            size = scene.size(False, changed.get("size"))
            if self.updates(scene, size) > self.args.most and not self.shorten(scene, row, changed):
                row["cured"] = "too large"
                return
            done = self.settle(scene, "cured", changed)
            if not done:
                row["cured"] = "too large"
                return
            text = done[1]
            if done[0] == 0:
                break
        if not done:
            return
        if done[0] != 0 or rises(done[2], scene.end()):
            row["cured"] = "no"
        if row["cured"] == "yes" and not scene.continuous:
            row["worst"] = self.compare(scene, done[2], True, **changed)
            if row["worst"] is not None and row["worst"] > LIMIT:
                row["cured"] = "no"

    def judge(self, scene):
        start, row = time.time(), dict.fromkeys(FIELDS, "")
        status, text, out = self.run(scene, "job")
        row.update(job=scene.name, status=status)
        if status == 2:
            row["verdict"] = "refused"
        elif status == 1 and "unstable" in text:
            row["verdict"] = "unstable"
            self.cure(scene, text, row)
        elif status == UNCONVERGED:
            row["verdict"] = "unconverged"
            self.cure(scene, text, row)
        elif status == 0:
            open_walls = all(scene.face(f) not in ("pec", "pmc") for f in ("x_lo", "z_lo"))
            if not scene.continuous and rises(out, scene.end()):
                row["verdict"] = "rising" if RISES in text else "silent"
                self.cure(scene, text, row)
            else:
                row["verdict"] = "bounded"
            if row["verdict"] == "bounded" and open_walls and not scene.continuous:
                row["worst"] = self.compare(scene, out)
                if row["worst"] is not None and row["worst"] > LIMIT:
                    row["verdict"], row["first"] = "inaccurate", "%.2f" % row["worst"]
                    self.cure(scene, text, row)
        else:
            row["verdict"] = "failed"
        row["worst"] = "%.2f" % row["worst"] if isinstance(row["worst"], float) else ""
        row["seconds"] = "%.1f" % (time.time() - start)
        return row


def is_bad(row):
    if row["verdict"] in ("unstable", "rising", "unconverged", "inaccurate"):
        return row["cured"] in ("", "no")
    return row["verdict"] in ("silent", "failed")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--torre", required=True, help="the program")
    parser.add_argument("--only", default="", help="a regular expression that the jobs' names match")
    parser.add_argument("--minutes", type=float, default=60, help="no job begins after them")
    parser.add_argument("--gpu", action="store_true")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--table", default="hard_jobs.csv")
    parser.add_argument("--most", type=float, default=4e9, help="cell updates of a cure or a domain twice as large")
    args = parser.parse_args()
    known = {}
    if os.path.exists(args.table):
        with open(args.table, encoding="ascii") as file:
            known = {row["job"]: row for row in csv.DictReader(file)}
    scenes = [s for s in hard_scenes.scenes() if re.search(args.only, s.name)]
    bench, end, bad, count = Bench(args), time.time() + 60 * args.minutes, [], {}
    for scene in scenes:
        row = known.get(scene.name)
        if not row and time.time() > end:
            continue
        if not row:
            row = bench.judge(scene)
            is_new = not os.path.exists(args.table)
            with open(args.table, "a", encoding="ascii", newline="") as file:
                table = csv.DictWriter(file, FIELDS, lineterminator="\n")
                if is_new:
                    table.writeheader()
                table.writerow(row)
            print(" ".join(str(row[f]) or "-" for f in FIELDS), flush=True)
        count[row["verdict"]] = count.get(row["verdict"], 0) + 1
        if is_bad(row):
            bad.append(scene.name)
    shutil.rmtree(bench.folder, ignore_errors=True)
    print("%d of %d jobs: %s; bad: %s" % (sum(count.values()), len(scenes), count, " ".join(bad) or "none"))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
