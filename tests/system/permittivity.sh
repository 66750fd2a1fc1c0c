#!/usr/bin/env bash
# Monitors of permittivity: what they say that a run has is what its fields obey, eps = curl H / (-i w eps0 E) on every
# edge: metals in cut cells, losses, Debye and Lorentz poles, axes of their own, graphene, graded, periodic (turned),
# mirrored, 2-D and cylindrical jobs; media against formulas, also what is at nodes; ranks; faults.
source "$TORRE_SOURCE/tests/system/lib.sh"
find_python numpy h5py
jobs=$TORRE_SOURCE/tests/support/permittivity.py

answer() { # NAME ARGUMENTS of the script...
  "$python" -W ignore "$jobs" "${@:2}" >out.txt 2>&1
  local status=$?
  tail -n 3 out.txt
  check "$1" $status
}
go() { # KIND ARGUMENTS of the program...
  "$python" "$jobs" write "$1" && "$TORRE" run -q "$1.cfg" --overwrite "${@:2}" >out.txt 2>&1 || cat out.txt
}

while read -r kind error name; do
  go "$kind" --out "$kind"
  answer "$name: the fields obey it" curl "$kind" "$error"
done <<END
space 2e-3 gold, losses, Debye and Lorentz poles, graphene
graded 5e-3 graded cells
periodic 2e-2 a periodic cell, whose axes are turned
mirrored 1e-4 with symmetry
tm 1e-7 2-D, TM
te 1e-6 2-D, TE
rings 1e-7 cylindrical coordinates
END
go whole --out whole --set run.time_fs=0.1
answer "with symmetry it is that of the whole scene" same whole mirrored 1e-12
while read -r kind error name; do
  go "$kind" --out "$kind"
  answer "$name" exact "$kind" "$error"
done <<END
resonant 1e-7 a conductor with a Lorentz pole, on the grid's time step
turned 1e-9 a full tensor, of which a part is at nodes
plasma 1e-7 a magnetised plasma
tensor 1e-3 a surface at 45 degrees: the effective tensor
END

if "$python" -c 'import xarray' 2>/dev/null; then
  PYTHONPATH=$TORRE_SOURCE/src/python PYTHONDONTWRITEBYTECODE=1 "$python" - >out.txt 2>&1 <<'END'
import torre_fdtd as torre

eps = torre.Results("te")["eps"]
assert eps.elements == ["eps_xx", "eps_yy"] and eps.eps_xx.dims == ("wavelength", "y", "x")
both = eps.dataset.sel(wavelength=560)
assert both.eps_xx.dims == both.eps_yy.dims == ("y", "x") and both.eps_yy.sel(x=75, y=-70) == 1
assert max(both.eps_xx.real.min(), both.eps_yy.real.min()) < -5.8
END
  check "Python has it at common points" $?
  cat out.txt
fi
if "$TORRE" --version | grep -q 'MPI' && command -v mpirun >mpirun.txt; then
  mpirun --oversubscribe -n 2 "$TORRE" run -q te.cfg --out ranks --ranks 2x1 --threads 1 >out.txt 2>&1 </dev/null &&
    same_results te ranks
  check "two ranks have the same files" $?
fi
refuses "a window, since nothing is recorded" 'monitors\[1\].window: ' check te.cfg \
  --set 'monitors[1].window={from_fs=1.0;}'
refuses "in cylindrical coordinates what lies beyond the half plane" 'half plane of phi = 0' check rings.cfg \
  --set 'monitors[1].box.lo=[-10.0,0.0,-70.0]'
finish
