#!/usr/bin/env bash
# The answers of check and plan: a verdict first, in units that a person reads.
source "$TORRE_SOURCE/tests/system/lib.sh"

cat >small.cfg <<'CFG'
grid = { size = [200.0, 200.0, 200.0]; cell = 10.0; };
boundaries = { default = "pec"; };
sources = ( { type = "electric_dipole"; position = [0.0, 0.0, 0.0]; axis = "z";
              time = { type = "pulse"; wavelength = 500.0; band = 200.0; }; } );
monitors = ( { type = "energy"; every = 10; } );
run = { time_fs = 1.0; };
CFG

# first NAME PATTERN ARGUMENTS...: exit status 0, and the first line matches.
first() {
  local name=$1 pattern=$2
  shift 2
  "$TORRE" "$@" >out.txt 2>err.txt && head -1 out.txt | grep -qE -- "$pattern"
  check "$name: $(head -1 out.txt)" $?
}

memory='[0-9.]+ (kB|MB|GB)? ?of [0-9.]+ [MGT]B'
long=(--set run.time_fs=3e7 --set "grid.size=[1000.0,1000.0,1000.0]")
for command in check plan; do
  first "$command of a small job" "^fits: $memory, less than a second$" $command small.cfg --device cpu
  first "$command of a long run" "^fits: $memory, about [0-9]+ (hours?|days?|years?)( |$)" $command small.cfg \
    --device cpu "${long[@]}"
  first "$command of a job larger than the machine" "^does not fit: [0-9.]+ [TP]B of [0-9.]+ [MGT]B$" \
    $command small.cfg --device cpu --set 'grid.size=[200000.0,200000.0,200000.0]'
  first "$command with schedule.host_memory" '^does not fit: 2\.?[0-9]? MB of 1.0 MB \(schedule.host_memory\)$' \
    $command small.cfg --device cpu --set schedule.host_memory=0.001 --set grid.cell=5.0
  first "$command for several ranks" '^does not fit this machine alone: .*; with 100 ranks about [0-9.]+ TB each$' \
    $command small.cfg --device cpu --ranks 10x10 --set 'grid.size=[200000.0,200000.0,200000.0]'
done

"$TORRE" plan small.cfg --device cpu "${long[@]}" | grep -qE '^time +about [0-9]+ (hours?|days?|years?)'
check "the plan's time is in hours, days or years" $?
"$TORRE" plan small.cfg --device cpu --set grid.cell=1.0 | grep -qE '^ +total +[0-9]+ MB$'
check "the plan's memory has a unit" $?
"$TORRE" check small.cfg --set 'objects=({type="sphere";medium="Au";radius=5.0;center=[500.0,0.0,0.0];})' |
  grep -qE '^small.cfg: no faults, [12] warnings?$'
check "check counts its warnings" $?

# --- Warnings of what is easily got wrong ---

# warns NAME COUNT PATTERN ARGUMENTS...: as many lines of warnings match.
warns() {
  local name=$1 count=$2 pattern=$3
  shift 3
  "$TORRE" check small.cfg "$@" >out.txt 2>err.txt && [[ $(grep -c "warning: .*$pattern" out.txt) == "$count" ]]
  check "$name" $?
}
warns "a plain job has no warning" 0 ""
warns "no sources" 1 "no sources" --set 'sources=()'
"$TORRE" example cylinder >/dev/null
timeout 100 "$TORRE" check cylinder/job.cfg --set 'grid.size=[6e6,6e6]' >out.txt 2>&1 &&
  grep -q '^does not fit: 17 TB of ' out.txt
check "a 2-D job of 1.4e12 cells does not fit, and check ends" $?
warns "no monitors" 1 "no monitors" --set 'monitors=()'
warns "a wavelength in other units" 1 "is length_unit right? the wavelength is 500 um (source electric_dipole0)" \
  --set 'length_unit="um"' --set 'sources[0].time.wavelength=500.0'
warns "micrometres where nm are meant" 1 "is length_unit right? the wavelength is 500 pm" \
  --set 'sources[0].time={type="pulse";wavelength=0.5;band=0.2;}' --set 'grid={size=[4.0,4.0,4.0];cell=0.2;}'
warns "infrared in um" 0 "length_unit" --set 'length_unit="um"' --set 'grid={size=[20.0,20.0,20.0];cell=1.0;}' \
  --set 'sources[0].time={type="pulse";wavelength=10.0;band=4.0;}'
twenty=$(for i in {1..20}; do printf '{type="sphere";medium="Au";radius=5.0;center=[%d,0,0];},' $((500 + i)); done)
warns "20 objects outside are one line" 1 'objects\[0\] of "Au" lies outside the domain: .*; so do 19 more objects' \
  --set "objects=(${twenty%,})"
warns "an endless wire thinner than half a cell" 1 'objects\[0\] of "Au" is smaller than half a cell' \
  --set 'grid={size=[200.0,10.0,200.0];cell=10.0;}' \
  --set 'objects=({type="cylinder";medium="Au";axis="y";radius=0.1;height=1000.0;center=[50.0,0.0,0.0];})'
pulse='time={type="pulse";wavelength=500.0;band=200.0;};'
dipoles=$(for i in {1..5}; do
  printf '{type="electric_dipole";name="d%d";position=[%d,0,0];axis="z";%s},' $i $((i * 9)) "$pulse"
done)
warns "5 dipoles in a layer are one line" 1 'source d1: the dipole lies in the absorbing layer.*; 4 more like it' \
  --set "sources=(${dipoles%,})" --set 'boundaries={default="pec";z_hi={type="cpml";cells=12;};}'
planes=$(for z in {41..49}; do
  printf '{type="flux";name="f%d";box={lo=[-20,-20,%d];hi=[20,20,%d];};wavelengths=[500.0];},' "$z" "$z" "$z"
done)
warns "9 planes in a layer are one line" 1 'monitor f41: .* lies in an .* layer.*; 8 more like it: f42, f43, f44, ' \
  --set "monitors=(${planes%,})" --set 'boundaries={default="pec";z_hi={type="cpml";cells=8;};}'
finish
