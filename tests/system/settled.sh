#!/usr/bin/env bash
# Runs that end when powers have settled (run.until): a ring that rings, in 2-D.
source "$TORRE_SOURCE/tests/system/lib.sh"
export OMP_NUM_THREADS=1
cat >ring.cfg <<'END2'
format_version = 3;
length_unit = "um";
grid = { polarisation = "TM"; size = [7.0, 7.0]; cell = 0.1; precision = "fp64"; };
boundaries = { default = "cpml"; };
media = ( { name = "core"; permittivity = 11.56; } );
objects = ( { type = "circle"; center = [0.0, 0.0]; radius = 2.0; medium = "core"; },
            { type = "circle"; center = [0.0, 0.0]; radius = 1.0; medium = "vacuum"; } );
sources = ( { type = "line_current"; position = [1.5, 0.0]; amplitude = 1.0;
              time = { type = "pulse"; wavelength = 8.5; band = 3.0; }; } );
monitors = ( { type = "flux_box"; name = "out"; box = { lo = [-2.3, -2.3]; hi = [2.3, 2.3]; };
               wavelengths = { from = 7.5; to = 9.5; count = 41; }; },
             { type = "decay_rate"; name = "given"; wavelengths = [8.0, 8.5]; } );
run = { time_fs = 9000.0; until = 0.01; };
END2

# within A B LIMIT: column 2 of two spectra differs by at most LIMIT of the largest value of the first.
within() {
  paste -d, "$1" "$2" | awk -F, -v limit="$3" 'NR > 1 { v = $2 < 0 ? -$2 : $2; if (v > most) most = v
      half = NF / 2; d = $2 - $(2 + half); if (d < 0) d = -d; if (d > off) off = d }
    END { exit !(NR > 10 && most > 0 && off <= limit * most) }'
}

"$TORRE" run ring.cfg -q --set run.until=0 --out whole
check "the whole run ends with status 0" $?
"$TORRE" run ring.cfg -q --out settled
check "the run that ends when powers have settled: status 0" $?
grep -q '"ended_by": "settled"' settled/run.json && grep -q 'powers have settled at' settled/run.log
check "run.json and the log say why it ended" $?
steps=$(sed -n 's/^  "steps": \([0-9]*\),/\1/p' settled/run.json)
all=$(sed -n 's/^  "steps": \([0-9]*\),/\1/p' whole/run.json)
awk -v s="$steps" -v a="$all" 'BEGIN { exit !(s > 1000 && s < 0.9 * a) }'
check "it has fewer steps: $steps of $all" $?
within whole/spectra.csv settled/spectra.csv 0.01
check "its powers are those of the whole run within 1 %" $?
# By the energy alone the sharp resonance is further off: with one that falls a hundred times it is by more than 1 %.
"$TORRE" run ring.cfg -q --set run.until=0 --set run.decay=1e-2 --set run.tolerance=1e9 --out early
! within whole/spectra.csv early/spectra.csv 0.01
check "a run that ends early differs by more" $?

"$TORRE" run ring.cfg -q --out steps --engine stepwise --th 37 && same_results settled steps
check "stepwise, other stages: the same files" $?
"$TORRE" run ring.cfg -q --out tiles --dts 3 --th 5 && same_results settled tiles
check "other tiles: the same files" $?

# A chain of processes, each stopped after a second or a stage.
status=75
for ((i = 0; i < 200 && status == 75; i++)); do
  "$TORRE" run ring.cfg -q --restart --out chain --max-time 00:00:01 --th 1500 >out.txt 2>&1
  status=$?
done
[[ $status == 0 ]] && same_results settled chain
check "restarts ($(grep -c 'continues from' chain/run.log) of them): the same files" $?
# From a checkpoint between two looks at the powers.
"$TORRE" run ring.cfg -q --out kept --set checkpoint.keep=true --set run.time_fs=5500 --set run.tolerance=1 >out.txt
grep -q 'powers have not settled to run.until' kept/run.log
check "a run that is too short warns" $?
"$TORRE" run ring.cfg -q --restart --out kept --set checkpoint.keep=true >out.txt && same_results settled kept
check "continued: the same files" $?

if command -v mpirun >/dev/null; then
  for n in 2 3; do
    timeout 300 mpirun --oversubscribe -n $n "$TORRE" run ring.cfg -q --out "ranks$n" --ranks ${n}x1 >out.txt 2>&1 &&
      same_results settled "ranks$n"
    check "$n ranks: the same files" $?
  done
fi

ends "above the tolerance it is refused" 2 'run.until: got 0.2, above run.tolerance' ring.cfg --set run.until=0.2
"$TORRE" check ring.cfg --set 'sources.[0].time={type="continuous";wavelength=8.5;}' >out.txt 2>&1
grep -q 'never ends, so that powers are not seen to settle' out.txt
check "a source that never ends is a warning" $?

# A closed cavity without losses: its energy does not fall, spectra are those of the time. Those of a window are whole.
closed=(--set run.until=0 --set run.time_fs=1500 --set 'boundaries={default="pec";}')
ends "a closed cavity is unconverged, with what helps" 3 \
  'which hardly falls, as that of a resonance without losses, .*; need boundaries or media that absorb, monitors' \
  ring.cfg -q --out closed "${closed[@]}"
window='monitors.[0].window={from_fs=600.0;to_fs=650.0;rise_fs=250.0;}'
"$TORRE" run ring.cfg -q --out window "${closed[@]}" --set "$window" >out.txt && [[ ! -s out.txt ]]
check "the spectra of a window are not, without a warning" $?
ends "they are before the window is over" 3 'unconverged' \
  ring.cfg -q --out before "${closed[@]}" --set "$window" --set run.time_fs=800

# Beside a source that never ends the time of one that does is named.
wave='{type="line_current";name="wave";position=[1.0,0.0];amplitude=1e-9;time={type="continuous";wavelength=8.0;};}'
pulse='{type="line_current";name="pulse";position=[1.5,0.0];time={type="pulse";wavelength=8.0;band=3.0;};}'
"$TORRE" check ring.cfg --set run.until=0 --set run.time_fs=60 --set 'monitors.[0].wavelengths=[8.0]' \
  --set 'monitors.[1]={type="energy";}' --set "sources=($wave,$pulse)" >out.txt 2>&1
grep -qE 'run.time_fs = 60 ends before source pulse does, .*; need run.time_fs = [0-9.]+ or more$' out.txt
check "a pulse beside a wave: a finite time" $?
finish
