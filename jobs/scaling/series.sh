#!/usr/bin/env bash
# Scaling over the GPUs of this machine by a list of series: predicted, measured, and compared.
#
#   bash jobs/scaling/series.sh predict LIST MACHINE.cfg        predictions of the cluster model, one line a run, as CSV
#   bash jobs/scaling/series.sh run LIST FOLDER                 the runs; each adds a line to FOLDER/runs.csv at its end
#   bash jobs/scaling/series.sh table RUNS.csv PREDICTED.csv    both, with efficiencies and differences, as CSV
#   bash jobs/scaling/series.sh pictures TABLE.csv FOLDER       a picture for each kind of series, order and precision
#
# LIST: see jobs/scaling/h200-8.list. GPUS="1 2 4 8", ONLY=REGEX (of `SERIES order ORDER PRECISION PLACE`): which runs.
# TORRE, LAUNCH: as in gpus.sh. DRAW: the program that draws (default build/draw, built with cairo).
# A series' efficiency is against one GPU: of the first series of the list with the same cells of a GPU (weak) or of all
# (strong).
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=jobs/scaling/grid.sh
source "$root/jobs/scaling/grid.sh"
torre=${TORRE:-$root/build/torre}
command=${1:?predict, run, table or pictures} list=${2:?the list of series, runs or a table}
gpus=${GPUS:-1 2 4 8} only=${ONLY:-.}

