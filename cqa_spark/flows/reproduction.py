"""The flow that trains published systems on the data set that their recipes name."""

from collections.abc import Mapping, Sequence

from cqa_spark.corpora.source import Source
from cqa_spark.experiments.experiment import EveryFold, RankEveryQuery
from cqa_spark.flows.shared_steps import learning
from cqa_spark.runtime.flow import Flow
from cqa_spark.settings.sections import FeatureSettings
from cqa_spark.steps.ingest import Ingest
from cqa_spark.steps.pair import Pair
from cqa_spark.steps.predictions import WritePredictions
from cqa_spark.steps.score import Score
from cqa_spark.steps.upstream import tasks_of
from cqa_spark.systems.recipes import task_of
from cqa_spark.systems.system import System


def reproduce(
    source: Source,
    corpus: str,
    systems: Sequence[System],
    features: FeatureSettings,
    *,
    leave_out: Sequence[str],
    predictions: Mapping[tuple[str, str], str],
    every_fold: bool = False,
) -> Flow:
    """Train published systems of one task and rank the evaluation files of their data set, or its training queries.

    Args:
        source: files of the data set.
        corpus: name of their format.
        systems: recipes of one task, with the same upstream systems.
        features: folds of the cross-fitting, and the cut of as-of groups.
        leave_out: training threads that an evaluation file also contains.
        predictions: file for the predictions of each system and split.
        every_fold: rank each training query by models of the other folds.
    """
    task = task_of(systems)
    files = (WritePredictions(path, system, task, split) for (system, split), path in predictions.items())
    return Flow(
        "reproduce",
        (
            Ingest(source, corpus),
            Pair(tasks_of(systems), leave_out=leave_out),
            *learning(systems, task, features, every_fold=every_fold),
            RankEveryQuery(systems, EveryFold(features.folds)) if every_fold else Score(systems, task),
            *files,
        ),
    )
