#!/usr/bin/env bash
# The program with a GPU simulated on the CPU (docs/design/gpu.md): a job with every feature gives the CPU's files, on
# one device, on two ranks along y with a device each, on two along x, on two devices of one process, and when it is
# stopped and restarted on the CPU.
source "$TORRE_SOURCE/tests/system/lib.sh"
gpu=$TORRE_BUILD/tests/torre_with_cpu_as_gpu
[[ -x $gpu ]] || { echo "this build has no GPU's engines for the CPU" && exit 77; }
export ON_CPU_SEED=1

# Without the beam, which needs finer cells; the fields of a file are a sheet, too. As many steps as in cells of 5 nm.
reference_job "${coarse[@]}" -e 's/time_fs = 20.0/time_fs = 0.112/; s/times_fs = \[.*\];/times_fs = [0.064];/' \
  -e 's/every_fs = 8.0/every_fs = 0.064/; s/image = true; },/image = false; },/' >small.cfg
run() { # folder, program with its prefix...
  local folder=$1
  shift
  "$@" run small.cfg -q --out "$folder" --th 3 >"$folder.txt" 2>&1
}
# The same with absorbers on some faces.
absorbers=(--set boundaries.x_hi=absorber --set boundaries.y_lo=absorber --set boundaries.z_hi=absorber
  --set boundaries.absorber.thickness=30.0)
"$TORRE" run small.cfg -q --out cpu-absorbers --th 3 "${absorbers[@]}" >cpu-absorbers.txt 2>&1
check "the CPU runs the job with absorbers" $?
run cpu "$TORRE"
check "the CPU runs the job" $?
# Memory for fields that begin on the GPU is not initialised; here it is filled with a pattern other than zeros.
run one env MALLOC_PERTURB_=165 "$gpu" && grep -q "on GPU 0" one/run.log && same_results cpu one
check "a GPU gives the CPU's files" $?
for grid in 1x2 2x1; do
  ranks=(--ranks 2x1)
  [[ $grid == 1x2 ]] && ranks=() # the default
  ON_CPU_DEVICES=2 timeout 1500 "$gpu" run small.cfg -q --out devices$grid --device gpu --devices 2 "${ranks[@]}" \
    --th 2 "${absorbers[@]}" >devices$grid.txt 2>&1 &&
    grep -q "${grid/x/ x } ranks along x and y" devices$grid/run.log &&
    grep -q "2 ranks in each process, a thread and a GPU each" devices$grid/run.log &&
    { [[ $grid == 2x1 ]] || grep -q "from GPU to GPU" devices$grid/run.log; } && same_results cpu-absorbers devices$grid
  check "two devices of one process, $grid, absorbers: they give the CPU's files" $?
done
if command -v mpirun >/dev/null; then
  ON_CPU_DEVICES=2 timeout 1500 mpirun --oversubscribe -n 2 "$gpu" run small.cfg -q --out 1x2 --device gpu \
    --ranks 1x2 --th 2 >1x2.txt 2>&1 && same_results cpu 1x2
  check "two ranks along y, a GPU each, give the CPU's files" $?
  # Columns along x by each of their ways.
  while read -r peers mpi way; do
    TORRE_GPU_PEERS=$peers TORRE_GPU_MPI=$mpi ON_CPU_DEVICES=2 timeout 1500 mpirun --oversubscribe -n 2 "$gpu" \
      run small.cfg -q --out "way-$peers-$mpi" --device gpu --ranks 2x1 --th 2 >way.txt 2>&1 </dev/null &&
      same_results cpu "way-$peers-$mpi" && grep -q "along x $way" "way-$peers-$mpi/run.log"
    check "two ranks along x $way: the same files" $?
  done <<'END'
on off from GPU to GPU
off on by messages between the GPUs' memories
off off through the host's memory and messages
END
fi
# Periodic and Bloch walls in towers.
cat >cell.cfg <<'END'
grid = { size = [200.0, 120.0, 80.0]; cell = 10.0; };
boundaries = { default = "periodic"; x_lo = "pec"; x_hi = "pec"; };
sources = ( { type = "electric_dipole"; position = [0.0, 5.0, 5.0]; axis = "y";
  time = { type = "pulse"; wavelength = 100.0; band = 60.0; }; } );
