"""Job files: values of Python as libconfig text. What the values mean is the program's business."""
from __future__ import annotations

import math
import numbers
from typing import Any, Dict, List, Mapping, Tuple

from .errors import ArgumentError


def _plain(value: Any) -> Any:
    """numpy's numbers and arrays as Python's."""
    return value.tolist() if hasattr(value, "tolist") else value


def _quoted(text: str) -> str:
    special = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\f": "\\f"}
    return '"' + "".join(special.get(c) or (f"\\x{ord(c):02x}" if ord(c) < 32 else c) for c in text) + '"'


def _number(value: Any, path: str) -> str:
    if isinstance(value, numbers.Integral):
        whole = int(value)
        return str(whole) if -(2**31) <= whole < 2**31 else f"{whole}L"
    number = float(value)
    if not math.isfinite(number):
        raise ArgumentError(path, f"{path}: got {number}, need a finite number")
    text = repr(number)
    return text if "." in text or "e" in text else text + ".0"


def is_group(value: Any) -> bool:
    return isinstance(value, Mapping) or hasattr(value, "to_group")


def group_of(value: Any) -> Mapping[str, Any]:
    """Keys and values of a part of a job or a dictionary, without those that are None."""
    group = value.to_group() if hasattr(value, "to_group") else value
    return {name: item for name, item in group.items() if item is not None}


def scalar(value: Any, path: str) -> str:
    """A value without parts. Raises ArgumentError for what a job file cannot hold."""
    value = _plain(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, numbers.Real):
        return _number(value, path)
    raise ArgumentError(path, f"{path}: got {value!r} ({type(value).__name__}), need a number, text, truth value, "
                        "list or group")


def _array(items: List[Any], path: str) -> str:
    """Scalars of one type as an array; other ones as a list, which the program will refuse by its key."""
    if all(isinstance(i, numbers.Real) and not isinstance(i, bool) for i in items):
        if not all(isinstance(i, numbers.Integral) for i in items):
            items = [float(i) for i in items]
        return "[" + ", ".join(_number(i, path) for i in items) + "]"
    if all(isinstance(i, str) for i in items):
        return "[" + ", ".join(_quoted(i) for i in items) + "]"
    return "(" + ", ".join(value_text(i, path) for i in items) + ")"


def value_text(value: Any, path: str) -> str:
    """A value on one line: a scalar, or arrays and lists of them."""
    value = _plain(value)
    if isinstance(value, (list, tuple, range)):
        return _array([_plain(item) for item in value], path)
    if is_group(value):
        inner = (f"{k} = {value_text(v, f'{path}.{k}')};" for k, v in group_of(value).items())
        return "{ " + " ".join(inner) + " }"
    return scalar(value, path)


class Writer:
    """A job's text. text: so far; paths: of the key in each line, by the line's number from 1."""

    def __init__(self) -> None:
        self.lines: List[str] = []
        self.paths: Dict[int, str] = {}

    @property
    def text(self) -> str:
        return "\n".join(self.lines) + "\n"

    def _line(self, indent: int, text: str, path: str) -> None:
        self.lines.append("  " * indent + text)
        if path:
            self.paths[len(self.lines)] = path

    def group(self, items: Mapping[str, Any], path: str = "", indent: int = 0) -> None:
        """The keys of a group, one a line; groups in lists of groups as blocks."""
        for name, value in items.items():
            self._item(name, value, f"{path}.{name}" if path else name, indent)

    def _item(self, name: str, value: Any, path: str, indent: int) -> None:
        if is_group(value):
            self._line(indent, f"{name} = {{", path)
            self.group(group_of(value), path, indent + 1)
            self._line(indent, "};", path)
        elif isinstance(value, (list, tuple)) and value and all(is_group(item) for item in value):
            self._line(indent, f"{name} = (", path)
            for i, item in enumerate(value):
                inner = f"{path}[{i}]"
                self._line(indent + 1, "{", inner)
                self.group(group_of(item), inner, indent + 2)
                self._line(indent + 1, "}" if i == len(value) - 1 else "},", inner)
            self._line(indent, ");", path)
        else:
            self._line(indent, f"{name} = {value_text(value, path)};", path)


def job_text(items: Mapping[str, Any]) -> Tuple[str, Dict[int, str]]:
    """A whole job: its text, and the path of the key in each line."""
    writer = Writer()
    writer.group(items)
    return writer.text, writer.paths
