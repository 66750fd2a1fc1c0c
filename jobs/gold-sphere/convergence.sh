#!/usr/bin/env bash
# Deviation from Mie's series at three cell sizes: 10, 20 and 40 cells a radius. Needs build/torre and
# build/mie_compare.
#
#   bash jobs/gold-sphere/convergence.sh [auto|tensor|subpixel|staircase]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
averaging=${1:-auto}

# At 5 nm the total-field box must be larger, so that the flux boxes fit around the sphere.
for size in "5 280" "2.5 200" "1.25 170"; do
  read -r cell edge <<<"$size"
  box=$([[ $cell == 5 ]] && echo 65 || echo 57.5)
  out=results/gold-sphere-$averaging-$cell
  [[ -s $out/spectra.csv && $out/spectra.csv -nt build/torre ]] ||
    build/torre run jobs/gold-sphere/job.cfg --set "grid.cell=$cell" --set "grid.size=[$edge,$edge,$edge]" \
      --set "grid.averaging=$averaging" --set "sources[0].box.lo=[-$box,-$box,-$box]" \
      --set "sources[0].box.hi=[$box,$box,$box]" --out "$out" --overwrite -q
  echo "== cells of $cell nm ($averaging): $(sed -nE 's/.*\] ([0-9]+ steps in .* updates\/s).*/\1/p' "$out/run.log")"
  build/mie_compare "$out/spectra.csv" --medium Au --radius-nm 50 | grep -E '^ *(wavelength|500|550|600|700)\b'
done
