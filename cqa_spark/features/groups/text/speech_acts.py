"""Speech acts of the comment, such as thanks, advice, doubts and jokes, and whether its form fits the question."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from cqa_spark.features.arrays import ABSENT, Indices
from cqa_spark.features.batch_texts import Texts
from cqa_spark.features.group import Entity, FeatureColumn, QueryGroup
from cqa_spark.features.groups.text.phrases import ACTS, ANSWERS, ENDS_IN_QUESTION_MARK, QUESTIONS, STARTS_IMPERATIVE
from cqa_spark.features.query_batch import QueryBatch

_SEARLE = "Searle 1976, A classification of illocutionary acts; phrases ours"
_NICOSIA = "Nicosia et al. 2015, QCRI at SemEval-2015 Task 3"
_LI_ROTH = "Li and Roth 2002, Learning question classifiers; phrases ours"

Numbers = NDArray[np.float64]

_ACTS = {FeatureColumn(name, f"1 if the comment {about}", _SEARLE): pattern for name, (about, pattern) in ACTS.items()}
_FORMS = {
    FeatureColumn(
        f"form_{kind}", f"1 if the comment has the form of an answer to: {kind.replace('_', ' ')}", _LI_ROTH
    ): pattern
    for kind, pattern in ANSWERS.items()
}
_ASKS = {
    FeatureColumn(f"asks_{kind}", f"1 if the question asks {kind.replace('_', ' ')}", _LI_ROTH): pattern
    for kind, pattern in QUESTIONS.items()
}
"""Each flag of the comment or question, with its phrases."""

_SENTENCES = {
    FeatureColumn(
        "imperatives", "share of the sentences that start with an imperative or advice", _NICOSIA
    ): STARTS_IMPERATIVE,
    FeatureColumn("questions", "share of the sentences that end in a question mark", _NICOSIA): ENDS_IN_QUESTION_MARK,
}
"""Each share of the comment's sentences, with the pattern that they match."""

_FIT = FeatureColumn("forms_fit", "kinds of question that the query asks and the comment answers in form", _LI_ROTH)
_FIT_SHARE = FeatureColumn("forms_fit_share", "forms_fit divided by the kinds of question asked", _LI_ROTH)


class SpeechActsV1(QueryGroup):
    """Phrases of the comment, kinds of question in the query, and where the two fit."""

    name: ClassVar[str] = "speech_acts_v1"
    family: ClassVar[str] = "quality"
    about: ClassVar[str] = "speech acts of the comment, and whether its form fits the question"
    entity: ClassVar[Entity] = Entity.PAIR
    columns: ClassVar[tuple[FeatureColumn, ...]] = (*_ACTS, *_SENTENCES, *_ASKS, *_FORMS, _FIT, _FIT_SHARE)

    def compute(self, batch: QueryBatch) -> Mapping[str, Numbers]:
        """Flags and shares of each pair whose candidate has a text; without a query text, its flags are 0."""
        texts, said, asked = batch.texts, batch.candidate_text, batch.query_text
        acts, forms, asks = _flags(texts, said, _ACTS), _flags(texts, said, _FORMS), _flags(texts, asked, _ASKS)
        fit = sum(asks[f"asks_{kind}"] * forms[f"form_{kind}"] for kind in QUESTIONS)
        values = {
            **acts,
            **_shares(texts, said),
            **asks,
            **forms,
            _FIT.name: fit,
            _FIT_SHARE.name: fit / np.maximum(1, sum(asks.values())),
        }
        return {name: np.where(said != ABSENT, value, np.nan) for name, value in values.items()}


def _flags(texts: Texts, places: Indices, patterns: Mapping[FeatureColumn, str]) -> dict[str, Numbers]:
    """For each feature, 1 where the text contains the phrases; 0 for absent texts."""
    distinct, place = np.unique(places, return_inverse=True)
    clean = _take(texts, "clean", distinct)
    return {column.name: _found(clean, pattern)[place] for column, pattern in patterns.items()}


def _shares(texts: Texts, places: Indices) -> dict[str, Numbers]:
    """For each feature, the share of each text's sentences that contain the phrases."""
    distinct, place = np.unique(places, return_inverse=True)
    lists = _take(texts, "sentences", distinct)
    sentences, text = lists.flatten(), pc.list_parent_indices(lists).to_numpy()
    number = np.maximum(1, np.bincount(text, minlength=len(distinct)))
    return {
        column.name: (np.bincount(text, _found(sentences, pattern), minlength=len(distinct)) / number)[place]
        for column, pattern in _SENTENCES.items()
    }


def _take(texts: Texts, unit: str, places: Indices) -> pa.Array:
    """The items of a column at the given indices; null where the text is absent."""
    return texts.column(unit).combine_chunks().take(pa.array(places, mask=places == ABSENT))


def _found(texts: pa.Array, pattern: str) -> Numbers:
    """1 for each text that matches the expression, ignoring case; 0 for nulls."""
    found = pc.match_substring_regex(texts, pattern, ignore_case=True)
    return found.fill_null(False).to_numpy(zero_copy_only=False).astype(np.float64)
