"""Sequences of steps that several flows share."""

from collections.abc import Mapping, Sequence

from cqa_spark.corpora.source import Source, file_source, is_of_dumps
from cqa_spark.errors import ConfigError
from cqa_spark.features.registry import embedding_models, reads_texts
from cqa_spark.lake.snapshot import Snapshot
from cqa_spark.runtime.flow import Step
from cqa_spark.settings.files import RankSettings, ScoreSettings, TrainSettings
from cqa_spark.settings.run import IngestSettings, RunSettings
from cqa_spark.settings.sections import EvaluationSettings, FeatureSettings
from cqa_spark.steps.analyse import Analyse
from cqa_spark.steps.embed import Embed
from cqa_spark.steps.featurize import Featurize
from cqa_spark.steps.train import Train
from cqa_spark.steps.upstream import TrainUpstream, upstream_of
from cqa_spark.systems.recipes import groups_of, rank_by_words, task_of
from cqa_spark.systems.system import System
from cqa_spark.task_contract.contract import TASKS
from cqa_spark.task_contract.contract import task as task_named


def annotated_files(
    settings: RunSettings | RankSettings | TrainSettings | ScoreSettings | IngestSettings,
    by_split: Mapping[str, Sequence[str]],
    systems: Sequence[System] = (),
) -> Source:
    """The files of a job's corpus, by split.

    Raises:
        ConfigError: the systems are for a task of which files of this format have no examples, but those of others do.
    """
    if systems:
        _require_examples(task_of(systems), settings.corpus, systems[0])
    return file_source(settings.corpus, by_split, site=settings.site, storage=settings.object_storage)


def _require_examples(task: str, corpus: str, system: System) -> None:
    formats = task_named(task).formats
    # A format that no task names, such as tables or one of a plug-in, may have examples of any.
    if corpus in formats or not any(corpus in other.formats for other in TASKS.load_all().values()):
        return
    raise ConfigError(
        f"{system.name} ranks for the task {task}, and files of {corpus} have no examples of it; those of "
        f"{' and '.join(formats)} have",
        f"name a system for these files (cqa systems list), or files of {' or '.join(formats)}"
        + (" with cqa nightly" if is_of_dumps(formats[0]) else " with --corpus"),
    )


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
    return (
        *([TrainUpstream(systems, features)] if upstream_of(systems) else []),
        Featurize(groups_of(systems), task, features),
        Train(systems, task, dispensable),
    )


def text_analysis(
    systems: Sequence[System], *, examples_only: bool = False, last: Snapshot | None = None
) -> tuple[Step, ...]:
    """The analysis of texts, if systems or their upstream systems read texts, and the embeddings of their groups.

    Args:
        systems: recipes.
        examples_only: encode only the texts of examples that a system learns from or ranks.
        last: the published run, whose texts are not analysed again; None to analyse all.
    """
    everyone = [*systems, *[each.system for each in upstream_of(systems)]]
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
    models = embedding_models(groups)
    analysed = [Analyse(last=last)] if words or reads_texts(groups) else []
    return (*analysed, *([Embed(models, examples_only)] if models else []))
