#!/usr/bin/env python3
"""Holds what is written about keys against the program's own table: prints a line `ok ...` or `fail ...` for each rule.

json       `torre keys --json` is an array of objects with all members, in the order of the table, with known units
help       every key has one sentence of help
pages      docs/user/job-file.md has the tables that `torre keys --markdown` prints, of every group
reference  comments of jobs/reference.cfg say of each key what the table has: needed or the default, the range, the
           words, the unit; those of jobs/machines/h200-8.cfg, which share them between keys, the same defaults

Usage: keys.py PROGRAM [--write], in the root of the tree. --write brings the page up to date instead.
Exit status 1 when a line says fail.
"""
import json
import re
import subprocess
import sys

PAGE = "docs/user/job-file.md"
TABLE = re.compile(r"<!-- keys: (\w+) -->\n(.*?)<!-- end -->", re.S)
MEMBERS = ["path", "applies_to", "kind", "range", "words", "unit", "default", "default_text", "instead_of", "required",
           "help"]
UNITS = {
    None, "length_unit", "fs", "eV", "rad/s", "S/m", "S", "K", "Ohm/m", "m^2/V^2", "pm/V", "V/m", "deg", "min", "us",
    "GB", "GB/s", "G cells/s", "V/m, A m, V m or sqrt(W)", "cells", "points", "steps", "reaches", "ranks", "threads",
    "nodes", "cores", "devices", "towers", "copies", "rad per length_unit",
    "2 pi / period", "c / period"
}
GROUPS = ("group", "list")
# Of 2-D, graded and cylindrical jobs, which the reference job is not.
OF_OTHERS = ("grid.polarisation", "grid.refine", "grid.max_ratio", "grid.coordinates", "grid.m")


def ask(program, *arguments):
    return subprocess.run([program, "keys", *arguments], check=True, capture_output=True, text=True).stdout


# --- The page ---


def group_of(key):
    name = re.split(r"[.\[]", key["path"])[0]
    return "job" if name == key["path"] and key["kind"] not in GROUPS else name


def current_page(program, text):
    return TABLE.sub(lambda m: f"<!-- keys: {m[1]} -->\n\n{ask(program, '--markdown', m[1])}\n<!-- end -->", text)


def check_page(program, keys):
    text = open(PAGE, encoding="utf-8").read()
    faults = [f"the table of {m[1]} is not current" for m in TABLE.finditer(text)
              if m[0] != current_page(program, m[0])]
    shown = {m[1] for m in TABLE.finditer(text)}
    return faults + [f"no table of {group}" for group in dict.fromkeys(map(group_of, keys)) if group not in shown]


# --- The table itself ---


def check_json(keys):
    faults = []
    for key in keys:
        if list(key) != MEMBERS:
            faults.append(f"{key.get('path')}: members {list(key)}")
        if key["unit"] not in UNITS:
            faults.append(f"{key['path']}: unknown unit {key['unit']}")
        if key["required"] and (key["default"] is not None or key["default_text"] is not None):
            faults.append(f"{key['path']}: needed, and has a default")
        if key["kind"] == "word" and key["default"] is not None and key["default"] not in key["words"]:
            faults.append(f"{key['path']}: the default {key['default']} is none of the words")
    rows = [(key["path"], tuple(key["applies_to"] or ())) for key in keys]
    return faults + [f"{row} stands twice" for row in sorted(set(rows)) if rows.count(row) > 1]


def check_help(keys):
    return [key["path"] for key in keys if not re.fullmatch(r"[A-Z][^\n]{3,160}\.", key["help"] or "")]


# --- Comments of a file that shows every key ---


def comments_of(path):
    """For each key's path the comments that belong to it: those on its line and on the lines below without a key."""
    found, stack, owners = {}, [], []
    for line in open(path, encoding="utf-8"):
        code = re.match(r'(?:"[^"]*"|[^"#])*', line)[0]
        comment = line[len(code):].strip().lstrip("# ")
        here = []
        for token in re.findall(r'"[^"]*"|[A-Za-z]\w*\s*=|[{}()]', code):
            if token.endswith("="):
                name = token[:-1].strip()
                here.append((".".join(stack) + "." + name).replace(".[]", "[]").lstrip("."))
                pending = name
            elif token == "{":
                stack.append("[]" if stack and stack[-1].endswith("(") else pending)
            elif token == "(":
                stack.append(pending + "(")
            elif token in ")}":
                stack.pop()
        owners = here or owners if code.strip(" \n};,)") == "" or here else []
        for owner in owners:
            found[owner.replace("(", "")] = found.get(owner.replace("(", ""), "") + " " + comment
    return found


