#!/usr/bin/env bash
# The limits of tests/support/limit.py: processor time of all processes together, wall time, and the exit status.
source "$TORRE_SOURCE/tests/system/lib.sh"
limit=$TORRE_SOURCE/tests/support/limit.py

# limited SECONDS[,WALL] STATUS PATTERN COMMAND...: the exit status, and what is printed when a limit is met. A WALL
# that no load of the machine makes too short.
limited() {
  local seconds=$1 wanted=$2 pattern=$3 status=0
  shift 3
  python3 "$limit" "$seconds" "$@" >out.txt 2>&1 || status=$?
  [[ $status == "$wanted" ]] && grep -qE "$pattern" out.txt
}
limited 1 77 "" bash -c 'echo; exit 77'
check "the exit status is the command's" $?
limited 1 137 "" bash -c 'echo; kill -9 $$'
check "after signal 9: 137" $?
limited 1,600 124 "killed after [2-9] s of processor time" bash -c 'while :; do :; done & while :; do :; done'
check "two processes that compute are stopped by the sum of their processor time" $?
limited 1 124 "killed after 0 s .* ([5-9]|[1-9][0-9]+) s of wall time" bash -c 'sleep 4321 & sleep 4321; echo late'
check "a command that waits forever is stopped by wall time" $?
! pgrep -x -f 'sleep 4321' >/dev/null
check "none of its processes is left" $?
# The processor time of children that have ended counts, too.
limited 1,600 124 "killed after [2-9] s of processor time" bash -c \
  'while :; do timeout 0.3 bash -c "while :; do :; done"; done'
check "processes that have ended count" $?
finish
