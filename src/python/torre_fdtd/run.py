"""Runs on this machine: the folder, the program, its progress."""
from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import warnings
from collections import deque
from pathlib import Path
from typing import Any, Callable, Deque, Dict, List, Mapping, Optional, Sequence

from .errors import FolderError, RunError, StoppedError, TorreError, UnconvergedWarning
from .program import program
from .results import Results

UNCONVERGED = 3  # exit status of a run that is done, but whose spectra may be off
STOPPED = 75  # exit status of a run with its state saved
REFUSED = 2


def read_json(path: Path) -> Optional[Dict[str, Any]]:
    """The contents of a JSON file; None where there is none, or no whole one."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, json.JSONDecodeError):
        return None


def is_finished(folder: Path, results_hash: str) -> bool:
    """Whether a folder has the whole results of the job with this hash."""
    run = read_json(folder / "run.json")
    return run is not None and run.get("results_hash") == results_hash and not run.get("incomplete", False)


def take_folder(job: Any, folder: Path, results_hash: str, overwrite: bool) -> Path:
    """Writes the job file into its folder, and returns its path.

    Raises FolderError where the folder has another job or another's results, and something else has its name.
    """
    file, text = folder / "job.cfg", job.text
    if folder.exists() and not folder.is_dir():
        raise FolderError(f"{folder}: is no folder")
    if not overwrite:
        run = read_json(folder / "run.json")
        if run and run.get("results_hash") != results_hash:
            raise FolderError(f"{folder}: has the results of another job; name another folder, or overwrite=True")
        if file.exists() and file.read_text(encoding="utf-8", errors="replace") != text and not run:
            if _hash_of(file) != results_hash:
                raise FolderError(f"{file}: is another job; name another folder, or overwrite=True")
    return write_job(job, folder)


def write_job(job: Any, folder: Path) -> Path:
    """Writes the job file and the files that it names into a folder; its path."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "job.cfg"
    file.write_text(job.text, encoding="utf-8")
    job._bring_files(folder)
    return file


def _hash_of(file: Path) -> Optional[str]:
    try:
        return json.loads(program().answer(["check", str(file), "--json"]).stdout).get("results_hash")
    except json.JSONDecodeError:
        return None


class Bar:
    """A bar of the progress in one line of stderr, as long as the run takes."""

    def __init__(self) -> None:
        self.drawn = False

    def __call__(self, line: Mapping[str, Any]) -> None:
        done = line["step"] / max(line["steps"], 1)
        rate, left = line.get("cell_updates_per_second"), line.get("seconds_left")
        text = f"{100 * done:5.1f} % [{'#' * int(30 * done):30}]"
        text += f" {rate / 1e6:.0f} M cells/s" if rate else ""
        text += f", {left:.0f} s left" if left is not None else ""
        sys.stderr.write(f"\r{text:78}")
        sys.stderr.flush()
        self.drawn = True

    def close(self) -> None:
        if self.drawn:
            sys.stderr.write("\n")


def in_notebook() -> bool:
    """Whether this is a notebook's kernel."""
    shell = sys.modules.get("IPython")
    kernel = shell.get_ipython() if shell else None
    return kernel is not None and hasattr(kernel, "kernel")


def _receiver(progress: Any) -> Optional[Callable[[Mapping[str, Any]], None]]:
    if callable(progress):
        return progress
    wanted = progress if progress is not None else sys.stderr.isatty() or in_notebook()
    return Bar() if wanted else None


def follow(command: Sequence[str], progress: Any = None, cwd: Optional[Path] = None) -> tuple[int, List[str]]:
    """Runs a command that prints its progress as JSON on stderr: its exit status and its other last lines.

    An interrupt of Python (Ctrl-C, a notebook's stop) is passed on as SIGUSR1, upon which the run saves its state;
    a second one ends it.
    """
    receive = _receiver(progress)
    last: Deque[str] = deque(maxlen=20)
    process = subprocess.Popen(command, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, encoding="utf-8", errors="replace", start_new_session=True)
    assert process.stderr is not None
    interrupts, status = 0, None
    with process.stderr:
        while status is None:
            try:
                for line in process.stderr:
                    _take_line(line.rstrip("\n"), receive, last)
                status = process.wait()
            except KeyboardInterrupt:
                interrupts += 1
                if interrupts > 1:
                    os.killpg(process.pid, signal.SIGKILL)
                else:
                    process.send_signal(signal.SIGUSR1)
            except BaseException:  # of the receiver of the progress
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                raise
    if isinstance(receive, Bar):
        receive.close()
    return status, list(last)


