"""Writes the simulations of this folder with Tidy3D's own classes (tidy3d 2.12.1 from PyPI): make.py, in this folder.

Each is NAME.json as Simulation.to_file writes it, without fields that are None. permittivities.json has the media of
`media` by their own eps_model at three frequencies."""
import json
import textwrap

import numpy
import tidy3d as td

INF = td.inf
PULSE = td.GaussianPulse(freq0=3e14, fwidth=3e13)
GLASS = td.Medium(permittivity=2.25)
LAYERS = td.BoundarySpec.all_sides(td.PML())
CELL = td.BoundarySpec(x=td.Boundary.periodic(), y=td.Boundary.periodic(), z=td.Boundary.pml())
FREQS = [2.7e14, 3e14, 3.3e14]


def structure(geometry, medium=GLASS):
    return td.Structure(geometry=geometry, medium=medium)


def simulation(size, **values):
    return td.Simulation(**{**dict(size=size, grid_spec=td.GridSpec.uniform(dl=0.02), run_time=1e-13,
                                   boundary_spec=LAYERS), **values})


def sphere():
    """Mie scattering in a total-field box, with the far field."""
    return simulation(
        (1.6, 1.6, 1.6), structures=[structure(td.Sphere(radius=0.3), td.Medium(permittivity=4))],
        sources=[td.TFSF(size=(1, 1, 1), injection_axis=2, direction="+", source_time=PULSE, name="wave")],
        monitors=[td.FluxMonitor(size=(1.2, 1.2, 1.2), freqs=FREQS, name="scattered"),
                  td.FieldProjectionAngleMonitor(size=(1.2, 1.2, 1.2), freqs=[3e14], theta=[0, 0.5 * numpy.pi],
                                                 phi=[0, 1], name="far")])


def pillar():
    """A unit cell of a metasurface: a pillar on glass, light from above."""
    return simulation(
        (0.48, 0.48, 3), center=(0, 0, 0.5), boundary_spec=CELL,
        structures=[structure(td.Box(center=(0, 0, -5), size=(INF, INF, 10))),
                    structure(td.Cylinder(radius=0.1, length=0.5, center=(0, 0, 0.25), axis=2),
                              td.Lorentz(eps_inf=1.5, coeffs=[(1, 6e14, 1e13)]))],
        sources=[td.PlaneWave(size=(INF, INF, 0), center=(0, 0, 1.7), direction="-", source_time=PULSE)],
        monitors=[td.FluxMonitor(size=(INF, INF, 0), center=(0, 0, -0.8), freqs=FREQS, name="T"),
                  td.DiffractionMonitor(size=(INF, INF, 0), center=(0, 0, -0.8), freqs=[3e14], name="orders")])


def slab():
    """A slab in the open: its transmission is Airy's."""
    return simulation(
        (0.06, 0.06, 1.6), boundary_spec=CELL, shutoff=1e-6, run_time=2e-13,
        structures=[structure(td.Box(size=(INF, INF, 0.4)), td.Medium(permittivity=4))],
        sources=[td.PlaneWave(size=(INF, INF, 0), center=(0, 0, -0.5), direction="+", source_time=PULSE,
                              pol_angle=numpy.pi / 2)],
        monitors=[td.FluxMonitor(size=(INF, INF, 0), center=(0, 0, 0.6), freqs=FREQS, name="T")])


def guide_2d():
    """A slab guide without extent along y, TE."""
    return simulation(
        (4, 0, 3), boundary_spec=td.BoundarySpec(x=td.Boundary.pml(), y=td.Boundary.periodic(), z=td.Boundary.pml()),
        structures=[structure(td.Box(size=(INF, 1, 0.3)), td.Medium(permittivity=12))],
        sources=[td.ModeSource(center=(-1, 0, 0), size=(0, INF, 2), direction="+", source_time=PULSE,
                               mode_spec=td.ModeSpec(num_modes=1))],
        monitors=[td.FieldMonitor(size=(2, 0, 2), freqs=[3e14], name="near"),
                  td.ModeMonitor(size=(0, INF, 2), center=(1, 0, 0), freqs=FREQS, name="out",
                                 mode_spec=td.ModeSpec(num_modes=2, target_neff=3.0))])


