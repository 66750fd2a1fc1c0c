#!/usr/bin/env bash
# tests/gpu.sh --rates without a GPU, and jobs/speed/run.sh --old A --new B: what they conclude from stand-ins for
# torre that report given rates and spectra.
source "$TORRE_SOURCE/tests/system/lib.sh"

# stand_in NAME RATE SPECTRUM [STATUS]: a program that reports RATE by the diamond engine and 20 G cell updates/s by the
# stepwise engine, and ends a run with STATUS.
stand_in() {
  cat >"$1" <<END_OF_PROGRAM
#!/usr/bin/env bash
[[ \$1 == run ]] || exit 0
rate=$2
while ((\$#)); do
  [[ \$1 == --out ]] && out=\$2
  [[ \$1 == stepwise ]] && rate=20e9
  shift
done
echo "$1 \${out//\// }" >>"$PWD/calls"
mkdir -p "\$out"
printf '{\n  "seconds": 1.0,\n  "cell_updates_per_second": %s,\n  "memory_bytes": 1\n}\n' \$rate >"\$out/run.json"
printf 'wavelength_nm,power_J_per_Hz\n500,%s\n' $3 >"\$out/spectra.csv"
exit ${4:-0}
END_OF_PROGRAM
  chmod +x "$1"
}
stand_in old 80e9 1.5
stand_in same 80e9 1.5
stand_in slower3 77.6e9 1.5
stand_in slower10 72e9 1.5
stand_in faster10 88e9 1.5
stand_in differs 80e9 1.6
stand_in nan nan 1.5
stand_in no_numbers 80e9 -nan
# shellcheck disable=SC2016 # the stand-in's own variable
stand_in stepwise_differs 80e9 '$rate'
stand_in breaks 80e9 1.5 1
mkdir bin && printf '#!/bin/sh\necho "Stand-in 80GB"\n' >bin/nvidia-smi && chmod +x bin/nvidia-smi
PATH=$PWD/bin:$PATH

# verdict NAME STATUS PATTERN ARGUMENTS...: exit status and a line that matches.
verdict() {
  local name=$1 wanted=$2 pattern=$3 status
  shift 3
  bash "$TORRE_SOURCE/tests/gpu.sh" --rates "$@" --pairs 2 --table table.csv >out.txt 2>&1
  status=$?
  [[ $status == "$wanted" ]] && grep -qE -- "$pattern" out.txt
  check "$name" $?
  [[ $status == "$wanted" ]] || { echo "     exit status $status" && cat out.txt; }
}
verdict "equal programs pass" 0 '^7 ok, 0 failed, 0 skipped$' old same
grep -q '^no stored ratio of c cwm d dcwm pcwm cwm-fp64 dcwm-order4 on Stand-in 80GB' out.txt && [[ ! -e table.csv ]]
check "a GPU model that the table lacks is reported, and nothing is stored" $?
# Lines of program, job, old|new|stepwise; pairs, then the stepwise engine in the first round.
awk '$3 == "stepwise" { stepwise[$2]++; next }
  held { bad += $2 != job || $3 == who; n[$2]++; bad += first[$2] == who; first[$2] = who; held = 0; next }
  { job = $2; who = $3; held = 1 }
  END { for (job in n) bad += n[job] != 2 || stepwise[job] != 1; exit bad > 0 || length(n) != 7 }' calls
check "old and new run in pairs, in turn the one and the other first" $?
verdict "3 % slower passes" 0 '^7 ok, 0 failed' old slower3
verdict "10 % slower fails" 1 '^0 ok, 7 failed, 0 skipped$' old slower10
grep -qE '^dcwm .* 0\.900 .*fail: slower than old$' out.txt
check "the table has the ratio and the reason" $?
verdict "10 % faster passes" 0 '^7 ok, 0 failed' old faster10
verdict "other spectra fail" 1 "^c: fail, CSV files are not old's" old differs
verdict "other spectra of the stepwise engine fail" 1 "not stepwise's" stepwise_differs stepwise_differs
verdict "spectra without numbers fail" 1 'no numbers' no_numbers no_numbers
verdict "a rate of NaN fails" 1 '^0 ok, 7 failed' old nan
verdict "a program that breaks fails" 1 '^c: fail, new cannot run it' old breaks
verdict "--only c" 0 '^1 ok, 0 failed, 0 skipped$' old same --only '^c$'
verdict "--only takes the two further jobs" 0 '^2 ok, 0 failed, 0 skipped$' old same --only 'pcwm-fp64|p-pmc'
verdict "no job of that name" 2 'no job' old same --only nothing
stand_in slow 80e9 1.5 "\$(sleep 1 && echo 0)"
verdict "--seconds: jobs that do not fit are skipped" 0 '^[01] ok, 0 failed, [67] skipped$' slow slow --seconds 1

verdict "--store" 0 '^stored in' old same --store
[[ $(head -n 2 table.csv) == $'gpu,job,ratio_to_stepwise\nStand-in 80GB,c,4.000' && $(wc -l <table.csv) == 8 ]]
check "the table of ratios" $?
verdict "the same ratios as stored pass" 0 '^c .* 4.000   4.000  ok$' old same
verdict "3 % below the stored ratio passes" 0 '^7 ok, 0 failed' slower3 slower3
verdict "10 % below the stored ratio fails" 1 '^c .*fail: slower than stored$' slower10 slower10
verdict "10 % above it is reported" 0 '^c .*ok, faster than stored$' faster10 faster10
verdict "--store of one job" 0 '^stored in' old faster10 --store --only '^c$'
[[ $(wc -l <table.csv) == 8 && $(grep -c ',4.000$' table.csv) == 6 ]] && grep -q '^Stand-in 80GB,c,4.400$' table.csv
check "replaces that line alone" $?

printf '#!/bin/sh\necho "no device" && exit 2\n' >without && chmod +x without
verdict "no GPU: status 77" 77 '^skipped: no GPU here that can run Torre: no device$' old without
bash "$TORRE_SOURCE/tests/gpu.sh" --rates old >out.txt 2>&1
[[ $? == 2 ]] && grep -q 'OLD NEW' out.txt
check "one program: status 2 and the usage" $?

bash "$TORRE_SOURCE/jobs/speed/run.sh" --old old --new same >out.txt 2>&1
[[ $? == 0 && $(grep -cE ' 5 .* 1\.0000 .*ok$' out.txt) == 12 ]] && grep -q '^12 ok, 0 failed$' out.txt
check "on the CPU: equal programs pass, five pairs of each job" $?
bash "$TORRE_SOURCE/jobs/speed/run.sh" --old old --new slower10 --only dcwm >out.txt 2>&1
[[ $? == 1 && $(grep -cE ' 10 .* 0\.9000 .*fail: slower$' out.txt) == 4 ]] && grep -q '^0 ok, 4 failed$' out.txt
check "on the CPU: 10 % slower fails, after ten pairs" $?
bash "$TORRE_SOURCE/jobs/speed/run.sh" --old old --new breaks --only dcwm >out.txt 2>&1
[[ $? == 1 ]]
check "on the CPU: a program that breaks fails" $?
finish
