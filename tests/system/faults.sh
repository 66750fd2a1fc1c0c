#!/usr/bin/env bash
# Errors of the user: each ends with a clear message and exit status 2, and nothing is run or overwritten.
source "$TORRE_SOURCE/tests/system/lib.sh"

job=$TORRE_SOURCE/jobs/slab/job.cfg

cat >ten.cfg <<'END'
length_unit = "furlong";
grid = { size = [100.0, 100.0, -5.0]; cell = "small"; order = 3; precision = "fp16"; };
boundaries = { x_lo = "mirror"; };
objects = ( { type = "spher"; medium = "Au"; }, { type = "sphere"; medium = "unobtainium"; radius = 10.0; } );
sources = ( { type = "plane_wave"; direction = "+q"; polarisation = "x";
  time = { type = "pulse"; wavelength = 1e999; band = 3.0; }; } );
monitors = ( { type = "flux"; boxx = 3; } );
run = { decay = 2.0; };
END
"$TORRE" check ten.cfg 2>err.txt
[[ $? == 2 ]]
check "ten faults: exit status 2" $?
lines=$(grep -cE '^ten\.cfg:[0-9]+: ' err.txt)
[[ $lines -ge 10 ]]
check "ten faults: $lines lines with their places" $?
sed 's/1e999/500.0/' ten.cfg >nine.cfg
"$TORRE" check nine.cfg 2>err.txt
for word in length_unit size cell order precision x_lo spher unobtainium direction boxx decay time_fs; do
  grep -qE "$word" err.txt
  check "the faults name $word" $?
done

# Like faults are one line with their number; two stay two, and others keep their place.
many() {
  sed '/^objects/,/^);/d' "$job"
  echo 'objects = ( { type = "sphere"; medium = "vacuum"; raduis = 3.0; radius = 1.0; },'
  for ((i = 1; i < $1; i++)); do echo '  { type = "sphere"; medium = "Gold"; radius = 1.0; },'; done
  echo '  { type = "sphere"; medium = "Gold"; radius = -1.0; } );'
}
many 100 >many.cfg && many 2 >two.cfg && line=$(grep -nm 1 Gold many.cfg | cut -d: -f1)
"$TORRE" check many.cfg 2>err.txt
next() { printf 'objects[%d].medium (line %d), ' "$1" $((line + $1 - 1)); }
grep -qF "many.cfg:$line: objects[1].medium: unknown medium \"Gold\"; nearest known: Au; 99 more like it: $(
  next 2 && next 3 && next 4
)..." err.txt && grep -q '^torre: 102 faults' err.txt
check "a hundred like faults are one line" $?
[[ $(wc -l <err.txt) == 4 && $(sed -n 1p err.txt) == *raduis* && $(sed -n 3p err.txt) == *'got -1'* ]]
check "other faults keep their lines and order" $?
[[ $("$TORRE" check two.cfg 2>&1 | grep -c 'unknown medium') == 2 ]]
check "two like faults are two lines" $?
walls=$(for i in 1 2 3 4 5; do
  printf '{type="flux";name="w%d";box={lo=[-10,-10,700];hi=[10,10,700];};wavelengths=[500.0];},' $i
done)
refuses "faults of the model, too" \
  '\(w1\): the plane lies on .*; 4 more like it: monitors\[1\] \(w2\), .*w4\), \.\.\.$' \
  check "$job" --set "monitors=(${walls%,})"
refuses "a medium that is like no known one gets the list" \
  'unknown medium "Pt", need one of media, or vacuum, or pec, or a built-in one: Ag .* TiO2; .*name = "Pt"; n = ' \
  check "$job" --set 'objects[0].medium="Pt"'

