#!/usr/bin/env bash
# torre example and torre reference: a program alone in an empty folder lists and writes the jobs of the source tree,
# and writes nothing over. That they are without faults: faults.sh.
source "$TORRE_SOURCE/tests/system/lib.sh"

cp "$TORRE" torre && mkdir alone && TORRE=$PWD/torre && cd alone || exit 1
"$TORRE" example >list.txt && awk 'length > 100 { exit 1 }' list.txt
check "the list" $?
mapfile -t names < <(sed '/^$/,$d; s/ .*//' list.txt)
((${#names[@]} >= 5))
check "has ${#names[@]} names" $?
for folder in "$TORRE_SOURCE"/jobs/*/job.cfg; do
  folder=$(basename "$(dirname "$folder")")
  [[ $folder == speed || " ${names[*]} " == *" $folder "* ]]
  check "jobs/$folder is in it" $?
done

for name in "${names[@]}"; do
  origin=$TORRE_SOURCE/jobs/$name
  "$TORRE" example "$name" >out.txt &&
    [[ $(grep wrote out.txt | sort) == "$(find "$name" -type f -printf 'wrote %p\n' | sort)" ]]
  check "$name: its files are written and named" $?
  find "$name" -type f | while read -r file; do cmp "$file" "$origin/${file#*/}" || exit 1; done
  check "$name: they are those of the source tree" $?
done
cmp <(ls machines) <(ls "$TORRE_SOURCE/jobs/machines")
check "all machines" $?

"$TORRE" reference new/every.cfg >out.txt && "$TORRE" check new/every.cfg >out.txt &&
  cmp new/every.cfg "$TORRE_SOURCE/jobs/reference.cfg"
check "reference into a new folder, with the table that it reads" $?
"$TORRE" reference && "$TORRE" run reference.cfg --quiet && [[ -e results/reference/run.json ]]
check "reference here; it runs" $?

rm -r drude-film && run=$("$TORRE" example drude-film | sed -n 's/^to run it: torre //p')
# shellcheck disable=SC2086
"$TORRE" $run --quiet && [[ -e results/drude-film/spectra.csv ]]
check "the command that is printed runs an example: $run" $?

echo mine >slab/job.cfg
refuses "a job that is there" 'slab/job.cfg is there already; --overwrite' example slab
[[ $(<slab/job.cfg) == mine ]]
check "and it stays" $?
"$TORRE" example slab --overwrite >out.txt && cmp slab/job.cfg "$TORRE_SOURCE/jobs/slab/job.cfg"
check "--overwrite" $?
"$TORRE" example slab --out a/b >out.txt && cmp a/b/job.cfg slab/job.cfg
check "--out makes folders" $?
echo mine >c_pulse && mkdir c && mv c_pulse c/reference_pulse.txt
refuses "a table that is there" 'c/reference_pulse.txt is there already' reference c/reference.cfg
[[ ! -e c/reference.cfg && $(<c/reference_pulse.txt) == mine ]]
check "and then nothing is written" $?
ln -s nowhere link.cfg
refuses "a dangling link" 'link.cfg is there already' reference link.cfg
refuses "a folder in place of a file" 'alone/c is a folder' reference "$PWD/c"
refuses "no file's name" 'need the name of a file' reference c/
refuses "an unknown name gets the list" '^gold-sphere +A gold sphere' example gold
refuses "a file in place of a folder" '"list.txt" is a file, not a folder' example slab --out list.txt/x
refuses "two names" 'unexpected argument "b"' example slab b
refuses "--out without a name" 'need a NAME' example --out x
[[ ! -e x ]]
check "and makes no folder" $?
[[ -z $(find . -name '*.part') ]]
check "no parts are left" $?
finish
