#!/usr/bin/env bash
# Media that CPML amplifies: the advice of check, followed, and absorbers thinner than the default.
source "$TORRE_SOURCE/tests/system/lib.sh"

cat >wire.cfg <<'CFG'
format_version = 2;
grid = { size = [120.0, 120.0, 120.0]; cell = 5.0; };
objects = ( { type = "cylinder"; medium = "Al"; axis = "x"; radius = 10.0; height = 1e5; } );
sources = ( { type = "electric_dipole"; position = [0.0, 0.0, 0.0]; axis = "x"; amplitude = 1e-12;
              time = { type = "pulse"; wavelength = 600.0; band = 400.0; }; } );
monitors = ( { type = "energy"; every = 10; } );
run = { time_fs = 1.0; };
CFG

job=wire.cfg
# says COMMAND PATTERN ARGUMENTS...: status 0, and a line of the log matches.
says() {
  local command=$1 pattern=$2
  shift 2
  "$TORRE" "$command" "$job" --device cpu "$@" >out.txt 2>&1 && grep -qE -- "$pattern" out.txt
  check "$command $*: $pattern" $?
}

# 800 nm in place of 10 cells of CPML, 50 nm.
advice='boundaries = \{ x_lo = "absorber"; x_hi = "absorber"; \} with grid.size = \[1620, 120, 120\], which'
says check "$advice"
says check 'x_lo = "absorber"; \} with grid.size = .870, 120, 120.*; there all positions along x change by 375' \
  --set 'boundaries.x_hi="pmc"'
both=(--set 'boundaries={x_lo="absorber";x_hi="absorber";}')
refuses "absorbers of 160 cells in a domain of 24" 'absorbing layers of 160 \+ 160 cells leave none of 24 along x' \
  check wire.cfg "${both[@]}"
says check '^wire.cfg: no faults' "${both[@]}" --set 'grid.size=[1620.0,120.0,120.0]'
[[ $(grep -cE 'CPML|absorbers' out.txt) == 0 ]]
check "the advice, followed, leaves no warning of layers" $?
says check 'warning: absorbers of 0.5 wavelengths \(400 of 800 nm, the longest of the sources\) at x_lo x_hi' \
  --set 'boundaries={x_lo="absorber";x_hi="absorber";absorber={thickness=400.0;};}' \
  --set 'grid.size=[1700.0,120.0,120.0]'

# A face's own group, with and without one for all absorbers.
own='x_lo={type="absorber";cells=7;};x_hi={type="absorber";thickness=50.0;grade=2.0;};'
for all in '' 'absorber={cells=5;};'; do
  "$TORRE" run wire.cfg --device cpu -q --overwrite --out own --set "boundaries={$own$all}" --set run.time_fs=0.1 &&
    tr -d ' \n' <own/run.json >own.txt && grep -q '"x_lo":{"type":"absorber","cells":7,"grade":3,' own.txt &&
    grep -q '"x_hi":{"type":"absorber","cells":10,"grade":2,' own.txt
  check "faces with absorbers of their own, $all" $?
done

# A film nearly free of loss grows in the CPML of faces that it does not reach, too: absorbers at all.
cat >film.cfg <<'CFG'
grid = { size = [120.0, 5.0, 120.0]; cell = 5.0; };
boundaries = { y_lo = "pmc"; y_hi = "pmc"; };
media = ( { name = "free"; poles = ( { type = "drude"; plasma_eV = 5.0; gamma_eV = 0.01; } ); } );
objects = ( { type = "layer"; medium = "free"; axis = "z"; lo = -5.0; hi = 5.0; } );
sources = ( { type = "electric_dipole"; position = [0.0, 0.0, 20.0]; axis = "x"; amplitude = 1e-12;
              time = { type = "pulse"; wavelength = 600.0; band = 400.0; }; } );
