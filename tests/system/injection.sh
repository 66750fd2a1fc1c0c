#!/usr/bin/env bash
# Every write, sync, rename, folder, close and allocation on the way of a checkpoint or of the results fails once: the
# run ends with the same files or with a clear failure, and what was saved before can be loaded. Then the process is
# killed at each of these calls in turn, and the restart ends with the same bytes.
#
#   bash tests/system/injection.sh [STEP]     each STEP-th call (default 30; 1: all, about 20 minutes)
source "$TORRE_SOURCE/tests/system/lib.sh"
stride=${1:-30}

command -v cc >/dev/null || { echo "no C compiler here" && exit 77; }
cc -shared -fPIC -O1 -o shim.so "$TORRE_SOURCE/tests/faults/shim.c" -ldl || { echo "fail the shim is built" && exit 1; }

# Without the beam of the monitor, whose fields take a tenth of a run's time.
reference_job "${coarse[@]}" -e 's/time_fs = 20.0/time_fs = 1.2/; s/times_fs = \[.*\];/times_fs = [0.6];/' \
  -e 's/every_fs = 8.0/every_fs = 0.6/; s/image = true; },/image = false; },/' \
  -e '/^    beam = {/,/^    }; },/c },' >small.cfg
"$TORRE" run small.cfg --out plain -q >/dev/null
check "an undisturbed run ends" $?

# torre_with ERRNO CALL AT PATH [NAME=VALUE ...]: a run into ./out with three checkpoints and a fault; its exit status.
torre_with() {
  local error=$1 call=$2 at=$3 path=$4
  shift 4
  # In a subshell, so that its message about a killed process is discarded.
  (env "$@" LD_PRELOAD="$PWD/shim.so" FAULT_CALL="$call" FAULT_AT="$at" FAULT_PATH="$path" FAULT_ERRNO="$error" \
    FAULT_COUNT="$PWD/count" FAULT_WHO="$PWD/who" \
    "$TORRE" run small.cfg --out out --set checkpoint.steps=25 --th 20 --threads 2 -q >out.txt 2>&1
    exit $?) 2>/dev/null
}
wrong() { # what: prints a line for each call with a wrong result
  bad=$((bad + 1))
  echo "     $1" && head -2 out.txt
}
again() { "$TORRE" run small.cfg --out out --restart -q >again.txt 2>&1; }

# The checkpoints that a killed run had published load, and its restart ends with the undisturbed results. what: which
# kill
restarts() {
  local published status
  published=$(compgen -G "out/checkpoint/step-????????????" | wc -l)
  [[ -e out/run.json ]] && published=0
  again
  status=$?
  [[ $status == 0 ]] && same_results plain out || wrong "$1: restart ends with $status, or other results"
  ((published == 0)) || grep -q "continues from the checkpoint" out/run.log || wrong "$1: $published generations lost"
}

# 28 is ENOSPC, 12 is ENOMEM.
total=0 bad=0
for call in pwrite fsync rename mkdir open fopen close fclose fflush unlink rmdir opendir malloc; do
  rm -rf out && torre_with 28 "$call" 0 /checkpoint
  calls=$(cat count)
  ((calls > 0)) || wrong "$call is never called"
  for ((n = 1; n <= calls; n += 2 * stride)); do
    total=$((total + 2))
    error=28 && [[ $call == malloc ]] && error=12
    rm -rf out && torre_with $error "$call" "$n" /checkpoint
    status=$?
    { [[ $status == 0 ]] && same_results plain out; } ||
      wrong "$call $n of $calls fails: exit status $status, or other results"
    [[ $status == 0 && ! -e out/checkpoint ]] || [[ $call =~ unlink|rmdir|opendir|rename ]] ||
      wrong "$call $n of $calls fails: checkpoints stay"
    # Killed at the next folder it makes: checkpoints published before the fault must load.
    rm -rf out && torre_with $error "$call" "$n" /checkpoint FAULT_THEN=1
    restarts "$call $n of $calls fails, then killed"
  done
