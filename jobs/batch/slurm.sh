#!/usr/bin/env bash
# A job under Slurm, on one node or many, with or without GPUs:
#
#   sbatch --nodes=4 --gpus-per-node=8 --time=24:00:00 jobs/batch/slurm.sh job.cfg [options of torre run]
#   sbatch --nodes=2 --ntasks-per-node=2 --time=04:00:00 jobs/batch/slurm.sh job.cfg --ranks 4x1
#
# A process a node (--ntasks-per-node: more) with all its CPUs and GPUs, a rank for each GPU. Before the time of the
# allocation is over the run saves its state and the job is requeued, as often as needed: docs/user/restart.md. Messages
# are written to torre-<number>.log.
#
# TORRE   the program, where it is not in PATH
# LAUNCH  what starts the processes; default "srun --mpi=pmix --kill-on-bad-exit=1"
#
#SBATCH --job-name=torre
#SBATCH --output=%x-%j.log
#SBATCH --open-mode=append
#SBATCH --ntasks-per-node=1
#SBATCH --exclusive
#SBATCH --requeue
set -u
# module load ...: load here the modules with which the program was built

if (($# < 1)) || [[ -z ${SLURM_JOB_ID:-} ]]; then
  sed -n '2,13s/^# \{0,1\}//p' "$0" >&2
  exit 2
fi
torre=${TORRE:-torre}
if ! command -v "$torre" >/dev/null; then
  echo "$torre is not in PATH; set its path by TORRE=/path/to/torre sbatch ..." >&2
  exit 2
fi

# Wall time that is left [s], of "1-02:03:04", "02:03:04" or "03:04"; nothing where there is no limit.
seconds_left() {
  squeue -h -j "$SLURM_JOB_ID" -o %L | awk -F'[-:]' '
    /^[0-9]/ { for (i = 1; i <= NF; i++) { s = s * (NF == 4 && i == 2 ? 24 : 60) + $i } print s }'
}

options=(--restart)
left=$(seconds_left)
if [[ -n $left ]]; then
  # Half a minute, at most a tenth, for the start and the end of the processes.
  left=$((left - (left < 300 ? left / 10 : 30)))
  options+=(--max-time "$(printf '%d:%02d:%02d' $((left / 3600)) $((left / 60 % 60)) $((left % 60)))")
fi
tasks=${SLURM_NTASKS_PER_NODE:-1}
gpus=${SLURM_GPUS_ON_NODE:-0}
((gpus > tasks)) && options+=(--devices $((gpus / tasks)))
export SLURM_CPUS_PER_TASK=${SLURM_CPUS_PER_TASK:-$((SLURM_CPUS_ON_NODE / tasks))}

read -ra launch <<<"${LAUNCH:-srun --mpi=pmix --kill-on-bad-exit=1}"
"${launch[@]}" "$torre" run "${options[@]}" "$@"
status=$?
if ((status == 75)); then
  scontrol requeue "$SLURM_JOB_ID"
  status=$?
fi
exit $status