monitors = ( { type = "energy"; every = 10; } );
run = { time_fs = 1.0; };
CFG
job=film.cfg
# A film of 2 nm and permittivity -8.148 at 750 nm: (9.148 / 7.148)^2 = exp(2 k 2 nm), 2 pi / k = 50.9 nm; 1.4 times
# exp(-2 k 4 nm) is 52 %, and 10 % comes back from 10.7 nm.
thin=(--set grid.cell=0.5 --set 'media[0].poles[0].gamma_eV=0.0' --set objects[0].lo=-1.0 --set objects[0].hi=1.0
  --set 'sources[0].position=[0.0,0.0,3.0]'
  --set 'monitors=({type="flux_box";wavelengths=[500.0,750.0];box={lo=[-1.0,-0.25,2.0];hi=[1.0,0.25,4.0];};})')
says check 'film of "free" beside it guides a wave of 50.9 nm, .*up to 52 % .*need grid.size = .32, 0.5, 34.$' \
  "${thin[@]}" --set 'grid.size=[20.0,0.5,20.0]'
says check '^film.cfg: no faults' "${thin[@]}" --set 'grid.size=[32.0,0.5,34.0]'
! grep -q 'guides a wave' out.txt
check "the advice, followed, leaves no warning of the film's wave" $?
cat >beam.cfg <<'CFG'
grid = { size = [5420.0, 20.0]; cell = 0.5; polarisation = "TE"; };
media = ( { name = "free"; poles = ( { type = "drude"; plasma_eV = 5.0; gamma_eV = 0.0; } ); } );
objects = ( { type = "layer"; medium = "free"; axis = "y"; lo = -1.0; hi = 1.0; } );
sources = ( { type = "gaussian_beam"; direction = "+y"; waist = 1200.0;
  box = { lo = [-2700.0, -4.0]; hi = [2700.0, -4.0]; };
  time = { type = "pulse"; wavelength = 600.0; band = 300.0; }; } );
monitors = ( { type = "flux"; wavelengths = [500.0, 750.0]; box = { lo = [-10.0, 3.0]; hi = [10.0, 3.0]; }; } );
run = { time_fs = 70.0; };
CFG
"$TORRE" check beam.cfg >out.txt 2>&1 && ! grep -q 'guides a wave' out.txt
check "a beam has no place at which it drives the film's wave" $?
# The absorbers that are advised there are as thick as this wave is long; in an inside of more than an eighth of light's
# wavelength, and where a film's wave is not slow at all wavelengths (aluminium of 2 nm: 230 nm at 500 nm, too long for
# that at 750 nm), as one of light (docs/measurements/hard-jobs.md).
for wide in 32,34,slow 135,34,light 32,34,light,Al; do
  IFS=, read -r x z wave metal <<<"$wide"
  words="absorber = . thickness = 51; .;.*a wavelength of the film's own slow wave thick"
  [[ $wave == light ]] && words='which has absorbers a wavelength thick'
  says check "$words" "${thin[@]}" --set "grid.size=[$x.0,0.5,$z.0]" --set "objects[0].medium=${metal:-free}"
done
all='x_lo = "absorber"; x_hi = "absorber"; z_lo = "absorber"; z_hi = "absorber"'
says check "reaches into the CPML at x_lo x_hi, which .*, at faces that it does not reach, too.* = \{ $all; \}"
wide=(--set 'boundaries.x_lo="absorber"' --set 'boundaries.x_hi="absorber"' --set 'grid.size=[1620.0,5.0,120.0]')
says check 'reaches into the absorbers at x_lo x_hi beside CPML, .*\{ z_lo = "absorber"; z_hi = "absorber"; \} with' \
  "${wide[@]}"
says check '^film.cfg: no faults' "${wide[@]}" --set 'boundaries.z_lo="absorber"' --set 'boundaries.z_hi="absorber"' \
  --set 'grid.size=[1620.0,5.0,1620.0]'
[[ $(grep -cE 'CPML|absorbers' out.txt) == 0 ]]
check "absorbers at all faces: no warning of layers" $?

# A dipole 2 nm from CPML, 1/300 of its wavelength: the CPML returns its near field.
near=(--set 'objects=()' --set grid.cell=0.1 --set 'sources[0].position=[0.0,0.0,0.6]')
says check '2 nm, 1/300 of a wavelength, from the CPML at z_hi, .*need grid.size = .14, 0.1, 15.2.$' "${near[@]}" \
  --set 'grid.size=[8.0,0.1,7.2]'
