#!/usr/bin/env bash
# Spheres against Mie's series. The gold sphere runs with 20 cells a radius here; the limits of the job with 40 are checked by the
# quick start.
source "$TORRE_SOURCE/tests/system/lib.sh"

"$TORRE" run "$TORRE_SOURCE/jobs/dielectric-sphere/job.cfg" --out ball -q
check "the dielectric sphere runs" $?
near "n = 2, kr = 1: Q_sca" "$(cell ball/spectra.csv Q_sca 628.318531)" 0.79683 0.0159
near "n = 2, kr = 2: Q_sca" "$(cell ball/spectra.csv Q_sca 314.159265)" 4.77044 0.0954
near "n = 2, kr = 3: Q_sca" "$(cell ball/spectra.csv Q_sca 209.43951)" 3.03617 0.0607
near "n = 2, kr = 2: nothing absorbed" "$(cell ball/spectra.csv Q_abs 314.159265)" 0 0.005

"$TORRE" run "$TORRE_SOURCE/jobs/gold-sphere/job.cfg" --out gold -q --set grid.cell=2.5 --set "grid.size=[200,200,200]"
check "the gold sphere runs" $?
"$TORRE_BUILD/mie_compare" gold/spectra.csv --medium Au --radius-nm 50 --limit-ext 7 --limit-sca 5
check "gold, 20 cells a radius: Q_ext within 7 %, Q_sca within 5 % of Mie" $?
[[ -s gold/pulse_Ex_000.png && -s gold/near_field_Ex_530nm.png && -s gold/spectra.png && -s gold/results.h5 && -s gold/run.json ]]
check "all files of the results are there" $?

# In the near infrared a gold sphere absorbs little, and cells of its surface must not either: a quarter of it, 10 cells a radius.
cat >infrared.cfg <<'END'
grid = { size = [150.0, 150.0, 300.0]; cell = 5.0; };
boundaries = { x_lo = "pec"; y_lo = "pmc"; };
objects = ( { type = "sphere"; medium = "Au"; center = [-75.0, -75.0, 0.0]; radius = 50.0; } );
sources = ( { type = "plane_wave"; direction = "-z"; polarisation = "x"; box = { lo = [-75.0, -75.0, -65.0]; hi = [-10.0, -10.0, 65.0]; };
  time = { type = "pulse"; wavelength = 800.0; band = 500.0; }; } );
monitors = ( { type = "cross_section"; name = "s"; radius = 50.0; wavelengths = [700.0, 760.0, 840.0, 1000.0]; } );
run = { time_fs = 150.0; decay = 1e-7; };
END
"$TORRE" run infrared.cfg --out infrared -q
check "a quarter of a gold sphere runs" $?
for limit in "700 0.1185" "760 0.0648" "840 0.0367" "1000 0.0189"; do
  read -r nm mie <<<"$limit"
  near "gold, $nm nm: Q_abs within 15 % of Mie" "$(awk -v q="$(cell infrared/spectra.csv Q_abs "$nm")" 'BEGIN { print 4 * q }')" "$mie" "$(awk -v q="$mie" 'BEGIN { print 0.15 * q }')"
done
finish
