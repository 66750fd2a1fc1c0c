#!/usr/bin/env bash
# Media that depend on the field. Of second order: a wave that steepens without dispersion, the second harmonic out of
# phase and with the pump used up, turned crystals, domains, energy, refusals. With a saturable pole: an amplifier, an
# absorber, a laser, refusals.
source "$TORRE_SOURCE/tests/system/lib.sh"
theory() { python3 "$TORRE_SOURCE/tests/support/nonlinear.py" "$@"; }
below() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a ~ /[0-9]/ && a * a < b * b) }'; }

cat >slab.cfg <<'CFG'
grid = { size = [500.0, 500.0, 34000.0]; cell = [500.0, 500.0, 50.0]; precision = "fp64"; };
boundaries = { x_lo = "periodic"; x_hi = "periodic"; y_lo = "periodic"; y_hi = "periodic"; cpml = { cells = 20; }; };
media = ( { name = "second"; permittivity = 1.0; } );
objects = ( { type = "layer"; medium = "second"; axis = "z"; lo = -15000.0; hi = 15000.0; } );
sources = ( { type = "plane_wave"; direction = "+z"; polarisation = "x"; amplitude = 1e8;
              box = { lo = [-1e4, -1e4, -15700.0]; hi = [1e4, 1e4, 1e6]; };
              time = { type = "pulse"; wavelength = 3000.0; band = 600.0; }; } );
monitors = ( { type = "probe"; name = "behind"; position = [0.0, 0.0, 15700.0]; components = ["Ex", "Ey"]; } );
run = { time_fs = 400.0; };
CFG
# slab CELL FOLDER ARGUMENTS..., these without line ends, which a value does not have
slab() {
  local cell=$1 folder=$2
  shift 2
  set -- "${@//$'\n'/}"
  "$TORRE" run slab.cfg --device cpu -q --overwrite --out "$folder" --set "grid.cell=[500.0,500.0,$cell]" "$@"
}
zero=0.0,0.0,0.0,0.0,0.0
along_x='media[0].d_pm_per_V=[60.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0]'
for cell in 25.0 12.5; do
  slab $cell linear && slab $cell second --set "$along_x"
  [[ $cell == 25.0 ]] && coarse=$(theory simple linear second 1.2e-10 30000 3000)
done
read -r off phase left < <(theory simple linear second 1.2e-10 30000 3000)
below "$off" 5e-3 && below "$phase" 2e-2
check "a wave that steepens, cells of 12.5 nm: second harmonic off by $off, with its phase $phase; pump $left" $?
awk -v a="${coarse%% *}" -v b="$off" 'BEGIN { exit !(a / b > 3.6 && a / b < 5) }'
check "cells of 25 nm: $coarse, second order" $?
slab 25.0 four --set grid.order=4 --set grid.courant=0.5 --set "$along_x"
slab 25.0 linear --set grid.order=4 --set grid.courant=0.5
off=$(theory simple linear four 1.2e-10 30000 3000)
below "${off%% *}" 2e-2
check "order 4, cells of 25 nm: $off" $?

# Along y from a pump along x, with another index.
y=(--set 'grid.size=[500.0,500.0,19000.0]' --set 'media[0].permittivity=[1.0,1.1449,1.0]'
  --set 'objects=({type="layer";medium="second";axis="z";lo=-7500.0;hi=7500.0;})' --set run.time_fs=300.0
  --set 'sources[0].box={lo=[-1e4,-1e4,-8200.0];hi=[1e4,1e4,1e6];}' --set 'monitors[0].position=[0.0,0.0,8200.0]')
along_y() { echo "media[0].d_pm_per_V=[$zero,$1,$1,$zero,$zero,0.0]"; }
for cell in 25.0 12.5; do
  slab $cell linear "${y[@]}" && slab $cell second "${y[@]}" --set "$(along_y 0.6)"
  off=$(theory mismatch linear second 1.2e-12 15000 3000 1.07 $cell)
  [[ $cell == 25.0 ]] && coarse=$off
