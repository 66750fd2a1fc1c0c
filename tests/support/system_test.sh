#!/usr/bin/env bash
# One script of tests/system as ctest runs it: system_test.sh NAME. The script starts in an empty folder of its own,
# $TORRE_BUILD/system/NAME. Exit status 0 only if it ended with 0, printed at least one line that starts with `ok` and
# none that starts with `fail`; 77: skipped; else 1.
set -u
name=${1:?name of a script in tests/system}
work=$TORRE_BUILD/system/$name
log=$work.log
rm -rf "$work" && mkdir -p "$work" && cd "$work" || exit 1
XDG_CACHE_HOME=$work/cache bash "$TORRE_SOURCE/tests/system/$name.sh" </dev/null >"$log" 2>&1
status=$?
cat "$log"
((status == 77)) && exit 77
if ((status)) || ! grep -q '^ok' "$log" || grep -qi '^\(fail\|not ok\)' "$log"; then
  echo "$name: exit status $status, $(grep -c '^ok' "$log") checks passed"
  exit 1
fi
