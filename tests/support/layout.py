#!/usr/bin/env python3
"""Writes tests/support/layout.gds, which test_layout reads. Needs gdstk; run by hand, in the root of the tree."""
import gdstk

library = gdstk.Library(unit=1e-6, precision=1e-9)
unit = library.new_cell("UNIT")
unit.add(gdstk.rectangle((0, 0), (2, 1), layer=1))
unit.add(gdstk.Label("ignored", (0, 0), layer=1))
unit.add(gdstk.rectangle((0, 0), (2, 1), layer=1, datatype=3))
top = library.new_cell("TOP")
top.add(gdstk.Reference(unit, (10, 0), rotation=1.5707963267948966, magnification=2, x_reflection=True))
top.add(gdstk.Reference(unit, (-20, -10), columns=3, rows=2, spacing=(5, 4)))
for layer, ends in (2, "flush"), (3, "extended"), (4, "round"), (5, (0.5, 1.5)):
    top.add(gdstk.FlexPath([(0, 5), (4, 5), (4, 8)], 0.5, ends=ends, simple_path=True, layer=layer))
top.add(gdstk.Polygon([(20, 20), (24, 20), (24, 21), (21, 21), (21, 24), (20, 24)], layer=6))
library.write_gds("tests/support/layout.gds")
