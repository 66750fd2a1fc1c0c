#!/usr/bin/env bash
# Gradients on one GPU or more: the same bits as the CPU's, what a gradient of 1e8 cells costs, a 3-D metalens.
#
#   bash tests/stress/gradients/gpu.sh TORRE WORK [PART...]       from the repository's root; default: all parts
#
# TORRE: a program built with CUDA. WORK: a folder that may take 15 GB, best in memory. PART: same (a minute), large (4
# minutes of an H100; 40 GB of memory), lens (5 minutes; run again in the same folder it continues). In the environment
# DEVICES: GPUs for `same`, default 1; STEPS_S: seconds after which no step of `lens` begins, default 210. Needs python3
# with numpy, h5py and xarray.
set -uo pipefail
(($# >= 2)) || { sed -n '/^#   bash/,/^# with numpy/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2 && exit 2; }
torre=$(realpath "$1") work=$2 here=$(dirname "${BASH_SOURCE[0]}") status=0
shift 2
(($#)) || set -- same large lens
export PYTHONPATH=$here/../../../src/python${PYTHONPATH:+:$PYTHONPATH}
for part in "$@"; do
  echo "== $part"
  case $part in
    same)
      python3 "$here/same.py" --torre "$torre" --work "$work/same" --device gpu --devices "${DEVICES:-1}" || status=1
      ;;
    large) python3 "$here/large.py" --torre "$torre" --work "$work/large" --device gpu || status=1 ;;
    lens)
      python3 "$here/../../../jobs/metalens/design_3d.py" --torre "$torre" --out "$work/lens" --device gpu \
        --seconds "${STEPS_S:-210}" || status=1
      ;;
    *) echo "no part $part" >&2 && status=2 ;;
  esac
done
exit $status
