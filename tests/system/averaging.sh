#!/usr/bin/env bash
# averaging = "auto", the default: "tensor" where a job can have it, with the same files as if it were given, else
# "subpixel", and why.
source "$TORRE_SOURCE/tests/system/lib.sh"

cat >ball.cfg <<'JOB'
grid = { size = [200.0, 200.0, 200.0]; cell = 10.0; };
boundaries = { default = "cpml"; cpml = { cells = 5; }; };
media = ( { name = "glass"; index = 1.5; } );
objects = ( { type = "sphere"; medium = "glass"; radius = 32.0; } );
sources = ( { type = "electric_dipole"; position = [0.0, 0.0, 45.0]; axis = "x";
  time = { type = "pulse"; wavelength = 600.0; band = 200.0; }; } );
monitors = ( { type = "flux"; name = "f"; box = { lo = [-40.0, -40.0, -30.0]; hi = [40.0, 40.0, -30.0]; };
  wavelengths = [600.0]; } );
run = { time_fs = 20.0; tolerance = 1e9; };
JOB

# chosen NAME TEXT JOB ARGUMENTS...: plan has the rule, and no fault.
chosen() {
  "$TORRE" plan "${@:3}" >out.txt 2>&1
  local status=$?
  grep -qF "surfaces   averaging $2" out.txt && ((status == 0))
  check "$1" $?
  grep -qF "$2" out.txt || grep -E 'surfaces|torre:|need' out.txt
}

chosen "a dielectric sphere: tensor" '"tensor" (auto)' ball.cfg
chosen "a rule that is given is kept" '"subpixel"' ball.cfg --set 'grid.averaging="subpixel"'
chosen "graded cells" '"subpixel" (auto: cells are graded)' ball.cfg \
  --set 'grid.refine=({axis="x";from=-20.0;to=20.0;cell=8.0;})'
chosen "a dipole at a metal" '"subpixel" (auto: a dipole is less than 15 cells from a metal)' ball.cfg \
  --set 'objects[0].medium="Au"'
chosen "a dipole 19 cells from a metal: tensor" '"tensor" (auto)' ball.cfg \
  --set 'grid.size=[600.0,600.0,600.0]' --set 'objects[0].medium="Au"' --set 'sources[0].position=[0.0,0.0,220.0]'
chosen "a dielectric that changes over the band, beside a metal" \
  "\"subpixel\" (auto: metals, and a dielectric that changes over the source's band)" \
  "$TORRE_SOURCE/jobs/solar-cell/job.cfg"
chosen "a time step without room for nodes" '"subpixel" (auto: grid.courant leaves no time step for it)' ball.cfg \
  --set grid.courant=0.999
chosen "poles in cylindrical coordinates" '"subpixel" (auto: media with poles in cylindrical coordinates)' \
  "$TORRE_SOURCE/jobs/hyperbolic-stack/job.cfg"
chosen "a mode across a dielectric guide: tensor" '"tensor" (auto)' "$TORRE_SOURCE/jobs/waveguide/job.cfg"

cat >plasmon.cfg <<'JOB'
grid = { size = [600.0, 1000.0]; cell = 5.0; polarisation = "TE"; };
boundaries = { default = "cpml"; };
objects = ( { type = "layer"; medium = "Au"; axis = "y"; hi = 0.0; } );
monitors = ( { type = "mode"; name = "m"; wavelengths = [800.0]; box = { lo = [0.0, -200.0]; hi = [0.0, 400.0]; }; } );
sources = ( { type = "line_dipole"; axis = "y"; position = [-100.0, 300.0];
  time = { type = "pulse"; wavelength = 800.0; band = 100.0; }; } );
run = { time_fs = 20.0; tolerance = 1e9; };
JOB
chosen "a time step that is too long beside a metal" \
  '"subpixel" (auto: grid.courant is too large for it beside a metal)' plasmon.cfg --set grid.cell=10
chosen "a mode monitor across a metal" "\"subpixel\" (auto: a mode's plane crosses a metal)" plasmon.cfg

"$TORRE" run ball.cfg --out auto -q --threads 1 && "$TORRE" run ball.cfg --out tensor -q --threads 1 \
  --set 'grid.averaging="tensor"' && "$TORRE" run ball.cfg --out subpixel -q --threads 1 \
  --set 'grid.averaging="subpixel"'
check "the job runs by all three" $?
cmp -s auto/spectra.csv tensor/spectra.csv && ! cmp -s auto/spectra.csv subpixel/spectra.csv
check "auto has the files of tensor, not those of subpixel" $?
grep -q '"averaging": "tensor"' auto/run.json && grep -q 'surfaces: averaging "tensor" (auto)' auto/run.log
check "run.json and the log have the rule" $?
finish
