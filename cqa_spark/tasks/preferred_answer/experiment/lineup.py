"""The systems of the experiment: the paper's baselines, and every ranker on as-of and on snapshot groups."""

from collections.abc import Iterable

from cqa_spark.reports.sections.xu_2018.labels import AS_OF, SNAPSHOT

BASELINES = (
    "random_answer",
    "first_answer",
    "tfidf_answer",
    "highest_reputation",
    "longest_answer",
    "highest_reputation_asof",
    "most_votes_asof",
)
"""The baselines of the paper's Table 4, an as-of version of the one that uses later events, and votes."""

_ONLY_AS_OF = ("votes", "embeddings", "decatt", "doc2vec")
"""Rankers without a snapshot variant: texts are the same in both."""

_WITH_TEXT = ("decatt", "decatt_metadata", "doc2vec", "doc2vec_metadata")
"""Rankers whose recipes are not named after metadata."""


def learned_system(ranker: str, variant: str) -> str:
    """The recipe of a ranker on features as of the cut (``AS_OF``) or as of the dump (``SNAPSHOT``)."""
    return f"{ranker}_{variant}" if ranker in _WITH_TEXT else f"metadata_{ranker}_{variant}"


def learned_systems(rankers: Iterable[str]) -> tuple[str, ...]:
    """The recipes of the rankers, in all existing variants."""
    return tuple(
        learned_system(ranker, variant)
        for ranker in rankers
        for variant in ((AS_OF,) if ranker in _ONLY_AS_OF else (AS_OF, SNAPSHOT))
    )
