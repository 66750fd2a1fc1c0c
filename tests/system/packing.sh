#!/usr/bin/env bash
# Runs of a batch that share a GPU's blocks, on a GPU that is the CPU's reference (tests/support/mock_gpu.c) and by the
# towers of one that is simulated: each run has the files that it has alone on the CPU; ended early, stopped, continued,
# failed and unlike ones.
source "$TORRE_SOURCE/tests/system/lib.sh"
gpu=$TORRE_BUILD/tests/torre_with_mock_gpu towers=$TORRE_BUILD/tests/torre_with_cpu_as_gpu
[[ -x $gpu || -x $towers ]] || { echo "this build has CUDA, but no GPU's engines for the CPU" && exit 77; }
[[ -x $gpu ]] || gpu=$towers
export ON_CPU_SEED=1 OMP_NUM_THREADS=1

# A unit cell of pillars on glass: 24 x 6 x 16 cells, light along x. Towers cross the domain along x, rings lie along y,
# and 8 vectors of 16 values fit a block.
cat >cell.cfg <<'END'
length_unit = "nm";
grid = { size = [480.0, 120.0, 320.0]; cell = 20.0; };
boundaries = { default = "periodic"; x_lo = "cpml"; x_hi = "cpml"; cpml = { cells = 4; }; };
media = ( { name = "glass"; index = 1.45; }, { name = "metal"; permittivity = 2.0;
  poles = ( { type = "drude"; plasma_eV = 4.0; gamma_eV = 0.1; } ); } );
objects = ( { type = "layer"; medium = "glass"; axis = "x"; hi = -60.0; },
  { type = "cylinder"; medium = "metal"; axis = "x"; center = [0.0, 0.0, 0.0]; radius = 45.0; height = 100.0; } );
sources = ( { type = "plane_wave"; box = { lo = [-120.0, -1e4, -1e4]; hi = [1e5, 1e4, 1e4]; };
  direction = "+x"; polarisation = "y"; time = { type = "pulse"; wavelength = 400.0; band = 300.0; }; } );
monitors = ( { type = "orders"; name = "behind"; axis = "x"; position = 120.0; wavelengths = [380.0, 420.0]; },
  { type = "probe"; name = "p"; position = [80.0, 20.0, 30.0]; }, { type = "energy"; name = "e"; every = 10; } );
schedule = { engine = "diamond"; th = 7; };
run = { time_fs = 1.0; tolerance = 1e9; };
END
sweep=(--sweep "objects[1].radius=30:60:4")
cpu() { # folder, options...
  local folder=$1
  shift
  "$TORRE" run cell.cfg -q --out "$folder" --device cpu "$@" >"$folder.txt" 2>&1
}
packed() {
  local folder=$1
  shift
  timeout 900 "$gpu" run cell.cfg -q --out "$folder" --device gpu --jobs 4 "$@" >"$folder.txt" 2>&1
}
same_sweeps() { # two folders of sweeps, the runs' folders...
  local run a=$1 b=$2
  shift 2
  for run; do same_results "$a/$run" "$b/$run" || return 1; done
}
share() { # how many, the runs' folders...: as reported by their last runs
  local run n=$1
  shift
  for run; do grep "share the GPU's blocks" "$run/run.log" | tail -n 1 | grep -q " $n runs share" || return 1; done
}
radii=(radius-30 radius-40 radius-50 radius-60)

