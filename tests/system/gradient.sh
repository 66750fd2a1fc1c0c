#!/usr/bin/env bash
# Gradients of mode amplitudes by design regions, from Python: against central differences, the same bits on two ranks.
source "$TORRE_SOURCE/tests/system/lib.sh"

find_python numpy h5py
if ! "$TORRE" --version | grep -q 'modes by ARPACK'; then
  echo "skipped: this torre was built without the mode solver"
  exit 77
fi

python_tests gradient

finish