done
check "$total runs with a failing call on the way of a checkpoint: same results, nothing saved is lost" $((bad > 0))

total=0 bad=0
rm -rf out && torre_with 0 any 0 /checkpoint
calls=$(cat count)
for ((n = 1; n <= calls; n += 2 * stride)); do
  total=$((total + 1))
  rm -rf out && torre_with 0 any "$n" /checkpoint
  restarts "killed at call $n of $calls"
done
check "$total kills, one at each call on the way of checkpoints: same results" $((bad > 0))

# Writing a snapshot to the disk is delayed by 2 seconds, in which the run could write all its checkpoints and end.
bad=0
for n in 1 2; do
  rm -rf out && torre_with 0 fsync $n out/snapshots FAULT_DELAY=2
  [[ -e out/checkpoint ]] || wrong "snapshot $n: no checkpoint before it"
  restarts "killed while snapshot $n is synced"
done
check "no checkpoint overtakes a snapshot of a step before it" $((bad > 0))

total=0 bad=0
for call in pwrite fsync rename open fopen fclose fflush ftruncate close; do
  rm -rf out && torre_with 28 "$call" 0 out/
  calls=$(cat count)
  for ((n = 1; n <= calls; n += 2 * stride)); do
    total=$((total + 1))
    rm -rf out && torre_with 28 "$call" "$n" out/
    status=$?
    ((status <= 2)) || wrong "$call $n of $calls: exit status $status"
    if ((status == 0)); then
      same_results plain out || wrong "$call $n of $calls: exit status 0 with other results"
    else
      grep -qE "No space left|disk is full" out.txt || wrong "$call $n of $calls: exit status $status without a reason"
      while read -r f; do
        [[ ! -e out/$f ]] || cmp -s "plain/$f" "out/$f" || [[ $f == *.xmf ]] ||
          wrong "$call $n of $calls: $f is not whole"
      done < <(cd plain && find . -type f ! -name 'run.*')
    fi
  done
done
outcome="same results, or a failure with its reason and complete files only"
check "$total runs with a failing call on any output: $outcome" $((bad > 0))

