#!/usr/bin/env bash
# Requirements of a plane wave and its monitors on the scene: right numbers where they are met, refusals and warnings
# where not.
source "$TORRE_SOURCE/tests/system/lib.sh"

job() { # name, then parts by key=text
  local name=$1
  shift
  local grid='size = [480.0, 480.0, 480.0]; cell = 10.0; precision = "fp64";' \
    boundaries='default = "cpml"; cpml = { cells = 10; };'
  local objects='' box='box = { lo = [-100.0, -100.0, -100.0]; hi = [100.0, 100.0, 100.0]; };' \
    run='time_fs = 60.0; decay = 1e-8;' sources='' band=300.0
  local monitors='{ type = "flux_box"; name = "o"; box = { lo = [-130.0, -130.0, -130.0]; hi = [130.0, 130.0, 130.0]; };
    wavelengths = [500.0, 600.0, 700.0]; }'
  local "$@"
  cat >"$name.cfg" <<END
grid = { $grid };
boundaries = { $boundaries };
media = ( { name = "glass"; index = 1.5; }, { name = "dense"; index = 7.0; },
          { name = "magnetic"; index = 1.5; permeability = 2.0; },
          { name = "metal"; poles = ( { type = "drude"; plasma_eV = 9.0; gamma_eV = 0.07; } ); },
          { name = "across"; conductivity_S_per_m = [1e5, 0.0, 0.0]; } );
objects = ( $objects );
sources = ( { type = "plane_wave"; name = "wave"; direction = "+z"; polarisation = "x";
  $box time = { type = "pulse"; wavelength = 580.0; band = $band; }; } $sources );
monitors = ( $monitors );
run = { $run };
END
}
warns() { # name, pattern, job
  "$TORRE" check "$3.cfg" >out.txt 2>err.txt && grep -q 'no faults' out.txt && cat out.txt err.txt |
    grep -qE "warning: .*$2"
  check "$1" $?
}
silent() { # name, job
  "$TORRE" check "$2.cfg" >out.txt 2>err.txt && ! cat out.txt err.txt | grep -q 'warning'
  check "$1" $?
}

# --- Numbers ---
column='size = [20.0, 20.0, 1400.0]; cell = [20.0, 20.0, 5.0]; precision = "fp64";'
mirrors='default = "pec"; y_lo = "pmc"; y_hi = "pmc";
  z_lo = { type = "cpml"; cells = 40; }; z_hi = { type = "cpml"; cells = 40; };'
plane='{ type = "flux"; name = "t"; box = { lo = [-10.0, -10.0, 200.0]; hi = [10.0, 10.0, 200.0]; };
  wavelengths = [500.0, 600.0, 700.0]; }'
job substrate grid="$column" boundaries="$mirrors" objects='{ type = "layer"; medium = "glass"; lo = 0.0; }' box= \
  monitors="$plane" run='time_fs = 200.0; decay = 1e-10;'
silent "glass behind a wave without sides" substrate
"$TORRE" run -q substrate.cfg --out substrate
check "it runs" $?
near "T of glass, no box given" "$(cell substrate/spectra.csv fraction 600)" 0.96 3e-4

job downwards grid="$column" boundaries="$mirrors" objects='{ type = "layer"; medium = "glass"; hi = 0.0; }' box= \
  monitors="${plane//200.0/-200.0}" run='time_fs = 200.0; decay = 1e-10;'
sed -i 's/"+z"/"-z"/' downwards.cfg
"$TORRE" run -q downwards.cfg --out downwards
check "a wave downwards" $?
near "T of glass is above 0" "$(cell downwards/spectra.csv fraction 600)" 0.96 3e-4
[[ $(h5dump -y -d /monitors/t/planes downwards/results.h5 | grep -c -- '-2e-07') == 2 &&
  $(h5dump -a /monitors/t/fraction/units downwards/results.h5) == *'"1"'* ]]
check "results.h5 has its place and unit" $?

