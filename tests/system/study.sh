#!/usr/bin/env bash
# torre study cells: extrapolated values against theory and their own errors, a study that continues where it was
# stopped, on two ranks as on one, and mistakes, which are refused before anything is run.
source "$TORRE_SOURCE/tests/system/lib.sh"
slab=$TORRE_SOURCE/jobs/slab/job.cfg ball=$TORRE_SOURCE/jobs/convergence/job.cfg

# holds NAME FILE NUMBER WAVELENGTH THEORY [nearer]: the theory is within the error of the extrapolated value, which is
# nearer to it than the value of the finest cell.
holds() {
  awk -F, -v number="$3" -v nm="$4" -v theory="$5" -v nearer="${6:-}" '
    function off(x) { return x > theory ? x - theory : theory - x }
    NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i }
    NR > 1 && $1 == number && $2 == nm {
      x = $column["extrapolated"]; e = $column["error"]; finest = $(column["extrapolated"] - 1)
      printf "     %s +- %s, finest %s, wanted %s\n", x, e, finest, theory
      exit found = e > 0 && off(x) <= e && (nearer == "" || off(x) < off(finest)) ? 3 : 1
    }
    END { if (!found) exit 1 }' "$2"
  [[ $? == 3 ]]
  check "$1" $?
}

# --- A slab, whose layers, box and planes are lengths ---

"$TORRE" study cells "$slab" --cells 2.5,10,5 --out slab -q >out.txt 2>&1
check "the slab at three cells" $?
for nm in 500 700; do
  r=$([[ $nm == 500 ]] && echo 0.337215 || echo 0.095754)
  holds "R($nm nm)" slab/study.csv reflected.fraction $nm "-$r" nearer
  holds "T($nm nm)" slab/study.csv transmitted.fraction $nm "$(awk -v r="$r" 'BEGIN { print 1 - r }')" nearer
done
[[ $(cut -d, -f11 slab/study.csv | sort -u | tr '\n' ' ') == "fitted method " ]]
check "orders are fitted" $?
sed -n '/^errors of/,$p' out.txt | sed -n 2p | grep -q 'the largest: .* % (reflected.fraction at 500 nm); the median: '
check "the summary comes first and names the worst" $?
[[ -s slab/study.json ]] && { ! command -v python3 >/dev/null || python3 -m json.tool slab/study.json >json.txt; }
check "study.json" $?
! has_pictures || [[ -s slab/study.png && -s slab/study.svg ]]
check "the picture" $?
grep -q '"cells": \[1, 1, 560\]' slab/cell-2.5/run.json
check "an axis of one cell keeps it" $?

cp slab/study.csv before.csv && "$TORRE" study cells "$slab" --cells 10,5,2.5 --out slab >out.txt 2>&1 &&
  [[ $(grep -c 'ended already' out.txt) == 3 ]] && cmp -s before.csv slab/study.csv
check "finished runs are not repeated" $?
"$TORRE" study cells "$slab" --cells 10,5 --out slab -q >out.txt 2>&1 &&
  grep -q 'extrapolated by order 2, which two cells cannot test' out.txt
check "two cells: an assumed order, said so" $?
holds "R(500 nm) of two cells" slab/study.csv reflected.fraction 500 -0.337215 nearer

# --- A sphere: the errors hold where values do not converge by one power ---

"$TORRE" study cells "$ball" --cells 20,14,10 --out ball -q --set 'grid.averaging="subpixel"' >out.txt 2>&1
check "the sphere at three cells" $?
! grep -q 'counted in cells' out.txt
check "jobs/convergence has lengths alone" $?
holds "kr = 1: Q_sca" ball/study.csv Q_sca 628.318531 0.79683 nearer
holds "kr = 2: Q_sca" ball/study.csv Q_sca 314.159265 4.77044
holds "kr = 3: Q_sca" ball/study.csv Q_sca 209.43951 3.03617 nearer

# --- A dipole in vacuum, on one rank and on two ---

cat >dipole.cfg <<'END'
grid = { size = [504.0, 504.0, 504.0]; cell = 14.0; };
boundaries = { cpml = { thickness = 112.0; }; };
sources = ( { type = "electric_dipole"; position = [0.0, 0.0, 0.0]; axis = "z";
  time = { type = "pulse"; wavelength = 300.0; band = 200.0; }; } );
monitors = ( { type = "flux_box"; name = "out"; box = { lo = [-84.0, -84.0, -84.0]; hi = [84.0, 84.0, 84.0]; };
  wavelengths = [300.0, 400.0]; }, { type = "probe"; name = "p"; position = [56.0, 0.0, 0.0];
  wavelengths = [300.0]; } );
