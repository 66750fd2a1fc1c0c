#!/usr/bin/env bash
# Reference values of the table of surfaces (tests/stress/surfaces): the series against published values, limits and
# balances, the committed table against the series, and the media against the program's.
source "$TORRE_SOURCE/tests/system/lib.sh"

python3 "$TORRE_SOURCE/tests/stress/surfaces/references.py" --check "$TORRE" >lines.txt
check "references.py ends well" $?
cat lines.txt

near "all checks were made" "$(grep -c "^ok" lines.txt)" 206 20

# The table itself, its cheapest row: a flat gold film by the rule in use.
python3 "$TORRE_SOURCE/tests/stress/surfaces/table.py" --torre "$TORRE" --rows film --work work --csv film.csv >film.md
check "a flat gold film, 4 nm cells: R and T within 0.005 of the exact values" $?
near "the table has R and T" "$(grep -cE '^[^,]*,[^,]*,subpixel,film,[RT],1,' film.csv)" 2 0
finish
