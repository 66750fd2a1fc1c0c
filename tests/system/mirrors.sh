#!/usr/bin/env bash
# Mirror walls: a dipole's fraction on a half, a quarter and an eighth of the scene is the whole scene's, powers are
# parts of it, and the log names the factor; what the grid makes of the job's lengths is in the log, too.
source "$TORRE_SOURCE/tests/system/lib.sh"

# part NAME SIZE CENTRE LO HI WALLS: the part of the scene in a domain of this size, the scene's origin at CENTRE.
part() {
  cat >"$1.cfg" <<END
grid = { size = $2; cell = 10.0; };
boundaries = { cpml = { cells = 8; }; $6 };
media = ( { name = "dense"; permittivity = 4.0; } );
objects = ( { type = "sphere"; medium = "dense"; radius = 60.0; center = $3; } );
sources = ( { type = "electric_dipole"; position = $3; axis = "z";
  time = { type = "pulse"; wavelength = 500.0; band = 200.0; }; } );
monitors = ( { type = "flux_box"; name = "out"; box = { lo = $4; hi = $5; }; wavelengths = [450.0, 550.0]; } );
run = { time_fs = 25.0; };
END
  "$TORRE" run "$1.cfg" --out "$1" -q >"$1.txt" 2>&1
}
column() { awk -F, -v c="$2" 'NR > 1 {printf "%s ", $c}' "$1/spectra.csv"; }
same() { # name, parts
  [[ $(column "$1" 3) ]] && awk -v a="$(column whole 3)" -v b="$(column "$1" 3)" -v p="$(column whole 2)" \
    -v q="$(column "$1" 2)" -v parts="$2" 'BEGIN {
      n = split(a, A); split(b, B); split(p, P); split(q, Q)
      for (i = 1; i <= n; i++) bad += (A[i] / B[i] - 1)^2 > 1e-6 || (P[i] / Q[i] / parts - 1)^2 > 1e-6
      exit bad || n != 2 }'
}
part whole "[400.0, 400.0, 400.0]" "[0.0, 0.0, 0.0]" "[-90.0, -90.0, -90.0]" "[90.0, 90.0, 90.0]" ""
part half "[400.0, 400.0, 200.0]" "[0.0, 0.0, -100.0]" "[-90.0, -90.0, -100.0]" "[90.0, 90.0, -10.0]" \
  'z_lo = "pec";'
same half 2
check "a pec across the dipole: half the power, the same fraction" $?
part quarter "[200.0, 200.0, 400.0]" "[-100.0, -100.0, 0.0]" "[-100.0, -100.0, -90.0]" "[-10.0, -10.0, 90.0]" \
  'x_lo = "pmc"; y_lo = "pmc";'
same quarter 4
check "two pmc along it: a quarter of the power, the same fraction" $?
part eighth "[200.0, 200.0, 200.0]" "[-100.0, -100.0, -100.0]" "[-100.0, -100.0, -100.0]" "[-10.0, -10.0, -10.0]" \
  'x_lo = "pmc"; y_lo = "pmc"; z_lo = "pec";'
same eighth 8
check "all three: an eighth of the power, the same fraction" $?
grep -q "one mirror an axis (x_lo y_lo z_lo): .* of out are .* an eighth, .*: times 8 for the whole" eighth/run.log &&
  ! grep -q "one mirror" whole/run.log
check "the log names the factor where there are mirrors" $?
"$TORRE" check eighth.cfg --set "grid.size=[205.0,200.0,200.0]" \
  --set "monitors[0].box.hi=[-14.0,-10.0,-10.0]" >odd.txt 2>&1
grep -q "the domain is 210 x 200 x 200 nm" odd.txt && grep -q "middle of a cell along x," odd.txt &&
  grep -q "monitor out: moved to the grid's nodes: .*x = -14 nm to -15 nm" odd.txt
