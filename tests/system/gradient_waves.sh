#!/usr/bin/env bash
# Gradients of diffraction orders, E at points, fluxes and absorption by design regions, from Python: against central
# differences, the same bits on ranks.
source "$TORRE_SOURCE/tests/system/lib.sh"

find_python numpy h5py xarray

python_tests gradient_waves gradient_surfaces

finish
