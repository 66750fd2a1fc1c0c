#!/usr/bin/env bash
# A job under LSF, on one node or many:
#
#   bsub -Q 75 -n 4 -R "span[ptile=1]" -gpu "num=4" -W 24:00 bash jobs/batch/lsf.sh job.cfg [options of torre run]
#   bsub -Q 75 -J "torre[1-6]" -n 4 -W 1:00 bash jobs/batch/lsf.sh --list runs.txt
#
# A process a slot (ptile: slots of a node), with all GPUs that it sees. Before the limit of the run time (-W) is over,
# or after a signal (bsub -wt 5 -wa USR1), the run saves its state and the job ends with status 75; -Q 75 makes LSF
# queue it again, as often as needed: docs/user/restart.md. A list of runs has one a line: the number of processes and
# the arguments of torre run, quoted as for a shell; element N of an array takes line N.
#
# TORRE   the program, where it is not in PATH
# LAUNCH  what starts the processes; default "mpirun --bind-to none"
#
set -u
# module load ...: load here the modules with which the program was built

if (($# < 1)) || [[ -z ${LSB_JOBID:-} ]]; then
  awk 'NR > 1 && !/^#( |$)/ { exit } NR > 1 { sub(/^# ?/, ""); print }' "$0" >&2
  exit 2
fi

task=${LSB_JOBINDEX:-0} number=$LSB_JOBID
if [[ $task == 0 ]]; then task=; else number="${LSB_JOBID}[$task]"; fi
# "23:59 L": hours and minutes; "-": no limit.
left=$(bjobs -noheader -o time_left "$number" | awk -F'[: ]+' '/[0-9]:/ { sub(/^ */, ""); print 3600 * $1 + 60 * $2 }')
processes=${LSB_DJOB_NUMPROC:-1}
read -ra hosts <<<"${LSB_MCPU_HOSTS:-}"
IFS=, read -ra visible <<<"${CUDA_VISIBLE_DEVICES:-}"
devices=$((${#visible[@]} * (${#hosts[@]} > 1 ? ${#hosts[@]} / 2 : 1) / processes))
launcher="mpirun --bind-to none"
again() { return 75; }

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
