# Shared by the scripts here: ok and fail lines, and checks on numbers. Not a test itself.
# shellcheck shell=bash
set -u
failures=0
# Tests run side by side, with more threads and ranks than there are cores: a waiting thread yields its core. Open MPI's
# ranks spin even with --oversubscribe unless this is set: four on two busy cores took 150 s where they take 20 s.
export OMP_WAIT_POLICY=passive OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1

# check NAME STATUS: one line of the verdict.
check() {
  if [[ $2 == 0 ]]; then echo "ok   $1"; else echo "fail $1" && failures=$((failures + 1)); fi
}

# Whether the program was built with cairo, so that it draws pictures.
has_pictures() { "$TORRE" --version | grep -q 'pictures *by cairo'; }

# find_python MODULE...: sets `python` to the first python3 that has the modules; skips the test where there is none.
find_python() {
  local modules=$* candidate
  for candidate in python3 /usr/bin/python3; do
    "$candidate" -c "import ${modules// /, }" 2>/dev/null && python=$candidate && return
  done
  echo "skipped: no python3 with ${modules// /, } (TORRE_PYTHON_PACKAGES in jobs/install.sh)"
  exit 77
}

# python_tests MODULE...: runs tests/python/test_MODULE.py by `python`, each as one check; prints the tests that passed
# and their lines of measured values.
python_tests() {
  local module status
  export PYTHONPATH=$TORRE_SOURCE/src/python PYTHONDONTWRITEBYTECODE=1 MPLBACKEND=Agg MPLCONFIGDIR=$PWD/matplotlib
  export OMP_NUM_THREADS=1
  for module; do
    "$python" "$TORRE_SOURCE/tests/python/test_$module.py" -v >out.txt 2>&1
    status=$?
    sed -n 's/^\(test_[a-z_0-9]*\) .*\.\.\. ok$/ok   \1/p; /: value .*, off by /p' out.txt
    check "all tests of $module" "$status"
    ((status)) && cat out.txt
  done
}

# near NAME VALUE WANTED TOLERANCE: |VALUE - WANTED| <= TOLERANCE, and both are numbers.
near() {
  awk -v v="$2" -v w="$3" -v t="$4" 'BEGIN { d = v - w; if (d < 0) d = -d; exit !(v ~ /[0-9]/ && d <= t) }'
  check "$1: $2, wanted $3 +- $4" $?
}

# reference_job [ARGUMENTS of sed...]: the reference job, which has every feature, changed by sed, on stdout; its tables
# come into this folder. With 5 wavelengths in place of 31, 3 samples in place of 8, and without the pictures of the
# field monitor and the slice: they took most of a short run's time and of its checkpoints
# (docs/measurements/test-times.md). Without the source and the monitor of modes, whose solver is not in each build and
# ends the run when it has no memory; without resonances in a build without LAPACK.
reference_job() {
  local without=()
  "$TORRE" --version | grep -q 'resonances by LAPACK' || without=(-e '/{ type = "resonances"; name/,/from_fs = /d')
  cp "$TORRE_SOURCE"/jobs/reference_* .
  sed -e '/name = "near"/,/image_scale/s/image = true;/image = false;/' \
    -e '/name = "film"/,/image = /s/image = true;/image = false;/' \
    -e 's/count = 31;/count = 5;/; s/samples = 8;/samples = 3;/' \
    -e '/{ type = "mode"; direction/,/ time = /d' -e '/{ type = "mode"; name/,/reference = /d' \
    "${without[@]}" "$@" "$TORRE_SOURCE/jobs/reference.cfg"
}

# For reference_job: cells of 8 nm in place of 5, layers of 4 and 3 cells, without the beam, which needs finer ones. A
# quarter of the cells, of all kinds; the time step is 1.6 times as long.
# shellcheck disable=SC2034
coarse=(-e 's/  cell = 5.0;/  cell = 8.0;/; s/cells = 8;/cells = 4;/; s/cells = 6;/cells = 3;/'
  -e 's/margin = 2;/margin = 1;/' -e '/{ type = "gaussian_beam"/,/ time = /d')

# cell FILE COLUMN KEY: from a CSV file the value of COLUMN in the row whose first value is KEY.
cell() {
  awk -F, -v c="$2" -v k="$3" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == c) n = i }
    NR > 1 && ($1 - k < 1e-3) && (k - $1 < 1e-3) && n { print $n; exit }' "$1"
}

