"""``cqa runs trend``: a measure over the published runs."""

from cqa_spark.commands.shown_report import show_report
from cqa_spark.config.runs_settings import TrendSettings
from cqa_spark.config.suggestions import known_names
from cqa_spark.errors import InputError
from cqa_spark.lake.run_log import RunLog
from cqa_spark.lake.run_record import RunRecord
from cqa_spark.lake.snapshot import published_runs
from cqa_spark.lake.storage import Lake
from cqa_spark.reports import kinds
from cqa_spark.reports.sections.trend import Trend, points_of
from cqa_spark.runtime.provenance import code_version
from cqa_spark.runtime.workspace import read_lake


def trend(settings: TrendSettings) -> None:
    """Show a measure over the published runs of a lake, those whose files were deleted included.

    Raises:
        InputError: no published run has a score, or none has this measure of this system.
    """
    lake = read_lake(settings)
    records = _with_scores(lake)
    if not records:
        raise InputError(f"no published run of {lake.root} has a score", "publish a run: cqa run or cqa nightly")
    main = records[-1].scores[0]
    wanted = (settings.system or main.system, settings.measure or main.measure)
    points = points_of(records, *wanted)
    if not points:
        pairs = dict.fromkeys(f"{score.measure} of {score.system}" for record in records for score in record.scores)
        system, measure = wanted
        raise InputError(
            f"no published run of {lake.root} has the measure {measure} of {system}",
            known_names(f"{measure} of {system}", pairs, "scores"),
        )
    report = kinds.TREND.collect(Trend(lake.root, code_version(), *wanted, points))
    show_report(report, settings)


def _with_scores(lake: Lake) -> list[RunRecord]:
    """The newest publication of each run that has scores, in the order of the ends of the runs."""
    records = [*RunLog(lake.objects).records(status="published"), *published_runs(lake)]
    by_run = {record.run_id: record for record in records if record.scores}
    return sorted(by_run.values(), key=lambda record: record.ended_at or record.recorded_at)
