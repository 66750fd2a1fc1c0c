#!/usr/bin/env python3
"""The table of surfaces: runs each row's jobs with one or more rules for cut cells and compares with exact values.

    python3 tests/stress/surfaces/table.py --torre build/torre --rule subpixel --rule staircase --rows cheap

A rule is a value of grid.averaging (--key). Rows: cheap, costly, all, or keys (--list). Each job runs with the object's
centre on a node and off it by (0.3, 0.17, 0.41) cells; the worst counts. Prints a markdown table: the limits (must,
aim), what each rule has, and the processor time of the row's jobs over 2, in seconds. --csv appends the figures to a
file. Results are kept in the folder --work, by the text of the job, and used again while the program is the same.
--pad runs rows again with all margins and layers doubled and prints what changes. Exit status 1 when a job failed or
a `must` is missed by the last rule.
"""
import argparse
import csv
import hashlib
import json
import os
import resource
import subprocess
import sys
import time

import cases


class Result:
    """The results folder of one job."""

    def __init__(self, folder):
        self.folder, self.table = folder, {}
        path = os.path.join(folder, "spectra.csv")
        if os.path.exists(path):
            with open(path, encoding="ascii") as file:
                for row in csv.DictReader(file):
                    for name, value in row.items():
                        self.table.setdefault(name, {})[float(row["wavelength_nm"])] = float(value)

    def columns(self):
        return list(self.table)

    def __getitem__(self, name):
        """{wavelength: value} of a column."""
        return self.table[name]

    def energy(self):
        with open(os.path.join(self.folder, "energy.csv"), encoding="ascii") as file:
            return [float(row["energy_J"]) for row in csv.DictReader(file)]


class Failed(Exception):
    """A job that did not end with status 0; its message."""


class Runner:
    """Runs jobs by one program and keeps their results."""

    folders = False  # print each job's folder

    def __init__(self, torre, work, key, options):
        self.torre, self.work, self.key, self.options = os.path.abspath(torre), os.path.abspath(work), key, options
        with open(self.torre, "rb") as file:
            self.program = hashlib.sha256(file.read()).hexdigest()
        text = subprocess.run([self.torre, "--version"], capture_output=True, text=True, check=True).stdout
        self.version = text.split("\n")[0]

    def run(self, text, rule):
        """(Result, processor seconds) of a job; from the folder when it ran before."""
        changes = [s for s in self.options if s != "--set" and not s.startswith("schedule.")]  # which changes no result
        name = hashlib.sha256("\0".join([self.program, self.key, rule, text, *changes]).encode()).hexdigest()[:16]
        folder = os.path.join(self.work, name)
        note = os.path.join(folder, "seconds.json")
        if not os.path.exists(note):
            os.makedirs(folder, exist_ok=True)
            job = os.path.join(folder, "job.cfg")
            with open(job, "w", encoding="ascii") as file:
                file.write(text)
            before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.time()
            command = [self.torre, "run", job, "--out", os.path.join(folder, "results"), "--overwrite", "-q", "--set",
                       f'{self.key}="{rule}"', *self.options]
            done = subprocess.run(command, capture_output=True, text=True, check=False,
                                  env=dict(os.environ, OMP_WAIT_POLICY="passive"))
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            if done.returncode:
                raise Failed(f"status {done.returncode}: " + (done.stdout + done.stderr).strip()[-300:])
            seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            with open(note, "w", encoding="ascii") as file:
                json.dump({"processor_s": seconds, "wall_s": time.time() - start, "rule": rule}, file)
        with open(note, encoding="ascii") as file:
            return Result(os.path.join(folder, "results")), json.load(file)["processor_s"]

    def measure(self, case, rule, pad=1):
        """({quantity: value}, processor seconds); raises Failed."""
        results, seconds = {}, 0.0
        for name, text in case.jobs(pad).items():
            progress(f"{case.key} {rule} {name}")
            try:
                results[name], used = self.run(text, rule)
            except Failed as failed:
                raise Failed(f"{name}: {failed}") from None
            seconds += used
            if self.folders:
                print(f"{case.key} {rule} {name}: {results[name].folder}", file=sys.stderr)
        progress("")
        return case.measure(results), seconds


def progress(text):
    if sys.stderr.isatty():
        print(f"\r{text:70}\r", end="", file=sys.stderr, flush=True)


def shown(value, unit):
    if value is None:
        return "failed"
    if unit == "%":
        return f"{100 * value:.3g}"
    return f"{value:.6f}" if unit == "ratio" else f"{value:.2g}"


def misses(value, unit, limit):
    """Whether a value is beyond a limit of the table; an order must be as large."""
    if not limit:
        return False
    scaled = 100 * value if unit == "%" else value
    return scaled < float(limit) if unit == "order" else scaled > float(limit)