# until_there GLOB [TIMES]: waits until a file is there, TIMES (600) times 50 ms at most.
until_there() {
  local i
  for ((i = 0; i < ${2:-600}; i++)); do
    compgen -G "$1" >/dev/null && break
    sleep 0.05
  done
}

# same_results A B: two results folders hold the same files, byte for byte, but for run.json and run.log.
same_results() {
  local file list
  list=$(cd "$1" && find . -type f ! -name 'run.*' ! -path './checkpoint/*' | sort)
  [[ -n $list && $list == "$(cd "$2" && find . -type f ! -name 'run.*' ! -path './checkpoint/*' | sort)" ]] || return 1
  for file in $list; do
    cmp -s "$1/$file" "$2/$file" || return 1
  done
}

# ends NAME STATUS PATTERN ARGUMENTS...: `torre run` ends with this status and a message that matches, within as many
# seconds as ends_within has, 0: any.
ends_within=0
ends() {
  local name=$1 wanted=$2 pattern=$3 status
  shift 3
  timeout "$ends_within" "$TORRE" run "$@" >out.txt 2>&1
  status=$?
  [[ $status == "$wanted" ]] && grep -qE -- "$pattern" out.txt
  check "$name" $?
  [[ $status == "$wanted" ]] || { echo "     exit status $status" && head -n 4 out.txt; }
}

# ready_jobs LEAST NAME...: at least so many jobs that a page names, each of which torre example writes.
ready_jobs() {
  local least=$1 job
  shift
  (($# >= least))
  check "the page has ready jobs: $*" $?
  for job; do
    "$TORRE" example "$job" >out.txt # without faults and warnings: faults.sh
    check "$job: written by torre example" $?
  done
}

# small_job EVERY TIME: a job of 12^3 cells with a probe and a snapshot each EVERY fs, TIME fs long.
small_job() {
  cat <<END
grid = { size = [60.0, 60.0, 60.0]; cell = 5.0; };
boundaries = { default = "pec"; };
sources = ( { type = "electric_dipole"; position = [0.0, 0.0, 0.0]; axis = "z"; amplitude = 1e-12;
              time = { type = "pulse"; wavelength = 500.0; band = 200.0; phase_deg = 90.0; }; } );
monitors = ( { type = "probe"; name = "p"; position = [10.0, 0.0, 0.0]; wavelengths = [500.0]; },
             { type = "snapshot"; name = "s"; every_fs = $1; components = ["Ez"]; } );
run = { time_fs = $2; tolerance = 1e9; };
END
}

# refuses NAME PATTERN ARGUMENTS...: exit status 2 and a message that matches.
refuses() {
  local name=$1 pattern=$2
  shift 2
  "$TORRE" "$@" >out.txt 2>err.txt
  local status=$?
  [[ $status == 2 ]] && grep -qE -- "$pattern" err.txt
  check "$name" $?
  [[ $status == 2 ]] || { echo "     exit status $status" && head -3 err.txt; }
}

finish() { exit $((failures > 0)); }

# needs_commands COMMAND...: ends the test as skipped where one is missing; as failed with TORRE_NEED_BATCH=1.
needs_commands() {
  local command
  for command in "$@"; do
    command -v "$command" >/dev/null && continue
    if [[ ${TORRE_NEED_BATCH:-0} == 1 ]]; then echo "fail $command is missing" && exit 1; fi
    echo "no $command" && exit 77
  done
}

# free_ports N: numbers of N free TCP ports of this machine.
free_ports() {
  python3 -c 'import socket, sys
s = [socket.socket() for _ in range(int(sys.argv[1]))]
for x in s: x.bind(("127.0.0.1", 0))
print(*(x.getsockname()[1] for x in s))' "$1"
}

# waits SECONDS COMMAND...: until the command succeeds; false after so many seconds.
waits() {
  local end=$((SECONDS + $1))
  shift
  until "$@" >/dev/null 2>&1; do
    ((SECONDS < end)) || return 1
    sleep 0.2
  done
}

# batch_job FEMTOSECONDS: a vacuum of 64 x 128 x 32 cells and a probe; its results depend on each step.
batch_job() {
  cat <<END
grid = { size = [320.0, 640.0, 160.0]; cell = 5.0; };
boundaries = { default = "pec"; };
sources = ( { type = "electric_dipole"; position = [0.0, 0.0, 0.0]; axis = "z";
              time = { type = "pulse"; wavelength = 150.0; band = 150.0; }; } );
monitors = ( { type = "probe"; name = "p"; position = [100.0, 0.0, 0.0]; wavelengths = [150.0]; } );
run = { time_fs = $1; tolerance = 1e9; };
END
}
