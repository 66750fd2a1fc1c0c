#!/usr/bin/env bash
# Answers for programs: check --json and plan --json are one JSON object on stdout, with faults as without, and their
# messages are those of the plain commands.
source "$TORRE_SOURCE/tests/system/lib.sh"

cat >small.cfg <<'CFG'
format_version = 3;
grid = { size = [200.0, 200.0, 200.0]; cell = 10.0; };
boundaries = { default = "pec"; };
sources = ( { type = "electric_dipole"; name = "d"; position = [0.0, 0.0, 0.0]; axis = "z";
              time = { type = "pulse"; wavelength = 500.0; band = 200.0; }; } );
monitors = ( { type = "flux_box"; name = "o"; box = { lo = [-50.0, -50.0, -50.0]; hi = [50.0, 50.0, 50.0]; };
               wavelengths = [500.0]; } );
run = { time_fs = 1.0; tolerance = 1e9; };
CFG
cat >bad.cfg <<'CFG'
title = "a\x07b \"quoted\" \\";
grid = { size = [200.0, 200.0, 200.0];
  cell = "sm\"all, need \\ more"; ordr = 2; };
boundaries = { x_lo = "floquet"; };
monitors = ( { type = "port"; } );
CFG

# answer NAME STATUS EXPRESSION ARGUMENTS...: the exit status, valid JSON, nothing on stderr, and the expression of
# Python holds for the object `a`; f are its faults, w its warnings.
answer() {
  local name=$1 status=$2 expression=$3
  shift 3
  "$TORRE" "$@" >out.json 2>err.txt
  [[ $? == "$status" && ! -s err.txt ]] && python3 -c '
import json, sys
a = json.load(open("out.json", encoding="utf-8"))
f, w = a["faults"], a["warnings"]
for m in f + w + a["notes"]:
    assert set(m) == {"message", "file", "line", "key", "found", "needed"}, m
assert a["status"] == int(sys.argv[2]) and (a["verdict"] is None) == bool(f)
assert eval("(" + sys.argv[1] + ")"), (sys.argv[1], a)' "$expression" "$status"
  check "$name" $?
}

for command in check plan; do
  answer "$command: a job that fits" 0 'a["command"] == "'$command'" and a["verdict"]["fits"] is True and
    a["sizes"]["cells"] == [20, 20, 20] and a["sizes"]["memory_bytes"]["total"] > 1e5 and
    a["verdict"]["seconds"] > 0 and a["schedule"]["device"] == "cpu"' $command small.cfg --device cpu --json
  answer "$command: a job that does not fit" 0 'a["verdict"]["fits"] is False and
    a["verdict"]["needed_bytes"] > a["verdict"]["available_bytes"]' $command small.cfg --device cpu --json \
    --set 'grid.size=[200000.0,200000.0,200000.0]'
  answer "$command: faults with their parts" 2 'any(m["line"] == 3 and m["key"] == "grid.cell" and
    m["file"] == "bad.cfg" and m["needed"].startswith("a number in nm") and
    "sm" in m["found"] for m in f) and
    any(m["key"] == "monitors[0].type" and m["found"] == "\"port\"" and m["line"] == 5 for m in f) and
    any(m["key"] == "grid.ordr" and m["found"] is None for m in f)' $command bad.cfg --json
done
"$TORRE" check bad.cfg 2>plain.txt
python3 -c 'import json
print("\n".join(m["message"] for m in json.load(open("out.json"))["faults"]))' >messages.txt
diff messages.txt <(grep -v '^torre: ' plain.txt)
check "the messages are those without --json" $?

answer "an override: no file, its key" 2 'f[0]["file"] is None and f[0]["key"] == "grid.cell" and
  f[0]["found"] == "-3" and len(f) == 1' check small.cfg --json --set grid.cell=-3
answer "a fault of the model: file, line, key" 2 'f[0]["key"] == "grid.courant" and f[0]["line"] == 2 and
  f[0]["file"] == "small.cfg" and f[0]["found"].startswith("0.9")' check small.cfg --json \
  --set 'media=({name="m";poles=({type="drude";plasma_eV=300.0;gamma_eV=0.1;});})' \
  --set 'background="m"' --set 'monitors=()'
answer "a missing file" 2 'f[0]["file"] == "none.cfg" and f[0]["line"] is None and f[0]["key"] is None' \
  check none.cfg --json
answer "a warning of a monitor: file, line, key, needed" 0 'any(m["key"] == "monitors[0]" and m["line"] == 6 and
  m["file"] == "small.cfg" and "wider band" in m["needed"] for m in w)' check small.cfg --json \
  --set 'monitors[0].wavelengths=[150.0]'
answer "a note: its place, too" 0 'any(m["key"] == "monitors[0]" and m["line"] == 6 and m["file"] == "small.cfg" and
  "moved to the grid" in m["message"] for m in a["notes"])' check small.cfg --json \
  --set 'monitors[0].box.lo=[-53.0,-53.0,-53.0]'
answer "plan: fewer ranks would be faster, a note" 0 'any("threads would take" in m["message"] for m in a["notes"]) and
  a["schedule"]["device"] == "cpu"' plan small.cfg --json --device cpu --ranks 2x2
refuses "--json with --machine" "json" plan small.cfg --json --machine "$TORRE_SOURCE/jobs/machines/laptop.cfg"
refuses "--json with run" "json belongs to" run small.cfg --json

# --- Progress of a run ---
"$TORRE" run small.cfg --progress=json --th 1 --out r --set run.time_fs=30.0 \
  --set 'monitors=({type="energy";every=10;})' >out.txt 2>err.txt
check "run --progress=json" $?
python3 -c '
import json
lines = [json.loads(line) for line in open("err.txt")]
names = ["step", "steps", "energy_J", "energy_of_max", "cell_updates_per_second", "seconds", "seconds_left"]
assert len(lines) >= 2 and all(list(l) == names for l in lines), lines
first, last = lines[0], lines[-1]
assert len(lines) <= last["seconds"] + 2.5, lines
assert first["step"] == 0 and first["energy_J"] is None and first["seconds_left"] is None
assert last["step"] == last["steps"] > 1000 and last["seconds_left"] == 0
assert last["energy_J"] > 0 and 0 < last["energy_of_max"] <= 1 and last["cell_updates_per_second"] > 0'
check "each line is JSON; the first has step 0, the last has all steps and an energy" $?
! grep -q '%\|steps done' out.txt && grep -q 'wrote r/' out.txt
check "stdout has the log and no other progress" $?
"$TORRE" run small.cfg -q --progress=json --out q 2>err.txt >out.txt && [[ $(wc -l <err.txt) -ge 2 ]] &&
  ! grep -q 'wrote' out.txt
check "quiet leaves the lines of JSON" $?
refuses "a form of progress that there is not" "need json or text" run small.cfg --progress=xml
finish
