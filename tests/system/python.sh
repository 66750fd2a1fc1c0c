#!/usr/bin/env bash
# The package for Python (src/python/torre_fdtd), with the first python3 that has what it needs.
source "$TORRE_SOURCE/tests/system/lib.sh"

python=
for candidate in python3 /usr/bin/python3; do
  "$candidate" -c 'import numpy, h5py, xarray, matplotlib' 2>/dev/null && python=$candidate && break
done
if [[ -z $python ]]; then
  echo "skipped: no python3 with numpy, h5py, xarray and matplotlib (TORRE_PYTHON_PACKAGES in jobs/install.sh)"
  exit 77
fi

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
