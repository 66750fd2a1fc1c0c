#!/usr/bin/env bash
# A 2-D job with every shape, source and monitor: the same files by stepwise and by towers;
# arrays without the axis along which nothing varies. Periodic walls in 2-D. A GPU.
source "$TORRE_SOURCE/tests/system/lib.sh"

cat >job.cfg <<'END'
format_version = 3;
grid = { size = [400.0, 300.0]; cell = [5.0, 4.0]; polarisation = "TE"; };
boundaries = { default = "absorber"; absorber = { cells = 12; }; };
media = ( { name = "x"; permittivity = [2.0, 3.0, 4.0]; } );
objects = (
  { type = "ellipse"; medium = "Au"; center = [20.0, -10.0]; semi_axes = [50.0, 30.0]; },
  { type = "rectangle"; medium = "x"; center = [-80.0, 20.0]; size = [40.0, 60.0]; },
  { type = "polygon"; medium = "Si"; vertices = ([60.0, 40.0], [110.0, 40.0], [90.0, 90.0]); },
  { type = "layer"; axis = "y"; medium = "SiO2"; hi = -80.0; }
);
sources = (
  { type = "line_dipole"; axis = "x"; position = [100.0, -40.0];
    time = { type = "pulse"; wavelength = 500.0; band = 200.0; }; },
  { type = "line_current"; position = [-20.0, 60.0]; time = { type = "pulse"; wavelength = 500.0; band = 200.0; }; }
);
monitors = (
  { type = "probe"; position = [100.0, 50.0]; components = ["Hz", "Ex"]; wavelengths = [500.0]; },
  { type = "field"; wavelengths = [500.0]; box = { lo = [-100.0, -80.0]; hi = [100.0, 80.0]; };
    image = true; image_of = ["amplitude", "E"]; },
  { type = "flux"; name = "up"; wavelengths = [450.0, 500.0]; box = { lo = [-100.0, 85.0]; hi = [100.0, 85.0]; }; },
  { type = "flux_box"; name = "all"; wavelengths = [450.0, 500.0];
    box = { lo = [-130.0, -90.0]; hi = [130.0, 90.0]; }; },
  { type = "energy"; },
  { type = "slice"; component = "Hz"; times_fs = [5.0]; },
  { type = "snapshot"; components = ["Ex", "Hz"]; times_fs = [6.0]; stride = [2, 1]; image = true; }
);
run = { time_fs = 8.0; tolerance = 1e9; };
END
run() { # NAME ARGUMENTS...
  local name=$1
  shift
  "$TORRE" run job.cfg --device cpu --out "$name" -q "$@" 2>err.txt
  check "$name runs" $?
}
same() { # NAME
  local differ=0
  for f in first/*.csv $(has_pictures && echo first/*.png); do cmp -s "$f" "$1/${f##*/}" || differ=1; done
  h5diff -q first/results.h5 "$1/results.h5" && h5diff -q {first,"$1"}/snapshots/snapshot6/*.h5 || differ=1
  check "$1: the same tables, pictures, arrays" $differ
}
run first --engine stepwise --threads 1
run towers --dts 3 --th 7 --threads 3
same towers
head -1 first/spectra.csv | grep -q 'up.power_J_per_Hz_m' && head -1 first/energy.csv | grep -q 'energy_J_per_m'
check "powers and energies are per metre" $?
h5dump -H -d /monitors/field1/Ex/spectrum first/results.h5 | grep -q '( 1, 41, 40, 2 )'
check "arrays are [wavelength][y][x][part]" $?

# A ring of towers along x, and y whose ends meet.
for axis in x y; do
  run "$axis-stepwise" --set "boundaries={${axis}_lo=\"periodic\";${axis}_hi=\"periodic\";}" --engine stepwise
  run "$axis-towers" --set "boundaries={${axis}_lo=\"periodic\";${axis}_hi=\"periodic\";}" --dts 6 --th 20
  cmp -s "$axis-stepwise/spectra.csv" "$axis-towers/spectra.csv" && cmp -s {"$axis-stepwise","$axis-towers"}/probe0.csv
  check "periodic along $axis: the same tables" $?
done

# The same ring with a phase: complex fields.
bloch='boundaries={x_lo="bloch";x_hi="bloch";phase_deg=[70.0,0.0];}'
run bloch-stepwise --set "$bloch" --engine stepwise
run bloch-towers --set "$bloch" --dts 6 --th 20
cmp -s bloch-stepwise/spectra.csv bloch-towers/spectra.csv && cmp -s bloch-{stepwise,towers}/probe0.csv &&
  ! cmp -s bloch-towers/spectra.csv x-towers/spectra.csv
check "Bloch walls along x: the same tables, others than between periodic walls" $?

# A GPU simulated on the CPU (docs/design/gpu.md): panels and tiles, stepwise with too little memory for two copies.
gpu=$TORRE_BUILD/tests/torre_with_cpu_as_gpu
[[ -x $gpu ]] || finish
export ON_CPU_SEED=1 TORRE_GPU_PLANE_STEPS=4
TORRE=$gpu run panels --device gpu --engine diamond
same panels
# Several GPUs share x: two devices, two processes, two devices that the CPU continues.
sed -e '/type = "slice"/d; /type = "snapshot"/d; s/{ type = "energy"; },/{ type = "energy"; }/' \
  -e 's/time_fs = 8.0/time_fs = 1.6/' job.cfg >short.cfg
"$TORRE" run short.cfg -q --device cpu --out short >short.txt 2>&1
check "a shorter job runs" $?
export ON_CPU_DEVICES=2
"$gpu" run short.cfg -q --device gpu --devices 2 --th 9 --out devices2 >devices2.txt 2>&1 &&
  grep -q "a thread and a GPU each" devices2/run.log && grep -q 'across borders along x' devices2/run.log &&
  same_results short devices2
check "two devices give its files" $?
if command -v mpirun >/dev/null; then
  timeout 300 mpirun --oversubscribe -n 2 "$gpu" run short.cfg -q --device gpu --out processes2 >processes2.txt 2>&1 &&
    same_results short processes2
  check "two processes with a GPU each, too" $?
fi
"$gpu" run short.cfg -q --device gpu --devices 2 --th 5 --set checkpoint.steps=20 --set checkpoint.keep=true \
  --set run.time_fs=0.8 --out parts >parts.txt 2>&1 &&
  "$TORRE" run short.cfg -q --device cpu --restart --out parts >restart.txt 2>&1 &&
  grep -q 'continues from the checkpoint' parts/run.log && same_results short parts
check "begun by two GPUs, ended by the CPU: the same files" $?
TORRE=$gpu refuses "complex fields on several GPUs: status 2" 'need panels, but fields between Bloch' \
  run job.cfg --device gpu --devices 2 --set 'boundaries={y_lo="bloch";y_hi="bloch";phase_deg=[0.0,70.0];}' --out no
ON_CPU_DEVICES=4 TORRE=$gpu refuses "too many GPUs: status 2 and how many would fit" \
  'got 4 ranks for 80 cells along x, of which each between two others needs 32 on GPUs; 3 ranks would fit' \
  run job.cfg --device gpu --devices 4 --out no
"$gpu" plan job.cfg --device gpu >plan.txt && grep -q 'panels: several steps a launch' plan.txt
check "the plan reports panels" $?
"$gpu" plan job.cfg --device gpu --device-memory 0.0006 >plan.txt && grep -q 'no space for the second copy' plan.txt
check "and of stepwise where two copies do not fit" $?
finish