def guide():
    """A wire on glass: modes in, modes and power out."""
    pulse = td.GaussianPulse(freq0=1.93e14, fwidth=1e13)
    corners = [(-9, -0.22), (9, -0.22), (9, 0.22), (-9, 0.22)]
    return simulation(
        (3, 2, 1.6), grid_spec=td.GridSpec.uniform(dl=0.04),
        structures=[structure(td.PolySlab(vertices=corners, slab_bounds=(-0.12, 0.12), axis=2),
                              td.Medium(permittivity=12, name="silicon")),
                    structure(td.Box(center=(0, 0, -1.12), size=(INF, INF, 2)), td.Medium(permittivity=2.1))],
        sources=[td.ModeSource(center=(-1, 0, 0), size=(0, 1.6, 1.2), direction="+", source_time=pulse,
                               mode_spec=td.ModeSpec(num_modes=1, target_neff=2.4))],
        monitors=[td.ModeMonitor(center=(1, 0, 0), size=(0, 1.6, 1.2), freqs=[1.9e14, 1.93e14], name="out",
                                 mode_spec=td.ModeSpec(num_modes=1)),
                  td.FluxMonitor(center=(1, 0, 0), size=(0, 1.6, 1.2), freqs=[1.93e14], name="power")])


def dipole():
    """A dipole over a metal; fields by time and in a window of time."""
    window = td.ApodizationSpec(start=3e-14, width=5e-15)
    return simulation(
        (1, 1, 1), structures=[structure(td.Box(center=(0, 0, -1), size=(INF, INF, 1.6)),
                                         td.Drude(eps_inf=9, coeffs=[(2.2e15, 1.7e13)]))],
        sources=[td.PointDipole(center=(0, 0, 0.1), polarization="Ez", source_time=PULSE),
                 td.PointDipole(center=(0.1, 0, 0.1), polarization="Hy",
                                source_time=td.ContinuousWave(freq0=3e14, fwidth=3e13, amplitude=2, phase=1.0))],
        monitors=[td.FieldTimeMonitor(center=(0.2, 0, 0.2), size=(0, 0, 0), name="probe", interval=2, fields=["Ez"]),
                  td.FieldMonitor(center=(0, 0, 0.3), size=(0.4, 0.4, 0), freqs=[3e14], name="cavity",
                                  fields=["Ex", "Ey"], apodization=window)])


def rods():
    """Rods in two dimensions, TM, a line current between them."""
    places = [(x, y) for x in (-0.6, 0, 0.6) for y in (-0.6, 0, 0.6) if (x, y) != (0, 0)]
    return simulation(
        (2, 2, 0), boundary_spec=td.BoundarySpec(x=td.Boundary.pml(), y=td.Boundary.pml(), z=td.Boundary.periodic()),
        structures=[structure(td.Cylinder(center=(x, y, 0), radius=0.12, length=INF, axis=2),
                              td.Medium(permittivity=8.9)) for x, y in places],
        sources=[td.PointDipole(polarization="Ez", source_time=PULSE)],
        monitors=[td.FluxMonitor(size=(1.8, 1.8, INF), freqs=FREQS, name="out"),
                  td.FieldMonitor(size=(1, 1, 0), freqs=[3e14], name="near")])


def prisms():
    """Prisms along x and y, a medium with three axes of its own, in a medium."""
    corners = [(0, 0), (0.4, 0), (0.1, 0.3)]
    axes = td.AnisotropicMedium(xx=td.Medium(permittivity=2), yy=td.Medium(permittivity=3, conductivity=0.01),
                                zz=td.Medium(permittivity=4))
    return simulation(
        (1.2, 1.2, 1.2), medium=td.Medium(permittivity=1.7),
        structures=[structure(td.PolySlab(vertices=corners, slab_bounds=(-0.2, 0.1), axis=1)),
                    structure(td.PolySlab(vertices=corners, slab_bounds=(-0.2, 0.1), axis=0), axes)],
        sources=[td.TFSF(size=(0.8, 0.8, 0.8), injection_axis=0, direction="-", source_time=PULSE,
                         pol_angle=numpy.pi / 2)],
        monitors=[td.FluxMonitor(size=(1, 1, 1), freqs=FREQS, name="f")])


def symmetric():
    """Two spheres, as one group, a dipole between them, and a quarter of all computed."""
    pair = td.GeometryGroup(geometries=[td.Sphere(center=(x, 0, 0), radius=0.2) for x in (-0.25, 0.25)])
    return simulation(
        (1.6, 1.6, 1.6), symmetry=(-1, 1, 0), structures=[structure(pair)],
        sources=[td.PointDipole(polarization="Ex", source_time=PULSE)],
        monitors=[td.FluxMonitor(size=(1.4, 1.4, 1.4), freqs=FREQS, name="f")])


