"""Display names of the experiment's systems."""

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
