"""The languages of a run's texts."""

from __future__ import annotations

from collections.abc import Iterable

from cqa_spark.features.foreign_texts import foreign_texts
from cqa_spark.features.registry import group_class
from cqa_spark.lake.run import Run
from cqa_spark.lake.schemas.text import DOCUMENTS, TEXTS
from cqa_spark.text.languages import language_shares


def foreign_to(run: Run, groups: Iterable[str]) -> list[tuple[str, tuple[str, ...]]]:
    """What the languages of the run's texts make of feature groups; see ``foreign_texts``.

    Args:
        run: the run; nothing is known of one that has not analysed its texts.
        groups: names of the groups.
    """
    found = [group for group in map(group_class, groups) if group.reads_texts]
    if not found or not run.has(DOCUMENTS) or not run.has(TEXTS):
        return []
    shares = language_shares(run.read(DOCUMENTS), run.read(TEXTS), run.rows(DOCUMENTS))
    return list(foreign_texts(found, shares))
