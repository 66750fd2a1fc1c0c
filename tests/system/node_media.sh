#!/usr/bin/env bash
# Media with a full permittivity tensor: a wave plate turned about the direction, crystals turned out of all axes,
# refusals, energy.
source "$TORRE_SOURCE/tests/system/lib.sh"
theory() { python3 "$TORRE_SOURCE/tests/support/node_media.py" "$@"; }

cat >plate.cfg <<'CFG'
format_version = 2;
grid = { size = [10.0, 10.0, 3000.0]; cell = 10.0; precision = "fp64"; };
boundaries = { x_lo = "periodic"; x_hi = "periodic"; y_lo = "periodic"; y_hi = "periodic"; cpml = { cells = 20; }; };
media = ( { name = "plate"; index = [1.5, 1.7, 1.6]; rotate_deg = 30.0; } );
objects = ( { type = "layer"; medium = "plate"; axis = "z"; lo = -750.0; hi = 750.0; } );
sources = ( { type = "plane_wave"; direction = "+z"; polarisation = "x";
              box = { lo = [-100.0, -100.0, -1100.0]; hi = [100.0, 100.0, 1e5]; };
              time = { type = "pulse"; wavelength = 600.0; band = 100.0; }; } );
monitors = ( { type = "orders"; name = "behind"; axis = "z"; position = 1000.0;
               wavelengths = { from = 550.0; to = 650.0; count = 11; }; } );
run = { time_fs = 250.0; };
CFG

# plate CELL FOLDER ARGUMENTS...: a run in cells of CELL.
plate() {
  local cell=$1 folder=$2
  shift 2
  "$TORRE" run plate.cfg --device cpu -q --overwrite --out "$folder" --set "grid.cell=$cell" \
    --set "grid.size=[$cell,$cell,3000.0]" "$@"
}
below() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a ~ /[0-9]/ && a < b) }'; }

plate 5.0 coarse && plate 2.5 fine
coarse=$(theory plate coarse 1.5,1.7,1.6 0,0,30 1500) fine=$(theory plate fine 1.5,1.7,1.6 0,0,30 1500)
below "$fine" 1e-3
check "a wave plate turned by 30 degrees, cells of 2.5 nm: powers off by $fine, wanted less than 1e-3" $?
awk -v a="$coarse" -v b="$fine" 'BEGIN { exit !(a / b > 3.6 && a / b < 4.4) }'
check "cells of 5 nm: $coarse, second order" $?
plate 5.0 four --set grid.order=4
four=$(theory plate four 1.5,1.7,1.6 0,0,30 1500)
below "$four" 6e-4
check "order 4, cells of 5 nm: $four, wanted less than 6e-4" $?

# All elements; a surface between nodes; with the surfaces of "tensor", too.
turned='media=({name="plate";index=[1.5,1.7,1.6];rotate_deg=[25.0,40.0,-15.0];})'
moved='objects=({type="layer";medium="plate";axis="z";lo=-751.3;hi=748.7;})'
for averaging in subpixel tensor; do
  plate 5.0 turned --set "$turned" --set "$moved" --set "grid.averaging=\"$averaging\""
  off=$(theory plate turned 1.5,1.7,1.6 25,40,-15 1500)
  below "$off" 2e-3
  check "a crystal turned about all axes, $averaging: $off, wanted less than 2e-3" $?
done

# The same tensor by its elements, and by turning one that is turned already.
plate 10.0 angles --set 'media=({name="plate";permittivity=[2.25,3.24,2.25];rotate_deg=45.0;})'
plate 10.0 elements --set 'media=({name="plate";permittivity_tensor=[2.745,2.745,2.25,0.0,0.0,-0.495];})'
half='{name="half";permittivity=[2.25,3.24,2.25];rotate_deg=20.0;}'
plate 10.0 twice --set "media=($half,{name=\"plate\";like=\"half\";rotate_deg=25.0;})"
for other in elements twice; do
  paste -d, angles/behind_orders.csv $other/behind_orders.csv |
    awk -F, '$4 == 1 { n++; for (i = 9; i <= 12; i++) if ($i - $(i + 12) > 1e-7 || $(i + 12) - $i > 1e-7) bad = 1 }
      END { exit !(n == 11 && !bad) }'
  check "$other: the tensor is that of the angles" $?
done

# A box without losses keeps its energy, whatever the tensors and their surfaces.
cat >box.cfg <<'CFG'
grid = { size = [120.0, 120.0, 120.0]; cell = 5.0; precision = "fp64"; averaging = "tensor"; };
boundaries = { default = "pec"; x_lo = "pmc"; };
media = ( { name = "a"; permittivity = [2.0, 9.0, 4.0]; rotate_deg = [20.0, 50.0, 70.0]; },
          { name = "b"; permittivity = [5.0, 1.5, 2.5]; rotate_deg = [-30.0, 10.0, 15.0]; } );
