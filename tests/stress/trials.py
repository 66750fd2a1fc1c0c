"""Shared by the scripts here that repeat trials for minutes: options, jobs, runs, comparison of results, the record."""
import argparse
import atexit
import collections
import filecmp
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DONE, FAILED, REFUSED, AGAIN = 0, 1, 2, 75
NO_END = "no end"
GRIDS = ["2x1", "1x2", "3x1", "2x2"]


RECORDS = ("run.", ".lock", "earlier.")  # what differs between equal runs


def files_of(folder, but=RECORDS):
    """Result files, by their paths in the folder; but: how the names of others begin."""
    found = []
    for path, _, names in os.walk(folder):
        for name in names:
            relative = os.path.relpath(os.path.join(path, name), folder)
            if not name.startswith(but) and not relative.startswith("checkpoint"):
                found.append(relative)
    return sorted(found)


def difference(a, b, but=RECORDS):
    """The first difference as text; None when both folders hold the same files."""
    of_a, of_b = files_of(a, but), files_of(b, but)
    if of_a != of_b:
        return "files %s are not in both" % sorted(set(of_a) ^ set(of_b))
    for name in of_a:
        if not filecmp.cmp(os.path.join(a, name), os.path.join(b, name), shallow=False):
            return "%s differs" % name
    return None


def broken_files(folder, *whole):
    """Result files that are those of none of the whole folders. (An index of snapshots, .xmf, grows with them.)"""
    def known(name):
        return any(os.path.isfile(os.path.join(w, name)) and
                   filecmp.cmp(os.path.join(folder, name), os.path.join(w, name), shallow=False) for w in whole)
    return [name for name in files_of(folder) if not name.endswith(".xmf") and not known(name)]


def parts_of(folder):
    """Files and folders of unfinished writes."""
    return [os.path.join(path, name) for path, folders, names in os.walk(folder) for name in folders + names
            if name.endswith(".part")]


def generations(folder):
    """Complete checkpoints, oldest first."""
    inside = os.path.join(folder, "checkpoint")
    names = os.listdir(inside) if os.path.isdir(inside) else []
    return sorted(os.path.join(inside, name) for name in names if re.fullmatch(r"step-\d{12}", name))


def ranks_of(grid):
    x, y = (int(n) for n in grid.split("x"))
    return x * y


def children_of(pid):
    try:
        with open("/proc/%d/task/%d/children" % (pid, pid), encoding="ascii") as file:
            return [int(word) for word in file.read().split()]
    except OSError:
        return []


def runs_still(pid):
    """Whether a process, of whatever parent, has not ended; a zombie has."""
    try:
        with open("/proc/%d/stat" % pid, encoding="latin1") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def ends_within(seconds, pid):
    end = time.monotonic() + seconds
    while runs_still(pid):
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def reference_job(time_fs, every_fs):
    """Writes job.cfg, every key of a job, over so many fs, with a snapshot each every_fs."""
    for table in ("reference_pulse.txt", "reference_index.txt", "reference_places.h5", "reference_density.h5",
                  "reference_fields.h5", "reference_layout.gds", "reference_surface.stl"):
        shutil.copy(os.path.join(TOP, "jobs", table), ".")
    with open(os.path.join(TOP, "jobs", "reference.cfg"), encoding="ascii") as file:
        text = file.read()
    text = re.sub(r"time_fs = 20\.0", "time_fs = %g" % time_fs, text)
    text = re.sub(r"every_fs = 8\.0", "every_fs = %g" % every_fs, text)
    text = re.sub(r"times_fs = \[.*\];", "times_fs = [%g];" % (0.4 * time_fs), text)
    with open("job.cfg", "w", encoding="ascii") as file:
        file.write(text)