monitors = ( { type = "probe"; name = "p"; position = [30.0, -50.0, 0.0]; } );
run = { time_fs = 0.3; };
END
bloch=(--set boundaries.y_lo=bloch --set boundaries.y_hi=bloch --set 'boundaries.phase_deg=[0.0,70.0,0.0]')
"$TORRE" run cell.cfg -q --out cell0 >cell.txt 2>&1 &&
  "$gpu" run cell.cfg -q --out cell1 --device gpu --engine diamond --th 5 >cell.txt 2>&1 && same_results cell0 cell1
check "periodic y and z: towers of a GPU give the CPU's files" $?
crystal=(--set 'media=({name="a";permittivity=[2.0,4.0,3.0];rotate_deg=[20.0,50.0,70.0];})' --set grid.courant=0.7
  --set 'objects=({type="sphere";medium="a";center=[1.0,2.0,3.0];radius=35.0;})' --th 3)
"$TORRE" run cell.cfg -q --out cell6 "${crystal[@]}" >cell.txt 2>&1 &&
  "$gpu" run cell.cfg -q --out cell7 --device gpu --engine diamond "${crystal[@]}" >cell.txt 2>&1 &&
  same_results cell6 cell7 && ! same_results cell0 cell6 >crystal.txt && grep -q "on GPU 0" cell7/run.log &&
  ON_CPU_DEVICES=2 "$gpu" run cell.cfg -q --out cell8 --device gpu --devices 2 --ranks 2x1 "${crystal[@]}" \
    >cell.txt 2>&1 && same_results cell6 cell8
check "a turned crystal: towers of a GPU, and two devices, give the CPU's files" $?
gyro='poles=({type="drude";plasma_eV=5.0;gamma_eV=0.1;cyclotron_eV=[1.0,2.0,-3.0];});'
for medium in "permittivity=2.0;$gyro" 'permittivity=2.0;chi3_m2_per_V2=1e-18;'; do
  full=("${crystal[@]}" --set "media=({name=\"a\";$medium})" --set sources[0].amplitude=1e-9)
  "$TORRE" run cell.cfg -q --overwrite --out full0 "${full[@]}" >cell.txt 2>&1 &&
    "$gpu" run cell.cfg -q --overwrite --out full1 --device gpu --engine diamond "${full[@]}" >cell.txt 2>&1 &&
    same_results full0 full1 && grep -q "on GPU 0" full1/run.log &&
    ON_CPU_DEVICES=2 "$gpu" run cell.cfg -q --overwrite --out full2 --device gpu --devices 2 --ranks 2x1 \
      "${full[@]}" >cell.txt 2>&1 && same_results full0 full2
  check "${medium:0:40}: towers of a GPU, and two devices, give the CPU's files" $?
done
long=(--set run.time_fs=1.5 --th 2)
"$TORRE" run cell.cfg -q --out cell4 "${long[@]}" >cell.txt 2>&1 &&
  "$gpu" run cell.cfg -q --out cell5 --device gpu "${long[@]}" >cell.txt 2>&1 && same_results cell4 cell5 &&
  grep -q 'engine from here on: in the first stages towers ran at' cell5/run.log &&
  "$gpu" plan cell.cfg --device gpu "${long[@]}" | grep -q 'diamond or stepwise, what the first stages find faster'
check "both engines of a GPU in turn, then the faster: the CPU's files" $?
cat >turned.cfg <<'END'
grid = { size = [120.0, 80.0, 200.0]; cell = 10.0; };
boundaries = { default = "periodic"; z_lo = { type = "cpml"; cells = 6; }; z_hi = "pec"; };
sources = ( { type = "electric_dipole"; position = [5.0, 5.0, 0.0]; axis = "x";
  time = { type = "pulse"; wavelength = 100.0; band = 60.0; }; } );
monitors = ( { type = "probe"; name = "p"; position = [-50.0, 0.0, 30.0]; } );
run = { time_fs = 0.3; };
END
"$TORRE" run turned.cfg -q --out turned0 >turned.txt 2>&1 &&
  "$gpu" run turned.cfg -q --out turned1 --device gpu --engine diamond --th 5 >turned.txt 2>&1 &&
  same_results turned0 turned1
check "periodic x and y, turned: towers of a GPU give the CPU's files" $?
"$TORRE" run cell.cfg -q --out cell2 "${bloch[@]}" >cell.txt 2>&1 &&
  "$gpu" run cell.cfg -q --out cell3 --device gpu --engine diamond --th 5 "${bloch[@]}" >cell.txt 2>&1 &&
  same_results cell2 cell3 && ! same_results cell0 cell2 >bloch.txt
