#!/usr/bin/env python3
"""Rates with curved media: writes a job of 256 pillars in 512 x 512 x NZ cells of 10 nm to standard output.

    python3 tests/stress/surfaces/pillars.py glass 200 tensor >pillars.cfg      medium (glass, Au), NZ, grid.averaging

A plane wave along z, a cross-section monitor, fp32, order 2; the rate stands in the log of `torre run pillars.cfg`.
"""
import sys


def main():
    if len(sys.argv) not in (4, 5, 6):
        sys.exit(__doc__)
    medium, nz, averaging = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    steps = int(sys.argv[4]) if len(sys.argv) > 4 else 1200
    count = int(sys.argv[5]) if len(sys.argv) > 5 else 16
    cell, side, pitch = 10.0, 32 * count, 320.0
    top, wave, height = nz * cell / 2, nz * cell / 2 - 150.0, nz * cell - 500.0
    across = side * cell / 2 - 150.0
    name = medium if medium == "Au" else "glass"
    pillars = []
    for i in range(count):
        for j in range(count):
            x, y = (i - (count - 1) / 2) * (pitch - 20.0), (j - (count - 1) / 2) * (pitch - 20.0)
            radius = 60.0 + 60.0 * ((i * 7 + j * 13) % 11) / 11
            pillars.append(f'  {{ type = "cylinder"; medium = "{name}"; center = [{x}, {y}, 0.0]; '
                           f'radius = {radius:.3f}; height = {height}; }}')
    own = '' if medium == "Au" else 'media = ({ name = "glass"; permittivity = 2.25; });\n'
    print(f'''title = "Pillars";
length_unit = "nm";
grid = {{ size = [{side * cell}, {side * cell}, {2 * top}]; cell = {cell}; averaging = "{averaging}"; courant = 0.9; }};
boundaries = {{ default = "cpml"; cpml = {{ cells = 8; }}; }};
{own}objects = (
''' + ",\n".join(pillars) + f'''
);
sources = ({{ type = "plane_wave"; name = "wave"; direction = "+z"; polarisation = "x";
  box = {{ lo = [{-across}, {-across}, {-wave}]; hi = [{across}, {across}, {wave}]; }};
  time = {{ type = "pulse"; wavelength = 600.0; band = 200.0; }}; }});
monitors = ({{ type = "cross_section"; name = "all"; wavelengths = {{ from = 500.0; to = 700.0; count = 5; }}; }});
run = {{ time_fs = {steps * 0.9 * cell / 299.792458 / 3 ** 0.5}; }};''')


main()
