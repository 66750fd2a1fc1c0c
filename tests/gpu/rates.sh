#!/usr/bin/env bash
# Rates of whole jobs on one GPU: two programs in turn, pair by pair. A job fails when
#   - the median of NEW's rate over OLD's is below 0.95,
#   - NEW's rate over that of its stepwise engine is below 0.95 of what tests/gpu/rates.csv has for this GPU model, or
#   - OLD, NEW and NEW's stepwise engine do not write the same CSV files.
# Prints a table; the last line reads `N ok, N failed, N skipped`. Exit status: 0 all passed, 1 a job failed, 77 no GPU.
#
#   bash tests/gpu.sh --rates OLD NEW [--only REGEX] [--seconds N] [--pairs N] [--store] [--table FILE]
#
# OLD, NEW        two programs torre with CUDA, built before (-DTORRE_ARCH=portable for another machine, stripped)
# --only REGEX    jobs by name (default: all but pcwm-fp64 and p-pmc)
# --seconds N     start no pair of runs that would end later (default 330); a job without one is skipped
# --pairs N       at most so many pairs of runs of a job (default 25)
# --store         write this GPU model's ratios to the stepwise engine into the table of ratios
# --table FILE    the table of ratios (default tests/gpu/rates.csv)
#
# 512 x 512 x 384 cells, 512 steps. A rate is that of the steps alone, as run.json has it, without set-up and output.
set -euo pipefail
usage() { sed -n '/^#   bash/,/^# --table/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2 && exit 2; }

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
only='^(c|cwm|d|dcwm|pcwm|cwm-fp64|dcwm-order4)$' seconds=330 pairs=25 store=0
table=$top/tests/gpu/rates.csv
programs=()
while (($#)); do
  case $1 in
    --only) only=${2:?--only needs a regular expression} && shift ;;
    --seconds) seconds=${2:?--seconds needs a number} && shift ;;
    --pairs) pairs=${2:?--pairs needs a number} && shift ;;
    --table) table=$(realpath -m "${2:?--table needs a file}") && shift ;;
    --store) store=1 ;;
    -*) usage ;;
    *) programs+=("$(realpath "$1")") ;;
  esac
  shift
