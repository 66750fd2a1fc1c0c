#!/usr/bin/env bash
# Reflection and transmission of films at normal incidence, by the jobs that a user would run.
source "$TORRE_SOURCE/tests/system/lib.sh"

"$TORRE" run "$TORRE_SOURCE/jobs/slab/job.cfg" --out slab -q
check "the slab runs" $?
near "slab R(500 nm)" "$(awk -v r="$(cell slab/spectra.csv reflected.fraction 500)" 'BEGIN { print -r }')" 0.337215 1e-3
near "slab R(700 nm)" "$(awk -v r="$(cell slab/spectra.csv reflected.fraction 700)" 'BEGIN { print -r }')" 0.095754 1e-3
near "slab T(500 nm)" "$(cell slab/spectra.csv transmitted.fraction 500)" 0.662785 1e-3

# In the picture R is above 0: its line, the first colour, falls from 0.34 at 500 nm to 0.10 at 700 nm.
if has_pictures; then
  python3 "$TORRE_SOURCE/tests/support/line_ends.py" slab/spectra.png 0072b2 >ends.txt
  echo "rows of the reflected power's ends: $(cat ends.txt)"
  awk '{ exit !($1 > 90 && $2 > $1 + 50) }' ends.txt
  check "the picture has R above 0" $?
fi

"$TORRE" run "$TORRE_SOURCE/jobs/slab/job.cfg" --out slab4 -q --set grid.order=4
check "the slab runs in order 4" $?
near "slab, order 4, R(500 nm)" "$(awk -v r="$(cell slab4/spectra.csv reflected.fraction 500)" 'BEGIN { print -r }')" \
  0.337215 1e-3
near "slab, order 4, R(700 nm)" "$(awk -v r="$(cell slab4/spectra.csv reflected.fraction 700)" 'BEGIN { print -r }')" \
  0.095754 1e-3

# Cells five times as long, and walls between nodes: exact by the means of flat walls (by those of a cell 0.3313 and
# 0.0946).
for off in 0 3; do
  "$TORRE" run "$TORRE_SOURCE/jobs/slab/job.cfg" --out coarse$off -q --set grid.order=4 \
    --set 'grid.size=[20.0,20.0,1800.0]' --set 'grid.cell=[20.0,20.0,10.0]' --set objects[0].lo=$((off - 100)).0 \
    --set objects[0].hi=$((off + 100)).0 --set boundaries.z_lo.thickness=200.0 \
    --set boundaries.z_hi.thickness=200.0 --set 'sources[0].box.hi=[10.0,10.0,950.0]'
  check "the slab runs in order 4 in cells of 10 nm, $off nm beyond nodes" $?
  near "its R(500 nm)" "$(awk -v r="$(cell coarse$off/spectra.csv reflected.fraction 500)" 'BEGIN { print -r }')" \
    0.337215 3e-4
  near "its R(700 nm)" "$(awk -v r="$(cell coarse$off/spectra.csv reflected.fraction 700)" 'BEGIN { print -r }')" \
    0.095754 3e-4
done

# There walls change the medium up to three cells away, where planes that need one medium may not be.
orders_at() {
  "$TORRE" check "$TORRE_SOURCE/jobs/grating/job.cfg" --set "grid.order=$1" --set "monitors[3].position=$2"
}
orders_at 4 270.0 >near.txt 2>&1
[[ $? == 2 ]] && grep -q 'monitors\[3\].*in order 4 is within three cells of another, need a place in one' near.txt
check "orders two cells from a wall are refused in order 4" $?
orders_at 4 290.0 >far.txt 2>&1 && orders_at 2 270.0 >two.txt 2>&1
check "four cells from it they are not, nor two cells in order 2" $?