check "Bloch walls: towers of a GPU give the CPU's files" $?
nodes=(--set grid.averaging=tensor --set 'media=({name="a";permittivity=2.0;})'
  --set 'objects=({type="sphere";medium="a";center=[1.0,2.0,3.0];radius=35.0;})')
"$TORRE" run cell.cfg -q --out cell9 "${bloch[@]}" "${nodes[@]}" >cell.txt 2>&1 &&
  "$gpu" run cell.cfg -q --out cell10 --device gpu --engine diamond "${bloch[@]}" "${nodes[@]}" --th 3 \
    >cell.txt 2>&1 && same_results cell9 cell10 && grep -q "on GPU 0" cell10/run.log &&
  ON_CPU_DEVICES=2 "$gpu" run cell.cfg -q --out cell11 --device gpu --devices 2 --ranks 2x1 "${bloch[@]}" \
    "${nodes[@]}" --th 3 >cell.txt 2>&1 && same_results cell9 cell11
check "with surface nodes: towers of a GPU, and two devices, give the CPU's files" $?
"$gpu" plan cell.cfg --device gpu "${bloch[@]}" --set boundaries.x_lo=absorber |
  grep -q "no towers: towers on GPUs have no absorbers between Bloch walls"
check "with absorbers: the plan says why there are no towers" $?
large=(--set grid.size=[3000.0,240.0,240.0] --device-memory 0.005)
"$gpu" plan cell.cfg --device gpu "${bloch[@]}" "${large[@]}" >large.txt &&
  grep -q 'the fields stay in host memory, a window of' large.txt
check "larger than the GPU's memory: a window" $?
TORRE=$gpu ON_CPU_DEVICES=2 refuses "Bloch walls on GPUs along y are refused" \
  'got \[1, 2\] for fields between Bloch walls on GPUs, need \[2, 1\]' run cell.cfg "${bloch[@]}" \
  --device gpu --devices 2 --ranks 1x2 --th 3 --out no
# CPML along z that is too thick for towers.
cat >thick.cfg <<'END'
grid = { size = [300.0, 300.0, 1600.0]; cell = 10.0; };
boundaries = { default = "pec"; z_lo = { type = "cpml"; cells = 40; }; z_hi = { type = "cpml"; cells = 40; }; };
sources = ( { type = "electric_dipole"; position = [0.0, 0.0, 0.0]; axis = "x";
  time = { type = "pulse"; wavelength = 600.0; band = 200.0; }; } );
monitors = ( { type = "probe"; name = "p"; position = [20.0, 0.0, 0.0]; } );
run = { time_fs = 0.2; };
END
"$gpu" run thick.cfg -q --out thick1 >thick.txt 2>&1 && grep -q "stepwise engine on GPU 0" thick1/run.log
check "thick layers along z: stepwise on a GPU" $?
"$gpu" run thick.cfg -q --out thick0 --device-memory 0.001 >thick.txt 2>&1 && ! grep -q "on GPU 0" thick0/run.log &&
  same_results thick1 thick0
check "and with too little device memory on the CPU" $?
TORRE=$gpu refuses "diamond on a GPU is refused there" \
  'schedule.engine: got "diamond", but towers need 4 cells .* and 64 in the layers' run thick.cfg \
  --device gpu --engine diamond --out no
if command -v mpirun >/dev/null; then
  ON_CPU_DEVICES=2 timeout 1500 mpirun --oversubscribe -n 2 "$gpu" run thick.cfg -q --out thick2 >thick.txt 2>&1 &&
    ! grep -q "a GPU for each rank" thick2/run.log && same_results thick1 thick2
  check "two ranks with a GPU each run it on the CPU" $?
fi

"$gpu" run small.cfg -q --th 2 --set checkpoint.steps=4 --out parts >parts.txt 2>&1 &
pid=$!
while kill -0 $pid 2>/dev/null && ! compgen -G 'parts/checkpoint/step-????????????' >/dev/null; do sleep 0.05; done
kill -TERM $pid 2>/dev/null
wait $pid
status=$?
cp -r parts back
"$TORRE" run small.cfg -q --restart --out parts >restart.txt 2>&1 && [[ $status == 75 ]] &&
  grep -q 'continues from the checkpoint' parts/run.log && same_results cpu parts
