#!/usr/bin/env bash
# torre study ensemble: means over places and directions against the runs made by hand and against dipoles of several
# phases at once; killed, stopped, side by side and on two ranks it has the same files; mistakes are refused together.
source "$TORRE_SOURCE/tests/system/lib.sh"

cat >film.cfg <<'END'
grid = { size = [1600.0, 1200.0]; cell = 20.0; polarisation = "TM"; precision = "fp64"; };
boundaries = { cpml = { cells = 10; }; };
media = ( { name = "film"; index = 1.7; } );
objects = ( { type = "rectangle"; medium = "film"; size = [900.0, 300.0]; } );
sources = ( { type = "line_current"; name = "spot"; position = [0.0, 0.0];
              time = { type = "pulse"; wavelength = 600.0; band = 200.0; zero_mean = true; }; } );
monitors = ( { type = "decay_rate"; name = "rate"; wavelengths = [550.0, 650.0]; },
             { type = "flux"; name = "up"; wavelengths = [550.0, 650.0];
               box = { lo = [-600.0, 400.0]; hi = [600.0, 400.0]; }; },
             { type = "far_field"; name = "far"; wavelengths = [600.0]; step_deg = 30.0;
               box = { lo = [-600.0, -400.0]; hi = [600.0, 400.0]; }; } );
ensemble = { box = { lo = [-400.0, -100.0]; hi = [400.0, 100.0]; }; count = [2, 2]; };
run = { time_fs = 100.0; tolerance = 1e9; };
END
study() { "$TORRE" study ensemble film.cfg --threads 1 "$@"; }
files=(spectra.csv far_far.csv spectra_far.csv)
same() { for file in "${files[@]}"; do cmp "whole/$file" "$1/$file" || return 1; done; }

study --out whole --jobs 1 >whole.txt 2>err.txt &&
  [[ ! -s err.txt && $(grep -c ' of 4): whole/place-' whole.txt) == 4 ]]
check "four places, a run each" $?

# --- Against runs made by hand, and against all dipoles at once with phases of 0 and 180 degrees whose products have a
# mean of 0 (the rows of a Hadamard matrix): their mean power is the sum of the single ones to rounding ---

python3 - <<'END' >hand.sh
import json
runs = json.load(open("whole/study.json"))["runs"]
at = [f"[{r['place_m'][0] * 1e9:.12g},{r['place_m'][1] * 1e9:.12g}]" for r in runs]
for i, place in enumerate(at):
    print(f"\"$TORRE\" run film.cfg -q --threads 1 --out hand{i} --set 'sources[0].position={place}'")
# one job of four line currents, whose phases are given
job = open("film.cfg").read()
begin, end = job.index("sources = ("), job.index("monitors = (")
for k, signs in enumerate(("0000", "0101", "0011", "0110")):
    sources = ", ".join(f'{{ type = "line_current"; name = "s{i}"; position = {place}; time = {{ type = "pulse"; '
                        f'wavelength = 600.0; band = 200.0; zero_mean = true; phase_deg = {180.0 * int(sign)}; }}; }}'
                        for i, (place, sign) in enumerate(zip(at, signs)))
    text = job[:begin] + f"sources = ( {sources} );\n" + job[end:]
    lines = [line for line in text.splitlines() if not line.startswith("ensemble")]
    text = "\n".join(lines).replace('{ type = "decay_rate"; name = "rate"; wavelengths = [550.0, 650.0]; },', "")
    open(f"phase{k}.cfg", "w").write(text)
    print(f"\"$TORRE\" run phase{k}.cfg -q --threads 1 --out phase{k}")
END
bash -e hand.sh >out.txt 2>&1
check "the same by hand, and with phases" $?
python3 - <<'END'
import csv
def read(path):
    return [{k: float(v) for k, v in row.items()} for row in csv.DictReader(open(path))]
