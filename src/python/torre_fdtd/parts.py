"""The classes of a job's parts, made from the table of keys that the program prints (`torre keys --json`).

A list or group whose keys include `type` gives a class for each of its words: Sphere, PlaneWave, CrossSection, Pulse,
Lorentz, Cpml. Other groups at the top of a job, and lists within groups, give a class each: Grid, Run, Schedule,
Refine. A class has the keys of its group as keyword arguments and attributes. Names are checked here, values by the
program.
"""
from __future__ import annotations

import difflib
import inspect
import keyword
import re
from typing import Any, Dict, Iterator, List, Mapping, Optional, Tuple, Type

from .errors import ArgumentError
from .program import Program, program

# What a list's class is called where its words give none.
_SINGULAR = {"media": "Medium", "designs": "Design", "sheets": "Sheet"}
# Names of the modules of classes that have words, by the last part of their path.
_MODULES = {"time": "times", "x_lo": "faces"}


def argument_of(key: str) -> str:
    """The argument's name for a key: the same, with _ behind words that Python keeps for itself."""
    return key + "_" if keyword.iskeyword(key) else key


def unknown(argument: str, where: str, known: List[str]) -> ArgumentError:
    near = difflib.get_close_matches(argument, known, 1)
    hint = f"did you mean {near[0]}?" if near else "known: " + ", ".join(known)
    return ArgumentError(argument, f"{where}: no argument {argument}; {hint}")


class Part:
    """A part of a job. Its arguments are its attributes; None: not given, the program's default holds."""

    _path = ""  # of the group, such as "objects[]"
    _word: Optional[str] = None  # value of its key `type`
    _keys: Dict[str, Dict[str, Any]] = {}  # by argument

    def __init__(self, **values: Any):
        self.__dict__["_values"] = {}
        for name, value in values.items():
            setattr(self, name, value)

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._keys:
            raise unknown(name, type(self).__name__, list(self._keys))
        is_pair = self._keys[name]["is_box"] and isinstance(value, (list, tuple)) and len(value) == 2
        self._values[name] = list(value) if is_pair else value  # low and high corner, which can be set one by one

    def __getattr__(self, name: str) -> Any:
        if name in type(self)._keys:
            return self.__dict__["_values"].get(name)
        raise AttributeError(f"{type(self).__name__} has no attribute {name}")

    def __dir__(self) -> List[str]:
        return [*super().__dir__(), *self._keys]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in self._values.items() if v is not None)})"

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, Part) and self.to_group() == other.to_group() and self._path == other._path

    __hash__ = object.__hash__

    def __deepcopy__(self, memo: Dict[int, Any]) -> Part:
        import copy

        made = type(self)()
        memo[id(self)] = made
        made._values.update(copy.deepcopy(self._values, memo))
        return made

    def copy(self, **changes: Any) -> Part:
        """The same part with other values of some arguments."""
        return type(self)(**{**self._values, **changes})

    def to_group(self) -> Dict[str, Any]:
        """Keys and values as the job file has them."""
        group: Dict[str, Any] = {} if self._word is None else {"type": self._word}
        for name, value in self._values.items():
            if value is not None:
                group[self._keys[name]["name"]] = _as_written(self._keys[name], value)
        return group


def _as_written(key: Mapping[str, Any], value: Any) -> Any:
    """A medium as its name; a pair of corners as the group lo, hi."""
    if isinstance(value, Part) and value._path == "media[]" and key["kind"] == "medium":
        return value.name
    if key["is_box"] and isinstance(value, (list, tuple)) and len(value) == 2:
        return {"lo": value[0], "hi": value[1]}
    return value


def _annotation(key: Mapping[str, Any]) -> str:
    kind = {"integer": "int", "bool": "bool", "number": "float", "length": "float"}.get(key["kind"], key["kind"])
    return " | ".join(repr(word) for word in key["words"]) if key["words"] and key["kind"] == "word" else kind


def _described(argument: str, key: Mapping[str, Any]) -> str:
    default = key["default_text"] if key["default_text"] is not None else key["default"]
    unit = {None: "", "length_unit": ", in length_unit"}.get(key["unit"], f", in {key['unit']}")
    ending = "needed" if key["required"] else f"default {default}"
    words = f" ({' '.join(map(str, key['words']))})" if key["words"] else ""
    return f"{argument}: {key['kind'].replace('_', ' ')}{words}{unit}; {ending}\n    {key['help']}"


