#!/usr/bin/env bash
# C, C++ and CUDA files are as clang-format 19.1 leaves them. Another version would format otherwise.
source "$TORRE_SOURCE/tests/system/lib.sh"
command -v clang-format-19 >/dev/null || { echo "needs clang-format-19" && exit 77; }
[[ $(clang-format-19 --version) == *" 19.1."* ]] || { echo "needs version 19.1 of clang-format-19" && exit 77; }
cd "$TORRE_SOURCE" || exit 1
find comm diamond io jobs src tests -regex '.*\.\(c\|h\|cpp\|cu\|cuh\)' | sort >"$OLDPWD/files"
[[ $(wc -l <"$OLDPWD/files") -gt 200 ]]
check "the tree's files are found" $?
xargs clang-format-19 --dry-run --Werror <"$OLDPWD/files"
check "all are formatted" $?
finish