def number_is_in(value, text):
    forms = {f"{value:g}", f"{value:g}".replace("e+0", "e").replace("e+", "e"), f"{value:.0f}"}
    return any(re.search(rf"(?<![\w.]){re.escape(form)}(?![\w.]*\d)", text) for form in forms)


def unit_is_in(key, text):
    name = key["path"].split(".")[-1]
    if key["unit"] == "length_unit":
        return "length" in text
    return all(part in text or part.replace("/", "_per_").replace(" ", "") in name
               for part in re.split(", | or ", key["unit"]))


def missing_in(key, text):
    """The properties of a key that are in the table and not in the text."""
    missing = []
    default = key["default"]
    if isinstance(default, list):
        default = default[0]
    if isinstance(default, bool):
        default = str(default).lower()
    if key["required"] and "needed" not in text:
        missing.append("needed")
    if default is not None and not re.search(rf'default [^.;]*?"?{re.escape(str(default))}(?!\w|\.\d)', text):
        missing.append(f"default {default}")
    for end in ("lo", "hi") if key["range"] and not key["words"] else ():
        if key["range"][end] is not None and not number_is_in(key["range"][end], text):
            missing.append(f"{key['range'][end]:g}")
    words = [word for word in key["words"] or [] if not re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text)]
    if words and not ("..." in text and len(words) <= len(key["words"]) - 2):
        missing += words
    if key["unit"] and not unit_is_in(key, text):
        missing.append(f"unit {key['unit']}")
    return missing


def alternatives(key, keys):
    """Paths of the keys of its group that may stand in its place."""
    group, name = key["path"].rpartition(".")[::2]
    there = [other for other in keys if other["path"].rpartition(".")[0] == group]
    return [other["path"] for other in there
            if other["instead_of"] == name or other["path"].rpartition(".")[2] == key["instead_of"]]


def is_replaced(key, keys, comments):
    return any(path in comments for path in alternatives(key, keys))


def check_defaults(path, keys):
    comments, faults = comments_of(path), []
    for key in keys:
        text = comments.get(key["path"])
        if text is None and is_replaced(key, keys, comments):
            continue
        if text is None:
            faults.append(f"{key['path']} is not shown")
        elif "default" in text and key["default"] is not None:
            faults += [f"{key['path']}: its comments lack \"{what}\"" for what in missing_in(key, text)
                       if what.startswith("default")]
    return faults


def check_comments(path, keys):
    comments, faults = comments_of(path), []
    for key in keys:
        name = key["path"]
        if name not in comments and is_replaced(key, keys, comments):
            continue
        if name not in comments:
            faults += [] if name.startswith(OF_OTHERS) else [f"{name} is not shown"]
        elif key["kind"] not in GROUPS + ("word_or_group",) and not name.startswith("boundaries.x_lo."):
            faults += [f"{name}: its comments lack \"{what}\"" for what in missing_in(key, comments[name])]
    return faults


def main():
    program = sys.argv[1]
    if sys.argv[2:] == ["--write"]:
        text = open(PAGE, encoding="utf-8").read()
        open(PAGE, "w", encoding="utf-8").write(current_page(program, text))
        return 0
    job, machine = json.loads(ask(program, "--json")), json.loads(ask(program, "--json", "--machine"))
    verdicts = [
        ("the keys of job files as JSON", check_json(job)),
        ("the keys of machine files as JSON", check_json(machine)),
        ("every key has a sentence of help", check_help(job + machine)),
        (f"the tables of {PAGE} are current", check_page(program, job)),
        ("the comments of jobs/reference.cfg", check_comments("jobs/reference.cfg", job)),
        ("the defaults in jobs/machines/h200-8.cfg", check_defaults("jobs/machines/h200-8.cfg", machine)),
    ]
    for name, faults in verdicts:
        print(f"fail {name}: {'; '.join(faults)}" if faults else f"ok   {name}")
    return 1 if any(faults for _, faults in verdicts) else 0


if __name__ == "__main__":
    sys.exit(main())
