#!/usr/bin/env python3
"""What dipoles in a stack of layers give off, by Sommerfeld's integrals, and what a stack reflects, transmits and
absorbs in each layer, by transfer matrices: the figures of theory in docs/user/gallery.md.

    python3 tests/stress/gallery/layers.py            # of jobs oled, hyperbolic-stack and solar-cell

Layers are (permittivity, thickness in nm), from the dipole or from the light on; the last one has no end. Time goes as
exp(-i w t). Formulas: Chance, Prock and Silbey, Adv. Chem. Phys. 37, 1 (1978); Neyts, J. Opt. Soc. Am. A 15, 962
(1998). Needs numpy.
"""
import numpy as np

EV = 1239.841984  # nm


def drude(nm, eps, plasma, gamma):
    e = EV / nm
    return eps - plasma**2 / (e * (e + 1j * gamma))


def root(value):
    """The root that decays: its imaginary part is not negative."""
    k = np.sqrt(value + 0j)
    return np.where(k.imag < 0, -k, k)


def reflection(eps, layers, k, across2, is_p):
    """Of waves of wave number k in vacuum and a square across2 along the layers, at the first layer's front."""
    inside = root(eps * k**2 - across2)
    kz = [root(e * k**2 - across2) for e, _ in layers]
    chain, r = [(eps, inside)] + [(e, q) for (e, _), q in zip(layers, kz)], 0
    for i in range(len(layers) - 1, -1, -1):
        (a, ka), (b, kb) = chain[i], chain[i + 1]
        step = (b * ka - a * kb) / (b * ka + a * kb) if is_p else (ka - kb) / (ka + kb)
        if i < len(layers) - 1:
            r = r * np.exp(2j * kb * layers[i][1])
        r = (step + r) / (1 + step * r)
    return r


def rates(nm, index, above, up, below, down):
    """Power of a dipole at `up` below the layers `above` and `down` over `below`, over that in the medium of `index`
    alone: along z, across; and the parts that leave upwards, of layers without losses."""
    k1 = 2 * np.pi / nm * index

    def terms(u):
        side = root(1 - u**2)
        a = {}
        for name, layers, h in (("up", above, up), ("down", below, down)):
            for is_p in (0, 1):
                r = reflection(index**2, layers, 2 * np.pi / nm, (u * k1)**2, is_p) if layers else 0 * u
                a[name, is_p] = r, r * np.exp(2j * k1 * side * h)
        return side, a

    nodes, weights = np.polynomial.legendre.leggauss(16)
    t = ((np.arange(250)[:, None] + 0.5 * (nodes + 1)) / 250).ravel()
    w = np.tile(0.5 * weights / 250, 250)
    turn, total = 4.0, np.zeros(2)  # below the poles, then along the axis as far as waves of the near field matter
    far = max(turn + 1, 30 / (k1 * min(h for h, l in ((up, above), (down, below)) if l)))
    for u, du in ((0.5 * turn * (1 - np.cos(np.pi * t)) - 0.3j * np.sin(np.pi * t),
                   (0.5 * turn * np.pi * np.sin(np.pi * t) - 0.3j * np.pi * np.cos(np.pi * t)) * w),
                  (turn + (far - turn) * t + 0j, (far - turn) * w)):
        side, a = terms(u)
        (s1, s2), (p1, p2) = ((a["up", i][1], a["down", i][1]) for i in (0, 1))
        along = 1.5 * u**3 / side * (1 + p1) * (1 + p2) / (1 - p1 * p2)
        across = 0.75 * u / side * ((1 + s1) * (1 + s2) / (1 - s1 * s2)
                                    + side**2 * (1 - p1) * (1 - p2) / (1 - p1 * p2))
        total += [(along * du).sum().real, (across * du).sum().real]
    angle = 0.5 * np.pi * t  # u = sin
    u, du = np.sin(angle) + 0j, 0.5 * np.pi * np.cos(angle) * w
    side, a = terms(u)
    (s1, s2), (p1, p2) = ((a["up", i][1], a["down", i][1]) for i in (0, 1))
    left = [1 - abs(a["up", i][0])**2 for i in (0, 1)]
    along = 0.75 * u**3 / side * abs(1 + p2)**2 * left[1] / abs(1 - p1 * p2)**2
    across = 0.375 * u / side * (abs(1 + s2)**2 * left[0] / abs(1 - s1 * s2)**2
                                 + side**2 * abs(1 - p2)**2 * left[1] / abs(1 - p1 * p2)**2)
    return total, np.array([(along * du).sum().real, (across * du).sum().real])


