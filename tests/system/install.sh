#!/usr/bin/env bash
# Set-up of tests/run.sh and jobs/quickstart.sh with stand-ins for dpkg-query, apt-get and sudo: when they ask, when
# they install, and that they never wait on an input that is not a terminal. Nothing is installed.
source "$TORRE_SOURCE/tests/system/lib.sh"
command -v script >/dev/null || { echo "needs script (bsdutils)" && exit 77; }

mkdir -p bin tree/jobs tree/tests
mkfifo silent && exec 9<>silent # an input without any data
cp "$TORRE_SOURCE/jobs/install.sh" "$TORRE_SOURCE/jobs/quickstart.sh" tree/jobs
cp "$TORRE_SOURCE/tests/run.sh" tree/tests
# Only cmake is missing; once it is "installed" the stand-in for cmake ends both scripts at their build.
cat >bin/dpkg-query <<'END'
#!/bin/sh
for last; do :; done
[ "$last" = cmake ] && [ ! -e "$FAKE/installed" ] && exit 1
echo "install ok installed"
END
cat >bin/apt-get <<'END'
#!/bin/sh
echo "$*" >>"$FAKE/apt"
case $1 in install) touch "$FAKE/installed" ;; esac
END
printf '#!/bin/sh\n[ "$1" = -n ] && shift\nexec "$@"\n' >bin/sudo
printf '#!/bin/sh\ntouch "$FAKE/cmake"\nexit 1\n' >bin/cmake
chmod +x bin/*
export FAKE=$PWD PATH=$PWD/bin:$PATH
unset TORRE_SKIP_INSTALL TORRE_NO_INSTALL

fresh() { rm -f apt installed cmake out.txt; }
installed() { grep -q '^install .* cmake$' apt 2>/dev/null && [[ -e cmake ]]; }
on_terminal() { # what is typed, command...
  local typed=$1
  shift
  (sleep 1; printf '%s' "$typed"; sleep 2) | timeout 120 script -q -e -c "$*" typescript >out.txt 2>&1
}

for script in tests/run.sh jobs/quickstart.sh; do
  fresh
  timeout 120 bash "tree/$script" </dev/null >out.txt 2>&1
  [[ $? != 124 ]] && installed && grep -q "Installing (no terminal to ask on" out.txt
  check "$script without a terminal installs what is missing and reports it" $?

  fresh
  timeout 120 bash "tree/$script" <silent >out.txt 2>&1
  [[ $? != 124 ]] && installed
  check "$script does not wait on a silent pipe" $?

  fresh
  timeout 120 bash "tree/$script" --no-install </dev/null >out.txt 2>&1
  [[ $? == 2 ]] && [[ ! -e apt && ! -e cmake ]] && grep -qE '^ +(sudo )?apt-get install cmake$' out.txt
  check "$script --no-install prints the apt line and ends with status 2" $?

  fresh
  on_terminal $'\n' bash "tree/$script"
  installed && grep -q 'Install these packages: cmake? \[Y/n\]' out.txt
  check "$script on a terminal asks; Enter means yes" $?

  fresh
  on_terminal $'n\n' bash "tree/$script"
  [[ $? == 2 && ! -e apt && ! -e cmake ]] && grep -q 'apt-get install cmake' out.txt
  check "$script on a terminal: n installs nothing, status 2" $?

  fresh
  on_terminal $'n\n' bash "tree/$script" --no-install
  [[ $? == 2 && ! -e apt ]] && ! grep -q 'Install these packages' out.txt
  check "$script --no-install on a terminal does not ask" $?

  fresh && touch installed
  on_terminal '' bash "tree/$script"
  [[ ! -e apt && -e cmake ]] && ! grep -q 'Install these packages' out.txt
  check "$script does not ask when no package is missing" $?
done
finish
