#!/usr/bin/env bash
# One job with every feature (jobs/reference.cfg), by different engines, tiles, stages and threads: the results are the
# same files.
source "$TORRE_SOURCE/tests/system/lib.sh"

job=job.cfg
reference_job -e 's/time_fs = 20.0/time_fs = 4.0/; s/every_fs = 8.0/every_fs = 2.0/' \
  -e 's/from_fs = 10.0; }/from_fs = 2.0; }/; s/times_fs = \[3.0, 5.0\]/times_fs = [1.5, 3.0]/' \
  -e 's/times_fs = \[2.0, 4.0, 6.0\]/times_fs = [1.0, 2.0, 3.5]/' >$job
for order in 2 4; do
  "$TORRE" run "$job" --set grid.order=$order --set grid.courant=0.5 --engine=stepwise --threads 1 \
    --out "s$order" -q >/dev/null
  check "order $order: stepwise runs" $?
  [[ $(wc -l <"s$order/tip.csv") -gt 100 && $(wc -l <"s$order/spectra.csv") == 6 ]]
  check "order $order: tables are full" $?
  n=0
  for schedule in "--dts 1 --th 1 --threads 1" "--dts 3 --th 7 --threads 2" "--dts 8 --th 50 --threads 3" \
    "--threads 2"; do
    n=$((n + 1))
    # shellcheck disable=SC2086
    "$TORRE" run "$job" --set grid.order=$order --set grid.courant=0.5 --engine=diamond $schedule \
      --out "d$order$n" -q >/dev/null
    same_results "s$order" "d$order$n"
    check "order $order: diamond $schedule gives the same files" $?
  done
done
"$TORRE" run "$job" --set grid.precision=fp64 --out f64 -q >/dev/null
check "fp64 runs" $?
a=$(cell s2/spectra_sphere.csv sphere.Q_ext 550) b=$(cell f64/spectra_sphere.csv sphere.Q_ext 550)
echo "     Q_ext in fp32 $a, in fp64 $b (other time step)"

"$TORRE" plan "$job" >plan.txt
check "plan runs" $?
for word in grid "time step" fields "absorbing layers" poles monitors DTS "G cell updates"; do
  grep -q "$word" plan.txt
  check "plan reports $word" $?
done
"$TORRE" --version | grep -q compiler
check "--version names the compiler" $?
"$TORRE" --help | grep -q materials
check "--help names the commands" $?
"$TORRE" materials | grep -q "Rakic"
check "materials names its sources" $?
if command -v python3 >/dev/null; then
  python3 -c 'import json, sys; j = json.load(open("s2/run.json"))
sys.exit(not (j["steps"] > 100 and j["job"] and j["schedule"]["engine"] == "stepwise"))'
  check "run.json is JSON and has the job" $?
fi
finish
