#!/usr/bin/env bash
# Media whose polarisation is at nodes. A full permittivity tensor: a wave plate turned about the direction, crystals
# turned out of all axes. A magnetised pole: Faraday rotation, a field across the wave. A Kerr effect: the third
# harmonic. Energy, refusals.
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

# Magnetised slabs: the polarisation's turn and the power, for a Drude and a Lorentz pole, along z and along x.
# gyro FOLDER PLASMA,GAMMA,CYCLOTRON,RESONANCE,DELTA ARGUMENTS...: faraday or voigt, errors in `off`
drude='poles=({type="drude";plasma_eV=1.0;gamma_eV=0.01;cyclotron_eV=0.5;});'
lorentz='poles=({type="lorentz";delta_eps=0.5;omega_eV=4.0;gamma_eV=0.05;cyclotron_eV=[0.0,0.0,0.3];});'
gyro() { plate "$1" gyro --set "media=({name=\"plate\";permittivity=2.25;$2})" "${@:3}"; }
gyro 10.0 "$drude" && coarse=$(theory faraday gyro 2.25,1.0,0.01,0.5,0,0 1500 2>/dev/null)
gyro 5.0 "$drude" && fine=$(theory faraday gyro 2.25,1.0,0.01,0.5,0,0 1500 2>/dev/null)
below "${fine% *}" 2e-3 && below "${fine#* }" 1e-3
check "a magnetised plasma, cells of 5 nm: angle and power off by $fine, wanted less than 2e-3 and 1e-3" $?
awk -v a="${coarse% *}" -v b="${fine% *}" 'BEGIN { exit !(a / b > 3.6 && a / b < 4.4) }'
check "cells of 10 nm: $coarse, second order" $?
gyro 5.0 "$drude" --set grid.order=4
four=$(theory faraday gyro 2.25,1.0,0.01,0.5,0,0 1500 2>/dev/null)
below "${four% *}" 5e-4
check "order 4, cells of 5 nm: $four, wanted less than 5e-4" $?
gyro 5.0 "$lorentz"
off=$(theory faraday gyro 2.25,0,0.05,0.3,4.0,0.5 1500 2>/dev/null)
below "${off% *}" 5e-3
check "a magnetised resonance: $off, wanted less than 5e-3" $?
cat >along_x.cfg <<'CFG'
grid = { size = [3000.0, 5.0, 5.0]; cell = 5.0; precision = "fp64"; };
boundaries = { y_lo = "periodic"; y_hi = "periodic"; z_lo = "periodic"; z_hi = "periodic"; cpml = { cells = 20; }; };
media = ( { name = "slab"; permittivity = 2.25;
            poles = ( { type = "drude"; plasma_eV = 1.0; gamma_eV = 0.01; cyclotron_eV = [-0.5, 0.0, 0.0]; } ); } );
objects = ( { type = "layer"; medium = "slab"; axis = "x"; lo = -750.0; hi = 750.0; } );
sources = ( { type = "plane_wave"; direction = "+x"; polarisation = "y";
              box = { lo = [-1100.0, -100.0, -100.0]; hi = [1e5, 100.0, 100.0]; };
              time = { type = "pulse"; wavelength = 600.0; band = 100.0; }; } );
monitors = ( { type = "orders"; name = "behind"; axis = "x"; position = 1000.0;
               wavelengths = { from = 550.0; to = 650.0; count = 11; }; } );
run = { time_fs = 250.0; };
CFG
"$TORRE" run along_x.cfg --device cpu -q --overwrite --out along_x
off=$(theory faraday along_x 2.25,1.0,0.01,-0.5,0,0 1500 2>/dev/null)
below "${off% *}" 2e-3
check "along x, the field the other way: $off, wanted less than 2e-3" $?
across='poles=({type="drude";plasma_eV=2.0;gamma_eV=0.02;cyclotron_eV=[1.0,0.0,0.0];});'
gyro 5.0 "$across" --set 'sources[0].polarisation="y"'
off=$(theory voigt gyro 2.25,2.0,0.02,1.0,0,0 1500)
below "${off% *}" 2e-3 && ! below "${off#* }" 0.5
check "the field across the wave: powers off by ${off% *}, wanted less than 2e-3; it changes them by ${off#* }" $?