objects = ( { type = "sphere"; medium = "a"; center = [-20.0, 5.0, 0.0]; radius = 41.0; },
            { type = "box"; medium = "b"; center = [30.0, 0.0, 20.0]; size = [80.0, 70.0, 50.0]; rotate_deg = 33.0; } );
sources = ( { type = "electric_dipole"; position = [0.0, 0.0, 0.0]; axis = "x"; amplitude = 1e-12;
              time = { type = "pulse"; wavelength = 300.0; band = 150.0; }; } );
monitors = ( { type = "energy"; name = "energy"; every = 100; } );
run = { time_fs = 130.0; };
CFG
"$TORRE" run box.cfg --device cpu -q --overwrite --out box
awk -F, 'NR > 1 { n++; e[n] = $NF } END {
  for (i = int(n / 4); i <= n; i++)
    if (i < n / 2) { if (e[i] > first) first = e[i] } else if (e[i] > last) last = e[i]
  exit !(n > 80 && first > 0 && last < 1.1 * first && last > 0.5 * first) }' box/energy.csv
check "the energy in a box without losses neither grows nor falls" $?

"$TORRE" plan plate.cfg --device cpu | grep -q '151 nodes of media with a full permittivity tensor, 12 values each$'
check "plan has the nodes" $?
"$TORRE" check plate.cfg --set 'objects=({type="layer";medium="plate";axis="z";lo=-750.0;hi=1e5;})' \
  --set 'monitors=({type="energy";})' 2>&1 | grep -q 'whose principal axes are not the grid'
check "a turned crystal in CPML is warned of" $?

slab='{type="layer";medium="plate";axis="z";lo=-750.0;hi=750.0;}'
wave() { refuses "$1" "$2" check plate.cfg "${@:3}"; }
wave "five elements" 'permittivity_tensor: got 5 numbers, need six: xx, yy, zz, yz, xz, xy' \
  --set 'media=({name="plate";permittivity_tensor=[2.0,2.0,2.0,0.0,0.1];})'
wave "a negative principal value" 'its least principal value is -1, need all three above 0' \
  --set 'media=({name="plate";permittivity_tensor=[2.0,2.0,2.0,0.0,0.0,3.0];})'
wave "two permittivities" 'permittivity_tensor: got index too, need only one' \
  --set 'media=({name="plate";index=1.5;permittivity_tensor=[2.0,2.0,2.0,0.0,0.0,0.1];})'
wave "an isotropic medium turned" 'rotate_deg: the permittivity is alike in all directions' \
  --set 'media=({name="plate";index=1.5;rotate_deg=30.0;})'
wave "a turned conductivity" 'only the permittivity is rotated' \
  --set 'media=({name="plate";index=[1.5,1.6,1.5];rotate_deg=30.0;conductivity_S_per_m=[1.0,2.0,3.0];})'
wave "a wave that enters in a crystal" 'faces in a medium whose permittivity is a full tensor' \
  --set background=\"plate\"
wave "a mirror" 'is not its own mirror image along x' --set 'symmetry={x="odd";}' \
  --set 'grid.size=[40.0,10.0,3000.0]' --set 'monitors=({type="energy";})' \
  --set 'boundaries={x_lo="pec";x_hi="pec";y_lo="pmc";y_hi="pmc";}'
wave "surface nodes of metals beside crystals" 'surface nodes have one of both; need "subpixel"' \
  --set 'grid.averaging="tensor"' --set "objects=($slab,{type=\"layer\";medium=\"Au\";axis=\"z\";lo=800.0;hi=900.0;})"
wave "graded cells" 'full tensor' --set 'grid.refine=({axis="z";from=0.0;to=100.0;cell=5.0;})'
wave "a mode in a crystal" 'crosses a medium whose permittivity is a full tensor' \
  --set 'monitors=({type="mode";name="m";box={lo=[-5.0,-5.0,0.0];hi=[5.0,5.0,0.0];};wavelengths=[600.0];})'
wave "a time step without room" 'leaves no time step for "plate".*need 0.99 or less' --set grid.courant=0.999
refuses "2-D across the plane" 'couples E along z to the others, and the job is 2-D' check box.cfg \
  --set 'grid={size=[120.0,120.0];cell=5.0;polarisation="TE";}' --set 'boundaries={default="pec";}' \
  --set 'media=({name="a";permittivity_tensor=[2.0,2.0,2.0,0.1,0.0,0.0];})' \
  --set 'objects=({type="circle";medium="a";center=[0.0,0.0];radius=41.0;})' \
  --set 'sources=()'
finish
