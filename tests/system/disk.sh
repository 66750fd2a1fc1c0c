#!/usr/bin/env bash
# Columns on disk: a domain of several times the memory allowed gives the files of a run in memory, uninterrupted and
# continued after a kill, in and out of the disk; what it reads and writes; its memory; its messages.
source "$TORRE_SOURCE/tests/system/lib.sh"

cat >d.cfg <<'END'
format_version = 3;
grid = { size = [3000.0, 160.0, 160.0]; cell = 5.0; };
boundaries = { default = "pec"; x_lo = "cpml"; x_hi = "cpml"; };
objects = ( { type = "sphere"; medium = "Au"; radius = 40.0; center = [-900.0, 0.0, 0.0]; },
            { type = "sphere"; medium = "Ag"; radius = 50.0; center = [600.0, 10.0, 0.0]; } );
sources = ( { type = "electric_dipole"; position = [-1000.0, 0.0, 10.0]; axis = "z"; amplitude = 1e-12;
              time = { type = "pulse"; wavelength = 500.0; band = 200.0; }; },
            { type = "electric_dipole"; position = [800.0, 0.0, 0.0]; axis = "y"; amplitude = 1e-12;
              time = { type = "pulse"; wavelength = 500.0; band = 200.0; }; } );
monitors = ( { type = "probe"; name = "p"; position = [650.0, 20.0, 0.0]; wavelengths = [500.0]; },
             { type = "snapshot"; name = "s"; every_fs = 0.5; components = ["Ez"]; stride = [4, 2, 2]; } );
run = { time_fs = 1.2; tolerance = 1e9; };
schedule = { device = "cpu"; threads = 2; disk_rate = 2.0; };
END
mkdir scratch
# A third of the 26 MB.
disk=(--set 'schedule.disk="scratch"' --set schedule.host_memory=0.009)

"$TORRE" run d.cfg --out plain -q >out.txt 2>&1
check "a run in memory ends" $?

# The run, and beside its status the bytes that it read and wrote, by the kernel's count, and its largest memory [kB].
cat >count.py <<'END'
import resource, subprocess, sys
status = subprocess.run(sys.argv[1:]).returncode
use = resource.getrusage(resource.RUSAGE_CHILDREN)
print(512 * use.ru_inblock, 512 * use.ru_oublock, use.ru_maxrss)
sys.exit(status)
END
python3 count.py "$TORRE" run d.cfg --out disk --th 24 -q "${disk[@]}" >counts.txt 2>out.txt
check "a run through the disk ends" $?
read -r got_in got_out _ <<<"$(tail -n 1 counts.txt)"
same_results plain disk
check "it gives the same files" $?
[[ -z $(ls -A scratch) ]]
check "nothing stays in the folder" $?
grep -q '"disk": {"file_bytes": 24[0-9]*, "memory_bytes": [0-9]*, "read_bytes": [0-9]*, "written_bytes"' disk/run.json
check "run.json has what it moved" $?
grep -q 'GB of columns on disk in scratch' disk/run.log
check "run.log has the disk" $?

# 139 steps, at most 24 a stage and stops for two snapshots, are 7 stages; 24.4 MB of columns, of which 23.0 change.
read -r said_in said_out <<<"$(sed -nE 's/.*disk: ([0-9.]+) GB read, ([0-9.]+) GB written.*/\1 \2/p' disk/run.log)"
awk -v i="$said_in" -v o="$said_out" 'BEGIN { exit !(i > 7 * 0.0244 && o > 7 * 0.0230) }'
check "all columns are read and written in every stage: $said_in and $said_out GB" $?
if grep -q 'has no O_DIRECT' disk/run.log || ((got_in == 0)); then
  echo "skip the kernel's count: no O_DIRECT here"
