#!/usr/bin/env python3
"""Finds retired words (retired_words.txt) in the tracked text files of the repository; without .git, in all files but
those of build*/ and results/.

    python3 tests/support/words.py [--count] [PATH...]     from the repository's root

Prints file:line: the line and what to write instead; exit status 1 when any was found.
--count prints the number of hits for each word and for each folder instead.
"""
import collections
import pathlib
import re
import subprocess
import sys

SUPPORT = pathlib.Path(__file__).resolve().parent
TOP = SUPPORT.parent.parent
LIST = SUPPORT / "retired_words.txt"
EXEMPT = ("CHANGELOG.md", "docs/measurements/", "tests/support/retired_words.txt", "LICENSE", "tests/fuzz/corpus_")


def words():
    for number, line in enumerate(LIST.read_text().splitlines(), 1):
        if line and not line.startswith("#"):
            fields = line.split("\t")
            if len(fields) not in (2, 3):
                sys.exit(f"{LIST.name}:{number}: two or three fields expected, {len(fields)} found")
            if fields[0] != fields[0].lower():
                sys.exit(f"{LIST.name}:{number}: {fields[0]}: lower case expected")
            yield (re.compile(fields[0], re.I), fields[1], re.compile(fields[2]) if len(fields) == 3 else None)


def names(paths):
    if (TOP / ".git").exists():
        files = subprocess.run(["git", "-C", TOP, "ls-files", "-z", "--", *paths], capture_output=True, check=True,
                               text=True)
        return list(filter(None, files.stdout.split("\0")))
    every = (str(file.relative_to(TOP)) for file in sorted(TOP.rglob("*")) if file.is_file())
    return [name for name in every if not re.match(r"build[^/]*/|results/|\.|.*__pycache__", name) and
            (not paths or name.startswith(tuple(paths)))]


def main():
    arguments = [a for a in sys.argv[1:] if a != "--count"]
    table = list(words())
    # Most lines have none: one search in lower case takes a twentieth of the time of one for each word.
    any_word = re.compile("|".join(pattern.pattern for pattern, _, _ in table))
    by_word, by_folder, hits, looked = collections.Counter(), collections.Counter(), 0, 0
    for name in names(arguments):
        if name.startswith(EXEMPT):
            continue
        try:
            text = (TOP / name).read_text(encoding="utf-8")
        except (UnicodeDecodeError, FileNotFoundError):
            continue
        looked += 1
        for number, line in enumerate(text.splitlines(), 1):
            if not any_word.search(line.lower()):
                continue
            for pattern, instead, keep in table:
                if pattern.search(line) and not (keep and keep.search(line)):
                    hits += 1
                    by_word[pattern.pattern] += 1
                    by_folder["/".join(name.split("/")[:2])] += 1
                    if "--count" not in sys.argv:
                        print(f"{name}:{number}: {line.strip()[:120]}  ({pattern.search(line).group(0)}: {instead})")
    if "--count" in sys.argv:
        for counter in (by_word, by_folder):
            print("\n".join(f"{n:5} {what}" for what, n in counter.most_common()), end="\n\n")
    print(f"{hits} retired words in {looked} files")
    return 1 if hits or not looked else 0


sys.exit(main())
