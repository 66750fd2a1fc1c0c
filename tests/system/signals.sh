#!/usr/bin/env bash
# Signals at any time and in any number: Ctrl-C saves, a second one ends at once; SIGTERM, SIGUSR1 and SIGHUP end with
# status 75, in storms, before the first step and after the last; nothing is lost. And what a plain run says of what an
# interrupted one left.
source "$TORRE_SOURCE/tests/system/lib.sh"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_WAIT_POLICY=passive

small_job 25.0 60.0 >job.cfg

# signalled NAME STATUS WHEN SIGNALS COMMAND...: the exit status; what was printed is in out.txt.
signalled() {
  local name=$1 wanted=$2 status
  shift 2
  python3 "$TORRE_SOURCE/tests/support/signals.py" "$@" >out.txt
  status=$(tail -n 1 out.txt)
  [[ $status == "$wanted" ]]
  check "$name: exit status $wanted" $?
  [[ $status == "$wanted" ]] || { echo "     $status" && head -n 5 out.txt; }
}

# has_begun FOLDER: waits until the run there is about to do its first step.
has_begun() {
  for ((i = 0; i < 2000; i++)); do grep -qs "with poles" "$1/run.log" && return; sleep 0.01; done
}

# stop_softly FOLDER: the command that the log gives.
stop_softly() {
  local soft
  read -ra soft <<<"$(sed -n 's/.*to stop with the state saved: \(kill -USR1 [0-9]*\) on .*/\1/p' "$1/run.log")"
  "${soft[@]}"
}

# goes_on NAME FOLDER: the same command with --restart ends, with the files of the undisturbed run.
goes_on() {
  "$TORRE" run "$job" --out "$2" --restart -q >restart.txt 2>&1 && same_results plain "$2"
  check "$1: --restart gives the same files" $?
}

job=job.cfg
small=(--th 1 --threads 1)
"$TORRE" run $job --out plain -q >/dev/null
check "an undisturbed run ends" $?

signalled "Ctrl-C" 75 c/run.log:poles INT "$TORRE" run $job --out c "${small[@]}"
# Where the signal overtakes the first step there is nothing to continue.
grep -q "ends after this stage with its state saved; Ctrl-C once more" out.txt &&
  grep -qE "stopped by SIGINT (at step [1-9].*--restart continues|before the first step; .*--restart begins)" c/run.log
check "Ctrl-C is answered, and the log says how to continue" $?
goes_on "Ctrl-C" c
# A stage of 100 s.
signalled "Ctrl-C twice" 130 twice/run.log:poles "INT?once more,INT" \
  "$TORRE" run $job --out twice --th 1000000 --threads 1 --set run.time_fs=20000 --set 'monitors=()'
refuses "a plain run says that nothing was saved and names --overwrite" \
  "twice: contains a run that did not end and saved no checkpoint.*--overwrite" run $job --out twice
goes_on "Ctrl-C twice" twice

# As a shell starts it in the background: SIGINT is ignored and stays so.
"$TORRE" run $job --out background -q --th 1 >/dev/null &
pid=$!
has_begun background
kill -INT $pid
wait $pid
check "where SIGINT is ignored it stays so" $?

# From main on, whatever was begun by then: nothing waits for the program here.
if command -v cc >/dev/null; then
  python3 "$TORRE_SOURCE/tests/support/early_signals.py" 40 75 "$TORRE" run $job --out at-once% "${small[@]}" >early.txt
  check "signals right after the start: $(tail -n 1 early.txt)" $?
  head -n 20 early.txt | grep -v "^40 starts"
  [[ $(cat at-once[0-4]/run.log | grep -c "before the first step; the same command with --restart begins") == 5 ]]
  check "the log reports them" $?
  goes_on "a signal before main" at-once0
fi
for ((i = 1; i <= 4; i++)); do
  signalled "a storm of signals from the start, $i" 75 handlers storm \
    "$TORRE" run $job --out "storm$i" --restart "${small[@]}"
  goes_on "a storm of signals from the start, $i" "storm$i"
done
signalled "one signal before the first step" 75 handlers TERM "$TORRE" run $job --out early
refuses "a plain run after it is refused" "saved no checkpoint to continue from" run $job --out early
goes_on "one signal before the first step" early
one_stage=(--th 1000000 --threads 1 --set run.time_fs=200)
one_stage+=(--set 'monitors=({type="probe";name="p";position=[10.0,0.0,0.0];})')
# One stage does all steps: whenever a signal comes, the run ends with its results, and says that it was asked to stop.
for kind in TERM,TERM,HUP,USR1 storm; do
  rm -rf late
  signalled "$kind while the last steps are done and the results written" 75 late/run.log:poles+0.3 $kind \
    "$TORRE" run $job --out late "${one_stage[@]}"
  grep -q "came when all steps were done" late/run.log && [[ -s late/run.json ]] && ! grep -q incomplete late/run.json
  check "$kind: the results are complete, and the log reports it" $?
  "$TORRE" run $job --out late --restart "${one_stage[@]}" >out.txt && grep -q "ended already" out.txt
  check "$kind: --restart has nothing left to do" $?
