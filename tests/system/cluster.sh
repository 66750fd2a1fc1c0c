#!/usr/bin/env bash
# torre plan --machine and torre scaling: their output, and that errors of the user end with exit status 2.
source "$TORRE_SOURCE/tests/system/lib.sh"

machines=$TORRE_SOURCE/jobs/machines
job=$TORRE_SOURCE/jobs/dielectric-sphere/job.cfg

"$TORRE" plan "$job" --machine "$machines/laptop.cfg" >plan.txt
check "plan for a described machine" $?
for word in machine domain ranks towers slab memory stage pipeline messages rate time; do
  grep -q "^$word " plan.txt
  check "the plan reports $word" $?
done

"$TORRE" plan "$TORRE_SOURCE/jobs/slab/job.cfg" --machine "$machines/laptop.cfg" >column.txt
check "plan for a domain of one column" $?

series=(scaling --machine "$machines/h200-8.cfg" --cells 3000,12672,256 --th 128 --ranks 64)
"$TORRE" "${series[@]}" --weak-x --weak-y --strong-x --strong-y --out out >scaling.txt
check "scaling series" $?
for name in weak-x weak-y strong-x strong-y; do
  [[ -s out/$name.csv ]]
  check "$name has a table" $?
  if has_pictures; then
    [[ $(head -c 4 "out/$name.png") == $'\x89PNG' ]]
    check "$name has a picture" $?
  else
    [[ ! -e out/$name.png ]] && grep -q "no picture: this build has no cairo" scaling.txt
    check "$name has no picture in a build without cairo, which the command reports" $?
  fi
done
near "one rank is the measure of efficiency" "$(cell out/weak-x.csv "efficiency [%]" 1)" 100 1e-6
near "eight devices at their rate [Gcells/s]" "$(cell out/weak-x.csv "rate [Gcells/s]" 1)" 1566.4 1
# 63 times a stage of 0.80 s and a message of 134 columns, 0.20 s.
near "the fill of 64 ranks [stages]" "$(cell out/weak-x.csv "fill [stages]" 64)" 78.1 1

cat >bad.cfg <<'END_OF_FILE'
name = "bad";
nodse = 3;
host = { memory_GB = -1.0; GB_per_s = 1.0; };
END_OF_FILE
refuses "an unknown key of a machine file" "bad.cfg:2: nodse: unknown key; nearest known key: nodes" \
  plan "$job" --machine bad.cfg
for word in "bad.cfg:3: host.memory_GB: got -1" "cores: missing" "rates: missing" "network.GB_per_s: missing"; do
  grep -qF "$word" err.txt
  check "all at once: $word" $?
done
refuses "a machine file in scaling" "nearest known key: nodes" scaling --machine bad.cfg --cells 1,1,1 --weak-x
refuses "no machine file" "no-such.cfg" plan "$job" --machine no-such.cfg
refuses "more nodes than there are" "--nodes: got 9" plan "$job" --machine "$machines/laptop.cfg" --nodes 9
refuses "ranks that the nodes do not make" 'schedule.ranks: got 3 x 2' plan "$job" --machine "$machines/laptop.cfg" \
  --ranks 3x2
refuses "nodes without a machine" "need --machine" plan "$job" --nodes 1
refuses "a machine for run" "--machine belongs to plan" run "$job" --machine "$machines/laptop.cfg"
refuses "an order and precision without a rate" "no rate for order 2" \
  plan "$job" --machine "$machines/tsubame2.5.cfg"
refuses "no series" "at least one of" scaling --machine "$machines/laptop.cfg" --cells 100,100,100
refuses "no cells" "need --cells" scaling --machine "$machines/laptop.cfg" --weak-x
refuses "cells that are none" "three whole numbers" scaling --machine "$machines/laptop.cfg" --cells 100,1e99,3 --weak-x
refuses "too many ranks" "--ranks: got" \
  scaling --machine "$machines/laptop.cfg" --cells 100,100,100 --weak-x --ranks 1000000000
refuses "a domain below one tower" "too few" scaling --machine "$machines/h200-8.cfg" --cells 100,10,100 --weak-x
finish
