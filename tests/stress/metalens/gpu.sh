#!/usr/bin/env bash
# Job metalens-3d on one GPU in cells of 25 nm and two thirds of it, and what the results say of the focus.
#
#   bash tests/stress/metalens/gpu.sh TORRE OUT [CELL...]        from the repository's root
#
# TORRE: a program built with CUDA. OUT: folder of the runs, kept; a run that ended is not repeated. CELL: sizes in um
# (default 0.025 0.0166666667). Without python3, numpy and h5py the last line says how to look at the runs elsewhere.
set -euo pipefail
(($# >= 2)) || { sed -n '/^#   bash/,/^# (default/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2 && exit 2; }
torre=$1 out=$2
shift 2
job=jobs/metalens-3d folders=()
mkdir -p "$out"
(($#)) || set -- 0.025 0.0166666667
for size; do
  folder=$out/cells-$size
  folders+=("$folder")
  [[ -e $folder/spectra.csv ]] || "$torre" run "$job/job.cfg" --device gpu --out "$folder" -q --set "grid.cell=$size"
  sed -n "s/^\[ *[0-9.]* s\] \(.*cell updates.*\)/cells of $size um: \1/p" "$folder/run.log"
done
python3 -c 'import h5py, numpy' 2>/dev/null || {
  echo "here is no numpy or h5py; elsewhere: python3 $job/lens.py focus ${folders[*]}"
  exit 0
}
python3 "$job/lens.py" focus "${folders[@]}"
