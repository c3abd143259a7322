"""``cqa findings``: what nights find and what it was worth, and what somebody has seen."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

from pydantic import Field

from cqa_spark.commands.jobs import Job
from cqa_spark.errors import InputError
from cqa_spark.process.terminal import Column, Terminal, TextTable, number
from cqa_spark.settings.sections import JobSettings, OutputFormat, ReadRunId
from cqa_spark.settings.values import NotHashed, Positional, Shown, SiteName


class ListFindingsSettings(JobSettings):
    """List the kinds of findings of a run by site: how many there are, and what they were worth on the past."""

    examples = ("cqa findings list --lake build/lake",)
    reading = ("{job.lake}: findings of run {job.published_run}",)
    writing = ()

    run_id: ReadRunId = None
    format: OutputFormat = "table"


def list_findings(settings: ListFindingsSettings) -> None:
    """Print a row for each kind, of all sites and of each site with enough of a past."""
    from cqa_spark.lake.schemas.community import EVERY
    from cqa_spark.lake.schemas.findings import FINDING_WORTH
    from cqa_spark.lake.snapshot import snapshot_of
    from cqa_spark.reports.kit.wording import MISSING, p_value, points, signed_points
    from cqa_spark.runtime.workspace import read_lake

    entries = snapshot_of(read_lake(settings), settings.run_id).entries_or_none(FINDING_WORTH)
    if settings.format == "json":
        print(json.dumps(entries, indent=2))
        return
    rows = []
    for entry in entries:
        is_known = entry["value"] is not None
        rows.append(
            (
                "all sites" if entry["site"] == EVERY else entry["site"],
                entry["kind"],
                f"{entry['rows']:,}" if entry["published"] else "not published",
                points(entry["value"]) if is_known else MISSING,
                f"{signed_points(entry['difference'])} against {entry['rival']}, {p_value(entry['p_value'])}"
                if is_known
                else entry["reason"],
                f"{entry['cases']:,}",
            )
        )
    columns = Column("site", whole=True), "kind", number("tonight"), number("worth"), "difference", number("cases")
    caption = "worth and difference in points; measures: the report, or --format json; posts: cqa export findings"
    Terminal().table(TextTable(*columns, title="Findings", caption=caption, rows=rows))


class DoneSettings(JobSettings):
    """Say that findings have been seen: the next nights leave them out, unless what speaks for them changes."""

    examples = (
        "cqa findings done late_answer 3914 --lake build/lake",
        "cqa findings done duplicate_question seen.txt --lake build/lake --of-site cs.stackexchange.com",
    )
    reading = ("{job.lake}: findings of the published run",)
    writing = ("{job.lake}: findings_done.json",)

    kind: Annotated[str, NotHashed(), Positional(), Shown("KIND"), Field(description="kind; see cqa findings list")]
    posts: Annotated[
        str,
        NotHashed(),
        Positional(),
        Shown("POST"),
        Field(description="id of the post, which cqa export findings writes, or a file with an id a line"),
    ]
    of_site: Annotated[SiteName | None, NotHashed(), Field(description="site of the posts; default: all")] = None


def findings_done(settings: DoneSettings) -> None:
    """Add the findings of the posts to those that somebody has seen.

    Raises:
        InputError: the published run has no such findings.
    """
    from pyspark.sql import functions as F

    from cqa_spark.lake.done import COLUMNS, add_done
    from cqa_spark.lake.schemas.findings import FINDINGS
    from cqa_spark.lake.snapshot import published_snapshot
    from cqa_spark.runtime.workspace import read_lake

    lake = read_lake(settings)
    published = published_snapshot(lake)
    file = Path(settings.posts)
    ids = file.read_text(encoding="utf-8").split() if file.is_file() else [settings.posts]
    rows = []
    if published.has(FINDINGS):
        found = published.read(FINDINGS).where((F.col("kind") == settings.kind) & F.col("post_id").isin(ids))
        if settings.of_site is not None:
            found = found.where(F.col("site") == settings.of_site)
        rows = [tuple(row) for row in found.select(*COLUMNS).collect()]
    if missing := sorted(set(ids) - {row[COLUMNS.index("post_id")] for row in rows}):
        raise InputError(
            f"the published run has no findings {settings.kind} of {', '.join(missing[:5])}; nothing was marked",
            "cqa findings list shows the kinds, and cqa export findings the posts",
        )
    add_done(lake.objects, rows)
    Terminal().text(
        f"marked {len(rows):,} as done; exports leave them out from now on, pages from the next night on whose dumps "
        "have changed"
    )


JOBS = (
    Job(
        "findings list",
        "what nights find, and what it was worth on the past",
        "inspection",
        ListFindingsSettings,
        list_findings,
    ),
    Job(
        "findings done",
        "mark findings as seen",
        "inspection",
        DoneSettings,
        findings_done,
    ),
)
