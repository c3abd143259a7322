"""The YAML files of the project: settings, systems and data sets.

A file contains plain data: mappings with distinct keys, lists, texts, numbers, booleans and null. Anchors, aliases and
merge keys (``<<``) are expanded. Size and nesting are limited, so that no file can block a job or exhaust its memory.
"""

import os
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

import yaml

from cqa_spark.errors import ConfigError


@dataclass(frozen=True)
class Problem:
    """A problem.

    Attributes:
        origin: its place, such as ``conf/demo.yaml, line 3`` or ``flag --lake``.
        key: dotted key of the setting; empty if there is none.
        what: what is wrong.
        remedy: what to do.
        meant: flags that were probably meant; that they are missing is the same mistake.
    """

    origin: str
    key: str
    what: str
    remedy: str
    meant: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Origin, key (unless a flag names it already) and problem, with the remedy below."""
        subject = f"{self.key}: " if self.key and not self.origin.startswith("flag ") else ""
        return f"{self.origin}: {subject}{self.what}\n→ {self.remedy}"


class SettingsError(ConfigError):
    """All problems found in the settings of a job."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        """List the problems, one below the other."""
        count = "1 invalid setting" if len(problems) == 1 else f"{len(problems)} invalid settings"
        listed = "\n".join("  - " + textwrap.indent(str(problem), "    ").lstrip() for problem in problems)
        super().__init__(
            f"{count}; nothing was read or written\n{listed}",
            "see --help-all for all settings and --dry-run for their values",
        )
        self.problems = tuple(problems)


MAX_BYTES = 2**18
"""Maximum size of a file."""

MAX_VALUES = 10_000
"""Maximum number of keys, values and list items of a file after its aliases are expanded."""

MAX_DEPTH = 20
"""Maximum nesting of mappings and lists."""

MAX_NUMBER_LENGTH = 64
"""Maximum length of a number, in characters."""

Key = tuple[str, ...]
"""The keys that lead to a value, from the outermost mapping inwards."""

_TAG = "tag:yaml.org,2002:"
_SCALARS = {f"{_TAG}{name}" for name in ("str", "int", "float", "bool", "null")}
_NUMBERS = {f"{_TAG}int", f"{_TAG}float"}
_SEQUENCE, _MAPPING, _MERGE = f"{_TAG}seq", f"{_TAG}map", f"{_TAG}merge"


@dataclass(frozen=True)
class Document:
    """The content of a file.

    Attributes:
        value: a mapping, list or plain value; None for an empty file.
        origins: by key, where it is set, such as ``conf/demo.yaml, line 3``; keys inside of lists have none.
    """

    value: Any = None
    origins: Mapping[Key, str] = field(default_factory=dict)


class YamlError(ConfigError):
    """A file that is not YAML, or contains more than plain data."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(f"{problem.origin}: {problem.what}", problem.remedy)
        self.detail = problem


def named_files(folder: Path) -> dict[str, Path]:
    """The YAML files of a folder by name, in alphabetical order; names given by users are looked up here.

    Raises:
        OSError: the folder is there and cannot be listed.
    """
    try:
        names = sorted(os.listdir(folder))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    return {path.stem: path for path in map(folder.joinpath, names) if path.suffix == ".yaml"}


def read_yaml(path: Path) -> Document:
    """Read a file.

    Raises:
        YamlError: it cannot be read, is not YAML, or contains more than plain data; the message has line and column.
    """
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
        if len(content) > MAX_BYTES:
            raise YamlError(Problem(str(path), "", f"is larger than {MAX_BYTES:,} bytes", "check the path of the file"))
        return parse_yaml(content.decode("utf-8-sig"), str(path))
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise YamlError(Problem(str(path), "", f"cannot be read: {reason}", "check the path of the file")) from error


def parse_yaml(text: str, origin: str) -> Document:
    """Read a text.

    Args:
        text: one YAML document.
        origin: names the text in errors, such as the path of its file.

    Raises:
        YamlError: as ``read_yaml``.
    """
    try:
        loader = PlainLoader(text)
        node = loader.get_single_node()
        return Document() if node is None else _Expansion(loader, origin).document(node)
    except yaml.reader.ReaderError as error:
        before = text[: error.position]
        position = f"line {before.count(chr(10)) + 1}, column {error.position - (before.rfind(chr(10)) + 1) + 1}"
        what = f"control character U+{ord(text[error.position]):04X}"
        raise _refused(f"{origin}, {position}", what, "remove it") from error
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        reason = ": ".join(filter(None, (error.context, error.problem)))
        what = reason if isinstance(error, PlainDataError) else f"invalid YAML: {reason}"
        raise _refused(_position(origin, mark), what, "correct the file") from error
    except (ValueError, OverflowError) as error:  # PyYAML does not check the range of escapes and version numbers
        position = _position(origin, loader.get_mark())
        raise _refused(position, "invalid YAML: a number is out of range", "correct the file") from error


def _refused(position: str, what: str, remedy: str) -> YamlError:
    return YamlError(Problem(position, "", what, remedy))


