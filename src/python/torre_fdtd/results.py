"""Results of a run, as xarray with units and coordinates.

Wavelengths and positions are in the job's unit of length, times in fs; values in the units of results.h5, which each
array has in attrs["units"].
"""
from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Dict, Iterator, List, Mapping, Optional, Tuple

from . import plots
from .errors import FolderError

_SHARED = ("wavelength", "time", "order_x", "order_y", "order_z")  # coordinates of a monitor's arrays
_PLACES = ("x", "y", "z", "ux", "uy", "uz")  # of the arrays of a group within it
UNITS_OF_LENGTH = {1e-10: "angstrom", 1e-9: "nm", 1e-6: "um", 1e-3: "mm", 1.0: "m"}


def _text(value: Any) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def coordinate(dataset: Any, dim: str, unit_m: float, unit_name: str) -> Any:
    """Positions and wavelengths in a unit of length, times in fs."""
    import numpy
    import xarray

    unit = _text(dataset.attrs.get("units", ""))
    scale, shown = {"m": (unit_m, unit_name), "s": (1e-15, "fs")}.get(unit, (1.0, unit))
    values = numpy.round(numpy.asarray(dataset[()]) / scale, 9)
    return xarray.DataArray(values, dims=(dim,), attrs={"units": shown,
                                                        "long_name": _text(dataset.attrs.get("long_name", dim))})


def read_array(dataset: Any, coords: Mapping[str, Any], name: str, dims: Optional[Tuple[str, ...]] = None) -> Any:
    """A dataset of the program's HDF5 files as an xarray.DataArray; those with real and imaginary parts are complex.

    dims: default those of its attribute `axes`, or the coordinate of its length. Of the coordinates those of its axes
    are taken, and those of one value.
    """
    import xarray

    values, dims = dataset[()], _dims(dataset, coords) if dims is None else dims
    if dims and dims[-1] == "part":
        values, dims = values[..., 0] + 1j * values[..., 1], dims[:-1]
    attrs = {key: _text(value) if isinstance(value, bytes) else value for key, value in dataset.attrs.items()
             if key != "axes"}
    used = {axis: c for axis, c in coords.items() if axis in dims}
    used.update({axis: c.item() for axis, c in coords.items() if axis not in dims and c.size == 1})
    return xarray.DataArray(values, used, dims, name, attrs)


