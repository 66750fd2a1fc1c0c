#!/usr/bin/env bash
# Snapshots: the same files from every schedule, openPMD's validator, numbers against a probe, ParaView. The last three
# need h5py, openPMD-validator and pvpython, and are skipped where those are not installed.
source "$TORRE_SOURCE/tests/system/lib.sh"

job=job.cfg
reference_job >$job
"$TORRE" run "$job" --out one -q --engine stepwise --threads 1 >/dev/null
check "stepwise runs" $?
frames=4
has_pictures || frames=0
[[ $(find one/snapshots -name '*.h5' | wc -l) == 4 && $(find one/snapshots -name '*.xmf' | wc -l) == 5 &&
  $(find one/snapshots -name '*.png' | wc -l) == "$frames" ]]
check "files of all times, lists for viewers, $frames frames" $?
if ! has_pictures; then
  grep -q 'note: pictures are left out: this build has no cairo' one/run.log
  check "the log reports that a build without cairo leaves pictures out" $?
  [[ -z $(find one -name '*.png') ]] && ! grep -q 'png"' one/run.json && "$TORRE" check "$job" |
    grep -q 'pictures are left out'
  check "without cairo: no pictures, none in run.json, and torre check reports it" $?
fi
"$TORRE" run "$job" --out two -q --th 37 --dts 5 --threads 2 >/dev/null && same_results one two
check "diamond with other stages: the same files" $?
"$TORRE" run "$job" --out last -q --set 'monitors[8].every_fs=20.0001' >/dev/null &&
  [[ -s last/snapshots/volume/volume_00002308.h5 ]]
check "a time whose nearest step is the run's last one" $?
for folder in two/snapshots two/snapshots/plane; do # of an earlier version, and of this one
  mkdir -p $folder && (cd $folder &&
    touch plane_00000001.h5 plane_00000001.h5.part plane_Hz.xmf plane_Hz_000012.png plane_intensity_000012.png \
      mine_00000001.h5 mine.png)
done
"$TORRE" run "$job" --out two -q --overwrite >/dev/null &&
  rm two/snapshots/{,plane/}mine_00000001.h5 two/snapshots/{,plane/}mine.png && same_results one two
check "--overwrite removes snapshots of the earlier run and no other files" $?
for precision in fp32 fp64; do
  "$TORRE" run "$job" --out $precision -q --set grid.precision=$precision --set grid.order=4 >/dev/null
  check "$precision, order 4: runs" $?
done

# Pictures of several components together, on a logarithmic scale.
plane='image = true; image_scale = "log"; image_of = ["value", "E", "intensity"];
  box = { lo = [-30.0, -30.0, 0.0]; hi = [30.0, 30.0, 0.0]; };'
films=$(small_job 2.0 4.0)
echo "${films/components = \[\"Ez\"\];/$plane}" >films.cfg
"$TORRE" run films.cfg --out films -q >/dev/null && "$TORRE" run films.cfg --out films2 -q --th 7 --dts 3 >/dev/null &&
  same_results films films2
check "|E|, intensity, logarithmic: the same files from another schedule" $?
if has_pictures; then
  [[ $(cd films/snapshots/s && echo *_000001.png) == \
    "s_E_000001.png s_Ex_000001.png s_Ey_000001.png s_Ez_000001.png s_intensity_000001.png" ]]
  check "a picture of each" $?
fi

validator=$(command -v openPMD_check_h5)
if [[ -n $validator ]]; then
  for f in one/snapshots/*/*.h5 fp64/snapshots/*/*.h5; do
    "$validator" -i "$f" >validator.txt 2>&1 && grep -q "Result: 0 Errors" validator.txt
    check "openPMD's validator accepts $f" $?
  done
else
  echo "ok   (no openPMD_check_h5 here: not tried)"
fi

python=python3
[[ -n $validator ]] && python=$(dirname "$validator")/python
if "$python" -c 'import h5py, numpy' 2>/dev/null; then
  "$python" - <<'END'
