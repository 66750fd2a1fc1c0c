#!/usr/bin/env bash
# Monitors of energy density against theory: of modes of closed boxes E and H have the same energy, and with losses the
# power that media take is w / Q times all of it, also where surfaces cut cells of metals; in dielectrics, metals and
# around a resonance light's flux over its energy is the velocity of energy; ranks; faults.
source "$TORRE_SOURCE/tests/system/lib.sh"
find_python numpy h5py
jobs=$TORRE_SOURCE/tests/support/energy.py

answer() { # NAME ARGUMENTS of the script...
  "$python" "$jobs" "${@:2}" >out.txt 2>&1
  local status=$?
  tail -n 2 out.txt
  check "$1" $status
}
go() { # KIND ARGUMENTS of the program...
  { [[ -e $1.cfg ]] || "$python" "$jobs" write "$1"; } &&
    "$TORRE" run -q "$1.cfg" --out "$1" --overwrite "${@:2}" >out.txt 2>&1 || cat out.txt
}

if "$TORRE" --version | grep -q 'resonances by LAPACK'; then
  while read -r kind error name; do
    go "$kind" --set run.time_fs=65.0 # where its strongest resonance lies
    "$python" "$jobs" write "$kind" "$kind"
    go "$kind"
    answer "$name" cavity "$kind" "$error"
  done <<END
glass 3e-6 a sphere of permittivity 4 and permeability 1.5: E and H have the same energy
nodes 3e-6 its nodes, averaging = "tensor"
order4 3e-6 order 4
crystal 3e-6 a full tensor
flat_nodes 3e-6 2-D, TE, with nodes
drude 1e-4 a sphere with a Drude pole: power over energy is w / Q
lorentz 1e-4 Lorentz poles along three axes
flat 1e-4 2-D, TE
gold 3e-4 a metal, whose surface has fields of its own, with symmetry
gold_nodes 3e-3 a metal with nodes
END
fi
while read -r kind error name; do
  go "$kind" && go "${kind}_fine"
  answer "$name" wave "$kind" "$error"
done <<END
dielectric 1e-3 the velocity of energy in a dielectric
metal 1e-3 in a metal
atoms 1e-3 around a resonance
END
go water && go heavy
answer "a Debye pole has the energy of an overdamped oscillator" same water heavy 2e-3

if "$TORRE" --version | grep -q 'MPI' && command -v mpirun >mpirun.txt; then
  go flat
  mpirun --oversubscribe -n 2 "$TORRE" run -q flat.cfg --out ranks --ranks 2x1 --threads 1 >out.txt 2>&1 </dev/null &&
    same_results flat ranks
  check "two ranks have the same files" $?
fi
"$python" "$jobs" write gain
refuses "gain" 'the energy that "gain" stores is not known: it has a pole of negative strength' check gain.cfg
"$python" "$jobs" write glass
refuses "a Kerr effect" 'the energy that "glass" stores is not known: it has a Kerr effect' check glass.cfg \
  --set 'media[0].chi3_m2_per_V2=1e-20'
refuses "a plane" 'need a box with a volume' check glass.cfg --set 'monitors[1].box.lo[2]=80.0'
refuses "graded cells" 'maps of energy are not available in graded grids' check glass.cfg \
  --set 'grid.refine=({axis="x";from=-10.0;to=10.0;cell=5.0;})'
finish
