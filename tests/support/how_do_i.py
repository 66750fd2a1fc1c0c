#!/usr/bin/env python3
"""Holds docs/user/how-do-i.md against the program: prints a line `ok ...` or `fail ...` for each command.

The page's blocks have lines `$ torre check ...`, continued by a backslash at their end, and below each the answer of
the program: without its verdict on memory and time, notes and the times of the log, folded at 118 columns. Each is
run in the present folder, in which the jobs of the page are written first (`torre example`).

Usage: how_do_i.py PROGRAM PAGE [--write]. --write brings the answers up to date instead.
Exit status 1 when a line says fail.
"""
import re
import shlex
import subprocess
import sys
import textwrap

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
COMMAND = re.compile(r"^\$ (torre check (?:.*\\\n)*.*\n)", re.M)
COLUMNS = 118


def answer(program, command):
    """The exit status and the lines of an answer that are the same on every machine."""
    words = shlex.split(command.replace("\\\n", " "))
    run = subprocess.run([program] + words[1:], capture_output=True, text=True, check=False)
    lines = (run.stdout + run.stderr).splitlines()
    lines = [re.sub(r"^\[ *[\d.]+ s\] ", "", line) for line in lines]
    return run.returncode, [line for line in lines if not re.match(r"fits:|does not fit|note:", line)]


def folded(lines):
    fold = textwrap.TextWrapper(COLUMNS, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)
    return "".join("\n".join(fold.wrap(line)) + "\n" for line in lines)


def plain(text):
    return " ".join(text.split())


def check_block(program, block, bad):
    """The block with the program's answers in place of its own."""
    parts = COMMAND.split(block)
    out = parts[0]
    for command, written in zip(parts[1::2], parts[2::2]):
        status, lines = answer(program, command)
        name = plain(command.replace("\\\n", " "))
        refused = "nothing was run" in plain(" ".join(lines))
        good = plain(written) == plain(" ".join(lines)) and status == (2 if refused else 0)
        print("ok  " if good else "fail", name)
        if not good:
            bad.append(name)
            print(f"     status {status}\n" + folded(lines))
        out += "$ " + command + folded(lines)
    return out


def main():
    program, page = sys.argv[1:3]
    with open(page, encoding="utf-8") as file:
        text = file.read()
    bad = []
    new = BLOCK.sub(
        lambda m: m.group(0) if m.group(1) else "```\n" + check_block(program, m.group(2), bad) + "```", text)
    count = len(COMMAND.findall(text))
    print("ok  " if count >= 17 else "fail", f"the page has {count} commands")
    if "--write" in sys.argv:
        with open(page, "w", encoding="utf-8") as file:
            file.write(new)
        return 0
    return 1 if bad or count < 17 else 0


if __name__ == "__main__":
    sys.exit(main())
