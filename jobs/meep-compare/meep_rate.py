"""Times Meep's time stepping: shared by meep_vacuum.py and meep_drude.py.

One length unit is one cell. The domain is 256 x 256 x 128 cells, 10 cells of PML at every side included.
"""
import sys
import time

import meep as mp

CELLS = (256, 256, 128)
PML = 10


def measure(name, geometry):
    """Prints the best of three rates, each over `steps` steps (first argument, default 40), after 10 warm-up steps."""
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    mp.verbosity(0)
    simulation = mp.Simulation(
        cell_size=mp.Vector3(*CELLS),
        resolution=1,
        boundary_layers=[mp.PML(PML)],
        geometry=geometry,
        eps_averaging=False,
        # 600 nm at 5 nm a cell, beside the object
        sources=[mp.Source(mp.GaussianSource(1 / 120, fwidth=1 / 240), mp.Ez, mp.Vector3(-114, 0, 0))],
    )
    simulation.init_sim()
    for _ in range(10):
        simulation.fields.step()
    best = 0.0
    for _ in range(3):
        mp.all_wait()
        start = time.perf_counter()
        for _ in range(steps):
            simulation.fields.step()
        mp.all_wait()
        elapsed = time.perf_counter() - start
        best = max(best, CELLS[0] * CELLS[1] * CELLS[2] * steps / elapsed)
    if mp.am_master():
        print(f"meep {name}: {best / 1e6:.2f} M cells*steps/s, best of 3 x {steps} steps, "
              f"{mp.count_processors()} processes", flush=True)
