#!/usr/bin/env bash
# torre bench: a line for each measurement in table and file, pictures when gnuplot is there, faults of the command line all together.
source "$TORRE_SOURCE/tests/system/lib.sh"

"$TORRE" bench --features vacuum,spheres --size 48,48,48 --seconds 0.01 --out bench >table.txt
check "bench runs" $?
[[ $(grep -c '^feature,' bench/bench.csv) == 16 && $(grep -c '^feature ' table.txt) == 16 ]]
check "2 cases x 2 orders x 2 precisions x 2 engines in table and file" $?
awk -F, 'NR > 1 && !($13 > 0 && $14 > 0 && $15 > 0) { exit 1 }' bench/bench.csv
check "all rates are above 0" $?
if command -v gnuplot >where.txt; then
  for picture in th towers nz roofline; do
    [[ -s bench/$picture.png ]]
    check "$picture.png" $?
  done
fi

"$TORRE" bench --features vacuum,glass --size 10,48 --seconds -1 --threads 2x --device-memory 1 --out none >out.txt 2>&1
[[ $? == 2 && ! -e none ]]
check "wrong options: status 2, nothing is written" $?
for word in glass 10,48 seconds 2x device-memory; do
  grep -q -- "$word" out.txt
  check "the message tells of $word" $?
done
finish
