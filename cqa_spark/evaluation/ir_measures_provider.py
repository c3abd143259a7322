"""Measures that the package ir_measures computes, such as ``Bpref`` or ``P(rel=2)@5``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import TYPE_CHECKING, Any

from cqa_spark.errors import ConfigError, InputError
from cqa_spark.evaluation.measure import MeanMeasure, RankedQuery

if TYPE_CHECKING:
    import ir_measures


@dataclass(frozen=True)
class ProvidedMeasure(MeanMeasure):
    """A measure of ir_measures; candidates without judgment are none of its judgments, and ranks are its scores.

    Attributes:
        written: its name, as ir_measures reads it.
    """

    name = "ir_measures"
    about = "a measure of the package ir_measures"
    source = "MacAvaney et al. 2022, Streamlining Evaluation with ir-measures, ECIR"

    written: str

    def value(self, query: RankedQuery) -> float:
        """The measure of one query."""
        return self.components_of([query])[0][0]

    def components_of(self, queries: Iterable[RankedQuery]) -> list[tuple[float, ...]]:
        """The value of each query; 0 for one without judgments.

        Raises:
            InputError: a grade is a fraction.
        """
        import ir_measures

        measure = ir_measures.parse_measure(self.written)
        gains: Mapping[int, float] = measure.params.get("gains", {})
        # pytrec_eval takes whole gains alone; nDCG is the same for all gains times a number.
        factor = lcm(*(_exact(gain).denominator for gain in gains.values()))
        if factor > 1:
            measure = type(measure)(**{name: value for name, value in measure.params.items() if name != "gains"})
        judgments, scores = [], []
        listed = list(queries)
        for number, query in enumerate(listed):
            for rank, candidate in enumerate(query.judged):
                if candidate.judged:
                    grade = _whole(candidate.gain, self.written)
                    if factor > 1:
                        grade = int(_exact(gains.get(grade, grade)) * factor)
                    judgments.append(ir_measures.Qrel(str(number), str(rank), grade))
                if rank < len(query.ranked):
                    scores.append(ir_measures.ScoredDoc(str(number), str(rank), float(-rank)))
        values = {metric.query_id: metric.value for metric in ir_measures.iter_calc([measure], judgments, scores)}
        return [(float(values.get(str(number), 0.0)),) for number in range(len(listed))]

    def __str__(self) -> str:
        """The name that ir_measures reads."""
        return self.written


def ir_measure(display_name: str) -> ir_measures.Measure | None:
    """The measure of ir_measures with this name, in small or capital letters; None if there is none.

    Args:
        display_name: such as ``nDCG@10`` or ``bpref``.

    Raises:
        ConfigError: a parameter is not in the range for which the measure is defined.
    """
    import ir_measures

    name = display_name.partition("(")[0].partition("@")[0]
    spelled = next((theirs for theirs in ir_measures.measures.registry if theirs.lower() == name.lower()), name)
    try:
        measure = ir_measures.parse_measure(spelled + display_name[len(name) :])
        measure.validate_params()
    except (NameError, ValueError, KeyError, AssertionError):
        return None
    for parameter, value in measure.params.items():
        is_valid, range_of_values = _RANGES.get(parameter, _ANY)
        if not is_valid(value):
            raise ConfigError(
                f"measure {display_name!r}: {parameter} is {value}", f"{parameter} must be {range_of_values}"
            )
    return measure


def provided_measure(measure: ir_measures.Measure, relevance_level: float = 1) -> ProvidedMeasure:
    """A measure as ir_measures computes it.

    Args:
        measure: the measure.
        relevance_level: lowest grade that counts as relevant, where the measure does not say it.

    Raises:
        ConfigError: ir_measures has no program for the measure, or the level is a fraction.
    """
    import ir_measures

    if not ir_measures.DefaultPipeline.supports(measure) or not _is_mean(measure):
        raise ConfigError(
            f"measure {measure}: no program that is installed computes it as a mean over queries",
            "choose another measure, or install the program that ir_measures needs for it",
        )
    if relevance_level != 1 and "rel" in measure.SUPPORTED_PARAMS and "rel" not in measure.params:
        if relevance_level != int(relevance_level):
            raise ConfigError(f"measure {measure}: relevance level {relevance_level} is a fraction", "give a whole one")
        measure = measure(rel=int(relevance_level))
    return ProvidedMeasure(written(measure))


def written(measure: ir_measures.Measure) -> str:
    """The name with all parameters that were given, those that equal the default too: at another level they differ."""
    given = ",".join(f"{name}={value!r}" for name, value in measure.params.items() if name != "cutoff")
    cutoff = f"@{measure.params['cutoff']}" if "cutoff" in measure.params else ""
    return f"{measure.NAME}{f'({given})' if given else ''}{cutoff}"


def _are_gains(value: Mapping[Any, Any]) -> bool:
    return all(
        type(grade) is int and type(gain) in (int, float) and _exact(gain).denominator <= _LARGEST
        for grade, gain in value.items()
    )


_LARGEST = 10**6

_ANY: tuple[Callable[[Any], bool], str] = (lambda value: True, "")

_RANGES: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "cutoff": (lambda value: 1 <= value < _LARGEST, "1 to 999999"),
    "rel": (lambda value: value >= 1, "1 or more: 0 is the grade of no relevance"),
    "recall": (lambda value: 0 <= value <= 1, "0 to 1"),
    "p": (lambda value: 0 <= value < 1, "a probability below 1"),
    "beta": (lambda value: value > 0, "above 0"),
    "T": (lambda value: value > 0, "above 0"),
    "gains": (_are_gains, "a number with at most 6 decimals for each whole grade, as in {1:0.1,2:1}"),
}
"""By parameter, whether a value is one for which measures are defined, and which ones are."""


def _exact(gain: float) -> Fraction:
    """The number as it was written."""
    return Fraction(str(gain))


def _is_mean(measure: ir_measures.Measure) -> bool:
    from ir_measures.measures.base import MeanAgg

    return isinstance(measure.aggregator(), MeanAgg)


def _whole(grade: float, measure: str) -> int:
    if grade != int(grade):
        raise InputError(
            f"{measure}: grade {grade} is a fraction", "give whole grades, or choose a measure of cqa-spark"
        )
    return int(grade)
