#!/usr/bin/env bash
# Several jobs in one start, and sweeps: the results of single runs, a table over all; killed, stopped and failed ones.
source "$TORRE_SOURCE/tests/system/lib.sh"
export OMP_NUM_THREADS=1

# The job of lib.sh with spectra. Arguments: time in fs.
job() {
  small_job 1 "$1" | sed 's/^monitors = (/&{ type = "flux_box"; name = "o"; wavelengths = [400.0, 500.0];\
    box = { lo = [-20.0, -20.0, -20.0]; hi = [20.0, 20.0, 20.0]; }; },/'
}
job 2 >a.cfg
job 3 >b.cfg
mkdir -p sub && job 2.5 >sub/a.cfg

"$TORRE" run a.cfg -q --out single/a >out.txt 2>&1 && "$TORRE" run b.cfg -q --out single/b >out.txt 2>&1
"$TORRE" run a.cfg b.cfg --out both >out.txt 2>&1 && same_results single/a both/a && same_results single/b both/b
check "several jobs have the results of single ones" $?
grep -q '"warnings": 1,' both/b/run.json
check "each has its own warnings" $?
grep -q '^2 runs: 2 done$' out.txt && [[ $(cut -d, -f1,2 both/runs.csv) == $'job,state\na.cfg,done\nb.cfg,done' ]] &&
  [[ $(grep -c '^b.cfg' both/spectra.csv) == 2 ]]
check "a table over all" $?
refuses "two jobs with one folder" 'a.cfg and sub/a.cfg: have one results folder, results/a; need a folder each' \
  run a.cfg sub/a.cfg
"$TORRE" run a.cfg sub/a.cfg -q --out names >out.txt 2>&1 && [[ -s names/a/run.json && -s names/sub-a/run.json ]]
check "two files of one name in a common folder" $?
sed 's/cell = 5.0/cell = "x"/' a.cfg >bad.cfg
refuses "a fault in one of them" '^bad.cfg:1: grid.cell: got "x"' run a.cfg bad.cfg --out none
[[ ! -e none ]]
check "and nothing was run" $?

sweep=(a.cfg --sweep "sources[0].time.wavelength=400:600:2" --sweep "monitors[1].position=[5,0,0],[10,0,0]")
"$TORRE" run "${sweep[@]}" -q >out.txt 2>&1 && [[ $(wc -l <results/a-sweep/runs.csv) == 5 ]] &&
  [[ $(head -1 results/a-sweep/spectra.csv) == wavelength,position,wavelength_nm,* ]] &&
  grep -q '^600,"\[5,0,0\]",400,' results/a-sweep/spectra.csv
check "all combinations of two sweeps" $?
"$TORRE" run a.cfg -q --out single/c --set "sources[0].time.wavelength=600" --set "monitors[1].position=[10,0,0]" \
  >out.txt 2>&1
same_results single/c results/a-sweep/wavelength-600_position-10-0-0
check "a point has the results of the job with these values" $?
before=$(cat results/a-sweep/*/run.json)
"$TORRE" run "${sweep[@]}" -q >out.txt 2>&1 && [[ $before == "$(cat results/a-sweep/*/run.json)" ]] &&
  [[ $(grep -c 'has ended already' out.txt) == 4 ]]
check "finished points are not repeated" $?
"$TORRE" run "${sweep[@]}" -q --jobs 3 --out side >out.txt 2>&1 && [[ $(ls side | wc -l) == 6 ]] &&
  cmp side/spectra.csv results/a-sweep/spectra.csv
check "three at a time" $?
for name in wavelength-{4,6}00_position-{5,10}-0-0; do
  warnings=$(grep '"warnings"' "results/a-sweep/$name/run.json")
  same_results side/$name results/a-sweep/$name && [[ $(grep '"warnings"' side/$name/run.json) == "$warnings" &&
    $(grep -c 'steps in' side/$name/run.log) == 1 && ! -e side/$name/.lock ]]
  check "the same results, warnings, and a log of its own: $name" $?
done
[[ $(grep -c '^wavelength = 400, position = \[5,0,0\]: \[.*warning: ' out.txt) == $(grep -c warning: \
  side/wavelength-400_position-5-0-0/run.log) ]]
check "a warning has its run's name" $?
refuses "--jobs 0" 'jobs: got "0", need a whole number from 1 to 64' run a.cfg b.cfg --jobs 0
refuses "a job, two at a time" 'need several jobs, or --sweep' run a.cfg --jobs 2
refuses "progress of two at a time" 'do not name their run; need --jobs 1' run a.cfg b.cfg --jobs 2 --progress json
refuses "a folder of another job" 'contains the results of an earlier run' run a.cfg -q \
  --sweep "sources[0].time.wavelength=400,600" --sweep "monitors[1].position=[5,0,0],[10,0,0]" \
  --set "sources[0].time.band=100"
refuses "values twice" 'cell = 5 and cell = 5: have one results folder' run a.cfg --sweep grid.cell=5:5:2
refuses "no values" 'got 0 values, need 1 to 100000' run a.cfg --sweep grid.cell=5:6:0
refuses "a value missing" 'a value is missing' run a.cfg --sweep grid.cell=5,
refuses "a value that the key does not have" '^order = 3: --set grid.order: got 3' run a.cfg --sweep grid.order=2,3,4
refuses "an unknown key, once" '^torre: 1 fault,' run a.cfg --sweep grid.cels=5,6,7
refuses "no value at all" 'need PATH=FROM:TO:COUNT' run a.cfg --sweep grid.cell
refuses "two files with a sweep" 'need one job file, not 2' run a.cfg b.cfg --sweep grid.cell=5,6
refuses "a sweep of another command" '--sweep belongs to run' check a.cfg --sweep grid.cell=5,6

