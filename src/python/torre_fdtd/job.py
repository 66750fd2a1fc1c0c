"""Jobs: made of parts, written as job files, judged by the program, run."""
from __future__ import annotations

import copy
import json
import os
import re
import tempfile
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple

from .errors import ArgumentError, Fault, FolderError, JobError, RunError, TorreWarning
from .parts import Part, table, unknown
from .picture import Picture
from .program import program
from .results import Monitor, Results
from .run import run_job
from .slurm import Submission, submit_job
from .studies import convergence, ensemble, modes, s_matrix
from .text import job_text

_LISTS = ("media", "objects", "designs", "sheets", "sources", "monitors")


@dataclass(frozen=True)
class Plan:
    """What the program says of a job that it accepts.

    text: the verdict, such as "fits: 486 MB of 23 GB, about 32 minutes"; fits: None where the memory is unknown;
    seconds, bytes: predicted, None where unknown; cells, steps: of the grid; sizes, schedule: as `torre plan --json`
    has them; results_hash: equal for jobs with equal results; warnings, notes: see Fault.
    """

    text: str
    fits: Optional[bool]
    seconds: Optional[float]
    bytes: Optional[float]
    cells: Tuple[int, ...]
    steps: int
    sizes: Dict[str, Any]
    schedule: Dict[str, Any]
    results_hash: str
    warnings: List[Fault]
    notes: List[Fault]

    def __str__(self) -> str:
        lines = [self.text, *(f"warning: {w}" for w in self.warnings), *(f"note: {n}" for n in self.notes)]
        return "\n".join(lines)