def media():
    """Each kind of medium."""
    rate = 3e13
    kinds = {
        "lorentz": td.Lorentz(eps_inf=1.5, coeffs=[(1, 6e14, 1e13), (0.5, 9e14, 2e13)]),
        "drude": td.Drude(eps_inf=9, coeffs=[(2.2e15, 1.7e13)]),
        "debye": td.Debye(eps_inf=2, coeffs=[(1.5, 1e-14)]),
        "sellmeier": td.Sellmeier(coeffs=[(1.03, 0.006), (0.23, 0.02)]),
        "lossy": td.Medium(permittivity=3, conductivity=0.02),
    }
    for name in ("lorentz", "drude", "debye"):
        residues = kinds[name].pole_residue
        kinds[name + "_residues"] = td.PoleResidue(eps_inf=residues.eps_inf, poles=residues.poles)
    kinds["conductor"] = td.PoleResidue(eps_inf=2, poles=[(0, 2 * numpy.pi * rate)])
    named = {name: medium.updated_copy(name=name) for name, medium in kinds.items()}
    table = {name: [[f, medium.eps_model(f).real, medium.eps_model(f).imag] for f in FREQS]
             for name, medium in named.items()}
    with open("permittivities.json", "w") as out:
        json.dump(table, out, indent=1)
        out.write("\n")
    boxes = [structure(td.Box(center=(0, 0, 0.12 * i - 0.48), size=(0.6, 0.6, 0.1)), medium)
             for i, medium in enumerate(named.values())]
    return simulation((1.4, 1.4, 1.6), structures=boxes, sources=[td.PointDipole(polarization="Ex", source_time=PULSE)],
                      monitors=[td.FieldMonitor(size=(0, 0, 0), center=(0.6, 0.6, 0.6), freqs=[3e14], name="point")])


def walls():
    """Each kind of wall, a cone, a union, a shape that was moved."""
    both = td.Sphere(center=(0.2, 0, 0), radius=0.15) + td.Box(center=(-0.2, 0, 0), size=(0.2, 0.2, 0.2))
    return simulation(
        (1, 1, 1), center=(0.1, 0.2, 0.3),
        boundary_spec=td.BoundarySpec(x=td.Boundary(minus=td.PECBoundary(), plus=td.PMCBoundary()),
                                      y=td.Boundary(minus=td.Absorber(num_layers=30), plus=td.StablePML(num_layers=20)),
                                      z=td.Boundary.pml(num_layers=8)),
        structures=[structure(td.Cylinder(radius=0.2, length=0.4, center=(0.1, 0.2, 0.5), axis=1, sidewall_angle=0.1,
                                          reference_plane="bottom")),
                    structure(both), structure(td.Box(size=(0.1, 0.2, 0.3)).translated(0.1, 0.2, 0.05))],
        sources=[td.PointDipole(center=(0.1, 0.2, 0.3), polarization="Hz", source_time=PULSE)],
        monitors=[td.FluxMonitor(center=(0.1, 0.2, 0.6), size=(0.4, 0.4, 0), freqs=FREQS, name="up")])


def shapes():
    """Shapes turned, cut out of each other, with leaning sides."""
    corners = [(-0.3, -0.2), (0.3, -0.2), (0.3, 0.2), (-0.3, 0.2)]
    box = td.Box(center=(0.1, 0, 0), size=(0.4, 0.2, 0.1))
    ring = td.Cylinder(radius=0.3, length=0.2, axis=2) - td.Cylinder(radius=0.2, length=0.4, axis=2)
    return simulation(
        (1.2, 1.2, 1.2), center=(0.1, 0, 0),
        structures=[structure(box.rotated(numpy.pi / 6, axis=2)), structure(ring.translated(0, 0, 0.3)),
                    structure(box.translated(0, 0.1, 0).rotated(numpy.pi / 4, axis=0).translated(0, 0, -0.2)),
                    structure(box * td.Sphere(radius=0.25)),
                    structure(td.PolySlab(vertices=corners, slab_bounds=(-0.4, -0.2), axis=2, sidewall_angle=0.1,
                                          reference_plane="top"))],
        sources=[td.TFSF(center=(0.1, 0, 0), size=(1, 1, 1), injection_axis=2, direction="+", source_time=PULSE)],
        monitors=[td.FluxMonitor(center=(0.1, 0, 0), size=(1.1, 1.1, 1.1), freqs=FREQS, name="f")])


def tilted():
    """Light at an angle to z in a total-field box."""
    return simulation(
        (1.2, 1.2, 1.2), structures=[structure(td.Sphere(radius=0.2))],
        sources=[td.TFSF(size=(0.8, 0.8, 0.8), injection_axis=2, direction="-", source_time=PULSE,
                         angle_theta=numpy.pi / 4, angle_phi=numpy.pi / 2, pol_angle=numpy.pi / 2)],
        monitors=[td.FluxMonitor(size=(1, 1, 1), freqs=FREQS, name="f")])


