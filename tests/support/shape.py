#!/usr/bin/env python3
"""Finds what is too long in the tracked text files of the repository.

    python3 tests/support/shape.py        from the repository's root

No function above 60 lines, no struct above 150, no file above 500, no line above 120 columns. Prints file:line: what;
exit status 1 when anything was found. Functions and structs of C and CUDA are found by their form, which clang-format
keeps: a definition ends at a `}` in column 0 (or, within `extern "C"` and namespaces, as clang-format leaves them: in
column 0 too). Lines are counted from the one with the name to that of the closing brace, both included.
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
CODE = (".c", ".h", ".cpp", ".cu", ".cuh")


def is_exempt(name, limit):
    return any(limit == of and fnmatch.fnmatch(name, pattern) for pattern, of in EXCEPTIONS)


def without_comments(text):
    """The text with the insides of comments and strings blanked out, line by line as it was."""
    token = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
    return token.sub(lambda match: re.sub(r"[^\n]", " ", match.group(0)), text)


def blocks_of_code(text):
    """Yields (kind, name, first line, last line) of functions, structs and tables, counted from 1."""
    start, head, depth = None, "", 0
    for number, line in enumerate(map(str.rstrip, without_comments(text).split("\n")), 1):
        if start is None:
            if re.match(r"[A-Za-z_]", line):
                start, head, depth = number, "", 0
            else:
                continue
        head += line + " "
        depth += line.count("{") - line.count("}")
        if line == "}" or ("{" in head and depth == 0):
            yield *what_is(head), start, number
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
            yield "function", node.name, node.lineno, node.end_lineno


def blocks_of_shell(lines):
    start, name = None, ""
    for number, line in enumerate(lines, 1):
        match = re.match(r"(\w+)\(\) [{(]", line)
        if match and not line.rstrip().endswith("}"):
            start, name = number, match.group(1)
        elif start and line.startswith(("}", ")")):
            yield "function", name, start, number
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
    for kind, what, first, last in blocks(name, text):
        most = {"function": FUNCTION, "struct": STRUCT, "table": FILE}[kind]
        if last - first + 1 > most:
            yield f"{name}:{first}: {kind} {what} has {last - first + 1} lines; at most {most}"


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
    print(f"{looked} files: {counts.get('function', 0)} functions, {counts.get('struct', 0)} structs; {len(faults)} too long")
    return 1 if faults or not looked else 0


if __name__ == "__main__":
    sys.exit(main())
