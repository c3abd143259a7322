"""How often texts use a term, how many texts of a collection hold it, and what weight follows from that.

All counts are integers, and all sums of fractions run over sorted arrays inside one row: the same collection gives the
same weights to the last digit, however its rows were spread.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.model_folder.reading import ModelFolder
from cqa_spark.model_folder.writing import NewModelFolder

_FREQUENCIES, _SIZE = "frequencies", "size"

K1 = 1.2
"""BM25: how soon more of the same term stops to count (Robertson and Zaragoza 2009, section 3.3)."""

B = 0.75
"""BM25: how much a text's length counts, from 0 to 1 (Robertson and Zaragoza 2009, section 3.3)."""


@dataclass(frozen=True)
class Collection:
    """The counts of a collection of texts.

    Attributes:
        frequencies: ``term``, ``document_frequency`` (texts that hold the term).
        size: one row: ``documents`` (texts), ``occurrences`` (terms of all texts, repeats included).
    """

    frequencies: DataFrame
    size: DataFrame

    @classmethod
    def of(cls, texts: DataFrame, unit: str) -> Self:
        """Count a collection.

        Args:
            texts: the table ``texts``, one row per distinct text.
            unit: an array column of it, such as ``stems``; its items are the terms.
        """
        distinct_terms = texts.select(F.explode(F.array_distinct(unit)).alias("term"))
        occurrences = F.coalesce(F.sum(F.size(unit)), F.lit(0))
        return cls(
            distinct_terms.groupBy("term").agg(F.count("*").alias("document_frequency")),
            texts.agg(F.count("*").alias("documents"), occurrences.alias("occurrences")),
        )

    def weigh(self, texts: DataFrame, unit: str) -> DataFrame:
        """Weigh the terms of texts, in the collection or not.

        Args:
            texts: the table ``texts``; terms that the collection does not hold are its rarest.
            unit: the array column that the collection counts.

        Returns:
            ``text_id``, ``terms`` (distinct, sorted), ``weights`` (by term: ``idf``, ``tf_idf``, ``bm25``), ``norm``
            (length of the tf-idf vector), ``idf`` (sum over the terms); no row for a text without terms.
        """
        bags = _bags(texts, unit).join(self.frequencies, on="term", how="left")
        weighed = bags.join(F.broadcast(self.size), how="cross").select("text_id", _weighed_term())
        sorted_terms = weighed.groupBy("text_id").agg(F.array_sort(F.collect_list("weighed")).alias("weighed"))
        return sorted_terms.select(
            "text_id",
            F.col("weighed.term").alias("terms"),
            F.map_from_arrays("weighed.term", F.transform("weighed", _weights)).alias("weights"),
            F.sqrt(_total(lambda one: one["tf_idf"] * one["tf_idf"])).alias("norm"),
            _total(lambda one: one["idf"]).alias("idf"),
        )

    def save(self, folder: NewModelFolder) -> None:
        """Write the counts as two tables."""
        folder.write_table(_FREQUENCIES, self.frequencies)
        folder.write_table(_SIZE, self.size)

    @classmethod
    def load(cls, folder: ModelFolder) -> Self:
        """Read what ``save`` wrote; needs an active Spark session."""
        return cls(folder.read_table(_FREQUENCIES), folder.read_table(_SIZE))


def _bags(texts: DataFrame, unit: str) -> DataFrame:
    """Each distinct term of each text: ``text_id``, ``length`` (of the text, in terms), ``term``, ``frequency``."""
    terms = texts.select("text_id", F.size(unit).alias("length"), F.explode(unit).alias("term"))
    return terms.groupBy("text_id", "length", "term").agg(F.count("*").alias("frequency"))


def _weighed_term() -> Column:
    """The idf is smooth for the cosine, as in scikit-learn, and the probabilistic one, kept positive, for BM25."""
    holding = F.coalesce("document_frequency", F.lit(0))
    idf = F.log((1 + F.col("documents")) / (1 + holding)) + 1
    bm25_idf = F.log(1 + (F.col("documents") - holding + 0.5) / (holding + 0.5))
    relative_length = F.col("length") * F.col("documents") / F.greatest("occurrences", F.lit(1))
    saturation = F.col("frequency") * (K1 + 1) / (F.col("frequency") + K1 * (1 - B + B * relative_length))
    return F.struct(
        "term",
        idf.alias("idf"),
        ((1 + F.log("frequency")) * idf).alias("tf_idf"),
        (bm25_idf * saturation).alias("bm25"),
    ).alias("weighed")


def _weights(one: Column) -> Column:
    return F.struct(*[one[weight].alias(weight) for weight in ("idf", "tf_idf", "bm25")])


def _total(value: Callable[[Column], Column]) -> Column:
    return F.aggregate("weighed", F.lit(0.0), lambda total, one: total + value(one))
