#!/usr/bin/env bash
# The GPU's tests: builds with CUDA into build-gpu/, compares the GPU engines with the CPU's on random slabs and on the
# repository's jobs, file by file, and checks the messages that a user gets when no GPU can be used. The last line reads
# `N ok, N failed, N skipped`.
# Exit status: 0 all passed, 1 something failed, 77 no CUDA compiler or no GPU here.
#
#   bash tests/gpu.sh [--prebuilt DIR] [--seeds N] [--only REGEX]
#   bash tests/gpu.sh --rates OLD NEW ...     compares the rates of two programs instead: tests/gpu/rates.sh
#
# --prebuilt DIR   build nothing: DIR has a build's torre and tests/test_gpu_*, made on another machine
#                  (-DTORRE_ARCH=portable)
# --seeds N        random slabs of each kind (default 2)
# --only REGEX     only steps whose name matches: messages, engines, window, reference, jobs, long, several, restart,
#                  faults, tune, bench
set -u
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$top/build-gpu prebuilt=0 seeds=2 only=.
[[ ${1:-} == --rates ]] && exec bash "$top/tests/gpu/rates.sh" "${@:2}"
while (($#)); do
  case $1 in
    --prebuilt) build=$(cd "${2:?--prebuilt needs a folder}" && pwd) && prebuilt=1 ;;
    --seeds) seeds=${2:?--seeds needs a number} ;;
    --only) only=${2:?--only needs a regular expression} ;;
    *) sed -n '2,11s/^# \{0,1\}//p' "$0" >&2 && exit 2 ;;
  esac
  shift 2
done

if ((!prebuilt)); then
  [[ -n ${CUDACXX:-} ]] || command -v nvcc >/dev/null || PATH=$PATH:/usr/local/cuda/bin
  if ! command -v "${CUDACXX:-nvcc}" >/dev/null; then
    echo "skipped: no CUDA compiler here (nvcc; its folder belongs in PATH, or its name in CUDACXX)"
    exit 77
  fi
  if ! { cmake -S "$top" -B "$build" -DTORRE_CUDA=ON &&
    cmake --build "$build" -j"$(nproc)" \
      --target torre test_gpu_engines_agree test_gpu_window_agrees test_gpu_walls_agree test_gpu_messages \
      gpu_rate; }; then
    echo "failed: build"
    exit 1
  fi
  cmake --build "$build" -j"$(nproc)" --target test_gpu_ranks_agree >/dev/null 2>&1 # where there is MPI
fi

# shellcheck source=tests/system/lib.sh
source "$top/tests/system/lib.sh"
TORRE=$build/torre
passed=0 skipped=0
check() { # name, status
  if [[ $2 == 0 ]]; then passed=$((passed + 1)); else failures=$((failures + 1)); fi
  [[ $2 == 0 ]] && echo "ok   $1" || echo "fail $1"
}
skip() { skipped=$((skipped + 1)) && echo "skip $1"; }
wanted() { [[ $1 =~ $only ]]; }
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
TORRE_SOURCE=$top
export XDG_CACHE_HOME=$work/cache

# One of the test programs, its output in a file of its own.
run_test() { # name, arguments...
  local name=$1 status
  shift
  "$build/tests/test_$name" "$@" >"$name.txt" 2>&1
  status=$?
  if ((status == 77)); then
    skip "$name: $(tail -n 1 "$name.txt")"
  else
    check "$name" $status
    ((status == 0)) || grep -A3 -iE '^fail|error' "$name.txt" | head -n 20
  fi
}

wanted messages && run_test gpu_messages
reference_job >reference.cfg # without what a build may lack
if ! "$TORRE" check reference.cfg --device gpu >here.txt 2>&1; then
  head -n 1 here.txt
  echo "skipped: no GPU here that can run Torre"
  exit $((failures ? 1 : 77))
fi
towers=0
"$TORRE" check reference.cfg --device gpu --engine diamond >here.txt 2>&1 && towers=1
((towers)) || skip "towers, window: $(head -n 1 here.txt)"

wanted engines && run_test gpu_engines_agree "$seeds"
wanted window && run_test gpu_window_agrees "$seeds"
wanted walls && run_test gpu_walls_agree 1 $((12 * seeds))

# run_job FOLDER JOB ARGUMENTS...
run_job() {
  local folder=$1 job=$2
  shift 2
  [[ $job == reference.cfg ]] || job=$top/jobs/$job
  "$TORRE" run "$job" -q --overwrite --out "$folder" "$@" >"$folder.txt" 2>&1
}
# compare_job NAME JOB ARGUMENTS...: the CPU's files and the GPU's, of the engine that it chooses.
compare_job() {
  local name=$1 job=$2
  shift 2
  run_job cpu "$job" --device cpu "$@" && run_job gpu "$job" --device gpu "$@" && same_results cpu gpu
  check "$name: the GPU's files are the CPU's" $?
  rm -rf cpu gpu
}

if wanted reference; then
  engines=(stepwise)
  ((towers)) && engines+=(diamond)
  for order in 2 4; do
    for precision in fp32 fp64; do
      set -- --set grid.order=$order --set grid.courant=0.5 --set grid.precision=$precision
      run_job cpu reference.cfg --device cpu "$@"
      check "reference, order $order, $precision on the CPU" $?
      for engine in "${engines[@]}"; do
        run_job gpu reference.cfg --device gpu --engine "$engine" "$@" && same_results cpu gpu
        check "reference, order $order, $precision: the GPU's $engine engine gives the same files" $?
      done
    done
  done
