#!/usr/bin/env python3
"""Finds what is too long in the tracked text files of the repository.

    python3 tests/support/shape.py        from the repository's root

No function above 60 lines, no struct above 150, no file above 500, no line above 120 columns. A test in shell that
counts failures ends with them. Prints file:line: what; exit status 1 when anything was found. Functions and structs of
C and CUDA are found by their form, which clang-format keeps: they begin in column 0 and end where their braces are
closed. Lines are counted from the one with the name (or `template`) to that of the closing brace, both included. A
method's body counts as a function, not as lines of its struct. Tables of values count as files do.
"""
import ast
import fnmatch
import pathlib
import re
import subprocess
import sys

FUNCTION, STRUCT, FILE, LINE = 60, 150, 500, 120

# What is no text that people write or read line by line.
NOT_LOOKED_AT = {
    "*.png": "picture",
    "*.h5": "data",
    "*.gds": "data",
    "*.svg": "picture, drawn by a program",
    "*.ttf": "font",
    "*.csv": "data",
    "*LICENSE": "the words of others",
    "tests/fuzz/corpus_*": "input of fuzzers",
}
# (file, limit): why.
EXCEPTIONS = {
    ("CHANGELOG.md", "file"): "grows with each version",
    ("docs/measurements/*", "file"): "records, kept as they were measured",
    ("docs/measurements/*.txt", "line"): "output of the program",
    ("docs/user/job-file.md", "file"): "the reference of all keys, made from the table of keys",
    ("tests/unit/two_packages.xml", "line"): "hwloc's own description of a machine",
    ("tests/support/retired_words.txt", "line"): "a word a line, with what it is kept in",
}
VERDICTS = ("\nfinish\n", "\nexit $((failures > 0))\n")
CODE = (".c", ".h", ".cpp", ".cu", ".cuh")


def is_exempt(name, limit):
    return any(limit == of and fnmatch.fnmatch(name, pattern) for pattern, of in EXCEPTIONS)


def without_comments(text):
    """The text with the insides of comments and strings blanked out, line by line as it was."""
    token = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
    return token.sub(lambda match: re.sub(r"[^\n]", " ", match.group(0)), text)


def blocks_of_code(text):
    """Yields (kind, name, first line, lines) of functions, structs and tables, and of the methods of structs, whose
    bodies do not count as lines of the struct."""
    lines = without_comments(text).split("\n")
    for kind, name, first, last, count in blocks_at_left(lines):
        if kind == "struct":
            inside = [line[2:] for line in lines[first : last - 1]]
            for kind_of, method, start, end, length in blocks_at_left(inside):
                if kind_of == "function":
                    yield "function", f"{name.split()[-1]}::{method}", first + start, length
                    count -= length - 1
        yield kind, name, first, count


def blocks_at_left(lines):
    """Yields (kind, name, first line, last line, lines) of what begins in column 0, counted from 1."""
    start, head, depth = None, "", 0
    for number, line in enumerate(map(str.rstrip, lines), 1):
        if start is None:
            if re.match(r"[A-Za-z_]", line):
                start, head, depth = number, "", 0
            else:
                continue
        head += line + " "
        depth += line.count("{") - line.count("}")
        if line == "}" or ("{" in head and depth == 0):
            kind, name = what_is(head)
            yield kind, name, start, number, number - start + 1
            start = None
        elif line.endswith((";", ":")) and "{" not in head or re.match(r'(extern|namespace)\b.*{', head):
            start = None


def what_is(head):
    before = head.split("{")[0]
    match = re.match(r"(?:template <.*?> )*(?:typedef )?(?:struct|union|enum|class)\b[^(=]*$", before)
    if match:
        return "struct", before.strip()
    if "=" in re.sub(r"\(.*?\)|operator\S+", "", before):
        return "table", before.strip()
    names = re.findall(r"([\w:~]+)\s*\(", before)
    return "function", (names[-1] if names else before.strip())


def blocks_of_python(text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield "function", node.name, node.lineno, node.end_lineno - node.lineno + 1


def blocks_of_shell(lines):
    start, name = None, ""
    for number, line in enumerate(lines, 1):
        match = re.match(r"(\w+)\(\) [{(]", line)
        if match and not line.rstrip().endswith("}"):
            start, name = number, match.group(1)
        elif start and line.startswith(("}", ")")):
            yield "function", name, start, number - start + 1
            start = None


def blocks(name, text):
    if name.endswith(CODE):
        return blocks_of_code(text)
    if name.endswith(".py"):
        return blocks_of_python(text)
    if name.endswith(".sh") or text.startswith("#!/usr/bin/env bash"):
        return blocks_of_shell(text.splitlines())
    return ()


def faults_of(name, text):
    lines = text.splitlines()
    if len(lines) > FILE and not is_exempt(name, "file"):
        yield f"{name}: {len(lines)} lines; at most {FILE}"
    if not is_exempt(name, "line"):
        for number, line in enumerate(lines, 1):
            if len(line) > LINE:
                yield f"{name}:{number}: {len(line)} columns; at most {LINE}"
    if fnmatch.fnmatch(name, "tests/system/*.sh") and "\ncheck " in text and not text.endswith(VERDICTS):
        yield f"{name}: ends without `finish`, so that it cannot fail"
    for kind, what, first, count in blocks(name, text):
        most = {"function": FUNCTION, "struct": STRUCT, "table": FILE}[kind]
        if count > most:
            yield f"{name}:{first}: {what} has {count} lines; at most {most} in a {kind}"


def main():
    files = subprocess.run(["git", "ls-files", "-z"], capture_output=True, check=True, text=True).stdout
    looked, faults, counts = 0, [], {}
    for name in filter(None, files.split("\0")):
        if any(fnmatch.fnmatch(name, pattern) for pattern in NOT_LOOKED_AT) or not pathlib.Path(name).is_file():
            continue
        text = pathlib.Path(name).read_text(encoding="utf-8")
        looked += 1
        faults += faults_of(name, text)
        for kind, *_ in blocks(name, text):
            counts[kind] = counts.get(kind, 0) + 1
    print("\n".join(faults), end="\n" if faults else "")
    functions, structs = counts.get("function", 0), counts.get("struct", 0)
    print(f"{looked} files, {functions} functions, {structs} structs: {len(faults)} too long")
    # So many there are at least; fewer would mean that they are no longer found.
    return 1 if faults or looked < 400 or functions < 2500 or structs < 300 else 0


if __name__ == "__main__":
    sys.exit(main())
