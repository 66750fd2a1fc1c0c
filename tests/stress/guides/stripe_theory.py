"""Modes of a metal stripe and of a wire by finite elements of high order: the reference of stripe.py.

    python3 tests/stress/guides/stripe_theory.py       # meshes; a film, for which the root is known

Rectangles that shrink by 0.15 towards the corner of a stripe in the middle of the plane, of which a quarter lies
between x = 0 and y = 0, each a wall: "pec" (tangential E = 0) or "pmc"; the outer walls are PEC. Edge elements across
the guide (Legendre polynomials of degree p - 1 along an edge's own axis, nodal ones of degree p across it), nodal
elements of degree p for E along it (Nedelec, Numer. Math. 35, 315 (1980)), and with e_t = beta E_t, e_z = -i E_z (Lee,
Sun, Cendes, IEEE Trans. Microw. Theory Tech. 39, 1262 (1991))

    int curl F curl e_t - k^2 eps F e_t = -beta^2 int F (e_t + grad e_z)
    int grad G (e_t + grad e_z) = k^2 int eps G e_z
"""
import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as sla
from numpy.polynomial import legendre


def lobatto(p):
    """Gauss-Lobatto points of degree p on [-1, 1]."""
    inner = legendre.Legendre.basis(p).deriv().roots()
    return np.concatenate(([-1.0], np.sort(inner.real), [1.0]))


def line(nodes, p):
    """Per element of a line: matrices on [0, h] of N (nodal, p + 1), N' and L (Legendre, p)."""
    x, w = legendre.leggauss(p + 2)
    points = lobatto(p)
    nodal = np.array([np.poly1d(np.poly(np.delete(points, i))) / np.prod(points[i] - np.delete(points, i))
                      for i in range(p + 1)])
    value = np.array([np.poly1d(c)(x) for c in nodal])
    slope = np.array([np.poly1d(c).deriv()(x) for c in nodal])
    edge = np.array([legendre.Legendre.basis(i)(x) for i in range(p)])
    out = []
    for h in np.diff(nodes):
        n, d, m, q = value, slope * 2 / h, edge, w * h / 2
        out.append({"NN": n * q @ n.T, "DD": d * q @ d.T, "LL": m * q @ m.T, "LD": m * q @ d.T, "LN": m * q @ n.T})
    return out


def assemble(xs, ys, eps, p, k, walls, side="pec"):
    """The matrices A, B of A x = -beta^2 B x. eps [x element][y element]; walls at x = 0, y = 0; side: at x's end."""
    nx, ny = len(xs) - 1, len(ys) - 1
    gx, gy = line(xs, p), line(ys, p)
    wide, high = nx * p + 1, ny * p + 1                        # nodal places; along an edge's own axis n p of them
    first_y = nx * p * high
    first_z = first_y + wide * ny * p
    size = first_z + wide * high
    rows, columns, a, b = [], [], [], []

    def add(r, c, va, vb):
        rows.append(np.repeat(r, len(c)))
        columns.append(np.tile(c, len(r)))
        a.append(va.ravel())
        b.append(vb.ravel())

    for i in range(nx):
        for j in range(ny):
            X, Y, e = gx[i], gy[j], eps[i][j] * k * k
            node_x, node_y = i * p + np.arange(p + 1), j * p + np.arange(p + 1)
            edge_x, edge_y = i * p + np.arange(p), j * p + np.arange(p)
            ex = (edge_x[:, None] * high + node_y[None, :]).ravel()
            ey = first_y + (node_x[:, None] * (ny * p) + edge_y[None, :]).ravel()
            ez = first_z + (node_x[:, None] * high + node_y[None, :]).ravel()
            xx, yy = np.kron(X["LL"], Y["NN"]), np.kron(X["NN"], Y["LL"])
            add(ex, ex, np.kron(X["LL"], Y["DD"]) - e * xx, xx)
            add(ey, ey, np.kron(X["DD"], Y["LL"]) - e * yy, yy)
            xy = -np.kron(X["LD"], Y["LD"].T)                  # curl = d_x e_y - d_y e_x
            add(ex, ey, xy, 0 * xy)
            add(ey, ex, xy.T, 0 * xy.T)
            xz, yz = np.kron(X["LD"], Y["NN"]), np.kron(X["NN"], Y["LD"])
            add(ex, ez, 0 * xz, xz)
            add(ez, ex, 0 * xz.T, xz.T)
            add(ey, ez, 0 * yz, yz)
            add(ez, ey, 0 * yz.T, yz.T)
            nn = np.kron(X["NN"], Y["NN"])
            zz = np.kron(X["DD"], Y["NN"]) + np.kron(X["NN"], Y["DD"]) - e * nn
            add(ez, ez, 0 * zz, zz)
    at = (np.concatenate(rows), np.concatenate(columns))
    A = sp.csc_matrix((np.concatenate(a).astype(complex), at), (size, size))
    B = sp.csc_matrix((np.concatenate(b).astype(complex), at), (size, size))
    free_x, free_y, free_z = np.ones((nx * p, high)), np.ones((wide, ny * p)), np.ones((wide, high))
    free_x[:, -1] = free_z[:, -1] = 0
    if side == "pec":
        free_y[-1, :] = free_z[-1, :] = 0
    if walls[0] == "pec":
        free_y[0, :] = free_z[0, :] = 0
    if walls[1] == "pec":
        free_x[:, 0] = free_z[:, 0] = 0
    keep = np.flatnonzero(np.concatenate((free_x.ravel(), free_y.ravel(), free_z.ravel())))
    return A[keep][:, keep], B[keep][:, keep]


