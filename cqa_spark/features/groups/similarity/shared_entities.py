"""Links, addresses, numbers and names shared by query and candidate, and ratios of their lengths."""

import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pyarrow.compute as pc

from cqa_spark.features.arrays import ABSENT, Indices, Reals, share
from cqa_spark.features.group import Entity, FeatureColumn, QueryGroup, Values
from cqa_spark.features.query_batch import QueryBatch
from cqa_spark.text.cleaning import IN_ADDRESS, WEB_ADDRESS

_SOURCE = "Nakov et al. 2016, SemEval-2016 Task 3, section 5"
_LENGTHS = "Nicosia et al. 2015, QCRI at SemEval-2015 Task 3"


_MARK = "[/.,;:!?]"
_URL = re.compile(rf"{WEB_ADDRESS}{IN_ADDRESS}++", re.ASCII)
_URL_ENDS = re.compile(rf"^(?:https?://)?(?:www\.)?|(?<!{_MARK}){_MARK}++$", re.ASCII)
_EMAIL = re.compile(r"(?<![\w.%+-])[\w.%+-]++@(?:[^\W_]|-)++(?:\.(?:[^\W_]|-)++)++")
_NUMBER = re.compile(r"[0-9]++(?:[.,;][0-9]++)*+")
_SEPARATOR = re.compile("[.,;]")
# A capital within a sentence, that is, after a word or a comma. Matching the blank first makes the search fast.
_CAPITALISED = re.compile(r" (?<=[^\W_] |, )([^\W\d_a-z][^\W_]+)")


def _urls(raw: str) -> set[str]:
    return {_URL_ENDS.sub("", match.group()) for match in _URL.finditer(raw.lower())}


def _emails(raw: str) -> set[str]:
    return set(_EMAIL.findall(raw.lower())) if "@" in raw else set()


def _numbers(clean: str) -> set[str]:
    return {_SEPARATOR.sub("", number) for number in _NUMBER.findall(clean)}


def _names(clean: str) -> set[str]:
    return {name.lower() for name in _CAPITALISED.findall(clean) if name[0].isupper()}


_ENTITIES: Mapping[str, tuple[str, str, Callable[[str], set[str]]]] = {
    "urls": ("web addresses, without http:// and www.", "raw", _urls),
    "emails": ("e-mail addresses", "raw", _emails),
    "numbers": ("numbers, without separators", "clean", _numbers),
    "names": ("capitalised words that do not start a sentence", "clean", _names),
}
"""Kinds of entities in texts, by name: description, column of the table ``texts``, and function that extracts them."""


def _columns(kind: str, about: str) -> tuple[FeatureColumn, ...]:
    return (
        FeatureColumn(f"{kind}_shared", f"ln(1 + {about} shared by both)", _SOURCE),
        FeatureColumn(f"{kind}_answered", f"share of the query's {about} that also occur in the candidate", _SOURCE),
        FeatureColumn(f"{kind}_new", f"ln(1 + {about} of the candidate that are not in the query)", "ours"),
    )


_LENGTH_RATIOS = {
    FeatureColumn("chars_ratio", "ln(1 + characters of the candidate) - ln(1 + characters of the query)", _LENGTHS): (
        "clean",
        pc.utf8_length,
    ),
    FeatureColumn("words_ratio", "ln(1 + words of the candidate) - ln(1 + words of the query)", _LENGTHS): (
        "words",
        pc.list_value_length,
    ),
    FeatureColumn("sentences_ratio", "ln(1 + sentences of the candidate) - ln(1 + sentences of the query)", _LENGTHS): (
        "sentences",
        pc.list_value_length,
    ),
}
"""Each length ratio, with the column of the table ``texts`` and the function that counts its items."""

_MENTIONED = FeatureColumn(
    "names_mentioned", "share of the query's names among the candidate's words, ignoring case", "ours"
)


class SharedThingsV1(QueryGroup):
    """Entities that cleaning removes or that a bag of words does not distinguish from other words."""

    name = "shared_things_v1"
    family = "similarity"
    about = "links, addresses, numbers and names shared with the query, and length relative to the query"
    entity = Entity.PAIR
    columns = (
        *[column for kind, (about, _, _) in _ENTITIES.items() for column in _columns(kind, about)],
        _MENTIONED,
        *_LENGTH_RATIOS,
    )

    def compute(self, batch: QueryBatch) -> Values:
        """Compare the texts of each pair; NaN if a text is missing."""
        queries, candidates = batch.query_text, batch.candidate_text
        known = (queries != ABSENT) & (candidates != ABSENT)
        entities = {kind: _extracted(batch, unit, find) for kind, (_, unit, find) in _ENTITIES.items()}
        values: dict[str, Reals] = {}
        for kind, of_texts in entities.items():
            shared, of_query, of_candidate = _counts(of_texts, of_texts, queries, candidates)
            values[f"{kind}_shared"] = np.log1p(shared)
            values[f"{kind}_answered"] = share(shared, of_query)
            values[f"{kind}_new"] = np.log1p(of_candidate - shared)
        mentioned, names, _ = _counts(entities["names"], _extracted(batch, "words", set), queries, candidates)
        values[_MENTIONED.name] = share(mentioned, names)
        for feature, (unit, length) in _LENGTH_RATIOS.items():
            lengths = np.append(np.log1p(length(batch.texts.column(unit)).to_numpy()), np.nan)
            values[feature.name] = lengths[candidates] - lengths[queries]
        return {name: np.where(known, column, np.nan) for name, column in values.items()}


def _extracted(batch: QueryBatch, unit: str, find: Callable[[Any], set[str]]) -> dict[int, set[str]]:
    """The entities in each text of a pair, by index of the text; empty for absent texts."""
    texts = batch.texts.unit(unit)
    compared = {*batch.query_text.tolist(), *batch.candidate_text.tolist()} - {ABSENT}
    return {ABSENT: set(), **{text: find(texts[text]) for text in compared}}


def _counts(
    of_query: Mapping[int, set[str]], of_candidate: Mapping[int, set[str]], queries: Indices, candidates: Indices
) -> tuple[Reals, Reals, Reals]:
    """The numbers of shared entities, the query's and the candidate's, for each pair."""
    counts = []
    for query, candidate in zip(queries.tolist(), candidates.tolist(), strict=True):
        first, second = of_query[query], of_candidate[candidate]
        counts.append((len(first & second), len(first), len(second)))
    shared, in_query, in_candidate = np.array(counts, dtype=np.float64).reshape(len(counts), 3).T
    return shared, in_query, in_candidate
