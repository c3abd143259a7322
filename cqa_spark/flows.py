"""Sequences of steps that the flows of several commands and tasks share."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from cqa_spark.corpora.source import Source, file_source, is_of_dumps
from cqa_spark.errors import ConfigError
from cqa_spark.features.registry import embedding_models, reads_texts
from cqa_spark.lake.snapshot import Snapshot
from cqa_spark.runtime.flow import Flow, Step
from cqa_spark.settings.sections import EvaluationSettings, FeatureSettings, ObjectStorageSettings
from cqa_spark.steps.analyse import Analyse
from cqa_spark.steps.embed import Embed
from cqa_spark.steps.featurize import Featurize
from cqa_spark.steps.ingest import Ingest
from cqa_spark.steps.pair import Pair
from cqa_spark.steps.train import Train
from cqa_spark.steps.upstream import TrainUpstream, tasks_of, upstream_of
from cqa_spark.systems.recipes import groups_of, rank_by_words, task_of
from cqa_spark.systems.system import System
from cqa_spark.task_contract.contract import TASKS
from cqa_spark.task_contract.contract import task as task_named


class FileSettings(Protocol):
    """The settings of a job on annotated files that say how to read them."""

    site: str
    corpus: str
    object_storage: ObjectStorageSettings


def annotated_files(
    settings: FileSettings,
    by_split: Mapping[str, Sequence[str]],
    systems: Sequence[System] = (),
) -> Source:
    """The files of a job's corpus, by split.

    Raises:
        ConfigError: the systems are for a task of which files of this format have no examples, but those of others do.
    """
    if systems:
        task, corpus = task_of(systems), settings.corpus
        formats = task_named(task).formats
        # A format that no task names, such as tables or one of a plug-in, may have examples of any.
        if corpus not in formats and any(corpus in other.formats for other in TASKS.load_all().values()):
            raise ConfigError(
                f"{systems[0].name} ranks for the task {task}, and files of {corpus} have no examples of it; those of "
                f"{' and '.join(formats)} have",
                f"name a system for these files (cqa systems list), or files of {' or '.join(formats)}"
                + (" with cqa nightly" if is_of_dumps(formats[0]) else " with --corpus"),
            )
    return file_source(settings.corpus, by_split, site=settings.site, storage=settings.object_storage)


def evaluation_of(settings: EvaluationSettings, task: str) -> EvaluationSettings:
    """The settings of an evaluation, with the measures of the task unless others are named."""
    return settings if settings.measures else settings.model_copy(update={"measures": task_named(task).measures})


def learning(
    systems: Sequence[System], task: str, features: FeatureSettings, *, every_fold: bool = False
) -> tuple[Step, ...]:
    """From examples to trained systems: texts and upstream systems if needed, features, rankers.

    Args:
        systems: recipes.
        task: their task.
        features: settings of the feature groups.
        every_fold: whether the training examples, including those without a label, are ranked as well.
    """
    examples_only = task_named(task).grades_pairs and not every_fold
    return (*text_analysis(systems, examples_only=examples_only), *training(systems, task, features))


def training(
    systems: Sequence[System], task: str, features: FeatureSettings, dispensable: Sequence[str] = ()
) -> tuple[Step, ...]:
    """From examples and analysed texts to trained systems; ``dispensable`` is as for ``Train``."""
    steps: tuple[Step, ...] = (Featurize(groups_of(systems), task, features), Train(systems, task, dispensable))
    return (TrainUpstream(systems, features), *steps) if upstream_of(systems) else steps


def text_analysis(
    systems: Sequence[System], *, examples_only: bool = False, last: Snapshot | None = None
) -> tuple[Step, ...]:
    """The analysis of texts, if systems or their upstream systems read texts, and the embeddings of their groups.

    Args:
        systems: recipes.
        examples_only: encode only the texts of examples that a system learns from or ranks.
        last: the published run, whose texts are not analysed again; None to analyse all.
    """
    everyone = [*systems, *[upstream.system for upstream in upstream_of(systems)]]
    return text_steps(groups_of(everyone), words=rank_by_words(everyone), examples_only=examples_only, last=last)


def text_steps(
    groups: Sequence[str], *, words: bool = False, examples_only: bool = False, last: Snapshot | None = None
) -> tuple[Step, ...]:
    """The analysis of texts and their embeddings, if needed.

    Args:
        groups: names of feature groups.
        words: whether a ranker reads texts as well.
        examples_only: encode only the texts of examples that a system learns from or ranks.
        last: as for ``text_analysis``.
    """
    steps: list[Step] = []
    if words or reads_texts(groups):
        steps.append(Analyse(last=last))
    if models := embedding_models(groups):
        steps.append(Embed(models, examples_only))
    return tuple(steps)


def training_on_files(source: Source, corpus: str, systems: Sequence[System], features: FeatureSettings) -> Flow:
    """Annotated files of a format → trained systems of one task."""
    task = task_of(systems)
    return Flow("train", (Ingest(source, corpus), Pair(tasks_of(systems)), *learning(systems, task, features)))
