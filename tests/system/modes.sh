#!/usr/bin/env bash
# torre modes: the table, modes.csv, modes.h5, pictures and the answer as JSON of a ready job; mistakes are refused.
source "$TORRE_SOURCE/tests/system/lib.sh"
job=$TORRE_SOURCE/jobs/silicon-wire/job.cfg

# A quarter of the wire, whose plane ends at the walls; converged: n_eff 2.3528, n_g 4.147.
small=(--set 'grid.size=[400.0,900.0,792.0]' --set 'boundaries={default="pec";z_lo="pmc";}' --set 'sources=()'
  --set 'objects[0].center=[0.0,-450.0,-396.0]' --set 'monitors=()' --set modes.count=1)
if ! "$TORRE" modes "$job" "${small[@]}" --out alone >table.txt 2>err.txt &&
  grep -q 'built without ARPACK' err.txt; then
  check "a build without ARPACK and SuperLU reports it" 0
  finish
fi

"$TORRE" modes "$job" "${small[@]}" --out alone >table.txt 2>err.txt
check "the wire's mode" $?
[[ ! -s err.txt && $(grep -c '^ *1[56][05]0  *0 ' table.txt) == 3 ]]
check "a line for each wavelength" $?
near "TE0 at 1550 nm" "$(awk -F, '$1 == 1550 && $2 == 0 { print $3 }' alone/modes.csv)" 2.3528 5e-3
awk -F, 'NR > 1 && !($4 == 0 && $5 > 4 && $5 < 4.3 && $9 > 0.95 && $11 > 0.6 && $12 < 1e-9) { bad = 1 }
  END { exit bad || NR != 4 }' alone/modes.csv
check "loss, group index, polarisation, core, residual" $?
[[ -s alone/modes.h5 && $(h5dump -a /Ey/field/axes alone/modes.h5) == *'"wavelength mode z y x part"'* ]]
check "modes.h5 has the fields" $?
if "$TORRE" --version | grep -qi cairo; then
  [[ -s alone/mode0_E.png && -s alone/mode0_Ey_real.png && -s alone/modes.png ]]
  check "pictures" $?
fi

"$TORRE" modes "$job" "${small[@]}" --out alone --json --set 'modes.wavelengths=[1550.0]' >answer.json 2>err.txt &&
  [[ ! -s err.txt ]] && python3 -c '
import json
a = json.load(open("answer.json"))
m = a["modes"]
assert a["command"] == "modes" and a["status"] == 0 and len(m) == 1 and abs(m[0]["n_eff"] - 2.3528) < 5e-3, a
assert a["plane"]["axis"] == "x" and a["failure"] is None and a["faults"] == [], a'
check "the answer as JSON" $?

# A slab in 2-D, along y; exact: 2.8475 (TM), off by 1.0e-3 in these cells.
cat >slab.cfg <<'END'
format_version = 3;
length_unit = "nm";
grid = { size = [3520.0, 220.0]; cell = 11.0; polarisation = "TM"; };
boundaries = { default = "pec"; };
media = ( { name = "silica"; index = 1.444; }, { name = "silicon"; index = 3.4757; } );
background = "silica";
objects = ( { type = "rectangle"; medium = "silicon"; size = [220.0, 9000.0]; } );
modes = { box = { lo = [-1760.0, 0.0]; hi = [1760.0, 0.0]; }; wavelengths = [1550.0]; };
run = { time_fs = 1.0; };
END
"$TORRE" modes slab.cfg --out slab >table.txt 2>err.txt && [[ ! -s err.txt ]] &&
  grep -q '^line y = 0 nm, 320 cells along x, TM$' table.txt && grep -q 'width_um' slab/modes.csv
check "the modes of a 2-D job" $?
near "a slab's mode" "$(awk -F, 'NR == 2 { print $3 }' slab/modes.csv)" 2.847486 1.1e-3
[[ $(h5dump -a /Ez/field/axes slab/modes.h5) == *'"wavelength mode y x part"'* ]]
check "the fields of a 2-D job" $?
# A rib, whose slab guides light itself: the index is below that of silicon, and the mode falls off all the same:
# n_eff 2.537, the slab's modes 2.07 to 2.11. With half the cells the shares are the same.
cat >rib.cfg <<'END'
format_version = 3;
length_unit = "nm";
grid = { size = [400.0, 2400.0, 1800.0]; cell = [40.0, 40.0, 30.0]; };
boundaries = { default = "pec"; };
media = ( { name = "silica"; index = 1.444; }, { name = "silicon"; index = 3.4757; } );
background = "silica";
objects = ( { type = "box"; medium = "silicon"; size = [9000.0, 480.0, 210.0]; },
  { type = "box"; medium = "silicon"; center = [0.0, 0.0, -60.0]; size = [9000.0, 9000.0, 90.0]; } );
