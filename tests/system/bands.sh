#!/usr/bin/env bash
# torre bands: the ready job's bands at the corners of its path against plane waves; a part of it in 3-D with a light
# line; a command that is interrupted and continues; jobs without bands and with wrong paths are refused.
source "$TORRE_SOURCE/tests/system/lib.sh"
job=$TORRE_SOURCE/jobs/crystal-bands/job.cfg
if ! "$TORRE" --version | grep -q 'resonances by LAPACK'; then
  "$TORRE" bands "$job" --out any >out.txt 2>&1
  [[ $? == 2 ]] && grep -q LAPACK out.txt
  check "a build without LAPACK reports it" $?
  finish
fi

short=(--set bands.points=0 --threads 1)
"$TORRE" bands "$job" "${short[@]}" --out square >out.txt 2>err.txt && [[ ! -s err.txt ]]
check "corners of the square lattice" $?
python3 - <<'END'
import csv, json, math
exact = {(0, 0): [None, .5823, .6279, .6279], (.5, 0): [.27471, .44253, .6360], (.5, .5): [.32240, .54886, .54886]}
at = {}
for r in csv.DictReader(open("square/bands.csv")):
    at.setdefault((float(r["k_x"]), float(r["k_y"])), {})[float(r["distance"]), int(r["band"])] = r
assert set(at) == set(exact), at
for k, wanted in exact.items():
    for d in {d for d, _ in at[k]}:
        for n, f in enumerate(wanted, 1):
            if f is None:
                assert (d, n) not in at[k]
                continue
            row = at[k][d, n]
            assert abs(float(row["frequency"]) / f - 1) < 5e-3, (k, n, row)
            assert int(row["multiplicity"]) == wanted.count(f) and float(row["frequency_error"]) < 1e-6, (k, n, row)
            assert abs(float(row["wavelength_nm"]) * float(row["frequency"]) / 500 - 1) < 1e-6
gap, = [g for g in json.load(open("square/study.json"))["gaps"] if g["below"] == 1]
assert abs(gap["from"] / .3224 - 1) < 5e-3 and abs(gap["to"] / .4425 - 1) < 5e-3, gap
END
check "within 0.5 % of plane waves: bands, how often each occurs, the gap" $?
[[ $(h5dump -a /frequency/axes square/bands.h5) == *'"distance band"'* ]]
check "bands.h5" $?
! has_pictures || [[ -s square/bands.png && -s square/bands.svg ]]
check "pictures" $?

mv square/bands.csv first.csv
rm -r square/k_0.5_0.5_run_2
before=$(stat -c %Y square/k_0.5_0_run_1/run.json)
"$TORRE" bands "$job" "${short[@]}" --out square >out.txt 2>&1 && cmp first.csv square/bands.csv &&
  [[ $(stat -c %Y square/k_0.5_0_run_1/run.json) == "$before" ]]
check "the same command runs what is missing, and nothing else" $?

# The guided modes of a uniform slab at k, even: half of it, index 3.4, thickness 200 nm, before a magnetic wall.
cat >slab.cfg <<'END'
grid = { size = [300.0, 1500.0]; cell = 25.0; polarisation = "TM"; precision = "fp64"; };
boundaries = { x_lo = "bloch"; x_hi = "bloch"; y_lo = "pmc"; y_hi = "cpml"; };
media = ( { name = "core"; index = 3.4; } );
objects = ( { type = "layer"; axis = "y"; medium = "core"; hi = -650.0; } );
bands = { path = [[0.35, 0.0], [0.5, 0.0]]; points = 1; frequencies = { from = 0.1; to = 0.3; }; runs = 1; };
run = { time_fs = 100.0; };
END
"$TORRE" bands slab.cfg --threads 1 >out.txt 2>err.txt && [[ ! -s err.txt ]]
check "a slab" $?
python3 - <<'END'
import csv, math
a, n, d = 300.0, 3.4, 200.0
def exact(k):  # the first even mode with E along the slab: q tan(q d / 2) = p
    def f(w):
        q, p = math.sqrt((n * w)**2 - k * k), math.sqrt(k * k - w * w)
        return q * math.sin(math.pi * q * d / a) - p * math.cos(math.pi * q * d / a)
    lo, hi = k / n * (1 + 1e-12), min(k, math.hypot(k, .5 * a / d) / n) * (1 - 1e-12)
    for _ in range(80):
        mid = .5 * (lo + hi)
        lo, hi = (mid, hi) if f(mid) < 0 else (lo, mid)
    return lo
rows = [r for r in csv.DictReader(open("results/slab-bands/bands.csv")) if r["band"] == "1"]
assert len(rows) == 3, rows
for r in rows:
    k, f = float(r["k_x"]), float(r["frequency"])
    slope = (exact(k + 1e-5) - exact(k - 1e-5)) / 2e-5
    assert abs(f / exact(k) - 1) < 1.5e-2, (k, f, exact(k))
    assert abs(float(r["light_line"]) - k) < 1e-9 and f < k and float(r["Q"]) > 1e4, r
    assert abs(float(r["group_velocity"]) / slope - 1) < 0.05, (r["group_velocity"], slope)
END
check "its guided mode, light line and group velocity against theory" $?

refuses() { # name, pattern, arguments...
  "$TORRE" bands "${@:3}" --out bad >out.txt 2>&1
  [[ $? == 2 && ! -e bad ]] && grep -qF -- "$2" out.txt
  check "$1" $?
}
refuses "a job without bands" 'bands: missing, need the group bands' "$TORRE_SOURCE/jobs/slab/job.cfg"
refuses "a corner without a name" 'need a list of "Gamma", "X"' "$job" --set 'bands.path=["Gamma","Q"]'
refuses "a corner twice" 'corners 1 and 2 are one' "$job" --set 'bands.path=["M","S"]'
refuses "walls without a phase" 'where the walls are not "bloch"' "$job" --set boundaries.default=periodic
refuses "a symmetry" 'half of the cell with a wall "pmc"' slab.cfg --set boundaries.y_lo=cpml \
  --set symmetry.y=even
refuses "walls that are not periodic" 'no axis is periodic' "$job" --set boundaries.default=pec
refuses "a range that is none" 'need more than from = 0.1' "$job" --set bands.frequencies.to=0.05
finish