class Monitor(Mapping[str, Any]):
    """What one monitor recorded: {name: xarray.DataArray}, the names also as attributes.

    Spectra have the coordinate wavelength; fields wavelength or time, z, y, x, each component at its own points, half
    a cell apart from those of others (centred puts them together). Spectra of fields are complex,
    sum f(t) exp(+i w t) dt.
    """

    def __init__(self, name: str, arrays: Mapping[str, Any]):
        self.name = name
        self._arrays = dict(arrays)

    def __getitem__(self, name: str) -> Any:
        return self._arrays[name]

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_") and name in self._arrays:
            return self._arrays[name]
        raise AttributeError(f"monitor {self.__dict__.get('name')} has no {name}; it has "
                             + ", ".join(self.__dict__.get("_arrays", {})))

    def __iter__(self) -> Iterator[str]:
        return iter(self._arrays)

    def __len__(self) -> int:
        return len(self._arrays)

    def __dir__(self) -> List[str]:
        return [*super().__dir__(), *self._arrays]

    def __repr__(self) -> str:
        shapes = ", ".join(f"{name} {dict(array.sizes)}" for name, array in self._arrays.items())
        return f"Monitor {self.name}: {shapes}"

    @property
    def components(self) -> List[str]:
        """Names of field components among the arrays."""
        return [name for name in self._arrays if name in ("Ex", "Ey", "Ez", "Hx", "Hy", "Hz")]

    @property
    def elements(self) -> List[str]:
        """Names of elements of the permittivity among the arrays, eps_xx ..."""
        return [name for name in self._arrays if name.startswith("eps_")]

    @property
    def dataset(self) -> Any:
        """The arrays as one xarray.Dataset; of several field components, or of a permittivity, centred()."""
        import xarray

        return self.centred() if len(self.components or self.elements) > 1 else xarray.Dataset(self._arrays)

    def centred(self) -> Any:
        """The field components, or a permittivity's elements, at common points, by linear interpolation between
        neighbours: an xarray.Dataset.

        The points are, along each axis, those that most components have, where all components surround them.
        """
        import xarray

        axes: Dict[str, Any] = {}
        names = self.components or self.elements
        for axis in ("z", "y", "x"):
            points = [self[c].coords[axis] for c in names if axis in self[c].dims]
            if points:
                axes[axis] = _common(points)
        moved = {c: _moved(self[c], axes) for c in names}
        rest = {name: array for name, array in self._arrays.items() if name not in moved and name != "planes"}
        return xarray.Dataset({**moved, **rest})

    def squared(self, field: str = "E") -> Any:
        """|E|^2 (or |H|^2) at common points; over that of the incident wave where there is exactly one."""
        import numpy

        parts = self.centred()
        total = sum(numpy.abs(parts[c]) ** 2 for c in self.components if c.startswith(field))
        units = f"({self[self.components[0]].attrs.get('units', '')})^2"
        if field == "E" and "incident" in self:
            total, units = total / numpy.abs(self["incident"]) ** 2, "1"
        total.name = f"|{field}|^2"
        total.attrs.update(units=units, long_name=f"|{field}|^2")
        return total

    def poynting(self) -> Any:
        """The Poynting vector at common points, an xarray.Dataset of Sx, Sy, Sz (2-D: Sx, Sy).

        Where there is exactly one incident wave: Re(E x H*) / 2 in W/m^2 of a wave of 1 V/m. Else the energy through
        an area in the whole run, by frequency, 2 Re(E x H*) in J/m^2/Hz, as spectra of fluxes have it. Needs a field
        monitor of E and H, in 2-D of those that the job has, of a box: components of one plane lie half a cell apart
        across it. The interpolation makes an error of second order in the cells. ValueError says what is missing.
        """
        import numpy
        import xarray

        self._check_poynting()
        parts, incident = self.centred(), numpy.abs(self["incident"]) ** 2 if "incident" in self else None
        found = {}
        for s, (a, b) in {"Sx": "yz", "Sy": "zx", "Sz": "xy"}.items():
            terms = [sign * (parts[e] * numpy.conj(parts[h])).real
                     for e, h, sign in ((f"E{a}", f"H{b}", 1), (f"E{b}", f"H{a}", -1)) if e in parts and h in parts]
            if not terms:
                continue
            found[s] = 2 * sum(terms) if incident is None else sum(terms) / (2 * incident)
            found[s].attrs.update(units="J/m^2/Hz" if incident is None else "W/m^2", long_name=s)
        return xarray.Dataset(found)

    def _check_poynting(self) -> None:
        have, flat = set(self.components), self.components and "z" not in self[self.components[0]].coords
        kinds = [{"Ez", "Hx", "Hy"}, {"Ex", "Ey", "Hz"}]
        if not (any(kind <= have for kind in kinds) if flat else have == set.union(*kinds)):
            raise ValueError(f"monitor {self.name}: a Poynting vector needs a field monitor with all components of E "
                             f"and H, found {', '.join(sorted(have)) or 'none'}")
        for axis in "xyz":
            places = [self[c].coords[axis].values for c in self.components if axis in self[c].coords]
            if any(p.size == 1 for p in places) and len({float(p.flat[0]) for p in places}) > 1:
                raise ValueError(f"monitor {self.name}: its box has one place along {axis}, across which components "
                                 "lie half a cell apart; a Poynting vector needs a box of a cell at least")

    def plot(self, what: Optional[str] = None, ax: Any = None, **select: float) -> Any:
        """Lines of spectra and time series, or a map of a plane of a field; the axes of matplotlib.

        what: one of the arrays, or "E" for |E|; default all spectra, or |E|. select: nearest values of coordinates,
        such as wavelength=530.
        """
        return plots.plot_monitor(self, what, ax, select)


