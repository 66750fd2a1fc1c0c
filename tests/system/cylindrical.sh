#!/usr/bin/env bash
# Cylindrical coordinates: a sphere against Mie's series, dipoles off the axis against theory, a cavity, the same bits
# from all engines, ranks and restarts, refusals.
source "$TORRE_SOURCE/tests/system/lib.sh"
below() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a ~ /[0-9]/ && a < b) }'; }
run() { "$TORRE" run "$1" --device cpu -q --overwrite --out "$2" "${@:3}" >/dev/null 2>&1; }

cat >sphere.cfg <<'CFG'
format_version = 3;
grid = { size = [1800.0, 1800.0, 360.0]; cell = 4.0; averaging = "tensor"; coordinates = "cylindrical"; m = 1; };
boundaries = { default = "absorber"; absorber = { thickness = 760.0; }; z_lo = "cpml"; z_hi = "cpml"; };
media = ( { name = "ball"; index = 2.0; } );
objects = ( { type = "sphere"; medium = "ball"; radius = 100.0; } );
sources = ( { type = "plane_wave"; name = "wave"; direction = "+z"; polarisation = "x";
  box = { lo = [-110.0, -110.0, -110.0]; hi = [110.0, 110.0, 110.0]; };
  time = { type = "pulse"; wavelength = 330.0; band = 310.0; }; } );
monitors = ( { type = "cross_section"; name = "ball"; wavelengths = [314.159265, 209.439510]; radius = 100.0; } );
run = { time_fs = 120.0; decay = 1e-6; };
CFG
run sphere.cfg ball
check "a sphere of 25 cells a radius runs" $?
near "n = 2, kr = 2: Q_sca within 1 % of Mie" "$(cell ball/spectra.csv Q_sca 314.159265)" 4.77044 0.0477
near "n = 2, kr = 3: Q_sca within 1 % of Mie" "$(cell ball/spectra.csv Q_sca 209.43951)" 3.03617 0.0304
near "nothing absorbed" "$(cell ball/spectra.csv Q_abs 314.159265)" 0 0.001

# An empty box: all outside it is rounding.
run sphere.cfg empty --set 'objects=()' --set 'grid.size=[720.0,720.0,360.0]' --set 'grid.precision="fp64"' \
  --set 'boundaries.absorber.thickness=200.0' --set run.time_fs=20.0 --set run.tolerance=100.0 \
  --set 'monitors=({type="probe";name="out";position=[126.0,0.0,3.0];})'
awk -F, 'NR > 1 { n++; for (i = 2; i <= NF; i++) if ($i > 1e-13 || $i < -1e-13) bad = 1 }
  END { exit !(n > 500 && !bad) }' empty/out.csv
check "an empty box: less than 1e-13 V/m outside" $?

# Along z, 100 nm off the axis, in vacuum: the part of m is 3/2 of the integral of sin^3 J_m(k rho sin)^2
# (docs/design/cylindrical.md). What the field at its place says is what leaves a box.
cat >dipole.cfg <<'CFG'
format_version = 3;
grid = { size = [1260.0, 1260.0, 400.0]; cell = 10.0; precision = "fp64"; coordinates = "cylindrical"; m = 1; };
boundaries = { default = "absorber"; absorber = { thickness = 430.0; }; z_lo = "cpml"; z_hi = "cpml"; };
sources = ( { type = "electric_dipole"; name = "d"; position = [100.0, 0.0, 5.0]; axis = "z"; amplitude = 1e-9;
  time = { type = "pulse"; wavelength = 330.0; band = 200.0; }; } );
monitors = ( { type = "decay_rate"; name = "work"; wavelengths = [300.0, 400.0]; },
  { type = "flux_box"; name = "box"; box = { lo = [-140.0, -140.0, -60.0]; hi = [140.0, 140.0, 60.0]; };
    wavelengths = [300.0, 400.0]; } );
run = { time_fs = 60.0; };
CFG
for part in "1 0.640691 0.570002" "2 0.210220 0.089857"; do
  read -r m short long <<<"$part"
  run dipole.cfg off --set "grid.m=$m"
  near "m = $m, 300 nm: its part of the power" "$(cell off/spectra.csv work.fraction 300)" "$short" 0.004
  near "m = $m, 400 nm: its part of the power" "$(cell off/spectra.csv work.fraction 400)" "$long" 0.004
  near "m = $m: the power through a box" "$(cell off/spectra.csv box.fraction 300)" \
    "$(cell off/spectra.csv work.fraction 300)" 1e-6
