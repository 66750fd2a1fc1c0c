#!/usr/bin/env bash
# Checkpoints from the user's side: signals and the wall-clock limit, restarts with other schedules, folders in use,
# checkpoints that are damaged, of another job or of another version.
source "$TORRE_SOURCE/tests/system/lib.sh"

job=job.cfg # 924 steps; snapshots after 138, 231, 358 and 715
reference_job "${coarse[@]}" -e 's/time_fs = 20.0/time_fs = 12.8/; s/times_fs = \[3.0, 5.0\]/times_fs = [1.92, 3.2]/' \
  -e 's/times_fs = \[2.0, 4.0, 6.0\]/times_fs = [1.28, 2.56, 3.84]/; s/every_fs = 8.0/every_fs = 4.96/' \
  -e 's/from_fs = 10.0; }/from_fs = 6.4; }/' >$job
# The same with finer cells: it lasts longer, for what is done to it on the way.
slow=slow.cfg
reference_job -e 's/time_fs = 20.0/time_fs = 8.0/; s/times_fs = \[3.0, 5.0\]/times_fs = [1.2, 2.0]/' \
  -e 's/times_fs = \[2.0, 4.0, 6.0\]/times_fs = [0.8, 1.6, 2.4]/; s/every_fs = 8.0/every_fs = 3.1/' \
  -e 's/from_fs = 10.0; }/from_fs = 4.0; }/' >$slow

# same NAME FOLDER [PLAIN]: tables, pictures and HDF5 files are those of the undisturbed run.
same() {
  same_results "${3:-plain}" "$2"
  check "$1" $?
}