job interface objects='{ type = "layer"; medium = "glass"; hi = -100.0; }'
"$TORRE" run -q interface.cfg --out interface
check "an interface exactly at the front face" $?
near "it does not leak" "$(cell interface/spectra.csv fraction 600)" 0 1e-12

# A table with coarse steps, all of whose frequencies would alias.
awk 'BEGIN { for (t = 0; t <= 20; t += 0.5) print t, exp(-((t - 10) / 2) ^ 2) * cos(3.14 * (t - 10)) }' >table.txt
through='{ type = "flux"; name = "t"; box = { lo = [-50.0, -50.0, 0.0]; hi = [50.0, 50.0, 0.0]; };
  wavelengths = [500.0, 600.0, 700.0]; }'
job table monitors="$through" run='time_fs = 40.0;'
sed -i 's/time = { type = "pulse";.*}; } /time = { type = "table"; file = "table.txt"; }; } /' table.cfg
"$TORRE" run -q table.cfg --out table
check "a wave with a table" $?
near "fraction through an empty box" "$(cell table/spectra.csv fraction 600)" 1 1e-3

# The index holds the permeability: 1.5 with 2 has permittivity 1.125, and a wave impedance of 4/3.
job magnetic grid="$column" boundaries="$mirrors" objects='{ type = "layer"; medium = "magnetic"; lo = 0.0; }' box= \
  monitors="$plane" run='time_fs = 200.0; decay = 1e-10;'
"$TORRE" run -q magnetic.cfg --out magnetic
check "a magnetic half-space" $?
near "T of it" "$(cell magnetic/spectra.csv fraction 600)" 0.97959 3e-4

# --- Refusals ---
job film objects='{ type = "layer"; medium = "SiO2"; hi = 0.0; }'
refuses "a wave that enters in a built-in glass: the remedy" \
  '"SiO2".*has poles.*need a front face in a medium of constant index.*"SiO2_580nm"; index = 1.459;' check film.cfg
job bath objects= && sed -i '/^objects/i background = "SiO2";' bath.cfg
refuses "a dispersive background: the remedy" '"SiO2".*"SiO2_580nm"; index = 1.459;' check bath.cfg
job closed grid="$column" boundaries="$mirrors" objects='{ type = "layer"; medium = "glass"; lo = 0.0; }' \
  monitors="$plane" box='box = { lo = [-20.0, -20.0, -400.0]; hi = [20.0, 20.0, 400.0]; };'
refuses "a far face in another medium" 'two ends of the total-field box differ' check closed.cfg
job walls grid="$column" boundaries="${mirrors/default = \"pec\"/default = \"pmc\"}" box= monitors="$plane"
refuses "open sides at the wrong walls" 'open at x_lo' check walls.cfg
cross='{ type = "cross_section"; name = "c"; wavelengths = [500.0]; }'
job open monitors="$cross" box='box = { lo = [-100.0, -100.0, -100.0]; hi = [100.0, 100.0, 240.0]; };'
refuses "a cross-section whose box is open at an absorbing wall" 'open at z_hi, an absorbing boundary' check open.cfg
job dipole monitors="$cross" sources=', { type = "electric_dipole"; name = "d"; position = [0.0, 0.0, 0.0]; axis = "z";
  time = { type = "pulse"; wavelength = 580.0; band = 100.0; }; }'
warns "a cross-section beside a dipole" 'other sources than the plane wave' dipole
job bar monitors="$cross" objects='{ type = "box"; medium = "across"; size = [40.0, 190.0, 40.0]; }'
refuses "losses across the axis that leaves the inner box" 'objects\[0\].*beyond the inner flux box \(y \[' \
  check bar.cfg
