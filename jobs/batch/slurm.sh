#!/usr/bin/env bash
# A job under Slurm, on one node or many, with or without GPUs:
#
#   sbatch --nodes=4 --gpus-per-node=8 --time=24:00:00 jobs/batch/slurm.sh job.cfg [options of torre run]
#   sbatch --nodes=2 --ntasks-per-node=2 --time=04:00:00 jobs/batch/slurm.sh job.cfg --ranks 4x1
#   sbatch --array=1-6 --nodes=4 --time=01:00:00 jobs/batch/slurm.sh --list runs.txt
#
# A process a node (--ntasks-per-node: more) with all its CPUs and GPUs, a rank for each GPU. Before the time of the
# allocation is over, or after SIGUSR1 (sbatch --signal=USR1@300), the run saves its state and the job is requeued, as
# often as needed: docs/user/restart.md. Messages are written to torre-<number>.log. A list of runs has one a line: the
# number of processes and the arguments of torre run, quoted as for a shell; task N of an array takes line N.
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
  awk 'NR > 1 && !/^#( |$)/ { exit } NR > 1 { sub(/^# ?/, ""); print }' "$0" >&2
  exit 2
fi
# Seconds of "1-02:03:04", "02:03:04", "03:04" or "184"; nothing of other texts.
seconds() {
  awk -F'[-:]' '
    /^[0-9]/ { for (i = 1; i <= NF; i++) { s = s * (NF == 4 && i == 2 ? 24 : 60) + $i } print s }' <<<"$1"
}

# A field of this job by squeue. The last task of an array has the array's number, for which squeue prints all tasks.
field() { squeue -h -j "$SLURM_JOB_ID" -o "%A $1" | awk -v job="$SLURM_JOB_ID" '$1 == job { print $2; exit }'; }

left=$(seconds "$(field %L)")
limit=${left:-999999999}
tasks=${SLURM_NTASKS_PER_NODE:-1} task=${SLURM_ARRAY_TASK_ID:-} processes=
devices=$((${SLURM_GPUS_ON_NODE:-0} / tasks))
export SLURM_CPUS_PER_TASK=${SLURM_CPUS_PER_TASK:-$((SLURM_CPUS_ON_NODE / tasks))}
launcher="srun --mpi=pmix --kill-on-bad-exit=1"

# A job that was cancelled stays cancelled, although its processes have saved their state.
again() {
  [[ $(field %T) == RUNNING ]] || ((SECONDS >= limit)) || return 75
  scontrol requeue "$SLURM_JOB_ID"
}

# --- From here on the same in every script of jobs/batch ---
torre=${TORRE:-torre}
if ! command -v "$torre" >/dev/null; then
  echo "$torre is not in PATH; set its path by the variable TORRE" >&2
  exit 2
fi
arguments=("$@")
if [[ $1 == --list ]]; then
  list=${2:-runs.txt} task=${task:-1}
  line=$(sed -n "${task}p" "$list") || exit 2
  if ! [[ $line =~ ^[1-9][0-9]*[[:blank:]] ]]; then
    echo "$list:$task: got '$line', need the number of processes and the arguments of torre run" >&2
    exit 2
  fi
  processes=${line%%[[:blank:]]*}
  mapfile -t arguments < <(xargs printf '%s\n' <<<"${line#"$processes"}")
fi

options=(--restart)
if [[ -n $left ]]; then
  # For the start and the end of the processes: a tenth, 5 to 30 s.
  margin=$((left / 10))
  ((margin < 5)) && margin=$((left < 10 ? left / 2 : 5))
  left=$((left - (margin < 30 ? margin : 30)))
  options+=(--max-time "$(printf '%d:%02d:%02d' $((left / 3600)) $((left / 60 % 60)) $((left % 60)))")
fi
((devices > 1)) && options+=(--devices "$devices")
read -ra launch <<<"${LAUNCH:-$launcher}"
[[ -n $processes ]] && launch+=(-n "$processes")

# A signal before the end of the time reaches the processes, too; they save their state, and this script waits for them.
trap : TERM USR1 USR2
"${launch[@]}" "$torre" run "${options[@]}" "${arguments[@]}"
status=$?
if ((status == 75)); then
  again
  status=$?
fi
exit $status
