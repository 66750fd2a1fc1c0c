"""Several runs of one job as one answer: scattering matrix, convergence by cells, ensembles; and a plane's modes."""
from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any, Dict, List, Sequence

from .errors import FolderError, RunError, StoppedError, UnconvergedWarning
from .program import program
from .results import UNITS_OF_LENGTH, Monitor, coordinate, read_array
from .run import STOPPED, UNCONVERGED, follow, write_job


def _take_folder(job: Any, folder: Path, overwrite: bool) -> Path:
    """Writes the job file into a study's folder. Raises FolderError where it has another job."""
    file = folder / "job.cfg"
    if not overwrite and file.exists() and file.read_text(encoding="utf-8", errors="replace") != job.text:
        raise FolderError(f"{file}: is another job; name another folder, or overwrite=True")
    return write_job(job, folder)


def _study(job: Any, folder: Path, kind: Sequence[str], overwrite: bool, progress: Any, options: Sequence[str]) -> None:
    file = _take_folder(job, folder, overwrite)
    command = [program().path, "study", kind[0], str(file), *kind[1:], f"--out={folder}", "--progress=json", *options]
    status, last = follow(command + (["--overwrite"] if overwrite else []), progress)
    if status == UNCONVERGED:
        warnings.warn(f"{folder}: a run of the study is unconverged; see its run.log", UnconvergedWarning, stacklevel=4)
    elif status == STOPPED:
        raise StoppedError(f"{folder}: stopped with its state saved; the same call continues the study", status, last)
    elif status:
        raise RunError(f"{folder}: the study failed with status {status}", status, last)


def _unit(job: Any) -> tuple[float, str]:
    """Length of the job's unit in m, and its name."""
    name = job["length_unit"] or "nm"
    return next(size for size, known in UNITS_OF_LENGTH.items() if known == name), name


def s_matrix(job: Any, folder: Path, *, overwrite: bool, progress: Any, options: Sequence[str]) -> Any:
    """See Job.s_matrix."""
    import h5py

    _study(job, folder, ["smatrix"], overwrite, progress, options)
    sums = json.loads((folder / "study.json").read_text(encoding="utf-8"))["sums"]
    with h5py.File(folder / "smatrix.h5", "r") as file:
        coords = {"wavelength": coordinate(file["wavelength"], "wavelength", *_unit(job)), "to": file["to"][()],
                  "from": file["from"][()]}
        made = read_array(file["s"], coords, "S")
    made.attrs["largest asymmetry"] = max(row["asymmetry"] or 0.0 for row in sums)
    return made


def convergence(job: Any, cells: Sequence[float], folder: Path, *, overwrite: bool, progress: Any,
                options: Sequence[str]) -> Any:
    """See Job.convergence."""
    import xarray

    _study(job, folder, ["cells", "--cells=" + ",".join(f"{c:.12g}" for c in cells)], overwrite, progress, options)
    study = json.loads((folder / "study.json").read_text(encoding="utf-8"))
    rows: List[Dict[str, Any]] = study["numbers"]
    columns: Dict[str, Any] = {"value": (("number", "cell"), [row["values"] for row in rows])}
    for key in ("extrapolated", "error", "error_of_largest", "order", "method"):
        columns[key] = ("number", [row.get(key) for row in rows])
    scale = 1e-9 / _unit(job)[0]
    wavelengths = [round(row["wavelength_nm"] * scale, 9) for row in rows]
    return xarray.Dataset(columns, {"number": [row["number"] for row in rows], "wavelength": ("number", wavelengths),
                                    "cell": [run["cell"] for run in study["runs"]]})


def ensemble(job: Any, folder: Path, *, overwrite: bool, progress: Any, options: Sequence[str]) -> Any:
    """See Job.ensemble."""
    import h5py
    import xarray

    _study(job, folder, ["ensemble"], overwrite, progress, options)
    unit, shown = _unit(job)
    columns: Dict[str, Any] = {}
    with h5py.File(folder / "ensemble.h5", "r") as file:
        spectra = file["spectra"]
        for name, group in spectra.items():
            if not isinstance(group, h5py.Group):
                continue
            columns[name] = ("wavelength", group["mean"][()])
            columns[name + "_error"] = ("wavelength", group["error"][()])
            columns[name + "_places"] = (("wavelength", "place"), group["places"][()])
        columns["position"] = (("place", "axis"), file["place"][()] / unit, {"units": shown})
        wavelengths = [round(nm * 1e-9 / unit, 9) for nm in spectra["wavelength_nm"][()]]
    made = xarray.Dataset(columns, {"wavelength": wavelengths, "axis": list("xyz")})
    made.wavelength.attrs["units"] = shown
    return made


def modes(job: Any, folder: Path, *, overwrite: bool, options: Sequence[str]) -> Monitor:
    """See Job.modes."""
    import h5py
    import numpy

    had = (folder / "job.cfg").exists() and (folder / "modes.h5").exists()
    file = _take_folder(job, folder, overwrite)
    if overwrite or not had:
        done = program().answer(["modes", str(file), f"--out={folder}", *options])
        if done.returncode:
            raise RunError(f"{folder}: torre modes failed", done.returncode, done.stderr.splitlines())
    arrays: Dict[str, Any] = {}
    with h5py.File(folder / "modes.h5", "r") as h5:
        shared = {"wavelength": coordinate(h5["wavelength"], "wavelength", *_unit(job))}
        shared["mode"] = numpy.arange(h5["n_eff"].shape[1])
        for name, item in h5.items():
            if isinstance(item, h5py.Group):
                at = {axis: coordinate(item[axis], axis, *_unit(job)) for axis in "xyz" if axis in item}
                arrays[name] = read_array(item["field"], {**shared, **at}, name)
            elif name != "wavelength":
                arrays[name] = read_array(item, shared, name)
    return Monitor("modes", arrays)
