#!/usr/bin/env bash
# Rates of two programs torre on the CPU, in turn, by jobs of a second or two. Each job runs in five pairs, old
# and new first alternately, and the median of new over old must be above 0.97, else exit status 1. Where it is not,
# five more pairs are run and all ten count: on a machine that does other work single pairs scatter by more than
# that.
#
#   bash jobs/speed/run.sh --old A --new B [--only REGEX]
#
# --only REGEX   jobs whose name matches, e.g. 'order 4' (default: all twelve)
set -euo pipefail
usage() { sed -n '/^#   bash/,/^# --only/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2 && exit 2; }
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
old='' new='' only=.
while (($#)); do
  case $1 in
    --old) old=$(realpath "${2:?--old needs a program}") ;;
    --new) new=$(realpath "${2:?--new needs a program}") ;;
    --only) only=${2:?--only needs a regular expression} ;;
    *) usage ;;
  esac
  shift 2
done
[[ $old && $new ]] || usage

work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
cd "$work"
export OMP_PROC_BIND=${OMP_PROC_BIND:-true} XDG_CACHE_HOME=$work/cache

# Parts (jobs/speed/spheres.sh), order, precision, time [fs].
jobs=(
  "vacuum 2 fp32 10" "vacuum 2 fp64 5" "vacuum 4 fp32 5" "vacuum 4 fp64 2"
  "cwm 2 fp32 6" "cwm 2 fp64 3" "cwm 4 fp32 3" "cwm 4 fp64 1.5"
  "dcwm 2 fp32 5" "dcwm 2 fp64 2.5" "dcwm 4 fp32 2.5" "dcwm 4 fp64 1.2"
)
job_file() { # parts, order, time
  if [[ $1 == vacuum ]]; then
    echo "length_unit = \"nm\"; grid = { size = [1600.0, 1600.0, 1280.0]; cell = 10.0; order = $2; };
      sources = ( { type = \"electric_dipole\"; position = [0.0, 0.0, 0.0]; axis = \"z\";
        time = { type = \"pulse\"; wavelength = 600.0; band = 300.0; }; } ); run = { time_fs = $3; tolerance = 1e9; };"
  else
    bash "$here/spheres.sh" 160,160,128 "$1" "$3" "$2"
  fi
}
rate() { # program, precision -> G cell updates/s of the steps alone
  "$1" run job.cfg --set grid.precision="$2" --device cpu --engine diamond --out out --overwrite -q >log 2>&1 ||
    { cat log >&2 && return 1; }
  awk '/"cell_updates_per_second":/ { printf "%.4f", $2 * 1e-9 }' out/run.json
}
pairs() { # precision: five lines old, new, new / old in the file pairs
  local i o n
  for i in 1 2 3 4 5; do
    ((i % 2 == 0)) || o=$(rate "$old" "$1")
    n=$(rate "$new" "$1")
    ((i % 2)) || o=$(rate "$old" "$1")
    awk -v o="$o" -v n="$n" 'BEGIN { print o, n, n / o }' >>pairs
  done
}
quantile() { # column, 0 least, 1 median, 2 largest
  sort -g -k "$1,$1" pairs | awk -v c="$1" -v q="$2" '{ v[NR] = $c }
    END { printf "%.4f", q == 0 ? v[1] : q == 2 ? v[NR] : (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'
}
above() { awk -v m="$1" 'BEGIN { exit !(m > 0.97) }'; }

format='%-20s %5s %8s %8s %7s %7s %7s  %s\n' passed=0 failed=0
# shellcheck disable=SC2059
row() { printf "$format" "$@"; }
echo 'G cell updates/s, and new over old'
row job pairs old new least median largest verdict
for job in "${jobs[@]}"; do
  read -r parts order precision time <<<"$job"
  name="$parts, order $order, $precision"
  [[ $name =~ $only ]] || continue
  job_file "$parts" "$order" "$time" >job.cfg
  rm -f pairs
  pairs "$precision"
  above "$(quantile 3 1)" || pairs "$precision"
  if above "$(quantile 3 1)"; then
    verdict=ok passed=$((passed + 1))
  else
    verdict='fail: slower' failed=$((failed + 1))
  fi
  values=("$(quantile 1 1)" "$(quantile 2 1)" "$(quantile 3 0)" "$(quantile 3 1)" "$(quantile 3 2)")
  row "$name" "$(wc -l <pairs)" "${values[@]}" "$verdict"
done
echo "$passed ok, $failed failed"
((passed + failed > 0 && failed == 0))
