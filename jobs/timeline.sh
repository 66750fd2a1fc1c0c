#!/usr/bin/env bash
# Draws one stage of a run with --timeline: a bar for each of the seven steps on each rank.
#
#   jobs/timeline.sh RESULTS STAGE     writes RESULTS/timeline.png (needs gnuplot)
set -euo pipefail
folder=${1:?results folder} stage=${2:?number of the stage}
table=$(mktemp)
trap 'rm -f "$table"' EXIT
awk -F, -v stage="$stage" 'NR > 1 && $4 == stage {
    n = split("waitR calcR sendR calcM waitL calcL sendL", name, " ")
    for (i = 1; i <= n; i++) if (name[i] == $5) print $6, $1, $7, i }' "$folder/timeline.csv" >"$table"
[[ -s $table ]] || { echo "$folder/timeline.csv has no stage $stage" >&2 && exit 1; }
gnuplot <<PLOT
set terminal pngcairo size 1200,400
set output "$folder/timeline.png"
set title "stage $stage"
set xlabel "time [s]"
set ylabel "rank"
set ytics 1
set offsets 0, 0, 0.6, 0.6
set style fill solid 0.9 border -1
set key outside
names = "waitR calcR sendR calcM waitL calcL sendL"
colours = "#bbbbbb #1f77b4 #ff7f0e #2ca02c #dddddd #17becf #d62728"
plot for [p=1:7] "$table" using (\$4 == p ? \$1 : NaN):2:1:3:(\$2 - 0.35):(\$2 + 0.35) with boxxyerror linecolor rgb word(colours, p) title word(names, p)
PLOT
echo "wrote $folder/timeline.png"
