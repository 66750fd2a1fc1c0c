#!/usr/bin/env bash
# jobs/batch/slurm.sh under Slurm itself, one node: a job of two ranks, an array of runs, a limit of the wall-clock time
# with requeues until the run is done, a job that is cancelled. slurmctld, slurmd and munged run with a configuration,
# ports and folders of their own, as the user who tests, without cgroups.
source "$TORRE_SOURCE/tests/system/lib.sh"
PATH=$PATH:/usr/sbin:/sbin
needs_commands munged slurmctld slurmd sbatch mpirun
folder=$PWD/slurm socket=$(mktemp -d) user=$(id -un) node=$(hostname -s)
script=$TORRE_SOURCE/jobs/batch/slurm.sh
mkdir -p "$folder/state" "$folder/spool"
chmod 755 "$socket"

stop() {
  local name pid
  scancel -u "$user" 2>/dev/null
  for name in slurmctld slurmd munged; do
    pid=$(cat "$folder/$name.pid" 2>/dev/null) || continue
    kill "$pid" 2>/dev/null
    waits 1 eval "! kill -0 $pid" || kill -9 "$pid"
  done
  rm -rf "$socket"
}
trap stop EXIT

head -c 1024 /dev/urandom >"$folder/munge.key"
chmod 400 "$folder/munge.key"
munged --force --num-threads=1 --key-file="$folder/munge.key" --socket="$socket/munge" --seed-file="$folder/seed" \
  --pid-file="$folder/munged.pid" --log-file="$folder/munged.log" 2>munged.txt
read -r port_a port_b < <(free_ports 2)
# cred_expire: a requeued job waits so long.
cat >"$folder/slurm.conf" <<END
ClusterName=torre
SlurmctldHost=$node(127.0.0.1)
SlurmctldPort=$port_a
SlurmdPort=$port_b
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
AuthInfo=socket=$socket/munge,cred_expire=5
CredType=cred/munge
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1,bf_interval=1
KillWait=10
NodeName=$node NodeAddr=127.0.0.1 CPUs=4 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=YES:4
END
export SLURM_CONF=$folder/slurm.conf TORRE
start=$SECONDS
slurmctld -f "$SLURM_CONF" >slurmctld.txt 2>&1 && slurmd -f "$SLURM_CONF" >slurmd.txt 2>&1
idle() { [[ $(sinfo -h -o %T) == idle ]]; }
waits 20 idle
check "slurmctld and slurmd are running" $?
if ((failures)); then
  tail -n 5 "$folder"/*.log munged.txt
  finish
fi
srun --mpi=list 2>&1 | grep -q pmix
check "they can start processes with PMIx" $?

# submit ARGUMENTS...: the number of the job.
submit() { sbatch --parsable --oversubscribe --cpus-per-task=1 --output=%A-%a.txt "$@"; }
has_ended() { ! squeue -h -j "$1" 2>/dev/null | grep -q .; }
state_of() { scontrol show job -o "$1" | grep -o 'JobState=[A-Z]*' | sort -u; }
# verdict NAME STATUS FILES...: a check; what the files have where it failed.
verdict() {
  check "$1" "$2"
  [[ $2 == 0 ]] || tail -n 5 "${@:3}"
}

batch_job 3.0 >job.cfg
options=(-q --device cpu --threads 1 --th 8 --ranks 1x2)

# A study of strong scaling: its list of runs is made here, run by the array, and reported here.
study=(study strong job.cfg --points 1,2 --along y --no-run --out "a study" --device cpu --threads 1 --th 8)
"$TORRE" "${study[@]}" >before.txt 2>&1
two=$(submit --time=5 --ntasks-per-node=2 "$script" job.cfg "${options[@]}" --out two)
array=$(submit --time=5 --ntasks-per-node=2 --array=1-2 "$script" --list "a study/runs.txt")
waits 300 has_ended "$two"
[[ $(state_of "$two") == JobState=COMPLETED ]] && grep -q '"ranks": {"grid": \[1, 2\]' two/run.json
verdict "a job of two ranks under srun --mpi=pmix" $? "$two"-*.txt
waits 300 has_ended "$array"
[[ $(state_of "$array") == JobState=COMPLETED ]] && same_results two "a study/strong-1" &&
  same_results two "a study/strong-2"
verdict "an array of a study of scaling, with one process and with two: the same files" $? "$array"-*.txt
"$TORRE" "${study[@]}" >after.txt 2>&1
[[ $(grep -c nan "a study/study.csv") == 0 && $(tail -n 1 "a study/study.csv") == 2,2,* ]] &&
  grep -q "2 not run here: a study/submit.txt" before.txt
verdict "the study reports both" $? before.txt after.txt

# Slurm looks for jobs near their limit every 30 s: the next job has run for some seconds then. Its messages are
# late, so that it takes some ten seconds, whatever else the machine does. It is to get SIGUSR1 55 s before its
# minute is over.
((now = (SECONDS - start) % 30, now < 26)) && sleep $((26 - now))
late=$(TORRE_MESSAGE_DELAY_US=10000 submit --time=1 --signal=USR1@55 --ntasks-per-node=2 "$script" job.cfg \
  "${options[@]}" --out late)
lost=$(TORRE_MESSAGE_DELAY_US=10000 submit --time=5 --ntasks-per-node=2 "$script" job.cfg "${options[@]}" --out lost)
waits 20 grep -q ' ranks ' lost/run.log
scancel "$lost"
waits 300 has_ended "$late"
[[ $(state_of "$late") == JobState=COMPLETED ]] && grep -q "continues from the checkpoint" late/run.log
verdict "a job near its limit of time is requeued with its state" $? "$late"-*.txt late/run.log
same_results two late
verdict "and ends with the files of an undisturbed run" $? late/run.log
[[ $(state_of "$lost") == JobState=CANCELLED ]]
verdict "a job that is cancelled is not requeued" $? "$lost"-*.txt

# srun alone. stopped NAME COMMAND...: two ranks of srun, which COMMAND, given the step's number, is to stop.
batch_job 600.0 >job.cfg
stopped() {
  local name=$1 step pid status
  shift
  srun --mpi=pmix --oversubscribe -n 2 "$TORRE" run job.cfg "${options[@]}" --out "$name" >"$name.txt" 2>&1 &
  pid=$!
  waits 60 grep -q 'with poles' "$name/run.log"
  sleep 1
  step=$(sed -n 's/.*to stop with the state saved: scancel --signal=USR1 \([0-9.]*\)$/\1/p' "$name/run.log")
  "$@" "$step"
  wait $pid
  status=$?
  [[ $status == 75 && -n $(compgen -G "$name/checkpoint/step-*/manifest") ]]
  verdict "srun, $*: both ranks save their state, srun ends with 75" $? "$name.txt" "$name/run.log"
}
whole_job() { scancel "${1%.*}"; }
stopped step scancel --signal=USR1
stopped job whole_job
finish
