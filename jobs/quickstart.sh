#!/usr/bin/env bash
# From a fresh clone to a result: installs missing packages, builds into build/, runs the gold sphere
# (jobs/gold-sphere) and compares its spectra with Mie's series. It may be run again at any time: finished steps are not
# repeated.
#
#   bash jobs/quickstart.sh [--no-install]
#
# On a terminal it asks before it installs; --no-install: it prints the apt line and ends with exit status 2.
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
job=jobs/gold-sphere/job.cfg
results=results/gold-sphere
cd "$top"

stop() { # what to do about it
  echo "quickstart: $1" >&2
  exit 1
}

case ${1:-} in
  '') ;;
  --no-install) export TORRE_NO_INSTALL=1 ;;
  *) echo "quickstart: unknown option $1; known: --no-install" >&2 && exit 2 ;;
esac

# shellcheck source=jobs/install.sh
source jobs/install.sh
torre_install "${TORRE_PACKAGES[@]}" || exit

echo "== Building (log: build/quickstart.log)"
mkdir -p build
if ! { cmake -S . -B build && cmake --build build -j"$(nproc)" --target torre mie_compare; } \
  >build/quickstart.log 2>&1; then
  tail -n 30 build/quickstart.log >&2
  stop "the build failed; if build/ came from another place, remove it and try again"
fi

if [[ -s $results/spectra.csv && $results/spectra.csv -nt $job && $results/spectra.csv -nt build/torre ]]; then
  echo "== $results exists already (remove it to run again)"
else
  echo "== Running $job"
  build/torre run "$job" --out "$results" --overwrite || stop "torre run $job failed, see above"
  [[ -s $results/spectra.csv ]] || stop "the run left no $results/spectra.csv"
fi

echo "== Comparing with Mie's series"
status=0
build/mie_compare "$results/spectra.csv" --medium Au --radius-nm 50 --limit-ext 3 --limit-sca 2 |
  tee build/mie_compare.txt || status=$?

echo
echo "picture:   $(find "$results" -name '*.png' | sort | head -n 1)"
echo "spectrum:  $results/spectra.csv"
grep '^largest deviation' build/mie_compare.txt || true
((status == 0)) || stop "the spectra deviate from Mie's series by more than 3 % (extinction) or 2 % (scattering)"