done
run dipole.cfg on --set 'sources.[0].position=[0.0,0.0,0.0]' --set 'sources.[0].axis="x"'
near "across the axis, on it: all of the power" "$(cell on/spectra.csv work.fraction 300)" 1 0.01

# m = 0: 3/4 of the integral of sin^3 J_0^2 along z, of sin cos^2 J_1^2 along x, of sin J_1^2 along y; on the axis all.
round=(--set grid.m=0)
while read -r kind axis place short long; do
  polarisation=TM && [[ $kind$axis == electricy || $kind$axis == magnetic[xz] ]] && polarisation=TE
  run dipole.cfg zero "${round[@]}" --set "grid.polarisation=\"$polarisation\"" \
    --set "sources.[0].type=\"${kind}_dipole\"" --set "sources.[0].axis=\"$axis\"" \
    --set "sources.[0].position=[$place,0.0,5.0]"
  near "m = 0, $kind along $axis, $place nm off the axis, 300 nm" "$(cell zero/spectra.csv work.fraction 300)" \
    "$short" 0.004
  near "the same, 400 nm" "$(cell zero/spectra.csv work.fraction 400)" "$long" 0.004
  near "the same: the power through a box" "$(cell zero/spectra.csv box.fraction 300)" \
    "$(cell zero/spectra.csv work.fraction 300)" 1e-6
done <<END
electric z 100.0 0.120336 0.333931
electric x 100.0 0.116863 0.086608
electric y 100.0 0.437208 0.371609
magnetic z 100.0 0.120336 0.333931
magnetic x 100.0 0.116863 0.086608
magnetic y 100.0 0.437208 0.371609
electric z 0.0 1 1
magnetic z 0.0 1 1
END

# A dipole along z over a sphere, by Mie's coefficients (docs/design/cylindrical.md): electric, TM, magnetic, TE.
cat >ball.cfg <<'CFG'
format_version = 3;
grid = { size = [1800.0, 1800.0, 560.0]; cell = 5.0; averaging = "tensor"; precision = "fp64";
  coordinates = "cylindrical"; m = 0; polarisation = "TM"; };
boundaries = { default = "absorber"; absorber = { thickness = 700.0; }; z_lo = "cpml"; z_hi = "cpml"; };
media = ( { name = "ball"; index = 2.0; } );
objects = ( { type = "sphere"; medium = "ball"; radius = 100.0; center = [0.0, 0.0, -40.0]; } );
sources = ( { type = "electric_dipole"; name = "d"; position = [0.0, 0.0, 110.0]; axis = "z"; amplitude = 1e-9;
  time = { type = "pulse"; wavelength = 380.0; band = 200.0; }; } );
monitors = ( { type = "decay_rate"; name = "work"; wavelengths = [300.0, 350.0, 400.0, 500.0]; } );
run = { time_fs = 120.0; decay = 1e-9; };
CFG
run ball.cfg electric
run ball.cfg magnetic --set 'grid.polarisation="TE"' --set 'sources.[0].type="magnetic_dipole"'
while read -r nm electric magnetic; do
  near "electric dipole over a sphere, $nm nm" "$(cell electric/spectra.csv fraction "$nm")" "$electric" 0.007
  near "magnetic dipole over a sphere, $nm nm" "$(cell magnetic/spectra.csv fraction "$nm")" "$magnetic" 0.007
done <<<$'300 1.296648 0.948240\n350 1.382972 1.127667\n400 1.382188 0.891985\n500 1.678028 1.369317'

# A closed cavity, 200 nm wide, 300 nm long: TE111 and TM111, by the roots 1.841184 and 3.831706 of J_1' and J_1; its
# energy after 20,000 steps near the limit of the time step.
cat >cavity.cfg <<'CFG'
format_version = 3;
grid = { size = [400.0, 400.0, 300.0]; cell = 20.0; precision = "fp64"; courant = 0.999; coordinates = "cylindrical";
  m = 1; };
