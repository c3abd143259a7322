"""``cqa score``: rank the examples of a run, or a file with a trained system."""

from cqa_spark import flows
from cqa_spark.config.file_settings import ScoreSettings
from cqa_spark.model_folder.reading import open_model_folder
from cqa_spark.process.terminal import Terminal
from cqa_spark.runtime.workspace import given, run_flow, temporary_lake
from cqa_spark.systems.saved_system import load_recipe


def score(settings: ScoreSettings) -> None:
    """Rank the examples of a run, or a file if the folder of a trained system is given."""
    if settings.model is None:
        run_flow(flows.score(settings, given(settings)), settings, resume=True)
        return
    system = load_recipe(open_model_folder(settings.model, "trained_system", settings.object_storage)).system
    with temporary_lake(settings) as job:
        run_flow(flows.score_file(settings, system), job)
    Terminal().line(f"predictions: {settings.predictions}")