def _position(origin: str, mark: yaml.Mark | None) -> str:
    return f"{origin}, line {mark.line + 1}, column {mark.column + 1}" if mark else origin


class PlainDataError(yaml.MarkedYAMLError):
    """A document contains more than plain data, or too much of it."""


class PlainLoader(yaml.SafeLoader):
    """Composes the nodes of a document, up to the limits; dates stay texts.

    Attributes:
        values: nodes and aliases that were composed.
    """

    yaml_implicit_resolvers = {  # noqa: RUF012, as PyYAML declares it
        first: [(tag, pattern) for tag, pattern in resolvers if tag in {*_SCALARS, _MERGE}]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.values = 0
        self._depth = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        """Compose the next node with its descendants.

        Raises:
            PlainDataError: there are too many nodes, or they are nested too deeply.
        """
        self.values += 1
        self._depth += 1
        check_limits(self.values, self._depth, self.peek_event().start_mark)
        node = super().compose_node(parent, index)
        self._depth -= 1
        return node


def check_limits(values: int, depth: int, mark: yaml.Mark) -> None:
    """Reject a document that is too large.

    Args:
        values: number of values so far.
        depth: level of the current one; the outermost has 1.
        mark: its position.

    Raises:
        PlainDataError: a limit is exceeded.
    """
    if depth > MAX_DEPTH:
        raise PlainDataError(problem=f"nested deeper than {MAX_DEPTH} levels", problem_mark=mark)
    if values > MAX_VALUES:
        raise PlainDataError(problem=f"more than {MAX_VALUES:,} values", problem_mark=mark)


class _Expansion:
    """Turns nodes into values; aliases are expanded at each use."""

    def __init__(self, loader: PlainLoader, origin: str) -> None:
        self._loader = loader
        self._origin = origin
        self._values = 0
        self._open: list[yaml.Node] = []
        self._places: dict[Key, str] = {}

    def document(self, node: yaml.Node) -> Document:
        return Document(self._value(node, ()), self._places)

    def _value(self, node: yaml.Node, key: Key | None) -> Any:
        """The value of a node; its key is None if origins are not recorded."""
        if any(node is outer for outer in self._open):
            _refuse(node, "an alias refers to the value that contains it")
        self._open.append(node)
        self._values += 1
        check_limits(self._values, len(self._open), node.start_mark)
        if isinstance(node, yaml.MappingNode) and node.tag == _MAPPING:
            value: Any = self._mapping(node, key)
        elif isinstance(node, yaml.SequenceNode) and node.tag == _SEQUENCE:
            value = [self._value(item, None) for item in node.value]
        elif isinstance(node, yaml.ScalarNode) and node.tag in _SCALARS:
            value = self._scalar(node)
        else:
            _refuse(node, f"the tag {node.tag.replace(_TAG, '!!')} cannot be used here; files hold plain data only")
        self._open.pop()
        return value

    def _mapping(self, node: yaml.MappingNode, key: Key | None) -> dict[str, Any]:
        values = self._merged([value for name, value in node.value if name.tag == _MERGE], key)
        names: set[str] = set()
        for name_node, value_node in node.value:
            if name_node.tag == _MERGE:
                continue
            name = self._name(name_node)
            if name in names:
                _refuse(name_node, f"{name} is set twice")
            names.add(name)
            inner = None if key is None else (*key, name)
            if inner is not None:
                self._places[inner] = f"{self._origin}, line {name_node.start_mark.line + 1}"
            values[name] = self._value(value_node, inner)
        return values

    def _merged(self, nodes: Sequence[yaml.Node], key: Key | None) -> dict[str, Any]:
        """The keys of the mappings that are merged into the one at the key; of a list the earlier ones win."""
        values: dict[str, Any] = {}
        for node in nodes:
            for mapping in reversed(node.value) if isinstance(node, yaml.SequenceNode) else [node]:
                if not isinstance(mapping, yaml.MappingNode):
                    _refuse(mapping, "<< takes a mapping or a list of mappings")
                values |= self._value(mapping, key)
        return values

    def _name(self, node: yaml.Node) -> str:
        if not isinstance(node, yaml.ScalarNode) or node.tag not in _SCALARS:
            _refuse(node, "a key is a plain text")
        return str(node.value)

    def _scalar(self, node: yaml.ScalarNode) -> Any:
        if node.tag in _NUMBERS and len(node.value) > MAX_NUMBER_LENGTH:
            _refuse(node, f"a number has at most {MAX_NUMBER_LENGTH} characters")
        try:
            return self._loader.construct_object(node)
        except (ValueError, LookupError) as error:  # PyYAML does not check a value with an explicit tag
            raise _at(node, f"{node.value!r} is not {node.tag.replace(_TAG, '!!')}") from error


def _refuse(node: yaml.Node, what: str) -> NoReturn:
    raise _at(node, what)


def _at(node: yaml.Node, what: str) -> PlainDataError:
    return PlainDataError(problem=what, problem_mark=node.start_mark)
