"""Plug-ins: tasks, feature groups, rankers, measures, … that this package and others register as entry points.

A package registers a plug-in in its ``pyproject.toml``; ours are registered in the same way::

    [project.entry-points."cqa_spark.rankers"]
    coin_toss = "my_package.coin_toss:CoinTossRanker"

Names are listed from the metadata of installed packages and of wheels on Python's path (``--py-files``); a module is
imported when its plug-in is used. In a checkout, ours are read from ``pyproject.toml``: an edit needs no installation.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from traceback import walk_tb
from types import MappingProxyType
from typing import Any, Generic, TypeVar

from cqa_spark import __version__
from cqa_spark.errors import ConfigError, EnvironmentProblem, message_of
from cqa_spark.settings.suggestions import known_names

OURS = "cqa-spark"
"""Name of this distribution."""

_PREFIX = "cqa_spark."

_ADDED: set[Registration] = set()
"""The plug-ins that this process has registered by their modules."""

Plugin = TypeVar("Plugin")


@dataclass(frozen=True)
class Registration:
    """An entry point.

    Attributes:
        name: name of the plug-in.
        target: ``module:attribute``.
        origin: the distribution that registers it, with its version, such as ``cqa-spark 0.1.0``.
    """

    name: str
    target: str
    origin: str

    @property
    def is_ours(self) -> bool:
        """Whether this package registers it."""
        return self.origin.partition(" ")[0] == OURS

    def load(self, kind: str) -> Any:
        """Import the plug-in.

        Args:
            kind: name of its kind in messages, such as ranker.

        Raises:
            EnvironmentProblem: its module cannot be imported, or has no such attribute.
        """
        module, _, attribute = self.target.partition(":")
        try:
            return attrgetter(attribute)(import_module(module))
        except Exception as error:  # whatever the module of another package raises
            raise EnvironmentProblem(
                f"the {kind} {self.name} of {self.origin} cannot be imported from {self.target}: "
                f"{type(error).__name__}: {message_of(error)}",
                f"correct or uninstall {self.origin.partition(' ')[0]}; everything else works without it",
            ) from error


class PluginKind(Generic[Plugin]):
    """The plug-ins of one kind, by name.

    Args:
        group: name of the entry points' group, without the prefix ``cqa_spark.``.
        noun: what a plug-in is called in messages.
        plural: the plural, if it is not the noun with an s.
        command: the command that lists them; None for ``cqa GROUP list``.
    """

    def __init__(self, group: str, noun: str, plural: str = "", command: str | None = None) -> None:
        self.group = group
        self.command = command or f"cqa {group.replace('_', '-')} list"
        self.noun = noun
        self.plural = plural or f"{noun}s"
        self._added: dict[str, Registration] = {}

    def names(self) -> tuple[str, ...]:
        """The names of all plug-ins, in alphabetical order; nothing is imported.

        Raises:
            ConfigError: two plug-ins have one name.
        """
        return tuple(self._registered())

    def registration(self, name: str) -> Registration:
        """The entry point of a plug-in.

        Raises:
            ConfigError: unknown name, with close matches and all known ones, or two plug-ins have one name.
        """
        registered = self._registered()
        if name not in registered:
            raise ConfigError(f"unknown {self.noun} {name}", known_names(name, registered, self.plural, self.command))
        return registered[name]

    def load(self, name: str) -> Plugin:
        """Import a plug-in.

        Raises:
            ConfigError: as for ``registration``.
            EnvironmentProblem: it cannot be imported.
        """
        plugin: Plugin = self.registration(name).load(self.noun)
        return plugin

    def load_all(self) -> dict[str, Plugin]:
        """Import all plug-ins, for lists of them; one that cannot be imported is left out, with a warning."""
        plugins = {}
        for name in self.names():
            try:
                plugins[name] = self.load(name)
            except EnvironmentProblem as error:
                from cqa_spark.process.terminal import Terminal  # slow to import, and rarely needed

                Terminal(stderr=True).text(f"warning: {error}")
        return plugins

    def add(self, target: str, folder: Path) -> str:
        """Register a plug-in that is named by its module, in this process; executors get the module by value.

        Args:
            target: ``module:attribute``.
            folder: where modules are looked up after Python's path.

        Returns:
            The name that the plug-in declares.

        Raises:
            ConfigError: another plug-in has this name.
            EnvironmentProblem: it cannot be imported, or has no name.
        """
        if str(folder) not in sys.path:
            sys.path.append(str(folder))
        module = target.partition(":")[0]
        name: str = Registration(target, f"{target}.name", module).load(self.noun)
        entry = Registration(name, target, module)
        if self._registered().get(name, entry) != entry:
            raise _two_of_a_name(self.noun, self._registered()[name], entry)
        self._added[name] = entry
        _ADDED.add(entry)
        from pyspark.cloudpickle import register_pickle_by_value  # Spark is not imported for lists

        register_pickle_by_value(sys.modules[module])
        return name

    def _registered(self) -> Mapping[str, Registration]:
        return {**_registered(self.group, self.noun, tuple(sys.path)), **self._added}


def plugins_of_others() -> list[Registration]:
    """The plug-ins that other packages register, and those that recipes name by their modules, of all kinds."""
    groups = _entry_points(tuple(sys.path)).values()
    return [*_ADDED, *(entry for entries in groups for entry in entries if not entry.is_ours)]


def origin_of(error: BaseException) -> str:
    """The distribution that has to mend an error: of the plug-in that was running, else this one."""
    origins = {_package(entry.target): entry.origin for entry in plugins_of_others()}
    frames = [frame for frame, _ in walk_tb(error.__traceback__)]
    running = [origins.get(_package(frame.f_globals.get("__name__", ""))) for frame in frames]
    return next(filter(None, reversed(running)), OURS)


def _package(module: str) -> str:
    return module.partition(":")[0].partition(".")[0]


def _two_of_a_name(noun: str, first: Registration, second: Registration) -> ConfigError:
    return ConfigError(
        f"two {noun} plug-ins are named {first.name}: {first.target} of {first.origin}, and "
        f"{second.target} of {second.origin}",
        "rename one of them, or uninstall one of the packages",
    )


@cache
def _registered(group: str, noun: str, path: tuple[str, ...]) -> Mapping[str, Registration]:
    registered: dict[str, Registration] = {}
    for entry in _entry_points(path).get(_PREFIX + group, ()):
        earlier = registered.setdefault(entry.name, entry)
        if earlier is not entry:
            raise _two_of_a_name(noun, earlier, entry)
    return MappingProxyType(dict(sorted(registered.items(), key=lambda item: item[0].lower())))


@cache
def _entry_points(path: tuple[str, ...]) -> Mapping[str, list[Registration]]:
    """The entry points by group, ours first; of several distributions of a name, the first on the path counts."""
    groups: dict[str, list[Registration]] = {}
    for group, entry in [*_of_checkout(), *_of_distributions(path)]:
        groups.setdefault(group, []).append(entry)
    return groups


def _of_distributions(path: tuple[str, ...]) -> Iterator[tuple[str, Registration]]:
    from importlib.metadata import distributions  # slow to import, and not needed for the version

    names = {OURS} if _checkout() else set()
    for distribution in distributions(path=list(path)):
        # Parsing the metadata of all distributions would take longer than any list of plug-ins.
        if f"[{_PREFIX}" not in (distribution.read_text("entry_points.txt") or ""):
            continue
        name = distribution.name
        if name not in names:
            names.add(name)
            origin = f"{name} {distribution.version}"
            for entry in distribution.entry_points:
                if entry.group.startswith(_PREFIX):
                    yield entry.group, Registration(entry.name, entry.value, origin)


def _of_checkout() -> Iterator[tuple[str, Registration]]:
    for group, entries in _checkout().items():
        for name, target in entries.items():
            yield group, Registration(name, target, f"{OURS} {__version__}")


@cache
def _checkout() -> Mapping[str, Mapping[str, str]]:
    """The entry points in ``pyproject.toml`` beside the package; none for a wheel or a zip file."""
    file = Path(__file__).parents[1] / "pyproject.toml"
    if not file.is_file():
        return {}
    project = tomllib.loads(file.read_text(encoding="utf-8")).get("project", {})
    groups: Mapping[str, Mapping[str, str]] = project.get("entry-points", {})
    return groups if project.get("name") == OURS else {}
