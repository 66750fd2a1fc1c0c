#!/usr/bin/env bash
# Measures weak and strong scaling over GPUs, a rank on each: tables on the terminal and scaling.csv in FOLDER.
#
#   bash jobs/scaling/gpus.sh MODE NX,NY,NZ [FOLDER] [-- options of torre run]
#
# MODE: weak, strong, weak-y, strong-y, weak-xy, strong-xy or large. NX,NY,NZ: cells of one GPU (weak, large) or of all
# (strong). weak, strong: vacuum, ranks along x; with -y: along y; with -xy: on grids of 1 x 1, 1 x 2, 2 x 2, 2 x 4.
# large: absorbing layers on all sides and, in the middle of each GPU's part, a gold sphere in a total-field box, ranks
# along x. The large run of docs/measurements/performance.md, 245 GB of fields on four GPUs:
#   RANKS="1 4" bash jobs/scaling/gpus.sh large 10000,1000,256 -- --device-memory 30
#
# RANKS="1 2 4": numbers of GPUs. TORRE: path of the program, default build/torre.
# LAUNCH: how N processes are started, default "mpirun -n"; on a Slurm machine, within salloc:
# LAUNCH="srun --gpus-per-task=0 -n".
#
# rate: of the whole run. full: with the pipeline full, from the end of the last rank's first stage to the end of its
# last, without the fill before it, which is given separately. efficiency: of `full` against N times the rate of the
# first number of GPUs.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=jobs/scaling/grid.sh
source "$root/jobs/scaling/grid.sh"
torre=${TORRE:-$root/build/torre} launch=${LAUNCH:-mpirun -n}
mode=${1:?weak, strong, weak-y, strong-y, weak-xy, strong-xy or large} cells=${2:?cells NX,NY,NZ}
shift 2
out=$root/results/scaling-gpus-$mode
if (($#)) && [[ $1 != -- ]]; then out=$1 && shift; fi
if (($#)); then shift; fi
IFS=, read -r nx ny nz <<<"$cells"
mkdir -p "$out"

# The job `large` of $1 parts side by side, in cells of 10 nm.
large() {
  local i x spheres=() waves=() probes=() IFS=,
  for ((i = 0; i < $1; i++)); do
    x=$(((2 * i + 1 - $1) * nx * 5))
    spheres+=("{ type = \"sphere\"; medium = \"Au\"; radius = 400.0; center = [$x.0, 0.0, 0.0]; }")
    waves+=("{ type = \"plane_wave\"; name = \"wave$i\";
      box = { lo = [$((x - 1000)).0, -1000.0, -800.0]; hi = [$((x + 1000)).0, 1000.0, 800.0]; };
      direction = \"+z\"; polarisation = \"x\"; time = { type = \"pulse\"; wavelength = 700.0; band = 300.0; }; }")
    probes+=("{ type = \"probe\"; name = \"p$i\"; position = [$x.0, 0.0, -600.0]; components = [\"Ex\"]; }")
  done
  cat <<END
title = "Large: gold spheres in total-field boxes, $1 parts";
length_unit = "nm";
grid = { size = [10.0, 10.0, 10.0]; cell = 10.0; };
boundaries = { default = "cpml"; cpml = { cells = 10; }; };
objects = ( ${spheres[*]} );
sources = ( ${waves[*]} );
monitors = ( ${probes[*]} );
run = { time_fs = 13.3; };
schedule = { th = 128; };
END
}

csv=$out/scaling.csv
echo "gpus,nx,ny,nz,steps,seconds,rate,full,fill_s,efficiency" >"$csv"
base=
for n in ${RANKS:-1 2 4}; do
  read -r px py < <(grid_of "$mode" "$n")
  columns=$nx lines=$ny
  [[ $mode == strong* ]] || columns=$((nx * px)) lines=$((ny * py))
  job=$root/jobs/scaling/gpus.cfg
  if [[ $mode == large ]]; then
    job=$out/large-$n.cfg
    large "$n" >"$job"
  fi
  $launch "$n" "$torre" run "$job" -q --device gpu --overwrite --timeline --out "$out/$n" \
    --ranks "${px}x$py" --set "grid.size=[${columns}0.0,${lines}0.0,${nz}0.0]" "$@" >&2
  read -r steps seconds rate < <(
    sed -n 's/.* \([0-9]*\) steps in \([0-9.]*\) s: \([0-9.]*\) G .*/\1 \2 \3/p' "$out/$n/run.log")
  # The last calcL of rank 0 ends the run; its first one, the fill.
  read -r full fill < <(awk -F, -v cells="$columns $lines $nz" -v steps="$steps" -v rate="$rate" '
    $1 == 0 && $5 == "calcL" { if (!n++) first = $7; last = $7 }
    END {
      split(cells, c, " ")
      if (n < 2) { print rate, 0; exit }
      printf "%.2f %.3f\n", c[1] * c[2] * c[3] * steps * (n - 1) / n / (last - first) * 1e-9,
        first - (last - first) / (n - 1)
    }' "$out/$n/timeline.csv")
  efficiency=$(awk -v f="$full" -v n="$n" -v b="${base:-$full $n}" '
    BEGIN { split(b, one, " "); printf "%.4f", f / n / (one[1] / one[2]) }')
  [[ $base ]] || base="$full $n"
  echo "$n,$columns,$lines,$nz,$steps,$seconds,$rate,$full,$fill,$efficiency" | tee -a "$csv"
done
echo "wrote $csv"
