"""Densities of a design region from free variables: a filter of the smallest feature, a projection, and the way back.

Arrays of numpy; each map has its transpose, which takes gradients by what comes out to gradients by what goes in.
"""
from __future__ import annotations

import math
import os
from pathlib import Path
from typing import Any, Callable, Sequence, Tuple

from .errors import ArgumentError


def _within(name: str, value: float, least: float, most: float, needs: str) -> float:
    if not least <= value <= most or math.isinf(value):
        raise ArgumentError(name, f"{name}: got {value}, need {needs}")
    return float(value)


class ConicFilter:
    """The mean of neighbours with weights that fall linearly to 0 at a radius, in numbers of the grid.

    At the grid's ends the neighbours that there are count. filter(x) and filter.transpose(g) for arrays of one shape.
    """

    def __init__(self, shape: Tuple[int, ...], radius: float):
        import itertools

        import numpy

        radius = _within("radius", radius, 0, math.inf, "a number from 0 on")
        reach = range(-int(radius), int(radius) + 1)
        self.shape = tuple(shape)
        self._parts = []
        for offset in itertools.product(reach, repeat=len(self.shape)):
            weight = 1 - float(numpy.sqrt(sum(o * o for o in offset))) / radius if radius > 0 else 1.0
            if weight > 0 and all(abs(o) < n for o, n in zip(offset, self.shape)):
                self._parts.append((offset, weight))
        self._norm = self._sum(numpy.ones(self.shape))

    def _sum(self, x: Any) -> Any:
        import numpy

        total = numpy.zeros(self.shape)
        for offset, weight in self._parts:
            to = tuple(slice(max(-o, 0), n - max(o, 0)) for o, n in zip(offset, self.shape))
            of = tuple(slice(max(o, 0), n - max(-o, 0)) for o, n in zip(offset, self.shape))
            total[to] += weight * x[of]
        return total

    def __call__(self, x: Any) -> Any:
        return self._sum(x) / self._norm

    def transpose(self, gradient: Any) -> Any:
        return self._sum(gradient / self._norm)


class Projection:
    """Towards 0 and 1 about a threshold eta, the more the larger beta: tanh (Wang, Lazarov, Sigmund 2011)."""

    def __init__(self, beta: float, eta: float = 0.5):
        import numpy

        self.beta = _within("beta", beta, 1e-6, math.inf, "a number of 1e-6 or more")
        self.eta = _within("eta", eta, 0, 1, "a number from 0 to 1")
        self._low = numpy.tanh(self.beta * self.eta)
        self._norm = self._low + numpy.tanh(self.beta * (1 - self.eta))

    def __call__(self, x: Any) -> Any:
        import numpy

        return (self._low + numpy.tanh(self.beta * (x - self.eta))) / self._norm

    def transpose(self, gradient: Any, x: Any) -> Any:
        """x: what the projection was given."""
        import numpy

        return gradient * self.beta / numpy.cosh(self.beta * (x - self.eta)) ** 2 / self._norm


def grey(density: Any) -> float:
    """How far a design is from 0 and 1: the mean of 4 rho (1 - rho), 0 where it is binary."""
    return float((4 * density * (1 - density)).mean())


class Adam:
    """Steps of Adam (Kingma, Ba 2015) towards larger values, kept in 0 ... 1: x = adam.step(x, gradient)."""

    def __init__(self, rate: float = 0.02, first: float = 0.9, second: float = 0.999):
        self.rate, self.first, self.second = rate, first, second
        self.mean: Any = 0.0
        self.square: Any = 0.0
        self.count = 0

    def step(self, x: Any, gradient: Any) -> Any:
        import numpy

        self.count += 1
        self.mean = self.first * self.mean + (1 - self.first) * gradient
        self.square = self.second * self.square + (1 - self.second) * gradient * gradient
        mean, square = self.mean / (1 - self.first**self.count), self.square / (1 - self.second**self.count)
        return numpy.clip(x + self.rate * mean / (numpy.sqrt(square) + 1e-12), 0.0, 1.0)


