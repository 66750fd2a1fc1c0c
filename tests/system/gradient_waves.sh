#!/usr/bin/env bash
# Gradients of diffraction orders, E at points and absorption by design regions, from Python: against central
# differences, the same bits on ranks.
source "$TORRE_SOURCE/tests/system/lib.sh"

find_python numpy h5py xarray

export PYTHONPATH=$TORRE_SOURCE/src/python PYTHONDONTWRITEBYTECODE=1 OMP_NUM_THREADS=1
"$python" "$TORRE_SOURCE/tests/python/test_gradient_waves.py" -v >out.txt 2>&1
status=$?
sed -n 's/^\(test_[a-z_0-9]*\) .*\.\.\. ok$/ok   \1/p; /: value .*, off by /p' out.txt
check "all tests of gradient_waves" "$status"
((status)) && cat out.txt

finish
