"""A 50:50 splitter: energy and reciprocity of its scattering matrix.

    python3 tests/stress/guides/splitter.py --torre build/torre

torre study smatrix runs splitter.cfg once for each port. For each wavelength and driven port: each |S|^2, what the
fluxes out of the box around the splitter carry beside the guides' modes, both over the mode that enters, and their sum
less 1; then the largest |S_ij - S_ji|. The rows of docs/measurements/guides.md."""
import argparse
import csv
import pathlib
import subprocess

PORTS = {1: "in", 2: "up", 3: "down"}


def rows_of(path):
    return [{k: float(v) for k, v in row.items()} for row in csv.DictReader(open(path))]


def entering(port, row):
    """Powers of the mode of a port: into the splitter, out of it."""
    pair = row["forward_J_per_Hz_m"], row["backward_J_per_Hz_m"]
    return pair if port == 1 else pair[::-1]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--torre", default="build/torre")
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("splitter"))
    args = parser.parse_args()
    job = pathlib.Path(__file__).with_name("splitter.cfg")
    subprocess.run([args.torre, "study", "smatrix", str(job), "--set", "schedule.threads=1", "--out", str(args.folder),
                    "-q"], check=True)
    s = {}
    for row in rows_of(args.folder / "smatrix.csv"):
        s[row["wavelength_nm"], int(row["to"]), int(row["from"])] = complex(row["re"], row["im"])
    for j in PORTS:
        run = args.folder / f"port-{j}"
        spectra = rows_of(run / "spectra.csv")
        modes = {p: rows_of(run / f"port_{name}_modes.csv") for p, name in PORTS.items()}
        for q, row in enumerate(spectra):
            nm = row["wavelength_nm"]
            power = lambda name: row[f"{name}.power_J_per_Hz_m"]
            both = {p: entering(p, modes[p][q]) for p in PORTS}
            whole = both[j][0]
            guided = sum(out - into for into, out in both.values())
            outward = power("top") - power("bottom") + power("right") - power("left")
            beside = (outward - guided) / whole
            total = sum(abs(s[nm, i, j]) ** 2 for i in PORTS)
            print(f"| {nm:g} | {j} | {' | '.join(f'{abs(s[nm, i, j]) ** 2:.6f}' for i in PORTS)} | {beside:.6f} "
                  f"| {total + beside - 1:+.1e} | {power('box') / whole:+.1e} |")
    print("largest |S_ij - S_ji|:", max(abs(v - s[nm, j, i]) for (nm, i, j), v in s.items()))


if __name__ == "__main__":
    main()
