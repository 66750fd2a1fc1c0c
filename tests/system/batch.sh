#!/usr/bin/env bash
# jobs/batch/slurm.sh with stand-ins for Slurm's commands: the commands that it starts, and that a job is requeued until
# it has ended.
source "$TORRE_SOURCE/tests/system/lib.sh"
script=$TORRE_SOURCE/jobs/batch/slurm.sh
job=$TORRE_SOURCE/jobs/slab/job.cfg
small=(--set run.time_fs=20 --set run.decay=0 --device cpu --th 8)
mkdir -p bin
printf '#!/bin/bash\necho "$LEFT"\n' >bin/squeue
printf '#!/bin/bash\necho "$@" >>queue.txt\n' >bin/scontrol
cat >bin/srun <<'END'
#!/bin/bash
echo "$SLURM_CPUS_PER_TASK $*" >srun.txt
while [[ $1 == --* ]]; do shift; done
exec "$@"
END
printf '#!/bin/bash\nexit 0\n' >bin/nothing
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
env -u SLURM_JOB_ID bash "$script" "$job" >out.txt 2>&1
[[ $? == 2 ]] && grep -q 'sbatch --nodes' out.txt
check "outside Slurm it prints its usage" $?
finish
