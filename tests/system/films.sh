#!/usr/bin/env bash
# Reflection and transmission of films at normal incidence, by the jobs a user would run.
source "$TORRE_SOURCE/tests/system/lib.sh"

"$TORRE" run "$TORRE_SOURCE/jobs/slab/job.cfg" --out slab -q
check "the slab runs" $?
near "slab R(500 nm)" "$(awk -v r="$(cell slab/spectra.csv reflected.fraction 500)" 'BEGIN { print -r }')" 0.337215 1e-3
near "slab R(700 nm)" "$(awk -v r="$(cell slab/spectra.csv reflected.fraction 700)" 'BEGIN { print -r }')" 0.095754 1e-3
near "slab T(500 nm)" "$(cell slab/spectra.csv transmitted.fraction 500)" 0.662785 1e-3

"$TORRE" run "$TORRE_SOURCE/jobs/slab/job.cfg" --out slab4 -q --set grid.order=4
check "the slab runs in order 4" $?
near "slab, order 4, R(500 nm)" "$(awk -v r="$(cell slab4/spectra.csv reflected.fraction 500)" 'BEGIN { print -r }')" 0.337215 1e-3
near "slab, order 4, R(700 nm)" "$(awk -v r="$(cell slab4/spectra.csv reflected.fraction 700)" 'BEGIN { print -r }')" 0.095754 1e-3

"$TORRE" run "$TORRE_SOURCE/jobs/drude-film/job.cfg" --out film -q
check "the Drude film runs" $?
near "film R(500 nm)" "$(awk -v r="$(cell film/spectra.csv reflected.fraction 500)" 'BEGIN { print -r }')" 0.757778 5e-3
near "film T(500 nm)" "$(cell film/spectra.csv transmitted.fraction 500)" 0.215566 5e-3
finish
