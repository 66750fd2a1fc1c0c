#!/usr/bin/env bash
# torre tune: its figures are stored, plans and runs report their use, and no result depends on them; a damaged or
# unwritable file is a warning.
source "$TORRE_SOURCE/tests/system/lib.sh"
export XDG_CACHE_HOME=$PWD/cache
job=$TORRE_SOURCE/jobs/slab/job.cfg
small=(--set run.time_fs=5 --set run.decay=0 --set run.tolerance=1e9 --device cpu -q)

"$TORRE" run "$job" "${small[@]}" --out before >before.txt 2>&1
check "a run without figures" $?
grep -q 'usual values: torre tune has not measured' before/run.log
check "its log reports that the schedule has the usual values" $?

"$TORRE" tune --device cpu --size 48,48,48 --seconds 0.001 >table.txt 2>err.txt
check "torre tune" $?
file=$(sed -n 's/^wrote //p' table.txt)
[[ $file == "$XDG_CACHE_HOME"/torre/*.cfg && -s $file && $(grep -cE '^[24] +fp(32|64)' table.txt) == 4 ]]
check "a line for each order and precision, and a file in the cache" $?

"$TORRE" plan "$job" --device cpu >plan.txt && grep -q 'measured by torre tune' plan.txt
check "a plan reports that it uses them" $?
"$TORRE" run "$job" "${small[@]}" --out after >after.txt 2>&1 &&
  grep -q 'schedule: measured by torre tune' after/run.log && same_results before after
check "a run reports it too, and gives the same files" $?

sed -i 's/th = [0-9]*/th = 77/' "$file"
"$TORRE" plan "$job" --device cpu | grep -q 'TH 77'
check "the stage is the file's" $?
"$TORRE" plan "$job" --device cpu --th 9 | grep -q 'TH 9,'
check "the job's own stage is kept" $?
OMP_NUM_THREADS=1 "$TORRE" plan "$job" --device cpu --threads 5 | grep -q 'has not measured'
check "figures for another number of threads are not used" $?

truncate -s 300 "$file"
"$TORRE" plan "$job" --device cpu >plan.txt && grep -q 'warning: .*torre tune will replace it' plan.txt
check "a damaged file: the plan warns" $?
"$TORRE" run "$job" "${small[@]}" --out damaged >damaged.txt 2>&1 && grep -q 'warning: .*not used' damaged/run.log &&
  same_results before damaged
check "and the run warns, and gives the same files" $?


# A folder, a FIFO or a large file in its place: not read, not waited for.
not_read() { # what, words of the warning
  timeout 100 "$TORRE" plan "$job" --device cpu >plan.txt 2>err.txt && grep -q "warning: .*$2.*not used" plan.txt
  check "$1 in the file's place is a warning" $?
  timeout 100 "$TORRE" run "$job" "${small[@]}" --out other --overwrite >out.txt 2>&1 &&
    grep -q "warning: .*$2.*not used" other/run.log && same_results before other
  check "and a run's, with the same files" $?
  rm -rf "$file"
}
rm "$file" && mkdir "$file" && not_read "a folder" 'not a regular file'
mkfifo "$file" && not_read "a FIFO" 'not a regular file'
{ printf 'kinds = ('; yes '1,' | head -n 3000000; } >"$file" && not_read "a text of 9 MB" 'longer than 64 KiB'

touch blocked
XDG_CACHE_HOME=$PWD/blocked "$TORRE" tune --device cpu --size 48,48,48 --seconds 0.001 >table.txt 2>err.txt
check "a cache that cannot be written does not end torre tune" $?
grep -q 'warning: .*later runs will not use' err.txt
check "and is a warning" $?
"$TORRE" tune --size 10,48,48 --device cpu >out.txt 2>err.txt
[[ $? == 2 ]] && grep -q -- '--size' err.txt
check "wrong sizes: status 2" $?
refuses "an unknown device: status 2" 'need cpu, gpu or auto' tune --device tpu
finish