job probe monitors='{ type = "probe"; name = "p"; position = [0.0, 0.0, 0.0]; every = 60; wavelengths = [500.0]; }'
warns "a probe that would alias" 'every = 60 steps undersamples' probe
for name in energy spectra spectra_o timeline; do
  job names monitors="{ type = \"probe\"; name = \"$name\"; position = [0.0, 0.0, 0.0]; }, { type = \"flux_box\";
    name = \"o\"; box = { lo = [-130.0, -130.0, -130.0]; hi = [130.0, 130.0, 130.0]; }; wavelengths = [500.0]; }"
  refuses "a probe named $name" "\"$name.csv\" is another table" check names.cfg
done
job narrow monitors='{ type = "flux"; name = "t"; box = { lo = [0.0, -50.0, 0.0]; hi = [2.0, 50.0, 0.0]; };
  wavelengths = [500.0]; }'
refuses "a plane narrower than a cell" 'narrower than a cell along x' check narrow.cfg

job flat monitors='{ type = "flux_box"; name = "o"; box = { lo = [-50.0, -50.0, 0.0]; hi = [50.0, 50.0, 2.0]; };
  wavelengths = [500.0]; }'
refuses "a flux box thinner than a cell" 'monitors\[0\] \(o\): the box is thinner than a cell along z' check flat.cfg

far() { # lo, hi, more: a far field's surface
  echo "{ type = \"far_field\"; name = \"f\"; box = { lo = [$1]; hi = [$2]; }; wavelengths = [500.0]; ${3:-} }"
}
job line monitors="$(far '0.0, 0.0, -120.0' '0.0, 0.0, 120.0')"
refuses "a far field of a line" 'agree along 2 axes.*a box or a plane' check line.cfg
job cut monitors="$(far '-120.0, -120.0, -90.0' '120.0, 120.0, 120.0')"
refuses "a far field whose surface cuts the total-field box" 'crosses or touches.*of wave' check cut.cfg
job deep monitors="$(far '-150.0, -120.0, -120.0' '120.0, 120.0, 120.0')"
refuses "a far field whose surface is in the layers" 'into the absorbing layers at x_lo' check deep.cfg
job media monitors="$(far '-120.0, -120.0, -120.0' '120.0, 120.0, 120.0')" \
  objects='{ type = "box"; medium = "glass"; center = [120.0, 0.0, 0.0]; size = [60.0, 60.0, 60.0]; }'
refuses "a far field through several media" 'crosses several media' check media.cfg
job around monitors="$(far '-120.0, -120.0, -120.0' '120.0, 120.0, 120.0' 'theta_deg = [190.0];')"
refuses "an angle from z above 180" 'theta_deg.*0 to 180' check around.cfg
job between monitors="$(far '-240.0, -240.0, 120.0' '240.0, 240.0, 120.0')" \
  boundaries='default = "pmc"; z_lo = "cpml"; z_hi = "cpml"; cpml = { cells = 10; };'
refuses "a far field between mirrors" 'mirrors on both sides along x' check between.cfg

rate='{ type = "decay_rate"; name = "r"; wavelengths = [500.0]; }'
job rate monitors="$rate" sources=', { type = "electric_dipole"; name = "d"; position = [0.0, 0.0, 0.0]; axis = "z";
  time = { type = "pulse"; wavelength = 580.0; band = 500.0; zero_mean = false; }; }'
refuses "a decay rate of a dipole that leaves charges" 'current of d has a mean.*need time.zero_mean' check rate.cfg

# --- Warnings ---
job crossed objects='{ type = "sphere"; medium = "glass"; radius = 150.0; }'
warns "an object through the faces" 'objects\[0\] of "glass" reaches through' crossed
job short run='time_fs = 5.0;'
warns "a run shorter than its source" 'ends before source wave' short
job narrowband band=50.0 monitors='{ type = "flux_box"; name = "o";
  box = { lo = [-130.0, -130.0, -130.0]; hi = [130.0, 130.0, 130.0]; }; wavelengths = [400.0]; }'
