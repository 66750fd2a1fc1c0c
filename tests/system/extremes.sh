#!/usr/bin/env bash
# Input that was accepted once and spoiled results, took minutes or never ended: extreme values, thousands of objects in
# one place, ranks of different programs.
source "$TORRE_SOURCE/tests/system/lib.sh"

job=$TORRE_SOURCE/jobs/slab/job.cfg
sphere=$TORRE_SOURCE/jobs/gold-sphere/job.cfg
cat >small.cfg <<'END'
grid = { size = [20.0, 20.0, 20.0]; cell = 1.0; };
boundaries = { default = "pec"; };
sources = ( { type = "electric_dipole"; position = [0.0, 0.0, 0.0]; axis = "z";
              time = { type = "pulse"; wavelength = 500.0; band = 200.0; }; } );
run = { time_fs = 1.0; };
END

"$TORRE" run small.cfg --device cpu -q --overwrite --out thin --set grid.order=4 --set grid.size='[1.0,1.0,40.0]' \
  --set 'boundaries={default="pec";x_lo="periodic";x_hi="periodic";y_lo="periodic";y_hi="periodic";}' >/dev/null 2>&1
[[ $? != 136 && -s thin/run.json ]]
check "order 4 between periodic walls one cell apart runs" $?
refuses "a title that no file can hold" "title: a text of 70000 bytes, need at most 4096" \
  check small.cfg --set "title=\"$(printf 'a%.0s' {1..70000})\""
refuses "a radius whose square is 0" "radius: 1e-309 m, need a length from" \
  check "$sphere" --set 'monitors[0].radius=1e-300'
cp small.cfg ...cfg && "$TORRE" run ...cfg -q >/dev/null 2>&1 && [[ -s results/job/run.json && ! -e run.json ]]
check "a job file named ...cfg has a results folder of its own" $?
# Files that are no tables, layouts, surfaces: with what a terminal obeys, too, in their first line or in a later one.
printf 'root:s3cret\e]0;t\a\xe2\x80\xae:19000\n' >secret.txt
printf 'wavelength_nm,n,k\n500,1.5,0\n600,s3cret\e[31m,0\n' >late.txt
printf '0 1\n1 0 s3cret\e[31m\n' >pulse.txt
printf 'DATA:\n  - type: s3cret\e[31m\n' >type.yml
printf 'solid x\nfacet normal 0 0 1\nouter loop\nvertex 1 2 s3cret\e[31m\n' >late.stl
# no_quote NAME PATTERN ARGUMENTS...: refused, with nothing of the file's content.
no_quote() {
  refuses "$@"
  ! LC_ALL=C grep -q $'root\|s3cret\|[\e\a]\|\xe2\x80\xae' err.txt out.txt
  check "its content is not quoted" $?
}
for file in secret.txt:1 pulse.txt:2; do
  no_quote "a file that is no table of samples" "$file: got something else, need two numbers" \
    check small.cfg --set "sources[0].time={type=\"table\";file=\"${file%:*}\";}"
done
for file in secret.txt:1 late.txt:3 type.yml:2; do
  no_quote "a file that is no table of an index" "$file: got " \
    check small.cfg --set "media=({name=\"m\";table=\"${file%:*}\";fit={poles=2;};})"
  no_quote "nor for torre fit" "$file: got " fit "${file%:*}"
done
for of in 'gds:secret.txt:medium="Au";layer=1;lo=0.0;hi=3.0' 'stl:secret.txt:medium="Au"' \
  'stl:late.stl:medium="Au"' 'voxels:secret.txt:medium="Au";size=[8.0,8.0,8.0]' \
  'height_map:secret.txt:medium="Au";size=[8.0,8.0,8.0]' \
  'table:secret.txt:shapes=({type="sphere";medium="Au";radius=1.0;})'; do
  IFS=: read -r type file more <<<"$of"
  no_quote "objects of a file that has none, $type" "$file\": " \
    check small.cfg --set "objects=({type=\"$type\";file=\"$file\";${more:+$more;}})"
done
no_quote "a file that is no job" "secret.txt:1: syntax error" check secret.txt
no_quote "nor a machine" "secret.txt:1: syntax error" plan small.cfg --machine secret.txt

# Versions of the format.
"$TORRE" check small.cfg >out.txt && grep -q "no format_version: since format_version 2 pulses of dipoles" out.txt
check "check of a job of version 0.1 reports what has changed" $?
"$TORRE" check "$TORRE_SOURCE/jobs/reference.cfg" --set format_version=2 >out.txt
[[ $(grep -c 'note: format_version is earlier: since format_version 3 ' out.txt) == 3 ]] &&
  grep -q 'arrays in results.h5 are \[z\]\[y\]\[x\]' out.txt && grep -q 'a folder of its own, snapshots/NAME' out.txt &&
  grep -q 'pictures end at the 99.5th percentile' out.txt
check "and of one of version 2" $?
"$TORRE" check small.cfg --set format_version=3 >out.txt && ! grep -q format_version out.txt
check "and nothing of one of the present version" $?
refuses "a job of a later version" "format_version: got 4, need a whole number from 1 to 3" \
  check small.cfg --set format_version=4

# 20000 spheres in one place: of each medium and size, above and below each other.
{
  echo 'grid = { size = [100.0, 100.0, 100.0]; cell = 2.0; }; boundaries = { default = "pec"; };'
  echo 'run = { time_fs = 1.0; }; objects = ('
  awk 'BEGIN { for (i = 0; i < 20000; i++) printf "%s{ type = \"sphere\"; medium = \"%s\"; radius = %.4f; }\n",
    i ? "," : "", i % 3 ? "Au" : "Ag", 10 + (i * 7919) % 20000 / 1000 }'
  echo ');'
} >many.cfg
(ulimit -t 10 && "$TORRE" check many.cfg >out.txt 2>&1)
check "20000 objects in one place: checked in less than 10 s of processor time" $?

