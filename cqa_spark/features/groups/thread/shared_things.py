"""Links, addresses, numbers and names that query and candidate have in common, and how long they are."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from cqa_spark.features.arrays import ABSENT, Indices
from cqa_spark.features.group import Entity, FeatureColumn, QueryGroup
from cqa_spark.features.groups.thread.unit_overlap import share
from cqa_spark.features.query_batch import QueryBatch
from cqa_spark.text.cleaning import IN_ADDRESS, WEB_ADDRESS

_SOURCE = "Nakov et al. 2016, SemEval-2016 Task 3, section 5"
_LENGTHS = "Nicosia et al. 2015, QCRI at SemEval-2015 Task 3"

Numbers = NDArray[np.float64]

_MARK = "[/.,;:!?]"
_URL = re.compile(rf"{WEB_ADDRESS}{IN_ADDRESS}++", re.ASCII)
_URL_ENDS = re.compile(rf"^(?:https?://)?(?:www\.)?|(?<!{_MARK}){_MARK}++$", re.ASCII)
_EMAIL = re.compile(r"(?<![\w.%+-])[\w.%+-]++@(?:[^\W_]|-)++(?:\.(?:[^\W_]|-)++)++")
_NUMBER = re.compile(r"[0-9]++(?:[.,;][0-9]++)*+")
_SEPARATOR = re.compile("[.,;]")
# A capital that begins no sentence: it follows a word or a comma. That the blank comes first makes the search fast.
_CAPITALISED = re.compile(r" (?<=[^\W_] |, )([^\W\d_a-z][^\W_]+)")


def _urls(raw: str) -> set[str]:
    return {_URL_ENDS.sub("", found.group()) for found in _URL.finditer(raw.lower())}


def _emails(raw: str) -> set[str]:
    return set(_EMAIL.findall(raw.lower())) if "@" in raw else set()


def _numbers(clean: str) -> set[str]:
    return {_SEPARATOR.sub("", found) for found in _NUMBER.findall(clean)}


def _names(clean: str) -> set[str]:
    return {name.lower() for name in _CAPITALISED.findall(clean) if name[0].isupper()}


_THINGS: Mapping[str, tuple[str, str, Callable[[str], set[str]]]] = {
    "urls": ("web addresses, without http:// and www.", "raw", _urls),
    "emails": ("e-mail addresses", "raw", _emails),
    "numbers": ("numbers, without what separates their digits", "clean", _numbers),
    "names": ("capitalised words that begin no sentence", "clean", _names),
}
"""What texts hold, by name: what it is, the column of the table ``texts`` that it is found in, and how."""


def _measures(thing: str) -> dict[FeatureColumn, str]:
    """The features of one kind of things, each with the name of its measure."""
    about, _, _ = _THINGS[thing]
    return {
        FeatureColumn(f"{thing}_shared", f"ln(1 + {about} that both have)", _SOURCE): "shared",
        FeatureColumn(
            f"{thing}_answered", f"share of the query's {about} that the candidate has too", _SOURCE
        ): "answered",
        FeatureColumn(f"{thing}_new", f"ln(1 + {about} of the candidate that the query lacks)", "ours"): "new",
    }


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
"""Each ratio of lengths with the column of the table ``texts`` whose items are counted, and how."""

_MENTIONED = FeatureColumn(
    "names_mentioned", "share of the query's names that are among the candidate's words, whatever their case", "ours"
)


class SharedThingsV1(QueryGroup):
    """Things that cleaning takes out of a text or that a bag of words does not tell from other words."""

    name: ClassVar[str] = "shared_things_v1"
    family: ClassVar[str] = "similarity"
    about: ClassVar[str] = (
        "links, addresses, numbers and names in common with the query, and lengths beside the query's"
    )
    entity: ClassVar[Entity] = Entity.PAIR
    columns: ClassVar[tuple[FeatureColumn, ...]] = (
        *[feature for thing in _THINGS for feature in _measures(thing)],
        _MENTIONED,
        *_LENGTH_RATIOS,
    )

    def compute(self, batch: QueryBatch) -> Mapping[str, Numbers]:
        """Compare the texts of each pair; a pair of which a text is not known has no values."""
        asked, said = batch.query_text, batch.candidate_text
        known = (asked != ABSENT) & (said != ABSENT)
        found = {thing: _found(batch, unit, find) for thing, (_, unit, find) in _THINGS.items()}
        values: dict[str, Numbers] = {}
        for thing, of_texts in found.items():
            counts = _counts(of_texts, of_texts, asked, said)
            for feature, measure in _measures(thing).items():
                values[feature.name] = _MEASURES[measure](*counts)
        mentioned, names, _ = _counts(found["names"], _found(batch, "words", set), asked, said)
        values[_MENTIONED.name] = share(mentioned, names)
        for feature, (unit, length) in _LENGTH_RATIOS.items():
            lengths = np.append(np.log1p(length(batch.texts.column(unit)).to_numpy()), np.nan)
            values[feature.name] = lengths[said] - lengths[asked]
        return {name: np.where(known, found, np.nan) for name, found in values.items()}


_MEASURES: Mapping[str, Callable[[Numbers, Numbers, Numbers], Numbers]] = {
    "shared": lambda shared, asked, said: np.log1p(shared),
    "answered": lambda shared, asked, said: share(shared, asked),
    "new": lambda shared, asked, said: np.log1p(said - shared),
}
"""Each measure of things that both texts have, that the query has and that the candidate has."""


def _found(batch: QueryBatch, unit: str, find: Callable[[Any], set[str]]) -> dict[int, set[str]]:
    """What each text of a pair holds, by the index of the text; an absent text holds nothing."""
    texts = batch.texts.unit(unit)
    places = {*batch.query_text.tolist(), *batch.candidate_text.tolist()} - {ABSENT}
    return {ABSENT: set(), **{place: find(texts[place]) for place in places}}


def _counts(
    of_query: Mapping[int, set[str]], of_candidate: Mapping[int, set[str]], asked: Indices, said: Indices
) -> tuple[Numbers, Numbers, Numbers]:
    """What both texts of each pair have, what the query has, and what the candidate has."""
    pairs = [(of_query[one], of_candidate[other]) for one, other in zip(asked.tolist(), said.tolist(), strict=True)]
    counts = np.array([(len(one & other), len(one), len(other)) for one, other in pairs], dtype=np.float64)
    shared, in_query, in_candidate = counts.reshape(len(pairs), 3).T
    return shared, in_query, in_candidate
