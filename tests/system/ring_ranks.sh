#!/usr/bin/env bash
# Ranks along a periodic y share the ring of towers: the files of one process, restarts on other grids of ranks, and
# what does not fit. And what a snapshot must not change.
source "$TORRE_SOURCE/tests/system/lib.sh"

# job ORDER WALLS AVERAGING MORE: a pillar and a metal sphere across the seam; monitors there.
job() {
  cat <<END
format_version = 3;
length_unit = "nm";
grid = { size = [300.0, 720.0, 100.0]; cell = 10.0; order = $1; averaging = "$3"; };
boundaries = { default = "$2"; x_lo = "cpml"; x_hi = "cpml"; ${4-} };
media = ( { name = "glass"; permittivity = 2.25; }, { name = "metal"; permittivity = 2.0;
  poles = ( { type = "drude"; plasma_eV = 8.0; gamma_eV = 0.1; } ); } );
objects = ( { type = "cylinder"; medium = "glass"; axis = "z"; radius = 47.0; height = 60.0;
    center = [10.0, 350.0, 0.0]; },
  { type = "sphere"; medium = "metal"; radius = 23.0; center = [-40.0, -343.0, 8.0]; } );
sources = ( { type = "electric_dipole"; position = [30.0, 340.0, 0.0]; axis = "y";
  time = { type = "pulse"; wavelength = 400.0; band = 300.0; }; } );
monitors = ( { type = "snapshot"; name = "all"; components = ["Ex", "Ey", "Ez", "Hx", "Hy", "Hz"]; every_fs = 0.4; },
  { type = "field"; name = "seam"; box = { lo = [-80.0, 300.0, -50.0]; hi = [80.0, 360.0, 50.0]; };
    wavelengths = [350.0, 450.0]; },
  { type = "flux"; name = "flux"; box = { lo = [45.0, -360.0, -50.0]; hi = [45.0, 360.0, 50.0]; };
    wavelengths = [350.0, 450.0]; },
  { type = "probe"; name = "probe"; position = [0.0, 355.0, 10.0]; },
  { type = "slice"; name = "slice"; axis = "z"; position = 5.0; times_fs = [0.8, 1.8]; component = "Ey"; } );
run = { time_fs = 2.0; tolerance = 1e9; };
END
}

# A fetch of the fields closes seams: with and without it the next steps are the same.
job 4 periodic subpixel >often.cfg
sed 's/every_fs = 0.4/times_fs = [1.6]/' often.cfg >seldom.cfg
"$TORRE" run -q often.cfg --out often --threads 1 >out.txt 2>&1 && "$TORRE" run -q seldom.cfg --out seldom --threads 1 \
  >>out.txt 2>&1
check "snapshots, many and one: run" $?
last=$(cd seldom/snapshots/all && ls ./*.h5)
find_python numpy h5py
"$python" - "often/snapshots/all/$last" "seldom/snapshots/all/$last" >out.txt 2>&1 <<'END'
import sys
import h5py
import numpy
one, other = (h5py.File(name) for name in sys.argv[1:])
found = []
one.visititems(lambda name, item: found.append(name) if isinstance(item, h5py.Dataset) and item.ndim == 3 else None)
differ = [name for name in found if not numpy.array_equal(one[name][()], other[name][()])]
sys.exit(f"{differ} of {found} differ" if differ or len(found) < 6 else 0)
END
check "snapshots change no later field, in order 4 between periodic walls along y and z" $?

if ! "$TORRE" --version | grep -q 'MPI' || ! command -v mpirun >mpirun.txt; then
  finish
  exit
fi
on() { # GRID ARGUMENTS...
  local n=$((${1%x*} * ${1#*x}))
  timeout 600 mpirun --oversubscribe -n "$n" "$TORRE" run -q "${@:2}" --ranks "$1" --threads 1 >out.txt 2>&1 </dev/null
}

job 2 bloch tensor 'phase_deg = [0.0, 70.0, 25.0];' >bloch.cfg
job 4 periodic subpixel >plain.cfg
for name in bloch plain; do
  "$TORRE" run -q $name.cfg --out $name --threads 1 >out.txt 2>&1
  check "$name: one process runs" $?
  for grid in 1x2 1x3 2x2; do
    on $grid $name.cfg --th 3 --out $name-$grid && same_results $name $name-$grid
    check "$name: $grid ranks write the same files, byte for byte" $?
  done
done
grep -q '1 x 3 ranks along x and y, which is a ring' bloch-1x3/run.log
check "the log reports the ring" $?

# From ranks that share the ring to one that has it all, and back.
first='--set checkpoint.keep=true --set run.time_fs=1.85'
# shellcheck disable=SC2086
on 1x3 bloch.cfg --th 4 --out there $first
"$TORRE" run -q bloch.cfg --out there --restart --threads 1 >out.txt 2>&1
check "a restart of three ranks by one process runs" $?
grep -q 'continues from the checkpoint' there/run.log && same_results bloch there
check "and writes the same files" $?
# shellcheck disable=SC2086
"$TORRE" run -q bloch.cfg --out back --threads 1 $first >out.txt 2>&1
on 1x2 bloch.cfg --out back --restart && grep -q 'continues from the checkpoint' back/run.log && same_results bloch back
check "so does one of one process by two ranks" $?

on 1x7 plain.cfg --out seven
[[ $? == 2 ]] && grep -q 'along the periodic y each must have 6 towers in a row, so at most 4 ranks with DTS 1' out.txt
check "more ranks than leave six towers each are refused" $?
"$TORRE" plan plain.cfg --ranks 1x5 >out.txt 2>&1
grep -q '1 x 5 do not fit' out.txt && grep -q 'at most 4 ranks with DTS 1' out.txt
check "the plan reports it" $?
"$TORRE" plan plain.cfg --ranks 1x4 2>/dev/null | grep -q '1 x 4 along x and y, which is a ring, DTS 1'
check "and which do fit" $?
finish
