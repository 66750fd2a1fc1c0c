#!/usr/bin/env bash
# Sources that send the fields of a file: those that a run recorded, sent again, are the same fields further on, with
# the same phase, and nothing is behind; files of other programs against the beam and the plane wave that they
# describe; all engines, ranks and restarts have the same bits; faults.
source "$TORRE_SOURCE/tests/system/lib.sh"
find_python numpy h5py
time='time = { type = "pulse"; wavelength = 1.0; band = 0.1; };'
band='wavelengths = { from = 0.925; to = 1.08; count = 24; };'

# A beam; its fields 1.5 um behind its plane and 2 um further on. The grid's waves are the same in both jobs.
line='format_version = 3; length_unit = "um"; boundaries = { default = "cpml"; };
run = { time_fs = 350.0; tolerance = 1e9; }; schedule = { threads = 1; };
grid = { polarisation = "TM"; size = [7.0, 11.0]; cell = 0.1; };'
beam="type = \"gaussian_beam\"; box = { lo = [-2.0, -5.5]; hi = [-2.0, 5.5]; }; phi_deg = 3.0; waist = 1.4; $time"
far='{ type = "field"; name = "far"; box = { lo = [1.5, -3.0]; hi = [1.5, 3.0]; }; wavelengths = [0.95, 1.0, 1.05]; }'
fluxes='{ type = "flux"; name = "ahead"; box = { lo = [1.0, -4.5]; hi = [1.0, 4.5]; }; wavelengths = [1.0]; },
  { type = "flux"; name = "behind"; box = { lo = [-1.0, -4.5]; hi = [-1.0, 4.5]; }; wavelengths = [1.0]; }'
cat >first.cfg <<END
$line
sources = ( { $beam } );
monitors = ( { type = "field"; name = "near"; box = { lo = [-0.5, -5.0]; hi = [-0.5, 5.0]; }; $band }, $far );
END
cat >again.cfg <<END
$line
sources = ( { type = "fields"; file = "first/results.h5"; group = "monitors/near"; direction = "+x";
  box = { lo = [-0.5, -5.0]; hi = [-0.5, 5.0]; }; $time } );
