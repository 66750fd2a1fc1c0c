#!/usr/bin/env bash
# Decay rate of a dipole over a gold half-space at 600 nm, in cylindrical coordinates, against Sommerfeld's integrals.
#
#   bash tests/stress/far/dipole_over_gold.sh TORRE FOLDER       from the repository's root; 10 minutes of two cores
#
# Exact, over vacuum's (Chance, Prock, Silbey, Adv. Chem. Phys. 37, 1 (1978), with the medium "Au"): 10 nm upright
# 31.4059, along 13.7759; 50 nm 3.50876, .96248; 200 nm .93835, 1.30136. Prints a line each.
set -euo pipefail
(($# == 2)) || { sed -n '/^#   bash/s/^# *//p' "$0" >&2 && exit 2; }
torre=$(realpath "$1") out=$2
mkdir -p "$out"
# job HEIGHT CELL INSIDE ABSORBER GOLD LENGTH: radius within the absorber, its thickness, gold, length along z [nm]
job() {
  local size=$((2 * ($3 + $4)))
  cat >"$out/job.cfg" <<CFG
format_version = 3;
grid = { size = [$size.0, $size.0, $6.0]; cell = $2; coordinates = "cylindrical"; m = 1; courant = 0.8; };
boundaries = { default = "absorber"; absorber = { thickness = $4.0; }; z_lo = "cpml"; z_hi = "cpml";
               cpml = { cells = 15; }; };
objects = ( { type = "layer"; medium = "Au"; hi = -$5.0; } );
sources = ( { type = "electric_dipole"; position = [0.0, 0.0, $(($1 - $5)).0]; axis = "x";
              time = { type = "pulse"; wavelength = 600.0; band = 200.0; zero_mean = true; }; } );
monitors = ( { type = "decay_rate"; name = "r"; wavelengths = [600.0]; } );
run = { time_fs = 60.0; tolerance = 1e9; };
CFG
}
rate() { # EXACT ARGUMENTS...
  "$torre" run "$out/job.cfg" --out "$out/run" -q --overwrite "${@:2}" >/dev/null 2>&1
  awk -F, -v e="$1" 'NR == 2 { printf "%.4f, exact %s: %+.2f %%\n", $NF, e, 100 * ($NF / e - 1) }' \
    "$out/run/spectra.csv"
}
while read -r height cell inside absorber gold length upright along; do
  job "$height" "$cell" "$inside" "$absorber" "$gold" "$length"
  echo "$height nm, cells of $cell nm, along: $(rate "$along")"
  echo "$height nm, cells of $cell nm, upright: $(rate "$upright" --set grid.m=0 --set 'grid.polarisation="TM"' \
    --set 'sources[0].axis="z"')"
done <<'ROWS'
200 10.0 500 1200 200 1000 .93835 1.30136
50 5.0 300 1000 100 700 3.50876 .96248
10 1.25 150 800 100 400 31.4059 13.7759
10 1.0 100 750 50 300 31.4059 13.7759
ROWS
