#!/usr/bin/env bash
# All tests: installs missing packages, builds into build-tests/, runs ctest (which includes the black-box scripts of
# tests/system/), and a sanitizer pass over the unit tests and that of two ranks. The last line reads
# `N passed, N failed, N skipped`; exit status 1 when anything failed.
#
#   bash tests/run.sh [--no-install] [--sanitize | --no-sanitize] [--thread] [--mpich] [--clang] [--lint]
#                     [--batch] [--only REGEX]
#
# --no-install                packages are missing: print the apt line and end with exit status 2. Without it, the
#                             script asks before it installs where it runs on a terminal, and installs where it does not
# --sanitize, --no-sanitize   run the unit tests and that of two ranks once more under AddressSanitizer and UBSan:
#                             always, never (default: when the tests before it took less than 27 minutes)
# --thread                    the same under the thread sanitizer (clang and libomp; 10 minutes)
# --mpich                     run the tests of ranks and of HDF5 files once more with MPICH
# --clang                     build with clang and run the unit tests
# --lint                      clang-tidy over the C files (tests/lint.sh; minutes)
# --batch                     installs Slurm and Grid Engine, without which their tests are skipped, and has a skip of
#                             these be a failure
# --only REGEX                only tests whose name matches (scripts are named system/NAME); no sanitizer pass
#
# A system script prints lines that start with `ok` or `fail` and exits 0, 1 or 77 (skipped). It finds the program in
# $TORRE, the source in $TORRE_SOURCE, the build in $TORRE_BUILD, and starts in an empty folder of its own. lib.sh there
# is not a test.
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$top/build-tests
sanitize=auto thread=no mpich=no clang=no lint=no batch=no only=.
while (($#)); do
  case $1 in
    --sanitize) sanitize=yes ;;
    --no-sanitize) sanitize=no ;;
    --thread) thread=yes ;;
    --mpich) mpich=yes ;;
    --clang) clang=yes ;;
    --lint) lint=yes ;;
    --batch) batch=yes ;;
    --no-install) export TORRE_NO_INSTALL=1 ;;
    --only) only=${2:?--only needs a regular expression} sanitize=no && shift ;;
    *) sed -n '2,25s/^# \{0,1\}//p' "$0" >&2 && exit 2 ;;
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

# One ctest run; every test counts as one. Passes further arguments on. One test more than there are cores at a time:
# some wait for the disk or for a process they have started.
run_ctest() { # label, build folder, ctest arguments...
  local label=$1 folder=$2 log=$2/ctest.log before=$failed status=0 name verdict
  shift 2
  (cd "$folder" && ctest -j"$(($(nproc) + 1))" --output-on-failure --no-tests=ignore "$@" 2>&1 </dev/null) |
    tee "$log" || status=$?
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

compile() { # build folder, target, cmake arguments...
  local folder=$1 target=$2
  shift 2
  cmake -S "$top" -B "$folder" "$@" && cmake --build "$folder" --target "$target" -j"$(nproc)"
}

# Compiled sooner than with -O2 -g, and lines for reports. (line.c takes 130 s of processor time all the same.)
for_sanitizers=(-DCMAKE_BUILD_TYPE=RelWithDebInfo "-DCMAKE_C_FLAGS_RELWITHDEBINFO=-O1 -g1")

# shellcheck source=jobs/install.sh
source "$top/jobs/install.sh"
install_or_finish() { # packages...
  local status=0
  torre_install "$@" || status=$?
  ((status == 2)) && exit 2
  ((status == 0)) || { fail install && finish; }
}
install_or_finish "${TORRE_PACKAGES[@]}" "${TORRE_TEST_PACKAGES[@]}"
torre_install_optional "the tests of the Python package and the site" "${TORRE_PYTHON_PACKAGES[@]}" \
  "${TORRE_SITE_PACKAGES[@]}"
if [[ $batch == yes ]]; then
  install_or_finish "${TORRE_BATCH_PACKAGES[@]}"
  export TORRE_NEED_BATCH=1
fi

compile "$build" all -DTORRE_WERROR=ON || { fail build && finish; }
run_ctest ctest "$build" -R "$only" -LE notebooks

# Elapsed time, not processor time: the limit bounds the time that continuous integration has for all tests.
if [[ $sanitize == auto ]]; then
  if ((SECONDS < 1620)); then
    sanitize=yes
  else
    echo "skipped sanitize: the tests before it took $((SECONDS / 60)) minutes (--sanitize runs it all the same)"
    skipped=$((skipped + 1))
  fi
fi
if [[ $sanitize == yes ]]; then
  # gcc warns wrongly in sanitized code, so warnings are no errors here.
  if compile "$build/sanitize" torre_sanitized -DTORRE_SANITIZE=address,undefined "${for_sanitizers[@]}" \
    >"$build/sanitize.log" 2>&1; then
    run_ctest sanitize "$build/sanitize" -L unit
    TORRE_TEST_SEEDS=1 run_ctest "sanitize, ranks" "$build/sanitize" -R 'ranks_agree_2$'
  else
    tail -n 50 "$build/sanitize.log"
    fail "sanitize: build"
  fi
fi

# Races between our own threads; accesses within libraries without the sanitizer are not checked
# (tests/support/kinds.cmake). The tests race_0 and race_1 show that it recognises OpenMP's barriers, and a race.
if [[ $thread == yes ]]; then
  install_or_finish clang libomp-dev
  if CC=clang compile "$build/thread" torre_sanitized -DTORRE_SANITIZE=thread "${for_sanitizers[@]}" \
    >"$build/thread.log" 2>&1; then
    run_ctest thread "$build/thread" -L unit
    TORRE_TEST_SEEDS=1 run_ctest "thread, ranks" "$build/thread" -R ranks_agree_2
  else
    tail -n 50 "$build/thread.log"
    fail "thread: build"
  fi
fi

# Another MPI, and another compiler, without the CPU's build of the GPU kernels: these passes are about the host's code.
if [[ $mpich == yes ]]; then
  install_or_finish mpich libmpich-dev
  if compile "$build/mpich" all -DTORRE_GPU_ON_CPU=OFF -DMPI_C_COMPILER=mpicc.mpich \
    -DMPIEXEC_EXECUTABLE="$(command -v mpiexec.mpich)" \
    -DTORRE_MPIEXEC_FLAGS= >"$build/mpich.log" 2>&1; then
    TORRE_TEST_SEEDS=1 run_ctest mpich "$build/mpich" -R '^(ranks_agree|h5|message|decomposition)'
  else
    tail -n 50 "$build/mpich.log"
    fail "mpich: build"
  fi
fi
if [[ $clang == yes ]]; then
  install_or_finish clang libomp-dev
  if CC=clang compile "$build/clang" all -DTORRE_GPU_ON_CPU=OFF -DTORRE_WERROR=ON >"$build/clang.log" 2>&1; then
    run_ctest clang "$build/clang" -L unit
  else
    tail -n 50 "$build/clang.log"
    fail "clang: build"
  fi
fi
if [[ $lint == yes ]]; then
  install_or_finish clang-tidy-19 libomp-dev
  if bash "$top/tests/lint.sh" "$build"; then passed=$((passed + 1)); else fail lint; fi
fi
finish
