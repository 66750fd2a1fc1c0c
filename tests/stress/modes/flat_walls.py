"""Flat walls in order 4: shares of media by other kernels than a cell, in a slab and in the silicon wire.

    python3 tests/stress/modes/flat_walls.py        # slabs, a minute
    python3 tests/stress/modes/flat_walls.py --wire # some minutes

A study of docs/measurements/guides.md, "Flat walls in order 4", apart from Torre: differences of order 4 across the
guide, exact ones along it. n_eff less the exact one (slab: 220 nm; wire: 450 x 220 nm, the finite elements of
tests/stress/guides/stripe_theory.py) with the permittivity smoothed by a kernel one cell wide ("cell", Torre's), by the
kernel B of the difference of order 4, and by B * B. Steps of a kernel: its part beyond a wall at x [cells]."""
import sys

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp
import scipy.sparse.linalg as sla
from scipy.optimize import brentq

HIGH, LOW, K, WIDTH = 3.4757**2, 1.444**2, 2 * np.pi / 1550, 220.0
_X = np.linspace(-3, 3, 60001)


def cell(x):
    return np.clip(x + 0.5, 0, 1)


def single(x):
    return 9 / 8 * cell(x) - 1 / 8 * np.clip((x + 1.5) / 3, 0, 1)


def _double():
    b = np.where(abs(_X) < 0.5, 13 / 12, np.where(abs(_X) < 1.5, -1 / 24, 0))
    steps = np.cumsum(np.convolve(b, b, "same"))
    return steps / steps[-1]


_DOUBLE = _double()


def double(x):
    return np.interp(x, _X, _DOUBLE)


def share(x, width, h, kernel):
    return kernel((x + width / 2) / h) - kernel((x - width / 2) / h)


def differences(n, h, order, low=-1):
    """From nodes 0 .. n to the n places between; low: +1, even, or -1, odd, at node 0; odd at node n."""
    d = sp.lil_matrix((n, n + 1))
    steps = ((0, -1.0), (1, 1.0)) if order == 2 else ((0, -9 / 8), (1, 9 / 8), (-1, 1 / 24), (2, -1 / 24))
    for i in range(n):
        for j, v in ((i + k, v) for k, v in steps):
            sign = low if j < 0 else -1 if j > n else 1
            d[i, -j if j < 0 else 2 * n - j if j > n else j] += sign * v
    return sp.csr_matrix(d) / h


def slab(h, offset, across, along_wall, over_wall):
    """n_eff; the middle lies `offset` cells off a node. across: E has a part across the walls (TE of 2-D jobs)."""
    n = 2 * round(1800 / h)
    nodes = (np.arange(n + 1) - n / 2 + offset)[1:-1] * h
    halves = (np.arange(n) - n / 2 + 0.5 + offset) * h
    d = differences(n, h, 4).toarray()[:, 1:-1]
    eps = LOW + (HIGH - LOW) * share(nodes, WIDTH, h, along_wall)
    if not across:
        return np.sqrt(la.eigvalsh(-d.T @ d + np.diag(K * K * eps))[-1]) / K
    inverse = 1 / LOW + (1 / HIGH - 1 / LOW) * share(halves, WIDTH, h, over_wall)
    a = K * K * np.eye(n) - d @ np.diag(1 / eps) @ d.T
    return np.sqrt(la.eigh(a, np.diag(inverse), eigvals_only=True)[-1]) / K


def exact(across):
    def rest(n):
        inner, outer = np.sqrt(HIGH - n * n), np.sqrt(n * n - LOW)
        return inner * np.sin(inner * K * WIDTH / 2) - (HIGH / LOW if across else 1) * outer * np.cos(
            inner * K * WIDTH / 2)

    indices = np.linspace(np.sqrt(LOW) + 1e-6, np.sqrt(HIGH) - 1e-6, 2001)
    return max(brentq(rest, a, b) for a, b in zip(indices, indices[1:]) if rest(a) * rest(b) < 0)