fi
if wanted jobs; then
  for job in slab drude-film gold-sphere dielectric-sphere; do compare_job "$job" $job/job.cfg; done
fi

# Twenty times as long: resident, and through a window.
if wanted long && ((towers)); then
  set -- --set 'grid.size=[4000.0,200.0,200.0]' --set run.decay=0 --device gpu
  run_job whole reference.cfg "$@" && run_job window reference.cfg "$@" --device-memory 0.06 --th 16 &&
    same_results whole window && grep -q 'a window of' window/run.log
  check "long reference job: the same files through a window" $?
fi

# Two GPUs of this machine, driven by one process: ranks along x and along y, resident and through windows.
if wanted several && ((towers)); then
  gpus=$(nvidia-smi -L 2>/dev/null | grep -c '^GPU')
  if ((gpus > 1)); then
    [[ -x $build/tests/test_gpu_ranks_agree ]] && run_test gpu_ranks_agree 1 32 2 both short 2
    [[ -x $build/tests/test_gpu_ranks_agree ]] && run_test gpu_ranks_agree 1 0 0 plane short 2
    set -- --set 'grid.size=[4000.0,200.0,200.0]' --set run.decay=0 --device gpu
    run_job whole reference.cfg "$@"
    for ranks in 1x2 2x1 1x3 3x1; do
      count=${ranks//[1x]/}
      ((count <= gpus)) || continue
      run_job some reference.cfg "$@" --devices "$count" --ranks $ranks && same_results whole some
      check "long reference job on $count GPUs, $ranks: the same files" $?
      run_job some reference.cfg "$@" --devices "$count" --ranks $ranks --device-memory 0.04 --th 16 &&
        same_results whole some && grep -q 'a window of' some/run.log
      check "long reference job on $count GPUs, $ranks, through windows: the same files" $?
    done
  else
    skip "several GPUs: nvidia-smi lists $gpus"
  fi
fi

# Stopped by a signal as soon as it has a checkpoint.
if wanted restart; then
  run_job whole reference.cfg --device gpu
  "$TORRE" run reference.cfg -q --device gpu --th 2 --set checkpoint.steps=50 --out parts >parts.txt 2>&1 &
  pid=$!
  while kill -0 $pid 2>/dev/null && [[ -z $(find parts/checkpoint -type f ! -name '*.part' 2>/dev/null) ]]; do
    sleep 0.05
  done
  kill -TERM $pid 2>/dev/null
  wait $pid
  status=$?
  "$TORRE" run reference.cfg -q --device gpu --restart --out parts >restart.txt 2>&1 &&
    [[ $status == 75 ]] && grep -q 'continues from the checkpoint' parts/run.log && same_results whole parts
  check "a run stopped by SIGTERM (status $status) and restarted gives the files of a whole one" $?
  "$TORRE" run reference.cfg -q --device gpu --out further --set run.time_fs=14 \
    --set checkpoint.keep=true >restart.txt 2>&1 &&
    "$TORRE" run reference.cfg -q --device gpu --restart --out further >restart.txt 2>&1 &&
    grep -q 'continues from the checkpoint' further/run.log && same_results whole further
  check "a run taken further gives the files of a whole one" $?
fi

if wanted faults; then
  CUDA_VISIBLE_DEVICES='' refuses "no device: status 2 and what to look at" 'CUDA_VISIBLE_DEVICES' \
    run "$top/jobs/slab/job.cfg" --device gpu --out no
  CUDA_VISIBLE_DEVICES='' run_job auto slab/job.cfg --device auto && grep -q 'threads' auto/run.log
  check "no device, device auto: the CPU runs the job" $?
  refuses "too little memory: status 2 and the bytes" 'schedule.device_memory: the job needs' \
    run reference.cfg --device gpu --device-memory 0.0001 --out no
  refuses "too little memory for the stepwise engine" 'only the diamond engine' run reference.cfg \
    --device gpu --engine stepwise --device-memory 0.001 --out no
fi

# A run reports that it uses the rates that torre tune measured; torre bench prints the window's rate beside the
# resident one.
if wanted tune; then
  "$TORRE" tune --device gpu --size 96,192,96 --seconds 0.05 >tune.txt 2>&1 && grep -q '^wrote ' tune.txt &&
    "$TORRE" plan "$top/jobs/slab/job.cfg" --device gpu |
    grep -q 'from the rates of torre tune'
  check "torre tune measures the GPU, a plan predicts with it" $?
  compare_job "slab, tuned" slab/job.cfg
fi
if wanted bench && ((towers)); then
  "$TORRE" bench --device gpu --features vacuum --size 96,192,96 --seconds 0.05 --out bench >bench.txt 2>&1 &&
    awk -F, '$1 == "window" && $13 > 0 { n++; moved += $16 > 0 } END { exit !(n == 4 && moved == 2) }' bench/bench.csv
  check "torre bench: orders 2 and 4 resident and through a window" $?
fi

echo "$passed ok, $failures failed, $skipped skipped"
finish
