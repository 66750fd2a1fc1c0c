"""Exceptions and warnings of the package."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, List, Optional, Sequence


class TorreError(Exception):
    """What all exceptions of the package are."""


class TorreWarning(UserWarning):
    """A warning of the program about a job that it accepts."""


class UnconvergedWarning(TorreWarning):
    """A run's spectra may be off by more than the job's tolerance (status 3): by what its end cut off (energy left, a
    source), or by layers that return waves."""


class ProgramError(TorreError):
    """The program is not found, or is not one that this package can drive."""


class ArgumentError(TorreError, TypeError):
    """An argument that no key of a job has, or a value that no job file can hold.

    argument: its name.
    """

    def __init__(self, argument: str, message: str):
        super().__init__(message)
        self.argument = argument


class UnsupportedError(TorreError, ValueError):
    """Parts of another program's model that no job can have. unsupported: a line for each, with its place."""

    of = "the model"

    def __init__(self, unsupported: List[str]):
        super().__init__(f"{self.of} has parts that a job cannot have:\n" + "\n".join(unsupported))
        self.unsupported = unsupported


@dataclass(frozen=True)
class Fault:
    """A fault, warning or note of `torre check --json`.

    key: path in the job, such as "objects[0].radius", None where it concerns no single key.
    argument: the name of the argument that has the value: "radius", or "box.lo" of a group in an argument.
    part: the object that has this argument, such as a Sphere, or the job.
    found, needed: the value and what the program needs, as text, None where the message alone says it.
    """

    message: str
    key: Optional[str] = None
    argument: Optional[str] = None
    part: Any = None
    found: Optional[str] = None
    needed: Optional[str] = None

    def __str__(self) -> str:
        return self.message


class JobError(TorreError, ValueError):
    """The program refuses the job. faults: all of them; arguments: the names of the arguments, in their order."""

    def __init__(self, faults: Sequence[Fault]):
        super().__init__("\n".join(str(fault) for fault in faults))
        self.faults: List[Fault] = list(faults)

    @property
    def arguments(self) -> List[str]:
        return [fault.argument for fault in self.faults if fault.argument]


class FolderError(TorreError):
    """The folder has files of another job, or something that a run must not replace."""


class RunError(TorreError):
    """A run failed. status: its exit status; log: the last lines that it printed."""

    def __init__(self, message: str, status: int, log: Sequence[str] = ()):
        super().__init__("\n".join([message, *log]))
        self.status = status
        self.log = list(log)


class StoppedError(RunError):
    """A run was stopped with its state saved (status 75): the same call continues it."""