check "stopped on the GPU by SIGTERM (status $status), restarted on the CPU: the same files" $?
MALLOC_PERTURB_=165 "$gpu" run small.cfg -q --restart --out back >back.txt 2>&1 &&
  grep -q 'continues from the checkpoint' back/run.log && same_results cpu back
check "restarted on the GPU: the same files" $?

# Columns on disk, with a window over the part of them that is in memory: killed, its disk failing, and restarted.
cat >disk.cfg <<'END'
grid = { size = [3000.0, 50.0, 130.0]; cell = 5.0; };
boundaries = { default = "pec"; x_lo = "cpml"; x_hi = "cpml"; };
sources = ( { type = "electric_dipole"; position = [-1000.0, 0.0, 10.0]; axis = "z"; amplitude = 1e-12;
              time = { type = "pulse"; wavelength = 500.0; band = 200.0; }; },
            { type = "electric_dipole"; position = [800.0, 0.0, 0.0]; axis = "y"; amplitude = 1e-12;
              time = { type = "pulse"; wavelength = 500.0; band = 200.0; }; } );
monitors = ( { type = "probe"; name = "p"; position = [810.0, 20.0, 0.0]; wavelengths = [500.0]; },
             { type = "snapshot"; name = "s"; every_fs = 0.04; components = ["Ez"]; stride = [4, 2, 2]; } );
run = { time_fs = 0.068; tolerance = 1e9; };
END
mkdir scratch
disk=(--device gpu --th 4 --set 'schedule.disk="scratch"' --set schedule.host_memory=0.0045 --set checkpoint.steps=4)
"$TORRE" run disk.cfg -q --out disk0 >disk.txt 2>&1
"$gpu" run disk.cfg -q --out disk1 "${disk[@]}" >disk.txt 2>&1 &
pid=$!
while kill -0 $pid 2>/dev/null && ! compgen -G 'disk1/checkpoint/step-????????????' >/dev/null; do sleep 0.05; done
kill -9 $pid 2>/dev/null
wait $pid 2>/dev/null
if cc -shared -fPIC -O1 -o shim.so "$TORRE_SOURCE/tests/faults/shim.c" -ldl 2>/dev/null; then
  LD_PRELOAD=$PWD/shim.so FAULT_CALL=pwrite FAULT_AT=600 FAULT_PATH=/scratch FAULT_ERRNO=28 TORRE=$gpu \
    ends "a full disk under a GPU's window: a message, status 1" 1 'could not be written in scratch: No space left' \
    disk.cfg -q --restart --out disk1 "${disk[@]}"
fi
"$gpu" run disk.cfg -q --restart --out disk1 "${disk[@]}" >disk.txt 2>&1 && [[ -z $(ls -A scratch) ]] &&
  grep -q '0.006 GB, a window of 0.00[0-9] GB on the GPU' disk1/run.log && same_results disk0 disk1 &&
  grep -q 'continues from the checkpoint' disk1/run.log &&
  grep -qE 'disk: 0.0[0-9]+ GB read, 0.0[0-9]+ GB written; the GPU waited' disk1/run.log
check "a window over columns on disk, killed and restarted: the CPU's files" $?
"$gpu" plan disk.cfg "${disk[@]}" --set schedule.disk_rate=2.0 --set schedule.th=0 >plan.txt &&
  grep -q "are on disk, a window of .* passes over those in memory" plan.txt &&
  grep -q "2 GB/s (schedule.disk_rate); the GPU's rate is not known" plan.txt
check "plan has the window over a disk" $?
# By the figures of torre tune (here 1 and 8 G cells/s): 1.6 knees, 64 at least, and as long as the memory allows.
version=$(sed -nE 's/.*torre ([0-9.]+ \([^)]*\)).*/\1/p' disk1/run.log | head -n 1)
mkdir -p cache/torre
while read -r rate th words; do
  kinds=
  for kind in '2 fp32' '2 fp64' '4 fp32' '4 fp64'; do
    kinds+="${kinds:+, }{ order = ${kind% *}; precision = \"${kind#* }\"; th = 32; tile_kB = 0.0; layers = 0.3;
      poles = 0.3; stepwise = [$rate, $rate, $rate]; diamond = [$rate, $rate, $rate]; }"
  done
  echo "version = \"$version\"; device = \"CPU as a GPU\"; driver = \"CUDA 13.0\"; date = \"today\"; threads = 0;
    copy_GB_per_s = 9.0; link_GB_per_s = [50.0, 50.0, 50.0, 50.0, 50.0, 50.0, 50.0, 50.0]; kinds = ( $kinds );" \
    >cache/torre/CPU-as-a-GPU.cfg
  XDG_CACHE_HOME=$PWD/cache "$gpu" plan disk.cfg "${disk[@]}" --set schedule.disk_rate=2.0 --set schedule.th=0 \
    >plan.txt && grep -q "on GPU 0, TH $th; the fields are on disk" plan.txt && grep -q "hidden from TH $words" plan.txt
  check "TH by the rates of the disk and of a GPU of $rate G cells/s" $?
