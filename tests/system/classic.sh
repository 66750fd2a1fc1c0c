#!/usr/bin/env bash
# torre classic: one engine, all of them on one problem, every figure in a small size, wrong options. The kernels:
# tests/gpu/classic.c.
source "$TORRE_SOURCE/tests/system/lib.sh"

"$TORRE" classic --compare 16,12,20 --device cpu --seconds 0.01 --threads 2 --out c >c.txt 2>err.txt &&
  [[ ! -s err.txt && $(grep -c ' equal$' c.txt) == 12 ]] && grep -q '^towers, order 4 .*fp64' c.txt &&
  [[ $(wc -l <c/compare.csv) == 13 ]]
check "--compare: loops, stepwise and towers in both precisions have the same bits" $?
"$TORRE" classic --engine naive --cells 31,20 --case te --device cpu --seconds 0.01 --out e --json >e.json &&
  python3 -c 'import json; a = json.load(open("e.json")); r = a["rows"][0]
assert r["engine"] == "naive" and r["cells"] == [31, 20, 0] and r["case"] == "te" and r["equal"] is True, a
assert a["status"] == 0 and r["bytes_least"] == 36 and r["cells_per_s"] > 0'
check "--engine: a row as JSON" $?

"$TORRE" classic --figure list >list.txt && [[ $(wc -l <list.txt) == 33 ]]
check "--figure list names them" $?
failed=0
for figure in $(cut -d' ' -f1 list.txt); do
  "$TORRE" classic --figure "$figure" --small --device cpu --seconds 0.001 --threads 1 --out f >f.txt 2>&1 &&
    [[ $(wc -l <"f/$figure.csv") -gt 1 ]] && { ! has_pictures || [[ -s f/$figure.png && -s f/$figure.svg ]]; } || {
    echo "     $figure" && tail -n 3 f.txt
    failed=1
  }
done
check "every figure is made, in a small size, by the loops" $failed

wrong() { # name, pattern, arguments
  local name=$1 pattern=$2
  shift 2
  "$TORRE" classic "$@" --out w >out.txt 2>&1
  [[ $? == 2 && ! -e w ]] && grep -qE -- "$pattern" out.txt
  check "$name" $?
}
wrong "nothing to do" 'need one of --engine, --compare, --figure'
wrong "an unknown figure" '--figure: got "fig9", need a name' --figure fig9
wrong "an engine that needs a GPU" '--engine giraud-3 needs a GPU: --device cpu' --engine giraud-3 --device cpu
wrong "an engine on another's case" 'demir-xy does not advance this case' --engine demir-xy --case tm --device cpu
"$TORRE" classic --engine giraud-7 --cells 3 --block 0 --variant x --precision fp16 >out.txt 2>&1
[[ $? == 2 && $(grep -cE '^--(engine|cells|block|variant|precision): got' out.txt) == 5 ]]
check "all faults at once" $?
finish
