#!/usr/bin/env bash
# torre help: each command has its own help with an example, whose options the command takes, and lists those alone.
source "$TORRE_SOURCE/tests/system/lib.sh"

"$TORRE" help >list.txt && "$TORRE" --help | cmp -s - list.txt
check "help is --help" $?
awk 'length > 79 { exit 1 }' list.txt && [[ $(tail -c 1 list.txt | wc -l) == 1 ]]
check "the list fits 79 columns and ends its last line" $?
mapfile -t commands < <(sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' list.txt)
[[ " ${commands[*]} " == *" run check plan "*" help "* ]]
check "the list names the commands" $?

for command in "${commands[@]}"; do
  "$TORRE" help "$command" >help.txt 2>err.txt && "$TORRE" "$command" --help | cmp -s - help.txt &&
    [[ ! -s err.txt ]] && grep -q "^Usage: torre $command" help.txt &&
    grep -qE "^  (mpirun -n 4 )?torre $command" help.txt
  check "help $command, with an example" $?
done

shows() { # command, option, 0: it shows it, 1: it does not
  "$TORRE" help "$1" | grep -qE -- "^  .* --$2[ =]"
  [[ $? == "$3" ]]
  check "help $1 $([[ $3 == 0 ]] && echo has || echo "does not have") --$2" $?
}
shows run restart 0
shows run set 0
shows run machine 1
shows run features 1
shows check restart 1
shows plan machine 0
shows bench features 0
shows bench ranks 1
shows materials wavelengths 0
shows materials threads 1
shows fit poles 0
shows tune size 0
shows example out 0
shows reference overwrite 0
shows keys json 0
shows scaling weak-x 0
shows modes set 0
shows classic compare 0

job=$TORRE_SOURCE/jobs/slab/job.cfg
refuses "help of an unknown command" 'no command "ran": need run, check,.* or help' help ran
refuses "an unknown command" 'unknown command "ran": need run, check,.* or help' ran "$job"
refuses "no command" 'need a command: run, check,.* or help'
refuses "an option of another command" 'torre bench: --restart belongs to run' bench --restart
refuses "an option of two other commands" '--size belongs to bench, tune' run "$job" --size 8,8,8
refuses "an unknown option names the help" 'torre run --help' run "$job" --steps 3
refuses "two job files" 'unexpected argument "b.cfg"' check a.cfg b.cfg
"$TORRE" check "$job" --overwrite --max-time 1:00:00 >out.txt && grep -q 'no faults' out.txt
check "check takes options of run" $?
"$TORRE" --set run.decay=1e-3 check "$job" >out.txt && grep -q 'no faults' out.txt
check "options may come before the command" $?
finish
