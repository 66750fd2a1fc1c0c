#!/usr/bin/env bash
# Sheets: graphene's absorption, reflection and transmission against the exact formulas, in vacuum, between nodes, on
# glass, turned, at 60 degrees; ribbons; the same bits stepwise, by towers and on ranks; faults.
source "$TORRE_SOURCE/tests/system/lib.sh"
theory() { python3 "$TORRE_SOURCE/tests/support/sheets.py" "$@"; }
below() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a ~ /[0-9]/ && a < b) }'; }

cat >sheet.cfg <<'CFG'
format_version = 3; length_unit = "um";
grid = { size = [0.1, 0.1, 18.0]; cell = 0.1; precision = "fp64"; };
boundaries = { default = "pec"; y_lo = "pmc"; y_hi = "pmc";
               z_lo = { type = "cpml"; thickness = 2.0; }; z_hi = { type = "cpml"; thickness = 2.0; }; };
media = ( { name = "glass"; index = 1.5; } );
sheets = ( { position = 0.0; graphene = { fermi_eV = 0.4; tau_fs = 100.0; temperature_K = 0.0; }; } );
sources = ( { type = "plane_wave"; box = { lo = [-1.0, -1.0, -5.0]; hi = [1.0, 1.0, 10.0]; };
              direction = "+z"; polarisation = "x"; time = { type = "pulse"; wavelength = 16.0; band = 14.0; }; } );
monitors = ( { type = "flux"; name = "r"; box = { lo = [-0.05, -0.05, -6.0]; hi = [0.05, 0.05, -6.0]; };
               wavelengths = [10.0, 20.0, 50.0]; },
             { type = "flux"; name = "t"; box = { lo = [-0.05, -0.05, 5.0]; hi = [0.05, 0.05, 5.0]; };
               wavelengths = [10.0, 20.0, 50.0]; } );
run = { time_fs = 4000.0; decay = 1e-9; tolerance = 1e9; };
CFG
job() { # JOB NAME LIMIT ARGUMENTS...
  local job=$1 name=$2 most=$3 found
  shift 3
  "$TORRE" run "$job" --device cpu -q --overwrite --out out "$@" 2>err.txt
  found=$(theory out ${index:-})
  below "${found% *}" "$most" && below "${found#* }" "${powers:-1e-4}"
  check "$name: absorbed part off by ${found% *}, R and T by ${found#* }" $?
}
job sheet.cfg "graphene at a node" 5e-4
powers=5e-4 job sheet.cfg "half a cell from nodes" 4e-3 --set 'sheets[0].position=0.05'
powers=2e-4 job sheet.cfg "order 4" 1.5e-3 --set grid.order=4
job sheet.cfg "a graded grid" 1e-2 --set 'sheets[0].position=0.1' \
  --set 'grid.refine=({axis="z";from=-0.5;to=0.7;cell=0.04;})'
index=1.5 powers=2e-4 job sheet.cfg "on glass" 2e-3 --set 'objects=({type="layer";medium="glass";lo=0.0;})'

# Ribbons along E, much narrower than the wave, are a sheet of half the conductance.
"$TORRE" run sheet.cfg -q --overwrite --out half --set 'grid.size=[0.1,0.8,18.0]' \
  --set 'boundaries={y_lo="pmc";y_hi="pmc";x_lo="pec";x_hi="pec";cpml={cells=20;};}' \
  --set 'sheets[0].parts=({type="box";center=[0.0,0.2,0.0];size=[1.0,0.4,1.0];})' \
  --set 'monitors[0].box={lo=[-0.05,-0.4,-6.0];hi=[0.05,0.4,-6.0];}' \
  --set 'monitors[1].box={lo=[-0.05,-0.4,5.0];hi=[0.05,0.4,5.0];}' 2>err.txt
"$TORRE" run sheet.cfg -q --overwrite --out thin --set 'sheets=({position=0.0;medium="half";thickness=1.0;})' \
  --set 'media=({name="half";poles=({type="drude";plasma_rad_per_s=1.0e14;gamma_rad_per_s=1e13;});})' 2>err.txt
"$TORRE" run sheet.cfg -q --overwrite --out wide --set 'sheets=({position=0.0;medium="half";thickness=2.0;})' \
  --set 'media=({name="half";poles=({type="drude";plasma_rad_per_s=7.0710678118654752e13;gamma_rad_per_s=1e13;});})' \
  2>err.txt
cmp thin/spectra.csv wide/spectra.csv
check "films of the same conductance are the same sheet" $?
near "ribbons of half the width absorb half at 10 um" "$(awk -v r="$(cell half/spectra.csv r.fraction 10000)" \
  -v t="$(cell half/spectra.csv t.fraction 10000)" 'BEGIN { print 1 + r - t }')" 0.00255 0.00004

