"""Media that depend on the field, against theory, from the probe "behind" of a slab under a wave along z.

    nonlinear.py simple LINEAR SECOND CHI2 THICKNESS_NM WAVELENGTH_NM
    nonlinear.py mismatch LINEAR SECOND CHI2 THICKNESS_NM WAVELENGTH_NM INDEX CELL_NM
    nonlinear.py residual LINEAR ONE TWO WAVELENGTH_NM
    nonlinear.py depleted SECOND CHI2 THICKNESS_NM WAVELENGTH_NM AMPLITUDE
    nonlinear.py amplifier FOLDER AMPLITUDE DELTA_EPS OMEGA_EV GAMMA_EV SATURATION THICKNESS_NM
    nonlinear.py laser FOLDER SATURATION ABOVE

LINEAR: a run without chi2 [m/V]; SECOND: the same with it.

simple: E along x, P = eps0 chi2 E E, index 1 in vacuum: all harmonics keep their phase, and the wave steepens until
there is a shock. Prints the relative errors of Ex behind the slab at the second harmonic, of its amplitude and with its
phase, and how much of the pump's amplitude is left. Theory, exact but for waves that return: each value of E travels at
c / sqrt(1 + 2 chi2 E), and E + H and H - E are continuous at the faces, H = ((1 + 2 chi2 E)^1.5 - 1) / (3 chi2) in
impedances of vacuum of what travels forward (G. B. Whitham, Linear and Nonlinear Waves, chapter 2).
mismatch: the pump along x in index 1, the harmonic along y in INDEX. Prints the relative error of its amplitude against
that of a pump that is not used up, chi2 W L / (c (1 + INDEX)) F[Ex Ex](W) sin(a) / a, a = (k2 - 2 k1) L / 2, W = 2 w
(R. W. Boyd, Nonlinear Optics, 2.2), and sin(a) / a; k is that of the grid.
residual: Prints the second harmonic along x of TWO over that of ONE, both without that of LINEAR.
depleted: the same axes in phase, in a continuous wave of AMPLITUDE. Prints the powers of the harmonic and of the pump
over that of the wave, their sum with the third harmonic's, and the harmonic's amplitude over
tanh(w chi2 AMPLITUDE L / (2 c)), less 1 (2.7 there).
amplifier: a slab of permittivity 1 with a saturable pole, a continuous wave at the resonance. Prints the amplitude
behind it over the incident one, and the relative error of that against ln(I / I0) + I - I0 = g L, I in units of
SATURATION^2, g = -2 (w / c) Im sqrt(1 + i DELTA_EPS w0 / gamma) (A. E. Siegman, Lasers, 7.7).
laser: from the probe "middle" of a cavity of half a wavelength between perfect conductors, full of a medium whose gain
is ABOVE times its loss. Prints the amplitude at the end and its relative error against that at which the gain,
saturated by the standing wave, is the loss: (1 - 1 / sqrt(1 + x)) / x = 1 / (2 ABOVE), x = (E / SATURATION)^2 (the mean
of sin^2 / (1 + x sin^2)).
"""
import cmath
import csv
import math
import sys

LIGHT = 299.792458  # nm / fs


def series(folder, component="Ex"):
    with open(folder + "/behind.csv", encoding="utf-8") as f:
        return list(zip(*((float(row["time_fs"]), float(row[component + "_V_per_m"])) for row in csv.DictReader(f))))


def transform(time, value, w):
    """The integral of value exp(i w t), at any times."""
    term = [v * cmath.exp(1j * w * t) for t, v in zip(time, value)]
    return sum(0.5 * (term[i] + term[i + 1]) * (time[i + 1] - time[i]) for i in range(len(time) - 1))


def inverse(function, value, start):
    e = start
    for _ in range(100):
        step = (function(e) - value) / (function(e + 1) - function(e))
        e -= step
        if abs(step) < 1e-6:
            return e
    sys.exit("no solution")


def simple(linear, second, chi2, thickness, wavelength):
    def h(e):
        return ((1 + 2 * chi2 * e) ** 1.5 - 1) / (3 * chi2)

    time, value = [], []
    before, behind = series(linear), series(second)
    for t, e in zip(*before):
        inside = inverse(lambda x: x + h(x), 2 * e, e)
        time.append(t + thickness / LIGHT * (math.sqrt(1 + 2 * chi2 * inside) - 1))
        value.append(inverse(lambda x: x + h(x), 2 * h(inside), inside))
    if any(b <= a for a, b in zip(time, time[1:])):
        sys.exit("a shock")
    w = 2 * math.pi * LIGHT / wavelength
    theory, got = transform(time, value, 2 * w), transform(*behind, 2 * w)
    left = abs(transform(*behind, w) / transform(*before, w))
    print(f"{abs(got / theory) - 1:.3e} {abs(got / theory - 1):.3e} {left:.4f}")


