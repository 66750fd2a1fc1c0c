#!/usr/bin/env bash
# Checkpoints of several ranks: restarts on other numbers of ranks, signals and the wall-clock limit, damage, a rank
# that cannot write.
source "$TORRE_SOURCE/tests/system/lib.sh"
command -v mpirun >/dev/null || { echo "no mpirun" && exit 77; }
reference_job -e 's/time_fs = 20.0/time_fs = 6.5/; s/every_fs = 8.0/every_fs = 2.0/' >job.cfg

# on RANKSxRANKS ARGUMENTS...: a run on that grid, into out.txt; 1x1 without mpirun.
on() {
  local grid=$1 n=$((${1%x*} * ${1#*x}))
  shift
  if ((n == 1)); then
    "$TORRE" run job.cfg -q "$@" >out.txt 2>&1
  else
    timeout 1500 mpirun --oversubscribe -n $n "$TORRE" run job.cfg -q --ranks "$grid" --th 4 --dts 3 "$@" >out.txt 2>&1
  fi
}

# stops GRID FOLDER: continues until one more checkpoint has been written, then is stopped by SIGUSR1.
stops() {
  local i before now status
  before=$(grep -cs "] checkpoint of step" "$2/run.log")
  on "$1" --out "$2" --restart --set checkpoint.steps=100 &
  local shell=$! target
  for ((i = 0; i < 10000; i++)); do
    now=$(grep -cs "] checkpoint of step" "$2/run.log")
    ((${now:-0} > ${before:-0})) && break
    sleep 0.02
  done
  target=$(pgrep -P "$shell" | head -n 1)
  [[ $1 == 1x1 ]] || target=$(pgrep -P "$target" -x mpirun)
  kill -USR1 "$target"
  wait "$shell"
  status=$?
  [[ $status == 75 ]]
  check "$1 ranks: stopped with status 75" $?
  [[ $status == 75 ]] || tail -n 3 out.txt
}

"$TORRE" run job.cfg --out plain -q >/dev/null
check "an undisturbed run ends" $?

# From grid to grid; the last one to the end.
chain() {
  local folder=$1 last=${!#} grid
  shift
  for grid in "${@:1:$#-1}"; do stops "$grid" "$folder"; done
  on "$last" --out "$folder" --restart
  check "$last ranks continue to the end" $?
  [[ $(grep -c "continues from the checkpoint" "$folder/run.log") == $(($# - 1)) ]]
  check "$*: each continues from a checkpoint" $?
  same_results plain "$folder"
  check "$*: the same files" $?
  [[ ! -e $folder/checkpoint && ! -e $folder/.lock ]]
  check "$*: no checkpoint is left" $?
}
on 2x1 --out limit --max-time 00:00:01
[[ $? == 75 ]] && grep -q "stopped by the limit" limit/run.log
check "--max-time: status 75" $?
chain a 2x1 3x1 1x1
chain b 1x1 2x2
chain c 1x2 2x1

# waits FOLDER: until the run there advances.
waits() {
  local i
  for ((i = 0; i < 4000; i++)); do grep -qs "plane wave" "$1/run.log" && break; sleep 0.05; done
  sleep 0.3
}
# The rank of the job under mpirun number $1 that started last.
last_rank() { pgrep -P "$1" | tail -n 1; }

# SIGTERM to mpirun is not tested: mpirun forwards it a second later and kills the ranks after another second, ready or
# not.
for signal in TERM-rank USR1-rank USR1-mpirun; do
  mpirun --oversubscribe -n 2 "$TORRE" run job.cfg -q --ranks 2x1 --th 2 --dts 3 --out $signal >out.txt 2>&1 &
  pid=$!
  waits $signal
  target=$pid
  [[ $signal == *-rank ]] && target=$(last_rank $pid)
  kill -"${signal%-*}" "$target"
  wait $pid
  status=$?
  [[ $status == 75 ]] && grep -q "stopped by SIG${signal%-*}" $signal/run.log
  check "SIG${signal%-*} to ${signal#*-}: status $status, all ranks stop at one step" $?
done
on 1x2 --out USR1-rank --restart
same_results plain USR1-rank
check "after a signal to one rank of 2x1, 1x2 continues to the same files" $?

# A damaged file of one rank: all ranks take the generation before.
stops 2x1 two
generation=(two/checkpoint/step-*)
[[ ${#generation[@]} == 2 ]]
check "two generations are kept" $?
cp -r two kept
truncate -s -100 "${generation[1]}/rank-000001"
on 3x1 --out two --restart
[[ $? == 0 ]] && grep -q "cannot be used.*rank-000001.*damaged" two/run.log && same_results plain two
check "a damaged file of rank 1: all continue from the generation before, to the same files" $?
rm -rf two && cp -r kept two && rm "${generation[0]}/rank-000001" "${generation[1]}/rank-000000"
on 2x1 --out two --restart
[[ $? == 2 && $(grep -c "none of 2 checkpoints" out.txt) == 1 ]]
check "both damaged: status 2, reported once" $?
rm -rf two && cp -r kept two
on 2x1 --out two --restart --set grid.courant=0.4
[[ $? == 2 && $(grep -c "another job" out.txt) == 1 ]]
check "another job's checkpoint is refused, reported once" $?

# A run that has ended is taken further.
on 2x1 --out further --set run.time_fs=6.3 --set checkpoint.keep=true
check "a run to an earlier time keeps its end" $?
on 2x1 --out further --restart --set run.time_fs=6.1
[[ $? == 2 && $(grep -c "lies after the end of this run" out.txt) == 1 ]]
check "not to a time before it, reported once" $?
on 1x2 --out further --restart && same_results plain further
check "to a later one on other ranks, to the same files" $?

# A rank that cannot write: the generation is dropped, the run continues.
if cc -shared -fPIC -O1 -o shim.so "$TORRE_SOURCE/tests/faults/shim.c" -ldl 2>/dev/null; then
  mpirun --oversubscribe -n 1 "$TORRE" run job.cfg -q --ranks 2x1 --th 4 --dts 3 --out full \
    --set checkpoint.steps=200 : \
    -n 1 env LD_PRELOAD="$PWD/shim.so" FAULT_CALL=pwrite FAULT_AT=3 FAULT_PATH=/checkpoint FAULT_ERRNO=28 \
    "$TORRE" run job.cfg -q --ranks 2x1 --th 4 --dts 3 --out full --set checkpoint.steps=200 >out.txt 2>&1
  status=$?
  [[ $status == 0 ]] && grep -q "checkpoint of step 200 could not be written.*No space left" full/run.log &&
    grep -q "checkpoint of step 400: " full/run.log && same_results plain full
  check "rank 1 finds the disk full once: a warning, the next checkpoint is written, the same files" $?
fi

# Unbounded growth of the fields, on one rank's columns or another's.
on 2x1 --out gain --set checkpoint.steps=500 --set run.time_fs=400 --set "media[5].poles[1].delta_eps=-60" \
  --set grid.courant=0.3
[[ $? == 1 && $(grep -c "unstable at step" gain/run.log) == 1 ]] &&
  compgen -G "gain/checkpoint/step-*/manifest" >/dev/null
check "a medium that amplifies is stopped, reported once, the last good checkpoint is kept" $?
finish
