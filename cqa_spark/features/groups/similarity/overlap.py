"""Overlap of the wording of candidate and query: the units that both texts share, from words to character n-grams."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cqa_spark.features.arrays import ABSENT, Indices, Mask, Reals, share
from cqa_spark.features.group import Entity, FeatureColumn, QueryGroup, Values
from cqa_spark.features.query_batch import QueryBatch, Texts

if TYPE_CHECKING:
    from scipy.sparse import csr_array

JACCARD = "Nicosia et al. 2015, QCRI at SemEval-2015 Task 3, lexical similarity"
_CONTAINMENT = "Broder 1997, On the resemblance and containment of documents; Nicosia et al. 2015"
_CHARACTERS = "Nakov et al. 2016, SemEval-2016 Task 3, section 5"


@dataclass(frozen=True)
class Items:
    """The items of texts, such as words, in order, one text after the other.

    Attributes:
        numbers: a number from 0 for each item; equal items have equal numbers.
        text: the index of the text of each item.
        texts: number of texts.
    """

    numbers: Indices
    text: Indices
    texts: int

    def where(self, mask: Mask) -> Items:
        """The items for which the mask is True."""
        return Items(self.numbers[mask], self.text[mask], self.texts)

    def runs(self, length: int) -> Items:
        """All n-grams of the items of a text, each as one item."""
        count, base = max(0, len(self.numbers) - length + 1), int(self.numbers.max(initial=0)) + 1
        # A run as one number: its items are the digits to a base above all items.
        runs = np.zeros(count, dtype=np.int64)
        for step in range(length):
            runs = runs * base + self.numbers[step : step + count]
        # A run ends in the text in which it starts.
        in_one_text = self.text[:count] == self.text[len(self.text) - count :]
        return Items(runs, self.text[:count], self.texts).where(in_one_text)

    def sets(self) -> csr_array:
        """A binary matrix of texts and items; the last row, at ``ABSENT``, is empty."""
        from scipy.sparse import csr_array

        starts = np.searchsorted(self.text, np.arange(self.texts + 2))
        shape = (self.texts + 1, int(self.numbers.max(initial=0)) + 1)
        sets = csr_array((np.ones(len(self.numbers)), self.numbers.copy(), starts), shape=shape)
        sets.sum_duplicates()
        sets.data[:] = 1
        return sets


def unit_sets(batch: QueryBatch) -> Mapping[str, csr_array]:
    """The distinct units of each text of a pair, by the names of ``UNITS``, as binary matrices; see ``Items.sets``.

    Texts that are not part of a pair have empty rows, because a batch holds many more texts than are compared.
    """
    texts, compared = batch.texts, _compared(batch)
    words, vocabulary = _items(texts, "words", compared)
    with_digit = pc.match_substring_regex(vocabulary, "[0-9]").to_numpy(zero_copy_only=False)
    stems, _ = _items(texts, "stems", compared)
    characters = _characters(texts, compared)
    units = {
        "words": words,
        "content_words": _items(texts, "content_words", compared)[0],
        "stems": stems,
        "bigrams": _items(texts, "bigrams", compared)[0],
        "stem_bigrams": stems.runs(2),
        "trigrams": words.runs(3),
        "char3": characters.runs(3),
        "char4": characters.runs(4),
        "numbers": words.where(with_digit[words.numbers]),
    }
    return {unit: items.sets() for unit, items in units.items()}


UNITS = {
    "words": "words",
    "content_words": "content words",
    "stems": "stems",
    "bigrams": "bigrams",
    "stem_bigrams": "stem bigrams",
    "trigrams": "word trigrams",
    "char3": "character trigrams",
    "char4": "character four-grams",
    "numbers": "words with a digit",
}
"""The units of ``unit_sets``: name and meaning. Characters are in lower case."""


@dataclass(frozen=True)
class UnitCounts:
    """Numbers of units for many pairs of texts.

    Attributes:
        shared: units shared by both texts.
        in_query: units of the text on the query's side.
        in_candidate: units of the text on the candidate's side.
    """

    shared: Reals
    in_query: Reals
    in_candidate: Reals


@dataclass(frozen=True)
class UnitOverlap:
    """A comparison of two texts of a pair by one unit.

    Attributes:
        query_side: a key of ``SIDES``, and the prefix of the feature names: ``{query_side}_{unit}_jaccard``.
        candidate_side: a key of ``SIDES``.
        unit: one of ``UNITS``.
    """

    query_side: str
    candidate_side: str
    unit: str

    def count(self, batch: QueryBatch) -> UnitCounts:
        """Count the units of each example's two texts; absent texts have none."""
        sets = batch.derive(unit_sets)[self.unit]
        # The row of each example's texts; absent texts have the last row, which is empty.
        of_query, of_candidate = SIDES[self.query_side](batch), SIDES[self.candidate_side](batch)
        sizes = np.diff(sets.indptr).astype(np.float64)
        shared = sets[of_query].multiply(sets[of_candidate]).sum(axis=1)
        return UnitCounts(shared, sizes[of_query], sizes[of_candidate])

    @property
    def columns(self) -> tuple[FeatureColumn, ...]:
        """The columns of ``compare``."""
        of = UNITS[self.unit]
        query, candidate = (side.replace("_", "'s ") for side in (self.query_side, self.candidate_side))
        source = _CHARACTERS if self.unit.startswith("char") else JACCARD
        about = {
            "jaccard": (f"Jaccard similarity of the {query}'s and the {candidate}'s {of}", source),
            "answered": (f"share of the {query}'s {of} that occur in the {candidate}", _CONTAINMENT),
            "repeated": (f"share of the {candidate}'s {of} that occur in the {query}", _CONTAINMENT),
        }
        return tuple(
            FeatureColumn(f"{self.query_side}_{self.unit}_{measure}", *words) for measure, words in about.items()
        )

    def compare(self, batch: QueryBatch) -> dict[str, Reals]:
        """The shared units of each example as shares of the units of either text, the query's, and the candidate's."""
        counts = self.count(batch)
        wholes = (counts.in_query + counts.in_candidate - counts.shared, counts.in_query, counts.in_candidate)
        return {column.name: share(counts.shared, whole) for column, whole in zip(self.columns, wholes, strict=True)}


