"""Goodness polarity of words, pairs of words and stems, and of words within the forum's section."""

from __future__ import annotations

from functools import partial
from typing import ClassVar, Self

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.features.group import Entity, FeatureColumn, feature_values
from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.features.learned_table import LearnedTableGroup

_BALCHEV = "Balchev et al. 2016, PMI-cool at SemEval-2016 Task 3"
_UNITS = {"words": "words", "bigrams": "pairs of neighbouring words", "stems": "stems"}
_IN_SECTION = "section"
_RAREST = 3
_SMOOTHING = 1.0
_STRONGEST = 3
_ALL_WEIGHT = 5.0
"""How many comments of all sections count in a section, so that a section with few comments says what all say."""


def _total(values: str) -> str:
    return f"aggregate({values}, 0D, (sum, p) -> sum + p)"


def _statistics(unit: str, about: str) -> dict[FeatureColumn, str]:
    """The statistics of one unit, each with its SQL over the sorted polarities of the comment's distinct terms."""
    return {
        FeatureColumn(
            f"{unit}_mean", f"mean polarity of {about} that have one", _BALCHEV
        ): f"{_total(unit)} / greatest(1, size({unit}))",
        FeatureColumn(f"{unit}_max", f"highest polarity of {about}", _BALCHEV): f"coalesce(array_max({unit}), 0)",
        FeatureColumn(f"{unit}_min", f"lowest polarity of {about}", _BALCHEV): f"coalesce(array_min({unit}), 0)",
        FeatureColumn(f"{unit}_sum", f"sum of the polarities of {about}", _BALCHEV): _total(unit),
        FeatureColumn(
            f"{unit}_best_{_STRONGEST}", f"sum of the {_STRONGEST} highest polarities of {about}", _BALCHEV
        ): _total(f"slice(reverse({unit}), 1, {_STRONGEST})"),
        FeatureColumn(
            f"{unit}_worst_{_STRONGEST}", f"sum of the {_STRONGEST} lowest polarities of {about}", _BALCHEV
        ): _total(f"slice({unit}, 1, {_STRONGEST})"),
    }


_FEATURES = {
    **{column: sql for unit, about in _UNITS.items() for column, sql in _statistics(unit, about).items()},
    **_statistics(_IN_SECTION, "words in the thread's forum section, drawn towards that in all sections,"),
}