def _common(points: List[Any]) -> Any:
    """Of the points of several components along an axis, those of most of them within the range of all."""
    many = [p for p in points if p.size > 1]
    if not many:
        return points[0]
    most = max(many, key=lambda p: sum(p.size == other.size and bool((p.values == other.values).all())
                                       for other in many))
    lo, hi = max(float(p.min()) for p in many), min(float(p.max()) for p in many)
    return most[(most.values >= lo) & (most.values <= hi)]


def _moved(array: Any, axes: Mapping[str, Any]) -> Any:
    """A component at other points of its axes; across a plane its nearest points count as there."""
    import numpy
    import xarray

    for axis, wanted in axes.items():
        if axis not in array.dims:
            continue
        have, want = array.coords[axis].values, wanted.values
        values = numpy.moveaxis(array.values, array.dims.index(axis), -1)
        if have.size > 1:
            right = numpy.clip(numpy.searchsorted(have, want), 1, have.size - 1)
            share = numpy.clip((want - have[right - 1]) / (have[right] - have[right - 1]), 0, 1)
            values = values[..., right - 1] * (1 - share) + values[..., right] * share
        elif want.size > 1:
            values = numpy.repeat(values, want.size, -1)
        values = numpy.moveaxis(values, -1, array.dims.index(axis))
        coords = {name: c for name, c in array.coords.items() if name != axis}
        array = xarray.DataArray(values, {**coords, axis: wanted}, array.dims, array.name, array.attrs)
    return array


