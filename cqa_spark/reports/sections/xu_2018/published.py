"""Results of Xu et al. (2018) with metadata features on Stack Overflow, dump of September 2009; P@1 as fractions."""

from typing import NamedTuple

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


TABLE_4 = {
    "decatt_metadata_snapshot": PublishedPrecision(0.432, 0.527),
    "doc2vec_metadata_snapshot": PublishedPrecision(0.429, 0.513),
    "metadata_feed_forward_snapshot": PublishedPrecision(0.403, 0.463),
    "decatt_asof": PublishedPrecision(0.346, 0.363),
    "doc2vec_asof": PublishedPrecision(0.343, 0.353),
    "random_answer": PublishedPrecision(0.185, 0.185),
    "first_answer": PublishedPrecision(0.234, 0.243),
    "tfidf_answer": PublishedPrecision(0.245, 0.246),
    "highest_reputation": PublishedPrecision(0.271, 0.268),
    "longest_answer": PublishedPrecision(0.318, 0.337),
}
"""Table 4: the networks and the baselines, by the name of our system."""

TABLE_5_ALL = PublishedPrecision(0.403, 0.496)
"""Table 5, all features. The value on LARGE differs from Table 4 (.463); the paper gives no reason."""

TABLE_5: dict[str, tuple[str, PublishedPrecision | None]] = {
    "question": ("BasicQ", PublishedPrecision(-0.004, -0.001)),
    "tags": ("QTags", PublishedPrecision(0.000, -0.054)),
    "answer": ("BasicA", PublishedPrecision(-0.003, 0.001)),
    "comments": ("Comments", PublishedPrecision(-0.100, -0.086)),
    "user": ("BasicU", PublishedPrecision(-0.009, -0.011)),
    "badges": ("Badges", PublishedPrecision(0.005, 0.003)),
    "user_tags": ("UTags", PublishedPrecision(0.000, -0.063)),
    "answer_text": ("answer's text", None),
    "answer_votes": ("answer's votes", None),
    "doc2vec": ("paragraph vectors", None),
}
"""Table 5, by our feature family: name of the group in the paper, and the change when it is removed; None for groups
that the paper does not have."""


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