class Trials:
    """The options, a random generator for each trial, runs of the program in a folder for the time being, the record.

    A failed trial leaves its folder as bad-SEED in the folder where the script was started."""

    def __init__(self, description, ranks=True):
        parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
        parser.add_argument("--torre", default=os.environ.get("TORRE"), help="the program (default: $TORRE)")
        parser.add_argument("--minutes", type=float, default=5)
        parser.add_argument("--trials", type=int, default=0, help="ends after so many, if before (default: any number)")
        parser.add_argument("--seed", type=int, default=1, help="of the first trial; the next have the next numbers")
        if ranks:
            parser.add_argument("--grids", default="", help="grids of ranks, as 1x1,2x1 (default: several)")
        args = parser.parse_args()
        if not args.torre:
            parser.error("--torre PROGRAM is needed")
        self.torre, self.seed, self.most = os.path.abspath(args.torre), args.seed, args.trials
        self.seconds, self.end = 60 * args.minutes, None
        several = [*GRIDS] if shutil.which("mpirun") else []
        self.grids = (args.grids.split(",") if args.grids else ["1x1", *several]) if ranks else ["1x1"]
        self.begun_in, self.work = os.getcwd(), tempfile.mkdtemp(prefix="torre-trials-")
        atexit.register(shutil.rmtree, self.work, ignore_errors=True)
        os.chdir(self.work)
        self.counts, self.trials, self.failed, self.random = collections.Counter(), 0, 0, random.Random(self.seed)
        # A waiting thread or rank yields its core, as in tests/system/lib.sh.
        self.env = dict(os.environ, OMP_WAIT_POLICY="passive", OMPI_ALLOW_RUN_AS_ROOT="1",
                        OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_mpi_yield_when_idle="1",
                        XDG_CACHE_HOME=os.path.join(self.work, "cache"))

    def more(self):
        """Whether there is time for another trial; it is counted from the first call."""
        self.end = self.end or time.monotonic() + self.seconds
        return time.monotonic() < self.end and not 0 < self.most <= self.trials

    def reseed(self):
        """The random numbers of the next trial."""
        self.random, self.seed = random.Random(self.seed), self.seed + 1
        return self.seed - 1

    def command(self, options, grid="1x1"):
        run = [self.torre, "run", "job.cfg", "-q", *options]
        if grid == "1x1":
            return run
        return ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", str(ranks_of(grid)), *run, "--ranks", grid]

    def schedule(self, grid="1x1"):
        """Options of a random schedule."""
        if grid == "1x1":
            return self.random.choice(["--th 8 --threads 2", "--engine stepwise --threads 1",
                                       "--th 5 --dts 3 --threads 2", "--engine stepwise --th 1 --threads 2",
                                       "--th 16 --dts 8 --threads 2"]).split()
        return self.random.choice(["--th 4 --dts 3 --threads 1", "--th 2 --dts 2 --threads 1",
                                   "--th 3 --dts 1 --threads 1"]).split()

    def start(self, options, grid="1x1", **popen):
        """A run in the background; what it prints goes to out.txt."""
        with open("out.txt", "wb") as out:
            return subprocess.Popen(self.command(options, grid), stdout=out, stderr=subprocess.STDOUT,
                                    stdin=subprocess.DEVNULL, env=self.env, **popen)

    def ended(self, process, seconds=600):
        """Exit status, or NO_END after so many seconds: then it is killed."""
        try:
            return process.wait(seconds)
        except subprocess.TimeoutExpired:
            for pid in [*children_of(process.pid), process.pid]:
                os.kill(pid, 9)
            process.wait()
            return NO_END

    def run(self, options, grid="1x1", seconds=600, **popen):
        return self.ended(self.start(options, grid, **popen), seconds)

    def printed(self):
        with open("out.txt", encoding="latin1") as file:
            return file.read()

    def undisturbed(self, folder, *options):
        """A whole run to compare with."""
        status = self.run(["--out", folder, *options])
        if status != DONE:
            sys.exit("an undisturbed run ends with status %s: %s" % (status, self.printed()))

    def same(self, seed, name, status, wanted, folder):
        """Counts a trial whose run must have ended with status 0 and with the files of `wanted`."""
        fault = "status %s" % status if status != DONE else difference(wanted, folder)
        return self.record(seed, name, fault)

    def record(self, seed, name, fault, trials=1):
        """Counts trials; fault: what was wrong, None if nothing."""
        self.trials += trials
        if trials:
            self.counts[name] += trials
        if not fault:
            return True
        self.failed += 1
        kept = os.path.join(self.begun_in, "bad-%d" % seed)
        shutil.rmtree(kept, ignore_errors=True)
        shutil.copytree(self.work, kept, symlinks=True, ignore=lambda path, names: [
            name for name in names if not os.path.islink(os.path.join(path, name)) and
            not os.path.isfile(os.path.join(path, name)) and not os.path.isdir(os.path.join(path, name))])
        print("fail --seed %d, %s: %s\n%s" % (seed, name, fault, self.printed()[-1500:]), flush=True)
        return False

    def finish(self):
        os.chdir(self.begun_in)
        kinds = ", ".join("%d %s" % (n, name) for name, n in sorted(self.counts.items()))
        bad = self.failed or not self.trials
        print("%s %d trials (%s): %d failed" % ("fail" if bad else "ok  ", self.trials, kinds, self.failed))
        sys.exit(1 if bad else 0)