# What is left after the source may change the power by 0.3 %.
job 30 | sed 's/tolerance = 1e9/tolerance = 1e-3/' >rings.cfg
"$TORRE" run a.cfg rings.cfg --out unconverged -q >out.txt 2>&1
[[ $? == 3 ]] && grep -q '^2 runs: 1 done, 1 unconverged$' out.txt && grep -q '^rings.cfg,' unconverged/spectra.csv &&
  grep -q '^rings.cfg,unconverged,' unconverged/runs.csv &&
  grep -q '"unconverged": "energy left"' unconverged/rings/run.json && ! grep -q '"unconverged"' unconverged/a/run.json
check "a run with too much energy left is unconverged: status 3" $?
"$TORRE" run rings.cfg --restart --out unconverged/rings >out.txt 2>&1
[[ $? == 3 ]] && grep -q 'has ended already, unconverged: see run.log' out.txt &&
  "$TORRE" run rings.cfg --restart --out unconverged/rings --set run.tolerance=0.01 >out.txt 2>&1
check "it still is when it is run again, but for another run.tolerance" $?

mkdir -p fails/order-2/results.h5/in_the_way
"$TORRE" run a.cfg -q --sweep grid.order=2,4 --out fails >out.txt 2>&1
[[ $? == 1 && -s fails/order-4/run.json ]] &&
  grep -q '^2 runs: 1 done, 1 failed; the same command continues$' out.txt &&
  grep -q '^2,failed,nan' fails/runs.csv
check "a run that fails stops no other; the exit status" $?
mkdir -p beside/order-2/results.h5/in_the_way
"$TORRE" run a.cfg -q --sweep grid.order=2,4 --jobs 2 --out beside >out.txt 2>&1
[[ $? == 1 && -s beside/order-4/run.json ]] && same_results fails/order-4 beside/order-4 &&
  grep -q '^2 runs: 1 done, 1 failed; the same command continues$' out.txt
check "neither does one beside another" $?

# The first run's folder is moved away, and its place is taken.
job 40 | sed 's/every_fs = 1;/times_fs = [1.0];/' >moved.cfg
"$TORRE" run moved.cfg a.cfg -q --out lost --set checkpoint.steps=100 >out.txt 2>&1 &
pid=$!
until_there "lost/moved/checkpoint/step-*[0-9]/manifest"
kill -STOP $pid && mv lost/moved lost/away && mkdir lost/moved && echo other >lost/moved/run.json
kill -CONT $pid
wait $pid
[[ $? == 1 && $(cat lost/moved/run.json) == other ]] && same_results single/a lost/a &&
  grep -q '^2 runs: 1 done, 1 failed; the same command continues$' out.txt
check "a run that loses its folder stops no other" $?

# Some seconds each: killed, or stopped, in the second.
job 250 | sed 's/every_fs = 1;/times_fs = [1.0];/' >long.cfg
long=(long.cfg -q --sweep "sources[0].time.band=100:300:3" --set checkpoint.steps=2000)
for how in KILL USR1; do
  "$TORRE" run "${long[@]}" --out "$how" >out.txt 2>&1 &
  pid=$!
  until_there "$how/band-200/checkpoint/step-*[0-9]/manifest"
  kill -$how $pid
  wait $pid 2>/dev/null
  status=$?
  [[ -s $how/band-100/run.json && ! -e $how/band-200/run.json && ! -e $how/band-300 ]]
  check "SIG$how in the second run" $?
  if [[ $how == USR1 ]]; then
    [[ $status == 75 ]] && grep -q '^3 runs: 1 done, 1 stopped, 1 not run; the same command continues$' out.txt
    check "SIGUSR1: exit status and table" $?
  fi
  before=$(cat "$how"/band-100/run.json)
  "$TORRE" run "${long[@]}" --out "$how" >out.txt 2>&1 && grep -q '^3 runs: 3 done$' out.txt &&
    [[ $before == "$(cat "$how"/band-100/run.json)" ]] && ! grep -q '"first_step": 0,' "$how/band-200/run.json"
  check "SIG$how: the same command continues" $?
done
"$TORRE" run "${long[@]}" --jobs 2 --out two >out.txt 2>&1 &
pid=$!
until_there "two/band-200/checkpoint/step-*[0-9]/manifest"
kill -USR1 $pid
wait $pid
[[ $? == 75 ]] && grep -q '^3 runs: 2 stopped, 1 not run; the same command continues$' out.txt &&
  "$TORRE" run "${long[@]}" --jobs 2 --out two >out.txt 2>&1 && grep -q '^3 runs: 3 done$' out.txt &&
  same_results USR1/band-100 two/band-100 && same_results USR1/band-200 two/band-200
check "two at a time, stopped and continued" $?
same_results KILL/band-200 USR1/band-200 && same_results KILL/band-300 USR1/band-300
check "with the same results" $?

if "$TORRE" --version | grep -q 'ranks *several'; then
  mpirun -n 2 --oversubscribe --bind-to none "$TORRE" run a.cfg b.cfg -q --out ranks >out.txt 2>&1 &&
    grep -q '^2 runs: 2 done$' out.txt && same_results single/a ranks/a && same_results single/b ranks/b
  check "two ranks" $?
fi
finish
