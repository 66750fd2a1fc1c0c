"""Energies of fields by monitors of type energy_density against theory.

    energy.py write KIND [FOLDER]     KIND.cfg; at the strongest resonance of a run
    energy.py cavity KIND ERROR       of a mode of a closed box E and H have the same energy, or with losses the power
                                      that media take is w / Q times all of it
    energy.py wave KIND ERROR         of a wave in a homogeneous medium: flux over energy is the velocity of energy,
                                      c n / (n^2 + 2 n k w / gamma) of a single pole (Loudon), c / n of a dielectric
    energy.py same A B ERROR          two runs have the same energies of E: Debye's pole and an overdamped oscillator"""

import math
import sys

import h5py
import numpy

C0, EV = 299792458.0, 1.602176634e-19 / 1.054571817e-34

MEDIA = {
    "glass": "permittivity = 4.0; permeability = 1.5;",
    "drude": 'permittivity = 3.0; poles = ( { type = "drude"; plasma_eV = 7.0; gamma_eV = 0.05; } );',
    "lorentz": 'permittivity = [2.0, 1.5, 2.5]; poles = ( { type = "lorentz"; delta_eps = [1.0, 2.0, 1.5]; '
               'omega_eV = 9.0; gamma_eV = 0.05; } );',
    "crystal": "permittivity_tensor = [2.5, 3.0, 3.5, 0.3, -0.2, 0.4];",
    "metal": 'poles = ( { type = "drude"; plasma_eV = 3.0; gamma_eV = 0.2; } );',
    "atoms": 'poles = ( { type = "lorentz"; delta_eps = 1.5; omega_eV = 2.3; gamma_eV = 0.25; } );',
    "gold": 'permittivity = 2.0; poles = ( { type = "drude"; plasma_eV = 20.0; gamma_eV = 0.05; } );',
    "gain": 'permittivity = 2.0; poles = ( { type = "lorentz"; delta_eps = -0.01; omega_eV = 2.3; '
            "gamma_eV = 0.25; } );",
    "water": 'permittivity = 1.8; poles = ( { type = "debye"; delta_eps = 2.0; tau_fs = 0.2; } );',
    "heavy": 'permittivity = 1.8; poles = ( { type = "lorentz"; delta_eps = 2.0; omega_eV = 60.0; '
             f"gamma_eV = {60.0**2 * 0.2e-15 * EV:.12g}; }} );"}  # w0^2 / gamma = 1 / tau
WAVES = {"dielectric": "glass", "metal": "metal", "atoms": "atoms", "water": "water", "heavy": "heavy"}


def media(name):
    return f'media = ( {{ name = "{name}"; {MEDIA[name]} }} );\n' if name in MEDIA else ""


def cavity(medium, averaging="subpixel", order=2, symmetry="", flat=False):
    """A box between perfect conductors with a sphere of the medium; flux of the window after the source."""
    size, place, centre = "[140.0, 120.0, 160.0]", "[25.0, 5.0, 30.0]", "[3.0, 2.0, -4.0]"
    lo, hi, shape = "[-70.0, -60.0, -80.0]", "[70.0, 60.0, 80.0]", "sphere"
    source = 'type = "electric_dipole"; axis = "y"; '
    if symmetry:
        place, centre = ("[0.0, 5.0, 30.0]", "[0.0, 2.0, -4.0]") if "y" not in symmetry else (
            "[0.0, 0.0, 70.0]", "[0.0, 0.0, -11.0]")
    if flat:
        size, place, centre, lo, hi = (text.replace(", 160.0", "").replace(", 30.0", "").replace(", -4.0", "").replace(
            ", -80.0", "").replace(", 80.0", "") for text in (size, "[-48.0, -33.0, 30.0]", centre, lo, hi))
        shape, source = "circle", 'type = "line_dipole"; axis = "y"; '
    polarisation = 'polarisation = "TE"; ' if flat else ""
    return (f'format_version = 3; {symmetry} grid = {{ size = {size}; cell = 10.0; precision = "fp64"; '
            f'order = {order}; averaging = "{averaging}"; courant = {0.4 if order == 4 else 0.7}; {polarisation}}};\n'
            'boundaries = { default = "pec"; };\n' + media(medium)
            + f'objects = ( {{ type = "{shape}"; medium = "{medium}"; center = {centre}; radius = 42.0; }} );\n'
            f'sources = ( {{ {source}position = {place}; time = {{ type = "pulse"; wavelength = 220.0; '
            f'band = 44.0; }}; }} );\nmonitors = ( {{ type = "resonances"; name = "ring"; position = {place}; '
            'band = { from = 170.0; to = 330.0; }; }'
            + "".join(f', {{ type = "{kind}"; name = "{name}"; box = {{ lo = {lo}; hi = {hi}; }}; '
                      f'wavelengths = [WAVELENGTH]; window = {{ from_fs = 60.0; to_fs = 60.1; rise_fs = 12.0; }}; }}'
                      for kind, name in (("energy_density", "box"), ("absorption", "loss")))
            + " );\nrun = { time_fs = 120.0; tolerance = 1e9; }; schedule = { threads = 1; };\n")