mean, hand = read("whole/spectra.csv"), [read(f"hand{i}/spectra.csv") for i in range(4)]
phases = [read(f"phase{k}/spectra.csv") for k in range(4)]
for row, wavelength in enumerate((550, 650)):
    assert mean[row]["wavelength_nm"] == wavelength
    for name, got in mean[row].items():
        if name in hand[0][row] and name != "wavelength_nm":
            wanted = sum(h[row][name] for h in hand) / 4
            assert abs(got / wanted - 1) < 5e-9, (name, got, wanted)
    up = [h[row]["up.power_J_per_Hz_m"] for h in hand]
    rate = [h[row]["rate.power_J_per_Hz_m"] for h in hand]
    assert abs(mean[row]["up.part"] / (sum(up) / sum(rate)) - 1) < 5e-9
    assert abs(mean[row]["up.part_each"] / (sum(u / r for u, r in zip(up, rate)) / 4) - 1) < 5e-9
    bend = [up[i - 1] - 2 * up[i] + up[i + 1] for i in (1, 2)]
    error = (sum(b * b / 6 for b in bend) / 2 / 4)**.5
    assert abs(mean[row]["up.power_J_per_Hz_m_error"] / error - 1) < 1e-6
    together = [p[row]["up.power_J_per_Hz_m"] for p in phases]
    print(f"phases at {wavelength} nm: mean {sum(together) / 4:.9g}, sum of single ones {sum(up):.9g}; one of them"
          f" {together[0] / sum(up):.3f} of it")
    assert abs(sum(together) / 4 / sum(up) - 1) < 5e-9
    assert abs(together[0] / sum(up) - 1) > 0.02
far, fars = read("whole/far_far.csv"), [read(f"hand{i}/far_far.csv") for i in range(4)]
for row, got in enumerate(far):
    for name in (n for n in got if n.startswith("power_") and not n.endswith("_error")):
        assert abs(got[name] / (sum(f[row][name] for f in fars) / 4) - 1) < 5e-9, (row, name)
END
check "means, parts, errors and far fields are those of the runs; mean over phases is the sum of single dipoles" $?
for i in 0 1 2 3; do cmp "hand$i/spectra.csv" "whole/place-$((i + 1))-z/spectra.csv" || break; done
check "runs have the bytes of those by hand" $?

# --- Killed, failed, side by side, on ranks: the same files, and no finished run again ---

for ((try = 0; try < 20; try++)); do # until the kill is faster than the end of that run
  rm -rf killed
  "$TORRE" study ensemble film.cfg --threads 1 --out killed --jobs 1 --set checkpoint.steps=50 >out.txt 2>&1 &
  pid=$!
  while kill -0 $pid 2>/dev/null && ! compgen -G 'killed/place-3-z/checkpoint/step-????????????' >/dev/null; do
    sleep 0.005
  done
  kill -KILL $pid 2>/dev/null
  wait $pid 2>/dev/null
  [[ -e killed/place-3-z/run.json ]] || break
done
[[ -s killed/place-2-z/run.json && ! -e killed/place-3-z/run.json && ! -e killed/spectra.csv ]]
check "killed in its third run" $?
before=$(stat -c '%y %i' killed/place-{1,2}-z/{run.json,spectra.csv})
study --out killed --jobs 1 >out.txt 2>&1 && same killed
check "the same command ends it, with the same files" $?
[[ $(stat -c '%y %i' killed/place-{1,2}-z/{run.json,spectra.csv}) == "$before" ]]
check "and runs nothing again" $?
grep -q 'continues from the checkpoint' killed/place-3-z/run.log
check "the killed run from its checkpoint" $?

mkdir -p side/place-2-z/spectra.csv # in the place of a result
study --out side --jobs 3 >out.txt 2>err.txt
[[ $? == 1 ]] && grep -q 'the run of (.*), along z failed' err.txt && grep -q '^means over 3 places' out.txt &&
  grep -q '"places": 3' side/study.json && grep -q 'part' side/spectra.csv
check "a run that fails: status 1, means of the others" $?
rmdir side/place-2-z/spectra.csv
study --out side --jobs 3 >out.txt 2>&1 && same side
check "the same command completes it; three at a time have the same files" $?
if command -v mpirun >/dev/null && "$TORRE" --version | grep -q 'MPI: standard'; then
  mpirun --oversubscribe -n 2 "$TORRE" study ensemble film.cfg --out two --threads 1 >out.txt 2>&1 && same two
  check "on two ranks, too" $?
