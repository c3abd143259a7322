"""``cqa rank``: train one system on files and rank another file."""

from cqa_spark import flows
from cqa_spark.config.file_settings import RankSettings
from cqa_spark.process.terminal import Terminal
from cqa_spark.runtime.workspace import run_flow, temporary_lake


def rank(settings: RankSettings) -> None:
    """Write the official prediction file of a system for a file with or without labels."""
    with temporary_lake(settings) as job:
        run_flow(flows.rank(settings), job)
    Terminal().line(f"predictions: {settings.predictions}")
