#!/usr/bin/env bash
# Runs that are killed at random moments, many of them while they write a checkpoint, and started again by the same command: the results
# are the same bytes as those of a run that nobody disturbed.
#
#   bash tests/system/kills.sh [KILLS]     (default 12; needs $TORRE and $TORRE_SOURCE)
source "$TORRE_SOURCE/tests/system/lib.sh"

wanted=${1:-12}
job=$TORRE_SOURCE/jobs/reference.cfg
# With th = 8 a checkpoint of 9 MB each 16 steps takes about half of the time.
common=(--set checkpoint.steps=16 -q)

"$TORRE" run "$job" --out plain -q >/dev/null
check "an undisturbed run ends" $?

schedules=("--th 8 --threads 2" "--engine stepwise --threads 1" "--th 5 --dts 3 --threads 2" "--engine stepwise --th 1 --threads 2" "--th 16 --dts 8 --threads 3")
kills=0 chain=0 during=0
while ((kills < wanted)); do
  chain=$((chain + 1)) out=chain$chain starts=0 status=137
  while ((status != 0 && starts < 60)); do
    starts=$((starts + 1))
    # shellcheck disable=SC2206
    schedule=(${schedules[RANDOM % ${#schedules[@]}]})
    "$TORRE" run "$job" --out "$out" --restart "${common[@]}" "${schedule[@]}" >out.txt 2>&1 &
    pid=$!
    if ((starts < 40)); then
      sleep "0.$(printf %03d $((RANDOM % 900)))"
      kill -9 $pid 2>/dev/null
    fi
    wait $pid 2>/dev/null
    status=$?
    if ((status == 137)); then
      kills=$((kills + 1))
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
check "$kills kills ($during of them while a checkpoint was written) in $chain chains: the same files each time" $((failures > 0))
finish
