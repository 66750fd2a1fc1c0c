#!/usr/bin/env bash
# All tests: installs what is missing, builds into build-tests/, runs ctest, a sanitizer pass over the unit tests and that of two ranks, and
# the black-box scripts in tests/system/. The last line reads `N passed, N failed, N skipped`; exit status 1 when anything failed.
#
#   bash tests/run.sh [--sanitize | --no-sanitize] [--thread] [--only REGEX]
#
# --sanitize, --no-sanitize   run the unit tests and that of two ranks once more under AddressSanitizer and UBSan: always, never (default: when the
#                             tests before it took less than 18 minutes)
# --thread                    run the unit tests and that of two ranks once more under the thread sanitizer (clang and libomp; 10 minutes)
# --only REGEX                only ctest tests and system scripts whose name matches; no sanitizer pass
#
# A system script prints lines that start with `ok` or `fail` and exits 0, 1 or 77 (skipped). It finds the program in $TORRE, the
# source in $TORRE_SOURCE, the build in $TORRE_BUILD, and starts in an empty folder of its own. lib.sh there is not a test.
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$top/build-tests
sanitize=auto thread=no only=.
while (($#)); do
  case $1 in
    --sanitize) sanitize=yes ;;
    --no-sanitize) sanitize=no ;;
    --thread) thread=yes ;;
    --only) only=${2:?--only needs a regular expression} sanitize=no && shift ;;
    *) sed -n '2,14s/^# \{0,1\}//p' "$0" >&2 && exit 2 ;;
  esac
  shift
done

passed=0 failed=0 skipped=0 failures=()

finish() {
  ((passed + failed)) || fail "no test ran"
  ((${#failures[@]})) && printf 'FAILED: %s\n' "${failures[@]}"
  echo "$passed passed, $failed failed, $skipped skipped"
  ((failed == 0)) && exit 0 || exit 1
}

fail() { # what
  failed=$((failed + 1))
  failures+=("$1")
}

# One ctest run; every test counts as one. Passes further arguments on.
run_ctest() { # label, build folder, ctest arguments...
  local label=$1 folder=$2 log=$2/ctest.log before=$failed status=0 name verdict
  shift 2
  (cd "$folder" && ctest -j2 --output-on-failure --no-tests=ignore "$@" 2>&1 </dev/null) | tee "$log" || status=$?
  # Lines such as ` 3/12 Test  #3: name ......   Passed    0.01 sec`; names hold no blanks.
  while read -r name verdict; do
    case $verdict in
      Passed*) passed=$((passed + 1)) ;;
      '***Skipped'*) skipped=$((skipped + 1)) ;;
      *) fail "$label: $name" ;;
    esac
  done < <(sed -nE 's/^ *[0-9]+\/[0-9]+ Test +#[0-9]+: +([^ ]+) \.*[ .]*(.*)$/\1 \2/p' "$log")
  if ((status && failed == before)); then fail "$label: ctest ended with exit status $status"; fi
}

compile() { # build folder, cmake arguments...
  local folder=$1
  shift
  cmake -S "$top" -B "$folder" "$@" && cmake --build "$folder" -j"$(nproc)"
}

run_system() { # script
  local script=$1 name status=0 work log
  name=system/$(basename "$script" .sh)
  work=$build/system/$(basename "$script" .sh)
  log=$work.log
  rm -rf "$work" && mkdir -p "$work"
  (cd "$work" && XDG_CACHE_HOME=$work/cache TORRE=$build/torre TORRE_SOURCE=$top TORRE_BUILD=$build timeout -k 10 600 bash "$script" </dev/null) >"$log" 2>&1 ||
    status=$?
  if ((status == 77)); then
    skipped=$((skipped + 1))
    echo "skipped $name: $(tail -n 1 "$log")"
  elif ((status == 0)) && grep -q '^ok' "$log" && ! grep -qi '^\(fail\|not ok\)' "$log"; then
    passed=$((passed + 1))
    echo "passed  $name ($(grep -c '^ok' "$log") checks)"
  else
    fail "$name"
    echo "failed  $name (exit status $status)"
    sed 's/^/    /' "$log"
  fi
}

# shellcheck source=jobs/install.sh
source "$top/jobs/install.sh"
torre_install "${TORRE_PACKAGES[@]}" "${TORRE_TEST_PACKAGES[@]}" || { fail install && finish; }

compile "$build" -DTORRE_WERROR=ON || { fail build && finish; }
run_ctest ctest "$build" -R "$only"

for script in "$top"/tests/system/*.sh; do
  [[ -e $script && ${script##*/} != lib.sh && ${script##*/} =~ $only ]] || continue
  run_system "$script"
done

[[ $sanitize == auto ]] && ((SECONDS < 1080)) && sanitize=yes
if [[ $sanitize == yes ]]; then
  # gcc warns wrongly in sanitized code, so warnings are no errors here.
  if compile "$build/sanitize" -DTORRE_SANITIZE=address,undefined -DCMAKE_BUILD_TYPE=RelWithDebInfo >"$build/sanitize.log" 2>&1; then
    run_ctest sanitize "$build/sanitize" -L unit
    run_ctest "sanitize, ranks" "$build/sanitize" -R ranks_agree_2
  else
    tail -n 50 "$build/sanitize.log"
    fail "sanitize: build"
  fi
fi

# Races between our own threads; what libraries without the sanitizer do among themselves is not looked at (tests/CMakeLists.txt). The tests
# race_0 and race_1 show that it sees OpenMP's barriers, and a race.
if [[ $thread == yes ]]; then
  torre_install clang libomp-dev || { fail install && finish; }
  if CC=clang compile "$build/thread" -DTORRE_SANITIZE=thread -DCMAKE_BUILD_TYPE=RelWithDebInfo >"$build/thread.log" 2>&1; then
    run_ctest thread "$build/thread" -L unit
    TORRE_TEST_SEEDS=1 run_ctest "thread, ranks" "$build/thread" -R ranks_agree_2
  else
    tail -n 50 "$build/thread.log"
    fail "thread: build"
  fi
fi
finish
