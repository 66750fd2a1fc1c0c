#!/usr/bin/env bash
# Two dimensions: an endless cylinder, n = 2, kr = 1 and 1.5, against its series (Bohren and Huffman, Absorption and
# Scattering of Light by Small Particles, eqs. 8.30 to 8.38), both polarisations; C per length, whatever the cell along
# the axis.
source "$TORRE_SOURCE/tests/system/lib.sh"
cat >cylinder.cfg <<'END'
grid = { size = [600.0, 8.0, 600.0]; cell = [5.0, 8.0, 5.0]; };
boundaries = { default = "cpml"; y_lo = "pec"; y_hi = "pec"; };
media = ( { name = "rod"; index = 2.0; } );
objects = ( { type = "cylinder"; medium = "rod"; axis = "y"; radius = 100.0; height = 100.0; } );
sources = ( { type = "plane_wave"; box = { lo = [-150.0, -10.0, -150.0]; hi = [150.0, 10.0, 150.0]; };
  direction = "+z"; polarisation = "y"; time = { type = "pulse"; wavelength = 500.0; band = 500.0; }; } );
monitors = ( { type = "cross_section"; name = "c"; wavelengths = [418.879020, 628.318531]; },
             { type = "cross_section"; name = "q"; radius = 100.0; wavelengths = [418.879020, 628.318531]; } );
run = { time_fs = 120.0; decay = 1e-7; };
END
"$TORRE" run cylinder.cfg --out along -q && "$TORRE" run cylinder.cfg --out across -q \
  --set 'boundaries.y_lo="pmc"' --set 'boundaries.y_hi="pmc"' --set 'sources[0].polarisation="x"'
check "E along the axis and across it: both run" $?
near "E along the axis, kr = 1: Q_sca" "$(cell along/spectra.csv q.Q_sca 628.318531)" 2.86293 0.02
near "E along the axis, kr = 1.5: Q_sca" "$(cell along/spectra.csv q.Q_sca 418.879020)" 3.97096 0.02
near "E across the axis, kr = 1: Q_sca" "$(cell across/spectra.csv q.Q_sca 628.318531)" 1.16319 0.02
near "E across the axis, kr = 1.5: Q_sca" "$(cell across/spectra.csv q.Q_sca 418.879020)" 2.88142 0.03
near "C per length is Q times 2 radius" "$(cell along/spectra.csv c.C_sca_nm 628.318531)" \
  "$(cell along/spectra.csv q.Q_sca 628.318531 | awk '{ printf "%.9g", 200 * $1 }')" 1e-3
[[ $(h5dump -a /monitors/c/C_sca_nm/units along/results.h5) == *'"nm"'* ]]
check "results.h5 has the unit" $?
"$TORRE" check cylinder.cfg | grep -q "note: monitor c: .* one cell along y.* per length, in nm"
check "check reports it" $?
finish
