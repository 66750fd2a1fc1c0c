#!/usr/bin/env bash
# The cluster model against runs on this machine: one rank of one thread, two along x, two along y, each rank with the
# same cells. Prints predicted and measured seconds of a stage, fill of the pipeline, and hidden part of the messages;
# writes own.csv in FOLDER.
#
#   bash jobs/scaling/own.sh [FOLDER]
#
# CELLS=NX,NY,NZ of a rank (default 320,160,128), TH (default 64), DTS (default 12), STAGES (default 24), ROUNDS
# (default 3: the best counts).
# TORRE, MESSAGE: paths of the programs, default build/torre and build/message. Needs two free cores.
#
# The machine file that it makes has one core a node: network traffic in the model is memory traffic here. Its rate is
# that of the one rank, so the first row is not a prediction. Measured stages are the lower quartile of the later half.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
torre=${TORRE:-$root/build/torre} message=${MESSAGE:-$root/build/message} out=${1:-$root/results/scaling-own}
th=${TH:-64} dts=${DTS:-12} stages=${STAGES:-24} rounds=${ROUNDS:-3}
IFS=, read -r nx ny nz <<<"${CELLS:-320,160,128}"
mkdir -p "$out"

# run NAME RANKS NX NY: the fastest stage [s], fill [s] and hidden part [%] of rank 0, the best of the rounds.
run() {
  local ranks=2 round
  [[ $2 == 1x1 ]] && ranks=1
  # 10 nm at 0.9 of the limit: 0.01733 fs a step.
  for ((round = 0; round < rounds; round++)); do
    mpirun --bind-to core -n $ranks "$torre" run "$root/jobs/scaling/gpus.cfg" -q --device cpu --threads 1 \
      --ranks "$2" --th "$th" --dts "$dts" --overwrite --timeline --out "$out/$1" \
      --set "grid.size=[${3}0.0,${4}0.0,${nz}0.0]" \
      --set "run.time_fs=$(awk -v n=$((th * stages)) 'BEGIN { print (n - 0.5) * 0.017332 }')" >&2
    awk -F, '$1 == 0 && $5 == "waitR" && !n++ { fill = $7 } $1 == 0 && $5 == "calcL" { end[++m] = $7 }
      END { for (i = int(m / 2) + 1; i <= m; i++) print end[i] - end[i - 1], fill }' "$out/$1/timeline.csv" | sort -g |
      awk '{ line[NR] = $0 } END { printf "%s ", line[int(NR / 4) + 1] }'
    tr -d '\n ' <"$out/$1/run.json" | grep -o '"hidden":[0-9.]*' |
      awk -F: '{ s += $2 } END { print NR ? 100 * s / NR : 100 }'
  done | sort -g | head -1
}

# predicted SERIES: the same three of two ranks.
predicted() {
  "$torre" scaling --machine "$out/machine.cfg" "--weak-$1" --cells "$nx,$ny,$nz" --th "$th" --ranks 2 \
    --steps $((th * stages)) --out "$out" >/dev/null
  awk -F, -v ranks="$2" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
    NR > 1 && $1 == ranks { p = $at["period [s]"]; print p, p * $at["fill [stages]"], $at["hidden [%]"] }
  ' "$out/weak-$1.csv"
}

read -r one fill hidden < <(run one 1x1 "$nx" "$ny")
read -r bandwidth latency < <(
  for ((i = 0; i < 5; i++)); do mpirun --bind-to core -n 2 "$message" 30; done | sort -g | tail -1)
rate=$(awk -v t="$one" -v c="$nx $ny $nz $th" 'BEGIN { split(c, n, " "); print n[1] * n[2] * n[3] * n[4] / t * 1e-9 }')
cat >"$out/machine.cfg" <<TEXT
name = "cores of one machine";
source = "jobs/scaling/own.sh";
nodes = 2;
cores = 1;
host = { memory_GB = 16.0; GB_per_s = 31.0; };
network = { GB_per_s = $bandwidth; latency_us = $latency; };
rates = ( { order = 2; precision = "fp32"; dts = $dts; Gcells_per_s = $rate; th = $th; towers = 1; } );
TEXT
{
  echo "ranks,stage_predicted_s,stage_measured_s,fill_predicted_s,fill_measured_s,hidden_predicted,hidden_measured"
  read -r p f h < <(predicted x 1)
  echo "1x1,$p,$one,$f,$fill,$h,$hidden"
  for axis in x y; do
    grid=2x1 wide=$((2 * nx)) deep=$ny
    if [[ $axis == y ]]; then grid=1x2 wide=$nx deep=$((2 * ny)); fi
    read -r p f h < <(predicted $axis 2)
    read -r two fill hidden < <(run "two-$axis" $grid "$wide" "$deep")
    echo "$grid,$p,$two,$f,$fill,$h,$hidden"
  done
} | tee "$out/own.csv"
echo "$rate G cell updates/s of a rank; messages $bandwidth GB/s each way, $latency us"
