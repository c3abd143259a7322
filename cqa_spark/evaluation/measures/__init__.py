"""One measure per module. Modules in this folder are registered automatically."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from functools import cache

from cqa_spark.errors import ConfigError
from cqa_spark.evaluation.measure import Measure

_WRITTEN = re.compile(r"(?P<name>\w+)(?:@(?P<cutoff>[1-9]\d*))?")


@cache
def known_measures() -> dict[str, type[Measure]]:
    """Every measure of this folder by its name, in alphabetical order."""
    modules = [importlib.import_module(f"{__name__}.{found.name}") for found in pkgutil.iter_modules(__path__)]
    classes = [
        member
        for module in modules
        for _, member in inspect.getmembers(module, inspect.isclass)
        if issubclass(member, Measure) and member.__module__ == module.__name__
    ]
    return {measure.name: measure for measure in sorted(classes, key=lambda measure: measure.name.lower())}


def parse_measure(written: str) -> Measure:
    """The measure with this display name, such as ``nDCG@10`` or ``F1``.

    Raises:
        ConfigError: the name is unknown (the message lists known ones), or the cutoff is invalid.
    """
    match = _WRITTEN.fullmatch(written)
    kind = known_measures().get(match["name"]) if match else None
    if match is None or kind is None:
        known = ", ".join(str(measure()) for measure in known_measures().values())
        raise ConfigError(f"measure {written!r} is not known", f"write one of {known}; a cutoff is 1 or more")
    if match["cutoff"] is None:
        return kind()
    if not kind.parameters():
        raise ConfigError(f"measure {written!r}: {kind.name} has no cutoff", f"write {kind.name}")
    return kind(**{kind.parameters()[0].name: int(match["cutoff"])})
