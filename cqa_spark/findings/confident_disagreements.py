"""Confident disagreements: the night's order puts another answer first than votes do, and is sure of it.

The scores of the order are those of a conditional logit: the softmax over the answers of a question is the probability
that the asker accepts each. It needs no further calibration: on the 2,102 replayed nights of the public sites, each
scored by a model of the others, it is 74.6 % for the first answer, and 75.1 % of these were accepted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.findings.finding import Finding, FindingRows, Kind
from cqa_spark.lake.schemas.rankings import NIGHT_RANKINGS, RANKINGS

Indices = NDArray[np.int64]
Reals = NDArray[np.float64]
Flags = NDArray[np.bool_]

ORDER, BY_VOTES = "night_answers", "votes_then_length"
"""Names of the systems that are compared."""

MARGIN = 0.05
"""Difference of probabilities from which on the order is sure."""

_COLUMNS = ("site", "thread_id", "query_id", "age_days", "candidate_id", "system", "score", "rank", "accepted")


def ranked_answers(tables: Mapping[str, DataFrame]) -> DataFrame:
    """The rankings of both systems, of tonight and of replayed nights.

    Args:
        tables: ``night_rankings`` and ``rankings``.

    Returns:
        A row for each night, answer and system: site, thread_id, query_id, age_days (null tonight), candidate_id,
        system, score, rank, accepted, and served (whether tonight's order of the question is this one; null in the
        past).
    """
    past, tonight = (
        tables[table.name].where(F.col("system").isin(ORDER, BY_VOTES)) for table in (NIGHT_RANKINGS, RANKINGS)
    )
    of_past = past.select(*_COLUMNS, F.lit(None).cast("boolean").alias("served"))
    age = F.lit(None).cast("int").alias("age_days")
    of_tonight = tonight.select(*_COLUMNS[:1], F.col("query_id").alias("thread_id"), "query_id", age, *_COLUMNS[4:],
                                F.coalesce("served", F.lit(False)).alias("served"))  # fmt: skip
    return of_past.unionByName(of_tonight)


ORDERS = FindingRows((NIGHT_RANKINGS, RANKINGS), ("site", "thread_id"), ranked_answers)


class Disagreements(NamedTuple):
    """Nights on which the order is sure of another answer than votes.

    Attributes:
        answers: the answers of all nights, with the columns of ``ranked_answers``; scores and ranks are of the order.
        first: row of the answer that the order puts first; shape (disagreements,), as all that follows.
        other: row of the answer that is first by votes.
        size: number of answers of the night.
        probability: that the asker accepts the order's answer.
        margin: this minus the probability of the other answer.
        votes: net votes of the order's answer.
        other_votes: net votes of the other answer.
        has_accepted: whether an answer of the night was accepted.
    """

    answers: pa.Table
    first: Indices
    other: Indices
    size: Indices
    probability: Reals
    margin: Reals
    votes: Indices
    other_votes: Indices
    has_accepted: Flags

    def of(self, column: str, rows: Indices) -> list[Any]:
        """The values of a column of some answers."""
        values: list[Any] = self.answers[column].take(pa.array(rows)).to_pylist()
        return values


def disagreements(rows: pa.Table) -> Disagreements:
    """Those of some threads of a site, in the order of their nights.

    Args:
        rows: all rows of ``ranked_answers`` of these threads. A night of which the systems do not rank the same answers
            has none.
    """
    night = ["query_id", "candidate_id"]
    by_order, by_votes = (rows.filter(pc.equal(rows["system"], name)) for name in (ORDER, BY_VOTES))
    by_votes = by_votes.select([*night, "score", "rank"])
    joined = by_order.join(by_votes, night, right_suffix="_by_votes", join_type="full outer", use_threads=False)
    by_one = joined.filter(pc.or_(pc.is_null(joined["rank"]), pc.is_null(joined["rank_by_votes"])))
    both = joined.filter(pc.invert(pc.is_in(joined["query_id"], by_one["query_id"])))
    answers = both.sort_by([(name, "ascending") for name in night])
    query = answers["query_id"].to_numpy(zero_copy_only=False)
    starts = np.flatnonzero(np.concatenate([[True], query[1:] != query[:-1]])[: len(query)])
    if not len(starts):
        none, no_values = np.empty(0, np.int64), np.empty(0)
        return Disagreements(answers, none, none, none, no_values, no_values, none, none, np.empty(0, bool))
    size = np.diff(starts, append=len(query))
    scores, votes = (answers[name].to_numpy() for name in ("score", "score_by_votes"))
    weights = np.exp(scores - np.repeat(np.maximum.reduceat(scores, starts), size))
    probability = weights / np.repeat(np.add.reduceat(weights, starts), size)
    # One answer of each night is the first by each order, so these are of equal length, night by night.
    first, other = (np.flatnonzero(answers[name].to_numpy() == 1) for name in ("rank", "rank_by_votes"))
    accepted = answers["accepted"].fill_null(False).to_numpy(zero_copy_only=False)
    margin = probability[first] - probability[other]
    sure = margin >= MARGIN
    first, other = first[sure], other[sure]
    # The score of this order is the number of net votes, plus a fraction for the length.
    net = np.floor(votes).astype(np.int64)
    has_accepted = np.logical_or.reduceat(accepted, starts)[sure]
    return Disagreements(
        answers, first, other, size[sure], probability[first], margin[sure], net[first], net[other], has_accepted
    )


class ConfidentDisagreements(Finding):
    """Open questions for which tonight's order is sure of another first answer than votes, then length."""

    name = "confident_disagreements"
    about = "open questions whose first answer by the night's order is another than by votes, with a clear margin"
    kinds = (
        Kind(
            "confident_disagreement",
            "Confident disagreements",
            "Read both: the first is served first, the second has more votes or is longer. Vote for the better one.",
            "share of replayed nights on which the answer that was accepted later is the order's first",
            "votes, then length",
            is_list=False,
        ),
    )
    rows = ORDERS

    def find(self, site: str, rows: pa.Table) -> Iterator[dict[str, Any]]:
        """Those of tonight without an accepted answer, where the order is served; the largest margin first."""
        tonight = disagreements(rows.filter(pc.is_valid(rows["served"])))
        first, other = tonight.first, tonight.other
        is_served = np.array(tonight.of("served", first), bool)
        ids, other_ids, threads = (
            tonight.of(*column) for column in (("candidate_id", first), ("candidate_id", other), ("thread_id", first))
        )
        for case in np.flatnonzero(is_served & ~tonight.has_accepted).tolist():
            yield {
                "kind": self.kinds[0].name,
                "post_id": ids[case],
                "other_id": other_ids[case],
                "thread_id": threads[case],
                "score": float(tonight.margin[case]),
                "probability": float(tonight.probability[case]),
                "evidence": f"votes {tonight.votes[case]} against {tonight.other_votes[case]}; "
                f"{tonight.size[case]:,} answers",
            }

    def backtest(self, site: str, rows: pa.Table) -> Iterator[dict[str, Any]]:
        """Those of replayed nights, an answer of which was accepted later."""
        past = disagreements(rows.filter(pc.is_null(rows["served"])))
        columns = ("candidate_id", past.first), ("thread_id", past.first), ("age_days", past.first)
        ids, threads, ages = (past.of(*column) for column in columns)
        is_right, other_is_right = (past.of("accepted", answer) for answer in (past.first, past.other))
        for case in range(len(past.first)):
            yield {
                "kind": self.kinds[0].name,
                "post_id": ids[case],
                "cluster": threads[case],
                "age_days": ages[case],
                "score": float(is_right[case]),
                "rival_score": float(other_is_right[case]),
                "hit": is_right[case],
                "probability": float(past.probability[case]),
            }
