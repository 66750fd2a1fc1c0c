#!/usr/bin/env bash
# The costly rows of the table of surfaces on one GPU, each rule in turn, within a limit of time. Run again with the
# same folder, it continues where it was stopped: results of jobs that ended are kept.
#
#   bash tests/stress/surfaces/gpu.sh TORRE OUT SECONDS RULE...       from the repository's root
#
# TORRE: a program built with CUDA. OUT: folder of surfaces.md, surfaces.csv and the jobs' spectra. ROWS (environment):
# other rows than `costly`. Needs python3 and its standard library alone.
set -euo pipefail
(($# >= 4)) || { sed -n '/^#   bash/,/^# TORRE/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2 && exit 2; }
torre=$1 out=$2 seconds=$3
shift 3
mkdir -p "$out"
rules=()
for rule in "$@"; do rules+=(--rule "$rule"); done
status=0
python3 "$(dirname "${BASH_SOURCE[0]}")/table.py" --torre "$torre" --rows "${ROWS:-costly}" --work "$out/jobs" \
  --csv "$out/surfaces.csv" --seconds "$seconds" --set schedule.device='"gpu"' "${rules[@]}" >"$out/surfaces.md" ||
  status=$?
cat "$out/surfaces.md"
exit $status
