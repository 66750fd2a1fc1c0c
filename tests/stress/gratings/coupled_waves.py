"""Rigorous coupled waves of a layer with ridges: what lattice.py and gold_stripes.py have in common."""
import numpy as np


def forward(square):
    """The root of a wave that leaves or decays."""
    k = np.sqrt(square + 0j)
    return np.where(k.imag < 0, -k, k)


def match(above, below, field, slope, decay):
    """Amplitudes (r, t) of the orders on both sides of a layer for a wave of amplitude 1 in the middle order.

    above, below: slopes of the orders there, over i; field, slope: columns are the layer's waves; decay: what each
    loses across it.
    """
    n = len(above)
    zero, one, start = np.zeros_like(field), np.eye(n), np.zeros(n, complex)
    start[n // 2] = 1
    lost = np.diag(decay)
    matrix = np.block([[one, -field, -field @ lost, zero],
                       [-1j * np.diag(above), slope, -slope @ lost, zero],
                       [zero, field @ lost, field, -one],
                       [zero, -slope @ lost, slope, -1j * np.diag(below)]])
    x = np.linalg.solve(matrix, np.concatenate([-start, -1j * above * start, 0 * start, 0 * start]))
    return x[:n], x[-n:]