warns "a wavelength beside the pulse" 'at 400 nm the sources' narrowband
job coarse objects='{ type = "sphere"; medium = "dense"; radius = 60.0; }'
warns "few cells in a medium" 'in "dense" \(index 7\) a wavelength has' coarse
job slim grid='size = [50.0, 50.0, 1400.0]; cell = [50.0, 50.0, 2.0];' boundaries="$mirrors" \
  objects='{ type = "layer"; medium = "glass"; lo = -100.0; hi = 100.0; }' \
  box='box = { lo = [-25.0, -25.0, -300.0]; hi = [25.0, 25.0, 700.0]; };' monitors="${plane//10.0/25.0}" \
  run='time_fs = 60.0; decay = 1e-8;'
silent "one broad cell, across which no field varies" slim
job charge sources=', { type = "electric_dipole"; name = "d"; position = [0.0, 0.0, 0.0]; axis = "z";
  time = { type = "pulse"; wavelength = 550.0; band = 500.0; zero_mean = false; }; }'
warns "a dipole that leaves charges" 'source d: .*static charges' charge
job layer monitors="{ type = \"flux_box\"; name = \"o\";
  box = { lo = [-200.0, -130.0, -130.0]; hi = [130.0, 130.0, 130.0]; }; wavelengths = [500.0]; }"
warns "a flux box in an absorbing layer" 'plane at x = -200 nm lies in an absorbing layer' layer
job face monitors="{ type = \"flux\"; name = \"t\"; box = { lo = [-50.0, -50.0, -100.0]; hi = [50.0, 50.0, -100.0]; };
  wavelengths = [500.0]; }"
warns "a plane on a face of the total-field box" 'plane at z = -100 nm lies on a face' face
job surface objects='{ type = "sphere"; medium = "metal"; radius = 50.0; }' run='time_fs = 90.0;' \
  sources=', { type = "electric_dipole"; name = "d"; position = [0.0, 0.0, 46.0]; axis = "z";
    time = { type = "pulse"; wavelength = 580.0; band = 100.0; }; }'
warns "a dipole in a metal's surface cell" 'source d: the dipole lies in a cell on the surface' surface
sed 's/0.0, 0.0, 46.0/0.0, 0.0, 66.0/' surface.cfg >near.cfg
warns "a dipole near a metal" 'source d: [12].[05] cells from a dispersive medium' near
sed 's/0.0, 0.0, 46.0/0.0, 0.0, 100.0/; s/radius = 50.0/radius = 15.0/' surface.cfg >away.cfg
silent "and away from it" away
sed 's/0.0, 0.0, 46.0/0.0, 0.0, 80.5/; s/radius = 50.0/radius = 10.0/' surface.cfg >near7.cfg
warns "7 cells from it" 'source d: 7.5 cells from a dispersive medium' near7
sed 's/0.0, 0.0, 46.0/0.0, 0.0, 90.5/; s/radius = 50.0/radius = 10.0/' surface.cfg >near8.cfg
silent "8 cells from it" near8
job astray objects='{ type = "sphere"; medium = "glass"; center = [0.0, 0.0, 400.0]; radius = 50.0; }'
warns "an object outside the domain" 'objects\[0\] of "glass" lies outside the domain: .* x \[350, 450\] nm' astray
job speck objects='{ type = "sphere"; medium = "glass"; radius = 0.05; }'
warns "an object in other units" 'objects\[0\] of "glass" is smaller than half a cell: 0.1 x 0.1 x 0.1 nm' speck
job soon run='time_fs = 90.0; decay = 1e-4;' \
  sources=', { type = "electric_dipole"; name = "d"; position = [0.0, 0.0, 0.0]; axis = "z";
    time = { type = "pulse"; wavelength = 580.0; band = 100.0; }; }'
warns "a decay against a dipole's near field" 'run.decay = 1.0e-04 counts from .* the near field of the dipole d' soon
job whole monitors='{ type = "flux_box"; name = "o";
  box = { lo = [-240.0, -240.0, -240.0]; hi = [240.0, 240.0, 240.0]; }; wavelengths = [500.0]; }'
