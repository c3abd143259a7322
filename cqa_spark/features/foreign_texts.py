"""Feature groups whose pretrained models or word lists do not know the language of the texts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from cqa_spark.features.group import FeatureGroup
from cqa_spark.text.embedding.model import EmbeddingModel
from cqa_spark.text.languages import ARABIC, ENGLISH, OTHER

LARGE_SHARE = 1 / 3
"""A third of short English headlines have no stop word; more means another language."""

ANALYSED = (ENGLISH, ARABIC)
"""Languages whose words have stems."""


def foreign_texts(
    groups: Iterable[type[FeatureGroup]], shares: Mapping[str, Mapping[str, float]]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """What does not work on the texts of a run: a description without a full stop, and the groups that it affects.

    Args:
        groups: the groups.
        shares: share of each language by split, as ``language_shares`` gives it.
    """
    found = [group for group in groups if group.reads_texts]
    by_words = tuple(group.name for group in found if not group.embeddings)
    for split, languages in sorted(shares.items()):
        if by_words and languages.get(OTHER, 0) > LARGE_SHARE:
            yield (
                f"{languages[OTHER]:.0%} of the texts of {split} seem to be neither English nor Arabic: their words "
                "are compared without stems and with all stop words",
                by_words,
            )
        for model in dict.fromkeys(name for group in found for name in group.embeddings):
            known = set(EmbeddingModel.read(model).languages)
            foreign = sum(share for name, share in languages.items() if name not in known)
            # A multilingual encoder knows many of the languages that are not distinguished here.
            if foreign > LARGE_SHARE and known <= {*ANALYSED}:
                yield (
                    f"{foreign:.0%} of the texts of {split} seem to be in a language that {model} was not trained on; "
                    "use_multilingual knows 16 languages",
                    tuple(group.name for group in found if model in group.embeddings),
                )
