"""``cqa inspect``: the contents of a run's tables."""

from cqa_spark.commands.shown_report import show_report
from cqa_spark.config.inspect_settings import InspectSettings
from cqa_spark.errors import InputError
from cqa_spark.lake.schemas.accounting import INGESTED_FILES, ORPHANS, QUARANTINE
from cqa_spark.lake.schemas.activity import BADGES, POST_HISTORY, POST_LINKS, TAGS, VOTES
from cqa_spark.lake.schemas.community import COMMENTS, JUDGMENTS, POSTS, USERS
from cqa_spark.lake.snapshot import Snapshot, snapshot_of
from cqa_spark.reports import kinds
from cqa_spark.reports.sections.inspection.facts import InspectedRun
from cqa_spark.runtime.workspace import read_lake

COMMUNITY = (POSTS, USERS, COMMENTS, VOTES, BADGES, TAGS, POST_LINKS, POST_HISTORY, JUDGMENTS)


def inspect(settings: InspectSettings) -> None:
    """Show the contents of a run's tables.

    Raises:
        InputError: nothing is published, no such run has succeeded, or it wrote no table to show.
    """
    snapshot = snapshot_of(read_lake(settings), settings.run_id)
    show_report(kinds.INSPECTION.collect(inspected_run(snapshot)), settings)


def inspected_run(snapshot: Snapshot) -> InspectedRun:
    """The tables of a run that an inspection reads.

    Raises:
        InputError: the run wrote none of them.
    """
    community = snapshot.present(COMMUNITY)
    if not community:
        raise InputError(
            f"run {snapshot.record.run_id} has no tables to show",
            "choose a run that read dumps; cqa runs show lists the tables of a run",
        )
    return InspectedRun(
        snapshot.lake.root,
        snapshot.record,
        community,
        snapshot.read(QUARANTINE) if snapshot.has(QUARANTINE) else None,
        snapshot.entries_or_none(ORPHANS),
        snapshot.entries_or_none(INGESTED_FILES),
    )