def beam():
    """A beam at an angle, sent upwards and downwards, focused elsewhere; a wave of any polarisation; Bloch walls."""
    keys = dict(size=(INF, INF, 0), waist_radius=2, source_time=PULSE, angle_theta=0.2, angle_phi=0.5, pol_angle=0.3)
    return simulation(
        (8, 8, 3), grid_spec=td.GridSpec.uniform(dl=0.1),
        sources=[td.GaussianBeam(center=(0, 0, -1), direction="+", waist_distance=-1, **keys),
                 td.GaussianBeam(center=(0, 0, 1), direction="-", **keys),
                 td.GaussianBeam(center=(0, 0, 1), direction="-", **{**keys, "angle_theta": 0, "pol_angle": 0}),
                 td.TFSF(size=(1, 1, 1), injection_axis=0, direction="-", source_time=PULSE, pol_angle=numpy.pi / 3)],
        monitors=[td.FluxMonitor(size=(INF, INF, 0), freqs=FREQS, name="f")])


def crystal():
    """Rods in a cell with a phase from one to the next."""
    return simulation(
        (0.6, 0.6, 0), boundary_spec=td.BoundarySpec(x=td.Boundary.bloch(0.5), y=td.Boundary.bloch(0.25),
                                                     z=td.Boundary.periodic()),
        structures=[structure(td.Cylinder(radius=0.12, length=INF, axis=2), td.Medium(permittivity=8.9))],
        sources=[td.PointDipole(center=(0.1, 0.2, 0), polarization="Ez", source_time=PULSE)],
        monitors=[td.FieldTimeMonitor(center=(0.2, 0.1, 0), size=(0, 0, 0), name="p", fields=["Ez"])])


def sheets():
    """Graphene all over a plane, a disc and a ribbon of it, and a film as a sheet; a wave from below."""
    graphene = td.material_library["graphene"](gamma=0.00658, mu_c=0.4, temp=300).medium
    film = td.Medium2D.from_medium(td.Medium(permittivity=4, conductivity=0.5), thickness=0.01)
    sheet = (INF, INF, 0)
    return simulation(
        (0.4, 0.4, 4), boundary_spec=CELL,
        structures=[structure(td.Box(size=(INF, INF, 10), center=(0, 0, 5))),
                    structure(td.Box(size=sheet), graphene.updated_copy(name="graphene")),
                    structure(td.Cylinder(radius=0.1, length=0, center=(0, 0, -0.5), axis=2), graphene),
                    structure(td.PolySlab(vertices=[(-0.1, -0.1), (0.1, -0.1), (0, 0.1)], slab_bounds=(0.5, 0.5)),
                              film)],
        sources=[td.PlaneWave(size=sheet, center=(0, 0, -1.5), direction="+", source_time=PULSE)],
        monitors=[td.FluxMonitor(size=sheet, center=(0, 0, 1.5), freqs=FREQS, name="T")])


def unsupported():
    """What has no counterpart: each part is to be named."""
    box = td.Box(size=(0.2, 0.2, 0.2))
    return simulation(
        (1, 1, 1), structures=[structure(box, td.PECMedium()), structure(box.scaled(1, 2, 1)),
                               structure(box ^ td.Sphere(radius=0.1)),
                               structure(box, td.material_library["cSi"]["Green2008"]),
                               structure(td.Box(size=(0.2, 0.2, 0)), td.PEC2D)],
        sources=[td.UniformCurrentSource(size=(0.2, 0.2, 0), polarization="Ex", source_time=PULSE, name="sheet")],
        monitors=[td.FluxTimeMonitor(size=(0.2, 0.2, 0), name="power")])


def without_none(value):
    if isinstance(value, dict):
        dropped = ("attrs", "plot_length_units")
        return {k: without_none(v) for k, v in value.items() if v is not None and k not in dropped}
    return [without_none(v) for v in value] if isinstance(value, list) else value


if __name__ == "__main__":
    for make in (sphere, pillar, slab, guide_2d, guide, dipole, rods, prisms, symmetric, media, walls, shapes, tilted,
                 beam, crystal, sheets, unsupported):
        tree = without_none(json.loads(make().model_dump_json()))
        with open(f"{make.__name__}.json", "w") as out:
            out.write(textwrap.fill(json.dumps(tree), 118, break_long_words=False) + "\n")