says check '^film.cfg: no faults' "${near[@]}" --set 'grid.size=[14.0,0.1,15.2]' && ! grep -q 'near field' out.txt
check "the advice, followed, leaves no warning of the near field" $?

# A dipole beside surface nodes of a metal, which absorb its near field; "subpixel" has none.
cat >nodes.cfg <<'EOF'
grid = { size = [200.0, 200.0, 200.0]; cell = 4.0; averaging = "tensor"; };
objects = ( { type = "sphere"; medium = "Au"; center = [0.0, 0.0, -20.0]; radius = 30.0; } );
sources = ( { type = "electric_dipole"; position = [0.0, 0.0, 30.0]; axis = "z";
  time = { type = "pulse"; wavelength = 600.0; band = 200.0; }; } );
monitors = ( { type = "probe"; name = "p"; position = [20.0, 20.0, 60.0]; wavelengths = [600.0]; } );
run = { time_fs = 20.0; };
EOF
at_nodes() { "$TORRE" check nodes.cfg "$@" >out.txt 2>&1 && grep -q 'surface nodes' out.txt; }
at_nodes && grep -qE '5.0 cells from a metal whose .*, the exit status will be 3; need 15 cells' out.txt &&
  ! at_nodes --set 'sources[0].position=[0.0,0.0,71.0]' && ! at_nodes --set grid.averaging=subpixel
check "a dipole 5 cells from surface nodes of a metal: status 3 announced; 15 cells or subpixel: not" $?

# CPML that returns what it should absorb; plan prints what check does.
for command in check plan; do
  says $command 'CPML at x_lo x_hi z_lo z_hi returns [0-9.]+ % of the amplitude' --set objects='()' \
    --set 'boundaries.cpml={sigma=100.0;}'
  says $command 'CPML at z_hi returns 3[0-9] % .*need 10 cells' --set objects='()' \
    --set 'boundaries.z_hi={type="cpml";cells=1;}'
done

# What check knows of the error of spectra before the first step is the run's exit status. The pulse is over at 20 fs.
spectra=(--set objects='()' --set run.time_fs=20 --set
  'monitors=({type="flux_box";wavelengths=[500.0,750.0];box={lo=[-10.0,-2.5,10.0];hi=[10.0,2.5,30.0];};})')
# known STATUS CAUSE PATTERN ARGUMENTS...: status and cause of run, run --restart; the warning of check, and of the end.
known() {
  local status=$1 cause=$2 pattern=$3 last
  shift 3
  "$TORRE" check film.cfg --device cpu "${spectra[@]}" "$@" >checked.txt 2>&1
  "$TORRE" run film.cfg --device cpu -q --overwrite --out known "${spectra[@]}" "$@" >out.txt 2>&1
  last=$?
  "$TORRE" run film.cfg --device cpu -q --restart --out known "${spectra[@]}" "$@" >again.txt 2>&1
  [[ $? == "$status" && $last == "$status" ]] &&
    if [[ $status == 3 ]]; then
      grep -q "\"unconverged\": \"$cause\"" known/run.json && grep -q 'has ended already, unconverged' again.txt &&
        grep -qE "$pattern.*, the exit status will be 3; need" checked.txt &&
        grep -qE "unconverged .run.tolerance = 0.05.: $pattern" out.txt
    else
      ! grep -q unconverged known/run.json out.txt && ! grep -q 'exit status' checked.txt
    fi
  check "status $status: $*" $?
}
one='boundaries.z_hi={type="cpml";cells=1;}'
pattern='the CPML at z_hi returns 3[0-9] % .*: powers may be off by 9[0-9] % of the largest'
known 3 'CPML returns waves' "$pattern" --set "$one"
known 0 '' '' --set "$one" --set run.tolerance=1e9
known 0 '' '' --set "$one" --set 'monitors=({type="energy";every=10;})'
known 0 '' '' --set 'boundaries.z_hi={type="cpml";cells=3;}'
# 200 of 800 nm: 1e-3^(1/4) is 18 %, (1.178)^2 - 1 is 39 %; of 600 nm, the pulse's longest, 1e-3^(1/3) is 10 %.
short=(--set 'boundaries.z_hi={type="absorber";thickness=200.0;}' --set 'grid.size=[120.0,5.0,320.0]')
known 3 'absorbers return waves' 'absorbers of 0.25 .* return 18 % .*: powers may be off by 39 % of' "${short[@]}"
# Near fields: the film above at 2.5 nm, 85 %, a seventh of its cube; a dipole at 1/300 of a wavelength.
thin+=(--set 'sources[0].position=[0.0,0.0,2.5]' --set run.time_fs=20)
says check 'up to 85 % .*: powers may be off by 8.[0-9] % of the largest, the exit status will be 3; need grid.size' \
  "${thin[@]}" --set 'grid.size=[15.0,0.5,16.0]'
