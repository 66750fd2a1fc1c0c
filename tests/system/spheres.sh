#!/usr/bin/env bash
# Spheres against Mie's series. The gold sphere runs with 20 cells a radius here; the limits of the job with 40 are
# checked by the quick start.
source "$TORRE_SOURCE/tests/system/lib.sh"

# A quarter of each by mirrors; the whole gold sphere is that of the quick start.
quarter='symmetry={x="odd";y="even";}'
"$TORRE" run "$TORRE_SOURCE/jobs/dielectric-sphere/job.cfg" --out ball -q --set "$quarter"
check "the dielectric sphere runs" $?
near "n = 2, kr = 1: Q_sca" "$(cell ball/spectra.csv Q_sca 628.318531)" 0.79683 0.0159
near "n = 2, kr = 2: Q_sca" "$(cell ball/spectra.csv Q_sca 314.159265)" 4.77044 0.0954
near "n = 2, kr = 3: Q_sca" "$(cell ball/spectra.csv Q_sca 209.43951)" 3.03617 0.0607
near "n = 2, kr = 2: nothing absorbed" "$(cell ball/spectra.csv Q_abs 314.159265)" 0 0.005

"$TORRE" run "$TORRE_SOURCE/jobs/gold-sphere/job.cfg" --out gold -q --set "$quarter" --set grid.cell=2.5 \
  --set "grid.size=[200,200,200]"
check "the gold sphere runs" $?
"$TORRE_BUILD/mie_compare" gold/spectra.csv --medium Au --radius-nm 50 --limit-ext 7 --limit-sca 5
check "gold, 20 cells a radius: Q_ext within 7 %, Q_sca within 5 % of Mie" $?
[[ -s gold/results.h5 && -s gold/run.json ]] &&
  { ! has_pictures || [[ -s gold/pulse_Ex_000.png && -s gold/near_field_E_530nm.png && -s gold/spectra.png ]]; }
check "all files of the results are there" $?

# Second order at a dielectric's surface: n = 2, 10 cells a radius off the grid, kr of 1.13 to 2.26.
cat >second.cfg <<'END'
grid = { size = [520.0, 520.0, 520.0]; cell = 10.0; averaging = "tensor"; };
boundaries = { default = "cpml"; };
media = ( { name = "glass"; permittivity = 4.0; } );
objects = ( { type = "sphere"; medium = "glass"; radius = 100.0; center = [3.0, 1.7, 4.1]; } );
sources = ( { type = "plane_wave"; direction = "+z"; polarisation = "x";
  box = { lo = [-120.0, -120.0, -120.0]; hi = [120.0, 120.0, 120.0]; };
  time = { type = "pulse"; wavelength = 380.0; band = 260.0; }; } );
monitors = ( { type = "cross_section"; name = "s"; radius = 100.0;
  wavelengths = [277.778, 333.333, 416.667, 555.556]; } );
run = { time_fs = 120.0; decay = 1e-6; };
END
for order in 2 4; do
  "$TORRE" run second.cfg --out "second$order" -q --set grid.order=$order
  check "a dielectric sphere with averaging = tensor runs, order $order" $?
  for limit in "277.778 4.86876" "333.333 3.86557" "416.667 4.24992" "555.556 1.26953"; do
    read -r nm mie <<<"$limit"
    near "tensor, order $order, $nm nm: Q_sca within 1 % of Mie" \
      "$(cell "second$order/spectra.csv" Q_sca "$nm")" "$mie" "$(awk -v q="$mie" 'BEGIN { print 0.01 * q }')"
  done
done

# In the near infrared a gold sphere absorbs little, and so must the cells of its surface by "subpixel": a quarter of
# it, 10 cells a radius.
cat >infrared.cfg <<'END'
grid = { size = [150.0, 150.0, 300.0]; cell = 5.0; averaging = "subpixel"; };
boundaries = { x_lo = "pec"; y_lo = "pmc"; };
objects = ( { type = "sphere"; medium = "Au"; center = [-75.0, -75.0, 0.0]; radius = 50.0; } );
sources = ( { type = "plane_wave"; direction = "-z"; polarisation = "x";
  box = { lo = [-75.0, -75.0, -65.0]; hi = [-10.0, -10.0, 65.0]; };
  time = { type = "pulse"; wavelength = 800.0; band = 500.0; }; } );
