#!/usr/bin/env bash
# The table of keys: the output of `torre keys`, and its agreement with the documentation and the reference job.
source "$TORRE_SOURCE/tests/system/lib.sh"

cd "$TORRE_SOURCE" && python3 tests/support/keys.py "$TORRE"
check "keys.py" $?
cd "$OLDPWD" || exit 1

for machine in "" --machine; do
  # shellcheck disable=SC2086
  "$TORRE" keys --json $machine >keys.json && python3 -m json.tool keys.json >pretty.json &&
    [[ $(wc -l <pretty.json) -gt 300 ]]
  check "JSON parses $machine" $?
done

# Objects and planes of the reference job are far enough from each other for the larger stencil, too.
for order in 2 4; do
  "$TORRE" check "$TORRE_SOURCE/jobs/reference.cfg" --set grid.order=$order >checked.txt 2>&1 ||
    grep -q 'built without' checked.txt
  check "the reference job in order $order" $?
done

# A page that differs by a word is found.
mkdir -p copy/docs/user copy/jobs && cp -r "$TORRE_SOURCE/jobs/reference.cfg" "$TORRE_SOURCE/jobs/machines" copy/jobs/
page=docs/user/job-file.md
sed 's/Longest simulated time/Shortest simulated time/' "$TORRE_SOURCE/$page" >copy/$page
sed -i 's/1 to 32; default 8/1 to 32; default 9/' copy/jobs/reference.cfg
(cd copy && python3 "$TORRE_SOURCE/tests/support/keys.py" "$TORRE") >found.txt
[[ $? == 1 ]] && grep -q '^fail the tables of .*the table of run is not current' found.txt &&
  grep -q '^fail the comments of jobs/reference.cfg: grid.samples: its comments lack "default 8"$' found.txt
check "a stale page and a wrong default are found" $?

"$TORRE" keys grid >grid.txt && [[ $(grep -c '^grid' grid.txt) == 17 ]] && ! grep -q '^monitors' grid.txt &&
  grep -q 'default 0.9 (order 2), 0.5 (order 4)' grid.txt
check "a group alone" $?
for group in $("$TORRE" keys --help | tr -d '\n' | grep -o 'Groups of a job file:[^;]*' | sed 's/.*://; s/,/ /g'); do
  "$TORRE" keys "$group" | grep -q .
  check "the group $group of the help" $?
done
"$TORRE" keys >all.txt
for group in job grid boundaries media objects sources monitors run schedule checkpoint; do
  "$TORRE" keys --markdown "$group" >>all.txt
done
[[ $(wc -l <all.txt) -gt 500 ]] && awk 'length > 120 { exit 1 }' all.txt
check "no line above 120 columns" $?
refuses "unknown group" 'no group "gird"; known groups: job, grid,' keys gird
refuses "markdown needs a group" 'need a GROUP' keys --markdown
refuses "two groups" 'unexpected argument "run"' keys grid run
finish