def machine():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        models = [line.split(":")[1].strip() for line in file if line.startswith("model name")]
    return f"{models[0] if models else 'unknown processor'}, {os.cpu_count()} processors"


class Table:
    """Rows of the markdown table and of the CSV file."""

    def __init__(self, runner, rules, path):
        self.runner, self.rules, self.path, self.bad = runner, rules, path, 0
        print(f"{runner.version}; {machine()}; {time.strftime('%Y-%m-%d %H:%M')}\n")
        print("| row | quantity | unit | now | must | aim | " + " | ".join(rules) + " | s |")
        print("|---|---|---|---|---|---|" + "---|" * (len(rules) + 1), flush=True)

    def add(self, case):
        found, seconds = {}, {}
        for rule in self.rules:
            try:
                found[rule], seconds[rule] = self.runner.measure(case, rule)
            except Failed as failed:
                found[rule], seconds[rule], self.bad = {}, 0.0, self.bad + 1
                print(f"{case.key}, {rule}: {failed}", file=sys.stderr)
        for i, (quantity, unit, now, must, aim) in enumerate(case.limits):
            values = [found[rule].get(quantity) for rule in self.rules]
            marks = [shown(v, unit) + (" x" if v is not None and misses(v, unit, must) else "") for v in values]
            used = " / ".join(f"{seconds[r] / 2:.0f}" for r in self.rules) if i == 0 else ""
            print("| " + " | ".join([case.key, quantity, unit, now, must, aim, *marks, used]) + " |", flush=True)
            self.bad += values[-1] is not None and misses(values[-1], unit, must)
            self.write(case, quantity, unit, must, aim, dict(zip(self.rules, values)), seconds)

    def write(self, case, quantity, unit, must, aim, values, seconds):
        if not self.path:
            return
        fresh = not os.path.exists(self.path)
        with open(self.path, "a", encoding="ascii") as file:
            rows = csv.writer(file, lineterminator="\n")
            if fresh:
                rows.writerow("date version rule row quantity unit must aim value seconds_on_2_cores".split())
            for rule, value in values.items():
                scaled = "failed" if value is None else f"{100 * value if unit == '%' else value:.6g}"
                rows.writerow([time.strftime("%Y-%m-%d"), self.runner.version, rule, case.key, quantity, unit, must,
                               aim, scaled, f"{seconds[rule] / 2:.0f}"])


def compare_pads(runner, rule, chosen):
    print("| row | quantity | unit | as in the table | doubled | must |\n|---|---|---|---|---|---|")
    for case in chosen:
        once, _ = runner.measure(case, rule)
        twice, _ = runner.measure(case, rule, 2)
        for quantity, unit, _, must, _ in case.limits:
            values = [shown(once[quantity], unit), shown(twice[quantity], unit)]
            print("| " + " | ".join([case.key, quantity, unit, *values, must]) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--torre", default="build/torre", help="the program")
    parser.add_argument("--rule", action="append", help="value of the key, any number of times; default subpixel")
    parser.add_argument("--key", default="grid.averaging", help="the key that chooses the rule")
    parser.add_argument("--rows", default="cheap", help="cheap, costly, all, or keys with commas")
    parser.add_argument("--work", default="results/surfaces", help="folder of the jobs' results")
    parser.add_argument("--csv", help="file to which the figures are appended")
    parser.add_argument("--set", action="append", default=[], help="PATH=VALUE for every job, as of torre run")
    parser.add_argument("--seconds", type=float, default=1e9, help="begin no row after so many; names those left out")
    parser.add_argument("--pad", action="store_true", help="compare with doubled margins and layers; the first rule")
    parser.add_argument("--folders", action="store_true", help="print each job's folder of results to stderr")
    parser.add_argument("--list", action="store_true", help="print the rows' keys")
    args = parser.parse_args()
    every = cases.all_cases()
    if args.list:
        print("\n".join(f"{case.cost:6} {key:14} {case.title}" for key, case in every.items()))
        return 0
    unknown = [] if args.rows in ("cheap", "costly", "all") else set(args.rows.split(",")) - set(every)
    if unknown:
        parser.error(f"no such rows: {', '.join(sorted(unknown))}; --list prints them")
    chosen = [case for key, case in every.items() if args.rows in ("all", case.cost) or key in args.rows.split(",")]
    runner = Runner(args.torre, args.work, args.key, [word for s in args.set for word in ("--set", s)])
    runner.folders = args.folders
    rules = args.rule or ["subpixel"]
    if args.pad:
        compare_pads(runner, rules[0], chosen)
        return 0
    table = Table(runner, rules, args.csv)
    start, left = time.time(), []
    for case in chosen:
        if time.time() - start > args.seconds:
            left.append(case.key)
        else:
            table.add(case)
    if left:
        print(f"\nnot run for want of time: {','.join(left)}")
    return 1 if table.bad else 0


if __name__ == "__main__":
    sys.exit(main())
