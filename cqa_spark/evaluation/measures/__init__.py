"""Measures by name, one in a module."""

import re
from types import NoneType
from typing import get_args, get_type_hints

from cqa_spark.errors import ConfigError
from cqa_spark.evaluation.measure import Measure
from cqa_spark.plugins import PluginKind
from cqa_spark.settings.suggestions import near_names

MEASURES: PluginKind[type[Measure]] = PluginKind("measures", "measure")

_DISPLAYED = re.compile(r"(?P<name>\w+)(?:\((?P<parameters>[^()]+)\))?(?:@(?P<cutoff>[1-9]\d{0,5}))?")
_PARAMETER = re.compile(r"\s*(?P<name>\w+)\s*=\s*(?P<value>\d+|\d*\.\d+)\s*")

_OF_TREC_EVAL = {
    "map": "AP",
    "map_cut": "AP@{}",
    "ndcg": "nDCG",
    "ndcg_cut": "nDCG@{}",
    "P": "P@{}",
    "recall": "R@{}",
    "recip_rank": "RR",
    "success": "Success@{}",
    "iprec_at_recall": "IPrec@{}",
    "set_P": "SetP",
    "set_relative_P": "SetP(relative=True)",
    "set_recall": "SetR",
    "set_map": "SetAP",
    "set_F": "SetF",
}
"""Measures of trec_eval by the names that it prints, which end in a number for the placeholder; other names differ
from those of ir_measures in capital letters alone."""

_NUMBERED = re.compile(r"(?P<name>[A-Za-z_]+)[._](?P<number>\d+(\.\d+)?)")


def parse_measure(display_name: str, relevance_level: float = 1) -> Measure:
    """The measure with this display name, such as ``nDCG@10``, ``RBP(p=.8)`` or ``F1``.

    Names that are not those of a plug-in, and parameters that it lacks, are those of ir_measures or of trec_eval, such
    as ``ndcg_cut_10``. A name without a cutoff considers all ranks.

    Args:
        display_name: name, parameters in parentheses, and cutoff.
        relevance_level: lowest grade that counts as relevant for measures of ir_measures; for others, the judgments
            say which candidates are.

    Raises:
        ConfigError: the name is unknown (the message lists known ones), a parameter or cutoff is invalid, or the
            measure needs a cutoff.
        EnvironmentProblem: its module cannot be imported.

    >>> str(parse_measure("ndcg_cut_10"))
    'nDCG@10'
    >>> parse_measure("RBP(p=.5)@20").p
    0.5
    """
    from cqa_spark.evaluation.ir_measures_provider import ir_measure, provided_measure, written

    standard_name = _of_trec_eval(display_name)
    if measure := _of_plugin(standard_name):
        return measure
    if theirs := ir_measure(standard_name):
        return _of_plugin(written(theirs)) or provided_measure(theirs, relevance_level)
    if "," in display_name and "(" not in display_name:
        raise ConfigError(f"measure {display_name!r} is not known", "separate measures by blanks, not by commas")
    known = {name.lower(): name for name in (str(measure()) for measure in MEASURES.load_all().values())}
    similar = [f"did you mean {known[name]}? " for name in near_names(display_name.lower(), known)[:1]]
    raise ConfigError(
        f"measure {display_name!r} is not known",
        f"{''.join(similar)}write one of {', '.join(known.values())}, or one of ir_measures, such as Bpref or "
        "P(rel=2)@5; a cutoff is 1 to 999999",
    )


def _of_trec_eval(name: str) -> str:
    """A name of trec_eval as one of ours; any other name as it is."""
    if match := _NUMBERED.fullmatch(name):
        standard = _OF_TREC_EVAL.get(match["name"], name)
        return standard.format(match["number"]) if "{}" in standard else name
    standard = _OF_TREC_EVAL.get(name, name)
    return name if "{}" in standard else standard


def _of_plugin(display_name: str) -> Measure | None:
    """The measure of a plug-in; None if there is none with this name and these parameters."""
    match = _DISPLAYED.fullmatch(display_name)
    if match is None or match["name"] not in MEASURES.names():
        return None
    name, parameters, cutoff = match.group("name", "parameters", "cutoff")
    measure = MEASURES.load(name)
    types = {field.name: float if isinstance(field.default, float) else int for field in measure.parameters()}
    matches = [_PARAMETER.fullmatch(text) for text in parameters.split(",")] if parameters else []
    written = {match["name"]: match["value"] for match in matches if match}
    if cutoff is not None:
        written["cutoff"] = cutoff
    if None in matches or not written.keys() <= types.keys():
        return None
    values: dict[str, float | None] = {key: types[key](value) for key, value in written.items()}
    if "cutoff" in types.keys() - written.keys():
        if NoneType not in get_args(get_type_hints(measure)["cutoff"]):
            from cqa_spark.evaluation.ir_measures_provider import ir_measure

            names = filter(None, (measure(**values), ir_measure(display_name)))  # MAP is AP there
            raise ConfigError(
                f"measure {display_name!r} has no cutoff", f"write, for instance, {', or '.join(map(str, names))}"
            )
        values["cutoff"] = None
    return measure(**values)
