#!/usr/bin/env python3
"""The L3 cavity of l3.py by legume (PyPI: legume-gme, guided-mode expansion): its frequency and Q.

    python3 tests/stress/crystal/l3_legume.py [--cells 12 10] [--cut 2 2.5] [--modes 0 3 4]

--cells: periods and rows of the supercell; --cut: largest reciprocal vector, 2 pi / a; --modes: guided modes of the
slab. Q is that of the mean loss of 2 x 2 Bloch vectors in a quarter of the supercell's zone. The numbers of
docs/measurements/resonances.md: legume 1.0.3."""
import argparse

import legume
import numpy

ROW = numpy.sqrt(3) / 2


def crystal(periods, rows):
    cells = legume.PhotCryst(legume.Lattice([periods, 0], [0, rows * ROW]))
    cells.add_layer(d=0.55, eps_b=3.4757**2)
    for j in range(-(rows // 2), rows - rows // 2):
        for i in range(-(periods // 2), periods - periods // 2):
            if j != 0 or abs(i) > 1:
                cells.add_shape(legume.Circle(x_cent=i + 0.5 * (j % 2), y_cent=j * ROW, r=0.25, eps=1.0))
    return cells


def cavity(periods, rows, cut, modes):
    """Frequency [c / a] and Q of the mode nearest to 0.261."""
    k = [((i + 0.5) * numpy.pi / periods / 2, (j + 0.5) * numpy.pi / (rows * ROW) / 2)
         for i in range(2) for j in range(2)]
    expansion = legume.GuidedModeExp(crystal(periods, rows), gmax=cut + 0.01)
    expansion.run(kpoints=numpy.array(k).T, gmode_inds=modes, numeig=3, eig_solver="eigsh", eig_sigma=0.2605,
                  verbose=False, compute_im=False)
    frequency, loss = [], []
    for i in range(len(k)):
        mode = int(numpy.argmin(abs(expansion.freqs[i] - 0.261)))
        frequency.append(expansion.freqs[i][mode])
        loss.append(expansion.compute_rad(i, [mode])[0][0])
    return numpy.mean(frequency), numpy.mean(frequency) / (2 * numpy.mean(loss))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cells", nargs=2, type=int, default=[12, 10])
    parser.add_argument("--cut", nargs="+", type=float, default=[2.0, 2.5])
    parser.add_argument("--modes", nargs="+", type=int, default=[0, 3, 4])
    args = parser.parse_args()
    for cut in args.cut:
        print(args.cells, cut, args.modes, "f %.6f Q %.0f" % cavity(*args.cells, cut, args.modes), flush=True)


if __name__ == "__main__":
    main()
