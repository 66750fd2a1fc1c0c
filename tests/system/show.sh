#!/usr/bin/env bash
# torre show: sections of a job before it is run. What the lines are: tests/unit/test_section.c.
source "$TORRE_SOURCE/tests/system/lib.sh"
if ! has_pictures; then
  "$TORRE" show "$TORRE_SOURCE/jobs/slab/job.cfg" 2>out.txt
  [[ $? == 2 ]] && grep -q "this build has no cairo" out.txt
  check "a build without cairo reports it" $?
  finish
fi
sphere=$TORRE_SOURCE/jobs/gold-sphere/job.cfg
"$TORRE" show "$sphere" >out.txt && [[ -s job-x.png && -s job-y.png && -s job-z.png && $(wc -l <out.txt) == 3 ]]
check "the sections through the origin" $?
"$TORRE" show "$TORRE_SOURCE/jobs/slab/job.cfg" --out flat.svg >out.txt && [[ -s flat.svg && $(wc -l <out.txt) == 1 ]]
check "of one cell along an axis: one section" $?
"$TORRE" show "$sphere" --plane y=0 --plane y=70 --plane z=10 --out s.svg >out.txt &&
  [[ $(tr '\n' ' ' <out.txt) == "wrote s-y.svg wrote s-y2.svg wrote s-z.svg " ]]
check "planes that are given" $?
! cmp -s s-y.svg s-y2.svg && "$TORRE" show "$sphere" --plane y=70 --out t.svg >out.txt && cmp -s s-y2.svg t.svg
check "another place is another picture, the same one the same" $?
"$TORRE" show "$sphere" --plane y=0 --out t.svg --set 'objects[0].radius=30' >out.txt && ! cmp -s s-y.svg t.svg
check "--set changes it" $?
# Dashes at the total-field box, which is 50 nm wide to each side, dots at the layers, which begin at 80 nm.
cat >lines.cfg <<END
grid = { size = [200.0, 200.0, 200.0]; cell = 5.0; };
boundaries = { cpml = { cells = 4; }; };
sources = ( { type = "plane_wave"; direction = "+z"; polarisation = "x";
  box = { lo = [-51.0, -50.0, -50.0]; hi = [50.0, 50.0, 50.0]; };
  time = { type = "pulse"; wavelength = 500.0; band = 200.0; }; } );
run = { time_fs = 5.0; };
END
"$TORRE" show lines.cfg --plane y=0 --out lines.svg >out.txt
half_width() { # dashes: half the extent of the first lines that have them, along x
  grep -o "stroke-dasharray:$1;.* d=\"[^\"]*\"" lines.svg | head -n 1 | grep -oE '[ML] [0-9.]+ ' |
    awk '{ if (NR == 1 || $2 < lo) lo = $2; if ($2 > hi) hi = $2 } END { print (hi - lo) / 2 }'
}
near "dashed lines around the total-field box, dotted ones at the layers: widths" \
  "$(awk -v a="$(half_width 14,8)" -v b="$(half_width 2.4,6)" 'BEGIN { print b ? a / b : "none" }')" 0.625 1e-4
sheet='sheets=({axis="z";position=12.0;conductance_S=1e-3;parts=({type="cylinder";radius=30.0;height=50.0;});})'
blue() { # PLANE: lines of that colour
  "$TORRE" show lines.cfg --plane "$1" --out sheet.svg --set "$sheet" >out.txt && grep -c 'rgb(12.9.*%,40%,76' sheet.svg
}
[[ $(blue y=0) -ge 2 && $(blue z=10) -ge 2 && $(blue z=-20) == 0 ]] # the line and the legend
check "sheets are drawn where they are" $?
[[ ! -e results ]]
check "nothing is run" $?
refuses "no such axis" 'got "r=0", need an axis and a place' show "$sphere" --plane r=0
refuses "a plane outside" 'z=110: outside the domain, need -100 to 100' show "$sphere" --plane z=110
refuses "a name of no form" 'need a name that ends in .png' show "$sphere" --out job.cfg
refuses "a fault of the job" 'grid.cell: got -1' show "$sphere" --set grid.cell=-1
refuses "no job" 'need a job file' show
finish