boundaries = { default = "pec"; };
sources = ( { type = "electric_dipole"; name = "d"; position = [100.0, 0.0, 40.0]; axis = "x"; amplitude = 1e-9;
  time = { type = "pulse"; wavelength = 420.0; band = 200.0; }; } );
monitors = ( { type = "resonances"; name = "q"; position = [60.0, 0.0, 60.0]; components = ["Ex"];
    band = { from = 250.0; to = 600.0; }; count = 8; from_fs = 40.0; },
  { type = "energy"; name = "energy"; every = 100; } );
run = { time_fs = 830.0; };
CFG
stays() { # NAME FOLDER: the energy neither grows nor falls
  awk -F, 'NR > 1 { e[++n] = $NF } END {
    for (i = int(n / 4); i <= n; i++)
      if (i < n / 2) { if (e[i] > first) first = e[i] } else if (e[i] > last) last = e[i]
    exit !(n > 190 && first > 0 && last < 1.05 * first && last > 0.95 * first) }' "$2/energy.csv"
  check "20,000 steps, $1: the energy stays" $?
}
if "$TORRE" --version | grep -q 'resonances by LAPACK'; then
  for cell in 20.0 10.0; do
    run cavity.cfg "m1$cell" --set run.time_fs=200.0 --set "grid.cell=$cell"
    run cavity.cfg "tm$cell" --set run.time_fs=200.0 --set "grid.cell=$cell" "${round[@]}" \
      --set 'grid.polarisation="TM"' --set 'sources.[0].axis="z"' --set 'monitors.[0].position=[0.0,0.0,60.0]' \
      --set 'monitors.[0].components=["Ez"]'
    run cavity.cfg "te$cell" --set run.time_fs=200.0 --set "grid.cell=$cell" "${round[@]}" \
      --set 'grid.polarisation="TE"' --set 'sources.[0].axis="y"' --set 'monitors.[0].components=["Ey"]'
  done
  # J_0 at 2.404826, J_1 at 3.831706.
  for mode in "450.629 TE111 m1" "287.774 TM111 m1" "522.548 TM010 tm" "394.0545 TM011 tm" "260.1719 TM012 tm" \
    "287.7743 TE011 te"; do
    read -r nm name of <<<"$mode"
    off=$(for cells in "${of}20.0" "${of}10.0"; do
      awk -F, -v nm="$nm" 'NR > 1 { d = $1 - nm; if (d < 0) d = -d; if (n++ == 0 || d < least) least = d }
        END { print least }' $cells/q_resonances.csv
    done | paste -sd ' ')
    awk -v nm="$nm" -v off="$off" 'BEGIN { split(off, e, " ")
      exit !(e[2] > 0 && e[2] < 1e-3 * nm && e[1] / e[2] > 3.4) }'
    check "$name: off by $off nm in cells of 20, 10 nm: second order" $?
  done
fi
# A tube of that radius between Bloch walls: TE11 at 60 degrees over 120 nm.
if "$TORRE" --version | grep -q 'resonances by LAPACK'; then
  for cell in 20.0 10.0; do
    run cavity.cfg "tube$cell" --set run.time_fs=200.0 --set "grid.cell=$cell" --set 'grid.size=[400.0,400.0,120.0]' \
      --set 'boundaries={default="pec";z_lo="bloch";z_hi="bloch";phase_deg=[0.0,0.0,60.0];}'
  done
  awk -F, 'FNR > 1 { d = $1 - 495.333; if (d < 0) d = -d; if (!(FILENAME in e) || d < e[FILENAME]) e[FILENAME] = d }
    END { a = e[ARGV[1]]; b = e[ARGV[2]]; exit !(b > 0 && b < 0.1 && a / b > 3.4) }' \
    tube20.0/q_resonances.csv tube10.0/q_resonances.csv
  check "TE11 of a tube between Bloch walls: within 0.1 nm in cells of 10 nm, second order" $?
fi
while read -r polarisation axis; do
  run cavity.cfg long0 "${round[@]}" --set "grid.polarisation=\"$polarisation\"" --set "sources.[0].axis=\"$axis\"" \
    --set 'monitors=({type="energy";name="energy";every=100;})' --set run.time_fs=1000.0
  stays "m = 0, $polarisation" long0