# A run that ends while a film of index 8 still rings: the warning has the error of its spectra and the time at which it
# is below 1 %. of_the_largest A B: largest difference of the reflected power, of the largest in B, in %.
ringing() {
  "$TORRE" run "$TORRE_SOURCE/jobs/slab/job.cfg" --out "$1" -q --set media[0].index=8.0 --set run.decay=0 \
    --set "run.time_fs=$2" 2>&1
}
of_the_largest() {
  paste -d, "$1/spectra.csv" "$2/spectra.csv" | awk -F, 'NR > 1 { d = $2 - $7; if (d < 0) d = -d; if (d > off) off = d
    if (-$7 > most) most = -$7 } END { printf "%.3f\n", 100 * off / most }'
}
ringing early 70 >early.txt
[[ $? == 3 ]] && grep -q 'unconverged (run.tolerance = 0.05): ' early.txt && ringing settled 400 >settled.txt
check "a film of index 8 is unconverged after 70 fs, not after 400 fs" $?
said=$(sed -n 's/.*power may be off by up to \([0-9.]*\) %.*need run.time_fs = \([0-9.]*\) or more$/\1 \2/p' early.txt)
off=$(of_the_largest early settled)
echo "after 70 fs $off % off; said: ${said% *} %, cured after ${said#* } fs"
awk -v off="$off" -v said="${said% *}" 'BEGIN { exit !(off > 2 && off < said && said < 10 * off) }'
check "the warning has the error's size" $?
grep -q '"left": {"energy_J": [0-9.e-]*, "error": 0\.1' early/run.json && ! grep -q 'left in the domain' settled.txt &&
  grep -q '"unconverged": "energy left"' early/run.json && ! grep -q '"unconverged"' settled/run.json
check "run.json has it; a run that has settled gives no warning" $?
"$TORRE" run "$TORRE_SOURCE/jobs/grating/job.cfg" --out orders -q --set run.time_fs=35 >out.txt 2>&1
[[ $? == 3 ]] && grep -q '"unconverged": "energy left"' orders/run.json
check "so are diffraction orders of a grating after 35 fs" $?
ringing cured "${said#* }" >cured.txt && ! grep -q 'left in the domain' cured.txt &&
  awk -v off="$(of_the_largest cured settled)" 'BEGIN { exit !(off < 1) }'
check "the time that it names cures it" $?

# A run that ends before its source: the error is known before, the exit status is 3, the time that is named cures it.
slab=("$TORRE_SOURCE/jobs/slab/job.cfg" --set run.decay=0)
cut() { # TIME NAME STATUS: whether a run of that time has it
  "$TORRE" run "${slab[@]}" --set "run.time_fs=$1" --out "$2" -q >"$2.txt" 2>&1
  [[ $? == "$3" ]]
}
"$TORRE" check "${slab[@]}" --set run.time_fs=14 >warned.txt 2>&1
end=$(sed -n 's/.*run.time_fs = 14 ends before source .* need run.time_fs = \([0-9.]*\) or more$/\1/p' warned.txt)
grep -q 'the exit status will be 3; need' warned.txt && cut 14 short 3 && cut "$end" whole 0 &&
  grep -q '"unconverged": "a source was cut off"' short/run.json && ! grep -q 'unconverged' whole/run.json
check "a run that ends before its source has status 3; not after the $end fs that check names" $?
"$TORRE" run "${slab[@]}" --set run.time_fs=14 --set run.tolerance=1e9 --out meant -q >meant.txt 2>&1
check "run.tolerance lets it end with 0" $?
off=$(of_the_largest short whole)
said=$(sed -n 's/.*"left": {.*"error": \([0-9.]*\)}.*/\1/p' short/run.json)
echo "after 14 fs $off % off; said: $said"
awk -v off="$off" -v said="$said" 'BEGIN { exit !(off > 5 && off < 100 * said) }'
check "its error is not above the one in run.json" $?

# No medium here absorbs: in coarse cells, too, the power through successive planes is the same, and that into a closed
# box is 0, whatever lies in it.
cat >half.cfg <<'END'
length_unit = "nm";
grid = { size = [100.0, 100.0, 4000.0]; cell = 25.0; precision = "fp64"; courant = 0.5; };
boundaries = { default = "pec"; y_lo = "pmc"; y_hi = "pmc";
  z_lo = { type = "cpml"; cells = 20; }; z_hi = { type = "cpml"; cells = 20; }; };
media = ( { name = "glass"; index = 1.5; } );
objects = ( { type = "layer"; medium = "glass"; lo = 0.0; } );
sources = ( { type = "plane_wave"; box = { lo = [-50.0, -50.0, -800.0]; hi = [50.0, 50.0, 2000.0]; };
  direction = "+z"; polarisation = "x";
  time = { type = "pulse"; wavelength = 580.0; band = 300.0; }; } );