SIDES: Mapping[str, Callable[[QueryBatch], Indices]] = {
    "query": lambda batch: batch.query_text,
    "subject": lambda batch: batch.subject_text,
    "candidate": lambda batch: batch.candidate_text,
    "candidate_subject": lambda batch: batch.candidate_subject_text,
}
"""The texts of a pair, by name: both whole texts and both subjects."""


def _compared(batch: QueryBatch) -> Mask:
    """Mask of the texts that are part of a pair."""
    compared = np.zeros(len(batch.texts) + 1, dtype=np.bool_)
    for side in SIDES.values():
        compared[side(batch)] = True
    return compared[:ABSENT]


def _items(texts: Texts, unit: str, compared: Mask) -> tuple[Items, pa.Array]:
    """The items of the compared texts in a column of lists, and the item of each number."""
    lists = texts.column(unit).combine_chunks()
    text = pc.list_parent_indices(lists).to_numpy()
    is_compared = compared[text]
    encoded = lists.flatten().filter(pa.array(is_compared)).dictionary_encode()
    return Items(encoded.indices.to_numpy().astype(np.int64), text[is_compared], len(texts)), encoded.dictionary


def _characters(texts: Texts, compared: Mask) -> Items:
    lower = [text.lower() if is_compared else "" for text, is_compared in zip(texts.clean, compared, strict=True)]
    # Code points of all texts in one array, numbered in order of their values: 0, 1, 2 …
    points = np.frombuffer("".join(lower).encode("utf-32-le"), dtype=np.uint32)
    used = np.zeros(int(points.max(initial=0)) + 1, dtype=np.int64)
    used[points] = 1
    numbers = (np.cumsum(used) - 1)[points]
    return Items(numbers, np.repeat(np.arange(len(lower)), list(map(len, lower))), len(lower))


_OF_QUERY = {unit: UnitOverlap("query", "candidate", unit) for unit in UNITS}
_COMPARED = (
    *[_OF_QUERY[unit] for unit in UNITS if unit != "numbers"],
    *[UnitOverlap("subject", "candidate", unit) for unit in ("content_words", "stems", "char3")],
)
"""The units compared: all of them for the whole query, some for its subject alone."""


class OverlapV1(QueryGroup):
    """Set overlap of words, stems and n-grams of the two texts; every unit counts once per text."""

    name = "overlap_v1"
    family = "similarity"
    about = "overlap of the candidate's wording with the query and with the query's subject"
    entity = Entity.PAIR
    columns = (
        *[column for overlap in _COMPARED for column in overlap.columns],
        FeatureColumn("shared_stems", "ln(1 + distinct stems shared by both)", JACCARD),
        FeatureColumn("shared_numbers", "ln(1 + distinct words with a digit shared by both)", "ours"),
        FeatureColumn(
            "length_share", "distinct words of the candidate over the sum of both texts' distinct words", "ours"
        ),
    )

    def compute(self, batch: QueryBatch) -> Values:
        """Compare the texts of each pair; NaN if a text is missing."""
        known = (batch.query_text != ABSENT) & (batch.candidate_text != ABSENT)
        words, stems, numbers = (_OF_QUERY[unit].count(batch) for unit in ("words", "stems", "numbers"))
        values = {name: column for overlap in _COMPARED for name, column in overlap.compare(batch).items()}
        values["shared_stems"], values["shared_numbers"] = np.log1p(stems.shared), np.log1p(numbers.shared)
        values["length_share"] = share(words.in_candidate, words.in_candidate + words.in_query)
        return {name: np.where(known, column, np.nan) for name, column in values.items()}
