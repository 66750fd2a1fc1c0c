#!/usr/bin/env bash
# Prints the job of docs/measurements/performance.md: gold spheres in 10 % of the domain, in a square array on glass
# that fills its lower half, cells of 10 nm.
#
#   bash jobs/speed/spheres.sh NX,NY,NZ PARTS TIME_FS [ORDER [COURANT]] > spheres.cfg
#
# PARTS: letters. p: the spheres, of gold with six poles (Rakic); d instead: with two, Drude and Lorentz (A. Vial et
# al., Phys. Rev. B 71, 085416 (2005), for 500 to 1000 nm). c: 12 cells of CPML on six faces (else conducting walls), w:
# a total-field plane wave, 18 cells from the faces, m: a flux box at 20 wavelengths, 15 cells from them. The tables
# use 600,600,256 with p, pc, pcw, pcwm and 4.44.
set -euo pipefail
cells=${1:?cells NX,NY,NZ} parts=${2:?parts, of the letters p d c w m} time=${3:?time in fs}
awk -v cells="$cells" -v parts="$parts" -v time="$time" -v order="${4:-2}" -v courant="${5:-0.9}" '
  function round(x) { return int(x + 0.5) }
  function box(b) {
    return sprintf("lo = [%.1f,%.1f,%.1f]; hi = [%.1f,%.1f,%.1f];", -b[1] / 2, -b[2] / 2, -b[3] / 2, b[1] / 2, b[2] / 2,
                   b[3] / 2)
  }
  BEGIN {
    split(cells, n, ",")
    for (a = 1; a <= 3; a++) { total[a] = n[a] * 10 - 360; flux[a] = n[a] * 10 - 300 }
    r = 0.35 * total[3] / 2
    wanted = 0.1 * n[1] * n[2] * n[3] * 1000 / (4 / 3 * 3.14159265358979 * r * r * r)
    nx = round(sqrt(wanted * total[1] / total[2])); nx = nx < 1 ? 1 : nx > 40 ? 40 : nx
    ny = round(wanted / nx); ny = ny < 1 ? 1 : ny > 40 ? 40 : ny
    if (r > 0.49 * total[1] / nx) r = 0.49 * total[1] / nx
    if (r > 0.49 * total[2] / ny) r = 0.49 * total[2] / ny
    printf "title = \"Gold spheres on glass\";\nlength_unit = \"nm\";\n"
    printf "media = ( { name = \"glass\"; permittivity = 2.25; }"
    if (parts ~ /d/)
      printf ",\n  { name = \"gold\"; permittivity = 5.9673; " \
             "poles = ( { type = \"drude\"; plasma_eV = 8.7411; gamma_eV = 0.06584; },\n" \
             "    { type = \"lorentz\"; delta_eps = 1.09; omega_eV = 2.6885; gamma_eV = 0.43367; } ); }"
    print " );"
    printf "grid = { size = [%.1f,%.1f,%.1f]; cell = 10.0; order = %d; courant = %s; averaging = \"subpixel\"; };\n",
           n[1] * 10, n[2] * 10, n[3] * 10, order, courant
    printf "boundaries = { default = \"%s\"; cpml = { cells = 12; }; };\n", parts ~ /c/ ? "cpml" : "pec"
    printf "objects = ( { type = \"layer\"; medium = \"glass\"; axis = \"z\"; hi = 0.0; }"
    for (i = 0; parts ~ /[pd]/ && i < nx * ny; i++)
      printf ",\n  { type = \"sphere\"; medium = \"%s\"; radius = %.3f; center = [%.3f, %.3f, %.3f]; }",
             parts ~ /d/ ? "gold" : "Au", r, ((i % nx + 0.5) / nx - 0.5) * total[1],
             ((int(i / nx) + 0.5) / ny - 0.5) * total[2], r
    print " );"
    if (parts ~ /w/)
      printf "sources = ( { type = \"plane_wave\"; name = \"wave\"; box = { %s }; direction = \"-z\"; " \
             "polarisation = \"x\";\n  time = { type = \"pulse\"; wavelength = 600.0; band = 300.0; }; } );\n",
             box(total)
    if (parts ~ /m/) {
      printf "monitors = ( { type = \"flux_box\"; name = \"flux\"; box = { %s }; wavelengths = [", box(flux)
      for (q = 0; q < 20; q++) printf "%s%d.0", q ? ", " : "", 450 + 20 * q
      print "]; } );"
    }
    printf "run = { time_fs = %s; tolerance = 1e9; };\n", time
  }'
