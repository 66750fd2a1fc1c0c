#!/usr/bin/env bash
# jobs/batch/gridengine.sh under Grid Engine itself, one host: a job of two ranks whose time is over is queued again
# with its state, until it is done; an array of runs. sge_qmaster and sge_execd run with a cell, ports and folders of
# their own, as the user who tests.
source "$TORRE_SOURCE/tests/system/lib.sh"
PATH=$PATH:/usr/sbin:/sbin
needs_commands sge_qmaster sge_execd qconf qsub mpirun
programs=/usr/lib/gridengine share=/usr/share/gridengine # of Debian
needs_commands $programs/spoolinit $programs/spooldefaults
root=$PWD/sge script=$TORRE_SOURCE/jobs/batch/gridengine.sh host=localhost
read -r port_a port_b < <(free_ports 2)
export SGE_ROOT=$root SGE_CELL=default SGE_QMASTER_PORT=$port_a SGE_EXECD_PORT=$port_b
mkdir -p "$root"/default/common "$root"/qmaster "$root"/execd
ln -s $share/util "$root/util"
ln -s $programs "$root/utilbin"

# The daemons of this cell, including those whose process number is in no file.
daemons() {
  local process
  for process in /proc/[0-9]*; do
    [[ $(cat "$process/comm" 2>/dev/null) == sge_* ]] && grep -qzxF "SGE_ROOT=$root" "$process/environ" 2>/dev/null &&
      echo "${process#/proc/}"
  done
}
stop() {
  local pid
  qdel -u '*' >/dev/null 2>&1
  for pid in $(daemons); do
    kill "$pid" 2>/dev/null
    waits 2 eval "! kill -0 $pid" || kill -9 "$pid"
  done
}
trap stop EXIT

# All names of this machine are one host, whatever its resolver says of them.
echo "$host $(hostname) $(hostname -f)" | tr ' ' '\n' | sort -u | grep -v "^$host$" | paste -sd ' ' |
  sed "s/^/$host /" >"$root/default/common/host_aliases"
echo $host >"$root/default/common/act_qmaster"
admin=none
((EUID)) && admin=$(id -un)
cat >"$root/default/common/bootstrap" <<END
admin_user        $admin
default_domain    none
ignore_fqdn       true
spooling_method   classic
spooling_lib      libspoolc
spooling_params   $root/default/common;$root/qmaster
binary_path       /usr/sbin
qmaster_spool_dir $root/qmaster
security_mode     none
listener_threads  1
worker_threads    1
scheduler_threads 1
END
sed "s,^execd_spool_dir.*,execd_spool_dir $root/execd,; s,^m\(in_[ug]id\).*,m\1 0,; s,^mailer.*,mailer /bin/true,
  s,^load_report_time.*,load_report_time 00:00:01," $share/default-configuration >configuration

environment() {
  printf '%s\n' "pe_name mpi" "slots 2" "user_lists NONE" "xuser_lists NONE" "start_proc_args NONE" \
    "stop_proc_args NONE" "allocation_rule \$pe_slots" "control_slaves TRUE" "job_is_first_task FALSE" \
    "urgency_slots min" "accounting_summary FALSE" "qsort_args NONE"
}
queue() {
  local limit
  printf '%s\n' "qname all.q" "hostlist $host" "seq_no 0" "load_thresholds NONE" "suspend_thresholds NONE" \
    "nsuspend 1" "suspend_interval 00:05:00" "priority 0" "min_cpu_interval 00:05:00" "processors UNDEFINED" \
    "qtype BATCH" "ckpt_list NONE" "pe_list mpi" "rerun TRUE" "slots 2" "tmpdir /tmp" "shell /bin/sh" "prolog NONE" \
    "epilog NONE" "shell_start_mode posix_compliant" "starter_method NONE" "suspend_method NONE" "resume_method NONE" \
    "terminate_method NONE" "notify 00:00:05" "owner_list NONE" "user_lists NONE" "xuser_lists NONE" \
    "subordinate_list NONE" "complex_values NONE" "projects NONE" "xprojects NONE" "calendar NONE" \
    "initial_state default"
  for limit in rt cpu fsize data stack core rss vmem; do printf '%s INFINITY\n' "s_$limit" "h_$limit"; done
}
start() {
  $programs/spoolinit classic libspoolc "$root/default/common;$root/qmaster" init
  $programs/spooldefaults configuration "$PWD/configuration"
  $programs/spooldefaults complexes $share/util/resources/centry
  $programs/spooldefaults usersets $share/util/resources/usersets
  $programs/spooldefaults managers "$(id -un)"
  sge_qmaster
  waits 10 qconf -sh
  qconf -as $host
  sge_execd
  qconf -ssconf | sed 's/^\(schedule_interval\).*/\1 0:0:1/; s/^\(flush_.*_sec\).*/\1 1/
    s/^\(job_load_adjustments\).*/\1 NONE/' >scheduler
  environment >environment
  queue >queue
  qconf -Msconf scheduler
  qconf -Ap environment
  qconf -Aq queue
}
start >start.txt 2>&1
waits 20 eval 'qhost | grep -q "^localhost .*G "'
check "sge_qmaster and sge_execd are running" $?
if ((failures)); then
  cat start.txt
  tail -n 5 "$root/qmaster/messages" "$root"/execd/*/messages
  finish
fi

# submit ARGUMENTS...: the number of the job.
submit() { qsub -terse -v "TORRE=$TORRE,LAUNCH=mpirun --oversubscribe" "$@" | cut -d. -f1; }
has_ended() { [[ $(qstat -j "$1" 2>&1) == *"do not exist"* ]]; }
verdict() { # NAME STATUS FILES...: a check; what the files have where it failed
  check "$1" "$2"
  [[ $2 == 0 ]] || tail -n 5 "${@:3}"
}

batch_job 3.0 >job.cfg
cat >runs.txt <<END
2 job.cfg -q --device cpu --threads 1 --th 8 --ranks 1x2 --out 'array 1'
1 job.cfg -q --device cpu --threads 1 --th 8 --out 'array 2'
END
# Its messages are late, so that it takes some fifteen seconds.
late=$(TORRE_MESSAGE_DELAY_US=9000 submit -v TORRE_MESSAGE_DELAY_US -pe mpi 2 -l h_rt=15 "$script" job.cfg -q \
  --device cpu --threads 1 --th 8 --ranks 1x2 --out late)
array=$(submit -t 1-2 -pe mpi 2 -l h_rt=300 "$script" --list runs.txt)
waits 300 has_ended "$late"
grep -q "continues from the checkpoint" late/run.log && [[ -e late/run.json ]]
verdict "a job whose time is over is queued again with its state, until it is done" $? torre.*
waits 300 has_ended "$array"
same_results "array 1" "array 2"
verdict "an array of a list, with two processes and with one: the same files" $? torre.*
same_results "array 1" late
verdict "and those of the job that was interrupted" $? torre.*
finish
