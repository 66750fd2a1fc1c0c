#!/usr/bin/env bash
# Results that all processes write together by parallel HDF5: the values of one process, checksums. A disk that is full
# or fails is a warning and status 1: nothing else is lost, and --restart completes the results. A process that is
# killed while it writes leaves no file under the final name. Without a parallel HDF5 the program builds, writes the
# same values and reports it.
source "$TORRE_SOURCE/tests/system/lib.sh"
command -v mpirun >/dev/null && command -v h5diff >/dev/null || { echo "no mpirun or no h5diff" && exit 77; }
"$TORRE" --version | grep -q "HDF5.*(parallel)" || { echo "built without parallel HDF5" && exit 77; }
export TORRE_HDF5_WRITERS=all # also of one machine
two() { timeout 300 mpirun --oversubscribe -n 2 "$@"; }

cat >big.cfg <<'JOB'
grid = { size = [80.0, 100.0, 320.0]; cell = 1.0; };
sources = ( { type = "electric_dipole"; position = [0.0, 0.0, 0.0]; axis = "z";
  time = { type = "pulse"; wavelength = 60.0; band = 30.0; }; } );
monitors = ( { type = "snapshot"; name = "all"; components = ["Ez", "Hx"]; times_fs = [0.06, 0.1]; },
  { type = "snapshot"; name = "small"; components = ["Hy"]; times_fs = [0.05, 0.1]; compression = 3;
    box = { lo = [-10.0, -10.0, -10.0]; hi = [20.0, 20.0, 20.0]; }; },
  { type = "field"; name = "near"; wavelengths = [50.0];
    box = { lo = [-30.0, -30.0, 0.0]; hi = [30.0, 30.0, 90.0]; }; },
  { type = "probe"; name = "tip"; position = [3.0, 4.0, 5.0]; } );
run = { time_fs = 0.1; tolerance = 1e9; };
checkpoint = { steps = 16; };
JOB
same_values() { # folder
  local f same=0
  [[ -s one/results.h5 && -s $1/results.h5 ]] || return 1
  while read -r f; do h5diff "one/$f" "$1/$f" || same=1; done < <(cd one && find . -name '*.h5')
  [[ $(cd one && find . -name '*.h5' | wc -l) == $(cd "$1" && find . -name '*.h5' | wc -l) ]] || same=1
  return $same
}
"$TORRE" run big.cfg --out one -q >/dev/null
check "one process" $?
for grid in 2x1 1x2; do
  two "$TORRE" run big.cfg --out "r$grid" -q --ranks $grid --th 8 --dts 4 >out.txt 2>&1
  check "$grid ranks" $?
  same_values "r$grid"
  check "$grid: the same values, in snapshots and results.h5" $?
done
cmp -s one/snapshots/small/small_00000029.h5 r2x1/snapshots/small/small_00000029.h5
check "written by all processes: other bytes than by one" $(($? == 0))
sums=0
for f in snapshots/all/all_00000035.h5:/data/35/meshes/E/z results.h5:/monitors/near/Ex/spectrum; do
  h5dump -H -p -d "${f#*:}" "r2x1/${f%:*}" | grep -q FLETCHER32 || sums=1
done
check "arrays have checksums" $sums

if [[ $(id -u) == 0 ]] && mkdir -p full && mount -t tmpfs -o size=30m tmpfs full 2>/dev/null; then
  two "$TORRE" run big.cfg --out full/r -q --ranks 2x1 --set checkpoint.steps=1000 >out.txt 2>&1
  [[ $? == 1 && -s full/r/run.json && -s full/r/snapshots/all/all_00000035.h5 &&
    ! -e full/r/snapshots/all/all_00000058.h5 ]] && grep -q "all_00000058.h5.* No space left" out.txt
  check "space for one file of two: a warning, the run continues" $?
  ((failures)) && cat out.txt
  umount full
else
  echo "ok   (no tmpfs here: full disk not tried)"
fi
if cc -shared -fPIC -O1 -o shim.so "$TORRE_SOURCE/tests/faults/shim.c" -ldl 2>/dev/null; then
  faulty=(env "LD_PRELOAD=$PWD/shim.so" FAULT_CALL=pwrite FAULT_AT=2)
  run=("$TORRE" run big.cfg --out cut -q --ranks 2x1)
  timeout 300 mpirun --oversubscribe -n 1 "${run[@]}" : \
    -n 1 "${faulty[@]}" FAULT_PATH=/all_00000035.h5 "${run[@]}" >out.txt 2>&1
  [[ $? == 1 ]] && grep -q "all_00000035.h5: writing on rank 1: " out.txt &&
    [[ ! -e cut/snapshots/all/all_00000035.h5 && -s cut/snapshots/all/all_00000058.h5 && -s cut/results.h5 ]]
  check "a write of rank 1 fails midway: a warning, no such file, all others" $?
  two "${run[@]}" --restart >out.txt 2>&1 && same_values cut
  check "--restart completes them" $?
  for rank in 0 1; do
    run=("$TORRE" run big.cfg --out "kill$rank" -q --ranks 2x1)
    first=("${run[@]}") second=("${faulty[@]}" FAULT_ERRNO=0 FAULT_PATH=/results.h5 "${run[@]}")
    ((rank)) || first=("${second[@]}") second=("${run[@]}")
    timeout 300 mpirun --oversubscribe -n 1 "${first[@]}" : -n 1 "${second[@]}" >out.txt 2>&1
    [[ $? != 0 && ! -e kill$rank/results.h5 && ! -e kill$rank/run.json ]]
    check "rank $rank is killed while it writes results.h5: no such file" $?
  done
  two "${run[@]}" --restart >out.txt 2>&1 && same_values kill1 && [[ ! -e kill1/results.h5.part ]]
  check "--restart writes it" $?
fi

# The engines do not depend on HDF5 and take half of the compiler's time: with make, those of the tests' build serve.
# The rest without optimisation: a third of the time.
cmake -S "$TORRE_SOURCE" -B build -DTORRE_HDF5_PARALLEL=OFF -DTORRE_TESTS=OFF -DCMAKE_BUILD_TYPE=Debug \
  "-DCMAKE_C_FLAGS_DEBUG=-O0 -DNDEBUG" >cmake.txt 2>&1 && {
  for engine in torre_engine_f32.dir torre_engine_f64.dir; do
    cp "$TORRE_BUILD/diamond/cpu/CMakeFiles/$engine"/*.o "build/diamond/cpu/CMakeFiles/$engine" 2>/dev/null
  done
  cmake --build build -j2 --target torre >make.txt 2>&1
}
check "it builds without parallel HDF5" $?
build/torre --version | grep -q "HDF5.*(serial)"
check "and reports it" $?
two build/torre run big.cfg --out serial -q --ranks 2x1 >out.txt 2>&1 && same_values serial
check "the same values" $?
cmp -s one/snapshots/small/small_00000029.h5 serial/snapshots/small/small_00000029.h5
check "by rank 0: the bytes of one process" $?
finish