done

# While the objects are sampled, which takes 20 s here: at once, and no step is done with a part of them.
python3 - >many.cfg <<'END'
import random
random.seed(1)
ball = '{ type = "sphere"; medium = "Au"; radius = 9.0; center = [%.1f, %.1f, %.1f]; }'
balls = ",".join(ball % tuple(random.uniform(-250, 250) for _ in "xyz") for _ in range(6000))
print(f"""grid = {{ size = [600.0, 600.0, 600.0]; cell = 4.0; }}; objects = ( {balls} );
sources = ( {{ type = "electric_dipole"; position = [0.0, 0.0, 0.0]; axis = "z";
  time = {{ type = "pulse"; wavelength = 500.0; band = 200.0; }}; }} ); run = {{ time_fs = 1.0; }};""")
END
signalled "a signal while the objects are sampled" 75 "set-up/run.log:to stop with" TERM \
  "$TORRE" run many.cfg --out set-up --threads 1
grep -q "stopped by SIGTERM before the first step; the same command with --restart begins" set-up/run.log &&
  ! grep -q "with poles" set-up/run.log && [[ $(ls set-up) == run.log ]]
check "it ends before they are all there, and writes nothing" $?

# The log says how the run is stopped.
"$TORRE" run $job --out named --set run.time_fs=60000 --set 'monitors=()' "${small[@]}" >/dev/null 2>&1 &
pid=$!
has_begun named
stop_softly named
wait $pid
[[ $? == 75 ]]
check "the command in the log stops the run with its state saved" $?

if command -v mpirun >/dev/null && "$TORRE" --version | grep -q "several, by MPI"; then
  sed 's/60.0, 60.0, 60.0/300.0, 60.0, 60.0/' job.cfg >wide.cfg
  job=wide.cfg
  "$TORRE" run $job --out plain --overwrite -q >/dev/null
  ranks=(mpirun --oversubscribe -n 2 "$TORRE" run $job --ranks 2x1 --dts 2 --th 2 --threads 1 -q)
  "${ranks[@]}" --out mpi >mpi.txt 2>&1 &
  pid=$!
  has_begun mpi
  stop_softly mpi
  wait $pid
  [[ $? == 75 ]]
  check "several ranks: the command in the log stops all of them with their state saved" $?
  goes_on "several ranks" mpi
  signalled "USR1 to mpirun while the objects are sampled" 75 "set-up-2/run.log:to stop with" USR1 \
    mpirun --oversubscribe -n 2 "$TORRE" run many.cfg --out set-up-2 --threads 1 -q
  grep -q "stopped by SIGUSR1 before the first step" set-up-2/run.log && ! grep -q "with poles" set-up-2/run.log
  check "both ranks end before they are all there" $?
  signalled "USR1 to mpirun" 75 usr1/run.log:poles USR1 "${ranks[@]}" --out usr1
  goes_on "USR1 to mpirun" usr1
  # Open MPI's SIGKILL follows a second later, in which a busy machine may not save: here five.
  patient=(env OMPI_MCA_odls_base_sigkill_timeout=5)
  for kind in INT TERM; do
    signalled "$kind to mpirun" 1 "mpi$kind/run.log:poles" $kind "${patient[@]}" "${ranks[@]}" --out "mpi$kind" \
      --set run.time_fs=6000
    grep -q "stopped by SIGTERM" "mpi$kind/run.log" && [[ -n $(compgen -G "mpi$kind/checkpoint/step-*/manifest") ]]
    check "$kind to mpirun: the ranks get a SIGTERM, and save" $?
  done
  signalled "Ctrl-C twice under mpirun" 1 twice-mpi/run.log:poles "group-INT,group-INT" "${ranks[@]}" \
    --out twice-mpi --set run.time_fs=6000
  for ((wait = 0; wait < 20; wait++)); do # mpirun may end before its ranks
    "$TORRE" run $job --out twice-mpi --overwrite -q >/dev/null 2>&1 && break
    sleep 0.5
  done
  same_results plain twice-mpi
  check "Ctrl-C twice under mpirun: nothing holds the folder" $?
  # Open MPI makes SIGTERM of it a second later, and SIGKILL another second later: docs/user/restart.md.
  signalled "Ctrl-C under mpirun" 1 mpic/run.log:poles group-INT "${patient[@]}" "${ranks[@]}" --out mpic \
    --set run.time_fs=6000
  grep -q "stopped by SIGTERM" mpic/run.log
  check "Ctrl-C under mpirun: the ranks get a SIGTERM, and save" $?
  "$TORRE" run $job --out mpic --restart -q --max-time 00:00:01 --set run.time_fs=6000 --th 1 >/dev/null 2>&1
  [[ $? == 75 ]] && grep -q "continues from the checkpoint of step" mpic/run.log
  check "Ctrl-C under mpirun: --restart continues from there" $?
else
  echo "ok   (no mpirun here: signals to several ranks not tried)"
fi
finish
