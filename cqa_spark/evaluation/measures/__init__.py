"""Measures by name, one in a module."""

import re

from cqa_spark.errors import ConfigError
from cqa_spark.evaluation.measure import Measure
from cqa_spark.plugins import PluginKind

MEASURES: PluginKind[type[Measure]] = PluginKind("measures", "measure")

_DISPLAYED = re.compile(r"(?P<name>\w+)(?:\((?P<parameters>[^()]+)\))?(?:@(?P<cutoff>[1-9]\d*))?")
_PARAMETER = re.compile(r"\s*(?P<name>\w+)\s*=\s*(?P<value>\d+|\d*\.\d+)\s*")


def parse_measure(display_name: str, relevance_level: float = 1) -> Measure:
    """The measure with this display name, such as ``nDCG@10``, ``RBP(p=.8)`` or ``F1``.

    Names that are not those of a plug-in, and parameters that it lacks, are those of ir_measures.

    Args:
        display_name: name, parameters in parentheses, and cutoff.
        relevance_level: lowest grade that counts as relevant for measures of ir_measures; for others, the judgments
            say which candidates are.

    Raises:
        ConfigError: the name is unknown (the message lists known ones), or a parameter or cutoff is invalid.
        EnvironmentProblem: its module cannot be imported.
    """
    match = _DISPLAYED.fullmatch(display_name)
    measure = match and _of_plugin(match["name"], match["parameters"], match["cutoff"])
    if measure:
        return measure
    from cqa_spark.evaluation.ir_measures_provider import provided_measure

    if match and (provided := provided_measure(display_name, relevance_level)):
        return provided
    known = ", ".join(str(measure()) for measure in MEASURES.load_all().values())
    raise ConfigError(
        f"measure {display_name!r} is not known",
        f"write one of {known}, or one of ir_measures, such as Bpref or P(rel=2)@5; a cutoff is 1 or more",
    )


def _of_plugin(name: str, parameters: str | None, cutoff: str | None) -> Measure | None:
    """The measure of a plug-in; None if there is none with this name and these parameters."""
    if name not in MEASURES.names():
        return None
    measure = MEASURES.load(name)
    types = {field.name: float if isinstance(field.default, float) else int for field in measure.parameters()}
    matches = [_PARAMETER.fullmatch(text) for text in parameters.split(",")] if parameters else []
    written = {match["name"]: match["value"] for match in matches if match}
    if cutoff is not None:
        written["cutoff"] = cutoff
    if None in matches or not written.keys() <= types.keys():
        return None
    return measure(**{key: types[key](value) for key, value in written.items()})
