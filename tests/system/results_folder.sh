#!/usr/bin/env bash
# A results folder as an attacker or an accident leaves it: links in it, files of other programs, pipes; moved, removed
# or taken by another run while a run writes there; snapshots that are gone or damaged. Nothing outside is touched, no
# two runs' files are mixed, and no run that lost files ends with status 0.
source "$TORRE_SOURCE/tests/system/lib.sh"

small_job 0.5 8.0 >job.cfg
sed 's/10.0, 0.0, 0.0/0.0, 10.0, 0.0/' job.cfg >other.cfg
small=(--th 1 --threads 1)

ends_within=60
# until FILE...: waits until one of them is there.
until_there() {
  for ((i = 0; i < 3000; i++)); do compgen -G "$1" >/dev/null && return; sleep 0.01; done
  return 1
}

"$TORRE" run job.cfg --out plain -q >/dev/null && "$TORRE" run other.cfg --out plain2 -q >/dev/null
check "undisturbed runs end" $?

# Links: home is what must not be touched.
mkdir home && echo thesis >home/manifest && echo thesis >home/s_00000058.h5 && cp -r home kept
untouched() {
  diff -r home kept >/dev/null
  check "$1: nothing outside is touched" $?
}
for name in step-000000000001.part step-000000000001; do
  rm -rf r && mkdir -p r/checkpoint && ln -s ../../home r/checkpoint/$name
  ends "a link checkpoint/$name" 0 "" job.cfg --out r -q --overwrite --set checkpoint.steps=100
  untouched "checkpoint/$name"
done
for name in results.h5.part p.csv.part run.json.part results.h5 p.csv; do
  rm -rf r && mkdir r && ln -s ../home/manifest r/$name
  ends "a link $name" 0 "" job.cfg --out r -q --overwrite
  same_results plain r
  check "$name: the same files" $?
  untouched "$name"
done
for name in .lock run.log checkpoint snapshots snapshots/s; do
  rm -rf r && mkdir -p "$(dirname r/$name)" && ln -s "$PWD/home/manifest" r/$name
  case $name in checkpoint | snapshots*) ln -sfn "$PWD/home" r/$name ;; esac
  ends "a link $name is refused" 2 "r/?.*$name" job.cfg --out r -q
  untouched "$name"
done
rm -rf r && mkdir scratch && ln -s scratch r
ends "the results folder may be a link" 0 "" job.cfg --out r -q --set checkpoint.steps=100
same_results plain scratch
check "and has the same files" $?

# Files of others.
rm r && mkdir r && echo mine >r/run.log && echo mine >r/notes.h5
ends "a run.log of another program is not replaced" 2 \
  "r/run.log: exists and is not the log of a run.*--overwrite" job.cfg --out r
[[ $(cat r/run.log) == mine ]]
check "it stays" $?
mkdir -p r/snapshots/s && touch r/snapshots/{mine,s,s/mine,s/s}_00000001.h5
ends "--overwrite replaces it" 0 "" job.cfg --out r --overwrite -q
[[ -e r/snapshots/mine_00000001.h5 && -e r/snapshots/s/mine_00000001.h5 && $(cat r/notes.h5) == mine &&
  ! -e r/snapshots/s_00000001.h5 && ! -e r/snapshots/s/s_00000001.h5 ]]
check "and removes nothing but what runs made" $?
printf '{\n  "files": [\n    "notes.h5",\n    "notes.tex"\n  ],\n}\n' >r/earlier.json && touch r/notes.tex
rm r/run.json
ends "a list of files that names others" 0 "" job.cfg --out r --overwrite -q
[[ -e r/notes.tex && ! -e r/earlier.json ]]
check "notes.tex stays" $?

# Pipes.
rm -rf r && "$TORRE" run job.cfg --out r -q --set checkpoint.steps=400 --set checkpoint.keep=true >/dev/null
cp -r r whole
newest=$(ls -d r/checkpoint/step-* | tail -n 1)
rm "$newest/rank-000000" && mkfifo "$newest/rank-000000"
ends "a pipe as a rank's file: the generation before is used" 0 "continues from the checkpoint" \
  job.cfg --out r --restart --set run.time_fs=8.1
grep -q "cannot be used: .*rank-000000" out.txt
check "and reported" $?
for name in run.json run.log; do
  rm -rf r && cp -r whole r && rm r/$name && mkfifo r/$name
  ends "a pipe as $name is not waited for" 2 "" job.cfg --out r
done

# Moved or removed while a run writes there.
begin() { # FOLDER: a run that is stopped after its third snapshot
  rm -rf "$1"
  "$TORRE" run job.cfg --out "$1" "${small[@]}" --set checkpoint.steps=200 -q >first.txt 2>&1 &
  pid=$!
  until_there "$1/snapshots/s/s_00000173.h5" && kill -STOP $pid
}
goes_on() {
  kill -CONT $pid
  wait $pid
  status=$?
}
begin r
mv r old && "$TORRE" run other.cfg --out r -q >/dev/null
check "a second run in the place of a folder that was moved away" $?
goes_on
[[ $status == 1 ]] &&
  grep -q "r: was moved or removed while this run wrote there (it is .*/old now), and is something else" first.txt
check "the first run stops with status 1, and says where its folder is" $?
same_results plain2 r && [[ ! -e r/checkpoint ]]
check "the second run's files are its own" $?
ends "the first one continues in its moved folder" 0 "" job.cfg --out old --restart -q
same_results plain old
check "with the same files" $?

begin r
rm -rf old && mv r old
goes_on
[[ $status == 1 ]] && grep -q "r: was moved or removed (it is .*/old now); this run continues" first.txt &&
  grep -q '"incomplete": true' r/run.json
check "a folder that was moved away: status 1, a warning, and run.json records missing files" $?
[[ -s r/run.log ]]
check "the log continues in the new folder" $?
ends "--restart gives what was missing" 0 "" job.cfg --out r --restart -q
same_results plain r
check "the same files" $?

begin r
rm r/.lock && ! "$TORRE" run other.cfg --out r -q >out.txt 2>&1
check "a folder without its lock is in use" $?
goes_on
[[ $status == 0 ]] && same_results plain r
check "and the run takes its lock again" $?

begin r
rm r/.lock && "$TORRE" run other.cfg --out r --overwrite -q >/dev/null
goes_on
[[ $status == 1 ]] && grep -q "another run has ended there" first.txt
check "another run after .lock was removed: the first one stops with status 1" $?
same_results plain2 r
check "and mixes nothing into its files" $?

# Snapshots before a restart.
damaged() { # NAME COMMAND...: what is done to a snapshot of a run that is stopped behind it
  local name=$1
  shift
  rm -rf r && cp -r whole r
  "$@"
  ends "$name: status 1" 1 \
    "s_00000115.h5 and 0 more files of snapshots up to step 924.*damaged" \
    job.cfg --out r --restart --set run.time_fs=8.1
}
flip() { printf '\x55' | dd of=r/snapshots/s/s_00000115.h5 bs=1 seek="$1" conv=notrunc status=none; }
damaged "a snapshot cut in half" truncate -s 8000 r/snapshots/s/s_00000115.h5
damaged "a snapshot that is empty" truncate -s 0 r/snapshots/s/s_00000115.h5
damaged "a byte of a small snapshot flipped" flip 12000
ends "--overwrite" 0 "" job.cfg --out r --overwrite -q
same_results plain r
check "the same files" $?
finish