monitors = ( $far, $fluxes );
END
# far_error FIRST AGAIN COMPONENT: the largest difference of the far fields, each over its source's amplitude, over the
# largest.
far_error() {
  "$python" - "$@" <<'END'
import sys
import h5py
import numpy


def fields(folder):
    with h5py.File(folder + "/results.h5") as file:
        parts = [file["monitors/far/" + name][()] for name in (sys.argv[3] + "/spectrum", "amplitude")]
    fields, amplitude = (part[..., 0] + 1j * part[..., 1] for part in parts)
    return fields / amplitude.reshape([-1] + [1] * (fields.ndim - 1))


first, again = fields(sys.argv[1]), fields(sys.argv[2])
print(abs(first - again).max() / abs(first).max())
END
}
for case in TM,4 TM,2 TE,2 TE,4; do
  kind=${case%,*} order=${case#*,}
  set -- -q --overwrite --set "grid.polarisation=\"$kind\"" --set "grid.order=$order"
  "$TORRE" run first.cfg --out first "$@" >out.txt 2>&1 && "$TORRE" run again.cfg --out again "$@" >out.txt 2>&1
  check "$kind, order $order: a run's fields are sent again" $?
  near "$kind: further on they are the first run's, over their largest" \
    "$(far_error first again $([[ $kind == TM ]] && echo Ez || echo Ey))" 0 1e-4
  near "$kind: ahead, of their own power" "$(cell again/spectra.csv ahead.fraction 1000)" 1 1e-6
  near "$kind: behind" "$(cell again/spectra.csv behind.fraction 1000)" 0 1e-8
done

# The same bits: of the stepwise engine, towers, ranks, a run that was continued; in 2-D the last relaunch, TE.
bits() { # JOB EARLY TIME ARGUMENTS...: all have the same files, that is continued from EARLY fs on
  local job=$1 early=$2
  set -- -q --overwrite --set "run.time_fs=$3" "${@:4}"
  "$TORRE" run "$job" --out base "$@" >out.txt 2>&1
  "$TORRE" run "$job" --out stepwise --engine stepwise "$@" >out.txt 2>&1 && same_results base stepwise
  check "$job: the stepwise engine's bits" $?
  "$TORRE" run "$job" --out towers --engine diamond --dts 2 --th 9 "$@" >out.txt 2>&1 && same_results base towers
  check "$job: other towers' bits" $?
  mpirun --oversubscribe -n 2 "$TORRE" run "$job" --out ranks "$@" >out.txt 2>&1 && same_results base ranks
  check "$job: the bits of two ranks" $?
  "$TORRE" run "$job" --out rest "$@" --set "run.time_fs=$early" --set checkpoint.keep=true >out.txt 2>&1 &&
    "$TORRE" run "$job" --out rest "${@/--overwrite/--restart}" >out.txt 2>&1 &&
    grep -q 'checkpoint of step' rest/run.log && same_results base rest
  check "$job: the bits of a run that was continued" $?
}
bits again.cfg 60 120 "${@:3}"

# In 3-D, downwards; the plane ends where the beam has 4e-3 of its amplitude.
space='format_version = 3; length_unit = "um"; boundaries = { default = "cpml"; cpml = { cells = 8; }; };
run = { time_fs = 180.0; tolerance = 1e9; }; schedule = { threads = 1; };
grid = { size = [8.0, 7.5, 3.75]; cell = 0.125; };'
wide='time = { type = "pulse"; wavelength = 1.0; band = 0.15; };'
ends='lo = [-3.0, -2.75, 0.25]; hi = [3.0, 2.75, 0.25];'
across='lo = [-3.0, -2.75, -0.75]; hi = [3.0, 2.75, -0.75];'
cat >first.cfg <<END
$space
sources = ( { type = "gaussian_beam"; direction = "-z"; polarisation = "x"; waist = 1.1; $wide
  box = { lo = [-4.0, -3.75, 0.625]; hi = [4.0, 3.75, 0.625]; }; } );
monitors = (
  { type = "field"; name = "near"; box = { $ends }; components = ["Ex", "Ey"];
    wavelengths = { from = 0.88; to = 1.13; count = 26; }; },
  { type = "field"; name = "far"; box = { $across }; wavelengths = [0.96, 1.04]; } );
END
cat >again.cfg <<END
$space
sources = ( { type = "fields"; file = "first/results.h5"; group = "monitors/near"; direction = "-z"; $wide
  box = { $ends }; } );
monitors = (
  { type = "field"; name = "far"; box = { $across }; wavelengths = [0.96, 1.04]; },
  { type = "flux"; name = "ahead"; box = { $across }; wavelengths = [1.0]; },
  { type = "flux"; name = "behind"; box = { lo = [-3.0, -2.75, 0.5]; hi = [3.0, 2.75, 0.5]; };
    wavelengths = [1.0]; } );
END
set -- -q --overwrite
"$TORRE" run first.cfg --out first "$@" >out.txt 2>&1 && "$TORRE" run again.cfg --out space "$@" >out.txt 2>&1
check "3-D: a run's fields are sent again" $?
for comp in Ex Ez; do near "3-D: $comp further on" "$(far_error first space $comp)" 0 1.5e-3; done
near "3-D: ahead, of their own power" "$(cell space/spectra.csv ahead.fraction 1000)" -1 1e-4
near "3-D: behind" "$(cell space/spectra.csv behind.fraction 1000)" 0 1e-6
bits again.cfg 10 20 --set 'sources[0].time={type="continuous";wavelength=1.0;}'

# Files of h5py, at points of their own and with wavelengths in any order: a Gaussian, a plane wave and an oblique one
# in a periodic cell.
"$python" - <<'END'
import h5py
import numpy

wavelengths = 1e-6 * numpy.array([1.08, 0.92, 0.97, 1.03, 1.0, 0.95, 1.06])


def write(name, places, **fields):  # places: x, y, z [m]; fields [z][y][x] at all wavelengths
    with h5py.File(name, "w") as file:
        file["wavelength"] = wavelengths
        for comp, field in fields.items():
            spectrum = numpy.broadcast_to(field, (len(wavelengths),) + field.shape)
            file[comp + "/spectrum"] = numpy.stack([spectrum.real, spectrum.imag], axis=-1)
            for axis, place in zip("xyz", places):
                file[comp + "/" + axis] = place


y = 1e-6 * numpy.arange(-4.97, 4.98, 0.071)
write("gaussian.h5", [[0.0], y], Ez=numpy.exp(-(y[:, None] / 1.4e-6) ** 2))
x, y = 1e-6 * (numpy.arange(-0.8, 0.79, 0.1) + 0.03), 1e-6 * numpy.linspace(-0.8, 0.8, 9)
ex = 1 + 0.3 * numpy.exp(2j * numpy.pi * y[None, :, None] / 1.6e-6) + 0 * x
write("cell.h5", [x, y, [0.0]], Ex=ex, Ey=0.5j * ex)
END
gaussian=${beam/lo = \[-2.0, -5.5\]; hi = \[-2.0, 5.5\]/lo = [-0.5, -5.0]; hi = [-0.5, 5.0]}
cat >gaussian.cfg <<END
$line
sources = ( { type = "fields"; file = "gaussian.h5"; direction = "+x"; $time
  box = { lo = [-0.5, -5.0]; hi = [-0.5, 5.0]; }; } );
monitors = ( $far, $fluxes );
END
cat >beam.cfg <<END
$line
sources = ( { ${gaussian/3.0/0.0} } );
monitors = ( $far );
END
"$TORRE" run gaussian.cfg -q --out gaussian --set grid.order=4 && "$TORRE" run beam.cfg -q --out beam --set grid.order=4
check "a Gaussian of h5py and the same beam run" $?
near "the Gaussian is sqrt(its power) times the beam" "$("$python" - <<'END'
import h5py
import numpy

# Power of exp(-(y / w)^2) V/m in 2-D [W/m] from its plane waves: sum |E(k)|^2 k_x / k / (2 eta0), each times the factor
# of fluxes in cells of d, order 4 (docs/design/plane-sources.md, Gaussian beams).
w, d, lengths = 1.4e-6, 0.1e-6, numpy.array([0.95e-6, 1e-6, 1.05e-6])
s = numpy.linspace(-1, 1, 20001)[:, None]
k = 2 * numpy.pi / lengths
power = (w * k) ** 2 * numpy.pi * numpy.exp(-(w * k * s) ** 2 / 2) * numpy.sqrt(1 - s**2) / k
half = k * numpy.sqrt(1 - s**2) * d / 2
power *= 9 / 8 * numpy.cos(half) - 1 / 8 * numpy.cos(3 * half)
power = power.sum(axis=0) * 1e-4 / (2 * numpy.pi) / (2 * 376.730313668)


def far(folder):
    with h5py.File(folder + "/results.h5") as file:
        parts = [file["monitors/far/" + name][()] for name in ("Ez/spectrum", "amplitude")]
    fields, amplitude = (part[..., 0] + 1j * part[..., 1] for part in parts)
    return fields[:, :, 0] / amplitude[:, None]


wanted, found = numpy.sqrt(power)[:, None] * far("beam"), far("gaussian")
print(abs(found - wanted).max() / abs(wanted).max())
END
)" 0 1e-4
cat >cell.cfg <<END
format_version = 3; length_unit = "um"; run = { time_fs = 250.0; tolerance = 1e9; }; schedule = { threads = 1; };
boundaries = { default = "periodic"; z_lo = "cpml"; z_hi = "cpml"; }; grid = { size = [1.6, 1.6, 4.4]; cell = 0.1; };
sources = ( { type = "fields"; file = "cell.h5"; direction = "+z"; $time
  box = { lo = [-0.8, -0.8, -0.5]; hi = [0.8, 0.8, -0.5]; }; } );
