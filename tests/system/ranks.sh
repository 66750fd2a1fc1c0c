#!/usr/bin/env bash
# The program on several ranks: the same files, faults reported once, no process left when a rank dies.
source "$TORRE_SOURCE/tests/system/lib.sh"
command -v mpirun >/dev/null || { echo "no mpirun" && exit 77; }
# The reference job, which has every feature, for a shorter time.
job=job.cfg
reference_job -e 's/time_fs = 20.0/time_fs = 6.5/; s/every_fs = 8.0/every_fs = 2.0/' >$job

on() { # ranks, arguments...
  local n=$1
  shift
  timeout 1500 mpirun --oversubscribe -n "$n" "$TORRE" run "$job" --th 4 --dts 3 "$@"
}

"$TORRE" run "$job" --out one -q >/dev/null
check "one process runs" $?
for grid in 2x1 1x2 3x1 2x2; do
  n=$((${grid%x*} * ${grid#*x}))
  on $n --ranks $grid --out "r$grid" -q >/dev/null
  check "$grid ranks run" $?
  same_results one "r$grid"
  check "$grid ranks write the same files, byte for byte" $?
done

# Ranks narrower than two overlaps.
on 4 --ranks 4x1 --th 8 --out narrow -q >/dev/null
check "4x1 narrow ranks run" $?
same_results one narrow && grep -q 'hold less than two overlaps (10 columns each)' narrow/run.log
check "they write the same files, and the log reports them" $?
"$TORRE" plan "$job" --th 8 --dts 3 --ranks 4x1 | grep -q '^note  *ranks along x hold less than two overlaps'
check "so does the plan" $?

# Open MPI gives each rank a terminal, whatever its own output is.
on 2 --ranks 2x1 --out lines >lines.txt 2>&1 &&
  grep -qE "^ *[0-9]+ %" lines.txt && ! grep -q $'\r\|\x1b' lines.txt
check "mpirun into a file writes plain lines" $?
on 2 --ranks 2x1 --out lines --overwrite --progress=json 2>&1 >/dev/null | cat >lines.txt
grep -q '^{"step"' lines.txt && ! grep -q $'\r\|\x1b' lines.txt
check "and so does its stderr" $?
python3 -c 'import pty, sys; sys.exit(pty.spawn(sys.argv[1:]))' mpirun --oversubscribe -n 2 "$TORRE" run "$job" \
  --th 4 --dts 3 --ranks 2x1 --out lines --overwrite >lines.txt 2>&1
grep -q $'\x1b\\[K' lines.txt
check "mpirun on a terminal draws the bar" $?

"$TORRE" plan "$job" --th 4 --dts 3 --threads 1 --ranks 3x1 >plan.txt
planned=$(sed -n 's/^borders *//p' plan.txt)
[[ $planned == "along x at columns "*"slowest rank has"*"equal widths"* ]] && grep -qF "borders $planned" r3x1/run.log
check "the plan reports the borders of the run" $?

timeout 300 mpirun --oversubscribe -n 2 \
  sh -c '"$TORRE" run job.cfg --out no --set run.time_fs=6.$OMPI_COMM_WORLD_RANK' >fault.txt 2>&1
check "ranks that read different jobs end with status 2" $(($? != 2))
check "the fault is reported once" $(($(grep -c "rank 1 has read another job" fault.txt) != 1))
# Options that all ranks must share must be the same; threads need not.
for option in "--set checkpoint.steps=64" "--set checkpoint.minutes=7" "--th 8" "--engine diamond" "--devices 2" \
  "--timeline" "--max-time 1:00:00" "--out other"; do
  # shellcheck disable=SC2086
  timeout 300 mpirun --oversubscribe -n 1 "$TORRE" run job.cfg --out no : \
    -n 1 "$TORRE" run job.cfg --out no $option >fault.txt 2>&1
  [[ $? == 2 && $(grep -cE "rank 1 has (read another job|other options) than rank 0" fault.txt) == 1 && ! -e no &&
    ! -e other ]]
  check "a rank with $option of its own: status 2, reported once" $?
done
timeout 300 mpirun --oversubscribe -n 1 "$TORRE" run job.cfg --th 4 --dts 3 --out threads -q : \
  -n 1 "$TORRE" run job.cfg --th 4 --dts 3 --out threads -q --threads 1 >fault.txt 2>&1
check "threads of its own: it runs" $?
on 2 --ranks 3x1 --out no >fault.txt 2>&1
check "a grid that does not suit ends with status 2" $(($? != 2))
check "its fault is reported once" $(($(grep -c "schedule.ranks" fault.txt) != 1))
on 3 --ranks 3x1 --th 4000 --out no >fault.txt 2>&1
check "ranks that do not fit end with status 2" $(($? != 2))
grep -q "TH [0-9]* would fit" fault.txt
check "the fault names a TH that would fit" $?

on 2 --ranks 2x1 --set schedule.host_memory=0.0001 --out no >fault.txt 2>&1
check "a job larger than schedule.host_memory ends with status 2" $(($? != 2))
check "the fault is reported once" $(($(grep -c "for it (schedule.host_memory)" fault.txt) != 1))
on 2 --ranks 2x1 --set schedule.host_memory=0.0001 --set 'schedule.disk="."' --out no >fault.txt 2>&1
(($? == 2 && $(grep -c 'are (schedule.host_memory) for a rank; allow more memory' fault.txt) == 1))
check "columns on disk: refused with too little memory, once" $?

CUDA_VISIBLE_DEVICES='' on 2 --ranks 1x2 --device gpu --out no >fault.txt 2>&1
check "GPUs that are not there end with status 2" $(($? != 2))
check "the fault is reported once" $(($(grep -c 'schedule.device: got "gpu"' fault.txt) != 1))

# On a synthetic machine given to hwloc; its CPUs are divided among the ranks, none is bound.
if "$TORRE" --version | grep -q hwloc; then
  export OMP_NUM_THREADS=9
  timeout 1500 mpirun --oversubscribe -n 3 env HWLOC_SYNTHETIC='numa:2 core:4 pu:2' \
    "$TORRE" run "$job" --th 4 --dts 3 --out placed >/dev/null 2>&1
  [[ $(grep -c 'rank [012]: .* CPUs \(0-3\|4-7\|8-15\), a share' placed/run.log) == 3 ]] &&
    grep -q 'rank 2: 8 threads on CPUs 8-15.*NUMA node 1' placed/run.log
  check "ranks divide the CPUs of a machine; the log reports where each runs" $?
  unset OMP_NUM_THREADS
  on 2 --threads 6 --out placed --overwrite >/dev/null 2>&1
  check "more threads than CPUs: one warning" $(($(grep -c 'warning: rank 0: 6 threads on' placed/run.log) != 1))
fi

# Each command on two ranks: as alone, printed once, or refused as alone, once; in a folder of its own each.
small_job 2.0 6.0 >small.cfg
cp "$TORRE_SOURCE/jobs/reference_index.txt" table.txt
mkdir alone both
wanted=0
while read -ra words; do
  if [[ ${words[0]} == refused ]]; then wanted=2 && continue; fi
  (cd alone && timeout 60 "$TORRE" "${words[@]}" >../alone.txt 2>../said.txt </dev/null)
  alone=$?
  (cd both && timeout 60 mpirun --oversubscribe -n 2 "$TORRE" "${words[@]}" >../both.txt 2>../err.txt </dev/null)
  [[ $? == "$wanted" && $alone == "$wanted" && $(wc -l <both.txt) == "$(wc -l <alone.txt)" ]] &&
    { [[ $wanted == 0 ]] || (($(grep -cxF -- "$(head -n 1 said.txt)" err.txt) == 1)); }
  check "${words[*]}: on two ranks as alone" $?
done <<END
help
help run
--version
run ../small.cfg --th 4 --dts 3 -q
check ../small.cfg
plan ../small.cfg
study cells ../small.cfg --cells 5,6 --th 4 --dts 3 -q
example slab
reference r.cfg
show ../small.cfg
materials Au
fit ../table.txt --poles 2
keys grid
scaling --machine $TORRE_SOURCE/jobs/machines/laptop.cfg --cells 300,300,300 --weak-x
refused
modes ../small.cfg
bands ../small.cfg
bench --size 1,1,1
tune --size 1,1,1
classic --figure nothing
END
# Two commands: an answer, not a wait without end. Rank 1's comes first: it is the one that names itself.
while IFS='|' read -r first second named; do
  # shellcheck disable=SC2086
  timeout 60 mpirun --oversubscribe -n 1 "$TORRE" $second : -n 1 "$TORRE" $first >fault.txt 2>&1 </dev/null
  [[ $? == 2 && $(grep -c "rank 1 was started as torre $named: need one command" fault.txt) == 1 && ! -e no ]]
  check "$first beside $second: status 2, reported once" $?
done <<END
materials|run small.cfg --out no|materials, rank 0 as torre run
run small.cfg --out no|materials|run, rank 0 as torre materials
run --help|run small.cfg --out no|run, with --help or --version, rank 0 as torre run
keys|help|keys, rank 0 as torre help
bench|tune|bench, rank 0 as torre tune
END
timeout 60 mpirun --oversubscribe -n 1 "$TORRE" run small.cfg --out no : \
  -n 1 "$TORRE" run small.cfg --bogus >fault.txt 2>&1
[[ $? == 2 && ! -e no ]]
check "a wrong option of one rank: status 2" $?
timeout 60 mpirun --oversubscribe -n 1 \
  sh -c '"$TORRE" materials && "$TORRE" --version && "$TORRE" check small.cfg' >out.txt
check "a script that is the only process may start the program several times" $?

on 3 --set run.time_fs=2000 --set run.decay=0 --out killed -q >killed.txt 2>&1 &
launcher=$!
sleep 2
victim=$(pgrep -P "$launcher" -x timeout || true)
victim=$(pgrep -P "$(pgrep -P "${victim:-$launcher}" -x mpirun || echo 0)" | tail -1)
[[ -n $victim ]] && kill -9 "$victim"
start=$SECONDS
wait "$launcher"
check "a killed rank ends the job" $(($? == 0))
check "within seconds" $((SECONDS - start > 10))
grep -q "signal 9" killed.txt
check "its reason is reported" $?

# Rank 1 has too little memory for its share.
cat >large.cfg <<'END_OF_FILE'
length_unit = "nm";
grid = { size = [1200.0, 1200.0, 480.0]; cell = 3.0; order = 2; precision = "fp32"; };
boundaries = { default = "pec"; };
sources = ( { type = "electric_dipole"; position = [0.0, 0.0, 0.0]; axis = "z";
              time = { type = "pulse"; wavelength = 500.0; band = 200.0; }; } );
monitors = ( { type = "probe"; name = "p"; position = [0.0, 0.0, 0.0]; components = ["Ez"]; } );
run = { time_fs = 2000.0; };
END_OF_FILE
# Torre itself would refuse a job above the limit of ulimit; with schedule.host_memory it does not look at that.
command=("$TORRE" run large.cfg --ranks 2x1 --threads 1 --set schedule.host_memory=8 --out large -q)
timeout 300 mpirun --oversubscribe -n 1 "${command[@]}" : \
  -n 1 bash -c 'ulimit -v 350000; exec "$@"' - "${command[@]}" >died.txt 2>&1
status=$?
check "a rank that dies by an error ends the job" $((status == 0 || status == 124))
grep -q "no memory for the fields" died.txt
check "its reason is reported" $?
finish
