#!/usr/bin/env bash
# Reference values of the table of surfaces (tests/stress/surfaces): the series against published values, limits and
# balances, the committed table against the series, and the media against the program's.
source "$TORRE_SOURCE/tests/system/lib.sh"

python3 "$TORRE_SOURCE/tests/stress/surfaces/references.py" --check "$TORRE" >lines.txt
check "references.py ends well" $?
cat lines.txt

near "all checks were made" "$(grep -c "^ok" lines.txt)" 154 20
finish