for ready in "$TORRE_SOURCE"/jobs/*/job.cfg; do
  "$TORRE" check "$ready" >out.txt 2>&1 && ! grep -q warning out.txt
  check "$(basename "$(dirname "$ready")") is read without faults and warnings" $?
done
refuses "a missing job file" "no-such.cfg.*(No such file|cannot)" run no-such.cfg
refuses "a folder instead of a job file" "." check .
refuses "no command" "need a command" 
refuses "an unknown command" "unknown command" fly "$job"
refuses "no job file" "need a job file" run
refuses "a wrong engine" "engine" run "$job" --engine=warp --out x
refuses "an override of no key" "colour" run "$job" --set grid.colour=3 --out x
refuses "an override without a value" "PATH=VALUE" run "$job" --set grid.order --out x
refuses "a negative DTS" "dts" run "$job" --dts -1 --out x
refuses "a job larger than the machine" "GB" run "$job" --set "grid.size=[40000.0,40000.0,40000.0]" \
  --set "grid.cell=4.0" --out x
refuses "a medium too fast for the time step" "job.cfg:[0-9]+: grid.courant: got 0.9, .*unstable" \
  check "$TORRE_SOURCE/jobs/drude-film/job.cfg" --set "media[0].poles[0].plasma_eV=300"
refuses "a cross-section too close to the CPML" \
  "job.cfg:[0-9]+: monitors\[0\] \(sphere\): the scattered-field flux planes do not fit .*z_hi: 2 cells, need 3; use" \
  check "$TORRE_SOURCE/jobs/gold-sphere/job.cfg" --set boundaries.cpml.cells=15
refuses "a metal that leaves the inner flux box" "job.cfg:[0-9]+: monitors\[0\] .*inner flux box" \
  check "$TORRE_SOURCE/jobs/gold-sphere/job.cfg" --set "objects[0].radius=56"
refuses "more cells along an axis than an index holds" "--set grid.size.*cells along x" run "$job" \
  --set "grid.size=[1e300,20,20]" --out x
refuses "a cell of NaN" "grid.cell: got \"nan\"" run "$job" --set grid.cell=nan --out x
refuses "an infinite time" "time_fs: got" run "$job" --set run.time_fs=1e999 --out x
refuses "a number of threads beyond 64 bits" "whole number from 0 to 4096" run "$job" \
  --set schedule.threads=99999999999999999999 --out x
refuses "seconds that are not a number" "--seconds: got \"5s\"" bench --seconds 5s --out x
refuses "no time to measure in" "--seconds: got \"0\"" tune --seconds 0
refuses "a memory that is not a number, together with --seconds" "device-memory: got \"8GB\"" bench \
  --device-memory 8GB --seconds 1s --out x
refuses "a negative number of steps" "checkpoint.steps" run "$job" --set checkpoint.steps=-1 --out x
cat >column.cfg <<'END'
grid = { size = [2.0, 2.0, 1e9]; cell = 1.0; };
boundaries = { default = "pec"; };
run = { time_fs = 1.0; tolerance = 1e9; };
END
refuses "one column larger than the machine" "GB" run column.cfg --out x
refuses "a name longer than the file system's" "too long" run "$job" --out "$(printf 'a%.0s' {1..300})"
refuses "a path longer than any" "characters, need at most" run "$job" --out "$(printf 'aaaaaaaaa/%.0s' {1..420})"
ln -s circle1 circle2 && ln -s circle2 circle1
refuses "links in a circle" "circle" run "$job" --out circle1/r
[[ ! -e x ]]
check "refused jobs leave no folder behind" $?

odd='x..y/../ä ö"q"/it'"'"'s *?[1] %s%n\'
mkdir -p x..y real && ln -s real link
"$TORRE" run "$job" --out "$odd" -q && [[ -s "$odd/run.json" ]]
check "odd characters and .. in the name of the results folder" $?
"$TORRE" run "$job" --out link/r -q && [[ -s real/r/run.json ]]
check "a link in the name of the results folder" $?
if [[ $(id -u) == 0 ]] && command -v setpriv >/dev/null; then
  mkdir -p ro && chmod 555 ro && chmod a+rx . .. 2>/dev/null
  setpriv --reuid 65534 --clear-groups "$TORRE" run "$job" --out "$PWD/ro/r" -q >out.txt 2>err.txt
  [[ $? == 2 ]] && grep -qE "no permission|cannot" err.txt
  check "a missing permission to write is reported" $?
fi

"$TORRE" run "$job" --out first -q && cp first/spectra.csv kept.csv
refuses "a folder that holds results" "earlier run" run "$job" --out first
cmp -s first/spectra.csv kept.csv
check "the earlier results are untouched" $?
"$TORRE" run "$job" --out first -q --overwrite
check "--overwrite replaces them" $?
# Files of an earlier job are removed; files that Torre did not write are kept.
cat >probes.cfg <<'END'
grid = { size = [200.0, 200.0, 200.0]; cell = 10.0; };
boundaries = { default = "pec"; };
monitors = ( { type = "probe"; name = "ear"; position = [0.0, 0.0, 0.0]; wavelengths = [500.0]; },
  { type = "probe"; name = "eye"; position = [0.0, 0.0, 20.0]; } );
sources = ( { type = "electric_dipole"; position = [10.0, 10.0, 10.0]; axis = "z";
  time = { type = "pulse"; wavelength = 500.0; band = 200.0; }; } );
run = { time_fs = 1.0; tolerance = 1e9; };
END
"$TORRE" run probes.cfg --out twice -q >out.txt 2>&1 &&
  [[ -s twice/eye.csv && -s twice/ear.csv && -s twice/ear_spectrum.csv ]]
check "probes write tables of their own names" $?
echo mine >twice/mine.csv
sed 's/"eye"/"nose"/' probes.cfg >nose.cfg
"$TORRE" run nose.cfg --out twice -q --overwrite >out.txt 2>&1
files=$(ls twice | tr '\n' ' ')
[[ $files == "ear.csv ear_spectrum.csv mine.csv nose.csv results.h5 run.json run.log " ]]
check "--overwrite leaves the job's files and those of others: $files" $?
# No run.json: a run that was killed, or files that Torre did not write.
mkdir -p found/snapshots && echo mine >found/ear_spectrum.csv
refuses "a table that is in no run.json" "found/ear_spectrum.csv: exists" run probes.cfg --out found
grep -q mine found/ear_spectrum.csv
check "it is untouched" $?
rm found/ear_spectrum.csv && mkdir found/snapshots/field && : >found/snapshots/field/field_00000001.h5
refuses "snapshots of a run that was killed" "found/snapshots: exists" run probes.cfg --out found
"$TORRE" run probes.cfg --out found -q --restart >out.txt 2>&1 && [[ -s found/eye.csv ]]
check "--restart begins such a run again" $?
: >file
refuses "a file where the folder should be" "file" run "$job" --out file/results
if [[ $(id -u) == 0 ]] && mkdir -p full && mount -t tmpfs -o size=300k tmpfs full 2>/dev/null; then
  "$TORRE" run "$TORRE_SOURCE/jobs/dielectric-sphere/job.cfg" --out full/r -q --set run.time_fs=1.0 \
    --set grid.cell=10.0 --set "grid.size=[480,480,480]" >out.txt 2>err.txt
  status=$?
  [[ $status == 2 ]] && grep -q "free on its file system" err.txt
  check "too little space on the disk is reported before the run" $?
  umount full
else
  echo "ok   (no tmpfs here: full disk not tried)"
fi
# Results that cannot be written: here because a folder has their name.
mkdir -p half/spectra.csv
early=(--set run.time_fs=3 --set run.tolerance=1e9)
"$TORRE" run "$TORRE_SOURCE/jobs/slab/job.cfg" -q "${early[@]}" --out half >err.txt 2>&1
check "a table that cannot be written: exit status 1" $(($? != 1))
grep -q '"incomplete": true' half/run.json && grep -q -- '--restart runs the job again' err.txt
check "run.json and the log report it" $?
rmdir half/spectra.csv
"$TORRE" run "$TORRE_SOURCE/jobs/slab/job.cfg" -q "${early[@]}" --out half --restart >err.txt 2>&1 &&
  [[ -s half/spectra.csv ]] && ! grep -q incomplete half/run.json
check "--restart runs it again" $?
one=(--set 'monitors=({type="probe";name="p";position=[0.0,0.0,0.0];components=["Ez"];})')
(ulimit -f 40; "$TORRE" run probes.cfg -q "${one[@]}" --set run.time_fs=4 --timeline --th 1 --out cut) >err.txt 2>&1
check "a table larger than files may be: exit status 1" $(($? != 1))
[[ -s cut/results.h5 && ! -e cut/timeline.csv && ! -e cut/timeline.csv.part ]] &&
  grep -q "timeline.csv was not written: File too large" err.txt && grep -q incomplete cut/run.json
check "timeline.csv is missing rather than truncated" $?
"$TORRE" run probes.cfg -q "${one[@]}" --set run.time_fs=4 --timeline --th 1 --out cut --restart >err.txt 2>&1 &&
  [[ $(grep -c '^0,0,0,' cut/timeline.csv) == $(($(wc -l <cut/timeline.csv) - 1)) ]]
check "--restart writes it whole" $?

# A built-in medium: its index, and poles that a job file accepts.
"$TORRE" materials SiO2 --wavelengths 600 >glass.csv && grep -qE '^600,1\.458[0-9]*,0,2\.12[0-9]*,0$' glass.csv
check "materials SiO2 prints its index at 600 nm" $?
"$TORRE" materials Au --wavelengths 500:600:3 >gold.csv &&
  [[ $(grep -vc '#' gold.csv) == 4 && $(grep -c 'type = "' gold.csv) == 6 ]]
check "materials Au: poles and three wavelengths" $?
{ sed -n '3,/^wave/s/^# *{\(.*\)}$/{\1},/p' gold.csv | sed '$s/,$//' && echo '); } );'; } >poles.txt
{
  echo 'media = ( { name = "mine"; poles = ('
  cat poles.txt
  echo 'grid = { size = [20.0, 20.0, 20.0]; cell = 1.0; }; boundaries = { default = "pec"; }; run = { time_fs = 1.0; };'
} >mine.cfg
"$TORRE" check mine.cfg >out.txt 2>&1
check "a job accepts these poles" $?
refuses "a medium that is not built in" 'no built-in medium "Gold"; nearest known: Au' materials Gold
refuses "wavelengths that are not numbers" "got \"red\", need FROM" materials Au --wavelengths red
refuses "wavelengths without a medium" "belongs to materials NAME" materials --wavelengths 500

"$TORRE" plan "$TORRE_SOURCE/jobs/slab/job.cfg" 2>err.txt >/dev/full
check "a plan that cannot be written: exit status 1" $(($? != 1))

# The reader of the log may end first.
"$TORRE" run "$TORRE_SOURCE/jobs/slab/job.cfg" "${early[@]}" --out piped 2>&1 | head -1 >/dev/null
[[ ${PIPESTATUS[0]} == 0 && -s piped/run.json && -s piped/spectra.csv ]]
check "a closed pipe harms nothing" $?
finish
