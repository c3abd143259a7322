"""The limitations of feature groups that affect a run's results, such as texts in other languages."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from cqa_spark.features.group import FeatureGroup
from cqa_spark.features.registry import group_class
from cqa_spark.lake.model_folder import open_model_folder
from cqa_spark.lake.run import Run
from cqa_spark.lake.schemas.examples import LEFT_OUT_GROUPS
from cqa_spark.lake.schemas.text import DOCUMENTS, TEXTS
from cqa_spark.reports.reported_run import Caution
from cqa_spark.systems.trained_system import load_recipe, model_artifact
from cqa_spark.text.encoders.model import EmbeddingModel
from cqa_spark.text.scripts import ARABIC, ENGLISH, OTHER, language_shares

LARGE_SHARE = 1 / 3
"""A third of short English headlines have no stop word; more means another language."""

ANALYSED = (ENGLISH, ARABIC)
"""Languages whose words have stems."""


def cautions(run: Run, systems: Sequence[str]) -> tuple[Caution, ...]:
    """The cautions of the feature groups that systems use, omitted groups, and groups for other languages.

    Args:
        run: the run.
        systems: the systems in its rankings.
    """
    users = _users(run, systems)
    about: dict[str, list[str]] = defaultdict(list)
    for group in users:
        if group_class(group).caution:
            about[group_class(group).caution].append(group)
    for text, group in _left_out(run):
        about[text].append(group)
    for text, groups in foreign_to(run, users):
        about[text].extend(groups)
    return tuple(
        Caution(text, tuple(groups), tuple(dict.fromkeys(name for group in groups for name in users.get(group, []))))
        for text, groups in about.items()
    )


def _users(run: Run, systems: Sequence[str]) -> dict[str, list[str]]:
    """The systems by the feature groups that they use."""
    users: dict[str, list[str]] = defaultdict(list)
    for system in systems:
        if path := run.artifact(model_artifact(system)):
            for group in load_recipe(open_model_folder(path, "trained_system", run.lake.storage)).system.feature_groups:
                users[group].append(system)
    return users


def _left_out(run: Run) -> list[tuple[str, str]]:
    entries = sorted(run.entries_or_none(LEFT_OUT_GROUPS), key=lambda each: (each["site"], each["feature_group"]))
    return [
        (f"not computed for {each['site']}, whose dump has no {each['lacking']}", each["feature_group"])
        for each in entries
    ]


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