monitors = ( { type = "cross_section"; name = "s"; radius = 50.0; wavelengths = [700.0, 760.0, 840.0, 1000.0]; } );
run = { time_fs = 150.0; decay = 1e-7; };
END
"$TORRE" run infrared.cfg --out infrared -q
check "a quarter of a gold sphere runs" $?
for limit in "700 0.1185" "760 0.0648" "840 0.0367" "1000 0.0189"; do
  read -r nm mie <<<"$limit"
  near "gold, $nm nm: Q_abs within 15 % of Mie" \
    "$(awk -v q="$(cell infrared/spectra.csv Q_abs "$nm")" 'BEGIN { print 4 * q }')" "$mie" \
    "$(awk -v q="$mie" 'BEGIN { print 0.15 * q }')"
done

# Cells of three media, and of two dispersive ones, do not absorb either. A gold rod of 60 x 20 nm on glass, a quarter
# of it; the figures are those of cells of 1.67 nm (cells of the first medium's normal: 100 and 59 nm2).
cat >rod.cfg <<'END'
grid = { size = [90.0, 70.0, 140.0]; cell = 2.5; averaging = "subpixel"; };
boundaries = { x_lo = "pec"; y_lo = "pmc"; };
media = ( { name = "glass"; index = 1.45; } );
objects = ( { type = "layer"; medium = "glass"; axis = "z"; hi = -10.0; },
            { type = "cylinder"; axis = "x"; medium = "Au"; radius = 10.0; height = 40.0;
              center = [-45.0, -35.0, 0.0]; },
            { type = "sphere"; medium = "Au"; radius = 10.0; center = [-25.0, -35.0, 0.0]; } );
sources = ( { type = "plane_wave"; direction = "-z"; polarisation = "x";
  time = { type = "pulse"; wavelength = 1000.0; band = 500.0; }; } );
monitors = ( { type = "cross_section"; name = "rod"; wavelengths = [940.0, 1020.0]; } );
run = { time_fs = 150.0; decay = 1e-5; };
END
"$TORRE" run rod.cfg --out rod -q
check "a quarter of a gold rod on glass runs" $?
near "gold on glass, 940 nm: C_abs" "$(cell rod/spectra.csv C_abs_nm2 940)" 20.1 5
near "gold on glass, 1020 nm: C_abs" "$(cell rod/spectra.csv C_abs_nm2 1020)" 11.8 3

# A gold core in a shell: of an index, and of the built-in SiO2 with that index.
cat >shell.cfg <<'END'
grid = { size = [150.0, 150.0, 300.0]; cell = 5.0; };
boundaries = { x_lo = "pec"; y_lo = "pmc"; };
media = ( { name = "glass"; index = 1.455; } );
objects = ( { type = "sphere"; medium = "glass"; center = [-75.0, -75.0, 0.0]; radius = 60.0; },
            { type = "sphere"; medium = "Au"; center = [-75.0, -75.0, 0.0]; radius = 40.0; } );
sources = ( { type = "plane_wave"; direction = "-z"; polarisation = "x";
  box = { lo = [-75.0, -75.0, -80.0]; hi = [5.0, 5.0, 80.0]; };
  time = { type = "pulse"; wavelength = 700.0; band = 500.0; }; } );
monitors = ( { type = "cross_section"; name = "s"; radius = 40.0; wavelengths = [550.0, 650.0, 850.0, 1000.0]; } );
run = { time_fs = 100.0; decay = 1e-7; };
END
"$TORRE" run shell.cfg --out shell -q && "$TORRE" run shell.cfg --out silica -q --set 'objects[0].medium="SiO2"'
check "a gold core in a shell of glass runs" $?
for nm in 550 650 850 1000; do
  index=$(cell shell/spectra.csv Q_abs $nm)
  near "gold in SiO2, $nm nm: Q_abs within 5 % of that in index 1.455" "$(cell silica/spectra.csv Q_abs $nm)" "$index" \
    "$(awk -v q="$index" 'BEGIN { print 0.05 * q }')"
done
finish