# 20000 shells around each other: every cell has about a thousand of them.
{
  echo 'grid = { size = [200.0, 200.0, 200.0]; cell = 5.0; }; boundaries = { default = "pec"; };'
  echo 'media = ( { name = "a"; index = 1.5; }, { name = "b"; index = 1.4; } );'
  echo 'run = { time_fs = 1.0; }; objects = ('
  awk 'BEGIN { for (i = 0; i < 20000; i++) printf "%s{ type = \"sphere\"; medium = \"%s\"; radius = %.4f; }\n",
    i ? "," : "", i % 2 ? "a" : "b", 95 - i * 95 / 20000 }'
  echo ');'
} >onion.cfg
(ulimit -t 10 && "$TORRE" check onion.cfg >out.txt 2>&1)
check "20000 shells around each other: checked in less than 10 s of processor time" $?

# No word of a command line comes back with what a terminal obeys: a code, a bell, a turn of the writing's direction.
odd=$'x\e[31m\a\xe2\x80\xae'
for words in "" "run --" "help " "run small.cfg --ranks=" "run small.cfg --set " "run small.cfg --sweep title=1," \
  "show " "materials " "keys " "example " "fit " "bench --series=" "tune " "study " "classic "; do
  # shellcheck disable=SC2086
  "$TORRE" $words"$odd" >out.txt 2>&1
  [[ $? == 2 ]] && grep -q 'x?\[31m' out.txt && ! LC_ALL=C grep -q $'[\e\a]\|\xe2\x80\xae' out.txt
  check "torre ${words}x with control characters: refused, without them on the terminal" $?
done

# Whatever TH is, a plan measures no longer than it needs: stages of 100000 steps would take minutes.
(ulimit -t 30 && "$TORRE" plan "$job" --th 100000 --set boundaries.default='"pec"' >out.txt 2>&1)
check "a plan with --th 100000 ends" $?

# Ranks of another program, or with another command, would wait forever.
if command -v mpirun >/dev/null && "$TORRE" --version | grep -q "several, by MPI"; then
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  first=(timeout 60 mpirun --oversubscribe -n 1 "$TORRE" run "$job" --ranks 2x1 --out x)
  for command in check plan; do
    "${first[@]}" : -n 1 "$TORRE" $command "$job" >out.txt 2>&1
    [[ $? == 2 ]] && grep -q "rank 1 was started as torre $command, rank 0 as torre run" out.txt
    check "ranks with run and $command are refused" $?
  done
  source=$("$TORRE" --version | sed -n 's/^ *source *//p')
  LC_ALL=C sed "s/$source/${source//[0-9]/x}/g" "$TORRE" >other && chmod +x other
  "${first[@]}" : -n 1 ./other run "$job" --ranks 2x1 --out x >out.txt 2>&1
  [[ $? == 2 ]] && grep -q "rank 1 is torre .*x.*, rank 0 is torre" out.txt
  check "ranks of two versions of the program are refused" $?
fi

# The memory that a job may use is the least of what is free and of what limits leave.
large=(--set 'grid.size=[300.0,300.0,300.0]') # 0.7 GB
(ulimit -v 600000 && refuses "a job larger than ulimit -v" "has 0\\.[0-9]* GB left by the limit of its address space" \
  run small.cfg "${large[@]}" --threads 1 --out x)
(ulimit -v 600000 && "$TORRE" plan small.cfg --threads 1 >out.txt &&
  grep -q "left by the limit of its address space" out.txt)
check "plan names that limit" $?
# 160^3 cells with snapshots: a process has 215 MB of address space beside its arrays of 111 MB.
snapshots=(--set 'grid.size=[160.0,160.0,160.0]' --set run.time_fs=0.02 --threads 1 --set run.tolerance=1e9
  --set 'monitors=({type="snapshot";name="s";every_fs=0.005;components=["Ez"];})')
for limit in 300000 325000; do
  (ulimit -v $limit && "$TORRE" check small.cfg "${snapshots[@]}" >out.txt 2>&1)
  fits=$(sed -n 's/^\(fits\|does not fit\): .*ulimit -v.*/\1/p' out.txt)
  (ulimit -v $limit && "$TORRE" run small.cfg "${snapshots[@]}" --out limited -q --overwrite >out.txt 2>&1)
  status=$?
  [[ $limit,$fits,$status == "300000,does not fit,2" || $limit,$fits,$status == "325000,fits,0" ]]
  check "ulimit -v $limit: $fits, and run ends with $status" $?
done
group=/sys/fs/cgroup/memory/torre_test_$$
[[ -d /sys/fs/cgroup/memory ]] || group=/sys/fs/cgroup/torre_test_$$
if mkdir "$group" 2>/dev/null; then
  limit=$group/memory.limit_in_bytes
  [[ -e $limit ]] || limit=$group/memory.max
  if echo 400000000 >"$limit" 2>/dev/null; then
    (echo "$BASHPID" >"$group/cgroup.procs" &&
      refuses "a job larger than its control group" "has 0\\.[0-3][0-9]* GB left by the limit of its control group" \
        run small.cfg "${large[@]}" --out x)
  else
    echo "ok   (no limit of memory in a control group here: not tried)"
  fi
  rmdir "$group"
else
  echo "ok   (control groups cannot be made here: not tried)"
fi
finish