done <<<$'TM x\nTE y'
run cavity.cfg long --set 'monitors=({type="energy";name="energy";every=100;})'
stays "m = 1" long

# The same bits from towers, ranks along z and a restart; poles, losses, surface nodes, all kinds of monitors.
cat >bits.cfg <<'CFG'
format_version = 3;
grid = { size = [360.0, 360.0, 400.0]; cell = 10.0; coordinates = "cylindrical"; m = 1; };
boundaries = { default = "absorber"; absorber = { thickness = 40.0; }; z_lo = { type = "cpml"; cells = 6; };
  z_hi = { type = "cpml"; cells = 6; }; };
media = ( { name = "ball"; index = 2.0; } );
objects = ( { type = "sphere"; medium = "ball"; radius = 80.0; },
  { type = "cylinder"; medium = "Au"; axis = "z"; radius = 43.0; height = 66.0; } );
sources = ( { type = "plane_wave"; name = "wave"; direction = "+z"; polarisation = "x";
  box = { lo = [-100.0, -100.0, -100.0]; hi = [100.0, 100.0, 100.0]; };
  time = { type = "pulse"; wavelength = 330.0; band = 310.0; }; } );
monitors = ( { type = "cross_section"; name = "ball"; wavelengths = [314.159265, 209.439510]; radius = 80.0; },
  { type = "energy"; name = "energy"; every = 50; },
  { type = "flux"; name = "behind"; wavelengths = [300.0];
    box = { lo = [-90.0, -90.0, 130.0]; hi = [90.0, 90.0, 130.0]; }; },
  { type = "field"; name = "near"; wavelengths = [314.0]; components = ["Ex", "Ey", "Ez", "Hx", "Hy", "Hz"];
    box = { lo = [0.0, 0.0, -120.0]; hi = [120.0, 0.0, 120.0]; }; },
  { type = "probe"; name = "out"; position = [115.0, 0.0, 0.0]; components = ["Ex", "Ey", "Ez", "Hx", "Hy", "Hz"]; } );
run = { time_fs = 20.0; tolerance = 100.0; };
CFG
# Of m = 0: a dipole between points of the grid in place of the wave, a flux box in place of the cross-section.
sed -e '/^sources/,/^  time/c\
sources = ( { type = "electric_dipole"; name = "d"; position = [3.0, 0.0, 104.0]; axis = "z"; amplitude = 1e-9;\
  time = { type = "pulse"; wavelength = 330.0; band = 200.0; }; } );' \
  -e 's/{ type = "cross_section"; .* },/{ type = "flux_box"; name = "box"; wavelengths = [314.159265];\
    box = { lo = [-110.0, -110.0, -110.0]; hi = [110.0, 110.0, 130.0]; }; },/' bits.cfg >round.cfg
same() { # NAME FOLDER: the results are those of `stepwise`
  cmp -s stepwise/spectra.csv "$2/spectra.csv" && cmp -s stepwise/energy.csv "$2/energy.csv" &&
    cmp -s stepwise/out.csv "$2/out.csv" && h5diff stepwise/results.h5 "$2/results.h5" monitors monitors
  check "$1" $?
}
for variant in "subpixel 1" "tensor 1" "subpixel TM" "tensor TM" "subpixel TE" "tensor TE"; do
  read -r averaging m <<<"$variant"
  surface="averaging $averaging, m = $m"
  job=(bits.cfg --set "grid.averaging=\"$averaging\"")
  [[ $averaging == tensor ]] && job+=(--set 'objects.[1].medium="ball"' --set 'objects.[1].height=220.0')
  [[ $m == T? ]] && job=(round.cfg "${job[@]:1}" "${round[@]}" --set "grid.polarisation=\"$m\"")
  [[ $m == TE ]] && job+=(--set 'sources.[0].type="magnetic_dipole"')
  "$TORRE" run "${job[@]}" --device cpu -q --overwrite --out stepwise --engine stepwise >/dev/null
  check "$surface: runs" $?
  "$TORRE" run "${job[@]}" --device cpu -q --overwrite --out towers \
    --engine diamond --dts 5 --th 13 --threads 3 >/dev/null
  same "$surface: towers have the same results" towers
  mpirun --oversubscribe -n 2 "$TORRE" run "${job[@]}" --device cpu -q --overwrite --out ranks --ranks 1x2 >/dev/null
  same "$surface: two ranks have the same results" ranks
  rm -rf again
  "$TORRE" run "${job[@]}" --device cpu -q --out again --set run.time_fs=9.0 --set checkpoint.keep=true >/dev/null
  "$TORRE" run "${job[@]}" --device cpu -q --out again --restart --set checkpoint.keep=true >/dev/null
  same "$surface: a run that is continued has the same results" again