fi
[[ $(h5dump -d /spectra/up.part/mean -d /place whole/ensemble.h5) == *'( 4, 3 )'* ]]
check "ensemble.h5" $?

# --- Directions by their weights, in 3-D ---

cat >space.cfg <<'END'
grid = { size = [300.0, 300.0, 300.0]; cell = 25.0; };
boundaries = { cpml = { cells = 4; }; };
sources = ( { type = "electric_dipole"; position = [0.0, 0.0, 0.0]; axis = "x";
              time = { type = "pulse"; wavelength = 600.0; band = 200.0; }; } );
monitors = ( { type = "flux"; wavelengths = { from = 550.0; to = 650.0; count = 3; };
               box = { lo = [-50.0, -50.0, 50.0]; hi = [50.0, 50.0, 50.0]; }; } );
ensemble = { box = { lo = [0.0, 0.0, -50.0]; hi = [0.0, 0.0, 0.0]; }; count = 2; places = "middle";
             weights = [2.0, 0.0, 1.0]; };
run = { time_fs = 20.0; tolerance = 1e9; };
END
"$TORRE" study ensemble space.cfg --out space --threads 1 >out.txt 2>&1 &&
  grep -q '^4 dipoles, a run each: 2 places of 2 directions' out.txt && [[ ! -e space/place-1-y ]]
check "two places of two directions" $?
python3 - <<'END'
import csv
def up(path):
    return float(next(csv.DictReader(open(path + "/spectra.csv")))["power_J_per_Hz"])
wanted = sum((2 * up(f"space/place-{p}-x") + up(f"space/place-{p}-z")) / 3 for p in (1, 2)) / 2
assert abs(up("space") / wanted - 1) < 5e-9 and up("space/place-1-x") != up("space/place-2-x")
END
check "their mean by weights" $?
! has_pictures || [[ -s space/ensemble.png ]]
check "the picture" $?

# --- Mistakes ---

refuses() { # name, pattern, arguments...
  "$TORRE" study ensemble "${@:3}" --out bad >out.txt 2>&1
  [[ $? == 2 && ! -e bad ]] && grep -qF -- "$2" out.txt
  check "$1" $?
}
sed 's/lo = \[-400.0, -100.0\]; hi/lo = [-400.0, -900.0]; hi/; s/hi = \[400.0, 100/hi = [-500.0, 100/
  s/count = \[2, 2\]/count = [1.5, 2]; places = "edges"; weigths = 1.0; source = "a"; seed = 1e12/' film.cfg >wrong.cfg
refuses "wrong keys" 'torre: 7 faults, nothing was run' wrong.cfg
for fault in 'places: got "edges", need "random" or "middle"' 'weigths: unknown key; nearest known key: weights' \
  'seed: got 1e+12, need a whole number' 'source: got "a", which 0 dipoles have' 'count: got 1.5, need whole numbers' \
  'box.lo: y = -900 nm is outside the domain' 'box.hi: got -500 along x, need lo = -400 or more'; do
  grep -qF "wrong.cfg:12: ensemble.$fault" out.txt
  check "all at once: ${fault%%:*}" $?
done
refuses "a job without the group" 'ensemble: missing, need the group' "$TORRE_SOURCE/jobs/slab/job.cfg"
refuses "a symmetry" 'across x, where each dipole would have an image' film.cfg --set symmetry.x='"even"'
refuses "too many places" 'got 1e+06 places, need 10000 at most' film.cfg --set 'ensemble.count=[1000,1000]'
refuses "several on a flat side" 'got 4 along x, where the box is flat, need 1' space.cfg \
  --set 'ensemble.count=[4,1,1]'
refuses "no weight" 'got 0 for each direction, need one above 0' space.cfg --set ensemble.weights=0
refuses "options of rates" 'belong to studies of rates' film.cfg --points 1,2
cksum whole/*.csv >sums.txt
"$TORRE" study ensemble film.cfg --out whole --set ensemble.seed=2 >out.txt 2>&1
[[ $? == 2 ]] && grep -q 'whole/place-1-z: contains the results of an earlier run' out.txt &&
  cksum whole/*.csv | cmp -s - sums.txt
check "other places into the same folder" $?
finish
