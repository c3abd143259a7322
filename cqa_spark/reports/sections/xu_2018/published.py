"""Results of Xu et al. (2018) with metadata features on Stack Overflow, dump of September 2009; P@1 as fractions."""

from functools import cache
from typing import NamedTuple

from cqa_spark.evaluation.published import read_published_table

TABLE_1 = {
    "small": {"questions": 10_000, "answers": 64_671, "comments": 70_878, "words": 9_154_812, "vocabulary": 218_683},
    "large": {"questions": 70_000, "answers": 457_634, "comments": 493_020, "words": 64_560_178, "vocabulary": 962_506},
    "full": {
        "questions": 314_731, "answers": 1_059_253, "comments": 1_289_176, "words": 174_055_024,
        "vocabulary": 2_428_744,
    },
}  # fmt: skip
"""Table 1: data sets."""


class PublishedPrecision(NamedTuple):
    """P@1 on the small and on the large data set."""

    small: float
    large: float


IN_TABLE_4 = {
    "decatt_metadata_snapshot": "decatt + metadata",
    "doc2vec_metadata_snapshot": "doc2vec + metadata",
    "metadata_feed_forward_snapshot": "metadata",
    "decatt_asof": "decatt",
    "doc2vec_asof": "doc2vec",
    "random_answer": "random",
    "first_answer": "first-answer",
    "tfidf_answer": "tf-idf",
    "highest_reputation": "highest-rep",
    "longest_answer": "longest-doc",
}
"""The rows of Table 4, networks and baselines, by the name of our system."""

IN_TABLE_5 = {
    "question": "BasicQ",
    "tags": "QTags",
    "answer": "BasicA",
    "comments": "Comments",
    "user": "BasicU",
    "badges": "Badges",
    "user_tags": "UTags",
    "answer_text": "answer's text",
    "answer_votes": "answer's votes",
    "doc2vec": "paragraph vectors",
}
"""The groups of Table 5 by our feature family; the paper does not have the last three."""


def table_4_precision(system: str) -> PublishedPrecision | None:
    """The result in Table 4 that belongs to a system of ours."""
    return _precision("xu2018", IN_TABLE_4.get(system))


def all_features_precision() -> PublishedPrecision | None:
    """The result in Table 5 with all features. On LARGE it differs from Table 4 (.463); the paper gives no reason."""
    return _precision("xu2018_ablation", "All features")


def change_without(group: str) -> PublishedPrecision | None:
    """The change when a group of Table 5 is removed; None for groups that the paper does not have."""
    whole, rest = all_features_precision(), _precision("xu2018_ablation", f"without {group}")
    return PublishedPrecision(rest.small - whole.small, rest.large - whole.large) if whole and rest else None


@cache
def _precision(tables: str, row: str | None) -> PublishedPrecision | None:
    """A row of the published tables for the small and the large data set."""
    small, large = (read_published_table(f"{tables}_{size}") for size in PublishedPrecision._fields)
    values = [
        table.values({**table.ranked, **table.baselines}, table.columns[0]).get(str(row)) for table in (small, large)
    ]
    return (
        None if None in values else PublishedPrecision(*(value / small.scale for value in values if value is not None))
    )


# Display names of the experiment's systems.

AS_OF, SNAPSHOT = "asof", "snapshot"

_RANKERS = {
    "boosted": "boosted trees",
    "pairwise": "pairwise boosted trees",
    "logistic": "logistic regression",
    "text": "boosted trees with the answer's text",
    "feed_forward": "feed-forward network",
    "decatt": "decomposable attention",
    "decatt_metadata": "decomposable attention with metadata",
    "doc2vec": "doc2vec and feed-forward network",
    "doc2vec_metadata": "doc2vec and feed-forward network with metadata",
    "votes": "boosted trees with the answer's text and votes",
    "embeddings": "boosted trees with the answer's text, votes and embeddings",
}
_BASELINES = {
    "random_answer": "random",
    "first_answer": "first answer",
    "tfidf_answer": "tf-idf",
    "highest_reputation": "highest reputation",
    "highest_reputation_asof": "highest reputation (as of the cut)",
    "most_votes_asof": "most votes (as of the cut)",
    "longest_answer": "longest answer",
}
_VARIANTS = {AS_OF: "as of the cut", SNAPSHOT: "snapshot"}


def is_baseline(system: str) -> bool:
    """Whether the system is a baseline, which learns nothing."""
    return system in _BASELINES


def looks_ahead(system: str) -> bool:
    """Whether the system uses the state of the dump, which contains the prediction target."""
    return system.endswith(f"_{SNAPSHOT}") or system == "highest_reputation"


def label(system: str) -> str:
    """Display name of a system: ``metadata_boosted_asof`` is ``boosted trees (as of the cut)``."""
    if system in _BASELINES:
        return _BASELINES[system]
    ranker, variant = ranker_and_variant(system)
    return f"{ranker_label(ranker)} ({_VARIANTS.get(variant, variant)})"


def marked(system: str) -> str:
    """The name of a system, with an asterisk if it uses information from after the cut."""
    return f"{label(system)} *" if looks_ahead(system) else label(system)


def ranker_label(ranker: str) -> str:
    """Display name of a ranker."""
    return _RANKERS.get(ranker, ranker)


def ranker_and_variant(system: str) -> tuple[str, str]:
    """The ranker and the variant in the name of a learned system, ``metadata_RANKER_VARIANT`` or ``RANKER_VARIANT``."""
    ranker, _, variant = system.removeprefix("metadata_").rpartition("_")
    return ranker, variant