modes = { box = { lo = [0.0, -600.0, -900.0]; hi = [0.0, 600.0, 900.0]; }; wavelengths = [1550.0];
  target_index = 2.6; };
run = { time_fs = 1.0; };
END
share() { sed -n 's/.*mode 0: \([^ ]*\) of its energy would lie beyond.*/\1/p' "$1"; }
"$TORRE" modes rib.cfg --out rib >table.txt 2>narrow.txt
sed 's/600.0, -900/800.0, -900/; s/600.0, 900/800.0, 900/' rib.cfg >wide.cfg
"$TORRE" modes wide.cfg --out rib >table.txt 2>wide.txt
awk -v a="$(share narrow.txt)" -v b="$(share wide.txt)" \
  'BEGIN { exit !(a > 1e-3 && a < 2.5e-3 && a > 7 * b && a < 12 * b) }'
check "a rib's mode beyond its plane: $(share narrow.txt), $(share wide.txt)" $?
! grep -q 'not guided' narrow.txt wide.txt
check "it is guided" $?

# A monitor of modes: the phase from plane to plane, the engines, files, warnings.
line() { echo "box={lo=[$1.0,-1300.0];hi=[$1.0,1300.0];};wavelengths=[1500.0,1550.0];"; }
cat >carried.cfg <<END
format_version = 3;
length_unit = "nm";
grid = { size = [3200.0, 2600.0]; cell = 40.0; polarisation = "TM"; };
boundaries = { cpml = { thickness = 400.0; }; };
media = ( { name = "silica"; index = 1.444; }, { name = "silicon"; index = 3.4757; } );
background = "silica";
objects = ( { type = "rectangle"; medium = "silicon"; size = [9000.0, 230.0]; } );
sources = ( { type = "line_current"; position = [-1000.0, 20.0];
  time = { type = "pulse"; wavelength = 1550.0; band = 300.0; }; } );
monitors = ( { type = "mode"; name = "a"; $(line -600) }, { type = "mode"; name = "b"; $(line 1000) } );
run = { time_fs = 200.0; };
END
"$TORRE" run carried.cfg --out stepwise -q --set 'schedule.engine="stepwise"' 2>err.txt &&
  "$TORRE" run carried.cfg --out towers -q --set 'schedule.engine="diamond"' 2>>err.txt && [[ ! -s err.txt ]]
check "a run with monitors of modes" $?
same_results stepwise towers
check "both engines give the same files" $?
head -1 towers/b_modes.csv | grep -qx "wavelength_nm,mode,n_eff,k_eff,n_group,forward_J_per_Hz_m,forward_phase_rad,$(:
)backward_J_per_Hz_m,backward_phase_rad,core_fraction" && [[ $(wc -l <towers/b_modes.csv) == 3 ]] &&
  h5dump -H towers/results.h5 | grep -q 'DATASET "backward"' &&
  head -1 towers/spectra.csv | grep -q 'b.power_J_per_Hz_m'
check "their files" $?
paste -d, towers/a_modes.csv towers/b_modes.csv | awk -F, 'NR > 1 {
    turns = ($17 - $7 - $3 * 1600 * 2 * 3.14159265359 / $1) / (2 * 3.14159265359)
    off = turns - int(turns + (turns < 0 ? -0.5 : 0.5))
    if (off * off > 1e-10 || ($16 / $6 - 1) ^ 2 > 1e-10) { print "row", NR, off, $16 / $6 - 1; bad = 1 }
  } END { exit bad || NR != 3 }'
check "the phase between the planes is that of n_eff" $?
"$TORRE" check carried.cfg --set 'objects[0].center=[-5100.0,0.0]' >out.txt 2>&1
grep -q 'warning: .*monitor a: the media change at the plane' out.txt
check "a guide that ends at the plane gives a warning" $?
refuses "a monitor of modes that is no plane" 'agree along 0 axes, need exactly one: a line' check carried.cfg \
  --set 'monitors[0].box.lo=[-700.0,-1300.0]'
refuses "a box that is no line" 'agree along 0 axes, need exactly one: a line' modes slab.cfg \
  --set 'modes.box.lo=[-1760.0,-10.0]'
refuses "a job without modes" 'modes: missing, need the group modes' modes "$TORRE_SOURCE/jobs/slab/job.cfg"
refuses "a box that is no plane" 'agree along 0 axes, need exactly one' modes "$job" \
  --set 'modes.box.lo=[-10.0,-1350.0,-1232.0]'
refuses "a plane in the layer" 'lies in the absorbing layer x_hi' modes "$job" \
  --set 'modes.box={lo=[1990.0,-1350.0,-1232.0];hi=[1990.0,1350.0,1232.0];}'
refuses "an option of run" '--restart belongs to run' modes "$job" --restart
finish
