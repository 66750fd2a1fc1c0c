#!/usr/bin/env bash
# Plane waves of any direction: an empty total-field box keeps them, planes across each axis have their power, engines
# and ranks agree; what such a wave cannot have is refused.
source "$TORRE_SOURCE/tests/system/lib.sh"

spot() { echo "{ type = \"flux\"; name = \"$1\"; box = { lo = [$2]; hi = [$3]; }; wavelengths = [200.0]; },"; }
job() { # name, keys of the wave, then parts by key=text
  local name=$1 angles=$2 order=2 precision=fp64 objects=''
  local box='box = { lo = [-50.0, -50.0, -50.0]; hi = [50.0, 50.0, 50.0]; };'
  shift 2
  (($#)) && local "$@"
  cat >"$name.cfg" <<END
grid = { size = [360.0, 360.0, 360.0]; cell = 10.0; precision = "$precision"; order = $order; };
boundaries = { default = "cpml"; cpml = { cells = 10; }; };
media = ( { name = "glass"; index = 1.5; }, { name = "lossy"; permittivity = 3.0; conductivity_S_per_m = 5e4; } );
objects = ( $objects );
sources = ( { type = "plane_wave"; name = "wave"; $angles $box
  time = { type = "pulse"; wavelength = 200.0; band = 150.0; }; } );
monitors = ( $(spot x '0.0, -30.0, -30.0' '0.0, 30.0, 30.0') $(spot y '-30.0, 0.0, -30.0' '30.0, 0.0, 30.0')
  $(spot z '-30.0, -30.0, 0.0' '30.0, 30.0, 0.0')
  { type = "flux_box"; name = "o"; box = { lo = [-70.0, -70.0, -70.0]; hi = [70.0, 70.0, 70.0]; };
    wavelengths = [200.0]; },
  { type = "field"; name = "f"; box = { lo = [-20.0, -20.0, 0.0]; hi = [20.0, 20.0, 0.0]; }; components = ["Ex", "Ey"];
    wavelengths = [200.0]; } );
run = { time_fs = 12.0; };
END
}
plane_job() { # name, polarisation
  cat >"$1.cfg" <<END
grid = { size = [360.0, 360.0]; cell = 10.0; precision = "fp64"; polarisation = "$2"; };
boundaries = { default = "cpml"; cpml = { cells = 10; }; };
sources = ( { type = "plane_wave"; name = "wave"; phi_deg = 206.565051;
  time = { type = "pulse"; wavelength = 200.0; band = 150.0; }; } );
monitors = ( $(spot x '0.0, -30.0' '0.0, 30.0') $(spot y '-30.0, 0.0' '30.0, 0.0')
  { type = "flux_box"; name = "o"; box = { lo = [-70.0, -70.0]; hi = [70.0, 70.0]; }; wavelengths = [200.0]; } );
run = { time_fs = 12.0; };
END
  sed -i 's/phi_deg = .*;/& distance = 50.0;/' "$1.cfg"
}
fits() { # name, planes
  "$TORRE" run -q "$1.cfg" --out "$1" --engine=stepwise --threads 1
  check "$1 runs" $?
  near "$1: nothing leaves the box" "$(cell "$1/spectra.csv" o.fraction 200)" 0 1e-26
  for a in $2; do near "$1: all of it passes $a" "$(cell "$1/spectra.csv" "$a.fraction" 200)" 1 1e-5; done
}

wave='theta_deg = 48.189685; phi_deg = 63.434949; psi_deg = 30.0;'
job wave "$wave"
fits wave 'x y z'
grep -q 'theta 48.1897, phi 63.4349 degrees, .* 1 : 2 : 2 along the axes' wave/run.log
check "the log has the direction" $?
[[ $(h5dump -y -a /monitors/f/incident/direction wave/results.h5) == *0.333333,\ 0.666667,\ 0.666667* ]]
check "results.h5 has it" $?
job circular 'theta_deg = 131.0; phi_deg = 200.0; polarisation = "left";' order=4
fits circular 'x y z'
# Through layers: sub-cell films, metals, glass with poles behind, order 4, the wave downwards; at normal incidence.
film='{ type = "layer"; medium = "Au"; lo = 3.0; hi = 24.0; }, { type = "layer"; medium = "SiO2"; lo = 24.0; }'
job glass "$wave" objects='{ type = "layer"; medium = "glass"; lo = 0.0; }'
job film 'theta_deg = 40.0; phi_deg = 25.0; polarisation = "left";' objects="$film"
job lossy 'theta_deg = 150.0; phi_deg = -25.0; psi_deg = 20.0;' order=4 \
  objects='{ type = "layer"; medium = "lossy"; lo = -21.0; hi = 14.0; },
  { type = "layer"; medium = "SiO2"; hi = -21.0; }'
job normal 'direction = "+z"; polarisation = "x";' objects="$film"
sed -i 's/time_fs = 12.0/time_fs = 7.0/' glass.cfg film.cfg lossy.cfg normal.cfg
for name in glass film lossy normal; do fits "$name" ''; done
grep -q 'theta_deg' film/spectra.csv && grep -q 'along the layers is that of all wavelengths' film/run.log
check "the angle of each wavelength is in the log and in spectra.csv" $?
plane_job TM TM
fits TM 'x y'
plane_job TE TE
fits TE 'x y'

early=(--set run.time_fs=4 --set run.tolerance=1e9)
for precision in fp32 fp64; do
  [[ $precision == fp32 ]] && film=''
  [[ $precision == fp64 ]] && film='{ type = "layer"; medium = "Au"; hi = 3.0; lo = -24.0; },' # a wave through layers
  job same "theta_deg = 100.0; phi_deg = -35.0; polarisation = \"right\";" precision=$precision \
    objects="$film { type = \"sphere\"; medium = \"glass\"; radius = 30.0; }"
  "$TORRE" run -q same.cfg --out "s$precision" --engine=stepwise --threads 2 "${early[@]}"
  "$TORRE" run -q same.cfg --out "d$precision" --engine=diamond --dts 2 --th 9 --threads 2 "${early[@]}"
  same_results "s$precision" "d$precision"
  check "$precision: towers have the same results" $?
done
if command -v mpirun >/dev/null && "$TORRE" --version | grep -q "several, by MPI"; then
  mpirun --oversubscribe -n 2 "$TORRE" run -q same.cfg --out ranks --engine=diamond --threads 1 "${early[@]}"
  same_results sfp64 ranks
  check "two ranks have the same results" $?
fi

job open "$wave" box='box = { lo = [-50.0, -50.0, -50.0]; hi = [50.0, 50.0, 200.0]; };'
refuses "a box that is open" 'angles needs a total-field box with a face on each side' check open.cfg
job entry "$wave" objects='{ type = "layer"; medium = "Au"; hi = 0.0; }'
refuses "a wave that enters in metal" 'enters through layers in "Au".*absorbs' check entry.cfg
job along 'theta_deg = 90.0;' objects='{ type = "layer"; medium = "glass"; lo = 0.0; }'
refuses "a wave along layers" 'travels along the layers' check along.cfg
job both "$wave direction = \"+z\";"
refuses "angles and a direction" 'direction: the wave has angles, too' check both.cfg
job neither 'polarisation = "x";'
refuses "neither" 'direction: missing, need it, theta_deg or phi_deg' check neither.cfg
job axis 'theta_deg = 30.0; polarisation = "x";'
refuses "an axis of E with angles" 'got "x" with angles, need "left" or "right"' check axis.cfg
job axial 'direction = "+z"; polarisation = "left";'
refuses "circular light along an axis" 'is for waves with angles' check axial.cfg
plane_job flat TM
sed -i 's/phi_deg/theta_deg = 3.0; phi_deg/' flat.cfg
refuses "theta in 2-D" 'theta_deg: is for 3-D jobs' check flat.cfg
finish
