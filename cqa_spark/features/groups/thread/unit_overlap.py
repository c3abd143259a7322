"""How much of what two texts of a pair consist of they share, from words to runs of characters."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.features.group import FeatureColumn

JACCARD = "Nicosia et al. 2015, QCRI at SemEval-2015 Task 3, lexical similarity"
_CONTAINMENT = "Broder 1997, On the resemblance and containment of documents; Nicosia et al. 2015"
_CHARACTERS = "Nakov et al. 2016, SemEval-2016 Task 3, section 5"


def _runs(of: str, length: int) -> str:
    """Neighbouring items of an array, joined by blanks."""
    starts = f"slice({of}, 1, greatest(0, size({of}) - {length - 1}))"
    return f"transform({starts}, (item, i) -> array_join(slice({of}, i + 1, {length}), ' '))"


def _characters(length: int) -> str:
    """Runs of characters; the look-ahead lets them overlap."""
    return f"regexp_extract_all(lower(clean), r'(?s)(?=(.{{{length}}}))', 1)"


UNITS = {
    "words": ("words", "words"),
    "content_words": ("words without stop words", "content_words"),
    "stems": ("stems", "stems"),
    "bigrams": ("pairs of words", "bigrams"),
    "stem_bigrams": ("pairs of stems", _runs("stems", 2)),
    "trigrams": ("runs of three words", _runs("words", 3)),
    "char3": ("runs of three characters", _characters(3)),
    "char4": ("runs of four characters", _characters(4)),
    "numbers": ("words that hold a digit", r"filter(words, word -> word rlike r'\d')"),
}
"""What texts are taken apart into, by name: what it is, and how it follows from the table ``texts``."""


@dataclass(frozen=True)
class UnitOverlap:
    """Two texts of a pair that are compared by one unit; their columns hold what ``unit_sets`` gives.

    Attributes:
        name: what the features are called before the unit: ``{name}_{unit}_jaccard`` and so on.
        asked: the column of the text that asks.
        said: the column of the text that answers.
        unit: one of ``UNITS``.
    """

    name: str
    asked: str
    said: str
    unit: str

    @property
    def counts(self) -> str:
        """The column that ``count`` makes."""
        return f"{self.name}_{self.unit}"

    def count(self) -> Column:
        """The column that ``features`` reads: how many units are ``shared``, ``asked`` and ``said``."""
        one, other = _known(f"{self.asked}.{self.unit}"), _known(f"{self.said}.{self.unit}")
        shared = F.size(F.array_intersect(one, other))
        return F.struct(shared.alias("shared"), F.size(one).alias("asked"), F.size(other).alias("said")).alias(
            self.counts
        )

    def features(self) -> dict[FeatureColumn, str]:
        """The features, each with its SQL over the counts."""
        counts, of = self.counts, UNITS[self.unit][0]
        asks, says = _WORDING[self.asked], _WORDING[self.said]
        source = _CHARACTERS if self.unit.startswith("char") else JACCARD
        either = f"{counts}.asked + {counts}.said - {counts}.shared"
        return {
            FeatureColumn(
                f"{counts}_jaccard", f"{of} that the {asks} and the {says} share over {of} of either", source
            ): share(f"{counts}.shared", either),
            FeatureColumn(
                f"{counts}_answered", f"share of the {asks}'s {of} that the {says} has too", _CONTAINMENT
            ): share(f"{counts}.shared", f"{counts}.asked"),
            FeatureColumn(
                f"{counts}_repeated", f"share of the {says}'s {of} that the {asks} has too", _CONTAINMENT
            ): share(f"{counts}.shared", f"{counts}.said"),
        }


_WORDING = {
    "query": "query",
    "subject": "subject",
    "candidate": "candidate",
    "candidate_subject": "candidate's subject",
}


def share(part: str, whole: str) -> str:
    """SQL of a part over a whole; 0 of nothing is 0."""
    return f"if({whole} > 0, ({part}) / ({whole}), 0D)"


def unit_sets(texts: DataFrame, units: Iterable[str], keep: Iterable[str] = ()) -> DataFrame:
    """The distinct units of each text, as 64-bit hashes: half the bytes to move, and much faster to intersect.

    Args:
        texts: the table ``texts``.
        units: names of ``UNITS``.
        keep: SQL of what else is wanted of the texts.

    Returns:
        ``text_id``, a column for every unit, and what else is wanted.
    """
    hashed = {unit: f"array_distinct(transform({UNITS[unit][1]}, unit -> xxhash64(unit)))" for unit in units}
    return texts.select("text_id", *[F.expr(sql).alias(unit) for unit, sql in hashed.items()], *map(F.expr, keep))


def _known(units: str) -> Column:
    return F.coalesce(units, F.array().cast("array<bigint>"))
