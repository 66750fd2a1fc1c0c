#!/usr/bin/env bash
# Any bytes as a job file and as a checkpoint, under clang's libFuzzer with the address and undefined-behaviour
# sanitizers.
#
#   bash tests/system/fuzz.sh [SECONDS]     for each of the two (default 10)
#
# The corpora in tests/fuzz/ are the seeds and the smallest set of inputs found by an hour's fuzzing that reaches every
# edge:
# fuzz_NAME -merge=1 -set_cover_merge=1 -use_counters=0 NEW FOUND.
source "$TORRE_SOURCE/tests/system/lib.sh"
seconds=${1:-10}

clang=$(command -v clang-14 || command -v clang) || { echo "no clang here" && exit 77; }
cat >try.c <<'END'
int LLVMFuzzerTestOneInput(const unsigned char *d, unsigned long n);
int LLVMFuzzerTestOneInput(const unsigned char *d, unsigned long n) { (void)d, (void)n; return 0; }
END
"$clang" -fsanitize=fuzzer,address,undefined -fopenmp try.c -o try 2>/dev/null ||
  { echo "clang here has no libFuzzer or no OpenMP" && exit 77; }
# Inside the tests' build, so that it is built once; optimised code would take longer to compile than the inputs take.
build=${TORRE_BUILD:-$PWD}/fuzz
{ CC=$clang cmake -S "$TORRE_SOURCE" -B "$build" -DTORRE_FUZZ=ON -DTORRE_SANITIZE=fuzzer-no-link,address,undefined \
  -DCMAKE_BUILD_TYPE=RelWithDebInfo "-DCMAKE_C_FLAGS_RELWITHDEBINFO=-O0 -g1" &&
  cmake --build "$build" -j2 --target fuzz_job fuzz_checkpoint; } >build.txt 2>&1 || { tail -5 build.txt &&
  echo "fail the fuzzers are built" && exit 1; }
export LSAN_OPTIONS=suppressions=$TORRE_SOURCE/tests/support/leaks.supp:print_suppressions=0
# Keys, words and numbers that the job fuzzer may insert.
{ grep -oE '[A-Za-z_][A-Za-z_0-9]*' "$TORRE_SOURCE/jobs/reference.cfg" | sort -u &&
  printf '%s\n' nan inf -1 1e308 1e-308 2147483648 9223372036854775807L 0x7fffffff @include; } |
  sed 's/.*/"&"/' >keys.dict
for name in job checkpoint; do
  mkdir -p "$name" && cp "$TORRE_SOURCE"/jobs/reference_* "$name"
  words=()
  [[ $name == job ]] && words=(-dict=../keys.dict)
  (cd "$name" && mkdir -p new && "$build/tests/fuzz_$name" new "$TORRE_SOURCE/tests/fuzz/corpus_$name" \
    -max_total_time="$seconds" -max_len=16384 -timeout=20 -rss_limit_mb=2048 -print_final_stats=1 \
    "${words[@]}") >"$name.txt" 2>&1
  status=$?
  inputs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$name.txt")
  check "$name: $inputs inputs in $seconds s, none of them a crash, a leak or a hang" $status
  [[ $status == 0 ]] || grep -E "ERROR|SUMMARY|runtime error|#[0-9] " "$name.txt" | head -12
done
finish