monitors = ( { type = "field"; name = "far"; box = { lo = [-0.8, -0.8, 0.5]; hi = [0.8, 0.8, 0.5]; };
  wavelengths = [1.0]; components = ["Ex", "Ey"]; },
  { type = "flux"; name = "behind"; box = { lo = [-0.8, -0.8, -0.8]; hi = [0.8, 0.8, -0.8]; }; wavelengths = [1.0]; } );
END
"$TORRE" run cell.cfg -q --out cell
check "fields of a periodic cell run" $?
near "the plane wave, the oblique one, Ey and others" "$("$python" - <<'END'
import h5py
import numpy

with h5py.File("cell/results.h5") as file:
    far = file["monitors/far"]
    waves = {}
    for comp in ("Ex", "Ey"):
        v, a = far[comp + "/spectrum"][0, 0], far["amplitude"][0]
        waves[comp] = numpy.fft.fft2((v[:16, :16, 0] + 1j * v[:16, :16, 1]) / (a[0] + 1j * a[1])) / 256
found = [abs(waves["Ex"][0, 0]), abs(waves["Ex"][1, 0]), waves["Ey"][0, 0] / waves["Ex"][0, 0] / 0.5j]
waves["Ex"][:2, 0] = 0
print(max(abs(found[0] - 1), abs(found[1] - 0.3), abs(found[2] - 1), abs(waves["Ex"]).max()))
END
)" 0 1e-4
near "nothing behind" "$(cell cell/spectra.csv fraction 1000)" 0 1e-6

