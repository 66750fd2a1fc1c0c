#!/usr/bin/env bash
# Draws one stage of a run with --timeline: a bar for each of the seven steps on each rank.
#
#   jobs/timeline.sh RESULTS STAGE [PICTURE]     writes PICTURE (.png, .svg or .pdf; default RESULTS/timeline.png)
#
# DRAW: the program that draws (default build/draw, built with cairo).
set -euo pipefail
folder=${1:?results folder} stage=${2:?number of the stage}
picture=${3:-$folder/timeline.png}
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
awk -F, -v stage="$stage" '
  NR > 1 && $4 == stage {
    bars[$5] = bars[$5] sprintf("%s %s\n%s %s\n\n", $6, $1, $7, $1)
    if ($1 > last) last = $1
  }
  END {
    if (!length(bars)) { print FILENAME " has no stage " stage > "/dev/stderr"; exit 1 }
    printf "title stage %d\nxlabel time [s]\nylabel rank\nyrange -0.6 %g\n", stage, last + 0.6
    n = split("waitR -1 calcR 1 sendR 2 calcM 3 waitL 4 calcL 5 sendL 6", name, " ")
    for (i = 1; i < n; i += 2) if (name[i] in bars) printf "bar %s\ncolour %s\n%s", name[i], name[i + 1], bars[name[i]]
  }' "$folder/timeline.csv" | "${DRAW:-$root/build/draw}" "$picture"
echo "wrote $picture"
