#!/usr/bin/env bash
# A job under Grid Engine (SGE, Son of Grid Engine, Univa), on one node or many:
#
#   qsub -pe mpi 4 -l h_rt=24:00:00 jobs/batch/gridengine.sh job.cfg [options of torre run]
#   qsub -t 1-6 -pe mpi 4 -l h_rt=1:00:00 jobs/batch/gridengine.sh --list runs.txt
#
# A process a slot of the parallel environment, with all GPUs that it sees. Before the run time (h_rt) is over, or after
# SIGUSR1, the run saves its state and the job ends with status 99, upon which Grid Engine queues it again, as often as
# needed: docs/user/restart.md. A list of runs has one a line: the number of processes and
# the arguments of torre run, quoted as for a shell; task N of an array takes line N.
#
# TORRE   the program, where it is not in PATH (qsub -v TORRE=/path/to/torre)
# LAUNCH  what starts the processes; default "mpirun --bind-to none"
#
#$ -N torre
#$ -cwd
#$ -j y
#$ -r y
#$ -S /bin/bash
set -u
# module load ...: load here the modules with which the program was built

if (($# < 1)) || [[ -z ${JOB_ID:-} ]]; then
  awk 'NR > 1 && !/^#( |$)/ { exit } NR > 1 { sub(/^# ?/, ""); print }' "$0" >&2
  exit 2
fi
# Seconds of "1-02:03:04", "02:03:04", "03:04" or "184"; nothing of other texts.
seconds() {
  awk -F'[-:]' '
    /^[0-9]/ { for (i = 1; i <= NF; i++) { s = s * (NF == 4 && i == 2 ? 24 : 60) + $i } print s }' <<<"$1"
}

left=$(seconds "$(qstat -j "$JOB_ID" | sed -n 's/^hard resource_list:\(.*[ ,]\)h_rt=\([^,]*\).*/\2/p')")
task=${SGE_TASK_ID:-undefined}
[[ $task == undefined ]] && task=
processes=${NSLOTS:-1}
IFS=, read -ra visible <<<"${CUDA_VISIBLE_DEVICES:-}"
devices=$((${#visible[@]} * ${NHOSTS:-1} / processes))
launcher="mpirun --bind-to none"
again() { return 99; }

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