warns "a flux box as large as the domain" \
  'monitor o: the box reaches through .* at x_lo x_hi y_lo y_hi z_lo z_hi: no power' whole
slice='type = "slice"; name = "s"; axis = "y"; position = 0.0; component = "Ex"; image = false;'
job early monitors="{ $slice times_fs = [0.0, 3.0]; }"
warns "a slice before the first step" 'monitor s: 1 of its times, from 0 fs, lie before the first time step' early
job twice monitors='{ type = "snapshot"; name = "s"; times_fs = [3.0, 3.001]; }'
warns "two snapshots in one step" 'monitor s: 1 of its times fall on the time step of the one before' twice
job seldom monitors='{ type = "energy"; every = 100000; }' run='time_fs = 60.0;'
warns "an energy that is never summed" 'summed every 100000 steps, and the run has [0-9]+: there is no sample' seldom
job late monitors="{ $slice times_fs = [3.0, 59.0]; }, { type = \"snapshot\"; name = \"b\"; every_fs = 5.0;
    box = { lo = [0.0, 0.0, 0.0]; hi = [0.0, 0.0, 0.0]; }; }" run='time_fs = 60.0; decay = 1e-4;'
silent "times after a decay" late
"$TORRE" run -q late.cfg --out late >out.txt 2>&1
grep -q 'warning: monitor s: the run ended at .* before 1 of its 2 times.*; 1 more like it: b$' late/run.log &&
  grep -qE '"warnings": 1,' late/run.json
check "are reported at the run's end" $?
job good objects=
silent "a good job" good

job still run='time_fs = 60.0; decay = 1e-4;'
sed -i 's/name = "wave";/name = "wave"; amplitude = 0.0;/' still.cfg
"$TORRE" run -q still.cfg --out still >out.txt 2>&1
grep -q 'warning: all [0-9]* energy samples are zero' still/run.log
check "a source without amplitude" $?

# --- A plane along the wave has no fraction: no picture, no failure ---
job along monitors='{ type = "flux"; name = "t"; box = { lo = [0.0, -50.0, -50.0]; hi = [0.0, 50.0, 50.0]; };
  wavelengths = [500.0, 600.0, 700.0]; }' run='time_fs = 3.0; tolerance = 1e9;'
"$TORRE" run -q along.cfg --out along 2>err.txt
check "a plane along the wave" $?
[[ ! -e along/spectra.png ]]
check "has no picture of fractions" $?

# --- Energy summed from the first step on grows by any factor before the wave arrives: that is not an instability ---
cat >quiet.cfg <<'END'
length_unit = "nm";
grid = { size = [300.0, 200.0, 200.0]; cell = 10.0; order = 4; };
boundaries = { cpml = { cells = 4; }; };
sources = ( { type = "plane_wave"; name = "wave"; direction = "+x"; polarisation = "z";
  box = { lo = [-45.0, -15.0, -15.0]; hi = [45.0, 15.0, 15.0]; };
    time = { type = "pulse"; wavelength = 123.7; band = 120.0; }; } );
monitors = ( { type = "energy"; name = "all"; every = 1; } );
run = { time_fs = 1.25; };
END
"$TORRE" run -q quiet.cfg --out quiet 2>err.txt
check "a broad pulse, the energy of each step" $?
sed 's/"pulse".*120.0;/"continuous"; wavelength = 123.7; rise_fs = 0.05;/' quiet.cfg >abrupt.cfg
"$TORRE" run -q abrupt.cfg --out abrupt 2>err.txt
check "a wave that begins abruptly" $?
printf '0 0\n0.004 1\n0.008 -1\n0.012 0\n' >blow.txt
sed 's/"pulse".*120.0;/"table"; file = "blow.txt";/' quiet.cfg >blow.cfg
"$TORRE" run -q blow.cfg --out blow 2>err.txt
check "a table of one step" $?
finish
