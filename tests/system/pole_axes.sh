#!/usr/bin/env bash
# Poles with a strength for each axis: a wave along each polarisation passes a slab as one of an isotropic medium with
# the strengths along it; in turned jobs, too; the same bits stepwise and by towers; faults.
source "$TORRE_SOURCE/tests/system/lib.sh"

# job AXIS POLES: a slab across the axis.
job() {
  local size=(60.0 60.0 60.0) walls="" low=() high=() axis=$1 a
  for a in 0 1 2; do
    if [[ ${axes[a]} == "$axis" ]]; then
      size[a]=2000.0 low[a]=-500.0 high[a]=1e5 behind[a]=500.0 ahead[a]=500.0
    else
      low[a]=-30.0 high[a]=30.0 behind[a]=-30.0 ahead[a]=30.0
      walls+="${axes[a]}_lo = \"periodic\"; ${axes[a]}_hi = \"periodic\"; "
    fi
  done
  cat <<CFG
format_version = 3;
grid = { size = [$(list "${size[@]}")]; cell = 10.0; precision = "fp64"; };
boundaries = { $walls };
media = ( { name = "slab"; permittivity = 2.0; poles = ( $2 ); } );
objects = ( { type = "layer"; medium = "slab"; axis = "$axis"; lo = -100.0; hi = 103.0; } );
sources = ( { type = "plane_wave"; box = { lo = [$(list "${low[@]}")]; hi = [$(list "${high[@]}")]; };
              direction = "+$axis"; polarisation = "$3";
              time = { type = "pulse"; wavelength = 500.0; band = 200.0; }; } );
monitors = ( { type = "flux"; name = "t"; box = { lo = [$(list "${behind[@]}")]; hi = [$(list "${ahead[@]}")]; };
               wavelengths = [450.0, 500.0, 600.0]; } );
run = { time_fs = 40.0; tolerance = 1e9; };
CFG
}
axes=(x y z)
behind=() ahead=()
list() { local IFS=,; echo "$*"; }
poles() { # STRENGTHS of the Lorentz, the Drude and the Debye pole
  echo "{ type = \"lorentz\"; delta_eps = $1; omega_eV = 3.0; gamma_eV = 0.2; },"
  [[ $2 == 0.0 ]] || echo "{ type = \"drude\"; plasma_eV = $2; gamma_eV = 0.1; },"
  echo "{ type = \"debye\"; delta_eps = $3; tau_fs = 2.0; }"
}
lorentz=(1.5 0.7 -0.2) drude=(3.0 0.0 1.0) debye=(0.0 0.5 1.0)
for case in "z y 1" "x z 2" "y x 0"; do
  read -r axis polarisation a <<<"$case"
  three=("[$(list "${lorentz[@]}")]" "[$(list "${drude[@]}")]" "[$(list "${debye[@]}")]")
  job "$axis" "$(poles "${three[@]}")" "$polarisation" >all.cfg
  job "$axis" "$(poles "${lorentz[a]}" "${drude[a]}" "${debye[a]}")" "$polarisation" >one.cfg
  for name in all one; do "$TORRE" run $name.cfg -q --overwrite --out $name 2>err.txt || cat err.txt; done
  paste -d, all/spectra.csv one/spectra.csv | awk -F, 'NR > 1 { n++; d = $3 / $6 - 1
    if (d > 1e-10 || d < -1e-10) bad = 1 } END { exit !(n == 3 && !bad) }'
  check "along $axis, E along $polarisation: as the isotropic medium" $?
done
"$TORRE" run all.cfg -q --overwrite --out stepwise --set 'schedule.engine="stepwise"' 2>err.txt
cmp all/spectra.csv stepwise/spectra.csv
check "stepwise: the same bits" $?
refuses "a turned medium" 'media\[0\].rotate_deg: only the permittivity is rotated' check all.cfg \
  --set 'media[0].permittivity=[2.0,2.1,2.2]' --set media[0].rotate_deg=30.0
refuses "no strength at all" 'plasma_eV: all three are 0' check all.cfg \
  --set 'media[0].poles[1].plasma_eV=[0.0,0.0,0.0]'
refuses "a magnetic field" 'cyclotron_eV: the pole.s strength depends on the axis' check all.cfg \
  --set media[0].poles[1].cyclotron_eV=0.1
finish
