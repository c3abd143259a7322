"""Goodness polarity: association of the comment's words with relevance in the training threads.

Version 2 has also pairs of words and stems, and the words within the forum's section.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Self

import numpy as np
import pyarrow as pa

from cqa_spark.features.arrays import Reals
from cqa_spark.features.group import Entity, FeatureColumn, FittedQueryGroup, Values
from cqa_spark.features.query_batch import QueryBatch, Texts
from cqa_spark.features.training_data import CANDIDATES, RAREST, Fitted, TrainingData, fit_on_counts
from cqa_spark.lake.model_folder import ModelFolder, NewModelFolder

if TYPE_CHECKING:
    import pandas as pd


BALCHEV = "Balchev et al. 2016, PMI-cool at SemEval-2016 Task 3"
_SMOOTHING = 1.0
_POLARITIES = "polarities.parquet"
_COLUMNS = pa.schema([("term", pa.string()), ("polarity", pa.float64())])

_STRONGEST = 3
_STATISTICS: Mapping[str, Callable[[Sequence[float]], float]] = {
    "mean": lambda polarities: sum(polarities) / max(1, len(polarities)),
    "max": lambda polarities: max(polarities, default=0.0),
    "min": lambda polarities: min(polarities, default=0.0),
    "sum": sum,
    "good_share": lambda polarities: sum(polarity > 0 for polarity in polarities) / max(1, len(polarities)),
    f"best_{_STRONGEST}": lambda polarities: sum(polarities[-_STRONGEST:]),
    f"worst_{_STRONGEST}": lambda polarities: sum(polarities[:_STRONGEST]),
}
"""Functions of the sorted polarities of a comment's distinct terms."""


class GoodnessPmiV1(FittedQueryGroup):
    """Polarity of a word: PMI(word, relevant) - PMI(word, irrelevant), over comments that contain the word.

    Args:
        polarities: by token.
    """

    name = "goodness_pmi_v1"
    family = "quality"
    about = "association of the comment's words with relevant comments of other threads"
    entity = Entity.CANDIDATE
    columns = (
        FeatureColumn("mean", "mean polarity of the words", BALCHEV),
        FeatureColumn("max", "highest polarity of a word", BALCHEV),
        FeatureColumn("min", "lowest polarity of a word", BALCHEV),
        FeatureColumn("sum", "sum of the polarities", BALCHEV),
        FeatureColumn("good_share", "share of the words with positive polarity", BALCHEV),
    )
    learns_from_labels = True

    def __init__(self, polarities: Mapping[str, float]) -> None:
        self._polarities = polarities

    @classmethod
    def fit(cls, training: TrainingData) -> Fitted[Self]:
        """Count the relevant and the irrelevant comments that contain each word."""
        return fit_on_counts(training, cls.of_counts)

    @classmethod
    def of_counts(cls, counts: pd.DataFrame) -> Self:
        """Compute the polarities from rows of ``judged_terms``."""
        polarities = term_polarities(counts)
        tokens = polarities[polarities["unit"] == "tokens"]
        return cls(dict(zip(tokens["term"], tokens["polarity"], strict=True)))

    def compute(self, batch: QueryBatch) -> Values:
        """Statistics of the polarities of each candidate's distinct words."""
        tokens = batch.texts.tokens

        def read(text: int) -> dict[str, float]:
            polarities = sorted_polarities(self._polarities, tokens[text])
            return {name: statistic(polarities) for name, statistic in _STATISTICS.items()}

        return self.tabulate(batch.known_candidate_texts(), read)

    def save(self, folder: NewModelFolder) -> None:
        """Write the polarities as Parquet."""
        rows = pa.table([list(self._polarities), list(self._polarities.values())], schema=_COLUMNS)
        folder.write_arrow(_POLARITIES, rows)

    @classmethod
    def load(cls, folder: ModelFolder) -> Self:
        """Read the polarities."""
        rows = folder.read_arrow(_POLARITIES, _COLUMNS)
        return cls(dict(zip(*(rows[name].to_pylist() for name in _COLUMNS.names), strict=True)))


def term_polarities(counts: pd.DataFrame) -> pd.DataFrame:
    """The polarity of every term that occurs in at least ``RAREST`` candidates.

    Args:
        counts: rows of ``judged_terms``.

    Returns:
        ``unit``, ``term``, ``polarity``: log of the smoothed odds of relevance, relative to those of all candidates.
    """
    summed = counts.groupby(["unit", "term"], as_index=False)[["good", "bad"]].sum()
    frequent = summed[(summed["unit"] != CANDIDATES) & (summed["good"] + summed["bad"] >= RAREST)]
    everything = summed[summed["unit"] == CANDIDATES]
    prior = log_odds(everything["good"], everything["bad"]).sum()
    return frequent[["unit", "term"]].assign(polarity=log_odds(frequent["good"], frequent["bad"]) - prior)


def log_odds(good: pd.Series[int], bad: pd.Series[int]) -> Reals:
    """The log of the smoothed odds of counts."""
    return np.log((good.to_numpy() + _SMOOTHING) / (bad.to_numpy() + _SMOOTHING))


def sorted_polarities(polarities: Mapping[str, float], terms: Sequence[str]) -> list[float]:
    """The known polarities of the distinct terms, in ascending order."""
    return sorted(polarities[term] for term in set(terms) if term in polarities)


_UNITS = ("words", "bigrams", "stems")
_IN_SECTION = "section"
_TERMS = {
    "words": "words",
    "bigrams": "pairs of neighbouring words",
    "stems": "stems",
    _IN_SECTION: "words in the thread's forum section (shrunk towards all sections)",
}
_ALL_WEIGHT = 5.0
"""Pseudo-count of comments from all sections, towards which sections with few comments are shrunk."""

