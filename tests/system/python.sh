#!/usr/bin/env bash
# The package for Python (src/python/torre_fdtd), with the first python3 that has what it needs.
source "$TORRE_SOURCE/tests/system/lib.sh"

find_python numpy h5py xarray matplotlib

python_tests torre_fdtd tidy3d gdsfactory studies

finish