cpu alone "${sweep[@]}" && packed four "${sweep[@]}" && grep -q '^4 runs: 4 done' four.txt && share 4 four/radius-*
check "four runs share a block" $?
same_sweeps alone four "${radii[@]}" && ! cmp -s alone/radius-30/behind_orders.csv alone/radius-60/behind_orders.csv
check "each has the files that it has alone" $?
"$gpu" plan cell.cfg --device gpu >plan.txt 2>&1 && grep -q 'of such cells in one batch .* up to 8 share' plan.txt
check "plan prints how many can" $?
TORRE_GPU_PACKING=off packed off "${sweep[@]}" && ! grep -q "share the GPU's blocks" off/*/run.log &&
  same_sweeps alone off "${radii[@]}"
check "TORRE_GPU_PACKING=off" $?
nodes=(--set grid.averaging='"tensor"' --set grid.precision='"fp64"' --set grid.order=4)
cpu nodes "${sweep[@]}" "${nodes[@]}" && packed nodes4 "${sweep[@]}" "${nodes[@]}" && share 4 nodes4/radius-30 &&
  same_sweeps nodes nodes4 "${radii[@]}"
check "surface nodes, order 4, fp64" $?
if [[ -x $towers && $gpu != "$towers" ]]; then
  for kind in alone nodes; do
    options=()
    [[ $kind == nodes ]] && options=("${nodes[@]}")
    gpu=$towers packed "towers-$kind" "${sweep[@]}" "${options[@]}" && share 4 "towers-$kind/radius-30" &&
      same_sweeps $kind "towers-$kind" "${radii[@]}"
    check "towers: the same files, $kind" $?
  done
fi
packed three --sweep "objects[1].radius=30:60:3" --set checkpoint.steps=11 && packed five --sweep \
  "objects[1].radius=20:60:5" && share 2 five/radius-20 five/radius-30 && share 3 five/radius-{40,50,60} &&
  same_sweeps alone five "${radii[@]}"
check "five, four at a time: two blocks" $?
bands=(--sweep "sources[0].time.band=200:300:3" --sweep 'sources[0].polarisation="y","z"')
cpu bands "${bands[@]}" && packed bands4 "${bands[@]}" && share 3 bands4/band* &&
  same_sweeps bands bands4 band-{200,250,300}_polarisation-{y,z}
check "sources of their own" $?
times=(--sweep "run.time_fs=0.3,1.0,0.5,0.8")
cpu ends "${times[@]}" && packed ends4 "${times[@]}" && share 4 ends4/time* &&
  same_sweeps ends ends4 time_fs-{0.3,0.5,0.8,1.0}
check "runs that end early leave the others" $?
packed kept "${sweep[@]}" --set run.time_fs=0.4 --set checkpoint.keep=true &&
  packed kept "${sweep[@]}" --set checkpoint.keep=true && share 4 kept/radius-30 &&
  ! grep -q '"first_step": 0,' kept/radius-40/run.json && same_sweeps alone kept "${radii[@]}"
check "continued together" $?
rm -r kept/radius-40
packed kept "${sweep[@]}" --set run.time_fs=1.2 --set checkpoint.keep=true && share 4 kept/radius-40 &&
  cpu longer "${sweep[@]}" --set run.time_fs=1.2 && same_sweeps longer kept "${radii[@]}"
check "continued, beside one from the beginning" $?

mkdir -p fails/radius-40/results.h5/in_the_way
packed fails "${sweep[@]}"
[[ $? == 1 ]] && share 4 fails/radius-30 && same_sweeps alone fails radius-30 radius-50 radius-60 &&
  grep -q '^4 runs: 3 done, 1 failed' fails.txt
check "one that fails" $?
packed unlike --sweep "objects[1].radius=30,40" --sweep "grid.size=[480,120,320],[480,240,320]" &&
  cpu unlike-cpu --sweep "objects[1].radius=30,40" --sweep "grid.size=[480,120,320],[480,240,320]" &&
  ! grep -q "share the GPU's blocks" unlike/*/run.log && for run in unlike/*/; do
    same_results "$run" "unlike-cpu/$(basename "$run")" || exit 1
  done
check "cells of other sizes, in turn, share none" $?
# Some seconds: stopped, and continued.
long=("${sweep[@]}" --set run.time_fs=6.0 --set checkpoint.steps=14)
"$gpu" run cell.cfg -q --out stopped --device gpu --jobs 4 "${long[@]}" >stopped.txt 2>&1 &
pid=$!
until_there "stopped/radius-40/checkpoint/step-*[0-9]/manifest" 1200
kill -USR1 $pid
wait $pid
[[ $? == 75 ]] && grep -q '^4 runs: 4 stopped; the same command continues$' stopped.txt
check "stopped together" $?
packed stopped "${long[@]}" && cpu long "${long[@]}" && same_sweeps long stopped "${radii[@]}"
check "and continued, with the same files" $?

sed -i 's/direction = "+x"; polarisation = "y"/theta_deg = 90.0; phi_deg = 20.0; psi_deg = 0.0/
  s/default = "periodic"/default = "bloch"/' cell.cfg
packed bloch "${sweep[@]}" --set run.time_fs=0.2 && ! grep -q "share the GPU's blocks" bloch/*/run.log
check "complex fields share none" $?
finish
