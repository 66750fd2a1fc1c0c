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
finish