else
  # But for the first stage's, which are zeros that no disk holds.
  awk -v i="$got_in" -v o="$got_out" -v s="$said_in" -v t="$said_out" \
    'BEGIN { exit !(i > 0.98e9 * (s - 0.0244) && o > 0.98e9 * t) }'
  check "past the page cache: the kernel counts $got_in and $got_out bytes" $?
fi

# A kill loses at most what follows the last checkpoint; the disk's files are gone, the checkpoint is not.
"$TORRE" run d.cfg --out killed --th 24 -q "${disk[@]}" --set checkpoint.steps=20 >out.txt 2>&1 &
pid=$!
while kill -0 $pid 2>/dev/null && [[ ! -e killed/snapshots/s/s_00000058.h5 ]]; do sleep 0.02; done
kill -9 $pid 2>/dev/null
wait $pid 2>/dev/null
[[ -z $(ls -A scratch) ]]
check "a killed run leaves nothing in the folder" $?
cp -r killed moved
"$TORRE" run d.cfg --out killed --restart -q "${disk[@]}" >out.txt 2>&1
check "--restart ends" $?
grep -q 'continues from the checkpoint of step' killed/run.log
check "from a checkpoint" $?
same_results plain killed
check "the same files after a kill" $?
"$TORRE" run d.cfg --out moved --restart -q >out.txt 2>&1
check "--restart in memory ends" $?
same_results plain moved
check "the same files: begun on disk, ended in memory" $?

# A write that fails in the middle of a run.
if cc -shared -fPIC -O1 -o shim.so "$TORRE_SOURCE/tests/faults/shim.c" -ldl 2>/dev/null; then
  LD_PRELOAD=$PWD/shim.so FAULT_CALL=pwrite FAULT_AT=3000 FAULT_PATH=/scratch FAULT_ERRNO=5 \
    ends "a disk that fails: a message, status 1" 1 'columns could not be written in scratch: Input/output error' \
    d.cfg --out failed --th 24 -q "${disk[@]}" --set checkpoint.steps=20
  ends "--restart after it ends" 0 '' d.cfg --out failed --restart -q "${disk[@]}"
  grep -q 'continues from the checkpoint of step' failed/run.log
  check "from a checkpoint" $?
  same_results plain failed
  check "with the same files" $?
else
  echo "skip a disk that fails: no C compiler"
fi

# Ranks, each with files of its own; stopped in the middle, and continued by more of them.
if command -v mpirun >/dev/null; then
  # on RANKS ARGUMENTS...
  on() {
    timeout 600 mpirun --oversubscribe -n "$1" "$TORRE" run d.cfg -q --threads 1 --set 'schedule.disk="scratch"' \
      --set schedule.host_memory=0.019 "${@:2}" >out.txt 2>&1
  }
  on 2 --out ranks
  check "two ranks through the disk end" $?
  same_results plain ranks && grep -q 'in memory at one time, beside .* of each rank' ranks/run.log
  check "with the same files" $?
  on 2 --out parts --set run.time_fs=0.6 --set checkpoint.keep=true && on 3 --out parts --restart
  check "a run of two ranks is continued by three" $?
  same_results plain parts && grep -q 'continues from the checkpoint of step' parts/run.log
  check "with the same files" $?
  [[ -z $(ls -A scratch) ]]
  check "nothing stays in the folder" $?
  on 2 --out no --ranks 1x2
  [[ $? == 2 ]] && (($(grep -c 'schedule.ranks: got \[1, 2\] with schedule.disk, need \[2, 1\]' out.txt) == 1))
  check "ranks along y: status 2, once" $?
fi

# Memory: a larger domain (49 MB of columns) in 12 MB takes less than half of what it takes in memory.
larger=(--set 'grid.size=[6000.0,160.0,160.0]' --set run.time_fs=0.6 --threads 1)
python3 count.py "$TORRE" run d.cfg "${larger[@]}" --out in -q >in.txt 2>&1
python3 count.py "$TORRE" run d.cfg "${larger[@]}" --out on -q --set 'schedule.disk="scratch"' \
  --set schedule.host_memory=0.012 >on.txt 2>&1