_EVERYWHERE, _IN_SECTIONS = "everywhere.parquet", "in_sections.parquet"
_COLUMNS_V2 = pa.schema([("unit", pa.string()), ("term", pa.string()), ("polarity", pa.float64())])
_SECTION_COLUMNS = pa.schema([("section", pa.string()), ("term", pa.string()), ("polarity", pa.float64())])

_ABOUT = {
    "mean": "mean polarity of {}",
    "max": "highest polarity of {}",
    "min": "lowest polarity of {}",
    "sum": "sum of the polarities of {}",
    f"best_{_STRONGEST}": f"sum of the {_STRONGEST} highest polarities of {{}}",
    f"worst_{_STRONGEST}": f"sum of the {_STRONGEST} lowest polarities of {{}}",
}


class GoodnessPmiV2(FittedQueryGroup):
    """Polarity of a term: PMI(term, relevant) - PMI(term, irrelevant), over comments that contain the term.

    Threads without a section, and sections without judged comments, use the polarities of all sections.

    Args:
        everywhere: ``unit`` (words, bigrams, stems), ``term``, ``polarity`` of all sections.
        in_sections: ``section``, ``term`` (a word), ``polarity`` within the section.
    """

    name = "goodness_pmi_v2"
    family = "quality"
    about = "association of the comment's words, word pairs and stems with relevant comments elsewhere"
    entity = Entity.CANDIDATE
    columns = tuple(
        FeatureColumn(f"{unit}_{statistic}", about.format(terms), BALCHEV)
        for unit, terms in _TERMS.items()
        for statistic, about in _ABOUT.items()
    )
    learns_from_labels = True

    def __init__(self, everywhere: pd.DataFrame, in_sections: pd.DataFrame) -> None:
        self._everywhere = _by(everywhere, "unit")
        self._in_sections = _by(in_sections, "section")

    @classmethod
    def fit(cls, training: TrainingData) -> Fitted[Self]:
        """Count the relevant and the irrelevant comments that contain each term, overall and per section."""
        return fit_on_counts(training, cls.of_counts)

    @classmethod
    def of_counts(cls, counts: pd.DataFrame) -> Self:
        """Compute the polarities from rows of ``judged_terms``."""
        everywhere = term_polarities(counts[counts["unit"].isin([CANDIDATES, *_UNITS])])
        return cls(everywhere, _section_polarities(counts, everywhere))

    def compute(self, batch: QueryBatch) -> Values:
        """Statistics of the polarities of each candidate's distinct terms."""
        keys = [
            None if text is None else (text, section)
            for text, section in zip(batch.known_candidate_texts(), batch.category, strict=True)
        ]

        def read(key: tuple[int, str | None]) -> dict[str, float]:
            polarities = self._polarities(batch.texts, *key)
            return {f"{unit}_{name}": _STATISTICS[name](polarities[unit]) for unit in polarities for name in _ABOUT}

        return self.tabulate(keys, read)

    def save(self, folder: NewModelFolder) -> None:
        """Write the polarities as Parquet."""
        folder.write_arrow(_EVERYWHERE, _rows(self._everywhere, _COLUMNS_V2))
        folder.write_arrow(_IN_SECTIONS, _rows(self._in_sections, _SECTION_COLUMNS))

    @classmethod
    def load(cls, folder: ModelFolder) -> Self:
        """Read the polarities."""
        everywhere = folder.read_arrow(_EVERYWHERE, _COLUMNS_V2)
        return cls(everywhere.to_pandas(), folder.read_arrow(_IN_SECTIONS, _SECTION_COLUMNS).to_pandas())

    def _polarities(self, texts: Texts, index: int, section: str | None) -> dict[str, list[float]]:
        """By unit the sorted polarities of a comment's distinct terms."""
        polarities = {
            unit: sorted_polarities(self._everywhere.get(unit, {}), texts.unit(unit)[index]) for unit in _UNITS
        }
        return {**polarities, _IN_SECTION: self._within(section, texts.words[index], polarities["words"])}

    def _within(self, section: str | None, words: Sequence[str], everywhere: list[float]) -> list[float]:
        here = self._in_sections.get(section, {}) if section is not None else {}
        if not here:
            return everywhere
        of_all = self._everywhere.get("words", {})
        return sorted(here.get(word, of_all[word]) for word in set(words) if word in of_all)


def _section_polarities(counts: pd.DataFrame, everywhere: pd.DataFrame) -> pd.DataFrame:
    """Polarities per section, shrunk towards the polarities of all sections."""
    known = (
        counts[counts["section"].notna()].groupby(["unit", "section", "term"], as_index=False)[["good", "bad"]].sum()
    )
    candidates = known[known["unit"] == CANDIDATES]
    priors = candidates[["section"]].assign(prior=log_odds(candidates["good"], candidates["bad"]))
    words = known.merge(everywhere, on=["unit", "term"]).merge(priors, on="section")
    expected_good = 1 / (1 + np.exp(-(words["prior"] + words["polarity"])))
    good = words["good"] + _ALL_WEIGHT * expected_good
    bad = words["bad"] + _ALL_WEIGHT * (1 - expected_good)
    return words[["section", "term"]].assign(polarity=np.log(good / bad) - words["prior"])


def _by(polarities: pd.DataFrame, key: str) -> dict[str, dict[str, float]]:
    return {str(name): dict(zip(rows["term"], rows["polarity"], strict=True)) for name, rows in polarities.groupby(key)}


def _rows(polarities: Mapping[str, Mapping[str, float]], schema: pa.Schema) -> pa.Table:
    rows = [(name, term, polarity) for name, terms in polarities.items() for term, polarity in terms.items()]
    return pa.table([list(column) for column in zip(*rows, strict=True)] or [[], [], []], schema=schema)
