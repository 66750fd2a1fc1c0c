"""Makes the layouts of this folder with gdsfactory (9.45.0, in an environment of its own):

    PYTHONPATH=src/python python3 tests/python/gdsfactory/make.py tests/python/gdsfactory
"""
import json
import pathlib
import sys
import textwrap

import gdsfactory as gf
from torre_fdtd.gdsfactory import gdsfactory_layout

gf.gpdk.PDK.activate()
folder = pathlib.Path(sys.argv[1])


def short(layout):
    """Without levels that have no polygon and do not cover the plane."""
    return {**layout, "levels": [v for v in layout["levels"] if v["polygons"] or v["is_whole"]]}


def ring():
    """A straight guide of 6 um and a ring of straight sides."""
    component = gf.Component(name="ring")
    guide = component << gf.components.straight(length=6)
    loop = component << gf.components.ring(radius=2, width=0.5, angle_resolution=30)
    loop.move((3, 2.7))
    component.add_ports(guide.ports)
    return component


components = {"ring": ring(), "rib": gf.components.straight(length=1, cross_section="rib"),
              "heater": gf.components.straight_heater_metal(length=50),
              "turned": gf.components.straight(length=2).copy()}
components["turned"].rotate(90)
for name, component in components.items():
    text = json.dumps(short(gdsfactory_layout(component)))
    (folder / f"{name}.json").write_text(textwrap.fill(text, 110) + "\n")