class Table:
    """The keys of one program, and the classes made from them.

    classes: {module: {name: class}}, the modules being objects, sources, monitors, times, poles, faces and parts.
    job_keys: the keys at the top of a job, by argument; flat: those of the groups grid and run, which a job takes as
    arguments of its own, {argument: (group, key)}.
    """

    def __init__(self, source: Program):
        self.children: Dict[str, List[Dict[str, Any]]] = {}
        for key in source.keys:
            group, _, name = key["path"].rpartition(".")
            self.children.setdefault(group, []).append({**key, "name": name})
        for keys in self.children.values():
            for key in keys:
                below = self.children.get(key["path"], [])
                key["is_box"] = sorted(inner["name"] for inner in below) == ["hi", "lo"]
        self.job_keys = {argument_of(key["name"]): key for key in self.children[""]}
        self.flat: Dict[str, Tuple[str, Dict[str, Any]]] = {}
        for group in ("grid", "run"):
            for key in self.children[group]:
                argument = argument_of(key["name"])
                if argument not in self.job_keys and argument not in self.flat:
                    self.flat[argument] = (group, key)
        self.classes: Dict[str, Dict[str, Type[Part]]] = {}
        for group, keys in self.children.items():
            self._add_classes(group, keys)

    @property
    def format_version(self) -> Optional[int]:
        """The newest format of job files."""
        return self.job_keys["format_version"]["range"]["hi"]

    def _add_classes(self, group: str, keys: List[Dict[str, Any]]) -> None:
        last = group.rpartition(".")[2].replace("[]", "")
        types = [key for key in keys if key["name"] == "type" and key["kind"] == "word"]
        if types:
            module = self.classes.setdefault(_MODULES.get(last, last), {})
            for word in types[0]["words"]:
                own = [k for k in keys if k["name"] != "type" and (not k["applies_to"] or word in k["applies_to"])]
                made = self._make(group, word, _camel(word), own)
                module[made.__name__] = made
        elif group and ("." not in group or group.endswith("[]")):
            made = self._make(group, None, _SINGULAR.get(last, _camel(last)), keys)
            self.classes.setdefault("parts", {})[made.__name__] = made

    def _make(self, group: str, word: Optional[str], name: str, keys: List[Dict[str, Any]]) -> Type[Part]:
        arguments = {argument_of(key["name"]): key for key in keys}
        where = f'{group.replace("[]", "")} of type "{word}"' if word else group.replace("[]", "")
        lines = [f"{where}.", "", *(_described(a, k) for a, k in arguments.items())]
        needed_first = sorted(arguments.items(), key=lambda item: not item[1]["required"])
        parameters = [inspect.Parameter(a, inspect.Parameter.KEYWORD_ONLY, annotation=_annotation(k),
                                        default=inspect.Parameter.empty if k["required"] else k["default"])
                      for a, k in needed_first]
        return type(name, (Part,), {"__doc__": "\n".join(lines), "_path": group, "_word": word, "_keys": arguments,
                                    "__slots__": (), "__module__": "torre_fdtd",
                                    "__signature__": inspect.Signature(parameters)})

    def all_classes(self) -> Iterator[Tuple[str, str, Type[Part]]]:
        for module, classes in self.classes.items():
            for name, made in classes.items():
                yield module, name, made

    def find(self, name: str) -> Type[Part]:
        """The class of that name. Raises AttributeError where there is none, or where several modules have it."""
        found = [(module, made) for module, n, made in self.all_classes() if n == name]
        if len(found) > 1:
            raise AttributeError("; ".join(f"torre_fdtd.{module}.{name}" for module, _ in found) + ": name one of them")
        if not found:
            near = difflib.get_close_matches(name, [n for _, n, _ in self.all_classes()], 1)
            raise AttributeError(f"torre_fdtd has no {name}" + (f"; did you mean {near[0]}?" if near else ""))
        return found[0][1]


def _camel(word: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in re.split(r"[_\s]", word))


_tables: Dict[str, Table] = {}


def table() -> Table:
    """The table of the program in use. Raises ProgramError."""
    source = program()
    if source.path not in _tables:
        _tables[source.path] = Table(source)
    return _tables[source.path]


class Module:
    """The classes of one list or group, such as torre_fdtd.sources."""

    def __init__(self, name: str):
        self.__name__ = name

    def __getattr__(self, name: str) -> Type[Part]:
        classes = table().classes.get(self.__name__, {})
        if name not in classes:
            raise AttributeError(f"torre_fdtd.{self.__name__} has no {name}; it has " + ", ".join(sorted(classes)))
        return classes[name]

    def __dir__(self) -> List[str]:
        return sorted(table().classes.get(self.__name__, {}))


def span(first: float, last: float, count: int) -> Dict[str, Any]:
    """Wavelengths in equal steps, both ends included: the group { from, to, count } of a job file."""
    return {"from": first, "to": last, "count": count}
