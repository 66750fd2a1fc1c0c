#!/usr/bin/env bash
# A CPU that lacks what the program was built for: a message and status 1 before anything else, not SIGILL.
source "$TORRE_SOURCE/tests/system/lib.sh"

built=$("$TORRE" --version | sed -n 's/^  compiler .*, for //p')
"$TORRE" --version >out.txt
check "it runs on this CPU, built for $built" $?
[[ $(uname -m) == x86_64 ]] || exit 77

# What this build needs, by the names of the message.
needs=$(TORRE_TEST_CPU_LACKS="SSE4.2 POPCNT AVX AVX2 FMA BMI1 BMI2 AVX-512F AVX-512CD AVX-512BW AVX-512DQ AVX-512VL \
AVX-512VBMI AVX-512VNNI" "$TORRE" --version 2>&1 >out.txt | sed -n 's/.*built for CPUs with \(.*\), which.*/\1/p')
if [[ $built == native || $built == portable ]]; then
  [[ " $needs " == *" AVX2 FMA "* || $built == native ]]
  check "the build needs: $needs" $?
fi
[[ $needs ]] || { echo "ok   this build needs no set of instructions" && finish; }

# lacks NAME ARGUMENTS...: status 1, one line on stderr, nothing on stdout.
lacks() {
  local name=$1
  shift
  TORRE_TEST_CPU_LACKS=${needs##* } "$TORRE" "$@" >out.txt 2>err.txt
  [[ $? == 1 && ! -s out.txt && $(wc -l <err.txt) == 1 ]] &&
    grep -qF "built for CPUs with ${needs##* }, which this one lacks; need a build" err.txt
  check "$name" $?
}
lacks "no command"
lacks "--version" --version
lacks "a run, which makes no folder" run "$TORRE_SOURCE/jobs/slab/job.cfg" --out r
[[ ! -e r ]]
check "nothing was made" $?
TORRE_TEST_CPU_LACKS="AVX-2048 nothing" "$TORRE" --version >out.txt
check "names of other sets are no fault" $?

# The check's own code is for the first x86-64: no register of 256 bits or more.
object=$(find "$TORRE_BUILD" -path '*torre.dir*' -name 'cpu_check.c.o' | head -1)
if command -v objdump >/dev/null && [[ $object ]]; then
  objdump -d "$object" >code.txt && grep -q 'tor_cpu_check' code.txt && ! grep -qE '[yz]mm[0-9]' code.txt
  check "the check itself runs on any x86-64" $?
fi
finish
