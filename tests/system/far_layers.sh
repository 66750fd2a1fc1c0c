#!/usr/bin/env bash
# Far fields over layers: dipoles 100 nm over glass, from a box over it and from one through its face, a quarter between
# mirrors, 2-D, a stack that is turned; faults.
source "$TORRE_SOURCE/tests/system/lib.sh"
below() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a ~ /[0-9]/ && a < b) }'; }
cat >over.cfg <<'CFG'
format_version = 3;
grid = { size = [1000.0, 1000.0, 1000.0]; cell = 20.0; };
media = ( { name = "glass"; index = 1.5; } );
objects = ( { type = "layer"; medium = "glass"; hi = 0.0; } );
sources = ( { type = "electric_dipole"; position = [0.0, 0.0, 100.0]; axis = "z";
              time = { type = "pulse"; wavelength = 600.0; band = 150.0; }; } );
monitors = ( { type = "far_field"; name = "over"; wavelengths = [600.0]; step_deg = 3.0;
               box = { lo = [-160.0, -160.0, 40.0]; hi = [160.0, 160.0, 180.0]; }; },
             { type = "far_field"; name = "through"; wavelengths = [600.0]; step_deg = 3.0;
               box = { lo = [-200.0, -200.0, -100.0]; hi = [200.0, 200.0, 240.0]; }; } );
run = { time_fs = 60.0; tolerance = 1e9; };
CFG
theory() { # FOLDER MONITOR AXIS LIMIT
  local total found
  total=$(cell "$1/spectra.csv" "$2.power_J_per_Hz${5:-}" 600)
  found=$(python3 "$TORRE_SOURCE/tests/support/far_layers.py" "$1/$2_far.csv" 1.5 1.0471975512 "$3" "$total")
  below "${found% *}" "$4" && below "${found#* }" 6e-3
  check "$1, $2: ${found% *} of the peak off, all angles' power ${found#* }" $?
}
for axis in z x; do
  "$TORRE" run over.cfg --device cpu -q --overwrite --out $axis --set "sources[0].axis=\"$axis\"" 2>err.txt
  for monitor in over through; do theory $axis $monitor $axis 6e-3; done
done

"$TORRE" run over.cfg --device cpu -q --overwrite --out quarter --set 'symmetry={x="odd";y="even";}' \
  --set 'sources[0].axis="x"' 2>err.txt
paste -d, x/through_far.csv quarter/through_far.csv | awk -F, 'NR > 1 { n++; if ($8 > most) most = $8; d = $8 - $17
  if (d < 0) d = -d; if (d > worst) worst = d } END { exit !(n > 5000 && worst < 1e-4 * most) }'
check "a quarter between mirrors has the far field of the whole" $?

sed 's/size = .*cell = 20.0;/size = [1600.0, 1600.0]; cell = 10.0; polarisation = "TM";/
  s/"layer"; medium = "glass"; hi/"layer"; medium = "glass"; axis = "y"; hi/
  s/electric_dipole"; position = .*/line_current"; position = [0.0, 100.0];/
  s/box = { lo = \[-160.0, -160.0, 40.0\]; hi = .*/box = { lo = [-160.0, 40.0]; hi = [160.0, 180.0]; }; },/
  s/box = { lo = \[-200.0, -200.0, -100.0\]; hi = .*/box = { lo = [-200.0, -100.0]; hi = [200.0, 240.0]; }; } );/' \
  over.cfg >line.cfg
"$TORRE" run line.cfg --device cpu -q --overwrite --out line 2>err.txt || cat err.txt
for monitor in over through; do theory line $monitor line 6e-3 _m; done

# Layers that change nothing, and the same scene along another axis.
"$TORRE" run over.cfg -q --overwrite --out none --set 'objects=()' 2>err.txt
"$TORRE" run over.cfg -q --overwrite --out same --set 'media=({name="glass";index=1.000000001;})' 2>err.txt
paste -d, none/over_far.csv same/over_far.csv | awk -F, 'NR > 1 && ($2 < 85 || $2 > 95) { n++
  if ($8 > most) most = $8; d = $8 - $17
  if (d < 0) d = -d; if (d > worst) worst = d } END { exit !(n > 5000 && worst < 1e-2 * most) }'
check "a layer of no contrast: the far field of vacuum, but along it" $?

ball='{type="sphere";medium="glass";radius=60.0;center=[0.0,0.0,180.0];}'
refuses "a surface that cuts an object" 'the surface cuts an object of "glass"' check over.cfg \
  --set "objects=({type=\"layer\";medium=\"glass\";hi=0.0;},$ball)"
refuses "layers without an isotropic medium" '"glass", a layer, is no isotropic medium' check over.cfg \
  --set 'media=({name="glass";index=[1.5,1.6,1.5];})'

# Planes in space.
plane() { echo "monitors[1].plane={lo=[$1];hi=[$2];step=50.0;}"; }
refuses "a plane in space within the box" 'plane lies in the box, or within 2 cells of it' check over.cfg \
  --set 'objects=()' --set "$(plane -300.0,0.0,0.0 300.0,300.0,0.0)"
refuses "a plane in space over layers, of a box" 'there are layers across z' check over.cfg \
  --set "$(plane -300.0,-300.0,2e4 300.0,300.0,2e4)"
refuses "a plane in space that is none" 'lo and hi agree along 2 axes, need exactly one' check over.cfg \
  --set "$(plane 0.0,0.0,0.0 300.0,0.0,0.0)"
refuses "cosines along z in 2-D" 'got "-z" in a 2-D job' check line.cfg --set 'monitors[0].cosines={towards="-z";}'
finish