# flip FILE OFFSET: changes one byte.
flip() {
  local byte
  byte=$(od -An -tu1 -j "$2" -N 1 "$1")
  printf "\\x$(printf %02x $(((byte + 1) % 256)))" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

"$TORRE" run "$job" --out plain -q >/dev/null
check "an undisturbed run ends" $?
[[ ! -e plain/checkpoint && ! -e plain/.lock ]]
check "it leaves neither checkpoint nor lock" $?

"$TORRE" run "$slow" --out plain-slow -q >/dev/null
check "and one with finer cells" $?

# Signals, sent when the first of two snapshots is there, 138 steps of 924. On a busy machine the run may end before,
# and is run once more.
for signal in TERM USR1 HUP; do
  for attempt in 1 2 3 4 5; do
    rm -rf "s$signal"
    "$TORRE" run "$slow" --out "s$signal" --restart --th 1 --threads 1 -q >out.txt 2>&1 &
    pid=$!
    while kill -0 $pid 2>/dev/null && [[ ! -e s$signal/snapshots/plane/plane_00000138.h5 ]]; do sleep 0.02; done
    kill -$signal $pid
    wait $pid
    status=$?
    ((status)) && break
  done
  [[ $status == 75 ]]
  check "SIG$signal: exit status 75, attempt $attempt" $?
  grep -q "stopped by SIG$signal" "s$signal/run.log"
  check "SIG$signal: run.log reports it" $?
  "$TORRE" run "$slow" --out "s$signal" --restart -q --engine stepwise >/dev/null
  check "SIG$signal: the same command with --restart continues" $?
  grep -q "continues from the checkpoint of step" "s$signal/run.log"
  check "SIG$signal: from the checkpoint" $?
  same "SIG$signal: the same files" "s$signal" plain-slow
done

# A chain of processes with a limit so short that each does one stage.
status=75 links=0
while [[ $status == 75 && $links -lt 30 ]]; do
  links=$((links + 1))
  "$TORRE" run "$job" --out chain --restart -q --th 80 --max-time 00:00:01 >/dev/null 2>&1
  status=$?
done
[[ $status == 0 && $links -gt 5 ]]
check "--max-time 00:00:01: a chain of $links processes completes the run" $?
same "--max-time: the same files" chain
ends "--restart of a run that has ended has nothing to do" 0 "ended already" "$job" --out chain --restart
ends "--restart in the results of another job is refused, and the difference is reported" 2 \
  "earlier run; it has \"courant\": [0-9.]* where this job has \"courant\": 0.4; name" "$job" --out chain --restart \
  --set grid.courant=0.4
ends "--restart to a later time, without a checkpoint, is refused" 2 \
  "another run.time_fs and no checkpoint.*checkpoint.keep" "$job" --out chain --restart --set run.time_fs=13.44
same "and the results stay" chain

# Taken further: the end of a run is kept, and a run to a later time continues from there.
ends "a run to an earlier time keeps its end" 0 "checkpoint of step" "$job" --out further --set run.time_fs=8.96 \
  --set checkpoint.keep=true
ends "twice: nothing to do" 0 "ended already" "$job" --out further --restart --set run.time_fs=8.96 \
  --set checkpoint.keep=true
ends "to a later time, stopped on the way" 75 "" "$job" --out further --restart --max-time 00:00:01 --th 50 -q
[[ ! -e further/run.json ]]
check "the results of a stopped run no longer have a run.json" $?
ends "without --restart: refused" 2 "contains a checkpoint" "$job" --out further
ends "the earlier command once more: refused" 2 "lies after the end of this run" "$job" --out further --restart \
  --set run.time_fs=8.96
ends "to the later time" 0 "continues from the checkpoint of step" "$job" --out further --restart --engine stepwise
same "taken further: the files of one run" further
[[ ! -e further/checkpoint ]]
check "and no checkpoint without checkpoint.keep" $?
ends "a run keeps its end" 0 "" "$job" --out back -q --set checkpoint.keep=true
ends "the same without checkpoint.keep: nothing to do" 0 "ended already" "$job" --out back --restart
compgen -G "back/checkpoint/step-*924/manifest" >/dev/null
check "and the kept checkpoint stays" $?
ends "to an earlier time from there: refused" 2 \
  "checkpoint of step 924 lies after the end of this run, step 647 by run.time_fs" "$job" --out back --restart \
  --set run.time_fs=8.96
same "and the results stay" back
ends "a run keeps its end, and a generation before it" 0 "" "$job" --out older -q --set checkpoint.keep=true \
  --set checkpoint.steps=600
rm -r older/checkpoint/step-*924
ends "to an earlier time from a generation before it: refused" 2 \
  "to a longer run.time_fs, of 924 steps where this run has 785" "$job" --out older --restart --set run.time_fs=10.88
same "and the results of the longer run stay" older
ends "taken further, to a run.json that cannot be written" 0 "" "$job" --out half --set run.time_fs=8.96 \
  --set checkpoint.keep=true -q
mkdir half/run.json.part
ends "status 1" 1 "run.json was not written" "$job" --out half --restart -q
[[ ! -e half/run.json ]]
check "the earlier run.json does not stay beside the new results" $?
rmdir half/run.json.part
ends "with --restart once more" 0 "continues from the checkpoint of step 647" "$job" --out half --restart
same "the same files" half
rm -f back/snapshots/plane/plane_00000138.h5 back/snapshots/plane/plane_Ex_000001.png
has_pictures || rm back/snapshots/plane/plane_00000231.h5
ends "missing snapshots: a warning" 0 "plane_00000138.h5 and 1 more files of snapshots up to step 924.*are missing" \
  "$job" --out back --restart --set run.time_fs=12.82
ends "--max-time needs hours, minutes and seconds" 2 "HH:MM:SS" "$job" --out x --max-time 20
ends "--restart and --overwrite contradict each other" 2 "use one of them" "$job" --out x --restart --overwrite

# A folder with two generations: stopped by the limit after a checkpoint every 100 steps.
two_generations() {
  rm -rf "$1"
  "$TORRE" run "$job" --out "$1" -q --th 50 --set checkpoint.steps=100 --max-time 00:00:01 >/dev/null 2>&1
  "$TORRE" run "$job" --out "$1" -q --th 50 --set checkpoint.steps=100 --max-time 00:00:01 --restart >/dev/null 2>&1
  "$TORRE" run "$job" --out "$1" -q --th 50 --set checkpoint.steps=100 --max-time 00:00:01 --restart >/dev/null 2>&1
  generation=("$1"/checkpoint/step-*)
  [[ ${#generation[@]} == 2 ]]
}
two_generations two
check "two generations are kept" $?
ends "a checkpoint is not lost by a run without --restart" 2 "contains a checkpoint.*--restart" "$job" --out two
differs='another job.*courant.: [0-9.]* where'
ends "another job's checkpoint is refused" 2 "$differs.*courant.: 0.4$|$differs this job has \"courant\": 0.4;" \
  "$job" --out two --restart --set grid.courant=0.4
ends "and without --restart" 2 "another job" "$job" --out two --set objects[1].radius=14
old=${generation[0]} new=${generation[1]}

cp -r two kept
newest() { rm -rf two && cp -r kept two; }
bytes=$(stat -c %s "$new/rank-000000")
for at in 0 9 20 70 200 $((bytes / 2)) $((bytes - 1)); do
  newest
  flip "$new/rank-000000" "$at"
  ends "byte $at of $bytes flipped: the generation before is used" 0 "cannot be used" "$job" --out two --restart -q
  same "byte $at flipped: the same files" two
done
newest && truncate -s $((bytes - 100)) "$new/rank-000000"
ends "a file cut off: the generation before is used" 0 "cannot be used.*damaged" "$job" --out two --restart -q
same "a file cut off: the same files" two
newest && : >"$new/rank-000000"
ends "an empty file: the generation before is used" 0 "cannot be used" "$job" --out two --restart -q
newest && rm "$new/rank-000000"
ends "a missing file: the generation before is used" 0 "No such file" "$job" --out two --restart -q
newest && rm "$new/manifest"
ends "a missing manifest: the generation before is used" 0 "manifest" "$job" --out two --restart -q
newest && flip "$new/manifest" 40
ends "a damaged manifest: the generation before is used" 0 "manifest is damaged" "$job" --out two --restart -q
newest && cp "$old/rank-000000" "$new/rank-000000"
ends "a file of another step: the generation before is used" 0 "does not fit" "$job" --out two --restart -q
newest && printf '\x63' | dd of="$new/rank-000000" bs=1 seek=12 conv=notrunc status=none
ends "a file of a later version: the generation before is used" 0 "later version" "$job" --out two --restart -q
newest && flip "$new/rank-000000" 300 && flip "$old/rank-000000" 300
ends "both damaged: refused, nothing is lost" 2 "none of 2 checkpoints.*--overwrite" "$job" --out two --restart -q
[[ -s $new/rank-000000 && -s $old/rank-000000 ]]
check "both damaged: both still there" $?
ends "both damaged: --overwrite starts from the beginning" 0 "" "$job" --out two --overwrite -q
same "--overwrite: the same files" two
newest && ends "checkpoint.keep leaves the last ones there" 0 "" "$job" --out two \
  --restart -q --set checkpoint.keep=true
compgen -G "two/checkpoint/step-*/manifest" >/dev/null
check "they are there" $?

# of_version N: both generations' manifests name version N of the format, under a good checksum.
of_version() {
  local manifest
  for manifest in two/checkpoint/step-*/manifest; do
    sed -i -e "s/^version .*/version $1/" -e '/^checksum /d' "$manifest"
    printf 'checksum %s\n' "$(gzip -c "$manifest" | tail -c 8 | od -An -tx4 -N 4 | tr -d ' ')" >>"$manifest"
  done
}
for version in 6 99; do
  newest && of_version $version
  ends "checkpoints of version $version are refused" 2 \
    "of version $version of the format, this program reads version 7" "$job" --out two --restart -q
  compgen -G "two/checkpoint/step-*/manifest" >/dev/null
  check "version $version: they are still there" $?
done
newest && of_version 7 && ends "the same with the present version: it continues" 0 "" "$job" --out two --restart -q

# A folder in use.
newest
"$TORRE" run "$job" --out two --restart --th 1 --threads 1 -q >/dev/null 2>&1 &
pid=$!
for ((i = 0; i < 1000; i++)); do [[ -s two/.lock ]] && break; sleep 0.02; done
kill -STOP $pid
ends "a folder in use is refused" 2 "another run is writing there \(process $pid" "$job" --out two --restart
kill -9 $pid
wait $pid 2>/dev/null
ends "the lock ends with its holder" 0 "" "$job" --out two --restart -q
same "the same files after that" two

# Faults of the disk. The folder goes after the first of many checkpoints, while the run is stopped, before the first
# snapshot, which would be lost (status 1 where it is being written). On a busy machine the run may be further by then,
# and is run once more.
for attempt in 1 2 3 4 5; do
  rm -rf gone
  "$TORRE" run "$slow" --out gone -q --th 1 --set checkpoint.steps=10 --threads 1 >out.txt 2>&1 &
  pid=$!
  while kill -0 $pid 2>/dev/null && ! compgen -G "gone/checkpoint/step-*" >/dev/null; do sleep 0.02; done
  kill -STOP $pid
  while [[ $(ps -o stat= -p $pid) == [^TZ]* ]]; do sleep 0.02; done
  [[ ! -e gone/snapshots ]]
  late=$?
  rm -rf gone
  kill -CONT $pid
  wait $pid
  status=$?
  ((late)) || break
done
((status == 0 && late == 0))
check "a results folder that is deleted is made again, attempt $attempt" $?
same "a deleted folder: the same files" gone plain-slow
# Full disks: of the job with finer cells, whose checkpoints are larger than its results.
"$TORRE" run "$slow" --out sized -q --th 50 --max-time 00:00:01 >/dev/null 2>&1
bytes=$(stat -c %s sized/checkpoint/step-*/rank-000000)
if [[ $(id -u) == 0 ]] && mkdir -p full && mount -t tmpfs -o size=$((bytes * 19 / 20)) tmpfs full 2>/dev/null; then
  ends "disk full: checkpoints fail, the run continues" 0 "checkpoint of step .* could not be written.*No space left" \
    "$slow" --out full/r --set checkpoint.steps=160 -q
  same "disk full: the same files" full/r plain-slow
  rm -rf full/r
  "$TORRE" run "$slow" --out full/r -q --max-time 00:00:01 >out.txt 2>&1
  [[ $? == 1 ]] && grep -q "could not be written" out.txt
  check "disk full: a stop that cannot be saved is a failure" $?
  mount -o remount,size=$((bytes * 57 / 20)) full
  "$TORRE" run "$slow" --out full/r -q --restart --set checkpoint.steps=160 >out.txt 2>&1
  check "space for two generations, not for three: the run ends" $?
  same "and gives the same files" full/r plain-slow
  rm -rf full/r
  "$TORRE" run "$slow" --out full/r -q --th 50 --set checkpoint.steps=100 --max-time 00:00:01 >/dev/null 2>&1
  "$TORRE" run "$slow" --out full/r -q --th 50 --set checkpoint.steps=100 --max-time 00:00:01 --restart >/dev/null 2>&1
  two=$(find full/r/checkpoint -name manifest | wc -l)
  "$TORRE" run "$slow" --out full/r -q --th 75 --max-time 00:00:01 --restart >out.txt 2>&1
  [[ $? == 75 && $two == 2 ]]
  check "space for two generations: the last one before a stop replaces the oldest" $?
  "$TORRE" run "$slow" --out full/r -q --restart --set checkpoint.minutes=0 >out.txt 2>&1
  same "and the run continues from there to the same files" full/r plain-slow
  umount full
else
  echo "ok   (no tmpfs here: full disk not tried)"
fi

# A file of the results cannot be written.
mkdir -p late/results.h5.part
ends "results.h5 cannot be written: status 1, the last checkpoint is kept" 1 "results.h5 was not written.*directory" \
  "$job" --out late --set checkpoint.steps=160 -q
rmdir late/results.h5.part
ends "--restart writes the results again" 0 "" "$job" --out late --restart -q
same "and they are the same files" late

mkdir -p when/timeline.csv
ends "timeline.csv cannot be written: status 1, the last checkpoint is kept" 1 "timeline.csv was not written.*" "$job" \
  --out when --timeline --set checkpoint.steps=160 -q
grep -q "last checkpoint is kept" out.txt && compgen -G "when/checkpoint/step-*/manifest" >/dev/null &&
  grep -q '"incomplete": true' when/run.json
check "the log and run.json report it" $?
rmdir when/timeline.csv
ends "--restart continues from there" 0 "" "$job" --out when --timeline --restart -q
grep -q "continues from the checkpoint of step" when/run.log && [[ -s when/timeline.csv && ! -e when/checkpoint ]] &&
  ! grep -q incomplete when/run.json
check "and has it then" $?
rm when/timeline.csv
same "with the same files" when

# A snapshot cannot be written: of a step after the last checkpoint, and of one before it, which no restart from there
# would write.
for lost in "volume_00000715 continues.from.there" "plane_00000138 runs.the.job.again"; do
  file=lost/snapshots/${lost%%_*}/${lost% *}.h5
  rm -rf lost && mkdir -p "$file"
  ends "${lost% *}.h5 cannot be written: status 1" 1 "could not be written; .*--restart ${lost#* }" "$job" --out lost \
    --restart --set checkpoint.steps=700 -q
  rmdir "$file"
  ends "--restart" 0 "" "$job" --out lost --restart -q
  same "the same files" lost
done
rm -rf lost && mkdir -p lost/snapshots/volume/volume_00000715.h5
ends "lost between two checkpoints that are kept" 1 "--restart continues from there" "$job" --out lost --restart \
  --set checkpoint.steps=700 --set checkpoint.keep=true -q
rmdir lost/snapshots/volume/volume_00000715.h5
ends "--restart continues from the older one" 0 "one from before them is used" "$job" --out lost --restart
grep -q "continues from the checkpoint of step 700" lost/run.log
check "of step 700" $?
same "the same files" lost
# Every checkpoint is later than the loss, which is still reported.
rm -rf lost && mkdir -p lost/snapshots/plane/plane_00000138.h5
status=75
while [[ $status == 75 ]]; do
  "$TORRE" run "$job" --out lost --restart -q --th 200 --max-time 00:00:01 --set checkpoint.keep=true >out.txt 2>&1
  status=$?
done
[[ $status == 1 ]] && grep -q "too late for them: --overwrite" out.txt && grep -q "incomplete.: true" lost/run.json
check "a snapshot is lost before a stop: status 1 in the end" $?
rmdir lost/snapshots/plane/plane_00000138.h5
ends "and once more" 1 "too late for them: --overwrite" "$job" --out lost --restart -q --set checkpoint.keep=true
ends "and when taken further" 1 "too late for them: --overwrite" "$job" --out lost \
  --restart -q --set checkpoint.keep=true --set run.time_fs=12.88
ends "--overwrite" 0 "" "$job" --out lost --overwrite -q
same "the same files" lost

# Monitors of 220 MB under a limit of memory that suffices for them, but not for a second copy.
large() { # wavelengths, times
  cat >large.cfg <<END
grid = { size = [1600.0, 1600.0, 240.0]; cell = 10.0; };
boundaries = { default = "pec"; };
sources = ( { type = "electric_dipole"; position = [10.0, 10.0, 10.0]; axis = "z";
  time = { type = "pulse"; wavelength = 500.0; band = 200.0; }; } );
monitors = ( { type = "field"; name = "near"; box = { lo = [-100.0, -100.0, -100.0]; hi = [100.0, 100.0, 100.0]; };
  components = ["Ez"];
               wavelengths = { from = 400.0; to = 700.0; count = $1; }; },
             { type = "slice"; name = "film"; axis = "z"; position = 0.0; component = "Ez"; image = false;
                 times_fs = [$2]; } );
run = { time_fs = 5.0; tolerance = 1e9; };
END
}
limited() { (ulimit -v "$1" && "$TORRE" run large.cfg --threads 1 --out large -q --overwrite) >out.txt 2>&1; }
large 2 1.0,5.0
for ((limit = 60000; limit < 4000000; limit += 20000)); do limited $limit && break; done
large 1000 "$(seq -s, 0.02 0.02 5)"
limited $((limit + 215000 + 40000)) && [[ -s large/results.h5 && -s large/run.json ]]
check "monitors are written without a copy of them in memory" $?

# Unbounded growth of the fields.
ends "a medium that amplifies is stopped" 1 "first bad value|largest value" "$job" -q --out gain \
  --set checkpoint.steps=500 --set run.time_fs=400 --set "media[5].poles[1].delta_eps=-60" --set grid.courant=0.3
grep -qE "unstable at step [0-9]+: .* at cell \[[0-9]+, [0-9]+, [0-9]+\].*medium \"metal\"" out.txt &&
  grep -q "negative delta_eps" out.txt
check "the cell, its medium and a hint are reported" $?
compgen -G "gain/checkpoint/step-*/manifest" >/dev/null &&
  grep -q '"unstable": {"step": [0-9]*, "found": "fields without bound"' gain/run.json
check "the last good checkpoint is kept, and run.json says unstable" $?
# The run ends before the first check for stability.
cat >short.cfg <<'END'
grid = { size = [100.0, 100.0, 100.0]; cell = 5.0; };
boundaries = { default = "pec"; };
media = ( { name = "gain"; poles = ( { type = "lorentz"; delta_eps = -3.0; omega_eV = 60.0; gamma_eV = 0.1; } ); } );
objects = ( { type = "box"; medium = "gain"; size = [60.0, 60.0, 60.0]; } );
sources = ( { type = "electric_dipole"; position = [40.0, 0.0, 0.0]; axis = "z";
  time = { type = "pulse"; wavelength = 100.0; band = 60.0; }; } );
monitors = ( { type = "probe"; name = "p"; position = [10.0, 0.0, 0.0]; } );
run = { time_fs = 4.0; };
END
ends "a short run that ends in NaN has failed" 1 "unstable at step 462" short.cfg -q --out short
grep -q '"unstable": {"step": 462' short/run.json && [[ ! -e short/p.csv ]]
check "and it has no results" $?
finish
