#!/usr/bin/env python3
"""Runs that are killed at random moments, many of them while they write a checkpoint, and started again by the same
command with another schedule and another grid of ranks: the results are those of an undisturbed run, byte for byte.
With several ranks one of them is killed, or mpirun. Some chains of kills replace earlier results (--overwrite), some
continue a run that had ended (a longer run.time_fs).

    python3 tests/stress/kills.py --torre build/torre --minutes 5

A trial is a kill; a chain of them with other results, one that cannot continue, a rank that outlives its mpirun by
seconds, or a checkpoint that stays, is a failure.
"""
import os
import shutil
import time

import trials
from trials import DONE, REFUSED

MOST_KILLS = 20  # of a chain; then the run is left alone


class Kills(trials.Trials):
    def __init__(self):
        super().__init__(__doc__)
        self.orphans = self.hung = self.while_writing = self.chains = 0
        trials.reference_job(10, 4)
        self.undisturbed("plain")
        self.undisturbed("shorter", "--set", "run.time_fs=6", "--set", "checkpoint.keep=true")

    def strike(self, process, grid):
        """Kills the run, one of its ranks, or their mpirun; nothing of it runs afterwards. Returns what was killed."""
        ranks = trials.children_of(process.pid) if grid != "1x1" else []
        victim, what = process.pid, "of a run" if grid == "1x1" else "of mpirun"
        if ranks and self.random.random() < 0.6:
            victim, what = self.random.choice(ranks), "of a rank"
        self.kill(victim)
        # Open MPI 4.1's mpirun may hang when a rank dies before it has connected; else it ends within a second.
        if victim != process.pid and not trials.ends_within(10, process.pid):
            self.kill(process.pid)
            self.hung += 1
        # Ranks whose mpirun is gone end by themselves, or continue alone: then they hold the folder's lock.
        for rank in ranks:
            if not trials.ends_within(2, rank):
                self.kill(rank)
                self.orphans += 1
                trials.ends_within(10, rank)
        return what

    @staticmethod
    def kill(pid):
        try:
            os.kill(pid, 9)
        except ProcessLookupError:
            pass

    @staticmethod
    def await_checkpoint(process):
        """Until the run writes its first checkpoint, or has ended."""
        begun = time.time()
        while process.poll() is None and time.time() < begun + 60:
            if os.path.isdir("chain/checkpoint") and os.stat("chain/checkpoint").st_mtime > begun:
                return
            time.sleep(0.002)

    def begin(self, kind):
        """The folder as the chain finds it; the options of its first run."""
        shutil.rmtree("chain", ignore_errors=True)
        if kind == "new":
            return ["--restart"]
        shutil.copytree("shorter", "chain")
        if kind == "further":
            return ["--restart"]
        shutil.rmtree("chain/checkpoint")
        return ["--overwrite"]

    def killed(self, options):
        """Starts a run and kills it after a while. Returns its exit status, 0 or 2 where it was over before."""
        grid = self.random.choice(self.grids)
        process = self.start([*options, *self.schedule(grid)], grid)
        if self.random.random() < 0.5:
            time.sleep(self.random.uniform(0, 0.9) + 0.4 * (grid != "1x1"))
        else:
            self.await_checkpoint(process)
            time.sleep(self.random.uniform(0, 0.2))
        what = self.strike(process, grid)
        status = process.wait()
        if status not in (DONE, REFUSED):
            self.trials += 1
            self.counts[what] += 1
            self.while_writing += bool(trials.parts_of("chain/checkpoint"))
        return status

    def chain(self):
        seed = self.reseed()
        kind = self.random.choice(["new", "new", "further", "overwrite"])
        mode, common = self.begin(kind), ["--out", "chain", "--set", "checkpoint.steps=16"]
        status, untouched = None, False
        for _ in range(self.random.randint(1, MOST_KILLS)):
            status = self.killed([*mode, *common])
            # --overwrite that was killed before it removed anything.
            untouched = kind == "overwrite" and status == REFUSED and not trials.difference("shorter", "chain")
            if status in (DONE, REFUSED) and not untouched or not self.more():
                break
            mode = ["--overwrite"] if untouched else ["--restart"]
        if status not in (DONE, REFUSED) or untouched:
            status = self.run([*mode, *common, *self.schedule()])
            if status == REFUSED and kind == "overwrite" and not trials.difference("shorter", "chain"):
                status = self.run(["--overwrite", *common])
        fault = "status %s" % status if status else trials.difference("plain", "chain")
        if not fault and (os.path.exists("chain/checkpoint") or os.path.exists("chain/.lock")):
            fault = "a checkpoint or a lock stays"
        self.chains += 1
        self.record(seed, "chain of kind %s" % kind, fault, 0)


def main():
    kills = Kills()
    while kills.more():
        kills.chain()
    print("     in %d chains; %d while a checkpoint was written; %d ranks ran for more than 2 s after their mpirun was "
          "killed; %d times mpirun hung after a rank was killed" % (kills.chains, kills.while_writing, kills.orphans,
                                                                    kills.hung))
    kills.finish()


if __name__ == "__main__":
    main()
