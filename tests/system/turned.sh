#!/usr/bin/env bash
# A cell that is periodic along x is turned for towers, and all results are in the user's axes: those of the same cell
# written so that it needs no turn, to the bit. What the turned axes do not allow is refused.
source "$TORRE_SOURCE/tests/system/lib.sh"
find_python numpy h5py
jobs=$TORRE_SOURCE/tests/support/turned_jobs.py

same() { # NAME TOLERANCE FOLDER OTHER TURN
  "$python" "$jobs" compare "${@:2}" >out.txt 2>&1
  local status=$?
  cat out.txt
  check "$1" $status
}

"$python" "$jobs" write plain
for turn in 0 1 2; do
  "$TORRE" run -q "cell-$turn.cfg" --out "plain-$turn" --threads 1 >out.txt 2>&1 &&
    grep -q 'diamond engine' "plain-$turn/run.log"
  check "turned by $turn: runs in towers" $?
done
same "periodic x and y: the results of periodic y and z" 0 plain-0 plain-2 2
same "periodic x and z as well" 0 plain-0 plain-1 1
! "$python" "$jobs" compare 0 plain-0 plain-2 1 >out.txt 2>&1
check "others would not be" $?
"$TORRE" plan cell-2.cfg 2>/dev/null | grep -q 'axes *turned .* towers move along z, rings lie along x, vectors along y'
check "plan says how the axes are turned" $?
"$TORRE" run -q cell-2.cfg --out stepwise --engine stepwise --threads 2 >out.txt 2>&1 && same_results plain-2 stepwise
check "the stepwise engine has the same files" $?
if "$TORRE" --version | grep -q 'MPI' && command -v mpirun >mpirun.txt; then
  mpirun --oversubscribe -n 2 "$TORRE" run -q cell-2.cfg --out ranks --ranks 2x1 --th 4 --threads 1 >out.txt 2>&1 \
    </dev/null && same_results plain-2 ranks
  check "so have two ranks, along z" $?
fi

"$python" "$jobs" write tilted
for turn in 0 2; do
  "$TORRE" run -q "cell-$turn.cfg" --out "tilted-$turn" --threads 1 >out.txt 2>&1
  check "a wave with angles, turned by $turn: runs" $?
done
same "and has the same results" 1e-5 tilted-0 tilted-2 2 # of angles of other axes, to rounding

# A cell alone, and two and four of it as one job: along x, that is turned, and along y.
copies=$TORRE_SOURCE/tests/support/copies_jobs.py
for kind in "2 tensor" "4 subpixel"; do
  # shellcheck disable=SC2086 # order and averaging
  "$python" "$copies" write $kind
  for job in one twice_x twice_y four; do
    rm -rf "$job"
    "$TORRE" run -q "$job.cfg" --out "$job" --threads 1 >out.txt 2>&1 || cat out.txt
  done
  "$python" "$copies" compare >out.txt
  status=$?
  cat out.txt
  check "order $kind: copies of a cell have its fields, to the bit" $status
done

# The box without sides ends in vacuum, the wave enters in glass.
"$python" "$jobs" write plain
sed 's/hi = \[150.0, 125.0, 500.0\]/hi = [150.0, 125.0, 300.0]/' cell-2.cfg >ends.cfg
refuses "a wave that would leave in another medium" 'a layer across z ends at a face .* or the media at its two ends' \
  check ends.cfg
finish