run = { time_fs = 60.0; decay = 1e-8; };
END
"$TORRE" study cells dipole.cfg --cells 28,21,14 --out one -q >out.txt 2>&1
check "the dipole" $?
holds "its power, 300 nm" one/study.csv fraction 300 1 nearer
holds "its power, 400 nm" one/study.csv fraction 400 1 nearer
grep -q '^p.Ez_V_per_m_per_Hz,300,' one/study.csv && ! grep -q 'phase\|power_J' one/study.csv
check "amplitudes of probes, no phases, no powers beside their fraction" $?
if command -v mpirun >/dev/null && "$TORRE" --version | grep -q 'MPI: standard'; then
  mpirun --oversubscribe -n 2 "$TORRE" study cells dipole.cfg --cells 28,21,14 --out two -q --ranks 1x2 --dts 2 --th 4 \
    >out.txt 2>&1
  check "the dipole on two ranks" $?
  cmp one/study.csv two/study.csv
  check "has the same numbers" $?
fi

# --- Stopped, and continued ---

"$TORRE" study cells "$slab" --cells 4,2.8,2 --out stopped -q --max-time 00:00:01 >out.txt 2>&1
status=$?
[[ $status == 75 && ! -e stopped/study.csv ]] && grep -q 'the same command continues' out.txt
check "stopped by its time: status 75" $?
"$TORRE" study cells "$slab" --cells 4,2.8,2 --out stopped -q >out.txt 2>&1 && [[ -s stopped/study.csv ]]
check "the same command ends it" $?
grep -q 'continues from the checkpoint' stopped/cell-4/run.log
check "from the checkpoint" $?

# --- A run that fails ---

mkdir -p failed/cell-2.5/spectra.csv # in the place of a result
"$TORRE" study cells "$slab" --cells 10,5,2.5 --out failed -q >out.txt 2>&1
[[ $? == 1 ]] && grep -q 'the run of cell 2.5 nm failed' out.txt &&
  head -n 1 failed/study.csv | grep -q 'cell_5_nm,extrapolated'
check "the finest run fails: status 1, a study of the others" $?
rmdir failed/cell-2.5/spectra.csv
"$TORRE" study cells "$slab" --cells 10,5,2.5 --out failed -q >out.txt 2>&1 && cmp -s failed/study.csv before.csv
check "the same command completes it" $?

# --- Mistakes ---

refuses "no list" 'need --cells LIST' study cells "$slab"
refuses "no study" 'unknown study "[^"]*job.cfg": need cells' study "$slab" --cells 2,1
refuses "no job" 'need a job file' study cells --cells 2,1
refuses "one cell" 'got one cell, 2 nm, need two or more' study cells "$slab" --cells 2
refuses "no numbers" 'got "2,,1", need two lengths or more in nm' study cells "$slab" --cells 2,,1
refuses "a negative cell" 'got "2,-1", need two lengths' study cells "$slab" --cells 2,-1
refuses "cells too close" '1 and 0.99 nm are too close' study cells "$slab" --cells 2,1,0.99
refuses "a cell larger than a shape" 'cell 8 nm: .*job.cfg:[0-9]*: objects\[0\]: 6 nm of "slab" along z, need cells' \
  study cells "$slab" --cells 8,4 --set objects[0].lo=94
refuses "a fault of the job" 'run.time_fs' study cells "$slab" --cells 2,1 --set run.time_fs=0
refuses "--cells of another command" '--cells belongs to study' run "$slab" --cells 2,1
find slab -type f -exec cksum {} + | sort >sums.txt
refuses "the folder of another job" 'slab/cell-10: contains the results of an earlier run; .*-9e-08' \
  study cells "$slab" --cells 10,5,2.5 --out slab --set objects[0].lo=-90
refuses "also at other cells" 'slab/study.json: is of a study of another job' \
  study cells "$slab" --cells 4,2 --out slab --set objects[0].lo=-90
find slab -type f -exec cksum {} + | sort | cmp -s - sums.txt
check "nothing was changed there" $?
[[ ! -e results ]]
check "nothing was run" $?
sed 's/thickness = 80.0/cells = 40/' "$slab" >cells.cfg
"$TORRE" study cells cells.cfg --cells 10,5 -q >out.txt 2>&1
grep -q 'counted in cells, so that it differs between the runs: the absorbing layers (thickness)' out.txt &&
  [[ -s results/cells-cells/study.csv ]]
check "a note on layers counted in cells; the default folder" $?
finish