done
((${#programs[@]} == 2)) || usage
old=${programs[0]} new=${programs[1]}

# Name, parts and order (jobs/speed/spheres.sh), time of 512 steps [fs], a further setting.
jobs=(
  "c            c    2  8.87"
  "cwm          cwm  2  8.87"
  "d            d    2  8.87"
  "dcwm         dcwm 2  8.87"
  "pcwm         pcwm 2  8.87"
  "cwm-fp64     cwm  2  8.87 grid.precision=fp64"
  "dcwm-order4  dcwm 4  7.60"
  "pcwm-fp64    pcwm 2  8.87 grid.precision=fp64"
  "p-pmc        p    2  8.87 boundaries.x_lo=pmc"
)
# For jobs without a wave and a flux box: a source of fields, and a probe to compare.
dipole='sources = ( { type = "electric_dipole"; position = [0.0, 0.0, 0.0]; axis = "z";
  time = { type = "pulse"; wavelength = 600.0; band = 300.0; }; } );
monitors = ( { type = "probe"; name = "p"; position = [200.0, 100.0, 50.0]; wavelengths = [600.0]; } );'

work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
cd "$work"
export XDG_CACHE_HOME=$work/cache
names=()
for job in "${jobs[@]}"; do
  read -r name parts order time setting <<<"$job"
  [[ $name =~ $only ]] || continue
  names+=("$name")
  mkdir "$name"
  bash "$top/jobs/speed/spheres.sh" 512,512,384 "$parts" "$time" "$order" >"$name/job.cfg"
  [[ $parts == *wm ]] || echo "$dipole" >>"$name/job.cfg"
  echo "${setting:-grid.precision=fp32}" >"$name/setting"
done
((${#names[@]})) || { echo "no job's name matches $only" >&2 && exit 2; }
if ! "$new" check "${names[0]}/job.cfg" --device gpu --engine diamond >here.txt 2>&1; then
  echo "skipped: no GPU here that can run Torre: $(head -n 1 here.txt)"
  exit 77
fi
model=$(nvidia-smi --query-gpu=name --format=csv,noheader -i 0) || model="a GPU without name"

# measure JOB old|new|stepwise PROGRAM ENGINE: adds a line to JOB/old.rates ... [G cell updates/s], files in JOB/old ...
measure() {
  local rate
  [[ ! -e $1/fault ]] || return 0
  if ! "$3" run "$1/job.cfg" --set "$(<"$1/setting")" --device gpu --engine "$4" --th 64 -q --out "$1/$2" --overwrite \
    >"$1/$2.txt" 2>&1; then
    echo "$2 cannot run it: $(grep -v warning "$1/$2.txt" | head -n 1)" >"$1/fault"
    return
  fi
  rate=$(awk '/"cell_updates_per_second": *[0-9]/ { print $2 * 1e-9 }' "$1/$2/run.json")
  if [[ $rate ]]; then echo "$rate" >>"$1/$2.rates"; else echo "$2 reports no rate" >"$1/fault"; fi
}
# compare JOB old|stepwise: its CSV files with new's, which must hold numbers.
compare() {
  local sums
  [[ ! -e $1/fault ]] || return 0
  sums=$(cd "$1/new" && cksum -- *.csv) || true
  if [[ ! $sums || $(cd "$1/$2" && cksum -- *.csv) != "$sums" ]]; then
    echo "CSV files are not $2's" >"$1/fault"
  elif grep -qi nan "$1"/new/*.csv; then
    echo "CSV files have no numbers" >"$1/fault"
  fi
}

# In each round each job once by both programs, in the other order from round to round; in the first one by the stepwise
# engine, too.
longest=0
for ((round = 1, ran = 1; ran && round <= pairs; round++)); do
  ran=0
  for name in "${names[@]}"; do
    if [[ -e $name/fault ]] || ((SECONDS + longest > seconds)); then continue; fi
    start=$SECONDS ran=1
    ((round % 2)) || measure "$name" new "$new" diamond
    measure "$name" old "$old" diamond
    ((round % 2 == 0)) || measure "$name" new "$new" diamond
    compare "$name" old
    ((SECONDS - start <= longest)) || longest=$((SECONDS - start))
    if ((round == 1)); then
      measure "$name" stepwise "$new" stepwise
      compare "$name" stepwise
    fi
  done
done

median() { sort -g | awk '{ v[NR] = $1 } END { print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'; }
stored() { # job
  [[ ! -e $table ]] || awk -F, -v model="$model" -v job="$1" '$1 == model && $2 == job { print $3 }' "$table"
}

echo "$model; G cell updates/s"
head='%-12s %5s %8s %8s %8s %16s %9s %13s %7s  %s\n'
line='%-12s %5d %8.2f %8.2f %8.3f %16s %9.2f %13.3f %7s  %s\n'
# shellcheck disable=SC2059
printf "$head" job pairs old new new/old 'min to max' stepwise new/stepwise stored verdict
passed=0 failed=0 skipped=0 unknown=() rows=()
for name in "${names[@]}"; do
  cd "$work/$name"
  if [[ ! -e fault && ! -e new.rates ]]; then
    echo "$name: skipped, no time left" && skipped=$((skipped + 1)) && continue
  elif [[ -e fault ]]; then
    echo "$name: fail, $(<fault)" && failed=$((failed + 1)) && continue
  fi
  paste old.rates new.rates | awk '{ print $2 / $1 }' >ratios
  o=$(median <old.rates) n=$(median <new.rates) ratio=$(median <ratios) s=$(<stepwise.rates) kept=$(stored "$name")
  rows+=("$model,$name,$(awk -v n="$n" -v s="$s" 'BEGIN { printf "%.3f", n / s }')")
  ((store)) || [[ $kept ]] || unknown+=("$name")
  verdict=$(awk -v r="$ratio" -v n="$n" -v s="$s" -v kept="$kept" 'BEGIN {
    if (!(r >= 0.95)) print "fail: slower than old"
    else if (kept && !(n / s >= 0.95 * kept)) print "fail: slower than stored"
    else print "ok" (kept && n / s > 1.05 * kept ? ", faster than stored" : "") }')
  if [[ $verdict == ok* ]]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
  range=$(sort -g ratios | awk 'NR == 1 { a = $1 } { b = $1 } END { printf "%.3f to %.3f", a, b }')
  # shellcheck disable=SC2059
  printf "$line" "$name" "$(wc -l <ratios)" "$o" "$n" "$ratio" "$range" "$s" "${rows[-1]##*,}" "${kept:--}" "$verdict"
done
((!${#unknown[@]})) || echo "no stored ratio of ${unknown[*]} on $model: --store keeps those above"
if ((store && ${#rows[@]})); then
  {
    echo gpu,job,ratio_to_stepwise
    { [[ ! -e $table ]] || tail -n +2 "$table" && printf '%s\n' "${rows[@]}"; } |
      awk -F, '{ row[$1 "," $2] = $0 } END { for (key in row) print row[key] }' | LC_ALL=C sort
  } >"$work/table" && cp "$work/table" "$table" && echo "stored in $table"
fi
echo "$passed ok, $failed failed, $skipped skipped"
exit $((failed > 0))
