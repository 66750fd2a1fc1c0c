#!/usr/bin/env python3
"""Checks the documentation: prints a line `ok ...` or `fail ...` for each page and rule.

links   every relative link of a page leads to a file of the tree, every anchor to a heading of its page
lines   no line above 120 columns in docs/, README.md, CHANGELOG.md and CONTRIBUTING.md
tables  every table has a line of headings and one of dashes
paths   every path of the tree that a page names exists; CHANGELOG.md and docs/measurements/ may name earlier ones
map     docs/index.md links every page below docs/

Run in the root of the tree. Exit status 1 when a line says fail.
"""
import glob
import os
import re
import sys

COLUMNS = 120
FOLDERS = "src|diamond|comm|io|tests|jobs|docs"
PATH = re.compile(rf"(?<![\w/.-])(?:{FOLDERS})/[\w./-]*[\w/]")
LINK = re.compile(r"!?\[[^\]]*\]\(([^()\s]+)\)")
REFERENCE = re.compile(r"^\[[^\]]+\]:\s*(\S+)", re.M)
REFERRED = re.compile(r"\[([^\]]+)\]\[([A-Za-z][^\]]+)\]")  # not the shapes [n][x] of arrays
DEFINED = re.compile(r"^\[([^\]]+)\]:", re.M)


def without_code(text):
    """The text without fenced and indented blocks and without spans of code, in which links are no links."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    text = re.sub(r"^(?: {4}|\t).*$", "", text, flags=re.M)
    return re.sub(r"`[^`\n]*`", "", text)


def anchors(text):
    """The anchors of a page's headings, as GitHub makes them."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    found = set()
    for heading in re.findall(r"^#+\s+(.*)$", text, re.M):
        heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
        name = re.sub(r"[^\w\- ]", "", heading).replace(" ", "-")
        count = 0
        while (f"{name}-{count}" if count else name) in found:
            count += 1
        found.add(f"{name}-{count}" if count else name)
    return found


def check_links(page, text):
    faults = []
    plain = without_code(text)
    defined = {name.lower() for name in DEFINED.findall(plain)}
    for words, name in REFERRED.findall(plain):
        if name.lower() not in defined:
            faults.append(f"[{words}][{name}] is not defined")
    for target in LINK.findall(plain) + REFERENCE.findall(plain):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        path = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
        if not os.path.exists(path):
            faults.append(f"{target}: there is no {path}")
        elif anchor and path.endswith(".md") and anchor not in anchors(open(path, encoding="utf-8").read()):
            faults.append(f"{target}: {path} has no such heading")
    return faults


def check_lines(text):
    return [f"line {i} has {len(line)} columns" for i, line in enumerate(text.splitlines(), 1) if len(line) > COLUMNS]


def check_tables(text):
    """A table begins with one line of headings and one of dashes, with as many columns."""
    lines = [""] + text.splitlines() + [""]
    faults = []
    for i, (before, head, dashes) in enumerate(zip(lines, lines[1:], lines[2:]), 1):
        if head.startswith("|") and not before.startswith("|"):
            columns = len(re.findall(r"(?<!\\)\|", head))
            if not re.fullmatch(r"\|(\s*:?-+:?\s*\|)+", dashes) or dashes.count("|") != columns:
                faults.append(f"line {i} begins no table")
    return faults


def check_paths(text):
    names = {name.rstrip(".") for name in PATH.findall(text)}
    return [f"there is no {name}" for name in sorted(names) if not os.path.exists(name)]


def main():
    pages = sorted(glob.glob("*.md") + glob.glob("docs/**/*.md", recursive=True))
    verdicts = []
    for page in pages:
        text = open(page, encoding="utf-8").read()
        verdicts.append((f"links of {page}", check_links(page, text)))
        verdicts.append((f"lines of {page}", check_lines(text)))
        verdicts.append((f"tables of {page}", check_tables(text)))
        if page != "CHANGELOG.md" and not page.startswith("docs/measurements/"):
            verdicts.append((f"paths in {page}", check_paths(text)))
    index = open("docs/index.md", encoding="utf-8").read()
    linked = {os.path.normpath(os.path.join("docs", t)) for t in LINK.findall(index) + REFERENCE.findall(index)}
    missing = [f"{page} is not on it" for page in pages if page.startswith("docs/") and page not in linked]
    verdicts.append(("docs/index.md is a map of all pages", [m for m in missing if "docs/index.md" not in m]))
    for name, faults in verdicts:
        print(f"fail {name}: {'; '.join(faults)}" if faults else f"ok   {name}")
    return 1 if any(faults for _, faults in verdicts) else 0


if __name__ == "__main__":
    sys.exit(main())