# A Kerr slab: the third harmonic of a pulse, weak, against the first order in chi3; strong, against Meep 1.25.0
# (tests/stress/gallery/kerr_meep.py --resolution 40: chi3 1e-2, first 0.972559, third 1.344377e-2), in the same cells.
cat >kerr.cfg <<'CFG'
grid = { size = [500.0, 500.0, 50000.0]; cell = [500.0, 500.0, 50.0]; courant = 0.5012; precision = "fp64"; };
boundaries = { x_lo = "periodic"; x_hi = "periodic"; y_lo = "periodic"; y_hi = "periodic"; cpml = { cells = 60; }; };
media = ( { name = "kerr"; permittivity = 1.0; } );
objects = ( { type = "layer"; medium = "kerr"; axis = "z"; lo = -15000.0; hi = 15000.0; } );
sources = ( { type = "plane_wave"; direction = "+z"; polarisation = "x"; amplitude = 1e8;
              box = { lo = [-1e4, -1e4, -20000.0]; hi = [1e4, 1e4, 1e6]; };
              time = { type = "pulse"; wavelength = 3000.0; band = 135.16; }; } );
monitors = ( { type = "probe"; name = "behind"; position = [0.0, 0.0, 20000.0]; components = ["Ex"]; } );
run = { time_fs = 1400.0; };
CFG
# kerr CELL FOLDER ARGUMENTS...
kerr() {
  "$TORRE" run kerr.cfg --device cpu -q --overwrite --out "$2" --set "grid.cell=[500.0,500.0,$1]" "${@:3}"
}
kerr 25.0 linear && kerr 25.0 strong --set media[0].chi3_m2_per_V2=1e-18
read -r first third < <(theory powers linear strong 3000)
awk -v a="$first" -v b="$third" 'BEGIN { x = a / 0.972559 - 1; y = b / 1.344377e-2 - 1
  exit !(b > 0 && x * x < 1e-5 && y * y < 9e-4) }'
check "a Kerr slab: powers at both harmonics $first, $third, as Meep has them to 0.3 and 3 per cent" $?
short=(--set 'grid.size=[500.0,500.0,6000.0]'
  --set 'objects=({type="layer";medium="kerr";axis="z";lo=-1500.0;hi=1500.0;})'
  --set 'sources[0].box={lo=[-1e4,-1e4,-2200.0];hi=[1e4,1e4,1e6];}' --set 'monitors[0].position=[0.0,0.0,2000.0]'
  --set sources[0].time.band=600.0 --set run.time_fs=200.0 --set boundaries.cpml.cells=20)
for cell in 40.0 20.0; do
  kerr $cell linear "${short[@]}" && kerr $cell weak "${short[@]}" --set media[0].chi3_m2_per_V2=1e-20
  off=$(theory harmonic linear weak 1e-20 3000 3000)
  [[ $cell == 40.0 ]] && coarse=$off
done
awk -v a="$off" 'BEGIN { exit !(a ~ /[0-9]/ && a * a < 1e-4) }'
check "its third harmonic, cells of 20 nm: off by $off of the first order in chi3, wanted less than 1e-2" $?
awk -v a="$coarse" -v b="$off" 'BEGIN { exit !(a / b > 3.2) }'
check "cells of 40 nm: $coarse, second order" $?

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
# steady FOLDER LEAST: the energy of the second half, after a quarter, over that of the first: at most 1.1, least LEAST.
steady() {
  awk -F, -v least="$2" 'NR > 1 { n++; e[n] = $NF } END {
    for (i = int(n / 4); i <= n; i++)
      if (i < n / 2) { if (e[i] > first) first = e[i] } else if (e[i] > last) last = e[i]
    exit !(n > 80 && first > 0 && last < 1.1 * first && last > least * first) }' "$1/energy.csv"
}
"$TORRE" run box.cfg --device cpu -q --overwrite --out box
steady box 0.5
check "the energy in a box without losses neither grows nor falls" $?
# small ARGUMENTS...: a smaller box, over 22,000 steps.
small() {
  "$TORRE" run box.cfg --device cpu -q --overwrite --out small --set 'grid.size=[80.0,80.0,80.0]' \
    --set 'monitors[0].every=250' --set run.time_fs=195.0 "$@"
}
a='permittivity=2.0;poles=({type="drude";plasma_eV=6.0;gamma_eV=0.0;cyclotron_eV=[1.0,2.0,-3.0];});'
b='poles=({type="lorentz";delta_eps=1.5;omega_eV=4.0;gamma_eV=0.0;cyclotron_eV=[-2.0,1.0,2.0];});'
small --set 'boundaries={default="pec";}' --set "media=({name=\"a\";$a},{name=\"b\";permittivity=3.0;$b})"
steady small 0.8
check "the same with magnetised media, over 22,000 steps" $?
a='permittivity=2.0;chi3_m2_per_V2=1e-18;'
b='permittivity=[5.0,1.5,2.5];rotate_deg=[-30.0,10.0,15.0];chi3_m2_per_V2=5e-19;'
small --set sources[0].amplitude=1e-9 --set "media=({name=\"a\";$a},{name=\"b\";$b})"
steady small 0.8
check "the same with Kerr media, one of them a turned crystal" $?

