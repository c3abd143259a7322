"""Says which queries of two files, judgments and rankings, are in one of them only."""

import logging
from collections.abc import Iterable
from itertools import islice

import pyarrow as pa
import pyarrow.compute as pc

from cqa_spark.process.control_characters import visible_line

_log = logging.getLogger(__name__)

_NAMED = 5


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
    unranked, unjudged = _without(judged, ranked), _without(ranked, judged)
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


def _without(queries: pa.StringArray, others: pa.StringArray) -> list[str]:
    return queries.filter(pc.invert(pc.is_in(queries, others))).to_pylist()


def some(names: Iterable[str]) -> str:
    """The first names, for a message."""
    listed = [*map(visible_line, islice(names, _NAMED + 1))]
    return ", ".join(listed[:_NAMED]) + (", ..." if len(listed) > _NAMED else "")
