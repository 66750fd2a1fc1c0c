#!/usr/bin/env bash
# The scripts of jobs/batch with stand-ins for the commands of Slurm, PBS and LSF: the commands that they start, and
# that a job is queued again until it has ended. Real ones: slurm.sh, gridengine.sh.
source "$TORRE_SOURCE/tests/system/lib.sh"
script=$TORRE_SOURCE/jobs/batch/slurm.sh
job=$TORRE_SOURCE/jobs/slab/job.cfg
small=(--set run.time_fs=20 --set run.decay=0 --device cpu --th 8)
mkdir -p bin
cat >bin/squeue <<'END'
#!/bin/bash
echo "16 another task of an array"
[[ $* == *"%A %T" ]] && echo "$SLURM_JOB_ID ${STATE:-RUNNING}" || echo "$SLURM_JOB_ID $LEFT"
END
printf '#!/bin/bash\necho "$@" >>queue.txt\n' >bin/scontrol
cat >bin/srun <<'END'
#!/bin/bash
echo "$SLURM_CPUS_PER_TASK $*" >srun.txt
while [[ $1 == --* ]]; do shift; done
exec "$@"
END
printf '#!/bin/bash\nexit 0\n' >bin/nothing
printf '#!/bin/bash\nexit 75\n' >bin/saved
chmod +x bin/*
export PATH=$PWD/bin:$PATH SLURM_JOB_ID=17 SLURM_CPUS_ON_NODE=6 LEFT=UNLIMITED

"$TORRE" run -q "$job" "${small[@]}" --out whole
LEFT=0:01 bash "$script" "$job" "${small[@]}" --out parts >first.txt 2>&1
check "a job that does not end within its time" $?
[[ $(cat queue.txt) == "requeue 17" && -d parts/checkpoint && ! -e parts/run.json ]]
check "is requeued with its state saved" $?
LEFT=30:00 bash "$script" "$job" "${small[@]}" --out parts >second.txt 2>&1 && [[ $(wc -l <queue.txt) == 1 ]] &&
  same_results whole parts
check "ends in its next turn, with the files of a whole run" $?
grep -q 'continues from the checkpoint of step 8$' second.txt
check "from where it was" $?
[[ $(cat srun.txt) == "6 --mpi=pmix --kill-on-bad-exit=1 "*" --restart --max-time 0:29:30 $job "* ]]
check "a process has the node's CPUs, and knows its time" $?

export TORRE_SAVED=$TORRE TORRE=$PWD/bin/nothing
asked() { # name, pattern
  bash "$script" "$job" >out.txt 2>&1 && [[ $(cat srun.txt) == $2 ]]
  check "$1" $?
}
LEFT=1-02:03:04 asked "days, hours, minutes, seconds" "* --max-time 26:02:34 *"
LEFT=02:03:04 asked "hours, minutes, seconds" "* --max-time 2:02:34 *"
LEFT=UNLIMITED asked "no limit" "*run --restart $job"
SLURM_GPUS_ON_NODE=4 asked "four GPUs a node" "*--devices 4 *"
SLURM_GPUS_ON_NODE=4 SLURM_NTASKS_PER_NODE=2 asked "two for each process" "3 *--devices 2 *"
SLURM_CPUS_PER_TASK=2 SLURM_NTASKS_PER_NODE=2 asked "CPUs as asked" "2 *"
LAUNCH="bin/srun --other" asked "another launcher" "6 --other *"
export TORRE=$TORRE_SAVED

bash "$script" nowhere.cfg >out.txt 2>&1
[[ $? == 2 && $(wc -l <queue.txt) == 1 ]] && grep -q nowhere.cfg out.txt
check "a job that cannot be read is not requeued" $?
TORRE=bin/none bash "$script" "$job" >out.txt 2>&1
[[ $? == 2 ]] && grep -q 'bin/none is not in PATH' out.txt
check "a program that is not there" $?
LEFT=30:00 STATE=COMPLETING TORRE=$PWD/bin/saved bash "$script" "$job" >out.txt 2>&1
[[ $? == 75 && $(wc -l <queue.txt) == 1 ]]
check "a job that was cancelled is not requeued" $?
env -u SLURM_JOB_ID bash "$script" "$job" >out.txt 2>&1
[[ $? == 2 ]] && grep -q 'sbatch --nodes' out.txt
check "outside Slurm it prints its usage" $?
unset SLURM_JOB_ID SLURM_CPUS_ON_NODE

cat >bin/mpirun <<'END'
#!/bin/bash
echo "$*" >mpirun.txt
while [[ $1 == -* ]]; do [[ $1 == --bind-to || $1 == -machinefile || $1 == -n ]] && shift; shift; done
exec "$@"
END
# LSF: the remaining hours and minutes; status 75 passed on.
printf '#!/bin/bash\necho "$* $LEFT" >bjobs.txt\necho "$LEFT"\n' >bin/bjobs
chmod +x bin/*
script=$TORRE_SOURCE/jobs/batch/lsf.sh
export LSB_JOBID=18 LSB_DJOB_NUMPROC=2 LSB_MCPU_HOSTS="a 1 b 1" CUDA_VISIBLE_DEVICES=0,1,2,3
printf "1 $job --out 'first one'\n2 '$job' --out second\n" >runs.txt
TORRE=$PWD/bin/nothing LEFT=" 2:30 L" bash "$script" "$job" --ranks 8x1 >out.txt 2>&1
[[ $(cat mpirun.txt) == *"none -n 2 "*"nothing run --restart --max-time 2:29:30 --devices 4 $job --ranks 8x1" ]]
check "LSF: processes, time, GPUs" $?
unset CUDA_VISIBLE_DEVICES
LSB_JOBINDEX=2 TORRE=$PWD/bin/nothing LEFT=- bash "$script" --list runs.txt >out.txt 2>&1
[[ $(cat mpirun.txt) == "--bind-to none -n 2 $PWD/bin/nothing run --restart $job --out second" &&
  $(cat bjobs.txt) == *"18[2] -" ]]
check "LSF: an element of an array" $?
TORRE=$PWD/bin/saved LEFT="0:01 L" bash "$script" "$job" >out.txt 2>&1
[[ $? == 75 ]]
check "LSF: status 75 is passed on" $?
for faulty in 3 4; do
  printf 'x job.cfg\n' >>runs.txt
  LSB_JOBINDEX=$faulty LEFT=- bash "$script" --list runs.txt >out.txt 2>&1
  [[ $? == 2 ]] && grep -q "runs.txt:$faulty: got '" out.txt
  check "a list without a good line $faulty" $?
done
LSB_JOBINDEX=1 TORRE=$PWD/bin/nothing LEFT=- bash "$script" --list runs.txt >out.txt 2>&1
[[ $(cat mpirun.txt) == *"-n 1 "*" --out first one" ]]
check "a name with a blank" $?
unset LSB_JOBID LSB_DJOB_NUMPROC

# PBS: submitted from outside, and again with its own words until it has ended.
cat >bin/qsub <<'END'
#!/bin/bash
echo "$*" >>qsub.txt
cat >task.sh
END
cat >bin/qstat <<'END'
#!/bin/bash
printf '    Resource_List.walltime = %s\n    resources_used.walltime = 00:00:10\n' "$LEFT"
END
chmod +x bin/*
script=$TORRE_SOURCE/jobs/batch/pbs.sh
printf 'a\nb\n' >nodes
export PBS_NODEFILE=$PWD/nodes
bash "$script" -l select=2:mpiprocs=1 -J 1-3 -l walltime=1:00:00 -- "$job" "${small[@]}" --out "pbs parts"
[[ $(cat qsub.txt) == "-N torre -j oe -l select=2:mpiprocs=1 -J 1-3 -l walltime=1:00:00" ]]
check "PBS: the script submits itself" $?
cp task.sh first.sh
LEFT=00:00:11 PBS_JOBID=19 PBS_ARRAY_INDEX=3 bash first.sh >out.txt 2>&1
[[ $? == 0 && $(tail -n 1 qsub.txt) == "-N torre -j oe -l select=2:mpiprocs=1 -l walltime=1:00:00" ]] &&
  grep -q ' TORRE_TASK=3 ' task.sh && [[ -d "pbs parts/checkpoint" ]]
check "PBS: a task that does not end within its time is submitted again, alone" $?
LEFT=01:00:00 PBS_JOBID=20 bash task.sh >out.txt 2>&1 && [[ $(wc -l <qsub.txt) == 2 ]] &&
  same_results whole "pbs parts" && [[ $(cat mpirun.txt) == *" -n 2 "*"--max-time 0:59:20 "* ]]
check "PBS: and ends in its next turn, with the files of a whole run" $?
bash "$script" "$job" >out.txt 2>&1
[[ $? == 2 ]] && grep -q 'pbs.sh -l select' out.txt
check "PBS: without -- it prints its usage" $?

for script in pbs lsf gridengine; do
  cmp <(sed -n '/^# --- From here/,$p' "$TORRE_SOURCE/jobs/batch/slurm.sh") \
    <(sed -n '/^# --- From here/,$p' "$TORRE_SOURCE/jobs/batch/$script.sh")
  check "$script.sh has the same second half as slurm.sh" $?
done
finish
