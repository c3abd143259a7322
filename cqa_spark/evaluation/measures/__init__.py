"""Measures by name, one in a module."""

from __future__ import annotations

import re

from cqa_spark.errors import ConfigError
from cqa_spark.evaluation.measure import Measure
from cqa_spark.plugins import PluginKind

MEASURES: PluginKind[type[Measure]] = PluginKind("measures", "measure")

_DISPLAYED = re.compile(r"(?P<name>\w+)(?:@(?P<cutoff>[1-9]\d*))?")


def parse_measure(display_name: str) -> Measure:
    """The measure with this display name, such as ``nDCG@10`` or ``F1``.

    Raises:
        ConfigError: the name is unknown (the message lists known ones), or the cutoff is invalid.
        EnvironmentProblem: its module cannot be imported.
    """
    match = _DISPLAYED.fullmatch(display_name)
    if match is None or match["name"] not in MEASURES.names():
        known = ", ".join(str(measure()) for measure in MEASURES.load_all().values())
        raise ConfigError(f"measure {display_name!r} is not known", f"write one of {known}; a cutoff is 1 or more")
    measure = MEASURES.load(match["name"])
    if match["cutoff"] is None:
        return measure()
    if not measure.parameters():
        raise ConfigError(f"measure {display_name!r}: {measure.name} has no cutoff", f"write {measure.name}")
    return measure(**{measure.parameters()[0].name: int(match["cutoff"])})
