#!/usr/bin/env bash
# Plane waves with angles in periodic cells: a grating's orders carry all of the power, engines, ranks and a restart
# have the same bits, the walls' wave vector is that of the wave, and what does not fit together is refused.
source "$TORRE_SOURCE/tests/system/lib.sh"

# The cell's period lies along $2, light travels along the other axis; further keys of the walls and of the source.
plane_job() { # name, period's axis, polarisation, walls, source
  local size='600.0, 1500.0' o=y box='lo = [-300.0, -360.0]; hi = [300.0, 750.0];' phi=60.0
  local near='lo = [-300.0, -400.0]; hi = [300.0, -400.0];' far='lo = [-300.0, 400.0]; hi = [300.0, 400.0];'
  local rod='260.0, 310.0'
  if [[ $2 == y ]]; then
    size='1500.0, 600.0' o=x box='lo = [-360.0, -300.0]; hi = [750.0, 300.0];' phi=30.0 rod='310.0, 260.0'
    near='lo = [-400.0, -300.0]; hi = [-400.0, 300.0];' far='lo = [400.0, -300.0]; hi = [400.0, 300.0];'
  fi
  cat >"$1.cfg" <<END
grid = { size = [$size]; cell = 25.0; precision = "fp64"; polarisation = "$3"; };
boundaries = { default = "bloch"; ${o}_lo = "cpml"; ${o}_hi = "cpml"; ${4:-} };
media = ( { name = "glass"; index = 1.5; } );
objects = ( { type = "rectangle"; medium = "glass"; size = [$rod]; } );
sources = ( { type = "plane_wave"; name = "wave"; phi_deg = $phi; box = { $box };
  time = { type = "pulse"; wavelength = 500.0; band = 60.0; }; ${5:-} } );
monitors = ( { type = "flux"; name = "r"; box = { $near }; wavelengths = [500.0]; },
  { type = "flux"; name = "t"; box = { $far }; wavelengths = [500.0]; },
  { type = "orders"; name = "before"; axis = "$o"; position = -400.0; wavelengths = [500.0]; },
  { type = "orders"; name = "behind"; axis = "$o"; position = 400.0; wavelengths = [500.0]; } );
run = { time_fs = 300.0; decay = 1e-5; };
END
}
space_job() { # name, angles; x is open, so that towers and ranks along x run
  cat >"$1.cfg" <<END
grid = { size = [1000.0, 300.0, 250.0]; cell = 25.0; courant = 0.6; precision = "fp64"; averaging = "tensor"; };
boundaries = { default = "bloch"; x_lo = "cpml"; x_hi = "cpml"; cpml = { cells = 8; }; };
media = ( { name = "glass"; index = 1.5; } );
objects = ( { type = "sphere"; medium = "glass"; radius = 90.0; },
  { type = "sphere"; medium = "Au"; center = [80.0, 150.0, 100.0]; radius = 40.0; } );
sources = ( { type = "plane_wave"; name = "wave"; $2 time = { type = "pulse"; wavelength = 500.0; band = 60.0; }; } );
monitors = ( { type = "orders"; name = "behind"; axis = "x"; position = 170.0; wavelengths = [500.0]; },
  { type = "field"; name = "f"; box = { lo = [0.0, -150.0, -125.0]; hi = [0.0, 150.0, 125.0]; };
    components = ["Ex", "Ey", "Ez"]; wavelengths = [500.0]; } );
run = { time_fs = 12.0; };
checkpoint = { keep = true; };
END
}

