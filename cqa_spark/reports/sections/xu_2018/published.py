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
