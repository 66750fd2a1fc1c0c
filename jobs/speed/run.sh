#!/usr/bin/env bash
# Rates of the stepwise and the diamond engine, measured alternately, with the memory bandwidth of the same minute and
# the number of cores that the threads were worth: memory limits stepwise, cores limit diamond, and on a virtual machine
# both vary with time.
#
#   bash jobs/speed/run.sh [ROUNDS]        (default 2 rounds, the best of each counts)
#   bash jobs/speed/run.sh --plane [ROUNDS]          the same of a 2-D job
#   bash jobs/speed/run.sh --old A --new B compares two programs instead: compare.sh
#
# A stepwise update moves 72 bytes a cell in fp32 and 144 in fp64 (six fields read, three written, in each half-step);
# in 2-D 36 and 72 (TM: H reads three and writes two, E reads three and writes one).
set -euo pipefail
job=job.cfg single=72
[[ ${1:-} != --plane ]] || { job=plane.cfg single=36 && shift; }
[[ ${1:-} != --* ]] || exec bash "$(dirname "${BASH_SOURCE[0]}")/compare.sh" "$@"
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
rounds=${1:-2}
{ cmake -S . -B build && cmake --build build -j"$(nproc)" --target torre triad cores; } >/dev/null
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OMP_PROC_BIND=${OMP_PROC_BIND:-true}

rate() { # order precision engine -> G cell updates/s
  build/torre run jobs/speed/$job --device cpu --set grid.order="$1" --set grid.precision="$2" --engine="$3" \
    --out "$work/r" --overwrite -q
  sed -nE 's/.*"cell_updates_per_second": ([0-9.e+]+).*/\1/p' "$work/r/run.json" | awk '{ printf "%.3f", $1 * 1e-9 }'
}
best() { awk -v a="$1" -v b="$2" 'BEGIN { print (a > b ? a : b) }'; }

printf '%-6s %-5s %12s %12s %8s %12s %15s %7s\n' order prec 'stepwise' 'diamond' ratio 'triad GB/s' 'stepwise/triad' \
  cores
for order in 2 4; do
  for precision in fp32 fp64; do
    s=0 d=0 t=0 c=0
    for ((i = 0; i < rounds; i++)); do
      t=$(best "$t" "$(build/triad)")
      c=$(best "$c" "$(build/cores)")
      s=$(best "$s" "$(rate "$order" "$precision" stepwise)")
      d=$(best "$d" "$(rate "$order" "$precision" diamond)")
    done
    bytes=$([[ $precision == fp32 ]] && echo $single || echo $((2 * single)))
    awk -v o="$order" -v p="$precision" -v s="$s" -v d="$d" -v t="$t" -v b="$bytes" -v c="$c" \
      'BEGIN {
        printf "%-6s %-5s %12.3f %12.3f %8.2f %12.1f %13.0f %% %7.2f\n", o, p, s, d, d / s, t, 100 * s * b / t, c
      }'
  done
done
