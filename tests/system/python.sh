#!/usr/bin/env bash
# The package for Python (src/python/torre_fdtd), with the first python3 that has what it needs.
source "$TORRE_SOURCE/tests/system/lib.sh"

find_python numpy h5py xarray matplotlib

export PYTHONPATH=$TORRE_SOURCE/src/python PYTHONDONTWRITEBYTECODE=1 MPLBACKEND=Agg MPLCONFIGDIR=$PWD/matplotlib
export OMP_NUM_THREADS=1
for module in torre_fdtd tidy3d gdsfactory studies; do
  "$python" "$TORRE_SOURCE/tests/python/test_$module.py" -v >out.txt 2>&1
  status=$?
  sed -n 's/^\(test_[a-z_0-9]*\) .*\.\.\. ok$/ok   \1/p' out.txt
  check "all tests of $module" "$status"
  ((status)) && cat out.txt
done

finish
