"""A run as a function that autograd and JAX differentiate.

    f = torre.Amplitudes(job, [torre.Wave("out")], "results/f").autograd()    # or .jax()
    slope = autograd.grad(lambda x: anp.sum(anp.abs(f(projection(x)))**2))(x)

A function of the numbers of a design region with the complex amplitudes [wave][wavelength] that value_and_grad's
objectives see. Its derivative costs the adjoint runs of the waves that count.
"""
from __future__ import annotations

import os
from typing import Any, Callable, Optional, Sequence

from .gradient import Forward


class Amplitudes:
    """What a job's waves have as a function of the numbers of its design region; arguments of value_and_grad.

    The last forward run is kept: a derivative at its numbers does not repeat it.
    """

    def __init__(self, job: Any, waves: Sequence[Any], folder: str | os.PathLike[str], *, design: int = 0, **run: Any):
        self._job, self._waves, self._folder, self._design, self._run = job.copy(), list(waves), folder, design, run
        self._last: Optional[Forward] = None

    def _at(self, density: Any) -> Forward:
        import numpy

        values = numpy.asarray(density, dtype=float)
        if self._last is None or not numpy.array_equal(self._last.density, values):
            self._last = None  # its files are about to be written over
            self._last = Forward(self._job, values, self._waves, self._folder, self._design, self._run)
        return self._last

    def __call__(self, density: Any) -> Any:
        """s[wave][wavelength] at these numbers."""
        return self._at(density).s

    def pullback(self, density: Any, d: Any) -> Any:
        """The derivative by the numbers of what changes by Re(sum of d ds); d: as s."""
        import numpy

        forward = self._at(density)
        return forward.gradient(numpy.broadcast_to(numpy.asarray(d, dtype=complex), forward.s.shape))

    def autograd(self) -> Callable[[Any], Any]:
        """A function for autograd (https://github.com/HIPS/autograd)."""
        from autograd.extend import defvjp, primitive

        made = primitive(lambda density: self(density))
        defvjp(made, lambda s, density: lambda d: self.pullback(density, d))
        return made

    def jax(self) -> Callable[[Any], Any]:
        """A function for JAX; complex64 unless jax_enable_x64 is set."""
        import jax
        import numpy

        shape = (len(self._waves), len(self._waves[0].check(self._job).wavelengths))

        def s_of(density: Any) -> Any:
            kind = jax.numpy.result_type(density.dtype, "complex64")
            return jax.pure_callback(lambda x: numpy.asarray(self(x), kind), jax.ShapeDtypeStruct(shape, kind), density)

        def backward(density: Any, d: Any) -> Any:
            like = jax.ShapeDtypeStruct(density.shape, density.dtype)
            return (jax.pure_callback(lambda x, y: numpy.asarray(self.pullback(x, y), x.dtype), like, density, d),)

        made = jax.custom_vjp(s_of)
        made.defvjp(lambda density: (s_of(density), density), backward)
        return made
