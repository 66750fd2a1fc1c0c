#!/usr/bin/env bash
# torre study smatrix: a ready job's scattering matrix: energy, reciprocity, files against each other and against the
# runs; the command again; jobs without ports and with wrong ones are refused.
source "$TORRE_SOURCE/tests/system/lib.sh"
job=$TORRE_SOURCE/jobs/two-ports/job.cfg
if ! "$TORRE" modes "$TORRE_SOURCE/jobs/silicon-wire/job.cfg" --set modes.count=1 --set 'modes.wavelengths=[1550.0]' \
  --set 'modes.box={lo=[0.0,-300.0,-264.0];hi=[0.0,300.0,264.0];}' --out any >out.txt 2>&1; then
  grep -q 'built without ARPACK' out.txt
  check "a build without ARPACK and SuperLU reports it" $?
  finish
fi

coarse=(--set grid.cell=50.0 --set monitors[0].wavelengths.count=3 --set monitors[1].wavelengths.count=3)
"$TORRE" study smatrix "$job" "${coarse[@]}" --out all -q >table.txt 2>err.txt && [[ ! -s err.txt ]]
check "the matrix of two ports" $?
python3 - <<'END'
import cmath, csv, json, math
def waves(run, port):
    rows = list(csv.DictReader(open(f"all/port-{run}/port_{port}_modes.csv")))
    a = [[math.sqrt(float(r[f"{d}_J_per_Hz_m"])) * cmath.exp(1j * float(r[f"{d}_phase_rad"])) for r in rows]
         for d in ("forward", "backward")]
    return a if port == "left" else a[::-1]  # entering, leaving
rows = list(csv.DictReader(open("all/smatrix.csv")))
assert len(rows) == 12, rows
s = {(float(r["wavelength_nm"]), int(r["to"]), int(r["from"])): complex(float(r["re"]), float(r["im"])) for r in rows}
for q, nm in enumerate((1300.0, 1400.0, 1500.0)):
    for j in (1, 2):
        total = sum(abs(s[nm, i, j]) ** 2 for i in (1, 2))
        assert abs(total - 1) < 1e-5, (nm, j, total)
        for i, port in ((1, "left"), (2, "right")):  # leaving = S entering, in each run
            left = sum(s[nm, i, k] * waves(j, p)[0][q] for k, p in ((1, "left"), (2, "right")))
            assert abs(left / waves(j, port)[1][q] - 1) < 1e-8, (nm, i, j)
    assert abs(s[nm, 1, 2] - s[nm, 2, 1]) < 1e-5 and 0.2 < abs(s[nm, 1, 1]) ** 2 < 0.4, nm
lines = [l.split() for l in open("all/smatrix.s2p") if l[0] not in "!#"]
for nm, line in zip((1500.0, 1400.0, 1300.0), lines):
    v = list(map(float, line))
    assert abs(v[0] * nm / 299792458 - 1) < 1e-9
    for k, place in enumerate(((1, 1), (2, 1), (1, 2), (2, 2))):
        assert abs(complex(v[1 + 2 * k], -v[2 + 2 * k]) - s[(nm, *place)]) < 1e-10
assert len(lines) == 3 and len(json.load(open("all/study.json"))["sums"]) == 6
END
check "energy, reciprocity, the runs' amplitudes, Touchstone" $?
[[ $(h5dump -a /s/axes all/smatrix.h5) == *'"wavelength to from part"'* ]]
check "smatrix.h5" $?
before=$(stat -c %Y all/port-1/run.json)
"$TORRE" study smatrix "$job" "${coarse[@]}" --out all -q >again.txt 2>err.txt &&
  [[ $(stat -c %Y all/port-1/run.json) == "$before" ]] && diff <(grep ' nm ' table.txt) <(grep ' nm ' again.txt)
check "the same command again repeats no run" $?

refuses() { # name, pattern, arguments...
  "$TORRE" study smatrix "${@:3}" --out bad >out.txt 2>&1
  [[ $? == 2 && ! -e bad ]] && grep -qF -- "$2" out.txt
  check "$1" $?
}
refuses "a job without ports" 'no port, need monitors of type "mode"' "$TORRE_SOURCE/jobs/waveguide/job.cfg"
refuses "a source that is none" 'no source is called "lefty"' "$job" --set 'monitors[0].source="lefty"'
refuses "the same port twice" '1 is the port of "port_left"' "$job" --set monitors[1].port=1
refuses "a direction along the plane" 'not across the plane, need "-x" or "+x"' "$job" --set 'monitors[0].into="+y"'
refuses "a mode that is not solved for" 'mode 1 of 1' "$job" --set monitors[0].port_mode=1
refuses "other wavelengths" 'port 2 has other wavelengths' "$job" --set monitors[1].wavelengths.count=4
refuses "options of rates" 'belong to studies of rates' "$job" --points 1,2
finish