done
below "${off% *}" 1e-2
check "out of phase, cells of 12.5 nm: off by ${off% *}, of ${off#* } of that in phase" $?
awk -v a="${coarse% *}" -v b="${off% *}" 'BEGIN { exit !(a / b > 3.2 && a / b < 5) }'
check "cells of 25 nm: ${coarse% *}, second order" $?

# A crystal of class 3m, whose d22 is along y, turned about z by -90 degrees, which brings y to x.
slab 25.0 turned --set 'media=({name="second";d_pm_per_V=[0.0,0.0,0.0,60.0];rotate_deg=[0.0,0.0,-90.0];})'
slab 25.0 again --set 'media=({name="half";d_pm_per_V=[0.0,0.0,0.0,60.0];rotate_deg=-30.0;},
  {name="second";like="half";rotate_deg=-60.0;})'
along='60.0,-60.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,-60.0,0.0,0.0,0.0,0.0,0.0,0.0'
slab 25.0 elements --set "media[0].d_pm_per_V=[$along]"
for other in turned again; do
  paste -d, elements/behind.csv $other/behind.csv | awk -F, '
    function different(a, b) { return a - b > 1 || b - a > 1 }
    NR > 1 { n++; bad += different($2, $5) || different($3, $6); if ($2 > most) most = $2 }
    END { exit !(n > 1000 && most > 5e7 && !bad) }'
  check "$other: chi2 is that of the elements" $?
done

# A pump that is used up. Poles put the third harmonic out of phase; both permittivities are 1 where they should be.
poles='poles=({type="lorentz";delta_eps=0.24;omega_eV=2.066403307;gamma_eV=0.0;});'
slab 50.0 depleted --set 'grid.size=[500.0,500.0,52000.0]' --set grid.courant=0.5 --set run.time_fs=500.0 \
  --set "media=({name=\"second\";permittivity=[0.75,0.7142857142857143,1.0];$poles})" --set "$(along_y 100.0)" \
  --set 'objects=({type="layer";medium="second";axis="z";lo=-24000.0;hi=24000.0;})' \
  --set 'sources[0].box={lo=[-1e4,-1e4,-24700.0];hi=[1e4,1e4,1e6];}' --set 'monitors[0].position=[0.0,0.0,24700.0]' \
  --set 'sources[0].time={type="continuous";wavelength=3000.0;rise_fs=60.0;}'
read -r harmonic pump sum off < <(theory depleted depleted 2e-10 48000 3000 1e8)
below "$off" 3e-2 && awk -v s="$sum" -v p="$pump" 'BEGIN { exit !(s > 0.985 && s < 1.015 && p > 0.3 && p < 0.5) }'
check "a pump that is used up: powers $harmonic and $pump, in all $sum; the harmonic is $off off tanh" $?

# Two domains, turned over, in order 4, where all waves keep their phase: what the second makes takes the first's away.
four=(--set grid.order=4 --set grid.courant=0.5)
domain='d_pm_per_V=[6.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0]'
slab 25.0 one "${four[@]}" --set "media=({name=\"second\";$domain;})"
slab 25.0 two "${four[@]}" \
  --set "media=({name=\"second\";$domain;},{name=\"back\";like=\"second\";rotate_deg=180.0;})" \
  --set 'objects=({type="layer";medium="second";axis="z";lo=-15000.0;hi=8.0;},
    {type="layer";medium="back";axis="z";lo=8.0;hi=15016.0;})'
slab 25.0 linear "${four[@]}"
residual=$(theory residual linear one two 3000)
below "$residual" 1e-2
check "two domains: $residual of the second harmonic of one" $?

# A box without losses keeps its energy: a cubic crystal turned, beside a turned biaxial one; 22,000 steps.
cat >box.cfg <<'CFG'
grid = { size = [80.0, 80.0, 80.0]; cell = 5.0; precision = "fp64"; averaging = "tensor"; };
boundaries = { default = "pec"; };
media = ( { name = "a"; permittivity = 2.0; d_pm_per_V = 100.0; rotate_deg = [20.0, 50.0, 70.0]; },
          { name = "b"; permittivity = [5.0, 1.5, 2.5]; rotate_deg = [-30.0, 10.0, 15.0];
            d_pm_per_V = [100.0, 100.0, 100.0]; chi3_m2_per_V2 = 1e-19; } );