# As they are: E and H beside a dipole in a period that is too short for others than one wave to travel are the same
# further on, near fields too, and nothing is behind.
period='format_version = 3; length_unit = "um";
boundaries = { default = "cpml"; y_lo = "periodic"; y_hi = "periodic"; };
run = { time_fs = 400.0; decay = 1e-14; tolerance = 1e9; }; schedule = { threads = 1; };
grid = { polarisation = "TM"; size = [3.6, 0.6]; cell = 0.05; precision = "fp64"; };'
ahead='{ type = "field"; name = "ahead"; box = { lo = [-0.6, -0.3]; hi = [-0.5, 0.3]; };
  wavelengths = [0.95, 1.0, 1.05]; }'
cat >as_is.cfg <<END
$period
sources = ( { type = "fields"; file = "near/results.h5"; group = "monitors/near"; direction = "+x"; as_is = true;
  box = { lo = [-0.8, -0.3]; hi = [-0.8, 0.3]; }; $time } );
monitors = ( $ahead, { type = "flux"; name = "ahead_of"; box = { lo = [-0.6, -0.3]; hi = [-0.6, 0.3]; };
  wavelengths = [1.0]; }, { type = "flux"; name = "behind"; box = { lo = [-1.0, -0.3]; hi = [-1.0, 0.3]; };
  wavelengths = [1.0]; } );
END
for case in TM,2 TE,4; do
  kind=${case%,*} order=${case#*,}
  set -- -q --overwrite --set "grid.polarisation=\"$kind\"" --set "grid.order=$order"
  dipole='"line_current"' comps='"Ez", "Hy"'
  [[ $kind == TE ]] && dipole='"line_dipole"; axis = "x"' comps='"Ey", "Hz"'
  cat >dipole.cfg <<END
$period
sources = ( { type = $dipole; position = [-0.95, 0.12]; $time } );
monitors = ( { type = "field"; name = "near"; box = { lo = [-0.93, -0.3]; hi = [-0.67, 0.3]; };
  components = [$comps]; wavelengths = [0.95, 1.0, 1.05]; }, $ahead );
END
  "$TORRE" run dipole.cfg --out near "$@" >out.txt 2>&1 && "$TORRE" run as_is.cfg --out as_is "$@" >out.txt 2>&1
  check "$kind, order $order: near fields are sent as they are" $?
  near "they are the same further on, over their largest; behind over ahead" "$("$python" - <<'END'
import h5py
import numpy


def fields(folder, over):
    with h5py.File(folder + "/results.h5") as file:
        ahead = file["monitors/ahead"]
        parts = {name: ahead[name + "/spectrum"][()] for name in ahead if len(name) == 2}
        by = ahead[over][()]
    by = (by[:, 0] + 1j * by[:, 1]).reshape(-1, 1, 1)
    return {name: (part[..., 0] + 1j * part[..., 1]) / by for name, part in parts.items()}


first, again = fields("near", "moment"), fields("as_is", "amplitude")
error = max(abs(first[name] - again[name]).max() / abs(first[name]).max() for name in first)
with h5py.File("as_is/results.h5") as file:
    behind, ahead = (file[f"monitors/{name}/power_J_per_Hz_m"][0] for name in ("behind", "ahead_of"))
print(max(error, abs(behind / ahead)))
END
)" 0 1e-6
done
refuses "points that the file lacks" '[EH][yz] in monitors/near has no point at .*, need all points of the grid' \
  check as_is.cfg --set 'grid.polarisation="TE"' --set 'sources[0].box={lo=[-0.6,-0.3];hi=[-0.6,0.3];}'
refuses "a plane to one periodic wall" 'the plane ends at one periodic wall across y' check as_is.cfg \
  --set 'grid.polarisation="TE"' --set 'sources[0].box={lo=[-0.8,0.0];hi=[-0.8,0.3];}'
"$TORRE" run dipole.cfg --out near -q --overwrite --set run.time_fs=10.0 --set 'grid.polarisation="TE"' \
  --set 'monitors[0].wavelengths={from=0.95;to=1.05;count=13;}' >out.txt 2>&1
refuses "too many wavelengths" 'monitors/near has 13 wavelengths, need at most 12 with as_is' check as_is.cfg \
  --set 'grid.polarisation="TE"'

