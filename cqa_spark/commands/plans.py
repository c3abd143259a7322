"""The flows that ``--dry-run`` draws, built from the settings alone."""

from collections.abc import Callable, Mapping
from typing import Any

from cqa_spark import flows
from cqa_spark.config.duplicates_settings import DuplicatesSettings
from cqa_spark.config.file_settings import ScoreSettings, TrainSettings
from cqa_spark.config.nightly_settings import NightlySettings
from cqa_spark.config.preferred_answer_settings import TrainNightsSettings
from cqa_spark.corpora.registry import dump_before_search, is_of_dumps
from cqa_spark.runtime.flow import Flow
from cqa_spark.steps.kept_models import kept_model
from cqa_spark.systems.recipes import learn
from cqa_spark.tasks.duplicate.flow import duplicates
from cqa_spark.tasks.duplicate.task import Duplicate
from cqa_spark.tasks.preferred_answer.flow import dataset, preferred_answer, train_nights
from cqa_spark.tasks.preferred_answer.task import PreferredAnswer


def planned_flow(job: str, settings: Any) -> Flow | None:
    """The flow of a job; None if it depends on more than the settings.

    Args:
        job: name of a job that has a flow.
        settings: of the job.
    """
    return PLANS[job](settings)


def _nightly(settings: NightlySettings) -> Flow:
    """The first night; later ones compare with the published run. Systems trained on annotated files are there."""
    systems = flows.night_systems(settings)
    name = flows.night_format(settings, systems)
    trained = [] if is_of_dumps(name) else [system.name for system in systems if learn([system])]
    kept = dict.fromkeys(trained, settings.model or "(trained)")
    kept |= {each.name: path for each in systems if (path := kept_model(each, None, settings.object_storage))}
    return flows.nightly(settings, systems, dump_before_search(name, settings), kept=kept)


def _duplicates(settings: DuplicatesSettings) -> Flow:
    return duplicates(settings, dump_before_search(settings.dump_format or Duplicate.formats[0], settings))


def _train(settings: TrainSettings) -> Flow:
    return flows.train_on_files(settings) if settings.model else flows.train(settings, None)


def _train_nights(settings: TrainNightsSettings) -> Flow:
    return train_nights(settings, dump_before_search(PreferredAnswer.formats[0], settings))


def _score(settings: ScoreSettings) -> Flow | None:
    return None if settings.model else flows.score(settings, None)


PLANS: Mapping[str, Callable[[Any], Flow | None]] = {
    "run": flows.run,
    "rank": flows.rank,
    "nightly": _nightly,
    "duplicates": _duplicates,
    "experiment preferred-answer": preferred_answer,
    "ingest": flows.ingest,
    "dataset preferred-answer": dataset,
    "pair": lambda settings: flows.pair(settings, None),
    "featurize": lambda settings: flows.featurize(settings, None),
    "train": _train,
    "train nights": _train_nights,
    "score": _score,
    "evaluate": lambda settings: flows.evaluate(settings, None),
    "report": lambda settings: flows.report(settings, None),
    "features audit": lambda settings: flows.audit(settings, None),
}
"""By name of the job."""
