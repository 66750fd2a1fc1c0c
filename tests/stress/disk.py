#!/usr/bin/env python3
"""Rates of a run whose columns lie on disk against those of the same run in memory, below and above the knee.

    disk.py FOLDER [--th TH] [--cells NX,NY,NZ] [--memory FRACTION] [--times N] [--stages N] [--threads N]

The disk is limited (schedule.disk_rate) such that, by the rate in memory measured just before, the knee lies at twice
--th, at --th and below it. Each run on disk has one in memory before and after it. Medians of --times. Below the knee a
run has TH / knee of the rate in memory. The memory allowed to the run on disk is --memory of its columns: it has a
control group with that limit (and 120 MB for the program) where it may make one, else a limit of its data
(RLIMIT_DATA). Output: a table in Markdown. Needs TORRE, the program.
"""
import argparse
import os
import re
import resource
import statistics
import subprocess
import sys

JOB = """format_version = 3;
grid = {{ size = [{0}.0, {1}.0, {2}.0]; cell = 1.0; }};
boundaries = {{ default = "pec"; }};
sources = ( {{ type = "electric_dipole"; position = [0.0, 0.0, 0.0]; axis = "z"; amplitude = 1e-12;
              time = {{ type = "pulse"; wavelength = 50.0; band = 20.0; }}; }} );
monitors = ( {{ type = "probe"; name = "p"; position = [10.0, 0.0, 0.0]; wavelengths = [50.0]; }} );
run = {{ time_fs = 1.0; tolerance = 1e9; }};
schedule = {{ device = "cpu"; threads = {3}; }};
"""
BASE = 120e6  # of the process without the job: program, libraries, threads' stacks [bytes]
PARTS = (2, 1, 0.6)  # knee over TH


def own_group():
    """A group below this process's, of the memory's controller (control groups version 1)."""
    with open("/proc/self/cgroup", encoding="ascii") as file:
        for line in file:
            _, kinds, path = line.strip().split(":", 2)
            if kinds == "memory":
                return f"/sys/fs/cgroup/memory{path.rstrip('/')}/torre-disk-test"
    return "/nowhere"


GROUP = own_group()


def limited(limit):
    """Limits this process and what it starts."""
    try:
        os.makedirs(GROUP, exist_ok=True)
        with open(f"{GROUP}/memory.limit_in_bytes", "w", encoding="ascii") as file:
            file.write(str(int(limit)))
        with open(f"{GROUP}/cgroup.procs", "w", encoding="ascii") as file:
            file.write(str(os.getpid()))
    except OSError:
        resource.setrlimit(resource.RLIMIT_DATA, (int(limit), int(limit)))


def run(options, sets, limit=0):
    """The rate [cell updates/s], read and written bytes by the kernel, of one run."""
    out = f"{options.folder}/results"
    command = [os.environ["TORRE"], "run", "disk-job.cfg", "--out", out, "--overwrite", "-q"]
    for key, value in sets.items():
        command += ["--set", f"{key}={value}"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    first = (lambda: limited(limit)) if limit else None
    done = subprocess.run(command, capture_output=True, text=True, preexec_fn=first)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    with open(f"{out}/run.log", encoding="utf-8") as file:
        log = file.read()
    return (float(re.search(r"s: ([0-9.]+) G cell updates", log).group(1)) * 1e9,
            512 * (after.ru_inblock - before.ru_inblock), 512 * (after.ru_oublock - before.ru_oublock))


def plan(sets):
    """The plan's TH from which the disk is hidden."""
    command = [os.environ["TORRE"], "plan", "disk-job.cfg"]
    for key, value in sets.items():
        command += ["--set", f"{key}={value}"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return int(re.search(r"are hidden from TH (\d+) on", text).group(1))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--th", type=int, default=64)
    parser.add_argument("--cells", default="2000,64,64")
    parser.add_argument("--memory", type=float, default=0.5)
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--stages", type=int, default=6)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    cells = [int(n) for n in options.cells.split(",")]
    with open("disk-job.cfg", "w", encoding="utf-8") as file:
        file.write(JOB.format(*cells, options.threads))
    columns = (cells[0] + 1) * (cells[1] + 1)
    values = 6 * ((cells[2] + 4 + 15) // 16 * 16)
    size = 4.0 * columns * values
    step = 0.9 / (3**0.5) * 1e-9 / 299792458 * 1e15  # fs
    memory = options.memory * size
    steps = {"run.time_fs": f"{(options.th * options.stages - 0.5) * step:.9g}", "schedule.th": options.th}
    print(f"{cells[0]} x {cells[1]} x {cells[2]} cells, TH {options.th}, {options.stages} stages, {options.threads} "
          f"threads; {size * 1e-9:.3f} GB of columns, {memory * 1e-9:.3f} GB of memory; medians of {options.times}\n")
    print("| knee / TH | disk, MB/s | in memory, M/s | on disk, M/s | ratio | wanted | plan's knee / by the rate | "
          "read, written / (file x stages) |")
    print("|---|---|---|---|---|---|---|---|")
    table = {part: [] for part in PARTS}
    for _ in range(options.times):
        for part in PARTS:
            before = run(options, steps)[0]
            rate = before * 2 * size / (cells[0] * cells[1] * cells[2]) / (part * options.th)
            limits = {"schedule.disk": f'"{options.folder}"', "schedule.host_memory": f"{memory * 1e-9:.6f}",
                      "schedule.disk_rate": f"{rate * 1e-9:.6f}"}
            got, read, written = run(options, steps | limits, memory + BASE)
            planned = plan(steps | limits)
            after = run(options, steps)[0]
            whole = (before + after) / 2
            table[part].append((rate, whole, got, got / whole, planned / (part * options.th * whole / before),
                                read / (size * options.stages), written / (size * options.stages),
                                min(1, before / whole / part)))
    for part, rows in table.items():
        rate, whole, got, ratio, planned, read, written, wanted = (statistics.median(c) for c in zip(*rows))
        print(f"| {part} | {rate * 1e-6:.0f} | {whole * 1e-6:.0f} | {got * 1e-6:.0f} | {ratio:.3f} | {wanted:.2f} | "
              f"{planned:.2f} | {read:.2f}, {written:.2f} |", flush=True)
    half = statistics.median(row[3] * row[1] * 2 * size / (cells[0] * cells[1] * cells[2]) / row[0] / options.th
                             for row in table[PARTS[0]])
    print(f"\nknee at half of it, measured over predicted: {1 / half:.2f}" if half else "")


try:
    main()
finally:
    if os.path.isdir(GROUP):
        os.rmdir(GROUP)
