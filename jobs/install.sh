# shellcheck shell=bash
# Installs Debian and Ubuntu packages that are missing; to be sourced, not run.
#
#   source jobs/install.sh
#   torre_install "${TORRE_PACKAGES[@]}"
#
# Does nothing when all are there. On another system it says what is needed; set TORRE_SKIP_INSTALL=1 once you have it.

# shellcheck disable=SC2034  # used by the scripts that source this file
TORRE_PACKAGES=(build-essential cmake pkg-config libconfig-dev libcairo2-dev libhdf5-dev libopenmpi-dev openmpi-bin libhwloc-dev)
# shellcheck disable=SC2034
TORRE_TEST_PACKAGES=(libcmocka-dev libgsl-dev hdf5-tools libhdf5-openmpi-dev)

# Prints the packages among the arguments that are not installed.
torre_missing_packages() {
  local package
  for package in "$@"; do
    # pkg-config is provided by pkgconf on newer systems.
    [[ $package == pkg-config ]] && command -v pkg-config >/dev/null && continue
    [[ $(dpkg-query -W -f='${Status}' "$package" 2>/dev/null) == *"ok installed"* ]] || printf '%s\n' "$package"
  done
}

torre_install() {
  [[ ${TORRE_SKIP_INSTALL:-0} == 1 ]] && return 0
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    cat >&2 <<TEXT
This script installs packages on Debian 12 and Ubuntu 24.04 only. On this system please install, by hand:
  a C11 compiler with OpenMP, make, CMake 3.22 or newer, pkg-config, and the development files of libconfig, zlib and HDF5 (serial), hwloc, and cairo
  with FreeType for pictures
  (here called: $*)
then run this script again with TORRE_SKIP_INSTALL=1 in the environment.
TEXT
    return 1
  fi
  local -a missing=() as_root=()
  mapfile -t missing < <(torre_missing_packages "$@")
  ((${#missing[@]})) || return 0
  echo "Installing: ${missing[*]}"
  if [[ $(id -u) != 0 ]]; then
    if ! command -v sudo >/dev/null; then
      echo "Not root and no sudo: ask an administrator to run: apt-get install ${missing[*]}" >&2
      return 1
    fi
    as_root=(sudo)
  fi
  "${as_root[@]}" apt-get update -q || echo "apt-get update failed: going on with the package lists at hand" >&2
  if ! "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}"; then
    echo "The packages could not be installed: ${missing[*]}" >&2
    return 1
  fi
}
