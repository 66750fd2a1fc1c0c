#!/usr/bin/env bash
# Media that CPML amplifies: the advice of check, followed, and absorbers thinner than the default.
source "$TORRE_SOURCE/tests/system/lib.sh"

cat >wire.cfg <<'CFG'
format_version = 2;
grid = { size = [120.0, 120.0, 120.0]; cell = 5.0; };
objects = ( { type = "cylinder"; medium = "Al"; axis = "x"; radius = 10.0; height = 1e5; } );
sources = ( { type = "electric_dipole"; position = [0.0, 0.0, 0.0]; axis = "x"; amplitude = 1e-12;
              time = { type = "pulse"; wavelength = 600.0; band = 400.0; }; } );
monitors = ( { type = "energy"; every = 10; } );
run = { time_fs = 1.0; };
CFG

# says COMMAND PATTERN ARGUMENTS...: status 0, and a line of the log matches.
says() {
  local command=$1 pattern=$2
  shift 2
  "$TORRE" "$command" wire.cfg --device cpu "$@" >out.txt 2>&1 && grep -qE -- "$pattern" out.txt
  check "$command $*: $pattern" $?
}

# 800 nm in place of 10 cells of CPML, 50 nm.
advice='boundaries = \{ x_lo = "absorber"; x_hi = "absorber"; \} with grid.size = \[1620, 120, 120\], which'
says check "$advice"
says check 'x_lo = "absorber"; \} with grid.size = .870, 120, 120.*; there all positions along x change by 375' \
  --set 'boundaries.x_hi="pmc"'
both=(--set 'boundaries={x_lo="absorber";x_hi="absorber";}')
refuses "absorbers of 160 cells in a domain of 24" 'absorbing layers of 160 \+ 160 cells leave none of 24 along x' \
  check wire.cfg "${both[@]}"
says check '^wire.cfg: no faults' "${both[@]}" --set 'grid.size=[1620.0,120.0,120.0]'
[[ $(grep -cE 'CPML|absorbers' out.txt) == 0 ]]
check "the advice, followed, leaves no warning of layers" $?
says check 'warning: absorbers of 0.5 wavelengths \(400 of 800 nm, the longest of the sources\) at x_lo x_hi' \
  --set 'boundaries={x_lo="absorber";x_hi="absorber";absorber={thickness=400.0;};}' \
  --set 'grid.size=[1700.0,120.0,120.0]'
finish