# Without memory for zlib, or for HDF5's buffer around it, HDF5 stores what it would have compressed as it is: other
# bytes of a snapshot with the same values, which its checksums hold.
same_but_size() {
  [[ $(cat who) == *libz* || $(cat who) == *libhdf5* ]] || return 1
  local file
  for file in $(cd plain && find . -type f ! -name 'run.*' ! -path './checkpoint/*'); do
    cmp -s "plain/$file" "out/$file" && continue
    [[ $file == ./snapshots/*.h5 && $(stat -c %s "out/$file") -gt $(stat -c %s "plain/$file") ]] || return 1
    ! command -v h5diff >/dev/null || h5diff -q "plain/$file" "out/$file" || return 1
  done
}

# failed_well WHAT STATUS: a run that could not allocate ends with the same results, or reports why, leaves complete
# files only and can be restarted.
# HDF5 1.10 crashes, or spoils the heap, after some of its own allocations have failed: H5FL_blk_malloc then uses what
# its collection of garbage has just freed. A crash after any other allocation is a fault.
failed_well() {
  local f
  if (($2 == 0)); then
    same_results plain out || same_but_size || wrong "$1: exit status 0 with other results"
    return
  fi
  if (($2 == 134 || $2 == 139)) && [[ $(cat who) == *libhdf5* ]]; then
    crashed=$((crashed + 1))
  else
    (($2 != 134 && $2 != 139)) && grep -qE "was not written: .|[Mm]emory|MPI_ERR" out.txt ||
      wrong "$1: exit status $2 without a reason"
  fi
  while read -r f; do
    [[ ! -e out/$f ]] || cmp -s "plain/$f" "out/$f" || [[ $f == *.xmf ]] || wrong "$1: $f is not whole"
  done < <(cd plain && find . -type f ! -name 'run.*')
  # A snapshot that was reported as lost stays lost.
  grep -q "snapshots/.*was not written" out.txt || restarts "$1"
}

total=0 bad=0 crashed=0
rm -rf out && torre_with 12 malloc 0 out/
calls=$(cat count)
for ((n = 1; n <= calls; n += 6 * stride)); do
  total=$((total + 1))
  rm -rf out && torre_with 12 malloc "$n" out/
  failed_well "allocation $n of $calls" $?
done
outcome="same results, or a failure, complete files only and a good checkpoint"
check "$total runs with a failing allocation on any output: $outcome" $((bad > 0))
((crashed)) && echo "     $crashed of them crashed after a failed allocation in HDF5"

# One rank of two: its calls fail, or it is killed there; the run is restarted with another number of ranks.
if command -v mpirun >/dev/null; then
  # torre_of_two RANK ERRNO CALL AT [PATH]: as torre_with, the fault in one rank.
  torre_of_two() {
    local rank=$1 error=$2 call=$3 at=$4 path=${5:-/checkpoint} r
    local -a parts=() run=("$TORRE" run small.cfg --out out --set checkpoint.steps=25 -q)
    run+=(--th 4 --dts 3 --ranks 2x1 --threads 1)
    for r in 0 1; do
      ((r)) && parts+=(:)
      parts+=(-n 1)
      ((r == rank)) && parts+=(env LD_PRELOAD="$PWD/shim.so" FAULT_CALL="$call" FAULT_AT="$at" FAULT_PATH="$path"
        FAULT_ERRNO="$error" FAULT_COUNT="$PWD/count" FAULT_WHO="$PWD/who")
      parts+=("${run[@]}")
    done
    (timeout 600 mpirun --oversubscribe "${parts[@]}" >out.txt 2>&1; exit $?) 2>/dev/null
  }
  total=0 bad=0 stride=$((3 * stride))
  for rank in 0 1; do
    for call in pwrite fsync rename mkdir open close; do
      rm -rf out && torre_of_two $rank 28 $call 0
      calls=$(cat count)
      ((calls > 0)) || [[ $rank == 1 && $call =~ rename|mkdir ]] || wrong "rank $rank: $call is never called"
      for ((n = 1; n <= calls; n += stride)); do
        total=$((total + 1))
        rm -rf out && torre_of_two $rank 28 $call "$n"
        status=$?
        { [[ $status == 0 ]] && same_results plain out; } ||
          wrong "rank $rank: $call $n of $calls fails: exit status $status, or other results"
      done
    done
    rm -rf out && torre_of_two $rank 0 any 0
    calls=$(cat count)
    for ((n = 1; n <= calls; n += stride)); do
      total=$((total + 1))
      rm -rf out && torre_of_two $rank 0 any "$n"
      restarts "rank $rank of two killed at call $n of $calls"
    done
  done
  check "$total runs of two ranks with a failing call in one of them, or one killed there: same results" $((bad > 0))

  # MPI and HDF5 allocate there, too, and end the run where an allocation fails: nothing is lost.
  total=0 bad=0 crashed=0
  for kind in "0 /checkpoint 1" "1 /checkpoint 1" "0 out/ 18"; do
    read -r rank path longer <<<"$kind"
    rm -rf out && torre_of_two "$rank" 12 malloc 0 "$path"
    calls=$(cat count)
    ((calls > 0)) || wrong "rank $rank: malloc is never called"
    for ((n = 1; n <= calls; n += (longer * stride + 2) / 3)); do
      total=$((total + 1))
      rm -rf out && torre_of_two "$rank" 12 malloc "$n" "$path"
      failed_well "rank $rank: allocation $n of $calls ($path)" $?
    done
  done
  check "$total runs of two ranks with a failing allocation in one of them: $outcome" $((bad > 0))
fi
finish
