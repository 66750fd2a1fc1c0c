"""Runs a notebook of jobs/notebooks from an empty folder; the executed copy, with its pictures, goes to the folder OUT.

    python3 tests/notebooks/run.py NOTEBOOK.ipynb OUT

Exit status: 0 it ran, 1 a cell failed, 77 no nbclient, ipykernel, or what torre_fdtd needs for results.
"""
import os
import pathlib
import sys
import tempfile

try:
    import h5py  # noqa: F401
    import ipykernel  # noqa: F401
    import matplotlib  # noqa: F401
    import nbformat
    import xarray  # noqa: F401
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError
except ImportError as error:
    print(f"skipped: {error} (Debian: python3-nbclient python3-ipykernel and those of the package)")
    sys.exit(77)

source, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
os.environ["PYTHONPATH"] = str(source.resolve().parents[2] / "src/python")
notebook, status = nbformat.read(source, 4), 0
with tempfile.TemporaryDirectory(prefix="torre-notebook-") as work:
    try:
        client = NotebookClient(notebook, timeout=600, kernel_name="python3", resources={"metadata": {"path": work}})
        client.execute()
    except CellExecutionError as error:
        print(error)
        status = 1
out.mkdir(parents=True, exist_ok=True)
nbformat.write(notebook, out / source.name)
for cell in notebook.cells:
    for made in cell.get("outputs", []):
        print(made.get("text", ""), end="")
sys.exit(status)