def wave(kind, cell):
    """Light that enters a half space; of a dielectric the background."""
    medium = WAVES[kind]
    scene = f'background = "{medium}";' if kind == "dielectric" else (
        f'objects = ( {{ type = "layer"; axis = "z"; medium = "{medium}"; lo = 0.0; }} );')
    wavelengths = "[500.0, 600.0, 700.0]"
    return (f'format_version = 3; grid = {{ size = [{cell}, {cell}, 2400.0]; cell = {cell}; precision = "fp64"; }};\n'
            'boundaries = { default = "pec"; y_lo = "pmc"; y_hi = "pmc"; z_lo = "cpml"; z_hi = "cpml"; };\n'
            + media(medium) + scene + f"""
sources = ( {{ type = "plane_wave"; direction = "+z"; polarisation = "x";
  box = {{ lo = [{-cell / 2}, {-cell / 2}, -300.0]; hi = [{cell / 2}, {cell / 2}, 1200.0]; }};
  time = {{ type = "pulse"; wavelength = 580.0; band = 300.0; }}; }} );
monitors = (
  {{ type = "flux"; name = "flux"; box = {{ lo = [{-cell / 2}, {-cell / 2}, 60.0];
    hi = [{cell / 2}, {cell / 2}, 60.0]; }}; wavelengths = {wavelengths}; }},
  {{ type = "energy_density"; name = "box"; box = {{ lo = [{-cell / 2}, {-cell / 2}, 40.0];
    hi = [{cell / 2}, {cell / 2}, 80.0]; }}; wavelengths = {wavelengths}; }} );
run = {{ time_fs = 200.0; decay = 1e-9; tolerance = 1e9; }}; schedule = {{ threads = 1; }};
""")


def jobs():
    mirrors = 'symmetry = { x = "even"; y = "odd"; };'
    made = {"glass": cavity("glass"), "drude": cavity("drude"),
            "lorentz": cavity("lorentz"), "nodes": cavity("glass", "tensor"), "drude_nodes": cavity("drude", "tensor"),
            "order4": cavity("glass", order=4), "crystal": cavity("crystal"), "flat": cavity("drude", flat=True),
            "gold": cavity("gold", symmetry=mirrors), "gold_nodes": cavity("gold", "tensor", symmetry=mirrors),
            "flat_nodes": cavity("glass", "tensor", flat=True), "gain": cavity("gain")}
    for kind in WAVES:
        made.update({kind: wave(kind, 5.0), kind + "_fine": wave(kind, 2.5)})
    return made


def of(folder, monitor, name):
    with h5py.File(f"{folder}/results.h5") as file:
        return file[f"monitors/{monitor}/{name}"][()]


def strongest(folder):
    """Wavelength in nm and Q of the strongest resonance of a run."""
    ring = {name: of(folder, "ring", name) for name in ("wavelength", "Q", "weight")}
    i = int(numpy.argmax(ring["weight"]))
    return ring["wavelength"][i] * 1e9, ring["Q"][i]


