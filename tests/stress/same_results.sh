#!/usr/bin/env bash
# Two versions of torre give the same results: every job in jobs/ is run by both on the CPU, large ones with fewer
# cells. All CSV files must be equal byte for byte, all HDF5 files by h5diff except for the attributes
# softwareVersion and date. Then a run that OLD was made to stop is continued by NEW from its checkpoint and must
# end with the files of a whole one.
#
#   bash tests/stress/same_results.sh OLD NEW [JOBS]
#
# OLD, NEW   programs torre
# JOBS       folder of jobs (default: jobs/ of this tree; another where OLD does not know all keys in it)
#
# The last line reads `N ok, N failed`. Needs h5diff (hdf5-tools).
set -u
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
(($# == 2 || $# == 3)) || { sed -n '/^#   bash/,/^# JOBS/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2 && exit 2; }
old=$(realpath "$1") new=$(realpath "$2") jobs=$(realpath "${3:-$top/jobs}")
command -v h5diff >/dev/null || { echo "no h5diff: install hdf5-tools" >&2 && exit 2; }
# shellcheck source=tests/system/lib.sh
source "$top/tests/system/lib.sh"
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export XDG_CACHE_HOME=$work/cache
passed=0

# run PROGRAM FOLDER JOB ARGUMENTS...
run() { "$1" run "$3" -q --device cpu --out "$2" "${@:4}" >>"$2.txt" 2>&1; }
# tables FOLDER: its CSV and HDF5 files.
tables() { (cd "$1" && find . \( -name '*.csv' -o -name '*.h5' \) ! -path './checkpoint/*' | LC_ALL=C sort); }
same_tables() { # folder, folder
  local file list
  list=$(tables "$1")
  [[ $list && $list == "$(tables "$2")" ]] || { echo "     not the same files" && return 1; }
  for file in $list; do
    cmp -s "$1/$file" "$2/$file" && continue
    if [[ $file == *.csv ]] || ! same_hdf5 "$1/$file" "$2/$file"; then echo "     $file differs" && return 1; fi
  done
}
# h5diff passes over what only one of the files has, and --exclude-attribute of 1.10 over nothing of the root group.
same_hdf5() { # file, file
  [[ $(h5ls -r "$1") == "$(h5ls -r "$2")" ]] || return 1
  h5diff "$1" "$2" >h5diff.txt 2>&1
  (($? < 2)) && ! grep -qvE '^attribute: <(softwareVersion|date) of |^[0-9]+ differences found' h5diff.txt
}
verdict() { # name, status
  check "$@"
  if (($2)); then tail -n 3 ./*.txt; else passed=$((passed + 1)); fi
}

# both NAME JOB ARGUMENTS...: OLD's results stay in NAME.
both() {
  local name=$1 start=$SECONDS
  run "$old" "$name" "${@:2}" && run "$new" new "${@:2}" && same_tables "$name" new
  verdict "$name: $(tables "$name" | wc -l) files, $((SECONDS - start)) s" $?
  rm -rf new ./*.txt
}
both reference "$jobs/reference.cfg"
order4=(--set grid.order=4 --set grid.courant=0.5 --set grid.precision=fp32)
both reference-order4-fp32 "$jobs/reference.cfg" "${order4[@]}"
for job in slab drude-film metalens-cell dielectric-sphere; do both $job "$jobs/$job/job.cfg"; done
both gold-sphere "$jobs/gold-sphere/job.cfg" --set grid.cell=2.5 --set 'grid.size=[200.0,200.0,200.0]'
both speed "$jobs/speed/job.cfg"
for job in vacuum drude; do both meep-$job "$jobs/meep-compare/$job.cfg" --set run.time_fs=0.8; done
both scaling "$jobs/scaling/gpus.cfg" --set 'grid.size=[2000.0,1000.0,640.0]'
for parts in dcwm pcwm; do
  bash "$jobs/speed/spheres.sh" 96,96,80 $parts 4 >$parts.cfg
  both spheres-$parts "$work/$parts.cfg"
done
# No job may be forgotten.
for job in $(cd "$jobs" && find . -name '*.cfg' ! -path './machines/*' | LC_ALL=C sort); do
  case $job in
    ./reference.cfg | ./slab/* | ./drude-film/* | ./metalens-cell/* | ./dielectric-sphere/* | ./gold-sphere/*) ;;
    ./speed/job.cfg | ./meep-compare/vacuum.cfg | ./meep-compare/drude.cfg | ./scaling/gpus.cfg) ;;
    *) verdict "$job is not among the jobs compared" 1 ;;
  esac
done

# continued NAME JOB ARGUMENTS...: stopped by OLD's --max-time (status 75), continued by NEW, compared with NAME.
continued() {
  local name=$1 status first=0
  run "$old" parts "${@:2}" --th 100 --max-time 00:00:01
  status=$?
  if ((status == 75)) && run "$new" parts "${@:2}" --restart; then
    first=$(sed -nE 's/.*"first_step": ([0-9]+).*/\1/p' parts/run.json)
  fi
  ((first > 0)) && same_tables "$name" parts
  verdict "$name: stopped by the old version (status $status), continued by the new one at step $first" $?
  rm -rf parts ./*.txt
}
continued reference "$jobs/reference.cfg"
continued reference-order4-fp32 "$jobs/reference.cfg" "${order4[@]}"
continued gold-sphere "$jobs/gold-sphere/job.cfg" --set grid.cell=2.5 --set 'grid.size=[200.0,200.0,200.0]'
continued dielectric-sphere "$jobs/dielectric-sphere/job.cfg"

echo "$passed ok, $failures failed"
finish
