#!/usr/bin/env bash
# torre --version: what the program was built from and with, each once, and as the build says.
source "$TORRE_SOURCE/tests/system/lib.sh"
"$TORRE" --version >version.txt
check "torre --version" $?
: >libz.so.1 # what the present folder has is not loaded
"$TORRE" --version >version.txt
check "no library of the present folder is loaded" $?
rm libz.so.1

once() { # what, regular expression
  [[ $(grep -oE -- "$2" version.txt | wc -l) == 1 ]]
  check "$1 once" $?
}
number='[0-9]+(\.[0-9]+)+'
once "its own version" "^torre $number\$"
once "the source" '^ +source +([0-9a-f]{12}(-dirty)?|unknown)$'
once "the compiler with its version" "^ +compiler +(GNU|Clang|[A-Za-z]+) $number, "
once "the compiler's flags" '^ +flags +.*-ffp-contract=off'
once "HDF5, and of which kind" "HDF5 $number \((serial|parallel)\)"
once "libconfig" "libconfig $number"
once "MPI, or none" "MPI: (standard $number|none)(,|\$)"
once "CUDA, or none" "CUDA: ($number|none)(,|\$)"
once "the pages beside it, or none" '^ +pages +(/.*/docs/index.md|none beside this program)$'
once "cairo, or none" "^ +pictures +(by cairo $number|none)"

cached() { sed -n "s/^$1:[A-Z]*=//p" "$TORRE_BUILD/CMakeCache.txt"; }
for library in hdf5 hdf5p libconfig; do # libconfig's pkg-config file gives 1.5, its header 1.5.0
  version=$(cached "${library}_VERSION")
  [[ ! $version ]] || grep -qiE "${library%p} ${version//./\\.}(\.0)?( \(|,|$)" version.txt
  check "$library is the one that CMake found${version:+, $version}" $?
done
flags=$(cached "CMAKE_C_FLAGS_$(cached CMAKE_BUILD_TYPE | tr '[:lower:]' '[:upper:]')")
grep -q -- "^ *flags .*${flags}" version.txt
check "the flags are those of the build: $flags" $?
finish
