"""Pairs of a query and a candidate with a number, in columns: grades of judgments, or scores of a ranking.

Pairs are identified by 64-bit hashes, which are sorted once, so that millions of them can be joined.
"""

import logging
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from cqa_spark.process.terminal import visible_line

_log = logging.getLogger(__name__)

Batch = tuple[pa.StringArray | pa.DictionaryArray, pa.StringArray, NDArray[np.float64]]
"""Queries, candidates and numbers of some pairs."""

_PIECE = 1_000_000
"""Number of pairs that are looked up at once."""

_NAMED = 5
"""Number of ids that a message names."""


class NumberedPairs(NamedTuple):
    """Pairs with a number each; arrays have shape (pairs,).

    Attributes:
        queries: ids of the queries, in the order in which they appear first.
        query: position of each pair's query among them.
        candidates: id of each pair's candidate.
        number: grade or score of each pair.
        key: a hash of each pair, sorted.
        order: the pair that each hash is of.
    """

    queries: pa.StringArray
    query: NDArray[np.int32]
    candidates: pa.ChunkedArray
    number: NDArray[np.float64]
    key: NDArray[np.int64]
    order: NDArray[np.int32]

    def repeated(self) -> int | None:
        """The first pair that equals an earlier one; None if there is none."""
        rows = self.order[1:][self.key[1:] == self.key[:-1]]
        return int(rows.min()) if len(rows) else None

    def name(self, pair: int) -> tuple[str, str]:
        """The ids of a pair's query and candidate."""
        return self.queries[self.query[pair]].as_py(), self.candidates[pair].as_py()


def pairs(batches: Iterable[Batch]) -> NumberedPairs:
    """Pairs of all batches."""
    queries, candidates, number, key = [], [], [np.empty(0)], [np.empty(0, np.int64)]
    for query, candidate, numbers in batches:
        encoded = query.dictionary_encode()
        of_query = np.fromiter((hash((name,)) for name in encoded.dictionary.to_pylist()), np.int64)
        queries.append(encoded)
        candidates.append(candidate)
        number.append(numbers)
        key.append(np.fromiter(map(hash, candidate.to_pylist()), np.int64) + of_query[encoded.indices])
    names = pa.chunked_array(queries, pa.dictionary(pa.int32(), pa.string())).unify_dictionaries()
    unsorted = np.concatenate(key)
    key.clear()
    order = np.argsort(unsorted, kind="stable").astype(np.int32)
    return NumberedPairs(
        names.chunk(0).dictionary if names.num_chunks else pa.array([], pa.string()),
        np.concatenate([np.empty(0, np.int32), *(chunk.indices.to_numpy() for chunk in names.chunks)]),
        pa.chunked_array(candidates, pa.string()),
        np.concatenate(number),
        unsorted[order],
        order,
    )


def pairs_of_mapping(numbers: Mapping[str, Mapping[str, float]]) -> NumberedPairs:
    """Pairs of a mapping from queries to the number of each candidate; a query may have none."""
    sizes = np.fromiter(map(len, numbers.values()), np.int32, len(numbers))
    query = np.repeat(np.arange(len(numbers), dtype=np.int32), sizes)
    candidates = pa.array([*map(str, chain.from_iterable(numbers.values()))], pa.string())
    values = chain.from_iterable(of_query.values() for of_query in numbers.values())
    queries = pa.DictionaryArray.from_arrays(query, pa.array([*map(str, numbers)], pa.string()))
    return pairs([(queries, candidates, np.fromiter(values, np.float64))])


class Matches(NamedTuple):
    """A ranking's pairs among judged ones.

    Attributes:
        query: position of each pair's query among the judged queries; -1 if it has no judgments.
        judged: position of each pair among the judged ones; -1 if it has no judgment.
        missed: the judged pairs that the ranking lacks.
    """

    query: NDArray[np.int32]
    judged: NDArray[np.int32]
    missed: NDArray[np.int32]


def match(judged: NumberedPairs, ranked: NumberedPairs) -> Matches:
    """Look up the pairs of a ranking among judged ones."""
    query = positions(ranked.queries, judged.queries)[ranked.query]
    position = np.full(len(ranked.query), -1, np.int32)
    for first in range(0, len(position), _PIECE):
        # Where each sorted hash of the ranking would stand among those of the judgments, and whether it is there.
        key, order = ranked.key[first : first + _PIECE], ranked.order[first : first + _PIECE]
        index = np.searchsorted(judged.key, key)
        is_match = index < len(judged.key)
        is_match[is_match] = judged.key[index[is_match]] == key[is_match]
        position[order[is_match]] = judged.order[index[is_match]]
    # One more for the pairs without a judgment, whose position is -1.
    is_missed = np.append(np.ones(len(judged.query), np.bool_), False)
    is_missed[position] = False
    return Matches(query, position, np.flatnonzero(is_missed).astype(np.int32))


def ranks_within(query: NDArray[np.integer]) -> NDArray[np.int64]:
    """The rank, from 1, of each row among those of its query; the rows of a query stand together."""
    rows = np.arange(len(query))
    is_first = np.append(True, query[1:] != query[:-1])[: len(query)]
    return rows - np.maximum.accumulate(np.where(is_first, rows, 0)) + 1


def positions(values: pa.StringArray, among: pa.StringArray) -> NDArray[np.int32]:
    """The position of each value among others; -1 if it is not there."""
    return pc.index_in(values, among).fill_null(-1).to_numpy()


def warn_of_uncovered_queries(
    judgments: str, ranking: str, judged: pa.StringArray, ranked: pa.StringArray, *, counted: bool
) -> None:
    """Log how many queries have no ranking, how many have no judgments, and what becomes of them.

    Args:
        judgments: name of the judgments.
        ranking: name of the ranking.
        judged: ids of the judged queries.
        ranked: ids of the ranked queries.
        counted: whether queries without a ranking count, with 0, in means over queries.
    """
    unranked = judged.filter(pc.invert(pc.is_in(judged, ranked))).to_pylist()
    unjudged = ranked.filter(pc.invert(pc.is_in(ranked, judged))).to_pylist()
    if unranked:
        means = len(judged) if counted else len(judged) - len(unranked)
        _log.warning(
            "%s: has no ranking for %d of %d queries of %s, which %s; means go over %d: %s",
            ranking, len(unranked), len(judged), judgments, "count 0" if counted else "are left out", means,
            some(sorted(unranked)),
        )  # fmt: skip
    if unjudged:
        _log.warning(
            "%s: %d of %d queries have no judgments in %s and are ignored: %s",
            ranking, len(unjudged), len(ranked), judgments, some(sorted(unjudged)),
        )  # fmt: skip


def some(names: Iterable[str]) -> str:
    """The first names, for a message."""
    listed = [*map(visible_line, islice(names, _NAMED + 1))]
    return ", ".join(listed[:_NAMED]) + (", ..." if len(listed) > _NAMED else "")


def distinct_labels(names: Sequence[str]) -> dict[str, str]:
    """The shortest end of each path that is not the end of another one.

    Args:
        names: paths of files, or names of rankings; they may repeat.
    """
    parts = {name: Path(name).parts for name in names}
    labels = {}
    for name, own in parts.items():
        others = [other for other in parts.values() if other != own]
        lengths = range(1, len(own) + 1)
        length = next((n for n in lengths if all(other[-n:] != own[-n:] for other in others)), len(own))
        labels[name] = str(Path(*own[-length:]))
    return labels
