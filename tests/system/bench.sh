#!/usr/bin/env bash
# torre bench: a line for each measurement in table and file, pictures, faults of the command line all together.
source "$TORRE_SOURCE/tests/system/lib.sh"

"$TORRE" bench --features vacuum,spheres --size 48,48,48 --seconds 0.01 --out bench >table.txt
check "bench runs" $?
[[ $(grep -c '^feature,' bench/bench.csv) == 16 && $(grep -c '^feature ' table.txt) == 16 ]]
check "2 cases x 2 orders x 2 precisions x 2 engines in table and file" $?
awk -F, 'NR > 1 && !($13 > 0 && $14 > 0 && $15 > 0) { exit 1 }' bench/bench.csv
check "all rates are above 0" $?
for picture in th towers nz roofline; do
  if has_pictures; then
    [[ $(head -c 4 "bench/$picture.png") == $'\x89PNG' ]] && grep -q "^wrote bench/$picture.png" table.txt
    check "$picture.png" $?
  else
    [[ ! -e bench/$picture.png ]] && grep -q '^no pictures: this build has no cairo' table.txt
    check "no $picture.png in a build without cairo" $?
  fi
done

"$TORRE" bench --features vacuum,glass --size 10,48 --seconds -1 --threads 2x --device-memory 1 --out none >out.txt 2>&1
[[ $? == 2 && ! -e none ]]
check "wrong options: status 2, nothing is written" $?
for word in glass 10,48 seconds 2x device-memory; do
  grep -q -- "$word" out.txt
  check "the message names $word" $?
done
finish