done

# Far fields: a dipole on the axis; what a sphere scatters to all sides is what passes the box.
cat >far.cfg <<'CFG'
format_version = 3;
grid = { size = [2400.0, 2400.0, 1200.0]; cell = 10.0; coordinates = "cylindrical"; m = 1; };
boundaries = { default = "absorber"; absorber = { thickness = 800.0; }; z_lo = "cpml"; z_hi = "cpml"; };
media = ( { name = "ball"; index = 2.0; } );
sources = ( { type = "electric_dipole"; position = [0.0, 0.0, 0.0]; axis = "x";
              time = { type = "pulse"; wavelength = 500.0; band = 100.0; }; } );
monitors = ( { type = "far_field"; name = "f"; box = { lo = [-300.0, -300.0, -200.0]; hi = [300.0, 300.0, 200.0]; };
               wavelengths = [500.0]; step_deg = 5.0; } );
run = { time_fs = 60.0; tolerance = 1e9; };
CFG
# pattern FOLDER X|Z: the largest difference of the directivity from a dipole's, and of all directions' mean from 1.
pattern() {
  awk -F, -v along="$2" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } {
      t = $(at["theta_deg"]) * atan2(0, -1) / 180; p = $(at["phi_deg"]) * atan2(0, -1) / 180
      d = $(at["directivity"]); u = along == "x" ? sin(t) * cos(p) : cos(t); off = d - 1.5 * (1 - u * u)
      if (off < 0) off = -off; if (off > worst) worst = off; sum += d * sin(t); all += sin(t) }
    END { off = sum / all - 1; print worst, off < 0 ? -off : off }' "$1/f_far.csv"
}
"$TORRE" run far.cfg --device cpu -q --overwrite --out x
"$TORRE" run far.cfg --device cpu -q --overwrite --out z --set grid.m=0 --set 'grid.polarisation="TM"' \
  --set 'sources[0].axis="z"'
for axis in x z; do
  found=$(pattern $axis $axis)
  below "${found% *}" 0.015 && below "${found#* }" 5e-3
  check "a dipole along $axis: directivity off by ${found% *}, its mean by ${found#* }" $?
done
wave='type="plane_wave";direction="+z";polarisation="x";time={type="pulse";wavelength=500.0;band=100.0;}'
wave+=';box={lo=[-200.0,-200.0,-180.0];hi=[200.0,200.0,180.0];}'
"$TORRE" run far.cfg --device cpu -q --overwrite --out lit --set "sources=({$wave;})" --set run.time_fs=100.0 \
  --set 'objects=({type="sphere";medium="ball";radius=150.0;})'
mean=$(pattern lit x)
below "${mean#* }" 5e-3
check "a sphere in a plane wave: power to all sides off by ${mean#* } of what passes the box" $?
near "forward, of Mie's series: nm^2 / sr" "$(awk -F, 'NR == 2 { print $NF }' lit/f_far.csv)" 94887.5 950

# refused NAME TEXT ARGUMENTS...: a fault with the text, status 2.
refused() {
  "$TORRE" check "${job[@]}" "${@:3}" >out.txt 2>&1
  [[ $? == 2 ]] && grep -q -- "$2" out.txt
  check "refused: $1" $?
}
job=(bits.cfg)
refused "no m" 'grid.m: missing' --set 'grid={size=[360.0,360.0,400.0];cell=10.0;coordinates="cylindrical";}'
refused "m = 0 without its fields" 'grid.polarisation: missing, and m = 0 has two' --set grid.m=0
refused "a polarisation of m = 1" 'cylindrical ones of m = 0' --set 'grid.polarisation="TM"'
refused "a wave of m = 0" 'a field of m = 1' --set grid.m=0 --set 'grid.polarisation="TM"'
refused "m without the coordinates" 'is for cylindrical' --set 'grid.coordinates="cartesian"'
refused "2-D" 'box around a cylinder' \
  --set 'grid={size=[360.0,400.0];cell=10.0;polarisation="TM";coordinates="cylindrical";m=1;}'