# Faults, which check finds; and those of the file's numbers.
"$python" - <<'END'
import h5py
import numpy


def change(name, group, field=None):
    """The Gaussian with another dataset."""
    with h5py.File("gaussian.h5") as of, h5py.File(name, "w") as file:
        for key in of:
            of.copy(key, file)
        for key, value in group.items():
            del file[key]
            file[key] = value


with h5py.File("gaussian.h5") as of:
    spectrum, y = of["Ez/spectrum"][()], of["Ez/y"][()]
    change("records.h5", {"Ez/spectrum": spectrum[..., 0] + 1j * spectrum[..., 1]})
    change("shape.h5", {"Ez/spectrum": spectrum[:3]})
    change("flat.h5", {"Ez/spectrum": spectrum[:, 0]})
    change("places.h5", {"Ez/y": y[:-1]})
    change("order.h5", {"Ez/y": y[::-1]})
    change("zero.h5", {"Ez/spectrum": 0 * spectrum})
    change("nan.h5", {"Ez/spectrum": numpy.nan * spectrum})
    change("apart.h5", {"Ez/spectrum": spectrum[:, ::8], "Ez/y": y[::8]})
    change("wide.h5", {"Ez/y": 3 * y})
    change("along.h5", {"Ez/spectrum": spectrum.swapaxes(1, 2), "Ez/x": y, "Ez/y": [0.0]})
    change("lines.h5", {"wavelength": -of["wavelength"][()]})
    change("some.h5", {"wavelength": 1.1 * of["wavelength"][()]})
    change("few.h5", {"wavelength": of["wavelength"][[0, 1, 4]], "Ez/spectrum": spectrum[:3] * numpy.exp(
        1j * numpy.array([0, 2, 4]))[:, None, None, None].view(float)[..., :1]})
END
echo text >text.h5
fault() { # FILE PATTERN ARGUMENTS...
  local file=$1 pattern=$2
  shift 2
  refuses "$file: $pattern" "(gaussian.cfg:[0-9]+:|--set) sources.0.*$pattern" check gaussian.cfg \
    --set "sources[0].file=\"$file\"" "$@"
}
fault none.h5 '"none.h5": there is no such file'
fault text.h5 '"text.h5": it is no HDF5 file'
fault gaussian.h5 'group: got "monitors/near", need a group of "gaussian.h5"' --set 'sources[0].group="monitors/near"'
fault gaussian.h5 'it has no dataset "/Ey/spectrum"' --set 'grid.polarisation="TE"'
fault cell.h5 'it has no dataset "/Ez/spectrum"'
fault records.h5 '"/Ez/spectrum" has records, such as complex numbers of h5py, need a dataset of numbers with four'
fault flat.h5 '"/Ez/spectrum" has 3 dimensions, need a dataset of numbers with four'
fault shape.h5 '"/Ez/spectrum" has the shape .3..141..1..2., need .7..y..x..2.'
fault places.h5 '"/Ez/y" has 140 places, need 141, as spectrum has along y'
fault order.h5 '"/Ez/y" has places that do not rise, need rising ones'
fault nan.h5 '"/Ez/spectrum": value 0 is nan, need a finite number'
fault lines.h5 '"/wavelength" is unfit, need 1 to 1000 different wavelengths above 0'
fault along.h5 'Ez in / has 141 places along x, need one: a plane across it'
fault zero.h5 '/ has no E along the plane at 1080 nm, need others than 0'
fault apart.h5 'points of Ez in / lie up to 568 nm apart along y, need at most [0-9.]+ nm'
fault wide.h5 'of .E.\^2 lies beside the source.s plane, need'
fault some.h5 'the wavelengths in / are 1012 to 1188 nm, need all of the pulse.s band, 927.907 to 1078.38 nm'
fault few.h5 'between the wavelengths'
fault gaussian.h5 'direction: got "-y", but the plane lies across x' --set 'sources[0].direction="-y"'
fault gaussian.h5 'the media change' --set 'media=({name="glass";index=1.5;})' \
  --set 'objects=({type="layer";axis="x";medium="glass";lo=-0.4;})'
fault gaussian.h5 'got "table", but a plane of fields has its profile' \
  --set 'sources[0].time={type="table";file="gaussian.cfg";}'
refuses "points beyond a period" 'Ex in / take 1500 nm along x, which is periodic, need at most a period, 1400 nm' \
  check cell.cfg --set 'grid.size=[1.4,1.6,4.4]' --set 'monitors=()'
finish