class GoodnessPmiV2(LearnedTableGroup):
    """Polarity of a term: PMI(term, relevant) - PMI(term, irrelevant), of comments that hold the term.

    A thread without a known section, and a section without judged comments, has the polarities of all sections.
    """

    name: ClassVar[str] = "goodness_pmi_v2"
    family: ClassVar[str] = "quality"
    about: ClassVar[str] = "how strongly the comment's words, pairs and stems go with relevant comments elsewhere"
    entity: ClassVar[Entity] = Entity.CANDIDATE
    columns: ClassVar[tuple[FeatureColumn, ...]] = tuple(_FEATURES)
    learns_from_labels: ClassVar[bool] = True

    def fit(self, inputs: FeatureInputs) -> Self:
        """Count the relevant and the irrelevant comments that hold each term, in all sections and in each."""
        judged = inputs.keep_examples(F.col("relevant").isNotNull())
        labels = _with_section(judged).select(*self.entity.key, "section", "relevant").distinct()
        terms = _terms(inputs.with_text(labels, "candidate_id"), "section", "relevant")
        counts = terms.groupBy("unit", "term").agg(*_counts())
        frequent = counts.where(F.col("good") + F.col("bad") >= _RAREST)
        words = terms.where((F.col("unit") == "words") & F.col("section").isNotNull())
        in_sections = _by_section(words, "unit", "term").select("unit", "term", "sections")
        everywhere = labels.agg(*_counts()).crossJoin(_by_section(labels.where("section IS NOT NULL")))
        priors = everywhere.select(
            _log_odds(F.col("good"), F.col("bad")).alias("prior"),
            F.map_from_entries(F.transform("sections", _section_prior)).alias("priors"),
        )
        polarity = _log_odds(F.col("good"), F.col("bad")) - F.col("prior")
        with_sections = frequent.join(in_sections, on=["unit", "term"], how="left")
        with_polarity = with_sections.crossJoin(F.broadcast(priors)).withColumn("polarity", polarity)
        sections = F.map_from_entries(F.transform("sections", _polarity_in_section)).alias("sections")
        return type(self)(with_polarity.select("unit", "term", "polarity", sections))

    def compute(self, inputs: FeatureInputs) -> DataFrame:
        """Statistics of the polarities of each candidate's distinct terms."""
        wanted = _with_section(inputs).select(*self.entity.key, "section").distinct()
        terms = _terms(inputs.with_text(wanted, "candidate_id"), *self.entity.key, "section")
        in_section = F.coalesce(F.col("sections")[F.col("section")], "polarity").alias("in_section")
        known = terms.join(self.learned, on=["unit", "term"]).select(*self.entity.key, "unit", "polarity", in_section)
        found = known.groupBy(*self.entity.key).agg(
            F.sort_array(F.collect_list(F.struct("unit", "polarity", "in_section"))).alias("found")
        )
        sorted_polarities = wanted.join(found, on=list(self.entity.key), how="left").select(
            *self.entity.key,
            *[_sorted_values(unit, "polarity").alias(unit) for unit in _UNITS],
            _sorted_values("words", "in_section").alias(_IN_SECTION),
        )
        values = feature_values(_FEATURES)
        return sorted_polarities.select(*self.entity.key, *values)


def _with_section(inputs: FeatureInputs) -> DataFrame:
    sections = inputs.posts.select("site", F.col("post_id").alias("thread_id"), F.col("category").alias("section"))
    return inputs.examples.join(sections, on=["site", "thread_id"], how="left")


def _terms(texts: DataFrame, *keep: str) -> DataFrame:
    """A row for each distinct term of each text."""
    each_unit = [F.transform(F.array_distinct(unit), partial(_named, unit)) for unit in _UNITS]
    exploded = texts.select(*keep, F.explode(F.concat(*each_unit)).alias("named"))
    return exploded.select(*keep, "named.unit", "named.term")


def _named(unit: str, term: Column) -> Column:
    return F.struct(F.lit(unit).alias("unit"), term.alias("term"))


def _counts() -> tuple[Column, Column]:
    return F.count_if("relevant").alias("good"), F.count_if(~F.col("relevant")).alias("bad")


def _by_section(rows: DataFrame, *by: str) -> DataFrame:
    """The counts of each section, an array in the order of their names."""
    in_section = F.collect_list(F.struct("section", "good", "bad"))
    return rows.groupBy(*by, "section").agg(*_counts()).groupBy(*by).agg(F.sort_array(in_section).alias("sections"))


def _log_odds(good: Column, bad: Column) -> Column:
    return F.ln((good + _SMOOTHING) / (bad + _SMOOTHING))


def _section_prior(counts: Column) -> Column:
    return F.struct(counts["section"], _log_odds(counts["good"], counts["bad"]))


def _polarity_in_section(counts: Column) -> Column:
    """As in all sections, with the comments of the section beside some that are as the polarity in all says."""
    prior = F.col("priors")[counts["section"]]
    expected_good = 1 / (1 + F.exp(-(prior + F.col("polarity"))))
    good = counts["good"] + _ALL_WEIGHT * expected_good
    bad = counts["bad"] + _ALL_WEIGHT * (1 - expected_good)
    return F.struct(counts["section"], F.ln(good / bad) - prior)


def _sorted_values(unit: str, value: str) -> Column:
    of_unit = f"filter(found, one -> one.unit = '{unit}')"
    return F.expr(f"coalesce(array_sort(transform({of_unit}, one -> one.{value})), array())")
