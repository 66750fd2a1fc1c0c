"""Densities of a design region from free variables: a filter of the smallest feature, a projection, and the way back.

Arrays of numpy; each map has its transpose, which takes gradients by what comes out to gradients by what goes in.
"""
from __future__ import annotations

import math
from typing import Any, Callable, Tuple

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
        self._mean: Any = 0.0
        self._square: Any = 0.0
        self._count = 0

    def step(self, x: Any, gradient: Any) -> Any:
        import numpy

        self._count += 1
        self._mean = self.first * self._mean + (1 - self.first) * gradient
        self._square = self.second * self._square + (1 - self.second) * gradient * gradient
        mean, square = self._mean / (1 - self.first**self._count), self._square / (1 - self.second**self._count)
        return numpy.clip(x + self.rate * mean / (numpy.sqrt(square) + 1e-12), 0.0, 1.0)


def maximise(value_and_grad: Callable[[Any], Tuple[float, Any]], start: Any, *, radius: float,
             betas: Any = (4, 8, 16, 32, 64), steps: int = 12, rate: float = 0.05,
             report: Callable[..., None] | None = None) -> Tuple[float, Any]:
    """The best density that Adam finds, with filter and projection, beta rising every so many steps.

    value_and_grad: of a density; start: the free variables, 0 ... 1; radius: of the filter; report(step, beta, value,
    density) after each value. Returns the value and density of the last beta's best step.
    """
    if not len(betas) or steps < 1:
        raise ArgumentError("steps" if len(betas) else "betas", "steps, betas: need one or more of each")
    if not ((start >= 0) & (start <= 1)).all():
        raise ArgumentError("start", f"start: got {start.min()} to {start.max()}, need numbers from 0 to 1")
    mean, x, best, count = ConicFilter(start.shape, radius), start, (-float("inf"), start), 0
    for beta in betas:
        project, adam, best = Projection(beta), Adam(rate), (-float("inf"), x)
        for _ in range(steps):
            smooth = mean(x)
            density = project(smooth)
            value, gradient = value_and_grad(density)
            if value > best[0]:
                best = (value, density)
            if report:
                report(count, beta, value, density)
            x = adam.step(x, mean.transpose(project.transpose(gradient, smooth)))
            count += 1
    return best
