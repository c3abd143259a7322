"""Judged candidates in the order of their ranks, without Spark."""

from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from cqa_spark.evaluation.spark import JUDGED, RANKED, ranked_queries

_KEY = ("task", "split", "site", "query_id")
SCHEMA = pa.schema(
    [("query", pa.int64())]
    + [(name, pa.string()) for name in (*_KEY, "topic")]
    + [("systems", pa.list_(pa.string())), ("system", pa.string()), ("packed", pa.binary())]
)


def hashed(query: int) -> int:
    return (query * 0x9E3779B97F4A7C15) % 2**64 - 2**63


def judged(query: int, candidate: int, gain: float, systems: list[str]) -> dict[str, Any]:
    key = dict(zip(_KEY, ("answers", "dev", "forum", f"Q{query}"), strict=True))
    record = np.array([(candidate, gain > 0, gain)], JUDGED)
    return {"query": hashed(query), **key, "topic": "t", "systems": systems, "packed": record.tobytes()}


def ranked(query: int, candidate: int, system: str, rank: int, score: float = 0.0) -> dict[str, Any]:
    record = np.array([(candidate, rank, score, rank < 2)], RANKED)
    return {"query": hashed(query), "system": system, "packed": record.tobytes()}


def arranged(rows: list[dict[str, Any]]) -> dict[tuple[str, str], list[tuple[bool, float, float]]]:
    """By query and system: whether each candidate is ranked, its gain and its score."""
    queries, candidates, sizes = ranked_queries(pa.Table.from_pylist(rows, SCHEMA))
    systems = [(query["query_id"], system) for query in queries.to_pylist() for system in query["systems"]]
    lists = np.split(candidates[["ranked", "gain", "score"]], np.cumsum(sizes))[:-1]
    return {key: each.tolist() for key, each in zip(systems, lists, strict=True)}


def test_candidates_are_in_the_order_of_their_ranks_and_those_without_a_rank_last() -> None:
    rows = [
        ranked(1, 7, "a", 1, 0.9), judged(1, 5, 2.0, ["a", "b"]), ranked(1, 3, "a", 2, 0.8),
        judged(1, 3, 1.0, ["a", "b"]), ranked(1, 5, "b", 1), judged(1, 9, 0.0, ["a", "b"]), ranked(1, 9, "a", 10, 0.1),
        ranked(2, 3, "a", 1), ranked(3, 5, "a", 1, 0.5), judged(3, 3, 3.0, ["a"]),
    ]  # fmt: skip
    assert arranged(rows) == {
        ("Q1", "a"): [(True, 1.0, 0.8), (True, 0.0, 0.1), (False, 2.0, 0.0)],
        ("Q1", "b"): [(True, 2.0, 0.0), (False, 1.0, 0.0), (False, 0.0, 0.0)],
        ("Q3", "a"): [(False, 3.0, 0.0)],
    }


def test_rankings_without_judgments_are_no_queries() -> None:
    assert arranged([ranked(1, 3, "a", 1)]) == {}


@given(st.randoms(use_true_random=False), st.integers(1, 5))
@settings(max_examples=30)
def test_each_system_ranks_as_it_does_alone(random: Any, queries: int) -> None:
    rows, expected = [], {}
    for query in range(queries):
        pool = list({random.getrandbits(64) - 2**63 for _ in range(random.randint(1, 6))})
        gains = dict(zip(pool, np.arange(len(pool)) + 1.0, strict=True))
        known = [each for each in pool if random.random() < 0.7]
        rows += [judged(query, each, gains[each], ["a", "b"]) for each in known]
        for system in "ab":
            order = random.sample(pool, random.randint(0, len(pool)))
            rows += [ranked(query, each, system, rank) for rank, each in enumerate(order, start=1)]
            best = [(True, gains[each]) for each in order if each in known]
            rest = [(False, gains[each]) for each in sorted(known) if each not in order]
            if known:
                expected[f"Q{query}", system] = best + rest
        random.shuffle(rows)
    rows.sort(key=lambda row: row["query"])
    found = {key: [(is_ranked, gain) for is_ranked, gain, _ in each] for key, each in arranged(rows).items()}
    assert found == expected
