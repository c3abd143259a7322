"""The flows that ``--dry-run`` draws of jobs whose own need more than the settings."""

from cqa_spark import flows
from cqa_spark.config.duplicates_settings import DuplicatesSettings
from cqa_spark.config.file_settings import ScoreSettings, TrainSettings
from cqa_spark.config.nightly_settings import NightlySettings
from cqa_spark.config.preferred_answer_settings import TrainNightsSettings
from cqa_spark.corpora.registry import dump_before_search, is_of_dumps
from cqa_spark.runtime.flow import Flow
from cqa_spark.steps.kept_models import kept_model
from cqa_spark.systems.recipes import learn
from cqa_spark.tasks.duplicate.flow import duplicates as duplicates_flow
from cqa_spark.tasks.duplicate.task import Duplicate
from cqa_spark.tasks.preferred_answer.flow import train_nights as nights_flow
from cqa_spark.tasks.preferred_answer.task import PreferredAnswer


def nightly(settings: NightlySettings) -> Flow:
    """The first night; later ones compare with the published run. Systems trained on annotated files are there."""
    systems = flows.night_systems(settings)
    name = flows.night_format(settings, systems)
    trained = [] if is_of_dumps(name) else [system.name for system in systems if learn([system])]
    kept = dict.fromkeys(trained, settings.model or "(trained)")
    kept |= {each.name: path for each in systems if (path := kept_model(each, None, settings.object_storage))}
    return flows.nightly(settings, systems, dump_before_search(name, settings), kept=kept)


def duplicates(settings: DuplicatesSettings) -> Flow:
    """The job on a dump that is not searched yet."""
    return duplicates_flow(settings, dump_before_search(settings.dump_format or Duplicate.formats[0], settings))


def train(settings: TrainSettings) -> Flow:
    """The training on files if a folder for the model is given, else on a run."""
    return flows.train_on_files(settings) if settings.model else flows.train(settings)


def train_nights(settings: TrainNightsSettings) -> Flow:
    """The training on dumps that are not searched yet."""
    return nights_flow(settings, dump_before_search(PreferredAnswer.formats[0], settings))


def score(settings: ScoreSettings) -> Flow | None:
    """The ranking of a run; that of a file depends on the model."""
    return None if settings.model else flows.score(settings)
