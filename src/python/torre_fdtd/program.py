"""The program torre: where it is, its version, its keys."""
from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence

from .errors import ProgramError
from .version import VERSION


class Program:
    """One program file.

    version: such as "0.2.0"; source: the commit that it was built from; pages: path of its documentation or None;
    keys: the answer of `torre keys --json`, a dictionary for each key of job files.
    """

    def __init__(self, path: str):
        self.path = path
        try:
            text = self.answer(["--version"]).stdout.splitlines()
        except OSError as error:
            raise ProgramError(f"{path}: {error.strerror}; set the variable TORRE to the program's path") from error
        if not text or not text[0].startswith("torre ") or not any(line.startswith("  engines") for line in text):
            raise ProgramError(f"{path}: another program of this name; set the variable TORRE to the program's path")
        lines = dict(line.split(None, 1) for line in text if len(line.split(None, 1)) == 2)
        self.version: str = lines["torre"]
        self.source: str = lines.get("source", "")
        pages = lines.get("pages", "none")
        self.pages: Optional[Path] = Path(pages) if not pages.startswith("none") else None
        if self.version.split(".")[:2] != VERSION.split(".")[:2]:
            raise ProgramError(f"{path} is torre {self.version}, this package belongs to {VERSION}: "
                               "use the package that came with the program")
        self.keys: List[Dict[str, Any]] = json.loads(self.answer(["keys", "--json"]).stdout)

    def answer(self, arguments: Sequence[str]) -> subprocess.CompletedProcess[str]:
        """Runs the program with these arguments and returns its output, whatever its exit status."""
        return subprocess.run([self.path, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, encoding="utf-8", errors="replace", check=False)

    def batch_script(self, name: str) -> Path:
        """Path of jobs/batch/NAME: of the repository, or as it is installed beside the program."""
        pages = [self.pages.parent.parent / "jobs"] if self.pages else []
        for jobs in [*pages, Path(os.path.realpath(self.path)).parent.parent / "share" / "torre" / "jobs"]:
            if (jobs / "batch" / name).exists():
                return jobs / "batch" / name
        raise ProgramError(f"{self.path}: no jobs/batch/{name} beside the program: name the script")


_programs: Dict[str, Program] = {}
_chosen: Optional[str] = None


def use(path: str | os.PathLike[str] | None) -> None:
    """Takes this program from now on; None: the variable TORRE, or else torre in PATH."""
    global _chosen
    _chosen = None if path is None else os.fspath(path)


def program() -> Program:
    """The program in use.

    Raises ProgramError where it is not found, is another program or one of another version.
    """
    name = _chosen or os.environ.get("TORRE") or "torre"
    path = shutil.which(name)
    if path is None:
        raise ProgramError(f"{name}: no such program; set the variable TORRE to the path of torre, or add its folder "
                           "to PATH")
    path = os.path.abspath(path)
    if path not in _programs:
        _programs[path] = Program(path)
    return _programs[path]