# Calls "$@" SERIES ORDER PRECISION CELLS TH STAGES MEMORY GPUS for each run. On one GPU, series of the same cells run
# once.
each_run() {
  local series order precision cells th stages memory n seen=" " kind place
  while read -r series order precision cells th stages memory; do
    [[ -z $series || $series == \#* ]] && continue
    kind=${series%%-*} place=resident
    [[ $memory == - ]] || place=window
    [[ "$series order $order $precision $place" =~ $only ]] || continue
    for n in $gpus; do
      if ((n == 1)); then
        [[ $seen == *" $kind:$order:$precision:$cells:$th:$memory "* ]] && continue
        seen+="$kind:$order:$precision:$cells:$th:$memory "
      fi
      "$@" "$series" "$order" "$precision" "$cells" "$th" "$stages" "$memory" "$n" </dev/null
    done
  done <"$list"
}

# Options of torre for a run: precision, steps, memory.
options() { # order precision th stages memory
  # 10 nm at 0.9 of the limit in order 2, 0.5 of 6/7 of it in order 4.
  awk -v order="$1" -v precision="$2" -v th="$3" -v stages="$4" -v memory="$5" 'BEGIN {
    dt = 0.0192583 * (order == 4 ? 0.5 * 6 / 7 : 0.9)
    printf "--set grid.order=%d --set grid.precision=%s --th %d --set run.time_fs=%.6f", order, precision, th,
      (th * stages - 0.5) * dt
    if (memory != "-") printf " --device-memory %s", memory
  }'
}

predict_run() {
  local series=$1 order=$2 precision=$3 cells=$4 th=$5 stages=$6 memory=$7 n=$8 px py nx ny nz
  read -r px py < <(grid_of "$series" "$n")
  IFS=, read -r nx ny nz <<<"$cells"
  [[ $series == strong* ]] || nx=$((nx * px)) ny=$((ny * py))
  sed "s/per_node = [0-9]*;/per_node = $n;/" "$machine" >"$work/machine.cfg"
  [[ $memory == - ]] || sed -i "0,/devices = {/!{0,/memory_GB = [0-9.]*;/s//memory_GB = $memory;/}" "$work/machine.cfg"
  # shellcheck disable=SC2046
  "$torre" plan "$root/jobs/scaling/gpus.cfg" --machine "$work/machine.cfg" --ranks "${px}x$py" \
    --set "grid.size=[${nx}0.0,${ny}0.0,${nz}0.0]" $(options "$order" "$precision" "$th" "$stages" -) \
    >"$work/plan.txt" || return 1
  awk -v head="$series,$order,$precision,$cells,$th,$memory,$n" '
    $1 == "stage" { s = $2; limit = $0; sub(/.*limited by /, "", limit) }
    $1 == "pipeline" { fill = $4; period = $(NF - 1) }
    $1 == "messages" { hidden = $0; sub(/ % hidden.*/, "", hidden); sub(/.*, /, "", hidden) }
    $1 == "rate" { rate = $2 }
    END { printf "%s,%s,%s,%s,%s,%s\n", head, rate, fill, period, hidden, limit }' "$work/plan.txt"
}

run_run() {
  local series=$1 order=$2 precision=$3 cells=$4 th=$5 stages=$6 memory=$7 n=$8 place=resident folder mode=${1/%-x/}
  [[ $memory == - ]] || place=window
  folder=$out/$series-$order-$precision-$place
  # shellcheck disable=SC2046
  if RANKS=$n bash "$root/jobs/scaling/gpus.sh" "$mode" "$cells" "$folder" -- \
    $(options "$order" "$precision" "$th" "$stages" "$memory") >"$folder-$n.log" 2>&1; then
    tail -n 1 "$folder/scaling.csv" | awk -F, -v head="$series,$order,$precision,$cells,$th,$memory,$n" '
      { print head "," $5 "," $6 "," $7 "," $8 "," $9 }' | tee -a "$out/runs.csv"
  else
    echo "$series, order $order, $precision, $place, $n GPUs: failed; see $folder-$n.log" >&2
    tail -n 3 "$folder-$n.log" >&2
  fi
}

# A line for each grid of ranks: efficiencies of weak series, speed-ups of strong ones; predictions dashed.
describe() { # table kind order precision
  local series what colour=0
  printf 'title %s scaling, order %s, %s; dashed: predicted\nxlabel GPUs\nxlog 2\n' "$2" "$3" "$4"
  if [[ $2 == weak ]]; then
    printf 'ylabel efficiency, pipeline full [%%]\nyrange 80 115\n'
    printf 'dashed published, along y: 99 %%\ncolour -1\n1 99\n8 99\n'
  else
    printf 'ylabel speed-up, pipeline full\nylog 2\ndashed ideal\ncolour -1\n1 1\n8 8\n'
  fi
  for series in x y xy; do
    colour=$((colour + 1))
    for what in measured predicted; do
      if [[ $what == measured ]]; then echo "line along ${series/xy/x and y}"; else echo "dashed -"; fi
      echo "colour $colour"
      awk -F, -v s="$2-$series" -v o="$3" -v p="$4" -v what="$what" -v kind="$2" '
        $2 != o || $3 != p || $8 != "-" { next }
        { split($1, k, "-"); v = what == "measured" ? $11 : $14 }
        k[1] == kind && $9 == 1 { one = v; print 1, (kind == "weak" ? 100 : 1) }
        $1 == s && $9 > 1 && v && one { print $9, (kind == "weak" ? 100 * v / one / $9 : v / one) }
      ' <(sort -t, -k9,9n "$1")
    done
  done
}

draw() { # table folder
  local kind order precision picture
  mkdir -p "$2"
  for kind in weak strong; do
    for order in 2 4; do
      for precision in fp32 fp64; do
        picture=$2/$kind-order$order-$precision.png
        describe "$1" "$kind" "$order" "$precision" | "${DRAW:-$root/build/draw}" "$picture"
        echo "wrote $picture"
      done
    done
  done
}

case $command in
  predict)
    machine=${3:?a machine file} work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    echo "series,order,precision,nx,ny,nz,th,memory,gpus,rate,fill_s,stage_ms,hidden,limited by"
    each_run predict_run
    ;;
  run)
    out=${3:?a folder}
    mkdir -p "$out"
    [[ -f $out/runs.csv ]] ||
      echo "series,order,precision,nx,ny,nz,th,memory,gpus,steps,seconds,rate,full,fill_s" >"$out/runs.csv"
    each_run run_run
    ;;
  table)
    awk -F, -v OFS=, '
      FNR == 1 { file++; next }
      {
        kind = $1; sub(/-.*/, "", kind)
        rest = $2 FS $3 FS $4 FS $5 FS $6 FS $7 FS $8
        key = $1 FS rest FS $9; one = kind FS rest
      }
      file == 1 && $9 == 1 { predicted_one[one] = $10 }
      file == 1 { predicted[key] = $10; next }
      {
        full = $13; if ($9 == 1) base[one] = full
        line[++lines] = key; of[lines] = one; rate[lines] = full
        gpus[lines] = $9; whole[lines] = $12; fill[lines] = $14
      }
      END {
        print "series,order,precision,nx,ny,nz,th,memory,gpus,whole run,filled,fill_s,efficiency,predicted," \
              "measured / predicted"
        for (i = 1; i <= lines; i++)
          print line[i], whole[i], rate[i], fill[i],
            (of[i] in base ? sprintf("%.4f", rate[i] / gpus[i] / base[of[i]]) : ""),
            predicted[line[i]], (predicted[line[i]] ? sprintf("%.3f", rate[i] / predicted[line[i]]) : "")
      }' "${3:?the predictions, as CSV}" "$list"
    ;;
  pictures) draw "$list" "${3:?a folder}" ;;
  *) echo "series.sh: got $command, need predict, run, table or pictures" >&2 && exit 2 ;;
esac
