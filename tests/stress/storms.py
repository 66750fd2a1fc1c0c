#!/usr/bin/env python3
"""Storms of INT, TERM, USR1 and HUP, at random times from the first moment on to the last, to a run, to one of its
ranks or (USR1) to mpirun: the run ends with status 75 and its state saved, and the same command, submitted again until
it ends with 0, gives the results of an undisturbed run, byte for byte.

    python3 tests/stress/storms.py --torre build/torre --minutes 5

A trial is a run that signals came to. A second Ctrl-C may end it with status 130; a run that was over when they came
has ended with 0. Ending by a signal, another status or other results are failures.
"""
import os
import shutil
import signal
import sys
import time

import trials
from trials import AGAIN, DONE

sys.path.insert(0, os.path.join(trials.TOP, "tests", "support"))
import signals  # noqa: E402

SOFT = [signal.SIGTERM, signal.SIGUSR1, signal.SIGHUP]
MOST_STORMS = 8  # of a job; then the run is left alone
ABORTED = 130


class Storms(trials.Trials):
    def __init__(self):
        super().__init__(__doc__)
        trials.reference_job(10, 4)
        self.undisturbed("plain")

    def victims(self, process, grid):
        """The processes that signals may go to, when they take them: mpirun passes USR1 on. Half of the runs without
        mpirun get theirs at once: one that a signal ends before it was seen to take them is counted apart: libraries
        are loaded then (tests/support/early_signals.py distinguishes these)."""
        self.seen = grid != "1x1" or self.random.random() < 0.5
        if not self.seen:
            return [process.pid]
        while process.poll() is None:
            ranks = trials.children_of(process.pid) if grid != "1x1" else [process.pid]
            if len(ranks) == trials.ranks_of(grid) and all(map(self.takes_term, ranks)):
                return ranks
            time.sleep(0.001)
        return []

    @staticmethod
    def takes_term(pid):
        try:
            return signals.takes_term(pid)
        except OSError:
            return False

    def send(self, pid, kind):
        try:
            os.kill(pid, kind)
        except ProcessLookupError:
            pass

    def storm(self, process, grid):
        """Sends the signals. Returns the number of them and that of SIGINTs."""
        ranks = self.victims(process, grid)
        time.sleep(self.random.choice([0, self.random.uniform(0, 0.05), self.random.uniform(0, 1.5)]))
        to_mpirun = grid != "1x1" and self.random.random() < 0.3
        sent = ints = 0
        # Open MPI's mpirun itself dies of a signal that comes when its ranks have ended.
        most = 1 if to_mpirun else self.random.choice([1, 2, 10, 1000000])
        while process.poll() is None and sent < most:
            kind = self.random.choice(SOFT)
            if to_mpirun:
                kind = signal.SIGUSR1
            elif sent < 3 and self.random.random() < 0.2:
                kind, ints = signal.SIGINT, ints + 1
            self.seen = self.seen or self.takes_term(process.pid)
            self.send(process.pid if to_mpirun else self.random.choice(ranks), kind)
            sent += 1
            time.sleep(self.random.uniform(0.0002, 0.004))
        return sent, ints

    def one(self, out):
        """A run in a storm. Returns its status, and what is wrong with it."""
        grid = self.random.choice(self.grids)
        process = self.start(["--out", out, "--restart", *self.schedule(grid)], grid)
        sent, ints = self.storm(process, grid)
        status = self.ended(process)
        fault = None
        if status < 0 and not self.seen:
            return status, None, "ended while libraries were loaded"
        if status not in (DONE, AGAIN) and not (status == ABORTED and ints > 1):
            fault = "status %s after %d signals, %d of them INT, on %s" % (status, sent, ints, grid)
        elif status == DONE:
            fault = trials.difference("plain", out)
        name = {DONE: "over before", ABORTED: "ended by a second Ctrl-C"}.get(status, "saved")
        return status, fault, name

    def requeued(self):
        """A job that is submitted until it ends."""
        seed = self.reseed()
        shutil.rmtree("storm", ignore_errors=True)
        for _ in range(self.random.randint(1, MOST_STORMS)):
            status, fault, name = self.one("storm")
            if not self.record(seed, name, fault) or status == DONE:
                return
            if not self.more():
                break
        status = self.run(["--out", "storm", "--restart"])
        fault = "status %s" % status if status else trials.difference("plain", "storm")
        self.record(seed, "last run", fault and "the last run: " + fault, 0)


def main():
    storms = Storms()
    while storms.more():
        storms.requeued()
    storms.finish()


if __name__ == "__main__":
    main()
