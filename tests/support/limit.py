#!/usr/bin/env python3
"""Runs a command under two limits: processor time of its whole tree of processes, and wall time.

    limit.py SECONDS[,WALL] COMMAND [ARGUMENTS...]

SECONDS is what the command may take on two quiet cores: 2 * SECONDS of processor time, summed over all its processes
(RLIMIT_CPU counts each process alone), and 5 * SECONDS of wall time, or WALL, so that a deadlock ends and a busy
machine fails nothing. At a limit all its processes are killed and the exit status is 124; else it is the command's
(128 + N after signal N). The last line of its output says what the command took; tests/support/test_times.py makes a
table of them.
"""
import ctypes
import os
import resource
import signal
import subprocess
import sys
import time

PR_SET_CHILD_SUBREAPER = 36
CORES, WALL, POLL, LOOK = 2, 5, 0.5, 2.0  # LOOK: seconds from one look at all processes to the next, which takes 10 ms
TICK = os.sysconf("SC_CLK_TCK")


def tree(root):
    """The descendants of a process: {pid: processor seconds, its reaped children's included}."""
    parent, seconds = {}, {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                    fields = file.read().rpartition(")")[2].split()
            except OSError:
                continue  # ended meanwhile
            parent[int(name)] = int(fields[1])
            seconds[int(name)] = sum(map(int, fields[11:15])) / TICK
    children = {}
    for pid, of in parent.items():
        children.setdefault(of, []).append(pid)
    found, todo = {}, list(children.get(root, []))
    while todo:
        pid = todo.pop()
        found[pid] = seconds[pid]
        todo += children.get(pid, [])
    return found


def kill_tree():
    for _ in range(50):
        rest = [pid for pid in tree(os.getpid())]
        for pid in rest:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        while True:  # orphans come to this process, the subreaper
            try:
                if os.waitpid(-1, os.WNOHANG)[0] == 0:
                    break
            except ChildProcessError:
                return
        time.sleep(0.1)


def seconds_used():
    """Processor time of all processes: of those that have ended and were waited for, and of those that are left."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime + sum(tree(os.getpid()).values())


def reap_orphans(command):
    """Orphans come to this process, the subreaper: one that has ended must be gone for whoever waits for its end."""
    while True:
        ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if ended is None or ended.si_pid == command.pid:
            return
        os.waitpid(ended.si_pid, 0)


def main():
    limit = float(sys.argv[1].partition(",")[0])
    longest = float(sys.argv[1].partition(",")[2] or WALL * limit)
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    # Commands that start python3 get this one itself, not a script that looks for it: pyenv's takes 0.15 s.
    folder, path = os.path.dirname(sys.executable), os.environ.get("PATH", os.defpath)
    if folder not in path.split(":"):
        os.environ["PATH"] = f"{folder}:{path}"
    begin = time.monotonic()
    command = subprocess.Popen(sys.argv[2:])
    signal.signal(signal.SIGTERM, lambda *_: (kill_tree(), os._exit(143)))
    used, pause, looked = 0.0, 0.01, begin
    while True:
        try:
            status = command.wait(timeout=pause)
            used, wall = max(used, seconds_used()), time.monotonic() - begin
            print(f"limit.py: {used:.1f} s of processor time, {wall:.1f} s of wall time", flush=True)
            return status if status >= 0 else 128 - status
        except subprocess.TimeoutExpired:
            pause = min(2 * pause, POLL)
        reap_orphans(command)
        if time.monotonic() - looked < LOOK:
            continue
        looked = time.monotonic()
        wall, used = looked - begin, max(used, seconds_used())
        if used > CORES * limit or wall > longest:
            print(f"limit.py: killed after {used:.0f} s of processor time (limit {CORES * limit:g} s) and "
                  f"{wall:.0f} s of wall time (limit {longest:g} s)", file=sys.stderr, flush=True)
            kill_tree()
            return 124


if __name__ == "__main__":
    sys.exit(main())