refused "unlike sides" 'even number of 4' --set 'grid.size=[360.0,340.0,400.0]'
refused "an odd diameter" 'even number of 4' --set 'grid.size=[350.0,350.0,400.0]'
refused "walls that differ" 'differ' --set 'boundaries.x_lo="pec"'
sed 's/type = "sphere"; medium = "ball"; radius = 80.0/type = "box"; medium = "ball"; size = [9.0, 9.0, 9.0]/' \
  bits.cfg >box.cfg
job=(box.cfg)
refused "a box" 'box.cfg:6: objects\[0\]: is no body of revolution'
job=(bits.cfg)
refused "a sphere off the axis" 'no body of revolution' --set 'objects.[0].center=[10.0,0.0,0.0]'
refused "copies beside the axis" 'objects\[0\]' --set 'objects.[0].repeat=[3,1,1]' \
  --set 'objects.[0].pitch=[20.0,1.0,1.0]'
refused "a cylinder along x" 'no body of revolution' --set 'objects.[1].axis="x"'
refused "a wave of m = 2" 'a field of m = 1' --set grid.m=2
refused "a wave along x" 'a field of m = 1' --set 'sources.[0].direction="+x"' --set 'sources.[0].polarisation="z"'
refused "a wave box off the axis" 'stands for the cylinder' --set 'sources.[0].box.lo=[-90.0,-100.0,-100.0]'
refused "order 4" 'order 4 is' --set grid.order=4
refused "graded" 'graded grids are' --set 'grid.refine=({axis="z";from=0.0;to=20.0;cell=5.0;})'
refused "symmetry" 'symmetries are' --set 'symmetry={x="odd";}'
refused "a far field beside the axis" 'stands for the cylinder' \
  --set 'monitors=({type="far_field";name="f";wavelengths=[300.0];box={lo=[0.0,-9.0,-9.0];hi=[9.0,9.0,9.0];};})'
refused "a probe off the half plane" 'half plane' --set 'monitors=({type="probe";name="p";position=[50.0,10.0,0.0];})'
refused "a flux beside the axis" 'stands for the cylinder' \
  --set 'monitors=({type="flux";name="p";wavelengths=[300.0];box={lo=[0.0,0.0,130.0];hi=[90.0,90.0,130.0];};})'
refused "a Kerr effect" '"ball" has a Kerr effect, which cylindrical coordinates do not have' \
  --set 'media.[0].chi3_m2_per_V2=1e-20'
refused "metals with surface nodes" 'for dielectrics in cylindrical' --set 'grid.averaging="tensor"'
refused "ranks along x" 'shared along z alone' --set 'schedule.ranks=[2,1]'
job=(dipole.cfg)
refused "a dipole along y" 'drives other fields' --set 'sources.[0].axis="y"'
refused "a dipole along z on the axis" 'no field of m = 1' --set 'sources.[0].position=[0.0,0.0,0.0]'
refused "a dipole along y, m = 0, TM" 'need "x" or "z"' "${round[@]}" --set 'grid.polarisation="TM"' \
  --set 'sources.[0].axis="y"'
refused "a dipole along z, m = 0, TE" 'need "y"' "${round[@]}" --set 'grid.polarisation="TE"'
refused "a dipole across the axis on it, m = 0" 'no field of m = 0, TM' "${round[@]}" \
  --set 'grid.polarisation="TM"' --set 'sources.[0].position=[0.0,0.0,0.0]' --set 'sources.[0].axis="x"'
job=(sphere.cfg)
"$TORRE" check sphere.cfg --set 'boundaries={default="cpml";}' >out.txt 2>&1
grep -q 'CPML around the cylinder returns waves' out.txt
check "CPML around the cylinder is warned of" $?

finish
