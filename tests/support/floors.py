#!/usr/bin/env python3
"""Reads the includes of the tree and fails when an arrow points up.

FLOORS lists the folders from the bottom to the top. A file may include its own folder, and folders on lower floors; of
folders on one floor none may include another. Run in the root of the tree. Exit status 1: something points up, a
folder has no floor, an include guard does not follow its file's path, or two files of diamond/gpu share a name.
"""
import collections
import os
import re
import sys

FLOORS = [
    ["src/base"],
    ["io/files", "io/config", "comm/transport"],
    ["io/gds", "io/hdf5", "io/image", "io/stl"],
    ["diamond/core"],
    ["diamond/cpu", "diamond/gpu"],  # diamond/gpu itself holds device.h, the interface of all below it
    ["diamond/gpu/view"],
    ["diamond/gpu/stepwise", "diamond/gpu/tower"],
    ["diamond/gpu/plane", "diamond/gpu/tower_reg", "diamond/gpu/tower_smem", "diamond/gpu/ranks", "diamond/classic"],
    ["diamond/gpu/window"],
    ["diamond/gpu/engine"],
    ["comm/exchange"],
    ["src/job", "src/disk"],
    ["src/model"],
    ["src/simulation", "src/predict", "src/modes"],
    ["src/schedule"],
    ["src/results", "src/bench"],
    ["src/run"],
    ["src/study", "src/classic"],
    ["src"],
]
FLOOR = {folder: i for i, floor in enumerate(FLOORS) for folder in floor}
EXTENSIONS = (".c", ".h", ".cu", ".cuh")
INCLUDE = re.compile(r'^\s*#\s*include "([^"]+)"', re.M)


def main():
    faults = []
    names = collections.defaultdict(set)
    for top in ("src", "diamond", "comm", "io"):
        for folder, _, files in os.walk(top):
            for name in sorted(files):
                if not name.endswith(EXTENSIONS):
                    continue
                path = f"{folder}/{name}"
                text = open(path, encoding="utf-8").read()
                if folder not in FLOOR:
                    faults.append(f"{path}: {folder} has no floor")
                    continue
                if folder.startswith("diamond/gpu"):
                    names[name].add(path)
                if name.endswith((".h", ".cuh")):
                    guard = "TOR_" + re.sub(r"[^A-Za-z0-9]", "_", path).upper()
                    if f"#ifndef {guard}\n#define {guard}\n" not in text:
                        faults.append(f"{path}: the include guard should be {guard}")
                for included in INCLUDE.findall(text):
                    other = os.path.dirname(included)
                    if included == "tor_version.h":
                        continue
                    if other not in FLOOR or not os.path.isfile(included):
                        faults.append(f"{path}: includes {included}, which is no file of a folder with a floor")
                    elif other != folder and FLOOR[other] >= FLOOR[folder]:
                        faults.append(f"{path}: includes {included}, which is not on a lower floor")
    for name, paths in sorted(names.items()):
        if len(paths) > 1:
            faults.append(f"{name}: {', '.join(sorted(paths))} share a name")
    print("\n".join(faults), end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
