#!/usr/bin/env bash
# Rates of Torre and Meep on two jobs of 256 x 256 x 128 cells: vacuum, and a Drude ellipsoid that fills 30 % of the
# domain.
#
#   bash jobs/meep-compare/run.sh [ROUNDS]
#
# Every round (default 3) runs all programs one after another, since a machine's memory bandwidth varies over hours; the
# table has the best of the rounds. Meep: two processes for two cores, fp64, the only precision of Debian's package.
# Torre: as many threads as cores.
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
here=$top/jobs/meep-compare
work=$top/results/meep-compare
rounds=${1:-3}
cores=$(nproc)
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PYTHONDONTWRITEBYTECODE=1

stop() {
  echo "meep-compare: $1" >&2
  exit 1
}

[[ $rounds =~ ^[1-9][0-9]?$ ]] || stop "got \"$rounds\", need the number of rounds, 1 to 99"

# shellcheck source=jobs/install.sh
source "$top/jobs/install.sh"
torre_install "${TORRE_PACKAGES[@]}" python3-meep-openmpi python3-mpi4py python3-matplotlib || exit 1
mkdir -p "$work" "$top/build"
{ cmake -S "$top" -B "$top/build" && cmake --build "$top/build" -j"$cores" --target torre; } >"$work/build.log" 2>&1 ||
  stop "the build failed, see $work/build.log"

declare -A best=()

keep_best() { # name, rate in M cells*steps/s
  printf '  %-26s %8s M cells*steps/s\n' "$1" "$2"
  if [[ -z ${best[$1]:-} ]] || awk -v a="$2" -v b="${best[$1]}" 'BEGIN { exit !(a > b) }'; then best[$1]=$2; fi
}

run_meep() { # job
  local log=$work/meep-$1.log rate
  env OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 mpirun -n "$cores" --allow-run-as-root --oversubscribe \
    /usr/bin/python3 "$here/meep_$1.py" >"$log" 2>&1 </dev/null || stop "Meep failed, see $log"
  rate=$(sed -nE 's/^meep [a-z]+: ([0-9.]+) M cells.*/\1/p' "$log")
  [[ -n $rate ]] || stop "Meep printed no rate, see $log"
  keep_best "meep-$1-fp64" "$rate"
}

run_torre() { # job, precision, engine
  local name=torre-$1-$2-$3 rate
  "$top/build/torre" run "$here/$1.cfg" --set "grid.precision=$2" --engine "$3" --out "$work/$name" --overwrite \
    >"$work/$name.log" 2>&1 </dev/null || stop "torre failed, see $work/$name.log"
  rate=$(sed -nE 's/^[0-9]+ of at most .*, ([0-9.]+) G cells\/s$/\1/p' "$work/$name.log" |
    awk '{ printf "%.0f", 1000 * $1 }')
  [[ -n $rate ]] || stop "torre printed no rate, see $work/$name.log"
  keep_best "$name" "$rate"
}

for ((round = 1; round <= rounds; round++)); do
  echo "round $round of $rounds"
  for job in vacuum drude; do
    run_meep $job
    run_torre $job fp64 diamond
    run_torre $job fp64 stepwise
    run_torre $job fp32 diamond
  done
done

echo
processor=$(sed -nE 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
echo "$processor, $cores cores; M cells*steps/s, best of $rounds rounds"
echo '| job | Meep fp64 | Torre fp64 stepwise | Torre fp64 | Torre fp32 | Torre fp64 / Meep |'
echo '|---|---|---|---|---|---|'
for job in vacuum drude; do
  awk -v job=$job -v m="${best[meep-$job-fp64]}" -v s="${best[torre-$job-fp64-stepwise]}" \
    -v d="${best[torre-$job-fp64-diamond]}" -v f="${best[torre-$job-fp32-diamond]}" \
    'BEGIN { printf "| %s | %.0f | %.0f | %.0f | %.0f | %.1f |\n", job, m, s, d, f, d / m }'
done
