# shellcheck shell=bash
# Installs Debian and Ubuntu packages that are missing; to be sourced, not run.
#
#   source jobs/install.sh
#   torre_install "${TORRE_PACKAGES[@]}" || exit
#
# Does nothing when all are there. On a terminal it asks first (Enter means yes); without one (container, CI, batch) it
# installs and prints so; it never reads from an input that is not a terminal. With TORRE_NO_INSTALL=1 in the
# environment (--no-install of the scripts) it prints the apt line and returns 2. On another system it prints what is
# needed; set TORRE_SKIP_INSTALL=1 once that is installed. Returns 0: all installed; 1: installation failed; 2: missing,
# and not to be installed.

# shellcheck disable=SC2034  # used by the scripts that source this file
TORRE_PACKAGES=(build-essential cmake pkg-config libconfig-dev libcairo2-dev libhdf5-dev libhdf5-openmpi-dev
  libopenmpi-dev openmpi-bin libhwloc-dev)
# Without these a build has no torre modes, and no resonances.
TORRE_OPTIONAL_PACKAGES=(libarpack2-dev libsuperlu-dev liblapack-dev)
# shellcheck disable=SC2034
TORRE_TEST_PACKAGES=(libcmocka-dev libgsl-dev hdf5-tools python3 clang-format-19)
# For the package src/python/torre_fdtd, whose test is skipped without these.
# shellcheck disable=SC2034
TORRE_PYTHON_PACKAGES=(python3-numpy python3-h5py python3-xarray python3-matplotlib)
# For docs/site.sh, the same.
# shellcheck disable=SC2034
TORRE_SITE_PACKAGES=(mkdocs)
# Batch systems, for the tests of jobs/batch (tests/run.sh --batch): not by default, as their packages start services
# where a system starts services on installation. msmtp-mta: a mail sender without a service, which Grid Engine's
# packages want.
# shellcheck disable=SC2034
TORRE_BATCH_PACKAGES=(slurmctld slurmd slurm-client slurm-wlm-basic-plugins munge msmtp-mta gridengine-master
  gridengine-exec gridengine-client)

# Prints the packages among the arguments that are not installed.
torre_missing_packages() {
  local package
  for package in "$@"; do
    # pkg-config is provided by pkgconf on newer systems.
    [[ $package == pkg-config ]] && command -v pkg-config >/dev/null && continue
    [[ $(dpkg-query -W -f='${Status}' "$package" 2>/dev/null) == *"ok installed"* ]] || printf '%s\n' "$package"
  done
}

# Installs the optional packages that are missing where there is no terminal to ask on; never fails.
torre_install_optional() { # what needs them, packages...
  local what=$1
  local -a missing=() as_root=()
  mapfile -t missing < <(torre_missing_packages "${@:2}")
  ((${#missing[@]})) || return 0
  [[ $(id -u) == 0 ]] || as_root=(sudo -n)
  if [[ ${TORRE_NO_INSTALL:-0} != 1 && ! -t 0 ]] && timeout 120 "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -q -y --no-install-recommends "${missing[@]}" </dev/null >/dev/null 2>&1; then
    echo "Installed, for $what: ${missing[*]}"
  else
    echo "Optional, for $what: ${as_root[*]:+sudo }apt-get install ${missing[*]}"
  fi
}

# Asks on a terminal whether the packages may be installed. Returns 0: yes, or there is no terminal.
torre_may_install() { # packages...
  local answer
  if [[ ! -t 0 || ! -t 2 ]]; then
    echo "Installing (no terminal to ask on; --no-install prevents it): $*"
    return 0
  fi
  read -r -p "Install these packages: $*? [Y/n] " answer || return 1
  [[ -z $answer || $answer == [Yy]* ]]
}

torre_install() { # packages...
  [[ ${TORRE_SKIP_INSTALL:-0} == 1 ]] && return 0
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    cat >&2 <<TEXT
This script installs packages on Debian 12 and Ubuntu 24.04 only. On this system please install, by hand:
  a C11 compiler with OpenMP, make, CMake 3.22 or newer, pkg-config, and the development files of libconfig, zlib and
  HDF5 (parallel, where there is MPI), hwloc, cairo with FreeType for pictures, ARPACK and SuperLU for modes of guides,
  LAPACK for resonances
  (here called: $*)
then run this script again with TORRE_SKIP_INSTALL=1 in the environment.
TEXT
    return 1
  fi
  local -a missing=() as_root=()
  mapfile -t missing < <(torre_missing_packages "$@")
  if ((!${#missing[@]})); then
    torre_install_optional "torre modes and resonances" "${TORRE_OPTIONAL_PACKAGES[@]}"
    return 0
  fi
  [[ $(id -u) == 0 ]] || as_root=(sudo)
  local line="${as_root[*]}${as_root:+ }apt-get install ${missing[*]}"
  if [[ ${TORRE_NO_INSTALL:-0} == 1 ]]; then
    printf 'Packages are missing; to install them:\n  %s\n' "$line" >&2
    return 2
  fi
  if ((${#as_root[@]})) && ! command -v sudo >/dev/null; then
    echo "Not root and no sudo: ask an administrator to run: apt-get install ${missing[*]}" >&2
    return 1
  fi
  if ! torre_may_install "${missing[@]}"; then
    printf 'Nothing was installed. To do it by hand:\n  %s\n' "$line" >&2
    return 2
  fi
  # Without a terminal sudo must not wait for a password, either.
  [[ -t 0 ]] || as_root=(${as_root:+sudo -n})
  "${as_root[@]}" apt-get update -q </dev/null || echo "apt-get update failed: the existing package lists are used" >&2
  if ! "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -q -y --no-install-recommends "${missing[@]}" </dev/null; then
    echo "The packages could not be installed: ${missing[*]}" >&2
    return 1
  fi
  torre_install_optional "torre modes and resonances" "${TORRE_OPTIONAL_PACKAGES[@]}"
}
