"""Torre from Python: jobs, runs, results, sweeps, pictures. docs/user/python.md explains it.

    import torre_fdtd as torre

    sim = torre.Job(size=[300, 300, 300], cell=5, time_fs=60)
    sim += torre.Sphere(medium="Au", radius=50)
    ...
    results = sim.run("results/gold")

The classes of a job's parts (Sphere, PlaneWave, CrossSection, Pulse ...) come from the program's own table of keys; so
they are found when they are first named, which needs the program (use, program).
"""
from __future__ import annotations

from typing import Any, List

from .differentiable import Amplitudes
from .errors import (ArgumentError, Fault, FolderError, JobError, ProgramError, RunError, StoppedError, TorreError,
                     TorreWarning, UnconvergedWarning, UnsupportedError)
from .far import Far, far_cone
from .gdsfactory import GdsfactoryError, from_gdsfactory, gdsfactory_layout
from .gradient import power, value_and_grad, write_density
from .job import Job, Plan
from .parts import Module, Part, span, table
from .picture import Picture
from .program import Program, program, use
from .results import Monitor, Results
from .slurm import Submission
from .sweep import Sweep, sweep
from .tidy3d import Tidy3dError, from_tidy3d
from .version import VERSION as __version__
from .surfaces import FluxOf
from .waves import Order, Point, Wave

objects = Module("objects")
sources = Module("sources")
monitors = Module("monitors")
times = Module("times")
poles = Module("poles")
faces = Module("faces")

__all__ = ["Amplitudes", "ArgumentError", "Far", "Fault", "FluxOf", "FolderError", "GdsfactoryError", "Job", "JobError",
           "Monitor", "Order", "Part", "Picture", "Plan", "Point", "Program", "ProgramError", "Results", "RunError",
           "StoppedError", "Submission", "Sweep", "Tidy3dError", "TorreError", "TorreWarning", "UnconvergedWarning",
           "UnsupportedError", "Wave", "faces", "far_cone", "from_gdsfactory", "from_tidy3d", "gdsfactory_layout",
           "monitors", "objects", "poles", "power", "program", "sources", "span", "sweep", "times", "use",
           "value_and_grad", "write_density"]


def __getattr__(name: str) -> Any:
    if name.startswith("_") or not name[:1].isupper():
        raise AttributeError(f"torre_fdtd has no {name}")
    return table().find(name)


def __dir__() -> List[str]:
    return sorted({*globals(), *(name for _, name, _ in table().all_classes())})
