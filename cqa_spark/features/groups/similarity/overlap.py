"""How much of its wording a candidate shares with its query."""

from __future__ import annotations

from typing import ClassVar

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.features.group import Entity, FeatureColumn, FeatureGroup, FeatureInputs
from cqa_spark.features.pair_texts import pair_texts

_JACCARD = "Nicosia et al. 2015, QCRI at SemEval-2015 Task 3, lexical similarity"
_CONTAINMENT = "Broder 1997, On the resemblance and containment of documents; Nicosia et al. 2015"
_CHARACTERS = "Nakov et al. 2016, SemEval-2016 Task 3, section 5"


def _runs(of: str, length: int) -> str:
    """Neighbouring items of an array, joined by blanks."""
    starts = f"slice({of}, 1, greatest(0, size({of}) - {length - 1}))"
    return f"transform({starts}, (item, i) -> array_join(slice({of}, i + 1, {length}), ' '))"


def _characters(length: int) -> str:
    """Runs of characters; the look-ahead lets them overlap."""
    return f"regexp_extract_all(lower(clean), r'(?s)(?=(.{{{length}}}))', 1)"


_UNITS = {
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

_COMPARED = (
    *[("query", unit) for unit in _UNITS if unit != "numbers"],
    *[("subject", unit) for unit in ("content_words", "stems", "char3")],
)
"""The units that are compared with the candidate's: those of the whole query, and some of its subject alone."""


def _measures(side: str, unit: str) -> dict[FeatureColumn, str]:
    """The features of one comparison, each with its SQL over the comparison's counts."""
    counts, of = f"{side}_{unit}", _UNITS[unit][0]
    source = _CHARACTERS if unit.startswith("char") else _JACCARD
    either = f"{counts}.asked + {counts}.said - {counts}.shared"
    return {
        FeatureColumn(
            f"{counts}_jaccard", f"{of} that the {side} and the candidate share over {of} of either", source
        ): _share(f"{counts}.shared", either),
        FeatureColumn(
            f"{counts}_answered", f"share of the {side}'s {of} that the candidate has too", _CONTAINMENT
        ): _share(f"{counts}.shared", f"{counts}.asked"),
        FeatureColumn(
            f"{counts}_repeated", f"share of the candidate's {of} that the {side} has too", _CONTAINMENT
        ): _share(f"{counts}.shared", f"{counts}.said"),
    }


def _share(part: str, whole: str) -> str:
    return f"if({whole} > 0, ({part}) / ({whole}), 0D)"


_FEATURES = {
    **{feature: sql for compared in _COMPARED for feature, sql in _measures(*compared).items()},
    FeatureColumn("shared_stems", "ln(1 + distinct stems that both have)", _JACCARD): "ln(1 + query_stems.shared)",
    FeatureColumn(
        "shared_numbers", "ln(1 + distinct words with a digit that both have)", "ours"
    ): "ln(1 + query_numbers.shared)",
    FeatureColumn(
        "length_share", "distinct words of the candidate over the sum of both texts' distinct words", "ours"
    ): _share("query_words.said", "query_words.said + query_words.asked"),
}


class OverlapV1(FeatureGroup):
    """Set overlap of what the two texts consist of, from words to runs of characters; every unit counts once a text."""

    name: ClassVar[str] = "overlap_v1"
    about: ClassVar[str] = "wording that the candidate shares with the query and with the query's subject"
    entity: ClassVar[Entity] = Entity.PAIR
    columns: ClassVar[tuple[FeatureColumn, ...]] = tuple(_FEATURES)

    def compute(self, inputs: FeatureInputs) -> DataFrame:
        """Compare the texts of each pair; a pair of which a text is not known is left out."""
        pairs = pair_texts(self.entities(inputs.examples), inputs, _sets)
        known = pairs.where("query is not null and candidate is not null")
        counted = known.select(
            *self.entity.key, *[_counts(*compared) for compared in (*_COMPARED, ("query", "numbers"))]
        )
        return counted.select(
            *self.entity.key, *[F.expr(sql).alias(feature.name) for feature, sql in _FEATURES.items()]
        )


def _sets(texts: DataFrame) -> DataFrame:
    """The distinct units of each text, as 64-bit hashes: half the bytes to move, and much faster to intersect."""
    hashed = {unit: f"array_distinct(transform({sql}, unit -> xxhash64(unit)))" for unit, (_, sql) in _UNITS.items()}
    return texts.select("text_id", *[F.expr(sql).alias(unit) for unit, sql in hashed.items()])


def _counts(side: str, unit: str) -> Column:
    one, other = F.coalesce(f"{side}.{unit}", F.array().cast("array<bigint>")), F.col(f"candidate.{unit}")
    shared = F.size(F.array_intersect(one, other))
    return F.struct(shared.alias("shared"), F.size(one).alias("asked"), F.size(other).alias("said")).alias(
        f"{side}_{unit}"
    )