"$TORRE" plan plate.cfg --device cpu | grep -q '151 nodes of media with a full permittivity tensor, 12 values each$'
check "plan has the nodes" $?
"$TORRE" check plate.cfg --set 'objects=({type="layer";medium="plate";axis="z";lo=-750.0;hi=1e5;})' \
  --set 'monitors=({type="energy";})' 2>&1 | grep -q 'whose principal axes are not the grid'
check "a turned crystal in CPML is warned of" $?

pole() { echo "poles=({type=\"drude\";plasma_eV=1.0;gamma_eV=0.01;cyclotron_eV=$1;});"; }
magnetised="media=({name=\"plate\";permittivity=2.0;$(pole 0.5)})"
kerr='media=({name="plate";permittivity=2.0;chi3_m2_per_V2=1e-20;})'
for medium in "$magnetised" "$kerr"; do
  "$TORRE" plan plate.cfg --device cpu --set "$medium" |
    grep -q '151 nodes of magnetised or Kerr media, 14 values each$'
  check "plan has the nodes of ${medium:8:40}" $?
done
"$TORRE" check plate.cfg --set "$magnetised" --set 'monitors=({type="energy";})' \
  --set 'objects=({type="layer";medium="plate";axis="z";lo=-750.0;hi=1e5;})' 2>&1 |
  grep -q '(a magnetised pole) reaches into the CPML at z_hi'
check "a magnetised medium in CPML is warned of" $?

slab='{type="layer";medium="plate";axis="z";lo=-750.0;hi=750.0;}'
wave() { # without line ends, which a value does not have
  set -- "${@//$'\n'/}"
  refuses "$1" "$2" check plate.cfg "${@:3}"
}
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
wave "a wave that enters in a crystal" 'faces in a medium whose polarisation is at nodes' \
  --set background=\"plate\"
wave "a mirror" 'is not its own mirror image along x' --set 'symmetry={x="odd";}' \
  --set 'grid.size=[40.0,10.0,3000.0]' --set 'monitors=({type="energy";})' \
  --set 'boundaries={x_lo="pec";x_hi="pec";y_lo="pmc";y_hi="pmc";}'
wave "surface nodes of metals beside crystals" 'they have one of both; need "subpixel"' \
  --set 'grid.averaging="tensor"' --set "objects=($slab,{type=\"layer\";medium=\"Au\";axis=\"z\";lo=800.0;hi=900.0;})"
wave "graded cells" 'media whose polarisation is at nodes are not available' \
  --set 'grid.refine=({axis="z";from=0.0;to=100.0;cell=5.0;})'
wave "a mode in a crystal" 'crosses a medium whose polarisation is at nodes' \
  --set 'monitors=({type="mode";name="m";box={lo=[-5.0,-5.0,0.0];hi=[5.0,5.0,0.0];};wavelengths=[600.0];})'
wave "a time step without room" 'leaves no time step for "plate".*need 0.99 or less' --set grid.courant=0.999

