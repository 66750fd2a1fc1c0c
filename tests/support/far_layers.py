"""A dipole's far field over a half space against the method of stationary phase, for tests/system/far_layers.sh.

    python3 far_layers.py FAR.csv INDEX KEIGHT AXIS TOTAL

INDEX of the lower half space, below z = 0 (2-D: y = 0), vacuum above; KEIGHT: wave number in vacuum times the height;
AXIS of the moment, x or z, or "line": a line current, 2-D TM. TOTAL: the power that leaves. Prints the largest
difference of the power per angle over its peak, and of its sum over all angles from TOTAL, each sum over the theory's
by the same angles.

Theory: the far amplitude in a direction is what the wave from there makes at the dipole (reciprocity): above the direct
wave and the reflected one, below the transmitted one, evanescent beyond the critical angle (L. Novotny, B. Hecht,
Principles of Nano-Optics, 10.6).
"""
import cmath
import csv
import math
import sys


def amplitudes(n, kh, along, u, t):
    """|amplitude|^2 times the wave's k eta (2-D) or k^2 eta (3-D), of a moment along its own axis; u: cos of phi and
    sin of phi; t: the angle from the upper axis."""
    if t < math.pi / 2:
        s, c = math.sin(t), math.cos(t)
        inner = cmath.sqrt(n * n - s * s)
        rs, rp = (c - inner) / (c + inner), (n * n * c - inner) / (n * n * c + inner)
        phase, factor = cmath.exp(1j * kh * c), 1.0
        to_s, to_p = 1 / phase + rs * phase, 1 / phase + (rp if along == "z" else -rp) * phase
        across, axial = c, s
    else:
        s, inner = n * math.sin(t), n * abs(math.cos(t))
        c = cmath.sqrt(1 - s * s)
        c = -c if c.imag < 0 else c
        phase, factor = cmath.exp(1j * kh * c), n
        to_s, to_p = 2 * inner / (inner + c) * phase, 2 * n * inner / (n * n * c + inner) * phase
        across, axial = c, s
    if along == "line":
        return abs(to_s) ** 2
    if along == "z":
        return factor * abs(to_p * axial) ** 2
    return factor * (abs(to_p * across * u[0]) ** 2 + abs(to_s * u[1]) ** 2)


def main():
    n, kh, along, total = float(sys.argv[2]), float(sys.argv[3]), sys.argv[4], float(sys.argv[5])
    with open(sys.argv[1], encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    found, theory, weight, flat = [], [], [], along == "line"
    for row in rows:
        phi = math.radians(float(row["phi_deg"]))
        t = math.radians(float(row["theta_deg"])) if not flat else abs(math.remainder(phi - math.pi / 2, 2 * math.pi))
        if abs(t - math.pi / 2) < 1e-9:
            continue
        found.append(float(row["power_J_per_Hz_m_rad" if flat else "power_J_per_Hz_sr"]))
        theory.append(amplitudes(n, kh, along, (math.cos(phi), math.sin(phi)), t))
        weight.append(1.0 if flat else math.sin(t))
    scale = sum(f * t for f, t in zip(found, theory)) / sum(t * t for t in theory)
    worst = max(abs(f / scale - t) for f, t in zip(found, theory)) / max(theory)
    fine = [math.pi * (i + 0.5) / 20000 for i in range(20000)]
    mean = [sum(amplitudes(n, kh, along, u, t) for u in ((1, 0), (0, 1))) / 2 for t in fine]
    exact = sum(m * (1 if flat else math.sin(t)) for m, t in zip(mean, fine)) * math.pi / len(fine)
    exact *= 2 if flat else 2 * math.pi
    by_angles = sum(t * w for t, w in zip(theory, weight)) / sum(weight) * (2 * math.pi if flat else 4 * math.pi)
    measured = sum(f * w for f, w in zip(found, weight)) / sum(weight) * (2 * math.pi if flat else 4 * math.pi)
    print(f"{worst:.2e} {abs(measured / total * exact / by_angles - 1):.2e}")


if __name__ == "__main__":
    main()
