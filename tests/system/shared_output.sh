#!/usr/bin/env bash
# Large snapshots that all ranks write together by parallel HDF5: the values of one process. A full disk is a warning; a
# write that fails midway ends the run, and leaves no file under the final name. Builds the program with
# -DTORRE_HDF5_PARALLEL=ON.
source "$TORRE_SOURCE/tests/system/lib.sh"
command -v mpirun >/dev/null && command -v h5diff >/dev/null || { echo "no mpirun or no h5diff" && exit 77; }
cmake -S "$TORRE_SOURCE" -B build -DTORRE_HDF5_PARALLEL=ON -DTORRE_TESTS=OFF >cmake.txt 2>&1 ||
  { echo "no parallel HDF5 here" && exit 77; }
cmake --build build -j2 --target torre >make.txt 2>&1
check "it builds" $?

cat >big.cfg <<'JOB'
grid = { size = [160.0, 200.0, 640.0]; cell = 1.0; };
sources = ( { type = "electric_dipole"; position = [0.0, 0.0, 0.0]; axis = "z";
  time = { type = "pulse"; wavelength = 60.0; band = 30.0; }; } );
monitors = ( { type = "snapshot"; name = "all"; components = ["Ez", "Hx"]; times_fs = [0.06, 0.1]; } );
run = { time_fs = 0.1; };
JOB
"$TORRE" run big.cfg --out one -q >/dev/null
check "one process, serial HDF5" $?
for grid in 2x1 1x2; do
  timeout 1500 mpirun --oversubscribe -n 2 build/torre run big.cfg --out "r$grid" -q --ranks $grid --th 8 \
    --dts 4 >out.txt 2>&1
  check "$grid ranks, parallel HDF5" $?
  same=0
  for f in one/snapshots/*/*.h5; do h5diff "$f" "r$grid/${f#one/}" || same=1; done
  check "$grid: the same values" $same
  h5dump -H -p -d /data/35/meshes/E/z "r$grid/snapshots/all/all_00000035.h5" | grep -q FLETCHER32
  check "$grid: written by all ranks" $(($? == 0))
done

if [[ $(id -u) == 0 ]] && mkdir -p full && mount -t tmpfs -o size=200m tmpfs full 2>/dev/null; then
  timeout 1500 mpirun --oversubscribe -n 2 build/torre run big.cfg --out full/r -q --ranks 2x1 >out.txt 2>&1
  [[ $? == 1 && -s full/r/run.json && -s full/r/snapshots/all/all_00000035.h5 &&
    ! -e full/r/snapshots/all/all_00000058.h5 ]] && grep -q "all_00000058.h5 was not written: No space left" out.txt
  check "space for one file of two: a warning, the run continues" $?
  umount full
else
  echo "ok   (no tmpfs here: full disk not tried)"
fi
if cc -shared -fPIC -O1 -o shim.so "$TORRE_SOURCE/tests/faults/shim.c" -ldl 2>/dev/null; then
  run=(build/torre run big.cfg --out cut -q --ranks 2x1)
  timeout 600 mpirun --oversubscribe -n 1 "${run[@]}" : -n 1 env LD_PRELOAD="$PWD/shim.so" FAULT_CALL=pwrite \
    FAULT_AT=2 FAULT_PATH=/snapshots "${run[@]}" >out.txt 2>&1
  [[ $? == 1 ]] && grep -q "all_00000035.h5: writing" out.txt && [[ ! -e cut/snapshots/all/all_00000035.h5 ]]
  check "a write of rank 1 fails midway: the run ends with the reason, no file under the final name" $?
fi
finish
