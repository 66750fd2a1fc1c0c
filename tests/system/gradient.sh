#!/usr/bin/env bash
# Gradients of mode amplitudes by design regions, from Python: against central differences, the same bits on two ranks.
source "$TORRE_SOURCE/tests/system/lib.sh"

find_python numpy h5py
if ! "$TORRE" --version | grep -q 'modes by ARPACK'; then
  echo "skipped: this torre was built without the mode solver"
  exit 77
fi

export PYTHONPATH=$TORRE_SOURCE/src/python PYTHONDONTWRITEBYTECODE=1 OMP_NUM_THREADS=1
"$python" "$TORRE_SOURCE/tests/python/test_gradient.py" -v >out.txt 2>&1
status=$?
sed -n 's/^\(test_[a-z_0-9]*\) .*\.\.\. ok$/ok   \1/p' out.txt
check "all tests of gradient" "$status"
((status)) && cat out.txt

finish