objects = ( { type = "sphere"; medium = "a"; center = [-20.0, 5.0, 0.0]; radius = 41.0; },
            { type = "box"; medium = "b"; center = [30.0, 0.0, 20.0]; size = [80.0, 70.0, 50.0]; rotate_deg = 33.0; } );
sources = ( { type = "electric_dipole"; position = [0.0, 0.0, 0.0]; axis = "x"; amplitude = 1e-9;
              time = { type = "pulse"; wavelength = 300.0; band = 150.0; }; } );
monitors = ( { type = "energy"; name = "energy"; every = 250; } );
run = { time_fs = 195.0; };
CFG
"$TORRE" run box.cfg --device cpu -q --overwrite --out box
awk -F, 'NR > 1 { n++; e[n] = $NF } END {
  for (i = int(n / 4); i <= n; i++) if (i < n / 2) { if (e[i] > a) a = e[i] } else if (e[i] > b) b = e[i]
  exit !(n > 80 && a > 0 && b < 1.1 * a && b > 0.8 * a) }' box/energy.csv
check "the energy in a box without losses neither grows nor falls" $?

"$TORRE" plan slab.cfg --device cpu --set "$along_x" | grep -q '601 nodes of second-order media, 15 values each$'
check "plan has the nodes" $?
"$TORRE" check slab.cfg --set media[0].d_pm_per_V=[1.0,2.0,3.0] 2>&1 | grep -q 'd_pm_per_V of "second" is not alike'
check "elements that are not symmetric are warned of" $?

d14='media=({name="second";d_pm_per_V=10.0;})'
slab_refuses() {
  set -- "${@//$'\n'/}"
  refuses "$1" "$2" check slab.cfg "${@:3}"
}
slab_refuses "two elements" 'd_pm_per_V: got 2 numbers, need 1 .d14., 3' --set 'media[0].d_pm_per_V=[1.0,2.0]'
slab_refuses "a wave that enters in it" 'faces in a medium whose polarisation is at nodes' --set background=\"second\" \
  --set "$d14"
slab_refuses "orders in it" 'absorbs, is anisotropic or' --set "$d14" \
  --set 'monitors=({type="orders";name="o";axis="z";position=0.0;wavelengths=[3000.0];})'
slab_refuses "a mode in it" 'crosses a medium whose polarisation is at nodes' --set "$d14" \
  --set 'monitors=({type="mode";name="m";box={lo=[-250.0,-250.0,0.0];hi=[250.0,250.0,0.0];};wavelengths=[3000.0];})'
slab_refuses "graded cells" 'media whose polarisation is at nodes are not available' --set "$d14" \
  --set 'grid.refine=({axis="z";from=0.0;to=500.0;cell=25.0;})'
slab_refuses "beside a magnetised medium" 'has a magnetised pole, and "second" a second-order susceptibility' \
  --set 'media=({name="second";d_pm_per_V=10.0;},
    {name="m";poles=({type="drude";plasma_eV=1.0;gamma_eV=0.0;cyclotron_eV=0.1;});})' \
  --set 'objects=({type="layer";medium="second";axis="z";lo=0.0;hi=500.0;},
    {type="layer";medium="m";axis="z";lo=600.0;hi=900.0;})'
slab_refuses "Bloch walls" 'second-order susceptibility, and fields between Bloch walls are complex' --set "$d14" \
  --set 'boundaries={x_lo="bloch";x_hi="bloch";y_lo="periodic";y_hi="periodic";phase_deg=[30.0,0.0,0.0];}' \
  --set 'sources=({type="electric_dipole";position=[0.0,0.0,-15500.0];axis="x";
    time={type="pulse";wavelength=3000.0;band=600.0;};})'