def wire(h, walls, target, kernel, order):
    """n_eff of the wire, a quarter between walls ("pec", "pmc") at x = 0 and y = 0. Permittivity of an edge: the
    harmonic mean along it of means across it."""
    size, width, n, d, part = (1100, 1000), (450, 220), [], [], []
    for a in range(2):
        n.append(round(size[a] / h[a]))
        d.append(differences(n[a], h[a], order, -1 if walls[a] == "pec" else 1))
        at = np.arange(n[a] + 1) * h[a]
        part.append((share(at, width[a], h[a], kernel), share(at[:-1] + h[a] / 2, width[a], h[a], kernel)))
    mixed = lambda own, other: 1 / (own[:, None] / (LOW + (HIGH - LOW) * other) + (1 - own[:, None]) / LOW)
    (nx, ny), ((xn, xh), (yn, yh)), eye = n, part, sp.identity
    eps = [mixed(xh, yn), mixed(yh, xn).T, LOW + (HIGH - LOW) * np.outer(xn, yn)]
    curl = sp.hstack([-sp.kron(eye(nx), d[1]), sp.kron(d[0], eye(ny))])
    grad = sp.vstack([sp.kron(d[0], eye(ny + 1)), sp.kron(eye(nx + 1), d[1])])
    ends = [np.ones(m + 1) for m in n]
    for e in ends:
        e[[0, -1]] = 0.5
    weight = np.concatenate([np.kron(np.ones(nx), ends[1]), np.kron(ends[0], np.ones(ny))])
    w, axial = sp.diags(weight), sp.diags(np.kron(*ends) * eps[2].ravel())
    a = curl.T @ curl - K * K * sp.diags(weight * np.concatenate([eps[0].ravel(), eps[1].ravel()]))
    A = sp.bmat([[a, None], [None, sp.csr_matrix(axial.shape)]]).tocsc()
    B = sp.bmat([[w, w @ grad], [grad.T @ w, grad.T @ w @ grad - K * K * axial]]).tocsc()
    free = [np.ones((nx, ny + 1)), np.ones((nx + 1, ny)), np.ones((nx + 1, ny + 1))]
    free[0][:, -1] = free[1][-1] = free[2][-1] = free[2][:, -1] = 0
    if walls[0] == "pec":
        free[1][0] = free[2][0] = 0
    if walls[1] == "pec":
        free[0][:, 0] = free[2][:, 0] = 0
    keep = np.flatnonzero(np.concatenate([f.ravel() for f in free]))
    A, B, shift = A[keep][:, keep].astype(complex), B[keep][:, keep].astype(complex), -(target * K) ** 2
    factors = sla.splu((A - shift * B).tocsc(), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.01,
                       options={"SymmetricMode": True})
    inverse = sla.LinearOperator(A.shape, lambda x: factors.solve(B @ x), dtype=complex)
    value = sla.eigs(inverse, 1, v0=np.ones(A.shape[0], complex), return_eigenvectors=False)[0]
    return (np.sqrt(-(shift + 1 / value)) / K).real


def main():
    if "--wire" in sys.argv:
        modes = (("TE0", ("pec", "pmc"), 2.35, 2.352833), ("TM0", ("pmc", "pec"), 1.74, 1.733094))
        for name, walls, target, index in modes:
            for h in ((25, 22), (20, 20), (15, 15), (12.5, 11), (10, 10)):
                for kernel, order in ((cell, 2), (cell, 4), (double, 4)):
                    print(f"{name} {h} order {order} {kernel.__name__}: "
                          f"{wire(h, walls, target, kernel, order) - index:+.2e}", flush=True)
        return
    for across in (False, True):
        for along, over in ((cell, cell), (single, single), (double, single), (double, double)):
            for h in (20, 10):
                errors = [slab(h, offset, across, along, over) - exact(across) for offset in (0, 0.15, 0.3, 0.5)]
                print("E across" if across else "E along", along.__name__, over.__name__, h,
                      *(f"{e:+.2e}" for e in errors), flush=True)


if __name__ == "__main__":
    main()