def modes(A, B, k, target, count):
    """beta / k of the modes nearest to the index target."""
    shift = -(target * k) ** 2
    factors = sla.splu((A - shift * B).tocsc())
    inverse = sla.LinearOperator(A.shape, lambda x: factors.solve(B @ x), dtype=complex)
    values = sla.eigs(inverse, count, v0=np.ones(A.shape[0], complex), return_eigenvectors=False)
    return np.sqrt(-(shift + 1 / values) + 0j) / k


def towards(corner, far, cells, factor=0.15):
    """Nodes from 0 to far, from both sides closer and closer towards `corner`."""
    shrinking = corner * factor ** np.arange(0.0, cells + 1)
    steps = [2 * corner]
    while steps[-1] < far:
        steps.append(steps[-1] + 1.6 * (steps[-1] - corner))
    steps[-1] = far
    return np.unique(np.concatenate((corner - shrinking, [corner], corner + shrinking, steps)))


def stripe(width, height, inside, around, wavelength, far, target, p=4, cells=4, walls=("pmc", "pmc")):
    """The index of the mode nearest to `target` of a stripe of permittivity `inside`; lengths in one unit. far: where
    the outer walls are."""
    k = 2 * np.pi / wavelength
    xs, ys = towards(width / 2, far, cells), towards(height / 2, far, cells)
    eps = np.where(((xs[1:] + xs[:-1])[:, None] < width) & ((ys[1:] + ys[:-1])[None, :] < height), inside, around)
    A, B = assemble(xs, ys, eps, p, k, walls)
    return modes(A, B, k, target, 1)[0]


def film(height, inside, around, wavelength, target):
    """The index of a film's wave whose E along the film is even across it: of a / (inside tanh(a t / 2)) =
    -b / around, a^2 = beta^2 - k^2 inside, b^2 = beta^2 - k^2 around, by Newton's method."""
    k = 2 * np.pi / wavelength

    def rest(n):
        a, b = np.sqrt(n * n - inside + 0j), np.sqrt(n * n - around + 0j)
        return a / (inside * np.tanh(a * k * height / 2)) + b / around

    n, step = complex(target), 1e-6
    for _ in range(60):
        n -= rest(n) * 2 * step / (rest(n + step) - rest(n - step))
    return n


def main():
    gold, glass, silicon, silica = (0.52 + 10.74j) ** 2, 1.444**2, 3.4757**2, 1.444**2
    for p, cells, far in ((3, 3, 3000), (4, 4, 800), (4, 4, 3000), (5, 4, 3000)):
        n = stripe(100, 40, gold, glass, 1550, far, 1.8, p, cells)
        print(f"gold stripe 100 x 40 nm, p {p}, {cells} cells, walls at {far} nm: {n:.7f}", flush=True)
    for name, walls, target in (("TE0", ("pec", "pmc"), 2.4), ("TM0", ("pmc", "pec"), 1.8)):
        for p in (4, 5):
            n = stripe(450, 220, silicon, silica, 1550, 1500, target, p, 4, walls)
            print(f"silicon wire 450 x 220 nm, {name}, p {p}: {n.real:.7f}", flush=True)
    exact = film(40, gold, glass, 1550, 1.5)
    xs, ys = np.array([0.0, 100.0]), towards(20, 20000, 4)     # PMC beside the film, a stripe without sides
    eps = np.where((ys[1:] + ys[:-1])[None, :] < 40, gold, glass)
    A, B = assemble(xs, ys, eps, 4, 2 * np.pi / 1550, ("pmc", "pmc"), side="pmc")
    print(f"gold film 40 nm: {modes(A, B, 2 * np.pi / 1550, exact.real, 1)[0]:.7f}, exact {exact:.7f}")


if __name__ == "__main__":
    main()