monitors = (
  { type = "flux"; name = "back"; box = { lo = [-50.0, -50.0, -1000.0]; hi = [50.0, 50.0, -1000.0]; };
      wavelengths = [500.0, 700.0]; },
  { type = "flux"; name = "before"; box = { lo = [-50.0, -50.0, -500.0]; hi = [50.0, 50.0, -500.0]; };
      wavelengths = [500.0, 700.0]; },
  { type = "flux"; name = "behind"; box = { lo = [-50.0, -50.0, 500.0]; hi = [50.0, 50.0, 500.0]; };
      wavelengths = [500.0, 700.0]; },
  { type = "field"; name = "inside"; box = { lo = [0.0, 0.0, 500.0]; hi = [0.0, 0.0, 500.0]; }; components = ["Ex"];
      wavelengths = [500.0, 700.0]; },
  { type = "field"; name = "outside"; box = { lo = [0.0, 0.0, -500.0]; hi = [0.0, 0.0, -500.0]; }; components = ["Ex"];
      wavelengths = [500.0, 700.0]; } );
run = { time_fs = 200.0; decay = 1e-12; };
END
# transmitted FOLDER MONITOR: E behind the surface over E of the wave where it enters, for each wavelength: amplitude
# and phase [rad].
transmitted() {
  { h5dump -y -m %.17g -w 0 -d "/monitors/$2/incident" "$1/results.h5" &&
    h5dump -y -m %.17g -w 0 -d "/monitors/$2/Ex/spectrum" "$1/results.h5"; } |
    awk '/DATASET/ { wanted = 1 } /ATTRIBUTE/ { wanted = 0 }
      wanted && /^ *-?[0-9]/ { gsub(/,/, " "); for (i = 1; i <= NF; i++) v[n++] = $i }
      END { for (q = 0; n == 8 && q < 2; q++) {
        a = v[2 * q]; b = v[2 * q + 1]; c = v[2 * q + 4]; d = v[2 * q + 5]; m = a * a + b * b
        re = (c * a + d * b) / m; im = (d * a - c * b) / m;
        printf "%.9g %.9g\n", sqrt(re * re + im * im), atan2(im, re) } }'
}
cat >ball.cfg <<'END'
length_unit = "nm";
grid = { size = [1000.0, 1000.0, 1000.0]; cell = 25.0; precision = "fp64"; courant = 0.5; };
boundaries = { default = "cpml"; cpml = { cells = 8; }; };
media = ( { name = "ball"; index = 2.0; }, { name = "glass"; index = 1.5; } );
objects = ( { type = "layer"; medium = "glass"; hi = -60.0; },
  { type = "sphere"; medium = "ball"; radius = 100.0; center = [10.0, 0.0, 60.0]; } );
sources = ( { type = "plane_wave"; box = { lo = [-225.0, -225.0, -225.0]; hi = [225.0, 225.0, 225.0]; };
  direction = "-z"; polarisation = "x";
  time = { type = "pulse"; wavelength = 580.0; band = 300.0; }; } );
monitors = ( { type = "flux_box"; name = "box"; box = { lo = [-175.0, -175.0, -175.0]; hi = [175.0, 175.0, 175.0]; };
  wavelengths = [500.0, 700.0]; } );