# At 60 degrees.
cat >tilted.cfg <<'CFG'
format_version = 3; length_unit = "um";
grid = { size = [1.0, 26.0]; cell = 0.1; precision = "fp64"; polarisation = "TE"; };
boundaries = { x_lo = "bloch"; x_hi = "bloch"; cpml = { cells = 40; }; };
sheets = ( { axis = "y"; position = 0.0; graphene = { fermi_eV = 0.4; tau_fs = 100.0; temperature_K = 0.0; }; } );
sources = ( { type = "plane_wave"; box = { lo = [-0.5, -6.0]; hi = [0.5, 8.0]; }; phi_deg = 30.0;
              time = { type = "pulse"; wavelength = 20.0; band = 4.0; }; } );
monitors = ( { type = "flux"; name = "r"; box = { lo = [-0.5, -7.0]; hi = [0.5, -7.0]; }; wavelengths = [20.0]; } );
run = { time_fs = 9000.0; decay = 1e-9; tolerance = 1e9; };
CFG
for wave in "TE p" "TM s"; do
  "$TORRE" run tilted.cfg -q --overwrite --out tilted --set "grid.polarisation=\"${wave% *}\"" 2>err.txt
  off=$(theory tilted 1 60 "${wave#* }")
  below "$off" 2e-3
  check "at 60 degrees, ${wave#* }: R off by $off" $?
done

# Parts, films, all axes: the same bits of all engines.
cat >parts.cfg <<'CFG'
format_version = 3;
grid = { size = [1200.0, 1200.0, 1000.0]; cell = 40.0; };
boundaries = { cpml = { cells = 5; }; };
media = ( { name = "glass"; index = 1.5; },
          { name = "film"; permittivity = 3.0; conductivity_S_per_m = 1000.0;
            poles = ( { type = "drude"; plasma_eV = 6.0; gamma_eV = 0.1; } ); } );
objects = ( { type = "layer"; medium = "glass"; hi = 0.0; } );
sheets = ( { name = "disc"; position = 10.0; graphene = { fermi_eV = 0.4; tau_fs = 100.0; };
             parts = ( { type = "cylinder"; radius = 300.0; height = 100.0; },
                       { type = "box"; center = [400.0, 0.0, 0.0]; size = [100.0, 100.0, 100.0]; } ); },
           { axis = "x"; position = -200.0; medium = "film"; thickness = 2.0;
             parts = ( { type = "sphere"; radius = 350.0; } ); },
           { axis = "y"; position = 130.0; conductance_S = 0.001; } );
sources = ( { type = "electric_dipole"; position = [0.0, 0.0, 100.0]; axis = "x";
              time = { type = "pulse"; wavelength = 8000.0; band = 3000.0; }; } );
monitors = ( { type = "absorption"; name = "a"; box = { lo = [-360.0, -360.0, -300.0]; hi = [360.0, 360.0, 260.0]; };
               wavelengths = [8000.0]; } );
run = { time_fs = 30.0; tolerance = 1e9; decay = 0.0; };
CFG
for engine in stepwise diamond; do
  "$TORRE" run parts.cfg -q --overwrite --out $engine --set "schedule.engine=\"$engine\"" 2>err.txt
done
cmp stepwise/results.h5 diamond/results.h5
check "parts, films, all axes: the same bits stepwise and by towers" $?
[[ $(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) n += $i ~ /disc|sheet1|sheet2/ } END { print n }' \
  diamond/a_absorption.csv) -ge 3 ]]
check "absorption by sheets has their names" $?
if command -v mpirun >/dev/null && "$TORRE" --version | grep -q 'MPI: standard'; then
  mpirun --oversubscribe -n 2 "$TORRE" run parts.cfg -q --overwrite --out ranks 2>err.txt
  cmp diamond/results.h5 ranks/results.h5
  check "2 ranks: the same bits" $?
fi

wrong() { # KEY WORDS SHEET
  "$TORRE" check parts.cfg --set "sheets=($3)" >out.txt 2>&1
  [[ $? == 2 ]] && grep -q "$1: .*$2" out.txt
  check "fault: $1, $2" $?
}
wrong 'sheets\[0\].graphene, conductance_S or medium' 'need one of them' '{position=0.0;}'
wrong 'sheets\[0\]' 'got several' '{position=0.0;conductance_S=1.0;medium="glass";}'
wrong 'sheets\[0\].position' 'in an absorbing layer' '{position=490.0;conductance_S=1e-3;}'
wrong 'sheets\[0\].thickness' 'missing' '{position=0.0;medium="glass";}'
wrong 'sheets\[0\].name' 'name of a medium' '{name="film";position=0.0;conductance_S=1e-3;}'
wrong 'sheets\[0\].medium' 'conducts perfectly' '{position=0.0;medium="pec";thickness=1.0;}'
wrong 'grid.courant' 'medium "sheet0" is unstable' '{position=0.0;conductance_S=5.0;}'
"$TORRE" check parts.cfg --set 'sheets=({position=0.0;graphene={fermi_eV=0.4;tau_fs=100.0;};})' \
  --set 'monitors[0].wavelengths=[1800.0]' >out.txt 2>&1
grep -q 'outside the range of the data of "sheet0"' out.txt
check "wavelengths near interband absorption are a warning" $?
finish
