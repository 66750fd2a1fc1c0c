"""torre_fdtd.from_gdsfactory: layouts of components made with gdsfactory (gdsfactory/make.py) against the same parts by
hand. Run by tests/system/python.sh."""
import json
import os
import pathlib
import unittest

import torre_fdtd as torre

FOLDER = pathlib.Path(os.environ["TORRE_SOURCE"]) / "tests/python/gdsfactory"
BAND = torre.span(1.5, 1.6, 3)


def job(name, **values):
    return torre.from_gdsfactory(FOLDER / f"{name}.json", **{**dict(cell=0.1, wavelengths=BAND), **values})


class Components(unittest.TestCase):
    def near(self, a, b):
        """Corners, boxes: equal to rounding."""
        if isinstance(b, (list, tuple)):
            self.assertEqual(len(a), len(b))
            for x, y in zip(a, b):
                self.near(x, y)
        else:
            self.assertAlmostEqual(a, b, places=9)

    def test_ring_beside_a_guide(self):
        made = job("ring")
        # Bodies from (0, -0.25) to (6, 4.95), a margin or a port's guide of 1 and cells of 0.1 about them.
        self.near(made["grid.size"], [8.0 + 2.4, 7.2 + 2.4, 2.4 + 2.4])
        middle = (3.0, 2.35)
        clad, oxide, guide, ring = made.objects
        self.assertEqual(len(made.objects), 4)  # the substrate lies outside
        self.near(oxide.size[2], 3.0)
        self.near(clad.center[2], 1.5 - 0.11)
        self.assertAlmostEqual(oxide.medium.index, 1.44404922)
        self.assertAlmostEqual(guide.medium.index, 3.47772419)
        far = guide.vertices[1][0]  # beyond the domain
        self.assertLess(far, -5.2)
        self.near(guide.vertices, [[-3, -2.6], [far, -2.6], [far, -2.1], [-3, -2.1], [3, -2.1], [-far, -2.1],
                                   [-far, -2.6], [3, -2.6]])
        self.near([guide.lo, guide.hi, guide.sidewall_deg], [-0.11, 0.11, 10])
        self.assertEqual(guide.sidewall_at, "middle")
        outline, hole = ring.parts
        self.assertEqual([len(outline.vertices), len(hole.vertices)], [12, 12])
        self.near(outline.vertices[0], [3 - middle[0], 0.45 - middle[1]])
        self.near(hole.vertices[0], [3 - middle[0], 0.95 - middle[1]])
        self.assertEqual([outline.sidewall_deg, hole.sidewall_deg], [10, -10])  # the hole widens upwards

    def test_ports(self):
        made = job("ring", modes=2, target_index=2.4, time_fs=30)
        left, right = made.sources
        self.assertEqual([left.direction, right.direction, left.name], ["+x", "-x", "o1"])
        self.near([left.box[0][0], right.box[0][0]], [-3.7, 3.7])
        monitor = made.monitors[1]
        self.assertEqual([monitor.port, monitor.into, monitor.source, monitor.count], [2, "-x", "o2", 2])
        self.near([monitor.reference, monitor.box[0][0], made["run.time_fs"]], [3, 3.3, 30])
        self.near([left.box[0][1], left.box[1][1]], [-3.6, -1.1])  # 1.25 to either side, on nodes
        made = job("ring", ports=["o2"])
        self.assertEqual([s.name for s in made.sources], ["o2"])
        self.assertEqual(made.check().cells, (104, 96, 48))

    def test_turned(self):
        made = job("turned")
        self.assertEqual([s.direction for s in made.sources], ["+y", "-y"])
        corners = made.objects[-1].vertices
        self.assertLess(min(c[1] for c in corners), -3)
        self.near(sorted({c[0] for c in corners}), [-0.25, 0.25])

    def test_slab_of_a_rib_continues_too(self):
        made = job("rib", media={"si": torre.Medium(index=3.4)})
        bodies = [o for o in made.objects if o._word == "prism"]
        self.assertEqual(len(bodies), 2)
        for body in bodies:
            self.assertEqual(len(body.vertices), 8)
            self.assertEqual(body.medium.index, 3.4)

    def test_order_of_levels(self):
        layout = json.loads((FOLDER / "ring.json").read_text())
        for level in layout["levels"]:
            level["order"] = -level["order"]
        made = torre.from_gdsfactory(layout, cell=0.1, wavelengths=BAND)
        self.assertEqual([o._word for o in made.objects], ["prism", "difference", "box", "box"])

    def test_what_has_no_counterpart(self):
        with self.assertRaisesRegex(torre.GdsfactoryError, "no medium is known for TiN"):
            job("heater")
        layout = json.loads((FOLDER / "ring.json").read_text())
        layout["ports"][0]["orientation"] = 30.0
        layout["ports"][1]["type"] = "electrical"
        layout["levels"][2].update(width_to_z=0.3, changes=["bias"])
        with self.assertRaises(torre.GdsfactoryError) as caught:
            torre.from_gdsfactory(layout, cell=0.1, wavelengths=BAND, ports=["o1", "o9"])
        for expected in ("port o1: its direction", "port o9: there is none; o1, o2", "bias", "width_to_z = 0.3"):
            self.assertTrue(any(expected in line for line in caught.exception.unsupported), expected)
        layout = json.loads((FOLDER / "ring.json").read_text())
        layout["ports"][0]["centre"] = [-1.0, 0.0]
        with self.assertRaisesRegex(torre.GdsfactoryError, "port o1: no polygon ends there"):
            torre.from_gdsfactory(layout, cell=0.1, wavelengths=BAND)
        with self.assertRaisesRegex(torre.GdsfactoryError, "no medium is known for si:"):
            job("ring", wavelengths=[0.3])  # outside the range of the built-in medium


if __name__ == "__main__":
    unittest.main()