two=(--set 'grid={size=[120.0,120.0];cell=5.0;polarisation="TE";}' --set 'boundaries={default="pec";}'
  --set 'sources=()' --set 'objects=({type="circle";medium="a";center=[0.0,0.0];radius=41.0;})')
for medium in "$magnetised" "$kerr"; do
  wave "a wave that enters in ${medium:8:40}" 'faces in a medium whose polarisation is at nodes' \
    --set background=\"plate\" --set "$medium"
  wave "orders in it" 'absorbs, is anisotropic or has a Kerr effect' --set monitors[0].position=0.0 --set "$medium"
  wave "a mode in it" 'crosses a medium whose polarisation is at nodes' --set "$medium" \
    --set 'monitors=({type="mode";name="m";box={lo=[-5.0,-5.0,0.0];hi=[5.0,5.0,0.0];};wavelengths=[600.0];})'
  wave "a beam in it" 'a medium whose polarisation is at nodes crosses its plane' --set "$medium" \
    --set 'sources=({type="gaussian_beam";direction="+z";polarisation="x";box={lo=[-5.0,-5.0,0.0];hi=[5.0,5.0,0.0];};
      waist=100.0;time={type="pulse";wavelength=600.0;band=100.0;};})'
  wave "graded cells with it" 'media whose polarisation is at nodes are not available' --set "$medium" \
    --set 'grid.refine=({axis="z";from=0.0;to=100.0;cell=5.0;})'
  refuses "TM with it" 'polarisation is at nodes, and the job is 2-D TM' check box.cfg "${two[@]}" \
    --set grid.polarisation=\"TM\" --set "${medium/plate/a}"
done
wave "two magnetised poles" 'an earlier pole of the medium has cyclotron_eV, need one such pole' --set \
  'media=({name="plate";poles=({type="drude";plasma_eV=1.0;gamma_eV=0.0;cyclotron_eV=0.5;},
    {type="drude";plasma_eV=2.0;gamma_eV=0.0;cyclotron_eV=0.1;});})'
wave "a field along a mirror" 'is not its own mirror image along x.*need a field along x, or other walls' \
  --set "$magnetised" --set 'symmetry={x="odd";}' --set 'grid.size=[40.0,10.0,3000.0]' \
  --set 'monitors=({type="energy";})' --set 'boundaries={x_lo="pec";x_hi="pec";y_lo="pmc";y_hi="pmc";}'
wave "magnetised beside a tensor" 'has a magnetised pole, and "b" a full permittivity tensor; need one of both' \
  --set "objects=($slab,{type=\"layer\";medium=\"b\";axis=\"z\";lo=800.0;hi=900.0;})" \
  --set "media=({name=\"plate\";$(pole 0.5)},{name=\"b\";index=[1.5,1.6,1.5];rotate_deg=30.0;})"
wave "absorption of a magnetised medium" 'maps of absorption do not have what the magnetised pole of "plate" absorbs' \
  --set "$magnetised" --set 'monitors=({type="absorption";name="m";box={lo=[-5.0,-5.0,-50.0];hi=[5.0,5.0,50.0];};
    wavelengths=[600.0];})'
wave "a Kerr effect that takes from the index" 'chi3_m2_per_V2: got -1e-20, need a number from 0 to 1e-06' \
  --set "${kerr/1e-20/-1e-20}"
wave "Kerr between Bloch walls" 'fields between Bloch walls are complex; need "periodic" walls' --set "$kerr" \
  --set 'boundaries={x_lo="bloch";x_hi="bloch";y_lo="periodic";y_hi="periodic";phase_deg=[30.0,0.0,0.0];}' \
  --set 'sources=({type="electric_dipole";position=[0.0,0.0,-900.0];axis="x";
    time={type="pulse";wavelength=600.0;band=100.0;};})'
refuses "2-D, a field in the plane" 'couples E along z to the others, and the job is 2-D' check box.cfg "${two[@]}" \
  --set "media=({name=\"a\";$(pole '[0.1,0.0,0.0]')})"
refuses "2-D across the plane" 'couples E along z to the others, and the job is 2-D' check box.cfg "${two[@]}" \
  --set 'media=({name="a";permittivity_tensor=[2.0,2.0,2.0,0.1,0.0,0.0];})'
finish