import csv, glob, h5py, numpy as np, sys
bad = 0
for folder in ("one", "fp32", "fp64"):
    rows = {round(float(r["time_fs"]), 6): r for r in csv.DictReader(open(folder + "/tip.csv"))}
    compared = 0
    for path in glob.glob(folder + "/snapshots/plane/plane_*.h5"):
        f = h5py.File(path, "r")
        step = next(iter(f["/data"]))
        base = f["/data/" + step]
        row = rows.get(round(base.attrs["time"] * 1e15, 6))
        if row is None: continue  # the probe takes every second step
        e = base["meshes/E"]
        d = e["x"]
        spacing, offset = e.attrs["gridSpacing"], e.attrs["gridGlobalOffset"]
        place = [np.arange(n) * s + o + p * s for n, s, o, p in zip(d.shape, spacing, offset, d.attrs["position"])]
        probe = (5e-9, 0, 0)  # z, y, x [m]
        near = [np.flatnonzero(abs(p - at) < 0.501 * s) for p, at, s in zip(place, probe, spacing)]
        values = d[...][np.ix_(*near)]
        wanted = float(row["Ex_V_per_m"])
        compared += 1
        bad += not np.any(abs(values - wanted) <= 2e-7 * abs(wanted))
    bad += compared == 0
    print("    ", folder, compared, "times compared with the probe")
sys.exit(bad)
END
  check "the values are those of a probe at the same place and time" $?
else
  echo "ok   (no h5py here: numbers not tried)"
fi

if command -v pvpython >/dev/null; then
  pvpython - >pv.txt 2>&1 <<'END'
from paraview.simple import *
import sys
r = OpenDataFile("one/snapshots/volume/volume_Ex.xmf")
r.UpdatePipelineInformation()
times = list(r.TimestepValues)
s = Slice(Input=r)
s.SliceType.Normal = [0, 1, 0]
s.SliceType.Origin = [0, 5, 0]
s.UpdatePipeline(times[-1])
info = r.GetDataInformation()
b = info.GetBounds()
print(times, b, s.GetDataInformation().GetNumberOfPoints())
good = len(times) == 2 and abs(b[0] + 97.5) < 1e-6 and abs(b[4] + 100) < 1e-6 and b[5] < 100
good = good and info.GetNumberOfPoints() == 20 * 20 * 10
sys.exit(not (good and s.GetDataInformation().GetNumberOfPoints() == 200))
END
  check "ParaView reads the series, where it lies, and slices it: $(tail -n 1 pv.txt)" $?
  if command -v xvfb-run >/dev/null; then # ParaView draws on a display alone
    xvfb-run -a pvpython - >pv.txt 2>&1 <<'END'
from paraview.simple import *
r = OpenDataFile("one/snapshots/volume/volume_Ex.xmf")
r.UpdatePipelineInformation()
s = Slice(Input=r)
s.SliceType.Normal = [0, 1, 0]
s.SliceType.Origin = [0, 5, 0]
s.UpdatePipeline(list(r.TimestepValues)[-1])
view = CreateView("RenderView")
view.ViewTime = list(r.TimestepValues)[-1]
view.CameraPosition, view.CameraFocalPoint, view.CameraViewUp = [0, -500, 0], [0, 0, 0], [0, 0, 1]
SaveScreenshot("empty.png", view)
ColorBy(Show(s, view), ("POINTS", s.PointData[0].Name))
SaveScreenshot("slice.png", view)
END
    [[ -s empty.png && -s slice.png && $(stat -c %s slice.png) -gt $((2 * $(stat -c %s empty.png))) ]]
    check "ParaView draws the slice as a PNG" $?
  fi
else
  echo "ok   (no pvpython here: ParaView not tried)"
fi

# refuses NAME PATTERN ARGUMENTS...
refuses() {
  local name=$1 pattern=$2
  shift 2
  "$TORRE" check "$job" "$@" >out.txt 2>&1
  [[ $? == 2 ]] && grep -qE -- "$pattern" out.txt
  check "$name" $?
}
refuses "times_fs and every_fs at once" "times_fs or every_fs" --set 'monitors[8].times_fs=[1.0]'
refuses "a stride that is not a whole number" "whole numbers" --set 'monitors[8].stride=1.5'
refuses "too many snapshots" "need 1 to 1000000" --set 'monitors[8].every_fs=1e-9'
refuses "pictures of a volume" "lo = hi along one axis" --set 'monitors[8].image=true'
refuses "|E| of two components" 'image_of: got "E", need the components Ex, Ey, Ez too' \
  --set 'monitors[7].image_of=["value","E"]'
refuses "a limit of another word" 'image_limit: got "median", need a number from 0 to 1e.30, or "percentile"' \
  --set 'monitors[7].image_limit="median"'
refuses "times that fall" "times must increase" --set 'monitors[7].times_fs=[5.0, 3.0]'
refuses "times after the end" "the run ends" --set 'monitors[7].times_fs=[50.0]'
finish
