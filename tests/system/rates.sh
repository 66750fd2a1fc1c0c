#!/usr/bin/env bash
# torre study th, towers, roofline, weak, strong: runs, tables, pictures, predictions, lists for batch systems, and
# mistakes.
source "$TORRE_SOURCE/tests/system/lib.sh"
machine=$TORRE_SOURCE/jobs/machines/laptop.cfg
batch_job 0.5 >job.cfg
cpu=(--device cpu --threads 1)

# rates NAME FOLDER COUNT: the table has so many measured rates above zero.
rates() {
  [[ $(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "rate [Gcells/s]") n = i; next } $n + 0 > 0' \
    "$2/study.csv" | wc -l) == "$3" ]]
  check "$1: $3 rates" $?
  ! has_pictures || [[ $(head -c 4 "$2/study.png") == $'\x89PNG' && -s $2/study.svg ]]
  check "$1: pictures" $?
}

"$TORRE" study th job.cfg "${cpu[@]}" --points 16,4 --out th >th.txt 2>&1
check "th" $?
rates th th 2
[[ $(cut -d, -f1,6 th/study.csv | tr '\n' ' ') == "value,TH 4,4 16,16 " ]]
check "th: its points, in order" $?
near "th: the prediction is the measured rate of the tallest" \
  "$(awk -F, 'NR == 3 { print $13 / $10 }' th/study.csv)" 1 0.1
cp th/study.csv first.csv
"$TORRE" study th job.cfg "${cpu[@]}" --points 16,4 --out th >again.txt 2>&1 &&
  cmp -s <(cut -d, -f1-12 first.csv) <(cut -d, -f1-12 th/study.csv)
check "th: finished runs are not repeated" $?

"$TORRE" study towers job.cfg "${cpu[@]}" --dts 4 --points 1,2 --machine "$machine" --out towers >towers.txt 2>&1
check "towers" $?
rates towers towers 2
[[ $(cut -d, -f1,4 towers/study.csv | tr '\n' ' ') == "value,cells y 1,4 2,8 " ]]
check "towers: rows of one and two" $?

"$TORRE" study roofline job.cfg "${cpu[@]}" --points 8 --machine "$machine" --out roof >roof.txt 2>&1
check "roofline" $?
rates roofline roof 2
grep -q '^ *stepwise ' roof.txt
check "roofline: the stepwise engine beside towers" $?

export LAUNCH="mpirun --oversubscribe -n"
"$TORRE" study weak job.cfg "${cpu[@]}" --th 4 --dts 3 --points 1,2,4096 --out weak >weak.txt 2>&1
status=$?
[[ $status == 0 ]] && grep -q "1 not run here: weak/submit.txt has the commands" weak.txt
check "weak: what this machine cannot run is left to a cluster" $?
(($(nproc) > 1)) && rates weak weak 2
[[ $(cut -d, -f1-5 weak/study.csv | tail -n 1) == 4096,4096,262144,128,32 ]]
check "weak: the job's domain for each rank" $?
[[ $(wc -l <weak/runs.txt) == 3 && $(tail -n 1 weak/runs.txt) == "4096 'job.cfg' "*"'schedule.ranks=[4096,1]'"* ]]
check "weak: a line for each run" $?
grep -q '^sbatch --nodes=4096 .*--array=3-3 slurm.sh --list weak/runs.txt$' weak/submit.txt &&
  grep -q '^TORRE_TASK=3 bash pbs.sh -l select=4096:' weak/submit.txt &&
  grep -q "^bsub .*torre\[3-3\]" weak/submit.txt &&
  grep -q '^qsub -t 3-3 ' weak/submit.txt
check "weak: a command for each batch system" $?

"$TORRE" study strong job.cfg --points 1,2,4 --along y --no-run --machine "$machine" --out strong >strong.txt 2>&1
[[ $? == 0 && ! -e strong/strong-1 ]] && grep -q "3 not run here" strong.txt
check "strong: predicted alone" $?
# Gigabit Ethernet: the exchange of the laptop's towers takes longer than the towers.
awk -F, 'NR == 2 { one = $13 } NR == 4 { exit !(one > 0 && $13 > 0 && $13 < one) }' strong/study.csv
check "strong: the network of the machine file limits two ranks" $?

refuses() { # name, pattern, arguments...
  "$TORRE" study "${@:3}" --out bad >out.txt 2>&1
  [[ $? == 2 && ! -e bad ]] && grep -qF -- "$2" out.txt
  check "$1" $?
}
refuses "points that are none" '--points: got "1,x"' th job.cfg --points 1,x
refuses "an axis that is none" '--along: got "z"' weak job.cfg --along z
refuses "cells of another study" "--cells belongs to study cells" th job.cfg --cells 1,2
refuses "points of cells" "belong to studies of rates" cells job.cfg --cells 2,1 --points 1,2
refuses "no such machine" "nowhere.cfg" strong job.cfg --machine nowhere.cfg
refuses "a job with faults" "grid.cell" th job.cfg --set grid.cell=-1
finish
