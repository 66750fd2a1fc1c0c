#!/usr/bin/env python3
"""Disks that are full: a run writes into a small tmpfs of random size or number of files, or another program fills the
disk or makes it read-only while the run is on, or files may not grow beyond a limit (RLIMIT_FSIZE). The run reports it,
ends with the right status, no broken file has a final name, no finished result is lost, and with free space again
--restart ends with the files of an undisturbed run.

    python3 tests/stress/disks.py --torre build/torre --minutes 5

A tmpfs needs the right to mount (root); without it there are limits of file sizes alone.
"""
import errno
import os
import resource
import shutil
import subprocess
import tempfile
import time

import trials
from trials import DONE, FAILED, REFUSED

SHORT, LONG = ["--set", "run.time_fs=2"], ["--set", "run.time_fs=3"]
MORE = ["--set", "checkpoint.steps=40"]
KEEP = ["--set", "checkpoint.keep=true"]
REASON = {"full": os.strerror(errno.ENOSPC), "limit": os.strerror(errno.EFBIG), "read-only": os.strerror(errno.EROFS)}


class Disks(trials.Trials):
    def __init__(self):
        super().__init__(__doc__)
        trials.reference_job(3, 1)
        self.undisturbed("plain")
        self.undisturbed("short", *SHORT, *KEEP, *MORE)
        self.disk = os.path.join(self.work, "disk")
        os.mkdir(self.disk)
        self.mounts = self.mount("64m")
        if self.mounts:
            self.unmount()
        else:
            print("     no right to mount here: limits of file sizes alone", flush=True)

    def mount(self, size, files=0):
        options = "size=%s" % size + (",nr_inodes=%d" % files if files else "")
        return not subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", self.disk], check=False,
                                  stderr=subprocess.DEVNULL).returncode

    def remount(self, options):
        return not subprocess.run(["mount", "-o", "remount," + options, self.disk], check=False,
                                  stderr=subprocess.DEVNULL).returncode

    def unmount(self):
        subprocess.run(["umount", "-l", self.disk], check=True)

    def begin(self, out):
        """The folder as the run finds it. Returns the run's options."""
        kind = self.random.choice(["new", "new", "further", "overwrite"])
        if kind != "new":
            shutil.copytree("short", out)
        return kind, ["--out", out, *LONG, *MORE, "--overwrite" if kind == "overwrite" else "--restart"]

    def interfered(self, options, grid, way):
        """A run; another program fills the disk, or makes it read-only, at a random moment."""
        process = self.start([*options, *self.schedule(grid)], grid)
        time.sleep(self.random.uniform(0, 0.8) + 0.3 * (grid != "1x1"))
        if way == "filled":
            with open(os.path.join(self.disk, "filler"), "wb") as file:
                try:
                    while True:
                        file.write(bytes(1 << 16))
                        file.flush()
                except OSError:
                    pass
                try:
                    file.close()
                except OSError:
                    pass
        else:
            for _ in range(200):  # busy while files are open for writing
                if self.remount("ro") or process.poll() is not None:
                    break
                time.sleep(0.002)
        return self.ended(process)

    def fault_of(self, status, out, reasons, kind):
        if status not in (DONE, FAILED, REFUSED):
            return "status %s" % status
        if status == DONE:
            return trials.difference("plain", out)
        text = self.printed()
        own = ["disk is full", "free on its file system", "file system is read-only"]
        if not any(reason in text for reason in [*reasons, *own]):
            return "status %s without its reason" % status
        broken = trials.broken_files(out, "plain", "short") if os.path.isdir(out) else []
        if broken:
            return "broken: %s" % ", ".join(broken)
        if os.path.isdir(out) and trials.parts_of(out) and "read-only" not in kind:
            return "parts stay: %s" % ", ".join(trials.parts_of(out))
        return None

    def goes_on(self, out, kind):
        """With room again: --restart, or the same command where --overwrite was refused, gives the whole results."""
        status = self.run(["--out", out, *LONG, "--restart"])
        if status == REFUSED and kind == "overwrite":
            status = self.run(["--out", out, *LONG, "--overwrite"])
        return "with room again status %s" % status if status else trials.difference("plain", out)

    def on_disk(self):
        seed = self.reseed()
        way = self.random.choice(["small", "small", "few files", "filled", "filled", "read-only"])
        # Below about 7 MB the checkpoints have no space, and the job is refused.
        size = "%dk" % self.random.choice([self.random.randint(64, 7000), self.random.randint(7000, 25000)])
        self.mount("64m", self.random.randint(3, 60) if way == "few files" else 0)
        out = os.path.join(self.disk, "out")
        try:
            fault = self.trial(out, way, size)
            self.record(seed, "disks " + way, fault)
        finally:
            self.unmount()

    def trial(self, out, way, size):
        try:
            kind, options = self.begin(out)
        except (OSError, shutil.Error):
            shutil.rmtree(out, ignore_errors=True)
            kind, options = "new", ["--out", out, *LONG, *MORE, "--restart"]
        used = sum(os.lstat(os.path.join(p, n)).st_blocks * 512 for p, _, names in os.walk(out) for n in names)
        if way == "small":
            self.remount("size=%d" % (used + 1024 * int(size[:-1])))
        grid = self.random.choice(self.grids)
        if way in ("small", "few files"):
            status = self.run([*options, *self.schedule(grid)], grid)
        else:
            status = self.interfered(options, grid, way)
        fault = self.fault_of(status, out, [REASON["read-only" if way == "read-only" else "full"]], way + kind)
        self.counts["of them done"] += status == DONE
        if way == "filled":
            os.remove(os.path.join(self.disk, "filler"))
        self.remount("rw,size=200m,nr_inodes=0")
        fault = fault or self.goes_on(out, kind)
        return fault and "%s (%s, %s, %s)" % (fault, kind, grid, size)

    def limited(self):
        seed = self.reseed()
        out = tempfile.mkdtemp(dir=self.work)
        os.rmdir(out)
        kind, options = self.begin(out)
        # One rank: Open MPI itself does not bear such a limit.
        limit = int(1024 * 4000 ** self.random.random())
        status = self.run([*options, *self.schedule()],
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        fault = self.fault_of(status, out, [REASON["limit"]], kind) or self.goes_on(out, kind)
        self.counts["of them done"] += status == DONE
        self.record(seed, "limits of file sizes", fault and "%s (%s, %d bytes)" % (fault, kind, limit))
        shutil.rmtree(out, ignore_errors=True)


def main():
    disks = Disks()
    while disks.more():
        if disks.mounts and disks.random.random() < 0.7:
            disks.on_disk()
        else:
            disks.limited()
    disks.finish()


if __name__ == "__main__":
    main()
