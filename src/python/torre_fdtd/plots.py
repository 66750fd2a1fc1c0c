"""Pictures of results, by matplotlib."""
from __future__ import annotations

from typing import Any, List, Mapping, Optional


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.figure(figsize=(6.4, 4.4), layout="constrained").add_subplot()


def _label(array: Any, fallback: str) -> str:
    units = array.attrs.get("units", "1")
    return f"{array.name or fallback}" + ("" if units in ("1", "") else f" [{units}]")


def _axis_label(array: Any, dim: str) -> str:
    units = array.coords[dim].attrs.get("units", "") if dim in array.coords else ""
    return f"{dim} [{units}]" if units else dim


def _selected(array: Any, select: Mapping[str, float]) -> Any:
    """Nearest values of coordinates, then no axes of one point."""
    for dim, value in select.items():
        if dim in array.dims:
            array = array.sel({dim: value}, method="nearest")
    return array.squeeze()


def _lines(arrays: List[Any], labels: List[str], ax: Any) -> Any:
    import numpy

    for array, label in zip(arrays, labels):
        dim = array.dims[0]
        values = numpy.abs(array.values) if numpy.iscomplexobj(array.values) else array.values
        ax.plot(array.coords[dim].values, values, label=label, marker="." if array.size < 40 else None)
        ax.set_xlabel(_axis_label(array, dim))
    if labels:
        ax.legend()
    return ax


def _map(array: Any, ax: Any) -> Any:
    """A plane of a field: the modulus of complex values, else the values with 0 in the middle of the colours."""
    import numpy

    array = array.transpose(*sorted(array.dims, key="zyx".index))
    up, across = array.dims
    values = array.values
    signed = not numpy.iscomplexobj(values) and float(values.min()) < 0
    shown = values if signed else numpy.abs(values)
    limit = float(numpy.percentile(numpy.abs(shown), 99.5)) or 1.0
    mesh = ax.pcolormesh(array.coords[across].values, array.coords[up].values, shown, shading="nearest",
                         cmap="RdBu_r" if signed else "magma", vmin=-limit if signed else 0, vmax=limit)
    ax.figure.colorbar(mesh, ax=ax, extend="both" if signed else "max",
                       label=_label(array, "field") if signed else f"|{array.name}|".replace("||", "|"))
    ax.set_aspect("equal")
    ax.set_xlabel(_axis_label(array, across))
    ax.set_ylabel(_axis_label(array, up))
    return ax


def _modulus(monitor: Any, field: str) -> Any:
    squared = monitor.squared(field)
    modulus = squared**0.5
    modulus.name = f"|{field}| / incident" if squared.attrs["units"] == "1" else f"|{field}|"
    return modulus


def plot_monitor(monitor: Any, what: Optional[str], ax: Any, select: Mapping[str, float]) -> Any:
    """See Monitor.plot. Raises ValueError where more than a line or a plane is left."""
    names = [what] if what else list(monitor)
    is_map = bool(monitor.components) and any(axis in monitor[monitor.components[0]].dims for axis in "xyz")
    if what in ("E", "H") or (what is None and is_map):
        array = _selected(_modulus(monitor, what or monitor.components[0][0]), select)
        names, arrays = [str(array.name)], [array]
    else:
        wanted = [name for name in names if name not in ("planes", "incident", "moment") or what]
        arrays = [_selected(monitor[name], select) for name in wanted]
        names = [_label(array, name) for array, name in zip(arrays, wanted)]
    if not arrays:
        raise ValueError(f"monitor {monitor.name} has nothing to be drawn")
    if arrays[0].ndim == 2 and set(arrays[0].dims) <= set("xyz"):
        return _map(arrays[0], _axes(ax))
    if arrays[0].ndim != 1:
        raise ValueError(f"monitor {monitor.name}: {arrays[0].name} has the axes {', '.join(arrays[0].dims)}; name "
                         "places such as wavelength=530 so that a line or a plane is left")
    kept = [(array, name) for array, name in zip(arrays, names) if array.dims == arrays[0].dims]
    return _lines([array for array, _ in kept], [name for _, name in kept], _axes(ax))


def plot_results(results: Any, ax: Any) -> Any:
    """See Results.plot."""
    arrays, labels = [], []
    for name in results:
        for key, array in results[name].items():
            if array.dims == ("wavelength",) and (key == "fraction" or key[:2] in ("Q_", "C_")):
                arrays.append(array)
                labels.append(f"{name}: {_label(array, key)}")
    if not arrays:
        raise ValueError(f"{results.folder}: no spectra; monitors of type cross_section, flux and flux_box have some")
    return _lines(arrays, labels, _axes(ax))