def maximise(value_and_grad: Callable[[Any], Tuple[float, Any]], start: Any, *, radius: float,
             betas: Any = (4, 8, 16, 32, 64), steps: int = 12, rate: float = 0.05, etas: Any = (0.5,),
             keep: str | os.PathLike[str] | None = None, pictures: str | os.PathLike[str] | None = None,
             report: Callable[..., None] | None = None) -> Tuple[float, Any]:
    """The best density that Adam finds, with filter and projection, beta rising every so many steps.

    value_and_grad: of a density; start: the free variables, 0 ... 1; radius: of the filter. etas: thresholds of the
    projection, of which the first makes the design; with (0.5, 0.4, 0.6) the mean of its value, of that of a design
    whose features came out too large and of one with too small ones is maximised. keep: a file (.npz) in which each
    step is kept; where it exists, the same call continues from there. pictures: a folder for one of each step's design,
    step-000.png (matplotlib), of a 3-D one its middle along z. report(step, beta, value, density) after each value.
    Returns the value and density of the last beta's best step.
    """
    if not len(betas) or steps < 1 or not len(etas):
        raise ArgumentError("steps" if len(betas) and len(etas) else "etas" if len(betas) else "betas",
                            "steps, betas, etas: need one or more of each")
    if not ((start >= 0) & (start <= 1)).all():
        raise ArgumentError("start", f"start: got {start.min()} to {start.max()}, need numbers from 0 to 1")
    mean, state = ConicFilter(start.shape, radius), _State(start, keep, [radius, steps, rate, *betas, *etas])
    for number in range(state.count, len(betas) * steps):
        beta = betas[number // steps]
        if number % steps == 0:
            state.begin(rate)
        state.adam.rate = rate
        projections, smooth = [Projection(beta, eta) for eta in etas], mean(state.x)
        densities = [project(smooth) for project in projections]
        found = [value_and_grad(density) for density in densities]
        value = sum(f[0] for f in found) / len(etas)
        gradient = sum(project.transpose(f[1], smooth) for project, f in zip(projections, found)) / len(etas)
        if pictures is not None:
            _picture(Path(pictures), number, densities[0])
        if report:
            report(number, beta, value, densities[0])
        state.end(value, densities[0], mean.transpose(gradient))
    return state.value, state.density


def _picture(folder: Path, number: int, density: Any) -> None:
    import matplotlib.image

    folder.mkdir(parents=True, exist_ok=True)
    shown = density if density.ndim == 2 else density[len(density) // 2]
    matplotlib.image.imsave(folder / f"step-{number:03d}.png", shown, cmap="gray_r", vmin=0, vmax=1, origin="lower")


def write_gds(path: str | os.PathLike[str], density: Any, box: Sequence[Sequence[float]], *, level: float = 0.5,
              layer: int = 1, datatype: int = 0, cell: str = "DESIGN", unit: float = 1e-6) -> Path:
    """Writes the outlines of a design, where its density is above a level, as polygons of a GDSII file (needs gdstk).

    density: [y][x]; box: the region's corners [[x, y], [x, y]], in `unit` metres. Outlines are those of the density
    between the numbers; holes are cut open, as GDSII has none.
    """
    import gdstk
    import numpy

    values = numpy.asarray(density, dtype=float)
    if values.ndim != 2:
        raise ArgumentError("density", f"density: got {values.ndim} axes, need [y][x]")
    lo, hi = numpy.array(box[0], dtype=float)[:2], numpy.array(box[1], dtype=float)[:2]
    step = (hi - lo) / values.shape[::-1]
    library = gdstk.Library(unit=unit, precision=1e-3 * unit)
    made = library.new_cell(cell)
    for polygon in gdstk.contour(numpy.pad(values, 1), level, 1, 1e-3):
        made.add(gdstk.Polygon(lo + (polygon.points - 0.5) * step, layer, datatype))
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    library.write_gds(target)
    return target


class _State:
    """Where an optimisation is: free variables, Adam's means, the best density of this beta; kept in a file."""

    def __init__(self, start: Any, path: str | os.PathLike[str] | None, settings: Any):
        import numpy

        self.path = None if path is None else Path(path)
        self.settings = numpy.array([*start.shape, *settings], dtype=float)
        self.x, self.density, self.value, self.count, self.adam = start, start, -math.inf, 0, Adam()
        if self.path is None or not self.path.exists():
            return
        with numpy.load(self.path) as file:
            if not numpy.array_equal(file["settings"], self.settings):
                raise ArgumentError("keep", f"keep: {self.path} is of other settings, need the same or another file")
            self.x, self.density, self.value = file["x"], file["density"], float(file["value"])
            self.count = int(file["count"])
            self.adam.mean, self.adam.square, self.adam.count = file["mean"], file["square"], int(file["steps"])

    def begin(self, rate: float) -> None:
        self.adam, self.value = Adam(rate), -math.inf

    def end(self, value: float, density: Any, gradient: Any) -> None:
        """A step, which is in the file when this returns."""
        import numpy

        if value > self.value:
            self.value, self.density = value, density
        self.x = self.adam.step(self.x, gradient)
        self.count += 1
        if self.path is None:
            return
        self.path.parent.mkdir(parents=True, exist_ok=True)
        part = self.path.with_name(self.path.name + ".part.npz")
        numpy.savez(part, settings=self.settings, x=self.x, density=self.density, value=self.value, count=self.count,
                    mean=self.adam.mean, square=self.adam.square, steps=self.adam.count)
        os.replace(part, self.path)
