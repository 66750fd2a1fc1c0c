#!/usr/bin/env bash
# A job under PBS (OpenPBS, PBS Professional, Torque), on one node or many. Start it where you would call qsub: it
# submits itself.
#
#   bash jobs/batch/pbs.sh -l select=4:mpiprocs=1:ngpus=4 -l walltime=24:00:00 -- job.cfg [options of torre run]
#   bash jobs/batch/pbs.sh -J 1-6 -l select=4:ncpus=32:mpiprocs=1 -l walltime=1:00:00 -- --list runs.txt
#
# Words before -- are options of qsub. A process for each line of the node file (mpiprocs a node), with all GPUs
# that it sees. Before the walltime is over, or after SIGUSR1, the run saves its state and the job is submitted again,
# as often as needed: docs/user/restart.md. A list of runs has one a line: the number of processes and the arguments of
# torre run, quoted as for a shell; task N of an array (-J, with Torque -t) takes line N;
# without an array, line TORRE_TASK.
#
# TORRE   the program, where it is not in PATH
# LAUNCH  what starts the processes; default "mpirun --bind-to none -machinefile $PBS_NODEFILE"
#
set -u
# module load ...: load here the modules with which the program was built

submit=() again=()
while (($#)) && [[ $1 != -- ]]; do
  submit+=("$1")
  # A task of an array is submitted again alone.
  if [[ $1 == -J || $1 == -t ]]; then submit+=("${2:-}") && shift; else again+=("$1"); fi
  shift
done
if (($# < 2)); then
  awk 'NR > 1 && !/^#( |$)/ { exit } NR > 1 { sub(/^# ?/, ""); print }' "$0" >&2
  exit 2
fi
shift
script=$(realpath "${TORRE_BATCH:-$0}")
# submit_with TASK OPTIONS...: qsub reads the script from its input.
submit_with() {
  local number=$1
  shift
  {
    printf 'cd %q && TORRE=%q LAUNCH=%q TORRE_TASK=%q TORRE_BATCH=%q exec bash %q' \
      "$PWD" "${TORRE:-}" "${LAUNCH:-}" "$number" "$script" "$script"
    printf ' %q' "${submit[@]}" -- "${arguments[@]}"
    echo
  } | qsub -N torre -j oe "$@"
}
arguments=("$@")
if [[ -z ${PBS_JOBID:-} ]]; then
  submit_with "${TORRE_TASK:-}" "${submit[@]}"
  exit
fi
# Seconds of "1-02:03:04", "02:03:04", "03:04" or "184"; nothing of other texts.
seconds() {
  awk -F'[-:]' '
    /^[0-9]/ { for (i = 1; i <= NF; i++) { s = s * (NF == 4 && i == 2 ? 24 : 60) + $i } print s }' <<<"$1"
}

state=$(qstat -f "$PBS_JOBID")
value_of() { sed -n "s/^ *$1 = //p" <<<"$state"; }
left=$(seconds "$(value_of Resource_List.walltime)")
used=$(seconds "$(value_of resources_used.walltime)")
[[ -n $left && -n $used ]] && left=$((left - used))
task=${TORRE_TASK:-${PBS_ARRAY_INDEX:-${PBS_ARRAYID:-}}}
processes=$(wc -l <"$PBS_NODEFILE")
IFS=, read -ra visible <<<"${CUDA_VISIBLE_DEVICES:-}"
devices=$((${#visible[@]} * $(sort -u "$PBS_NODEFILE" | wc -l) / processes))
launcher="mpirun --bind-to none -machinefile $PBS_NODEFILE"
again() { submit_with "$task" "${again[@]}"; }

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
