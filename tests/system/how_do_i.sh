#!/usr/bin/env bash
# docs/user/how-do-i.md: its jobs are ready ones, its numbers hold against theory, and the
# program answers its mistakes as the page says.
source "$TORRE_SOURCE/tests/system/lib.sh"
page=$TORRE_SOURCE/docs/user/how-do-i.md

mapfile -t jobs < <(sed -n 's|^\[\([a-z-]*\)\](../../jobs/.*|\1|p' "$page")
ready_jobs 7 "${jobs[@]}"
python3 "$TORRE_SOURCE/tests/support/how_do_i.py" "$TORRE" "$page" || failures=$((failures + 1))
sed 's/raduis: unknown key/raduis: unknown word/' "$page" >other.md
python3 "$TORRE_SOURCE/tests/support/how_do_i.py" "$TORRE" other.md >out.txt
[[ $? == 1 && $(grep -c ^fail out.txt) == 1 ]]
check "a page with another answer is found" $?

run() { # NAME JOB ARGUMENTS...
  local name=$1 job=$2
  shift 2
  "$TORRE" run "$job/job.cfg" --out "$name" -q "$@" 2>err.txt
  check "$name runs" $?
}
value() { cell "$1/spectra.csv" "$2" "$3"; } # RUN COLUMN WAVELENGTH
times() { awk -v a="$1" -v b="$2" 'BEGIN { print a * b }'; }

# The transfer matrix, rigorous coupled waves, the series of a cylinder, Sommerfeld's integrals.
run film-stack film-stack
while read -r nm exact; do
  near "film stack: R($nm nm)" "$(times "$(value film-stack reflected.fraction "$nm")" -1)" "$exact" 2e-4
done <<<$'550 0.986280\n600 0.993262\n650 0.988544\n700 0.950060'
run grating grating
near "grating: T(632.8 nm)" "$(value grating transmitted.fraction 632.8)" 0.964849 4e-4
near "grating: R(632.8 nm)" "$(times "$(value grating reflected.fraction 632.8)" -1)" 0.035152 4e-4
order() { awk -F, -v n="$2" '$2 == n && $3 == 1 { print $6 }' "grating/$1_orders.csv"; } # MONITOR ORDER
while read -r n exact; do
  near "grating: T of order $n" "$(order behind "$n")" "$exact" 8e-4
done <<<$'0 0.216721\n1 0.325711\n-1 0.325711\n2 0.048353'
run oblique oblique-grating
while read -r n exact; do
  near "grating at 30 degrees: T of order $n" "$(awk -F, -v n="$n" '$2 == n && $3 == 1 { print $6 }' \
    oblique/behind_orders.csv)" "$exact" 2e-3
done <<<$'-2 0.144759\n-1 0.274626\n0 0.478546\n1 0.073070'
run beam tilted-beam
near "beam: R" "$(times "$(value beam reflected.fraction 1000)" -1)" 0.0582 0.005
run cylinder cylinder
run along cylinder --set 'grid.polarisation="TM"'
while read -r nm across along; do
  near "cylinder: Q($nm nm), E across" "$(times "$(value cylinder C_ext_nm "$nm")" 5e-3)" "$across" 0.015
  near "cylinder: Q($nm nm), E along" "$(times "$(value along C_ext_nm "$nm")" 5e-3)" "$along" 0.008
done <<<$'400 3.0914 3.9835\n500 2.5205 4.5253\n600 1.4625 3.2724\n700 0.7063 2.3603'
grep -q '2-D.*per length, in nm' cylinder/run.log &&
  [[ $(h5dump -a /monitors/wire/C_ext_nm/units cylinder/results.h5) == *'"nm"'* ]]
check "the cylinder's cross-sections are per length, in the log and in results.h5" $?
run far far-field
while read -r theta phi exact within; do
  near "far field: dQ/dOmega at $theta, $phi degrees" "$(awk -F, -v t="$theta" -v p="$phi" \
    '$2 == t && $3 == p { print $10 / 31415.9265 }' far/sphere_far.csv)" "$exact" "$within"
done <<<$'0 0 2.19731 0.03\n60 0 0.40735 0.009\n60 90 0.28204 0.006\n90 0 0.26295 0.003\n180 0 0.11025 0.003'
run ring ring
resonance() { awk -F, -v near="$1" -v n="$2" '$1 - near < 9 && near - $1 < 9 { print $n }' ring/ring_resonances.csv; }
while read -r nm q off_nm off_q; do # within 0.07 % and 0.9 %, of cells of 50 nm
  near "ring: wavelength" "$(resonance "$nm" 1)" "$nm" "$off_nm"
  near "ring: Q" "$(resonance "$nm" 5)" "$q" "$off_q"
done <<<$'8460.83 77.26 3 0.2\n6782.8 343.92 4 1.5\n5688.95 1634.2 5 15'
run cavity crystal-cavity
IFS=, read -r nm _ _ _ q _ < <(tail -1 cavity/cavity_resonances.csv)
near "a cavity in a crystal, order 4: wavelength" "$nm" 1266.314 0.4
near "a cavity in a crystal, order 4: Q" "$q" 761.67 6
run purcell purcell
while read -r nm exact; do
  near "Purcell factor at $nm nm" "$(value purcell fraction "$nm")" "$exact" 0.01
done <<<$'550 1.8610\n600 2.0216\n650 2.1116\n700 2.1712'
finish