def compare_cavity(kind, limit):
    """Of a mode without loss E and H have the same energy; of one with loss the power is w / Q times the energy."""
    with h5py.File(f"{kind}/results.h5") as file:
        box, lost = file["monitors/box"], file["monitors/loss"]
        names = sorted(name for name in box if "energy_J" in name)
        e, h = (box[name][()][0] for name in names)
        power = next(lost[name][()][0] for name in lost if name.startswith("power_J"))
        volume = numpy.prod([numpy.diff(box[axis][()]).mean() for axis in "xyz" if axis in box])
        sums = [box[name][()].sum() * volume for name in ("electric_energy_density", "magnetic_energy_density")]
        dt = file.attrs["time_step_s"]
    wavelength, q = strongest(kind)
    w = 2 * math.pi * C0 / (wavelength * 1e-9)  # of the grid: with Im W = cos(w dt / 2) Im w
    off = e / h - 1 if q > 1e5 else power * q / (w * math.cos(0.5 * w * dt) * (e + h)) - 1
    whole = max(abs(sums[0] / e - 1), abs(sums[1] / h - 1))
    what = "E over H" if q > 1e5 else f"E over H {e / h:.3f}; power Q / w over energy"
    print(f"{kind}: {wavelength:.3f} nm, Q {q:.4g}; {what} less 1: {off:+.1e}; sums of the maps {whole:.0e}")
    return 0 if abs(off) < limit and whole < 1e-12 and e > 0 else 1


def velocity(kind, w):
    """Of energy over c, and the index."""
    if kind == "dielectric":
        return numpy.full(w.shape, 1 / math.sqrt(4.0 * 1.5))
    rate, eps = {"metal": (0.2, lambda e: 1 - 9.0 / (e * e + 0.2j * e)),
                 "atoms": (0.25, lambda e: 1 + 1.5 * 2.3**2 / (2.3**2 - e * e - 0.25j * e))}[kind]
    index = numpy.sqrt(eps(w / EV))
    return 1 / (index.real + 2 * index.imag * w / (rate * EV))


def compare_wave(kind, limit):
    """At the middle of the box, where the flux is taken; the error is of second order in the cells."""
    off = []
    for folder in (kind, kind + "_fine"):
        w = 2 * math.pi * C0 / of(folder, "box", "wavelength")
        maps = [of(folder, "box", name)[:, :, 0, 0] for name in ("electric_energy_density", "magnetic_energy_density")]
        z, cell = of(folder, "box", "z"), float(numpy.diff(of(folder, "box", "z")).mean())
        logs = numpy.log(maps[0] + maps[1])
        middle = numpy.exp([numpy.polyval(numpy.polyfit(z - z.mean(), row, 2), 60e-9 - z.mean()) for row in logs])
        found = of(folder, "flux", "power_J_per_Hz") / cell**2 / middle / C0
        off.append(found / velocity(kind, w) - 1)
        print(f"{folder}: velocity over c " + ", ".join(f"{x:.5f}" for x in found) + ", off by "
              + ", ".join(f"{x:+.1e}" for x in off[-1]))
    worst = [abs(x).max() for x in off]
    return 0 if worst[1] < limit and worst[1] < 0.3 * worst[0] else 1


def compare_same(one, other, limit):
    a, b = (of(folder, "box", "electric_energy_density") for folder in (one, other))
    print(f"{one}, {other}: {abs(a / b - 1).max():.1e}")
    return 0 if abs(a / b - 1).max() < limit else 1


def main():
    what, kind = sys.argv[1:3]
    if what == "write":
        at = f"{strongest(sys.argv[3])[0]:.9g}" if len(sys.argv) > 3 else "220.0"
        with open(kind + ".cfg", "w", encoding="utf-8") as job:
            job.write(jobs()[kind].replace("WAVELENGTH", at))
        return 0
    if what == "same":
        return compare_same(kind, sys.argv[3], float(sys.argv[4]))
    return (compare_cavity if what == "cavity" else compare_wave)(kind, float(sys.argv[3]))


if __name__ == "__main__":
    sys.exit(main())
