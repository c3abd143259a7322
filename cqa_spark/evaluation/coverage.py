"""Says which queries of two files, judgments and rankings, are in one of them only."""

import logging
from collections.abc import Collection, Iterable

from cqa_spark.process.control_characters import visible_line

_log = logging.getLogger(__name__)

_NAMED = 5


def warn_of_uncovered_queries(
    judgments: str, ranking: str, judged: Collection[str], ranked: Collection[str], *, counted: bool
) -> None:
    """Log how many queries have no ranking, how many have no judgments, and what becomes of them.

    Args:
        judgments: name of the judgments.
        ranking: name of the ranking.
        judged: ids of the judged queries.
        ranked: ids of the ranked queries.
        counted: whether queries without a ranking count, with 0, in means over queries.
    """
    unranked, unjudged = set(judged) - set(ranked), set(ranked) - set(judged)
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
    listed = [*map(visible_line, names)]
    return ", ".join(listed[:_NAMED]) + (", ..." if len(listed) > _NAMED else "")