def _take_line(line: str, receive: Optional[Callable[[Mapping[str, Any]], None]], last: Deque[str]) -> None:
    if line.startswith("{"):
        try:
            answer = json.loads(line)
        except json.JSONDecodeError:
            answer = None
        if isinstance(answer, dict) and "step" in answer:
            if receive:
                receive(answer)
            return
    if line.strip():
        last.append(line)


def _end_of_log(folder: Path) -> List[str]:
    try:
        return (folder / "run.log").read_text(encoding="utf-8", errors="replace").splitlines()[-10:]
    except OSError:
        return []


def _warn_unconverged(folder: Path) -> None:
    warnings.warn(f"{folder}: unconverged: spectra of power may be off by more than the job's tolerance; see run.log",
                  UnconvergedWarning, stacklevel=4)


def run_jobs(jobs: Sequence[tuple[Any, Path, str]], at_once: int, *, overwrite: bool,
             options: Sequence[str]) -> List[Results | TorreError]:
    """Runs jobs, each with its folder and the hash of its results, in one start of the program, at_once at a time (0:
    as many as the program takes). For each its results, or why it has none; finished ones are not repeated.

    Raises StoppedError: stopped with states saved; FolderError: refused.
    """
    failed: Dict[int, TorreError] = {}
    files: List[str] = []
    for i, (job, folder, results_hash) in enumerate(jobs):
        if is_finished(folder, results_hash) and not overwrite:
            continue
        own = job.copy()
        own["output"] = str(folder)
        try:
            files.append(str(take_folder(own, folder, results_hash, overwrite)))
        except FolderError as error:
            failed[i] = error
    if files:
        command = [program().path, "run", *files, "-q", *(["--overwrite"] if overwrite else [])]
        command += [f"--jobs={at_once}"] if at_once and len(files) > 1 else []
        command += ["--restart"] if len(files) == 1 and not overwrite else []
        status, last = follow([*command, *options], progress=False)
        if status == STOPPED:
            raise StoppedError("stopped with states saved; the same call continues the runs", status, last)
        if status == REFUSED:
            raise FolderError("\n".join(last))
    ends: List[Results | TorreError] = []
    for i, (_, folder, results_hash) in enumerate(jobs):
        if i in failed:
            ends.append(failed[i])
        elif is_finished(folder, results_hash):
            results = Results(folder)
            if results.run.get("unconverged"):
                _warn_unconverged(folder)
            ends.append(results)
        else:
            ends.append(RunError(f"{folder}: the run failed", 1, _end_of_log(folder)))
    return ends


def run_job(job: Any, folder: Path, results_hash: str, *, processes: int, overwrite: bool, progress: Any,
            launcher: Sequence[str], options: Sequence[str]) -> Results:
    """See Job.run."""
    file = take_folder(job, folder, results_hash, overwrite)
    if is_finished(folder, results_hash) and not overwrite:
        return Results(folder)
    command: List[str] = [*launcher, "-n", str(processes)] if processes > 1 else []
    command += [program().path, "run", str(file), f"--out={folder}", "--progress=json"]
    status, last = follow([*command, "--overwrite" if overwrite else "--restart", *options], progress)
    if status == UNCONVERGED:
        _warn_unconverged(folder)
    if status in (0, UNCONVERGED):
        return Results(folder)
    if status == STOPPED:
        raise StoppedError(f"{folder}: stopped with its state saved; the same call continues the run", status, last)
    if status == REFUSED:
        raise FolderError("\n".join(last))
    raise RunError(f"{folder}: the run failed with status {status}", status, last or _end_of_log(folder))