check "the log has the domain's size, the odd axis and the plane that moved" $?
# Whatever lies at nodes is reported when it moves by more than a tenth of a cell, in check, plan and the log.
cat >moved.cfg <<END
grid = { size = [400.0, 400.0, 400.0]; cell = 10.0; };
boundaries = { default = "cpml"; cpml = { thickness = 83.0; }; z_lo = { type = "cpml"; thickness = 80.0; }; };
objects = ( { type = "sphere"; medium = "Au"; radius = 10.0; } );
sources = ( { type = "plane_wave"; name = "wave"; direction = "+z"; polarisation = "x";
  box = { lo = [-50.0, -50.0, -54.0]; hi = [50.0, 50.0, 50.9]; };
  time = { type = "pulse"; wavelength = 500.0; band = 200.0; }; } );
monitors = (
  { type = "flux"; name = "far"; wavelengths = [500.0];
    box = { lo = [-30.0, -30.0, 76.0]; hi = [30.0, 30.0, 76.0]; }; },
  { type = "flux"; name = "near"; wavelengths = [500.0];
    box = { lo = [-30.0, -30.0, 70.9]; hi = [30.0, 30.0, 70.9]; }; }
END
for kind in flux_box far_field absorption force multipoles mode_volume energy_density; do
  echo ", { type = \"$kind\"; name = \"$kind\"; wavelengths = [500.0];
    box = { lo = [-30.0, -30.0, -30.9]; hi = [30.0, 34.0, 30.0]; }; }" >>moved.cfg
done
echo '); run = { time_fs = 1.0; tolerance = 1e9; };' >>moved.cfg
"$TORRE" run moved.cfg --out moved -q >/dev/null 2>&1
for way in check plan run; do
  if [[ $way == run ]]; then cp moved/run.log moved.txt; else "$TORRE" $way moved.cfg >moved.txt 2>&1; fi
  grep -q "plane wave wave: moved to the grid's nodes: z = -54 nm to -50 nm$" moved.txt &&
    grep -q "monitor far: moved to the grid's nodes: z = 76 nm to 80 nm$" moved.txt &&
    ! grep -q "monitor near" moved.txt &&
    grep -q "layers have whole cells: x_lo 90 nm in place of 83, x_hi .*, y_hi .*, z_hi 90 nm .* 83$" moved.txt &&
    [[ $(grep -cE "monitor [a-z_]+: moved to the grid's nodes: y = 34 nm to 30 nm$" moved.txt) == 7 ]]
  check "$way: the box, the plane, the layers and each kind of monitor that moved by 0.4 cells, none by 0.09" $?
done
"$TORRE" check moved.cfg --set grid.averaging=staircase >stairs.txt 2>&1 &&
  grep -q "note: surfaces of objects are moved to the grid's nodes and half cells" stairs.txt &&
  ! grep -q "surfaces of objects" moved.txt
check "surfaces that are not averaged" $?

# A film that ends on the mirrors is the film that continues beyond them.
film() { # name, edge, medium
  cat >"$1.cfg" <<END
grid = { size = [40.0, 40.0, 400.0]; cell = 10.0; };
boundaries = { cpml = { cells = 8; }; x_lo = "pmc"; x_hi = "pmc"; y_lo = "pmc"; y_hi = "pmc"; };
media = ( { name = "dense"; permittivity = 4.0; } );
objects = ( { type = "box"; medium = "$3"; size = [$2, $2, 65.0]; } );
sources = ( { type = "electric_dipole"; position = [0.0, 0.0, -90.0]; axis = "z";
  time = { type = "pulse"; wavelength = 500.0; band = 200.0; }; } );
monitors = ( { type = "probe"; name = "p"; position = [10.0, 10.0, 90.0]; wavelengths = [450.0, 550.0]; } );
run = { time_fs = 10.0; tolerance = 1e9; };
END
  "$TORRE" run "$1.cfg" --out "$1" -q "${@:4}" >"$1.txt" 2>&1
}
for rule in subpixel tensor staircase; do
  for medium in dense Au; do
    film ends 40.0 $medium --overwrite --set "grid.averaging=\"$rule\"" && cp ends/p.csv ends.csv &&
      film longer 400.0 $medium --overwrite --set "grid.averaging=\"$rule\"" && cmp -s ends.csv longer/p.csv
    check "$rule: a film of $medium that ends on mirrors is the one that continues beyond them" $?
  done
done
finish
