"""Gradients against central differences, for the tests of them."""
import os
import pathlib
import shutil
import warnings

import h5py
import numpy

import torre_fdtd as torre

torre.use(os.environ["TORRE"])
RUN = {"threads": 1, "progress": False}
RNG = numpy.random.default_rng(1)


def difference(job, density, along, objective, waves):
    """The derivative along a direction by central differences."""
    step, values = 1e-4, []
    for sign in (1, -1):
        # Of the objective alone: without adjoint runs, since its derivative is 0.
        values.append(torre.value_and_grad(job, density + sign * step * along, lambda s: (objective(s)[0], 0.0), waves,
                                           "difference", **RUN)[0])
    return (values[0] - values[1]) / (2 * step)


def check(test, job, density, along, objective, waves):
    """The value and the gradient, which must be that of differences to 1e-4."""
    value, gradient = torre.value_and_grad(job, density, objective, waves, "gradient", **RUN)
    test.assertEqual(gradient.shape, density.shape)
    found, wanted = float((gradient * along).sum()), difference(job, density, along, objective, waves)
    print(f"{test.id().rsplit('.', 1)[-1]}: value {value:.4f}, off by {abs(found / wanted - 1):.1e}")
    test.assertLess(abs(found / wanted - 1), 1e-4, (found, wanted))
    return value, gradient


def datasets(path):
    """The bytes of each dataset of a file by its name."""
    found = {}
    with h5py.File(path) as file:
        file.visititems(lambda name, item: found.update({name: item[()].tobytes()} if hasattr(item, "shape") else {}))
    return found


def check_bits(test, job, density, objective, waves, gradient, ranks=(2, 4)):
    """The same bits of all runs and of the gradient stepwise and, where there is mpirun, on ranks."""
    for options in ({"options": ["--set", "schedule.engine=stepwise"]},
                    *({"processes": n, "launcher": ("mpirun", "--oversubscribe")} for n in ranks)):
        if "processes" in options and not shutil.which("mpirun"):
            continue
        shutil.rmtree("same", ignore_errors=True)
        same = torre.value_and_grad(job, density, objective, waves, "same", **RUN, **options)[1]
        runs = sorted(path.parent.name for path in pathlib.Path("same").glob("*/results.h5"))
        test.assertIn("adjoint-0", runs)
        for run in runs:
            first, second = (datasets(f"{folder}/{run}/results.h5") for folder in ("gradient", "same"))
            test.assertTrue(first == second, (run, options))
        test.assertEqual(same.tobytes(), gradient.tobytes(), options)


def quiet():
    warnings.simplefilter("ignore", torre.TorreWarning)