class Results(Mapping[str, Monitor]):
    """The results in a folder: {name of a monitor: Monitor}.

    folder; run: run.json; length_unit: of coordinates; energy: the field energy by time, None where it was not
    recorded; table(): a CSV table; plot(): all spectra. Files are read when they are needed.
    """

    def __init__(self, folder: str | os.PathLike[str]):
        self.folder = Path(folder)
        try:
            self.run: Dict[str, Any] = json.loads((self.folder / "run.json").read_text(encoding="utf-8"))
        except (OSError, json.JSONDecodeError) as error:
            raise FolderError(f"{self.folder}: has no whole run.json, so no results of a run: {error}") from error
        self._unit_m = float(self.run["job"]["length_unit_m"])
        self.length_unit = next((name for size, name in UNITS_OF_LENGTH.items()
                                 if abs(self._unit_m / size - 1) < 1e-6), "m")
        if self.length_unit == "m":
            self._unit_m = 1.0
        self._monitors = [monitor["name"] for monitor in self.run["job"]["monitors"]]
        self._read: Dict[str, Monitor] = {}

    def __iter__(self) -> Iterator[str]:
        return iter(self._monitors)

    def __len__(self) -> int:
        return len(self._monitors)

    def __repr__(self) -> str:
        return f"Results({self.folder}: {', '.join(self._monitors) or 'no monitors'})"

    def __getitem__(self, name: str) -> Monitor:
        if name not in self._monitors:
            raise KeyError(f"{name}: no such monitor; the job has " + ", ".join(self._monitors))
        if name not in self._read:
            arrays = self._from_h5(name)
            if (self.folder / "snapshots" / name).is_dir():
                arrays.update(self._snapshots(name))
            if (self.folder / f"{name}_spectrum.csv").exists():
                arrays.update(self._probe_spectrum(name))
            self._read[name] = Monitor(name, arrays)
        return self._read[name]

    # --- results.h5

    def _coordinate(self, dataset: Any, dim: str) -> Any:
        return coordinate(dataset, dim, self._unit_m, self.length_unit)

    def _from_h5(self, name: str) -> Dict[str, Any]:
        import h5py

        arrays: Dict[str, Any] = {}
        with h5py.File(self.folder / "results.h5", "r") as file:
            if "monitors" not in file or name not in file["monitors"]:
                return arrays
            group = file["monitors"][name]
            shared = {axis: self._coordinate(group[axis], axis) for axis in _SHARED if axis in group}
            for key, item in group.items():
                if isinstance(item, h5py.Group):
                    for series, of in item.items():
                        if series not in _PLACES:
                            own = {axis: self._coordinate(item[axis], axis) for axis in _PLACES if axis in item}
                            label = key if series in ("spectrum", "values") else f"{key}_{series}"
                            arrays[label] = read_array(of, {**shared, **own}, label)
                elif key not in shared:
                    arrays[key] = read_array(item, shared, key)
        return arrays

    @property
    def energy(self) -> Any:
        import h5py

        with h5py.File(self.folder / "results.h5", "r") as file:
            if "energy" not in file:
                return None
            time = self._coordinate(file["energy/time"], "time")
            return read_array(file["energy/energy"], {"time": time}, "energy", ("time",))

    # --- Snapshots (openPMD)

    def _snapshots(self, name: str) -> Dict[str, Any]:
        """All times of a snapshot monitor, by component."""
        import h5py
        import numpy
        import xarray

        frames: Dict[str, List[Any]] = {}
        for path in sorted((self.folder / "snapshots" / name).glob(f"{name}_*.h5")):
            with h5py.File(path, "r") as file:
                step = next(iter(file["data"].values()))
                time = float(step.attrs["time"]) * float(step.attrs["timeUnitSI"]) / 1e-15
                for field, mesh in step["meshes"].items():
                    axes = [_text(axis) for axis in mesh.attrs["axisLabels"]]
                    for component, data in mesh.items():
                        at = mesh.attrs["gridGlobalOffset"] + data.attrs["position"] * mesh.attrs["gridSpacing"]
                        coords = {axis: numpy.round((at[i] + numpy.arange(data.shape[i]) * mesh.attrs["gridSpacing"][i])
                                                    * mesh.attrs["gridUnitSI"] / self._unit_m, 9)
                                  for i, axis in enumerate(axes)}
                        frame = xarray.DataArray(data[()], coords, axes).expand_dims(time=[round(time, 9)])
                        frames.setdefault(field + component, []).append(frame)
        made = {component: xarray.concat(list_, "time") for component, list_ in frames.items()}
        for component, array in made.items():
            array.attrs["units"] = "V/m" if component.startswith("E") else "A/m"
            array.name = component
        return made

    def _probe_spectrum(self, name: str) -> Dict[str, Any]:
        """The complex spectra of a probe, as Ex_spectrum ..., from their moduli and phases."""
        import numpy
        import xarray

        table = self.table(f"{name}_spectrum.csv")
        wavelength = numpy.round(table.coords["wavelength_nm"].values * 1e-9 / self._unit_m, 9)
        at = xarray.DataArray(wavelength, dims=("wavelength",), attrs={"units": self.length_unit})
        made = {}
        for column in table:
            component, _, units = str(column).partition("_")
            if units != "phase_rad":
                values = table[column].values * numpy.exp(1j * table[component + "_phase_rad"].values)
                made[component + "_spectrum"] = xarray.DataArray(values, {"wavelength": at}, ("wavelength",),
                                                                 component + "_spectrum",
                                                                 {"units": units.replace("_per_", "/")})
        return made

    # --- Tables and pictures

    @property
    def files(self) -> List[Path]:
        return [self.folder / name for name in self.run["files"]]

    def table(self, file: str) -> Any:
        """A CSV table of the folder as an xarray.Dataset; the first column is the coordinate, or, in NAME_orders.csv,
        where it repeats, a variable along `row`."""
        import numpy
        import xarray

        rows = numpy.genfromtxt(self.folder / file, delimiter=",", skip_header=1, ndmin=2)
        with open(self.folder / file, encoding="utf-8") as text:
            names = text.readline().strip().split(",")
        first = rows[:, 0]
        dim = names[0] if numpy.unique(first).size == first.size else "row"
        columns = {name: (dim, rows[:, i]) for i, name in enumerate(names) if name != dim}
        return xarray.Dataset(columns, {dim: first} if dim != "row" else None)

    def plot(self, ax: Any = None) -> Any:
        """The spectra of all cross-section and flux monitors; the axes of matplotlib."""
        return plots.plot_results(self, ax)


def _dims(dataset: Any, coords: Mapping[str, Any]) -> Tuple[str, ...]:
    """Names of a dataset's axes: its attribute, or the coordinate of its length."""
    if "axes" in dataset.attrs:
        return tuple(_text(dataset.attrs["axes"]).split())
    names = [name for name, c in coords.items() if dataset.shape == c.shape]
    return (names[0],) if names else tuple(f"axis{i}" for i in range(dataset.ndim))
