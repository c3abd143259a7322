"""Queries on which the best system and the baseline rank different candidates first, and one of them is better."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from cqa_spark.reports.post_texts import PostText, truncated
from cqa_spark.reports.reported_run import MeasuredQuery, Query

CHARACTERS = 700


@dataclass(frozen=True)
class Disagreement:
    """A query on which one of two systems is better.

    Attributes:
        better: the better system.
        subject: title of the query, or its id.
        text: its text, possibly truncated.
        first: text of the candidate that the better system ranks first, possibly truncated.
        other_first: text of the candidate that the other system ranks first.

    Source:
        Xu et al. 2018, Preferred Answer Selection in Stack Overflow, Table 6.
    """

    better: str
    subject: str
    text: str
    first: str
    other_first: str


def disagreements(
    system: str,
    baseline: str,
    firsts: Iterable[tuple[MeasuredQuery, str | None, str | None]],
    texts: Mapping[Query, PostText],
) -> Iterator[Disagreement]:
    """The queries whose first candidates differ.

    Args:
        system: the best system.
        baseline: the system that it is compared with.
        firsts: a query, and the ids of the candidates that the system and the baseline rank first; None if unknown.
        texts: texts of queries and candidates, by site and id.
    """
    for query, *ids in firsts:
        if None in ids or ids[0] == ids[1]:
            continue
        asked = texts.get((query.site, query.query_id), PostText())
        candidates = [texts.get((query.site, str(candidate_id)), PostText()) for candidate_id in ids]
        by_system = dict(zip((system, baseline), candidates, strict=True))
        better, other = (system, baseline) if (query.difference or 0.0) > 0 else (baseline, system)
        yield Disagreement(
            better,
            asked.subject or query.query_id,
            truncated(asked.body, CHARACTERS),
            truncated(by_system[better].whole, CHARACTERS),
            truncated(by_system[other].whole, CHARACTERS),
        )