mirror=(--set 'symmetry={z="even";}' --set 'sources=({type="electric_dipole";position=[0.0,0.0,0.0];axis="x";
    time={type="pulse";wavelength=3000.0;band=600.0;};})' --set monitors[0].position=[0.0,0.0,0.0])
slab_refuses "a mirror" 'of "second" is not its own mirror image along z' --set "$d14" "${mirror[@]}"
"$TORRE" check slab.cfg --set "$along_x" "${mirror[@]//$'\n'/}" >out.txt 2>&1
check "a mirror that the crystal has" $?
two=(--set 'grid={size=[2000.0,2000.0];cell=50.0;polarisation="TE";}' --set 'boundaries={default="pec";}'
  --set 'sources=()' --set 'monitors=({type="energy";})'
  --set 'objects=({type="circle";medium="second";center=[0.0,0.0];radius=410.0;})')
refuses "2-D, along z" 'couples E along z to the others, and the job is 2-D' check slab.cfg "${two[@]}" --set "$d14"
refuses "2-D TM" 'polarisation is at nodes, and the job is 2-D TM' check slab.cfg "${two[@]}" \
  --set grid.polarisation=\"TM\" --set "$along_x"
"$TORRE" check slab.cfg "${two[@]}" --set "$along_x" >out.txt 2>&1
check "2-D TE with elements in the plane" $?

# A saturable pole: a slab under a continuous wave at its resonance.
cat >active.cfg <<'CFG'
grid = { size = [25.0, 25.0, 14000.0]; cell = 25.0; precision = "fp64"; };
boundaries = { x_lo = "periodic"; x_hi = "periodic"; y_lo = "periodic"; y_hi = "periodic"; cpml = { cells = 20; }; };
media = ( { name = "active"; poles = ( { type = "lorentz"; delta_eps = -0.002; omega_eV = 1.239841984; gamma_eV = 0.05;
            saturation_V_per_m = 1e6; relaxation_fs = 200.0; } ); } );
objects = ( { type = "layer"; medium = "active"; axis = "z"; lo = -5000.0; hi = 5000.0; } );
sources = ( { type = "plane_wave"; direction = "+z"; polarisation = "x"; amplitude = 1e3;
              box = { lo = [-1e4, -1e4, -5700.0]; hi = [1e4, 1e4, 1e6]; };
              time = { type = "continuous"; wavelength = 1000.0; rise_fs = 60.0; }; } );
monitors = ( { type = "probe"; name = "behind"; position = [0.0, 0.0, 5700.0]; components = ["Ex"]; } );
run = { time_fs = 2000.0; };
CFG
# active AMPLITUDE DELTA_EPS ARGUMENTS...: the amplitude behind the slab over the incident one, and its error
active() {
  "$TORRE" run active.cfg --device cpu -q --overwrite --out active --set "sources[0].amplitude=$1" \
    --set "media[0].poles[0].delta_eps=$2" "${@:3}" && theory amplifier active "$1" "$2" 1.239841984 0.05 1e6 10000
}
while read -r amplitude delta limit; do
  read -r got off < <(active "$amplitude" "$delta")
  below "$off" "$limit"
  check "delta_eps $delta under $amplitude V/m: $got behind the slab, off by $off, wanted less than $limit" $?
done <<'CASES'
1e3 -0.002 1e-2
1e6 -0.002 5e-3
3e6 -0.002 5e-3
1e3 0.002 4e-3
1e6 0.002 2e-3
4e6 0.002 5e-3
CASES
read -r got coarse < <(active 1e6 -0.002 --set grid.cell=50.0 --set 'grid.size=[50.0,50.0,14000.0]')
read -r got off < <(active 1e6 -0.002)
awk -v a="$coarse" -v b="$off" 'BEGIN { exit !(a / b > 3) }'
check "cells of 50 nm: $coarse" $?

