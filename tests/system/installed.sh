#!/usr/bin/env bash
# cmake --install: program, jobs, documentation with links that lead somewhere, manual page, completion of bash.
source "$TORRE_SOURCE/tests/system/lib.sh"

cmake --install "$TORRE_BUILD" --prefix "$PWD/prefix" >out.txt
check "cmake --install" $?
PATH=$PWD/prefix/bin:$PATH share=$PWD/prefix/share
[[ $(command -v torre) == "$PWD/prefix/bin/torre" ]] && torre --version >out.txt
check "the program runs" $?
page=$(torre --version | sed -n 's/^  pages  *//p')
[[ $page == "$(realpath prefix)/share/doc/torre/docs/index.md" && -e ${page%index.md}user/how-do-i.md ]]
check "--version names the installed pages" $?
job_files() { (cd "$1" && find . -name '*.cfg' | sort); }
diff <(job_files "$TORRE_SOURCE/jobs") <(job_files "$share/torre/jobs") &&
  torre check "$share/torre/jobs/reference.cfg" >out.txt
check "all job files, the reference job with its table" $?
diff -r --exclude=site.sh "$TORRE_SOURCE/docs" "$share/doc/torre/docs"
check "all pages" $?
while read -r link; do
  [[ -e $share/doc/torre/docs/user/$link ]]
  check "the link $link" $?
done < <(grep -ho '](\.\./[^)#]*)' "$share"/doc/torre/docs/user/*.md | sed 's/](//; s/)//' | sort -u)

[[ $(find prefix/lib/python3/dist-packages/torre_fdtd -name '*.py' | wc -l) == $(
  find "$TORRE_SOURCE/src/python/torre_fdtd" -name '*.py' | wc -l) ]]
check "the package for Python" $?

page=$share/man/man1/torre.1
[[ $(grep -c '^\.SS torre ' "$page") == $(torre help | grep -cE '^  [a-z]+ ') ]]
check "the manual page has all commands" $?
if command -v groff >/dev/null; then
  groff -man -ww -Tascii -P-cbou "$page" >page.txt 2>warnings.txt && [[ ! -s warnings.txt ]] &&
    grep -qF -- '--restart  ' page.txt && grep -qF "torre run job.cfg --set grid.cell=2.5" page.txt
  check "without warnings, with options and examples" $?
fi

# completes WORDS...: what is offered for the last word.
completes() {
  COMP_WORDS=(torre "$@") COMP_CWORD=$# COMPREPLY=()
  _torre
  echo "${COMPREPLY[*]}"
}
# shellcheck source=/dev/null
source "$share/bash-completion/completions/torre"
touch one.cfg one.txt
[[ $(completes re) == reference && $(completes run --re) == --restart && $(completes plan --mach) == --machine ]]
check "completion of commands and options" $?
[[ $(completes check o) == one.cfg && $(completes modes o) == one.cfg && $(completes example sl) == slab &&
  $(completes keys gr) == grid && $(completes classic --com) == --compare ]]
check "completion of job files and names" $?
[[ $(completes help pl) == plan && $(completes materials TiO) == TiO2 && ! $(completes check --restart) ]]
check "completion of the help's commands, media, and no options of other commands" $?

# A program that does not run here (another CPU's) has no page, and the build does not fail.
printf '#!/bin/sh\nkill -ILL $$\n' >other && chmod +x other && touch other.1
cmake -DTORRE="$PWD/other" -DMAN="$PWD/other.1" -DBASH="$PWD/other.bash" \
  -P "$TORRE_SOURCE/src/help_files.cmake" >out.txt 2>&1 && grep -q 'no manual page and completion' out.txt &&
  [[ ! -e other.1 && ! -e other.bash ]]
check "a program for another CPU" $?
finish