class Job:
    """A job. Arguments: the keys at the top of a job file, and those of its groups grid and run without the group:

        Job(size=[300, 300, 300], cell=5, time_fs=60, boundaries=dict(default="pec"))

    Parts are added by `job += part` or add(). job["grid.cell"], job["objects[0].radius"] read and set single values,
    by the paths of `torre run --set`. Lengths are in length_unit, default nm.
    """

    def __init__(self, **values: Any):
        keys = table()
        self._values: Dict[str, Any] = {}
        self._lists: Dict[str, List[Any]] = {name: [] for name in _LISTS}
        for name, value in values.items():
            if name in _LISTS:
                self.add(*value)
            elif name in keys.job_keys:
                self._merge(name, value)
            elif name in keys.flat:
                group, _ = keys.flat[name]
                self._merge(group, {name: value})
            else:
                raise unknown(name, "Job", [*keys.job_keys, *keys.flat])

    def _merge(self, name: str, value: Any) -> None:
        """A value at the top; groups are merged, with no key twice."""
        if not isinstance(value, (Part, Mapping)):
            self._values[name] = value
            return
        made = value if isinstance(value, Part) else table().find(name.capitalize())(**value)
        before = self._values.get(name)
        if isinstance(before, Part):
            twice = sorted(set(before._values) & set(made._values))
            if twice:
                raise ArgumentError(twice[0], f"Job: {twice[0]} is given twice, also in {name}")
            made = before.copy(**made._values)
        self._values[name] = made

    # --- Parts

    def add(self, *parts: Part) -> Job:
        """Adds objects, sources, monitors, media, or groups such as Schedule, and returns the job."""
        for part in parts:
            if not isinstance(part, Part):
                raise ArgumentError("part", f"Job.add: got {part!r}, need a part such as Sphere(...)")
            name = part._path.replace("[]", "")
            if name in self._lists:
                self._lists[name].append(part)
            elif name in table().job_keys:
                self._merge(name, part)
            else:
                raise ArgumentError("part", f"Job.add: a {type(part).__name__} belongs to {name}, not to a job")
        return self

    def __iadd__(self, part: Part | Iterable[Part]) -> Job:
        return self.add(part) if isinstance(part, Part) else self.add(*part)

    def copy(self) -> Job:
        """A job of its own with the same parts."""
        return copy.deepcopy(self)

    @property
    def objects(self) -> List[Part]:
        return self._lists["objects"]

    @property
    def designs(self) -> List[Part]:
        return self._lists["designs"]

    @property
    def sheets(self) -> List[Part]:
        return self._lists["sheets"]

    @property
    def sources(self) -> List[Part]:
        return self._lists["sources"]

    @property
    def monitors(self) -> List[Part]:
        return self._lists["monitors"]

    @property
    def media(self) -> List[Part]:
        """Media of the job's own; those that objects have as their medium come on top when it is written."""
        return self._lists["media"]

    # --- Values by path

    def _find(self, path: str, make: bool = False) -> Tuple[Any, str]:
        """The holder of the last name of a path, and that name. make: groups on the way that are missing."""
        steps = re.findall(r"[^.\[\]]+|\[\d+\]", path)
        holder: Any = self
        for step in steps[:-1]:
            below = _down(holder, step)
            if below is None and make and not step.startswith("["):
                _put(holder, step, {})
                below = _down(holder, step)
            holder = below
        return holder, steps[-1] if steps else ""

    def __getitem__(self, path: str) -> Any:
        holder, last = self._find(path)
        return None if holder is None else _down(holder, last)

    def __setitem__(self, path: str, value: Any) -> None:
        holder, last = self._find(path, make=True)
        _put(holder, last, value)

    def _set(self, name: str, value: Any) -> None:
        """A value at the top in place of an earlier one."""
        if name in _LISTS:
            self._lists[name][:] = list(value)
        elif name in table().job_keys:
            self._values.pop(name, None)
            self._merge(name, value)
        else:
            raise unknown(name, "Job", list(table().job_keys))

    # --- As text

    def _named_media(self) -> List[Any]:
        """The job's media and those of its parts. Media without names get some."""
        media = list(self._lists["media"])
        shapes = [shape for part in self.objects for shape in (part, *part._values.get("shapes", ()))]
        used = [self._values.get("background"), *(shape._values.get("medium") for shape in shapes),
                *(design._values.get(name) for design in self.designs for name in ("medium_0", "medium_1")),
                *(sheet._values.get("medium") for sheet in self.sheets)]
        for medium in used:
            if isinstance(medium, Part) and not any(medium is other for other in media):
                media.append(medium)
        names = {medium.name for medium in media}
        for medium in media:
            number = 1
            while medium.name is None:
                if f"medium{number}" not in names:
                    medium.name = f"medium{number}"
                    names.add(medium.name)
                number += 1
        return media

    def _items(self) -> Dict[str, Any]:
        lists = {**self._lists, "media": self._named_media()}
        items: Dict[str, Any] = {"format_version": table().format_version, **self._values}
        background = items.get("background")
        if isinstance(background, Part):
            items["background"] = background.name
        for name in _LISTS:
            if lists[name]:
                items[name] = lists[name]
        return {name: items[name] for name in table().job_keys if items.get(name) is not None}

    @property
    def text(self) -> str:
        """The job file. Raises ArgumentError for a value that no job file can hold."""
        return job_text(self._items())[0]

    def write(self, path: str | os.PathLike[str]) -> Path:
        """Writes the job file."""
        target = Path(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(self.text, encoding="utf-8")
        return target

    def __repr__(self) -> str:
        counts = ", ".join(f"{len(parts)} {name}" for name, parts in self._lists.items() if parts)
        return f"Job({self._values.get('title') or 'without title'}: {counts or 'no parts'})"

    # --- The program's judgement

    def _fault(self, answer: Mapping[str, Any], paths: Mapping[int, str], file: str) -> Fault:
        key = answer["key"] or paths.get(answer["line"] or 0)
        message = answer["message"].replace(f"{file}:{answer['line']}: ", "").replace(f"{file}: ", "")
        part, argument = self._owner(key)
        return Fault(message, key, argument, part, answer["found"], answer["needed"])

    def _owner(self, key: Optional[str]) -> Tuple[Any, Optional[str]]:
        """The innermost part that a path leads through, and the path from there on; of a part as a whole its path."""
        if not key:
            return self, None
        group, _, name = key.rpartition(".")
        if group and self._values.get(group) is None and table().flat.get(name, ("",))[0] == group:
            return self, name
        steps = re.findall(r"[^.\[\]]+|\[\d+\]", key)
        holder: Any = self
        part: Any = self
        rest = steps
        for i, step in enumerate(steps):
            try:
                holder = _down(holder, step)
            except (KeyError, IndexError, TypeError, AttributeError):
                break
            if isinstance(holder, Part):
                part, rest = holder, steps[i + 1:] or steps
        return part, re.sub(r"\.\[", "[", ".".join(rest))

    def _answer(self, command: str, options: Sequence[str]) -> Plan:
        text, paths = job_text(self._items())
        with tempfile.TemporaryDirectory(prefix="torre-") as folder:
            file = os.path.join(folder, "job.cfg")
            Path(file).write_text(text, encoding="utf-8")
            self._bring_files(Path(folder))
            done = program().answer([command, file, "--json", *options])
        try:
            answer = json.loads(done.stdout)
        except json.JSONDecodeError:
            raise RunError(f"torre {command} gave no answer", done.returncode, done.stderr.splitlines()) from None
        faults = [self._fault(fault, paths, file) for fault in answer["faults"]]
        if faults or answer["status"]:
            raise JobError(faults)
        verdict, sizes = answer["verdict"], answer["sizes"]
        warned, notes = ([self._fault(line, paths, file) for line in answer[name]] for name in ("warnings", "notes"))
        return Plan(verdict["text"], verdict["fits"], verdict["seconds"], verdict["needed_bytes"],
                    tuple(sizes["cells"]), sizes["steps"], sizes, answer["schedule"], answer["results_hash"], warned,
                    notes)

    def check(self, *options: str) -> Plan:
        """What the program says of the job, quickly. options: those of `torre check`, such as "--device=cpu".

        Raises JobError with all faults.
        """
        return self._answer("check", options)

    def plan(self, *options: str) -> Plan:
        """As check, with a measurement of this machine where the program has none, and advice on ranks."""
        return self._answer("plan", options)

    def plot(self, path: str | os.PathLike[str] | None = None, **plane: float) -> Picture:
        """A section of the job: media, absorbing layers, total-field box, monitors, sources.

        plane: one of x, y, z and its place, in length_unit; default z=0. path: a file for it (.png, .svg, .pdf).
        Raises JobError, or RunError where the program draws no pictures.
        """
        if len(plane) > 1 or any(axis not in "xyz" for axis in plane):
            name = next((axis for axis in plane if axis not in "xyz"), "plane")
            raise ArgumentError(name, f"Job.plot: got {plane}, need one of x, y, z, such as z=0")
        self.check()
        with tempfile.TemporaryDirectory(prefix="torre-") as folder:
            file, picture = self.write(Path(folder) / "job.cfg"), Path(folder) / "section.png"
            self._bring_files(Path(folder))
            across = [f"--plane={axis}={place}" for axis, place in plane.items()]
            if not plane and len(self["grid.size"] or ()) == 3:
                across = ["--plane=z=0"]
            for target in [picture] if path is None else [picture, Path(path).absolute()]:
                done = program().answer(["show", str(file), *across, f"--out={target}"])
                if done.returncode:
                    raise RunError("torre show failed", done.returncode, done.stderr.splitlines())
            return Picture(picture.read_bytes())

    # --- Runs

    def _bring_files(self, folder: Path) -> None:
        """Links or copies of files that the job names, such as tables and bodies, beside its job file."""
        times = [source._values.get("time") for source in self.sources]
        parts = [part for part in [*times, *self.designs, *self.sheets, *self.objects] if isinstance(part, Part)]
        for part in parts:  # shapes of tables, parts of unions
            parts += [*part._values.get("shapes", ()), *part._values.get("parts", ())]
        names = [part._values.get("file") for part in parts]
        for name in names + [medium._values.get("table") for medium in self._named_media()]:
            if name and not os.path.isabs(name) and os.path.exists(name) and not (folder / name).exists():
                target = folder / name
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(Path(name).read_bytes())

    def _folder(self, folder: str | os.PathLike[str] | None, plan: Plan) -> Path:
        """Where the results go when nothing else is said: a folder of each job's own."""
        if folder is not None or self._values.get("output"):
            return Path(folder if folder is not None else self._values["output"])
        name = re.sub(r"[^a-z0-9]+", "-", (self._values.get("title") or "job").lower()).strip("-")[:40] or "job"
        return Path("results") / f"{name}-{plan.results_hash[:8]}"

    def _checked(self, options: Sequence[str]) -> Plan:
        plan = self.check(*options)
        for warning in plan.warnings:
            warnings.warn(str(warning), TorreWarning, stacklevel=4)
        return plan

    def run(self, folder: str | os.PathLike[str] | None = None, *, processes: int = 1, device: Optional[str] = None,
            threads: Optional[int] = None, max_time: Optional[str] = None, overwrite: bool = False,
            progress: Any = None, launcher: Sequence[str] = ("mpirun",), options: Sequence[str] = ()) -> Results:
        """Runs the job and returns its results; at once, if the folder has them. What was interrupted continues.

        folder: for job file and results; default results/<title>-<hash>, one of each job's own. processes: by
        `launcher -n N`. device: "cpu" or "gpu". max_time: [D-]HH:MM:SS. overwrite: begin again in a folder that has
        results. progress: True a bar, False none, None on terminals and in notebooks, or a function of the
        dictionaries of `--progress=json`. options: more of `torre run`. Warnings come as TorreWarning.

        Raises JobError, FolderError (files of another job), StoppedError (state saved), RunError.
        """
        given = _given(device, threads, max_time, options)
        plan = self._checked(_of_check(given))
        return run_job(self, self._folder(folder, plan), plan.results_hash, processes=processes, overwrite=overwrite,
                       progress=progress, launcher=launcher, options=given)

    def _run_like(self, folder: Path, *, processes: int = 1, device: Optional[str] = None,
                  threads: Optional[int] = None, max_time: Optional[str] = None, progress: Any = None,
                  launcher: Sequence[str] = ("mpirun",), options: Sequence[str] = ()) -> Results:
        """As run with overwrite, of a job like one whose warnings came: not checked first, which takes seconds where
        its files are large, but where the program refuses it."""
        given = _given(device, threads, max_time, options)
        try:
            return run_job(self, folder, "", processes=processes, overwrite=True, progress=progress,
                           launcher=launcher, options=given)
        except FolderError:
            self.check(*_of_check(given))
            raise

    # --- Studies

    def _study_folder(self, folder: str | os.PathLike[str] | None, kind: str, options: Sequence[str]) -> Path:
        plan = self._checked(options)
        return Path(folder) if folder is not None else Path(f"{self._folder(None, plan)}-{kind}")

    def s_matrix(self, folder: str | os.PathLike[str] | None = None, *, overwrite: bool = False, progress: Any = None,
                 options: Sequence[str] = ()) -> Any:
        """The scattering matrix between the job's ports (mode monitors with `port`), by a run for each
        (`torre study smatrix`): a complex xarray.DataArray of wavelength, to and from, fields as exp(-i w t).

        attrs["largest asymmetry"]: of |S_ij - S_ji|. The folder has the runs and smatrix.s2p, .csv, .h5; the same call
        continues an interrupted study. options: of `torre study`. Raises JobError, FolderError, StoppedError, RunError.
        """
        return s_matrix(self, self._study_folder(folder, "smatrix", options), overwrite=overwrite, progress=progress,
                        options=options)

    def convergence(self, cells: Sequence[float], folder: str | os.PathLike[str] | None = None, *,
                    overwrite: bool = False, progress: Any = None, options: Sequence[str] = ()) -> Any:
        """The job with several cells, in length_unit (`torre study cells`): an xarray.Dataset along `number`, each
        number of the spectra with its wavelength, its value by cell, the value extrapolated to cells of size 0 and its
        error. Raises as s_matrix."""
        return convergence(self, cells, self._study_folder(folder, "cells", options), overwrite=overwrite,
                           progress=progress, options=options)

    def ensemble(self, folder: str | os.PathLike[str] | None = None, *, overwrite: bool = False, progress: Any = None,
                 options: Sequence[str] = ()) -> Any:
        """Means over the incoherent dipoles of the group `ensemble` (`torre study ensemble`): an xarray.Dataset by
        wavelength, each power of the spectra NAME with NAME_error, the standard error of the mean, and NAME_places, its
        value at each place; `position` of the places. options: of `torre study`. Raises as s_matrix."""
        return ensemble(self, self._study_folder(folder, "ensemble", options), overwrite=overwrite, progress=progress,
                        options=options)

    def modes(self, folder: str | os.PathLike[str] | None = None, *, overwrite: bool = False,
              options: Sequence[str] = ()) -> Monitor:
        """The modes of the plane that the group `modes` names (`torre modes`): arrays by wavelength and mode, n_eff,
        n_group, area, te_fraction, and the fields at 1 W. Raises JobError, FolderError, RunError."""
        return modes(self, self._study_folder(folder, "modes", options), overwrite=overwrite, options=options)

    def submit(self, folder: str | os.PathLike[str] | None = None, *, script: str | os.PathLike[str] | None = None,
               options: Sequence[str] = (), **slurm: Any) -> Submission:
        """Hands the job to Slurm: `sbatch` with the program's own script, which saves the state before the time is
        over and queues the job again.

        script: another one; options: of `torre run`; slurm: options of sbatch, _ for -: nodes=4, time="1:00:00",
        gpus_per_node=8. Raises JobError, FolderError, RunError.
        """
        plan = self._checked([])
        return submit_job(self, self._folder(folder, plan), plan, script, options, slurm)


def _given(device: Optional[str], threads: Optional[int], max_time: Optional[str], options: Sequence[str]) -> List[str]:
    """Options of `torre run`."""
    named = (("device", device), ("threads", threads), ("max-time", max_time))
    return [*options, *(f"--{name}={value}" for name, value in named if value is not None)]


def _of_check(options: Sequence[str]) -> List[str]:
    """Those of them that `torre check` has."""
    return [option for option in options if not option.startswith("--max-time")]


def _down(holder: Any, step: str) -> Any:
    """The value of one step of a path."""
    if step.startswith("["):
        return holder[int(step[1:-1])]
    if isinstance(holder, Job):
        if step in _LISTS:
            return holder._named_media() if step == "media" else holder._lists[step]
        return holder._values.get(step)
    if isinstance(holder, Part):
        return getattr(holder, step)
    if isinstance(holder, (list, tuple)) and step in ("lo", "hi"):
        return holder[0 if step == "lo" else 1]
    return holder[step]


def _put(holder: Any, step: str, value: Any) -> None:
    """Sets the value of one step of a path."""
    if isinstance(holder, Job):
        holder._set(step, value)
    elif isinstance(holder, Part):
        setattr(holder, step, value)
    elif step.startswith("["):
        holder[int(step[1:-1])] = value
    elif isinstance(holder, list) and step in ("lo", "hi"):
        holder[0 if step == "lo" else 1] = value
    else:
        holder[step] = value
