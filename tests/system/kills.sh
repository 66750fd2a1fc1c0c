#!/usr/bin/env bash
# A few kills of tests/stress/kills.py: runs that are killed at random moments and started again end with the files of
# an undisturbed run.
#
#   bash tests/system/kills.sh [KILLS] [GRIDS]     default: 12 kills, grids 1x1 and, with mpirun, 2x1,1x2,3x1,2x2
source "$TORRE_SOURCE/tests/system/lib.sh"
python3 "$TORRE_SOURCE/tests/stress/kills.py" --minutes 30 --trials "${1:-12}" --seed "$RANDOM" ${2:+--grids "$2"}
