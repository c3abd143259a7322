"""Some features of text pairs with scikit-learn and NLTK-style Python, in one process, one pair at a time."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

Text = dict[str, Any]
"""A row of the table ``texts``: ``text_id``, ``stems``, ``words``, and ``letters``, the clean text in lower case."""

PEERS = (
    ("term_similarity_v1", "query_cosine"),
    ("overlap_v1", "query_words_jaccard"),
    ("overlap_v1", "query_trigrams_jaccard"),
    ("overlap_v1", "query_char3_jaccard"),
    ("overlap_v1", "query_char4_answered"),
    ("sequence_similarity_v1", "query_levenshtein"),
    ("sequence_similarity_v1", "query_word_sequence"),
)
"""Our features that are also computed here: group and column."""


def plain_features(
    collection: Sequence[Sequence[str]], queries: Sequence[Text], candidates: Sequence[Text]
) -> dict[tuple[str, str], Sequence[float]]:
    """The features of ``PEERS`` for every pair of a query and the candidate at the same index.

    Args:
        collection: stems of the texts for document frequencies.
        queries: the query of each pair.
        candidates: the candidate of each pair.
    """
    measures: tuple[Callable[[Text, Text], float], ...] = (
        lambda query, candidate: _jaccard(query["words"], candidate["words"]),
        lambda query, candidate: _jaccard(_runs(query["words"], 3), _runs(candidate["words"], 3)),
        lambda query, candidate: _jaccard(_runs(query["letters"], 3), _runs(candidate["letters"], 3)),
        lambda query, candidate: _answered(_runs(query["letters"], 4), _runs(candidate["letters"], 4)),
        _edit_ratio,
        _common_words,
    )
    by_pair = [[measure(*pair) for measure in measures] for pair in zip(queries, candidates, strict=True)]
    return dict(zip(PEERS, (_cosines(collection, queries, candidates), *zip(*by_pair, strict=True)), strict=True))


def _cosines(
    collection: Sequence[Sequence[str]], queries: Sequence[Text], candidates: Sequence[Text]
) -> Sequence[float]:
    vectorizer = TfidfVectorizer(analyzer=list, sublinear_tf=True).fit(collection)
    texts = {text["text_id"]: text["stems"] for text in (*queries, *candidates)}
    vectors = vectorizer.transform(texts.values())
    row_of = {text_id: row for row, text_id in enumerate(texts)}
    asked, said = ([row_of[text["text_id"]] for text in side] for side in (queries, candidates))
    cosines: list[float] = np.asarray(vectors[asked].multiply(vectors[said]).sum(axis=1)).ravel().tolist()
    return cosines


def _runs(items: Sequence[str], length: int) -> set[tuple[str, ...]]:
    return {tuple(items[start : start + length]) for start in range(len(items) - length + 1)}


def _jaccard(one: Iterable[Any], other: Iterable[Any]) -> float:
    asked, said = set(one), set(other)
    return len(asked & said) / len(asked | said) if asked | said else 0.0


def _answered(asked: set[Any], said: set[Any]) -> float:
    return len(asked & said) / len(asked) if asked else 0.0


def _edit_ratio(query: Text, candidate: Text) -> float:
    one, other = query["letters"], candidate["letters"]
    if not len(query["words"]) or not len(candidate["words"]):
        return 0.0
    row = list(range(len(other) + 1))
    for place, letter in enumerate(one, start=1):
        before, row = row, [place]
        for column, other_letter in enumerate(other):
            row.append(min(row[-1] + 1, before[column + 1] + 1, before[column] + (letter != other_letter)))
    return 1 - row[-1] / max(len(one), len(other))


def _common_words(query: Text, candidate: Text) -> float:
    one, other = query["words"], candidate["words"]
    if not len(one) or not len(other):
        return 0.0
    row = [0] * (len(other) + 1)
    for word in one:
        before, row = row, [0]
        for column, other_word in enumerate(other):
            row.append(before[column] + 1 if word == other_word else max(row[-1], before[column + 1]))
    return row[-1] / max(len(one), len(other))
