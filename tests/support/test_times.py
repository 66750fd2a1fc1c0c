#!/usr/bin/env python3
"""What each test of a build's last ctest run took: a Markdown table, the longest first, then the sums of the labels.

    test_times.py BUILD

Processor seconds are those of all processes of a test, as limit.py reports them (wall seconds where it did not run).
"""
import re
import sys


def labels_of(build):
    """{test: its first label}, from CMake's list: `ctest --show-only` would empty the log of the last run."""
    with open(f"{build}/tests/CTestTestfile.cmake", encoding="utf-8") as file:
        text = file.read()
    return dict(re.findall(r'^set_tests_properties\(\[=\[(\S+?)\]=\] PROPERTIES .*?LABELS "([^";]+)', text, flags=re.M))


def times_of(build):
    """{test: (processor seconds, wall seconds)}"""
    with open(f"{build}/Testing/Temporary/LastTest.log", encoding="utf-8", errors="replace") as file:
        parts = re.split(r"^\d+/\d+ Testing: ", file.read(), flags=re.M)[1:]
    found = {}
    for part in parts:
        used = re.findall(r"^limit\.py: (?:killed after )?([0-9.]+) s of processor time", part, flags=re.M)
        wall = re.search(r"^Test time =\s*([0-9.]+) sec", part, flags=re.M)
        wall = float(wall[1]) if wall else 0.0
        found[part.split("\n", 1)[0].strip()] = (float(used[-1]) if used else wall, wall)
    return found


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    labels, times, sums = labels_of(sys.argv[1]), times_of(sys.argv[1]), {}
    print("| test | label | processor s | wall s |\n|---|---|---:|---:|")
    for name, (used, wall) in sorted(times.items(), key=lambda item: -item[1][0]):
        label = labels.get(name, "none")
        print(f"| {name} | {label} | {used:.1f} | {wall:.1f} |")
        for key in (label, "all"):
            before = sums.get(key, (0, 0, 0))
            sums[key] = (before[0] + 1, before[1] + used, before[2] + wall)
    print("\n| label | tests | processor s | wall s |\n|---|---:|---:|---:|")
    for label, (count, used, wall) in sorted(sums.items(), key=lambda item: item[0] == "all"):
        print(f"| {label} | {count} | {used:.0f} | {wall:.0f} |")


if __name__ == "__main__":
    main()
