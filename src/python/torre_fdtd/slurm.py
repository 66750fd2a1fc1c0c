"""Jobs in Slurm's queue."""
from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any, Mapping, Optional, Sequence

from .errors import ProgramError, RunError
from .program import program
from .results import Results
from .run import is_finished, take_folder


class Submission:
    """A job in Slurm's queue. id: its number; folder: of its results; log: its messages."""

    def __init__(self, number: str, folder: Path, results_hash: str):
        self.id = number
        self.folder = folder
        self.log = folder / "slurm.log"
        self._hash = results_hash

    def __repr__(self) -> str:
        return f"Submission({self.id}, {self.folder}, {self.state})"

    @property
    def state(self) -> str:
        """FINISHED: the results are there. Else the state in the queue (PENDING, RUNNING ...); ENDED: no longer queued,
        and without results."""
        if is_finished(self.folder, self._hash):
            return "FINISHED"
        done = subprocess.run(["squeue", "-h", "-j", self.id, "-o", "%T"], capture_output=True, encoding="utf-8",
                              check=False)
        state = done.stdout.strip()
        if not state and is_finished(self.folder, self._hash):  # since the first look
            return "FINISHED"
        return state or "ENDED"

    def results(self) -> Results:
        """Raises RunError where the job has not finished."""
        state = self.state
        if state != "FINISHED":
            last = self.log.read_text(errors="replace").splitlines()[-20:] if self.log.exists() else []
            raise RunError(f"job {self.id} in {self.folder}: {state}", 1, last)
        return Results(self.folder)

    def wait(self, every: float = 10, timeout: Optional[float] = None) -> Results:
        """Waits for the end, looking each so many seconds. Raises RunError: it ended without results, or the time
        was over."""
        end = None if timeout is None else time.monotonic() + timeout
        while self.state not in ("FINISHED", "ENDED") and (end is None or time.monotonic() < end):
            time.sleep(every)
        return self.results()

    def cancel(self) -> None:
        subprocess.run(["scancel", self.id], check=False)


def submit_job(job: Any, folder: Path, plan: Any, script: str | os.PathLike[str] | None, options: Sequence[str],
               slurm: Mapping[str, Any]) -> Submission:
    """See Job.submit."""
    if shutil.which("sbatch") is None:
        raise ProgramError("sbatch: no such program; jobs are handed to Slurm where its commands are installed")
    path = Path(script) if script is not None else program().batch_script("slurm.sh")
    folder = folder.absolute()
    file = take_folder(job, folder, plan.results_hash, False)
    given = [f"--{name.replace('_', '-')}" if value is True else f"--{name.replace('_', '-')}={value}"
             for name, value in slurm.items() if value is not None and value is not False]
    command = ["sbatch", "--parsable", f"--output={folder / 'slurm.log'}", *given, str(path), str(file),
               f"--out={folder}", *options]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False,
                          env={**os.environ, "TORRE": program().path})
    if done.returncode:
        raise RunError("sbatch refused the job", done.returncode, done.stderr.splitlines())
    return Submission(done.stdout.strip().split(";")[0], folder, plan.results_hash)
