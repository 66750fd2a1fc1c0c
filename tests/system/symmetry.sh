#!/usr/bin/env bash
# symmetry: a half, a quarter and an eighth of a job give the results of the whole, on either side of the planes, to the
# bit but for the zeros of the planes themselves; sources and scenes without the symmetry are refused.
source "$TORRE_SOURCE/tests/system/lib.sh"
command -v h5diff >/dev/null || { echo "no h5diff" && exit 77; }

all='components = ["Ex", "Ey", "Ez", "Hx", "Hy", "Hz"];'
job() { # name, sources, then parts by key=text
  local name=$1 sources=$2 medium=Au order=2 more='' precision=fp64 objects=''
  shift 2
  (($#)) && local "$@"
  cat >"$name.cfg" <<END
grid = { size = [240.0, 280.0, 320.0]; cell = 10.0; order = $order; precision = "$precision";
  averaging = "staircase"; };
boundaries = { cpml = { cells = 6; }; };
media = ( { name = "glass"; index = 1.5; } );
objects = ( { type = "sphere"; medium = "$medium"; radius = 27.0; } $objects );
sources = ( $sources time = { type = "pulse"; wavelength = 300.0; band = 250.0; }; } );
monitors = ( $more
  { type = "flux"; name = "a"; box = { lo = [-30.0, -30.0, -20.0]; hi = [-30.0, 20.0, 30.0]; };
    wavelengths = [300.0]; },
  { type = "flux_box"; name = "o"; box = { lo = [-20.0, -30.0, -30.0]; hi = [30.0, -10.0, 30.0]; };
    wavelengths = [300.0]; },
  { type = "field"; name = "f"; box = { lo = [-45.0, -40.0, -10.0]; hi = [30.0, 45.0, -10.0]; }; $all
    wavelengths = [300.0]; image = true; image_of = ["E"]; },
  { type = "probe"; name = "p"; position = [-25.0, -32.0, -20.0]; $all wavelengths = [300.0]; },
  { type = "slice"; name = "s"; axis = "y"; position = -25.0; component = "Ex"; times_fs = [5.0]; },
  { type = "snapshot"; name = "n"; times_fs = [5.0]; box = { lo = [-60.0, -75.0, -55.0]; hi = [40.0, 60.0, 35.0]; };
    stride = [3, 2, 4]; $all } );
run = { time_fs = 9.0; tolerance = 1e9; };
END
}
# Tables and fields are the same; places of points have rounding errors, and so has the whole job where a field is 0.
alike() { # name, folder, folder
  local c same=0
  for c in Ex Ey Ez Hx Hy Hz; do
    h5diff -d 1e-30 "$2/results.h5" "$3/results.h5" "/monitors/f/$c/spectrum" "/monitors/f/$c/spectrum" || same=1
  done
  cmp "$2/spectra.csv" "$3/spectra.csv" && cmp "$2/p.csv" "$3/p.csv" &&
    h5diff "$2/results.h5" "$3/results.h5" /monitors/s/Ex/values /monitors/s/Ex/values &&
    h5diff -d 1e-12 "$2"/snapshots/n/n_*.h5 "$3"/snapshots/n/n_*.h5 /data /data && ((!same))
  check "$1" $?
}
run() { # folder, job, symmetries
  local set=() s
  for s in $3; do set+=(--set "symmetry.$s"); done
  "$TORRE" run -q "$2.cfg" --out "$1" "${set[@]}" "${@:4}" 2>>err.txt
  check "$1 runs" $?
}

wave='{ type = "plane_wave"; name = "wave"; direction = "+z"; polarisation = "x"; distance = 20.0;'
cross='{ type = "cross_section"; name = "c"; wavelengths = [250.0, 300.0]; margin = 1; },'
job wave "$wave" more="$cross"
run wave wave ''
run quarter wave 'x=odd y=even'
alike "a quarter under a wave has the results of the whole" wave quarter
[[ -s quarter/f_E_300nm.png ]] || ! has_pictures
check "and its picture" $?
run towers wave 'x=odd y=even' --engine=diamond --dts 2 --th 9
same_results quarter towers
check "towers have the same" $?

dipole='{ type = "magnetic_dipole"; name = "d"; axis = "x"; position = [0.0, 0.0, 0.0];'
job dipole "$dipole" medium=glass order=4 precision=fp32
run dipole dipole ''
run eighth dipole 'x=even y=odd z=odd'
near "an eighth around a magnetic dipole: power of the whole" "$(cell eighth/spectra.csv o.power_J_per_Hz 300)" \
  "$(cell dipole/spectra.csv o.power_J_per_Hz 300)" 1e-30
h5diff -p 1e-4 dipole/results.h5 eighth/results.h5 /monitors/f/Ex/spectrum /monitors/f/Ex/spectrum
check "its fields" $?

refuse() { # name, pattern, job, symmetry
  refuses "$1" "$2" check "$3.cfg" --set "symmetry.$4"
}
refuse "the wrong one" 'wave.*field is odd across the plane of symmetry, need symmetry.x = "odd"' wave x=even
refuse "along a wave" 'travels across the plane of symmetry' wave z=even
refuse "that of an electric dipole for a magnetic one" 'field is even .*need symmetry.x = "even"' dipole x=odd
job aside "${dipole/position = \[0.0/position = [20.0}"
refuse "a dipole beside the plane" 'at x = 20 nm is not on the plane' aside x=even
job other "$dipole" \
  objects=', { type = "box"; medium = "glass"; center = [60.0, 0.0, 0.0]; size = [20.0, 20.0, 20.0]; }'
refuse "another scene" 'the media at .* and at its mirror image along x differ' other x=even
sed 's/size = \[240/size = [250/' dipole.cfg >odd.cfg
refuse "an odd number of cells" '25 cells along x, need an even number' odd x=even
sed 's/boundaries = {/& x_lo = "pec";/' dipole.cfg >walls.cfg
refuse "different walls" 'walls at x_lo and x_hi differ' walls x=even
finish
