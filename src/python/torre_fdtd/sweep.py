"""Sweeps: a job for each point of a grid of values; finished ones are not repeated."""
from __future__ import annotations

import itertools
import json
import os
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

from .errors import FolderError, RunError, StoppedError, TorreError
from .job import Job
from .results import Results
from .run import run_jobs


class Sweep:
    """The runs of a sweep, in the order of the grid.

    values: {name: its values}; points: a dictionary of values for each run; results: for each Results, or None where
    it failed; failures: {number of the point: exception}.
    """

    def __init__(self, folder: Path, values: Mapping[str, Sequence[Any]]):
        self.folder = folder
        self.values = {name: list(v.tolist() if hasattr(v, "tolist") else v) for name, v in values.items()}
        grid = itertools.product(*self.values.values())
        self.points: List[Dict[str, Any]] = [dict(zip(self.values, point)) for point in grid]
        self.results: List[Optional[Results]] = [None] * len(self.points)
        self.failures: Dict[int, TorreError] = {}

    def __len__(self) -> int:
        return len(self.points)

    def __iter__(self) -> Iterator[Tuple[Dict[str, Any], Optional[Results]]]:
        return iter(zip(self.points, self.results))

    def __repr__(self) -> str:
        done = sum(r is not None for r in self.results)
        return f"Sweep({self.folder}: {done} of {len(self)} points, {', '.join(self.values)})"

    def collect(self, quantity: Callable[[Results], Any]) -> Any:
        """quantity of each run's results, a number or an xarray.DataArray, as one array with the swept values as its
        first axes; nan where a run failed. Raises RunError where all failed."""
        import numpy
        import xarray

        parts = [xarray.DataArray(quantity(r)) if r is not None else None for r in self.results]
        model = next((p for p in parts if p is not None), None)
        if model is None:
            raise RunError(f"{self.folder}: no run of the sweep has results", 1)
        empty = xarray.full_like(model, numpy.nan, dtype=numpy.result_type(model.dtype, float))
        whole = numpy.stack([(empty if p is None else p).values for p in parts])
        shape = tuple(len(v) for v in self.values.values())
        coords: Dict[Any, Any] = {**self.values, **dict(model.coords)}
        return xarray.DataArray(whole.reshape(shape + model.shape), coords, (*self.values, *model.dims), model.name,
                                model.attrs)


def _jobs(job: Job | Callable[..., Job], points: Sequence[Mapping[str, Any]]) -> Iterator[Job]:
    for point in points:
        if isinstance(job, Job):
            made = job.copy()
            for path, value in point.items():
                made[path] = value
        else:
            made = job(**point)
        yield made


def _keep(made: Sweep, ends: Sequence[Results | TorreError]) -> None:
    for i, end in enumerate(ends):
        if isinstance(end, Results):
            made.results[i] = end
        else:
            made.failures[i] = end


def sweep(job: Job | Callable[..., Job], values: Mapping[str, Sequence[Any]],
          folder: str | os.PathLike[str] = "results/sweep", at_once: Optional[int] = None, **run: Any) -> Sweep:
    """Runs a job for each combination of values, in a folder of its own, named by the hash of its results.

    job: a function that makes a job of keyword arguments, or a job whose values are set by path:
    values={"objects[0].radius": [20, 30]}. A run with results in the folder is not repeated, whichever sweep it was
    made for; runs that fail do not stop the others (failures). sweep.json lists points and folders. run: arguments of
    Job.run.

    at_once: runs that go side by side in one start of the program, which for small domains on a GPU takes a fifth of
    the time; 0: as many as the program takes (on a GPU 16 small ones, else one). Then of `run` overwrite and options
    alone. None: a start for each run, with its progress.

    Raises JobError of the first job that is refused, before anything is run; StoppedError when a run is stopped.
    """
    made = Sweep(Path(folder), values)
    jobs = list(_jobs(job, made.points))
    folders = [made.folder / j.check().results_hash for j in jobs]
    made.folder.mkdir(parents=True, exist_ok=True)
    table = [{"values": p, "folder": f.name} for p, f in zip(made.points, folders)]
    (made.folder / "sweep.json").write_text(json.dumps(table, indent=1, default=repr) + "\n", encoding="utf-8")
    if at_once is not None:
        together = [(j, at, at.name) for j, at in zip(jobs, folders)]
        _keep(made, run_jobs(together, at_once, **{"overwrite": False, "options": (), **run}))
        return made
    for i, (one, at) in enumerate(zip(jobs, folders)):
        try:
            made.results[i] = one.run(at, **run)
        except StoppedError:
            raise
        except (RunError, FolderError) as error:
            made.failures[i] = error
    return made