def stack(nm, index, layers):
    """Reflectance, transmittance and the absorptance of each layer but the last, light along the normal."""
    k = 2 * np.pi / nm
    n = [index] + [root(e) for e, _ in layers]
    fields = np.array([[1.0], [0.0]]) + 0j  # forward and backward in the last one
    flows, here = [], fields
    for i in range(len(layers) - 1, -1, -1):
        a, b = n[i], n[i + 1]
        flows.append(((b * (here[0] - here[1])).conj() * (here[0] + here[1])).real[0])
        here = 0.5 * np.array([[1 + b / a, 1 - b / a], [1 - b / a, 1 + b / a]]) @ here
        if i:
            turn = np.exp(-1j * a * k * layers[i - 1][1])
            here = np.array([[turn * here[0][0]], [here[1][0] / turn]])
    unit = abs(here[0][0])**2 * n[0]
    flows = [f / unit for f in flows[::-1]]  # at the fronts
    return abs(here[1][0] / here[0][0])**2, flows[-1], [a - b for a, b in zip(flows, flows[1:])]


def silicon(nm):
    """As `torre materials Si` has it."""
    e = EV / nm
    return 2.93063 + sum(d * w * w / (w * w - e * e - 1j * g * e)
                         for d, w, g in ((1.84838, 3.39882, 0.223647), (6.95072, 3.9126, 0.0)))


def main():
    print("solar-cell | nm | reflected | in silicon | in the mirror")
    for nm in (450, 500, 600, 700, 800):
        r, t, inside = stack(nm, 1.0, [(4.0, 70.0), (silicon(nm), 500.0), (drude(nm, 4, 9.0, 0.07), 0)])
        print("%d | %.5f | %.5f | %.5f" % (nm, r, inside[1], t))
    print("hyperbolic-stack | nm | upright | along")
    for nm in range(400, 701, 100):
        pair = [(drude(nm, 4, 9.0, 0.2), 20.0), (1.45**2, 20.0)]
        total = rates(nm, 1.0, [], 1e9, 2 * pair + [pair[0], (1.45**2, 0)], 50.0)[0]
        print("%d | %.5f | %.5f" % (nm, *total))
    print("oled | nm | upright | along | outside: upright | along")
    for nm in range(450, 651, 50):
        total, out = rates(nm, 1.75, [(1.9**2, 120.0), (1, 0)], 50.0, [(drude(nm, 1, 15.5, 0.6), 0)], 50.0)
        print("%d | %.5f | %.5f | %.5f | %.5f" % (nm, *total, *out))
    for lo, hi in ((-290.0, -250.0), (-310.0, -250.0)):
        ensemble(lo, hi)


def ensemble(lo, hi):
    """Molecules of the OLED between two heights, in all directions: exact means, and errors of so many places."""
    def at(nm, z):
        total, out = rates(nm, 1.75, [(1.9**2, 120.0), (1, 0)], -230 - z, [(drude(nm, 1, 15.5, 0.6), 0)], z + 330)
        return (total[0] + 2 * total[1]) / 3, (out[0] + 2 * out[1]) / 3

    def mean(curves, x, axis=-1):
        rate, outside = (curve(x).mean(axis) for curve in curves)
        return np.array([rate, outside / rate])

    print(f"oled, all directions, z = {lo:g} to {hi:g} nm | nm | rate | part outside")
    nodes, weights = np.polynomial.legendre.leggauss(12)
    random, worst = np.random.default_rng(1), {}
    for nm in range(450, 651, 50):
        x = np.polynomial.chebyshev.chebpts1(14)
        values = np.array([at(nm, 0.5 * (lo + hi) + 0.5 * (hi - lo) * s) for s in x])
        curves = [np.polynomial.Chebyshev.fit(x, values[:, i], 13, domain=[-1, 1]) for i in (0, 1)]
        rate, outside = (curve(nodes) @ weights / 2 for curve in curves)
        print("%d | %.5f | %.5f" % (nm, rate, outside / rate))
        for n in (1, 2, 4, 8, 16):
            middle = mean(curves, (np.arange(n) + 0.5) / n * 2 - 1).T - (rate, outside / rate)
            among = mean(curves, (np.arange(n) + random.random((400, n))) / n * 2 - 1).T - (rate, outside / rate)
            found = [*abs(middle), *np.sqrt((among**2).mean(0))]
            worst[n] = np.maximum(worst.get(n, 0), found)
    print("places | middle: rate | part outside | random, rms: rate | part outside (largest of all wavelengths)")
    for n, found in worst.items():
        print("%d | %.5f | %.5f | %.5f | %.5f" % (n, *found))


if __name__ == "__main__":
    main()