run = { time_fs = 60.0; decay = 1e-12; };
END
# By the grids' dispersion relations; without dispersion 1.3464.
phase=([2]=1.39128 [4]=1.34510)
for order in 2 4; do
  "$TORRE" run half.cfg --out half$order -q --set grid.order=$order &&
    "$TORRE" run ball.cfg --out ball$order -q --set grid.order=$order
  check "glass, and a ball on it, in order $order" $?
  # By Fresnel, from both sides; phases over 800 nm of vacuum and 500 nm of glass.
  "$TORRE" run half.cfg --out glass$order -q --set grid.order=$order --set sources[0].direction=-z \
    --set 'sources[0].box.lo=[-50.0,-50.0,-2000.0]' --set 'sources[0].box.hi=[50.0,50.0,800.0]'
  check "a wave from glass, in order $order" $?
  transmitted half$order inside >in.txt
  transmitted glass$order outside >out.txt
  near "order $order: E in glass, 500 nm" "$(sed -n '1s/ .*//p' in.txt)" 0.8 1e-2
  near "order $order: E in glass, 700 nm" "$(sed -n '2s/ .*//p' in.txt)" 0.8 1e-2
  near "order $order: E behind glass, 500 nm" "$(sed -n '1s/ .*//p' out.txt)" 1.2 1.5e-2
  near "order $order: E behind glass, 700 nm" "$(sed -n '2s/ .*//p' out.txt)" 1.2 1.5e-2
  near "order $order: phase in glass, 700 nm" "$(sed -n '2s/.* //p' in.txt)" "${phase[$order]}" 1e-3
  for nm in 500 700; do
    near "order $order: power in glass as before it, $nm nm" "$(cell half$order/spectra.csv behind.fraction $nm)" \
      "$(cell half$order/spectra.csv before.fraction $nm)" 1e-6
    near "order $order: with the reflected power it is 1" \
      "$(awk -v r="$(cell half$order/spectra.csv back.fraction $nm)" \
        -v t="$(cell half$order/spectra.csv behind.fraction $nm)" 'BEGIN { print t - r }')" 1 1e-5
    near "order $order: no power stays in the box, $nm nm" "$(cell ball$order/spectra.csv fraction $nm)" 0 1e-6
  done
done

"$TORRE" run "$TORRE_SOURCE/jobs/drude-film/job.cfg" --out film -q
check "the Drude film runs" $?
near "film R(500 nm)" "$(awk -v r="$(cell film/spectra.csv reflected.fraction 500)" 'BEGIN { print -r }')" 0.757778 5e-3
near "film T(500 nm)" "$(cell film/spectra.csv transmitted.fraction 500)" 0.215566 5e-3

# Films of 20 nm whose index is given at 500 nm: a Drude pole, a conductivity. By the transfer matrix.
# index N K R T
index() {
  "$TORRE" run "$TORRE_SOURCE/jobs/drude-film/job.cfg" --out "index$1" -q \
    --set "media=({name=\"film\";n=$1;k=$2;at=500.0;})" --set 'monitors[0].wavelengths=[500.0]' \
    --set 'monitors[1].wavelengths=[500.0]'
  near "index $1 + $2 i: R" "$(awk -v r="$(cell "index$1/spectra.csv" reflected.fraction 500)" 'BEGIN { print -r }')" \
    "$3" 2e-4
  near "index $1 + $2 i: T" "$(cell "index$1/spectra.csv" transmitted.fraction 500)" "$4" 2e-4
  grep -qF "medium \"film\": index $1 + $2 i at 500 nm, by $5" "index$1/run.log" &&
    ! grep -q 'warning: ' "index$1/run.log" && grep -q '"at_m": 5e-07' "index$1/run.json"
  check "index $1 + $2 i: the log says by what, run.json has the index" $?
}
index 0.97 1.87 0.177533 0.412708 "permittivity 1.0718 and a Drude pole of plasma_eV = 6.67"
index 3.9 0.5 0.577729 0.240949 "permittivity 14.96 and conductivity_S_per_m = "
"$TORRE" check "$TORRE_SOURCE/jobs/drude-film/job.cfg" --set 'media=({name="film";n=0.97;k=1.87;at=500.0;})' >out.txt
grep -q 'warning: monitor reflected: 600 nm is 20 % from 500 nm, where alone the index of "film" is right' out.txt
check "wavelengths far from that of an index are warned of" $?

# A cell of a metalens: glass alone against Fresnel. With the pillar, flux and field behind it give the same
# transmission.
lens=$TORRE_SOURCE/jobs/metalens-cell/job.cfg
"$TORRE" run "$lens" --out empty -q --set objects[1].medium=vacuum && "$TORRE" run "$lens" --out pillar -q
check "the cell of a metalens runs" $?
near "glass alone: T(600 nm)" "$(cell empty/spectra.csv transmitted.fraction 600)" 0.96503 4.8e-3
near "the pillar: T and the field behind it" "$(cell pillar/spectra.csv transmitted.fraction 600)" \
  "$(awk -v a="$(cell pillar/behind_spectrum.csv Ex_V_per_m_per_Hz 600)" \
    -v b="$(cell empty/behind_spectrum.csv Ex_V_per_m_per_Hz 600)" 'BEGIN { print 0.96503 * (a / b)^2 }')" 2e-3
! grep -q warning pillar/run.log empty/run.log
check "no warnings" $?
finish
