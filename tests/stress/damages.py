#!/usr/bin/env python3
"""Checkpoints, snapshots and files of torre tune that are damaged in random ways: flipped bits, truncated, appended,
zeroed, empty and deleted files, FIFOs, links and folders in their place, exchanged generations and ranks, files of
another job. The run that comes to them gives the results of an undisturbed one, byte for byte, or reports what is
wrong; it never ends by a signal or hangs, and what it refuses it does not change.

    python3 tests/stress/damages.py --torre build/torre --minutes 5

A damaged file of torre tune never keeps a run from its results.
"""
import filecmp
import glob
import os
import re
import shutil
import subprocess
import sys

import trials
from trials import DONE, FAILED, REFUSED

SHORT, LONG = ["--set", "run.time_fs=2"], ["--set", "run.time_fs=3"]


def tree(folder):
    """What a folder holds: kinds and contents."""
    found = {}
    for path, folders, names in os.walk(folder):
        for name in folders + names:
            full = os.path.join(path, name)
            content = None
            if os.path.isfile(full) and not os.path.islink(full):
                with open(full, "rb") as file:
                    content = file.read()
            found[os.path.relpath(full, folder)] = (os.lstat(full).st_mode, content)
    return found


class Damage:
    """Ways to damage a file; each is a function of its path."""

    def __init__(self, random):
        self.random = random
        self.ways = [self.flip, self.span, self.sector, self.truncate, self.append, self.delete, self.empty, self.fifo,
                     self.folder, self.link]

    def rewrite(self, path, change):
        with open(path, "rb") as file:
            content = bytearray(file.read())
        content = change(content)
        with open(path, "wb") as file:
            file.write(content)

    def bytes(self, count):
        return bytes(self.random.randrange(256) for _ in range(count))

    def flip(self, path):
        def change(content):
            for _ in range(self.random.randint(1, 8) if content else 0):
                content[self.random.randrange(len(content))] ^= 1 << self.random.randrange(8)
            return content
        self.rewrite(path, change)

    def span(self, path):
        def change(content):
            at = self.random.randrange(len(content) + 1)
            new = self.bytes(self.random.randint(1, 200))
            content[at:at + len(new)] = new
            return content
        self.rewrite(path, change)

    def sector(self, path):
        def change(content):
            at = 512 * self.random.randrange(len(content) // 512 + 1)
            content[at:at + 512] = bytes(len(content[at:at + 512]))
            return content
        self.rewrite(path, change)

    def truncate(self, path):
        self.rewrite(path, lambda content: content[:self.random.randrange(len(content) + 1)])

    def append(self, path):
        self.rewrite(path, lambda content: content + self.bytes(self.random.randint(1, 5000)))

    def delete(self, path):
        os.remove(path)

    def empty(self, path):
        self.rewrite(path, lambda content: b"")

    def fifo(self, path):
        os.remove(path)
        os.mkfifo(path)

    def folder(self, path):
        os.remove(path)
        os.mkdir(path)

    def link(self, path):
        os.rename(path, path + ".moved")
        os.symlink(os.path.basename(path) + ".moved", path)


class Damages(trials.Trials):
    def __init__(self):
        super().__init__(__doc__)
        trials.reference_job(3, 1)
        self.undisturbed("plain")
        self.undisturbed("other", "--set", "grid.courant=0.8", *SHORT, *self.keep(), "--th", "8")
        self.bases = []
        for grid in self.grids:
            folder = "base-" + grid
            if self.run(["--out", folder, *SHORT, *self.keep(), *self.schedule(grid)], grid) != DONE:
                sys.exit("no checkpoints to damage: " + self.printed())
            self.bases.append(folder)
        shutil.copytree("base-" + self.grids[0], "base-stopped")
        os.remove("base-stopped/run.json")
        self.bases.append("base-stopped")
        tune = [self.torre, "tune", "--device", "cpu", "--seconds", "0.01"]
        subprocess.run(tune, env=self.env, stdout=subprocess.DEVNULL, check=True)
        self.tuned = glob.glob("cache/torre/*")[0]
        shutil.copy(self.tuned, "tuned")

    @staticmethod
    def keep():
        return ["--set", "checkpoint.keep=true", "--set", "checkpoint.steps=40"]

    def exchange(self, folders):
        """Exchanges or copies files or folders of two generations, or of one and another job's."""
        others = trials.generations("other")
        ways = ["other generation", "other file", "delete"] + ["generations", "files", "ranks"] * (len(folders) > 1)
        way = self.random.choice(ways)
        one = self.random.choice(folders)
        if way == "delete":
            shutil.rmtree(one)
        elif way == "generations":
            os.rename(folders[0], folders[0] + "x")
            os.rename(folders[1], folders[0])
            os.rename(folders[0] + "x", folders[1])
        elif way == "other generation":
            shutil.rmtree(one)
            shutil.copytree(self.random.choice(others), one)
        elif way == "ranks" and len(glob.glob(one + "/rank-*")) > 1:
            a, b = self.random.sample(glob.glob(one + "/rank-*"), 2)
            os.rename(a, a + "x")
            os.rename(b, a)
            os.rename(a + "x", b)
        else:
            source = self.random.choice(others if way == "other file" else folders)
            name = self.random.choice(os.listdir(source))
            if source == one:
                return self.exchange(folders)
            shutil.copy(os.path.join(source, name), os.path.join(one, name))
        return "exchanged " + way

    def damage_one(self, pattern):
        paths = sorted(path for path in glob.glob(pattern) if os.path.isfile(path) and not os.path.islink(path))
        if not paths:
            return "nothing"
        damage = Damage(self.random)
        path, way = self.random.choice(paths), self.random.choice(damage.ways)
        way(path)
        return "%s %s" % (way.__name__, os.path.relpath(path, "try"))

    def damage_checkpoint(self):
        done = []
        for _ in range(self.random.choice([1, 1, 2, 4])):
            folders = trials.generations("try")
            if folders and self.random.random() < 0.25:
                done.append(self.exchange(folders))
            else:
                done.append(self.damage_one("try/checkpoint/step-*/*"))
        return done

    def checkpoint(self):
        seed = self.reseed()
        shutil.rmtree("try", ignore_errors=True)
        base = self.random.choice(self.bases)
        shutil.copytree(base, "try", symlinks=True)
        done, before = self.damage_checkpoint(), tree("try/checkpoint")
        grid = self.random.choice(self.grids)
        status = self.run(["--out", "try", *LONG, "--restart", *self.schedule(grid)], grid)
        fault = self.fault_of(status, before)
        name = {DONE: "checkpoints, same results", REFUSED: "checkpoints, refused"}.get(status, "checkpoints, other")
        self.record(seed, name, fault and "%s (%s on %s: %s)" % (fault, base, grid, ", ".join(done)))

    def fault_of(self, status, before):
        """What is wrong with how a run with damaged checkpoints has ended."""
        text = self.printed()
        if status == DONE:
            return trials.difference("plain", "try")
        if status not in (FAILED, REFUSED):
            return "status %s" % status
        if not re.search(r"checkpoint|job\.json|manifest|rank-|snapshot", text):
            return "status %s without its reason" % status
        if status == REFUSED and tree("try/checkpoint") != before:
            return "refused, and the checkpoints have changed"
        if self.run(["--out", "try", *LONG, "--overwrite"]) != DONE:
            return "status %s, and --overwrite fails, too" % status
        return trials.difference("plain", "try")

    def snapshot(self):
        """A restart reports snapshots before it that are damaged, as far as arrays are."""
        seed = self.reseed()
        shutil.rmtree("try", ignore_errors=True)
        shutil.copytree("base-" + self.grids[0], "try")
        done = self.damage_one("try/snapshots/*/*.h5")
        status = self.run(["--out", "try", *LONG, "--restart", *self.schedule()])
        fault = None if status in (DONE, FAILED, REFUSED) else "status %s" % status
        if not fault and "snapshots/" not in self.printed():
            fault = "status %s without its reason" % status if status else self.arrays_differ()
        self.record(seed, "snapshots", fault and "%s (%s)" % (fault, done))

    @staticmethod
    def arrays_differ():
        for name in glob.glob("plain/snapshots/*/*.h5"):
            mine = name.replace("plain", "try")
            if filecmp.cmp(name, mine, shallow=False) or not shutil.which("h5diff"):
                continue
            if subprocess.run(["h5diff", name, mine], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              check=False).returncode:
                return "%s differs without a message" % mine
        return None

    def damage_numbers(self):
        with open("tuned", encoding="ascii") as file:
            text = file.read()
        for _ in range(self.random.randint(1, 4)):
            number = self.random.choice(list(re.finditer(r"\b[0-9][0-9.]*", text)))
            new = self.random.choice(["0", "-1", "nan", "1e308", "1e-308", "999999999", "2147483648", "0.5", "100000",
                                      "99999999999999999999", "\"x\"", "", "1e999", "3.7"])
            text = text[:number.start()] + new + text[number.end():]
        with open(self.tuned, "w", encoding="ascii") as file:
            file.write(text)
        return "numbers changed"

    def damage_tuned(self):
        way = self.random.choice(["numbers", "numbers", "file", "file", "include", "large", "nested"])
        if way == "numbers":
            return self.damage_numbers()
        if way == "file":
            return self.damage_one(self.tuned)
        with open(self.tuned, "w", encoding="ascii") as file:
            file.write({"include": '@include "/etc/passwd"\n', "large": "x = 1; " * 1500000,
                        "nested": "x = " + 100000 * "( "}[way])
        return way

    def tune(self):
        seed = self.reseed()
        shutil.rmtree("cache/torre")
        os.mkdir("cache/torre")
        shutil.copy("tuned", self.tuned)
        done = self.damage_tuned()
        shutil.rmtree("try", ignore_errors=True)
        grid = self.random.choice(self.grids)
        status = self.run(["--out", "try", "--threads", "2" if grid == "1x1" else "1"], grid)
        fault = "status %s" % status if status != DONE else trials.difference("plain", "try")
        if not fault:
            plan = subprocess.run([self.torre, "plan", "job.cfg", "--threads", "2"], env=self.env, check=False,
                                  timeout=600, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            fault = "plan ends with status %s" % plan.returncode if plan.returncode else None
        self.record(seed, "files of torre tune", fault and "%s (%s)" % (fault, done))


def main():
    damages = Damages()
    while damages.more():
        damages.checkpoint()
        if damages.more() and damages.seed % 3 == 0:
            damages.snapshot()
        if damages.more() and damages.seed % 3 != 0:
            damages.tune()
    damages.finish()


if __name__ == "__main__":
    main()
