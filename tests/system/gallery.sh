#!/usr/bin/env bash
# docs/user/gallery.md: its jobs are ready ones, and their numbers hold against theory (tests/stress/gallery/layers.py,
# wires.py, tests/stress/guides/bend_theory.py) or, of the bow-tie and the hologram's cell, against smaller cells.
source "$TORRE_SOURCE/tests/system/lib.sh"
page=$TORRE_SOURCE/docs/user/gallery.md

mapfile -t jobs < <(sed -n 's|^## ||p' "$page")
ready_jobs 9 "${jobs[@]}"
for job in "${jobs[@]}"; do
  [[ -s $TORRE_SOURCE/docs/user/gallery-$job.png ]]
  check "$job: has a picture" $?
done
run() { # NAME JOB ARGUMENTS...
  local name=$1 job=$2
  shift 2
  "$TORRE" run "$job" --out "$name" -q --set schedule.threads=1 "$@" 2>err.txt
  check "$name runs" $?
}
value() { cell "$1/spectra.csv" "$2" "$3"; } # RUN COLUMN WAVELENGTH
part() { awk -v a="$1" -v b="$2" 'BEGIN { print a * b }'; }
column() { # FILE COLUMN of its first row
  awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i } NR == 2 { print $at }' "$1"
}

run far antenna/job.cfg
near "antenna: power" "$(value far fraction 3000)" 0.85783 0.004
while read -r theta phi exact; do
  near "antenna: directivity at $theta, $phi degrees" "$(awk -F, -v t="$theta" -v p="$phi" \
    '$2 == t && $3 == p { print $NF }' far/far_far.csv)" "$exact" 0.01
done <<<$'0 0 2.62288\n20 0 1.57240\n20 90 1.78070\n60 0 0.65572\n60 90 2.62288\n80 90 1.54613'

run wires dimer/job.cfg
while read -r nm ext abs; do
  near "dimer: C_ext at $nm nm" "$(value wires C_ext_nm "$nm")" "$ext" "$(part 0.01 "$ext")"
  near "dimer: C_abs at $nm nm" "$(value wires C_abs_nm "$nm")" "$abs" 0.6
done <<<$'500 303.679 137.675\n600 193.912 35.910\n700 99.352 10.247\n800 58.924 4.630'

run solar solar-cell/job.cfg
while read -r nm reflected silicon mirror; do
  near "solar cell: R at $nm nm" "$(value solar reflected.fraction "$nm")" "-$reflected" 0.008
  near "solar cell: in silicon, $nm nm" "$(cell solar/cell_absorption.csv Si_fraction "$nm")" "$silicon" 0.008
  near "solar cell: in the mirror, $nm nm" "$(cell solar/cell_absorption.csv mirror_fraction "$nm")" "$mirror" 5e-4
done <<END
450 0.05781 0.93223 0.00997
500 0.28892 0.69059 0.02049
600 0.61726 0.35371 0.02903
800 0.87468 0.10144 0.02389
END

flat() { sed '/ polarisation = "TM";/d' "$1" >"$2"; } # a dipole along the layers is a field of m = 1
flat hyperbolic-stack/job.cfg stack.cfg
run upright hyperbolic-stack/job.cfg
run along stack.cfg --set grid.m=1 --set 'sources[0].axis="x"'
while read -r nm upright along; do
  near "hyperbolic stack: upright, $nm nm" "$(value upright fraction "$nm")" "$upright" 0.006
  near "hyperbolic stack: along, $nm nm" "$(value along fraction "$nm")" "$along" 0.012
done <<<$'400 3.20100 1.58422\n500 3.19586 1.06477\n600 3.17108 0.81155\n700 3.15817 0.67515'

run oled oled/job.cfg --set grid.m=0 --set 'grid.polarisation="TM"' --set 'sources[0].axis="z"'
while read -r nm rate outside; do
  near "OLED: upright, $nm nm" "$(value oled rate.fraction "$nm")" "$rate" 0.008
  near "OLED: upright, outside, $nm nm" "$(value oled outside.fraction "$nm")" "$outside" 0.01
done <<<$'450 1.72731 0.00160\n500 1.88986 0.00642\n550 2.02004 0.01297\n600 2.13304 0.01850\n650 2.24055 0.02457'

if "$TORRE" --version | grep -q 'modes by ARPACK'; then
  run bend bend/job.cfg
  near "bend: lost" "$(awk -v a="$(column bend/first_modes.csv forward_J_per_Hz_m)" \
    -v b="$(column bend/last_modes.csv forward_J_per_Hz_m)" 'BEGIN { print 1 - b / a }')" 0.13823 0.002
fi

run tie bow-tie/job.cfg
while read -r nm rate out; do
  near "bow-tie: rate, $nm nm" "$(value tie rate.fraction "$nm")" "$rate" "$(part 0.05 "$rate")"
  near "bow-tie: out, $nm nm" "$(value tie out.fraction "$nm")" "$out" "$(part 0.05 "$out")"
done <<<$'600 137.085 26.507\n625 197.403 52.648\n650 165.683 55.094\n700 72.028 31.080'

# What is turned around is p + i s, of a fin at 0 and at 30 degrees: half the phase between them is the angle. At 0 by
# coupled waves (tests/stress/gratings/fin_reference.py), in cells of 15 nm; at 30 by cells of 10 nm.
run fin0 hologram-cell/job.cfg --set objects[1].rotate_deg=0.0
run fin30 hologram-cell/job.cfg
turned() { # FOLDER: power turned around, its phase in degrees
  awk -F, '$1 == 633 && $4 == 1 {
    re = $11 * cos($12) - $9 * sin($10); im = $11 * sin($12) + $9 * cos($10); a = re * re + im * im
    re2 = $11 * cos($12) + $9 * sin($10); im2 = $11 * sin($12) - $9 * cos($10); b = re2 * re2 + im2 * im2
    print $8 * a / (a + b), atan2(im, re) * 180 / 3.14159265 }' "$1/behind_orders.csv"
}
read -r power0 phase0 < <(turned fin0)
read -r power30 phase30 < <(turned fin30)
near "hologram: turned around, 0 degrees" "$power0" 0.808 0.05
near "hologram: turned around, 30 degrees" "$power30" 0.760 0.015
near "hologram: phase" "$(awk -v a="$phase0" -v b="$phase30" 'BEGIN { print b - a }')" 60 2
finish