check "a larger run ends" $?
same_results in on
check "with the same files" $?
read -r _ _ in_memory <<<"$(tail -n 1 in.txt)"
read -r _ _ on_disk <<<"$(tail -n 1 on.txt)"
((in_memory - on_disk > 30000))
check "memory of the process: $on_disk kB, without a disk $in_memory kB" $?

ends "a job that fits the memory does not use the disk" 0 '' d.cfg --out fits -q --set 'schedule.disk="scratch"'
grep -q 'the memory holds the whole job' fits/run.log
check "and reports it" $?
ends "a folder that does not exist: status 2 and its name" 2 'schedule.disk: no file can be made in "nowhere"' \
  d.cfg --out no --set 'schedule.disk="nowhere"' --set schedule.host_memory=0.009
ends "too little memory: status 2 and the bytes" 2 'stages of 300 steps need 0.0[0-9]+ GB of columns' \
  d.cfg --out no --th 300 "${disk[@]}"
ends "the stepwise engine: status 2" 2 'schedule.engine: got "stepwise" with schedule.disk' \
  d.cfg --out no --engine stepwise "${disk[@]}"
(ulimit -f 8192 && ends "a file that cannot grow: a message, status 1" 1 'the file of columns could not be written' \
  d.cfg --out no "${disk[@]}" && exit $failures)
failures=$((failures + $?))
rm -rf no
if [[ $(id -u) == 0 ]] && mkdir -p full old && mount -t tmpfs -o size=8m tmpfs full 2>/dev/null; then
  ends "a disk with too little room: status 2 and the bytes" 2 'the columns need 0.02[0-9] GB, "full" has 0.00[0-9]' \
    d.cfg --out no --set 'schedule.disk="full"' --set schedule.host_memory=0.009
  umount full
  mount -t ramfs ramfs old
  ends "a file system without O_DIRECT" 0 '' d.cfg --out cached -q --th 30 --set 'schedule.disk="old"' \
    --set schedule.host_memory=0.009
  umount old
  grep -q 'has no O_DIRECT, columns pass through the page cache' cached/run.log
  check "run.log reports it" $?
  same_results plain cached
  check "the same files" $?
else
  echo "skip file systems of other kinds: no right to mount"
fi

# Complex fields between Bloch walls: both parts.
bloch=(--set 'boundaries={default="bloch";phase_deg=[0.0,70.0,30.0];x_lo="cpml";x_hi="cpml";}' --set run.time_fs=0.6)
"$TORRE" run d.cfg --out bloch -q "${bloch[@]}" >out.txt 2>&1 &&
  "$TORRE" run d.cfg --out paged -q --th 24 "${bloch[@]}" "${disk[@]}" --set schedule.host_memory=0.02 >out.txt 2>&1 &&
  grep -q 'GB of columns on disk' paged/run.log && same_results bloch paged && ! same_results plain bloch >out.txt
check "Bloch walls along y and z: the files of a run in memory" $?
ends "periodic walls along all axes: status 2" 2 'walls along x with schedule.disk, need other walls there' \
  d.cfg --out no --set 'boundaries={default="periodic";}' "${disk[@]}"
rm -rf no

"$TORRE" plan d.cfg "${disk[@]}" >plan.txt
grep -qE 'are hidden from TH [0-9]+ on; at TH [0-9]+ the run has [0-9]+ % of the rate without' plan.txt
check "plan names the TH that hides the disk" $?
"$TORRE" plan d.cfg --json "${disk[@]}" >plan.json
python3 -c 'import json; d = json.load(open("plan.json"))["schedule"]["disk"]
assert d["file_bytes"] > 2e7 > d["memory_bytes"]
assert d["bytes_per_second"] == 2e9 and d["hidden_from_th"] > 0 and 0 < d["share_of_rate"] <= 1'
check "plan --json has the disk" $?
exit $((failures > 0))