# A laser: half a wavelength between perfect conductors, its loss a conductivity of a hundredth of w eps0.
cat >laser.cfg <<'CFG'
grid = { size = [25.0, 25.0, 500.0]; cell = 25.0; precision = "fp64"; };
boundaries = { default = "pec"; x_lo = "periodic"; x_hi = "periodic"; y_lo = "periodic"; y_hi = "periodic"; };
media = ( { name = "active"; conductivity_S_per_m = 166.784; poles = ( { type = "lorentz"; delta_eps = -0.001;
            omega_eV = 1.239841984; gamma_eV = 0.05; saturation_V_per_m = 1e6; relaxation_fs = 200.0; } ); } );
background = "active";
sources = ( { type = "electric_dipole"; position = [0.0, 0.0, 0.0]; axis = "x"; amplitude = 1e-22;
              time = { type = "pulse"; wavelength = 1000.0; band = 100.0; }; } );
monitors = ( { type = "probe"; name = "middle"; position = [0.0, 0.0, 0.0]; components = ["Ex"]; every = 7; } );
run = { time_fs = 8000.0; };
CFG
for above in 2 4; do
  "$TORRE" run laser.cfg --device cpu -q --overwrite --out laser \
    --set "media[0].poles[0].delta_eps=$(awk -v r=$above 'BEGIN { print -r * 0.01 / 24.79683968 }')"
  read -r got off < <(theory laser laser 1e6 $above)
  below "$off" 3e-3
  check "a laser $above times above its threshold: $got V/m, off by $off, wanted less than 3e-3" $?
done
"$TORRE" run laser.cfg --device cpu -q --overwrite --out laser --set media[0].poles[0].delta_eps=-3.6e-4
read -r got off < <(theory laser laser 1e6 2)
awk -v e="$got" 'BEGIN { exit !(e > 0 && e < 1e-4) }'
check "a tenth below it: $got V/m left" $?

"$TORRE" plan active.cfg --device cpu | grep -q '401 nodes of media with a saturable pole, 16 values each$'
check "plan has the nodes of a saturable pole" $?
active_refuses() {
  set -- "${@//$'\n'/}"
  refuses "$1" "$2" check active.cfg "${@:3}"
}
pole='type="lorentz";delta_eps=0.1;omega_eV=1.2;gamma_eV=0.1;saturation_V_per_m=1e6;'
active_refuses "a saturation without a time" 'relaxation_fs: missing, need it beside saturation_V_per_m' \
  --set "media=({name=\"active\";poles=({$pole});})"
pole="${pole}relaxation_fs=100.0;"
active_refuses "a magnetic field, too" 'saturation_V_per_m: beside cyclotron_eV, need one of both' \
  --set "media=({name=\"active\";poles=({${pole}cyclotron_eV=0.1;});})"
active_refuses "two of them" 'an earlier pole of the medium has saturation_V_per_m, need one such pole' \
  --set "media=({name=\"active\";poles=({$pole},{$pole});})"
active_refuses "without a width" 'of a pole with a gamma of 0' \
  --set "media=({name=\"active\";poles=({${pole/gamma_eV=0.1/gamma_eV=0.0}});})"
active_refuses "a saturable pole beside Kerr" 'has a saturable pole, and "active" a Kerr effect; need one of both' \
  --set "media=({name=\"active\";chi3_m2_per_V2=1e-20;poles=({$pole});})"
active_refuses "a wave that enters in gain" 'faces in a medium whose polarisation is at nodes' \
  --set background=\"active\"
active_refuses "absorption of it" 'maps of absorption do not have what the saturable pole of "active" absorbs' \
  --set 'monitors=({type="absorption";name="m";box={lo=[-12.0,-12.0,-50.0];hi=[12.0,12.0,50.0];};wavelengths=[900.0];})'
active_refuses "gain between Bloch walls" 'has a saturable pole, and fields between Bloch walls are complex' \
  --set 'boundaries={x_lo="bloch";x_hi="bloch";y_lo="periodic";y_hi="periodic";phase_deg=[30.0,0.0,0.0];}' \
  --set 'sources=({type="electric_dipole";position=[0.0,0.0,-5500.0];axis="x";
    time={type="pulse";wavelength=1000.0;band=100.0;};})'
finish