says check 'off by 6.4 % of the largest, the exit status will be 3; need grid.size = .14, 0.1, 15.2.$' "${near[@]}" \
  "${spectra[@]}" --set 'monitors[0].box={lo=[-0.5,-0.05,-0.5];hi=[0.5,0.05,1.5];}' --set 'grid.size=[8.0,0.1,7.2]'
for layers in 'cells=10;' 'cells=5;' 'kappa=100.0;' 'alpha=1.0;'; do
  "$TORRE" check film.cfg --device cpu --set objects='()' --set "boundaries.cpml={$layers}" >out.txt 2>&1 &&
    ! grep -q 'of the amplitude' out.txt
  check "$layers: no such warning" $?
done

# A run that rises at its end is unstable, and only that is said; a rise that is no exponential, or a small one, is a
# warning that names what CPML has to do with it.
grows=(--set grid.cell=2.5 --set 'grid.size=[150.0,2.5,150.0]' --set
  'monitors=({type="flux_box";wavelengths=[500.0,750.0];box={lo=[-10.0,-1.25,10.0];hi=[10.0,1.25,30.0];};})')
ends "a run that rises at its end is unstable" 1 'unstable: the energy rises' film.cfg --device cpu -q --out unstable \
  "${grows[@]}" --set run.time_fs=28 --set run.decay=1e-6
! grep -qE 'unconverged|left in the domain|above run.decay' out.txt && ! grep -q unconverged unstable/run.json &&
  grep -q '"unstable"' unstable/run.json
check "nothing else is said of its energy" $?
walls='boundaries={y_lo="pmc";y_hi="pmc";x_lo="pec";x_hi="pec";}'
ends "a rise that may be none" 3 \
  'which rises although nothing .*; need run.time_fs = [0-9.]+ or more, which shows whether it is unstable' \
  film.cfg --device cpu -q --out risen "${grows[@]}" --set 'grid.size=[180.0,2.5,180.0]' --set run.time_fs=60 \
  --set 'objects[0].medium="Al"' --set 'sources[0].axis="z"' --set "$walls"
grep -qE 'the energy has risen [0-9.e+]+ times since [0-9.]+ fs, although nothing drives it' out.txt &&
  grep -q 'CPML may amplify fields that do not travel towards it, .* z_lo = "absorber"; z_hi = "absorber"' out.txt
check "it is reported, with the advice" $?
# Energy that falls, of a guide at its cut-off, would rise later: at the time that is named such a run is unstable.
ends "a guide at its cut-off" 3 'J left in the domain: .*; need run.time_fs = [0-9.]+ or more$' \
  film.cfg --device cpu -q --out guide "${grows[@]}" --set 'grid.size=[180.0,2.5,180.0]' --set run.time_fs=60 \
  --set 'objects[0].medium="Au"' --set 'sources[0].axis="z"' --set "$walls"
grep -q 'CPML may amplify fields that do not travel towards it, .* z_lo = "absorber"; z_hi = "absorber"' out.txt
check "the absorbers that cure it are named, too" $?
finish
