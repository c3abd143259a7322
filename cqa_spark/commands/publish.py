"""``cqa runs publish`` and ``cqa runs rollback``."""

from cqa_spark.config.runs_settings import PublishRunSettings, RollbackSettings
from cqa_spark.lake import publishing
from cqa_spark.process.terminal import Terminal
from cqa_spark.runtime.tracking import track_publication
from cqa_spark.runtime.workspace import write_lake
from cqa_spark.steps.publish import publish_run


def publish(settings: PublishRunSettings) -> None:
    """Check a finished run and publish it."""
    with write_lake(settings, "publish", create=False) as lake:
        publish_run(lake, settings.run_id)
        Terminal().line(f"published {settings.run_id}")
        track_publication(lake, settings.tracking)


def rollback(settings: RollbackSettings) -> None:
    """Publish the previously published run again."""
    with write_lake(settings, "rollback", create=False) as lake:
        record = publishing.rollback(lake, settings.to)
        Terminal().line(f"published again: {record.run_id} ({record.message})")
        track_publication(lake, settings.tracking)
