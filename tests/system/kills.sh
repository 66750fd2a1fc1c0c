#!/usr/bin/env bash
# Runs that are killed at random moments, many of them while they write a checkpoint, and started again by the same
# command with another schedule: the results are the same bytes as those of an undisturbed run. With mpirun there are
# several ranks in some runs, another number of them each time; one of the ranks is killed, or mpirun itself.
#
#   bash tests/system/kills.sh [KILLS] [GRID ...]
#
# Needs $TORRE and $TORRE_SOURCE. Default: 12 kills, 1x1 and, with mpirun, 2x1 1x2 3x1 2x2.
source "$TORRE_SOURCE/tests/system/lib.sh"

wanted=${1:-12}
grids=("${@:2}")
((${#grids[@]})) || grids=(1x1)
if (($# < 2)) && command -v mpirun >/dev/null; then grids+=(2x1 1x2 3x1 2x2); fi
cp "$TORRE_SOURCE"/jobs/reference_pulse.txt .
sed 's/time_fs = 20.0/time_fs = 10.0/; s/every_fs = 8.0/every_fs = 4.0/' "$TORRE_SOURCE/jobs/reference.cfg" >job.cfg
# With th = 8 a checkpoint of 9 MB each 16 steps takes about half of the time.
common=(--restart --set checkpoint.steps=16 -q)

"$TORRE" run job.cfg --out plain -q >/dev/null
check "an undisturbed run ends" $?

schedules=("--th 8 --threads 2" "--engine stepwise --threads 1" "--th 5 --dts 3 --threads 2"
  "--engine stepwise --th 1 --threads 2" "--th 16 --dts 8 --threads 3")
of_ranks=("--th 4 --dts 3 --threads 1" "--th 2 --dts 2 --threads 2" "--th 3 --dts 1 --threads 1")

# Starts a run into folder $out on grid $grid in the background: its process is $pid.
start() {
  local -a schedule
  if [[ $grid == 1x1 ]]; then
    read -ra schedule <<<"${schedules[RANDOM % ${#schedules[@]}]}"
    "$TORRE" run job.cfg --out "$out" "${common[@]}" "${schedule[@]}" >out.txt 2>&1 &
  else
    read -ra schedule <<<"${of_ranks[RANDOM % ${#of_ranks[@]}]}"
    mpirun --oversubscribe -n $((${grid%x*} * ${grid#*x})) "$TORRE" run job.cfg --out "$out" \
      --ranks "$grid" "${common[@]}" "${schedule[@]}" >out.txt 2>&1 &
  fi
  pid=$!
}

# ends_within SECONDS PROCESS: waits for its end; a zombie has ended.
ends_within() {
  local i
  for ((i = 0; i < 20 * $1; i++)); do
    [[ $(ps -o stat= -p "$2") == [!Z]* ]] || return 0
    sleep 0.05
  done
  return 1
}

# Kills the run, one of its ranks, or their mpirun; nothing of it runs afterwards.
strike() {
  local -a ranks=()
  local victim=$pid rank
  if [[ $grid != 1x1 ]]; then
    mapfile -t ranks < <(pgrep -P "$pid" -x "$(basename "$TORRE")")
    ((${#ranks[@]})) && ((RANDOM % 3)) && victim=${ranks[RANDOM % ${#ranks[@]}]} && of_rank=1
  fi
  kill -9 "$victim" 2>/dev/null
  # Open MPI 4.1's mpirun may hang when a rank dies before it has connected; else it ends within a second.
  if [[ $victim != "$pid" ]] && ! ends_within 10 "$pid"; then
    kill -9 "$pid" && hung=$((hung + 1))
  fi
  # Ranks whose mpirun is gone end by themselves, or continue alone: then they hold the folder's lock.
  for rank in "${ranks[@]}"; do
    ends_within 2 "$rank" || { kill -9 "$rank" 2>/dev/null && orphans=$((orphans + 1)) && ends_within 10 "$rank"; }
  done
}

kills=0 rank_kills=0 job_kills=0 orphans=0 hung=0 chain=0 during=0
while ((kills < wanted)); do
  chain=$((chain + 1)) out=chain$chain starts=0 status=137
  while ((status != 0 && starts < 60)); do
    starts=$((starts + 1)) of_rank=0 grid=${grids[RANDOM % ${#grids[@]}]}
    start
    if ((starts < 40)); then
      [[ $grid == 1x1 ]] || sleep 0.4
      sleep "0.$(printf %03d $((RANDOM % 900)))"
      strike
    fi
    wait $pid 2>/dev/null
    status=$?
    if ((status == 137)); then
      kills=$((kills + 1))
      if ((of_rank)); then
        rank_kills=$((rank_kills + 1))
      elif [[ $grid != 1x1 ]]; then
        job_kills=$((job_kills + 1))
      fi
      compgen -G "$out/checkpoint/*.part" >/dev/null && during=$((during + 1))
    elif ((status != 0)); then
      cat out.txt
      break
    fi
  done
  same=$status
  same_results plain "$out" || same=1
  ((same == 0)) || check "chain $chain of $starts starts gives the same files" 1
  [[ $same == 0 && ! -e $out/checkpoint && ! -e $out/.lock ]] || check "chain $chain leaves no checkpoint behind" 1
  ((same == 0)) && rm -rf "$out"
done
details="$rank_kills of one rank, $job_kills of mpirun; $during while a checkpoint was written"
check "$kills kills ($details) in $chain chains: the same files each time" $((failures > 0))
((orphans)) && echo "     $orphans ranks ran for more than 2 s after their mpirun was killed"
((hung)) && echo "     $hung times mpirun hung after a rank was killed, and was killed too"
finish