for axis in x y; do
  for polarisation in TM TE; do
    name=$axis$polarisation
    plane_job "$name" "$axis" "$polarisation"
    "$TORRE" run -q "$name.cfg" --out "$name" --threads 1
    check "$name runs" $?
    near "$name: R and T are all of the power" "$(awk -v r="$(cell "$name/spectra.csv" r.fraction 500)" \
      -v t="$(cell "$name/spectra.csv" t.fraction 500)" 'BEGIN { print t - r }')" 1 1e-3
    near "$name: the orders behind are T" "$(awk -F, 'NR > 1 { sum += $3 * $6 } END { printf "%.9f", sum }' \
      "$name/behind_orders.csv")" "$(cell "$name/spectra.csv" t.fraction 500)" 1e-4
    near "$name: the angle is that given" "$(cell "$name/spectra.csv" t.theta_deg 500)" 30 1e-6
    near "$name: order 0 leaves at it" "$(awk -F, '$2 == 0 && $3 == 1 { print $4 }' "$name/behind_orders.csv")" 30 1e-4
  done
done
# One job in other axes; sums over the cell have another order.
near "both axes have the same grating" "$(cell xTM/spectra.csv r.fraction 500)" \
  "$(cell yTM/spectra.csv r.fraction 500)" 1e-8

space_job s 'theta_deg = 65.0; phi_deg = 20.0; polarisation = "left";'
sed 's/fp64/fp32/' s.cfg >s32.cfg
for name in s s32; do
  "$TORRE" run -q "$name.cfg" --out "$name" --engine=stepwise --threads 1
  "$TORRE" run -q "$name.cfg" --out "d$name" --engine=diamond --dts 2 --th 7 --threads 2
  same_results "$name" "d$name"
  check "$name: towers have the same results" $?
done
angle=$(awk 'BEGIN { d = atan2(0, -1) / 180; c = sin(65 * d) * cos(20 * d)
  printf "%.3f", atan2(sqrt(1 - c * c), c) - 5e-4 }')
[[ $(h5dump -y -a /monitors/f/incident/theta_rad s/results.h5) == *"$angle"* ]]
check "results.h5 has the angle" $?
"$TORRE" run -q s.cfg --out part --engine=diamond --threads 1 --set run.time_fs=5
"$TORRE" run -q s.cfg --out part --engine=diamond --threads 1 --restart
same_results s part
check "a run continued from a checkpoint has the same results" $?
if command -v mpirun >/dev/null && "$TORRE" --version | grep -q "several, by MPI"; then
  mpirun --oversubscribe -n 2 "$TORRE" run -q s.cfg --out ranks --engine=diamond --threads 1
  same_results s ranks
  check "two ranks have the same results" $?
fi

plane_job grazing x TM
"$TORRE" check grazing.cfg --set 'sources[0].time.band=400.0' >out.txt 2>&1
grep -q 'its band reaches the wavelength of 1000 nm, at which it travels along the walls' out.txt
check "a band with a wave along the walls is warned of" $?
plane_job steep x TM
sed -i 's/phi_deg = 60.0/phi_deg = 8.0/' steep.cfg
"$TORRE" check steep.cfg >out.txt 2>&1
grep -q 'need 32 cells, which return 0.1 %' out.txt
check "layers too thin for the angle are warned of" $?
plane_job at x TM '' 'angle_wavelength = 400.0;'
"$TORRE" check at.cfg >out.txt 2>&1
grep -q '30.00 degrees at 400 nm' out.txt
check "angles may be those of another wavelength" $?
plane_job both x TM 'k = 0.01;'
refuses "walls of another k" 'the walls have .* need "bloch" walls without k' check both.cfg
plane_job narrow x TM
sed -i 's/lo = \[-300.0, -360.0\]/lo = [-200.0, -360.0]/' narrow.cfg
refuses "a box that ends before the walls" 'ends at x_lo before the wall, but the cell is periodic' check narrow.cfg
plane_job inside x TM
sed -i 's/-360.0/-100.0/' inside.cfg
refuses "a face through the grating" 'a front face in one homogeneous medium' check inside.cfg
plane_job along x TM
sed -i 's/phi_deg = 60.0/phi_deg = 0.0/' along.cfg
refuses "a wave along the walls" 'travels along the periodic walls' check along.cfg
plane_job none x TM
sed -i 's/phi_deg = 60.0;/direction = "+y";/' none.cfg
refuses "walls without k" 'boundaries.k: missing' check none.cfg
finish