done <<'END'
1.0 64 3[0-9] on; at TH 64 the run has 100 %
8.0 128 26[0-9] on; at TH 128 the run has [45][0-9] %
END
TORRE=$gpu refuses "too small a window over a disk: status 2 and the bytes" \
  'schedule.disk: a window on GPU 0 may have 0.00[0-9]* GB, .*TH 400 needs about 0.0' run disk.cfg "${disk[@]}" \
  --th 400 --out no
TORRE=$gpu refuses "several devices over a disk: status 2" \
  'schedule.device: got "gpu" with schedule.disk and several ranks or devices, need one rank with one device' \
  plan disk.cfg "${disk[@]}" --devices 2

refuses "several devices of the CPU: status 2" 'schedule.devices: got 2 with schedule.device = "cpu"' run small.cfg \
  --device cpu --devices 2 --out no
ON_CPU_DEVICES=2 TORRE=$gpu refuses "a fault of several ranks of a process is reported once" \
  '^torre: 1 fault, nothing was run' run small.cfg --device gpu --devices 2 --ranks 3x1 --out no
ON_CPU_DEVICES=3 TORRE=$gpu refuses "too little device memory on devices of one process: status 2" \
  "schedule.device_memory: rank [01]'s part" run small.cfg --device gpu --devices 2 --out no --device-memory 0.0001
TORRE=$gpu refuses "too little device memory on a GPU: status 2 and the bytes" 'schedule.device_memory: the job needs' \
  run small.cfg --device gpu --out no --device-memory 0.0001
# Several runs of one process, each with the GPU of its own.
cat >dipole.cfg <<'END'
grid = { size = [504.0, 504.0, 504.0]; cell = 28.0; };
boundaries = { cpml = { thickness = 112.0; }; };
sources = ( { type = "electric_dipole"; position = [0.0, 0.0, 0.0]; axis = "z";
  time = { type = "pulse"; wavelength = 300.0; band = 200.0; }; } );
monitors = ( { type = "flux_box"; name = "out"; box = { lo = [-84.0, -84.0, -84.0]; hi = [84.0, 84.0, 84.0]; };
  wavelengths = [300.0]; } );
run = { time_fs = 1.0; tolerance = 1e9; };
END
# Three devices a process, in one process and in two.
three=(--set 'grid.size=[1120.0,1904.0,504.0]' --set run.time_fs=0.3)
"$TORRE" run dipole.cfg -q --out three "${three[@]}" >three.txt 2>&1
for grid in 1x3 2x3; do
  launch=() devices=3
  if [[ $grid == 2x3 ]]; then
    command -v mpirun >/dev/null || continue
    launch=(mpirun --oversubscribe -n 2) devices=6
  fi
  ON_CPU_DEVICES=$devices timeout 1500 "${launch[@]}" "$gpu" run dipole.cfg -q --out three$grid --device gpu \
    --devices 3 --ranks $grid --th 4 "${three[@]}" >three$grid.txt 2>&1 &&
    grep -q "3 ranks in each process, a thread and a GPU each" three$grid/run.log && same_results three three$grid
  check "three devices a process, $grid: the CPU's files" $?
done
"$TORRE" study cells dipole.cfg --cells 36,28 --out study_cpu -q >study_cpu.txt 2>&1 &&
  "$gpu" study cells dipole.cfg --cells 36,28 --out study_gpu -q --device gpu >study_gpu.txt 2>&1 &&
  grep -q 'on GPU 0' study_gpu/cell-28/run.log && cmp -s study_cpu/study.csv study_gpu/study.csv
check "a study of several runs gives the CPU's numbers" $?
finish
