"""Sums over the fields of a design region, a few of their planes at a time, so that regions of 1e8 points need memory
for their numbers alone.

All arithmetic is of single values of numpy in a fixed order, without its sums and products of matrices, whose order
depends on where memory lies: the same fields give the same bits, whatever the number of threads.
"""
from __future__ import annotations

import collections
import concurrent.futures
import os
import threading
from typing import Any, Callable, Dict, Iterator, List, Sequence, Tuple

from .chunks import Planes

_BYTES = 1 << 23  # of a wavelength's fields that are worked on at a time, where one plane has not more


class Spread:
    """The transpose of an interpolation along one axis: from values at places to the numbers that they have parts of.

    first[places]: the lower of the two numbers that a place has parts of, count - 1 at most; above[places]: the part of
    the next one; weight[places]: a factor on both, 0 where it has none.
    """

    def __init__(self, first: Any, above: Any, weight: Any, count: int):
        self.count = count
        self.weight = weight
        self.parts = [(int(f), float((1 - a) * w), float(a * w)) if w else None
                      for f, a, w in zip(first, above, weight)]
        self._passes = list(_passes(self.parts))

    def __call__(self, values: Any, axis: int) -> Any:
        """Values with the places along `axis`, in their place the numbers."""
        import numpy

        shape = list(values.shape)
        shape[axis] = self.count
        out = numpy.zeros(shape)
        to, of = numpy.moveaxis(out, axis, 0), numpy.moveaxis(values, axis, 0)
        for numbers, places, weights in self._passes:
            to[numbers] += of[places] * weights.reshape((-1,) + (1,) * (values.ndim - 1))
        return out

    def some(self, places: range, values: Any) -> Tuple[int, Any]:
        """The parts of some places, which are along the first axis of the values: the first number, and all from it on
        that have any."""
        import numpy

        parts = [part for part in self.parts[places.start:places.stop] if part]
        first = min((part[0] for part in parts), default=0)
        last = max((part[0] + (part[2] != 0) for part in parts), default=-1)
        out = numpy.zeros((last + 1 - first,) + values.shape[1:])
        spare = numpy.empty(values.shape[1:])
        for part, plane in zip(self.parts[places.start:places.stop], values):
            for number, weight in ((part[0], part[1]), (part[0] + 1, part[2])) if part else ():
                if weight:
                    out[number - first] += numpy.multiply(plane, weight, out=spare)
        return first, out


def _passes(parts: Sequence[Any]) -> Iterator[Tuple[Any, Any, Any]]:
    """Numbers, each at most once, with the place that each gets a part of, and the weights."""
    import numpy

    rounds: Dict[Tuple[int, int], List[Tuple[int, int, float]]] = {}
    for which in (0, 1):
        seen: Dict[int, int] = {}
        for place, part in enumerate(parts):
            if part is None or not part[1 + which]:
                continue
            number = part[0] + which
            rounds.setdefault((which, seen.get(number, 0)), []).append((number, place, part[1 + which]))
            seen[number] = seen.get(number, 0) + 1
    for key in sorted(rounds):
        numbers, places, weights = zip(*rounds[key])
        yield _compact(numbers), _compact(places), numpy.array(weights)


def _compact(at: Sequence[int]) -> Any:
    """The same rising indices as a slice, where they are evenly spaced, which numpy need not copy."""
    import numpy

    step = at[1] - at[0] if len(at) > 1 else 1
    if all(b - a == step for a, b in zip(at, at[1:])):
        return slice(at[0], at[-1] + 1, step)
    return numpy.array(at)


def times(first: Any, second: Any) -> Any:
    """The product of two complex arrays by their parts: numpy's own rounds in another way, one operation for two, where
    the result is not right behind a factor in memory."""
    import numpy

    a, b = numpy.asarray(first), numpy.asarray(second)
    out = numpy.empty(numpy.broadcast(a, b).shape, complex)
    out.real = a.real * b.real - a.imag * b.imag
    out.imag = a.real * b.imag + a.imag * b.real
    return out


def add_products(first: Any, second: Any, factor: Any, spreads: Sequence[Spread], total: Any) -> None:
    """Adds to the numbers Re(sum over wavelengths of factor[wavelength] first second), spread over them.

    first, second: datasets [wavelength] and an axis for each spread, [real, imaginary] last; total: the numbers.
    """
    workers = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    blocks, buffers = _blocks(first, spreads[0]), threading.local()
    with Planes(first) as a, Planes(second) as b:

        def work(block: range) -> Any:
            values = _product(a, b, factor, block, buffers)
            for axis in range(len(spreads) - 1, 0, -1):
                values = spreads[axis](values, axis)
            return spreads[0].some(block, values)

        for number, values in _in_order(work, blocks, workers):
            total[number:number + len(values)] += values


def _blocks(data: Any, outer: Spread) -> List[range]:
    """Planes that are worked on together: whole chunks, without those that have no part of a number."""
    import numpy

    used = numpy.flatnonzero(outer.weight)
    if not len(used):
        return []
    chunk = data.chunks[1] if data.chunks else 1
    plane = data.dtype.itemsize * int(numpy.prod(data.shape[2:]))
    step = chunk * max(1, _BYTES // (plane * chunk))
    begin, end = int(used[0]), int(used[-1]) + 1
    edges = [begin, *range((begin // step + 1) * step, end, step), end]
    return [range(a, b) for a, b in zip(edges, edges[1:])]


def _product(first: Planes, second: Planes, factor: Any, block: range, buffers: Any) -> Any:
    """Re(sum over wavelengths of factor first second) of some planes."""
    import numpy

    total: Any = None
    for q, weight in enumerate(factor):
        a, b = (_read(data, q, block, buffers, name) for data, name in ((first, "first"), (second, "second")))
        real = a[..., 0] * b[..., 0]
        real -= a[..., 1] * b[..., 1]
        imaginary = a[..., 0] * b[..., 1]
        imaginary += a[..., 1] * b[..., 0]
        real *= weight.real
        imaginary *= weight.imag
        real -= imaginary
        total = real if total is None else numpy.add(total, real, out=total)
    return total


def _read(data: Planes, q: int, block: range, buffers: Any, name: str) -> Any:
    """Planes of a wavelength, in memory of the thread that its next read overwrites."""
    import numpy

    shape = (len(block),) + data.shape[2:]
    kept = getattr(buffers, name, None)
    if kept is None or kept.shape != shape:
        kept = numpy.empty(shape, data.dtype)
        setattr(buffers, name, kept)
    data.read(q, block.start, block.stop, kept)
    return kept


def _in_order(work: Callable[[range], Any], blocks: Sequence[range], workers: int) -> Iterator[Any]:
    """What each block gives, in their order, by threads that are at most a block each ahead."""
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        waiting: Any = collections.deque()
        for block in blocks:
            waiting.append(pool.submit(work, block))
            if len(waiting) > workers + 1:
                yield waiting.popleft().result()
        for future in waiting:
            yield future.result()