def mismatch(linear, second, chi2, thickness, wavelength, index, cell):
    time, pump = series(linear)
    step, w = time[1] - time[0], 4 * math.pi * LIGHT / wavelength

    def k(n, frequency):
        return 2 / cell * math.asin(cell * n / (LIGHT * step) * math.sin(frequency * step / 2))

    a = (k(index, w) - 2 * k(1, w / 2)) * thickness / 2
    squared = abs(transform(time, [e * e for e in pump], w))
    theory = chi2 * w * thickness / (LIGHT * (1 + index)) * squared * abs(math.sin(a) / a)
    print(f"{abs(transform(*series(second, 'Ey'), w)) / theory - 1:.3e} {math.sin(a) / a:.3f}")


def residual(linear, one, two, wavelength):
    w, (time, before) = 4 * math.pi * LIGHT / wavelength, series(linear)
    of = [abs(transform(time, [b - a for a, b in zip(before, series(x)[1])], w)) for x in (one, two)]
    print(f"{of[1] / of[0]:.3e}")


def depleted(second, chi2, thickness, wavelength, amplitude):
    period = wavelength / LIGHT

    def power(component, harmonic):
        time, value = series(second, component)
        first = next(i for i, t in enumerate(time) if t >= time[-1] - 10 * period)
        count, total, weights = len(time) - first, 0, 0
        for i in range(count):  # Hann's window
            weight = 1 - math.cos(2 * math.pi * i / (count - 1))
            total += weight * value[first + i] * cmath.exp(2j * math.pi * harmonic / period * time[first + i])
            weights += weight
        return (2 * abs(total) / weights / amplitude) ** 2

    harmonic, pump = power("Ey", 2), power("Ex", 1)
    theory = math.tanh(math.pi * chi2 * amplitude * thickness / wavelength)
    print(f"{harmonic:.4f} {pump:.4f} {harmonic + pump + power('Ex', 3):.4f} {math.sqrt(harmonic) / theory - 1:.3e}")


def amplifier(folder, amplitude, delta, omega, gamma, saturation, thickness):
    wavelength = 1239.841984 / omega
    time, value = series(folder)
    first = next(i for i, t in enumerate(time) if t >= time[-1] - 20 * wavelength / LIGHT)
    weight = [1 - math.cos(2 * math.pi * i / (len(time) - first - 1)) for i in range(len(time) - first)]
    turn = [cmath.exp(2j * math.pi * LIGHT / wavelength * t) for t in time[first:]]
    total = sum(w * v * e for w, v, e in zip(weight, value[first:], turn))
    behind = 2 * abs(total) / sum(weight) / amplitude
    gain = -4 * math.pi / wavelength * cmath.sqrt(1 + 1j * delta * omega / gamma).imag * thickness
    start = (amplitude / saturation)**2
    low, high = min(0, gain), max(0, gain)
    for _ in range(200):  # of ln(I / I0)
        middle = 0.5 * (low + high)
        low, high = (middle, high) if middle + start * (math.exp(middle) - 1) < gain else (low, middle)
    print(f"{behind:.4f} {behind / math.exp(0.5 * low) - 1:.3e}")


def laser(folder, saturation, above):
    with open(folder + "/middle.csv", encoding="utf-8") as f:
        value = [abs(float(row["Ex_V_per_m"])) for row in csv.DictReader(f)]
    low, high = 1e-9, 1e6
    for _ in range(200):
        x = 0.5 * (low + high)
        low, high = (x, high) if (1 - 1 / math.sqrt(1 + x)) / x > 0.5 / above else (low, x)
    most = max(value[-len(value) // 10:])
    print(f"{most:.4e} {most / saturation / math.sqrt(low) - 1:.3e}")


def main(command, *rest):
    folders = [x for x in rest if x[0] not in "-.0123456789"]
    numbers = [float(x) for x in rest if x[0] in "-.0123456789"]
    {"simple": simple, "mismatch": mismatch, "residual": residual, "depleted": depleted, "amplifier": amplifier,
     "laser": laser}[command](*folders, *numbers)


main(*sys.argv[1:])
