#!/usr/bin/env bash
# clang-tidy over the C files of the host: all tracked ones of src, diamond, comm and io, by .clang-tidy.
#
#   bash tests/lint.sh BUILD [FILE...]
#
# BUILD        a build folder with compile_commands.json; it must have been built once, for generated/tor_version.h
# FILE         only these; default: all. With TORRE_LINT_FIX=1 includes are fixed in place (check the changes)
#
# Prints findings and `N files, no finding` or `N files, N with findings`; exit status 1 with findings, 77 without
# clang-tidy-19 (packages clang-tidy-19 and libomp-dev of Debian and Ubuntu).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=${1:?"bash tests/lint.sh BUILD [FILE...]"}
shift
[[ -s $build/compile_commands.json ]] || { echo "lint: no $build/compile_commands.json" && exit 1; }
tidy=$(command -v clang-tidy-19) || { echo "lint: clang-tidy-19 not found (package clang-tidy-19)" && exit 77; }

# gcc's omp.h is none for clang; that of any clang will do.
omp=$(find /usr/lib/llvm-*/lib/clang /usr/lib/clang -name omp.h 2>/dev/null | sort -V | tail -n 1)
[[ $omp ]] || { echo "lint: no omp.h of clang found (package libomp-dev)" && exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/include" && cp "$omp" "$work/include/"

if (($#)); then files=("$@"); else mapfile -t files < <(git ls-files 'src/*.c' 'diamond/*.c' 'comm/*.c' 'io/*.c'); fi
# What the build does not compile (another transport, a build without MPI) has no command.
mapfile -t files < <(for file in "${files[@]}"; do
  grep -q "\"file\": \".*/$file\"" "$build/compile_commands.json" && echo "$file" || echo "not in this build: $file" >&2
done)
options=(-p "$build" --quiet --extra-arg-before="-isystem$work/include" --extra-arg=-Wno-error
  "--extra-arg=-DCMPLX(x,y)=__builtin_complex((double)(x),(double)(y))") # glibc's complex.h has it for gcc alone
[[ ${TORRE_LINT_FIX:-} != 1 ]] || options+=(--fix --checks=-*,misc-include-cleaner)

export tidy work
check() { # file, options...
  local file=$1 name=${1//\//_}
  shift
  "$tidy" "$@" "$file" >"$work/$name.out" 2>"$work/$name.err" || {
    echo "$file" >>"$work/bad"
    cat "$work/$name.out"
    [[ -s $work/$name.out ]] || cat "$work/$name.err"
  }
}
export -f check
jobs=1
[[ ${TORRE_LINT_FIX:-} == 1 ]] || jobs=$(nproc)
printf '%s\0' "${files[@]}" | xargs -0 -P "$jobs" -I FILE bash -c 'check "$@"' check FILE "${options[@]}"

if [[ -s $work/bad ]]; then
  echo "${#files[@]} files, $(wc -l <"$work/bad") with findings" && exit 1
fi
echo "${#files[@]} files, no finding"
