"""The head of an inspection, and the table of all sites and tables."""

import json
from typing import Any

from cqa_spark.process.terminal import Styled, Terminal, TextTable, number
from cqa_spark.reports.kit.page import rendering
from cqa_spark.reports.kit.tables import warning
from cqa_spark.reports.kit.wording import count, listed
from cqa_spark.reports.section import Head, Section
from cqa_spark.reports.sections.inspection.contents import TableFacts
from cqa_spark.reports.sections.inspection.facts import InspectedRun, Inspection, SiteFacts, inspection


def print_run(inspected: Inspection, terminal: Terminal) -> None:
    """Print the inspected run."""
    record = inspected.record
    terminal.line(f"{inspected.lake}, run {record.run_id} of {record.recorded_at:%Y-%m-%d %H:%M}")


def console(inspected: Inspection, terminal: Terminal) -> None:
    """Print the table of all sites."""
    terminal.table(_table(inspected))


def _table(inspected: Inspection) -> TextTable:
    table = TextTable("site and table", *map(number, ("rows", "quarantined", "orphans")), "unknown attributes")
    for site in inspected.sites:
        table.add_row(Styled(site.site, "bold"))
        for facts in site.tables:
            table.add_row(
                f"  {facts.name}",
                count(facts.rows),
                warning(facts.quarantined),
                warning(facts.orphans),
                listed([attribute.name for attribute in facts.unknown_attributes], limit=5),
                style="" if facts.rows else "dim",
            )
        if site.quarantined_elsewhere:
            table.add_row("  (files of several tables)", "", warning(site.quarantined_elsewhere))
    return table


def inspection_json(inspected: Inspection) -> str:
    """Rows, quarantined records, orphans and undeclared attributes of each site and table.

    ``quarantined_elsewhere`` counts the quarantined records of files that fill several tables, by site.
    """
    sites = sorted(inspected.sites, key=lambda site: site.site)
    return json.dumps(
        {
            "lake": inspected.lake,
            "run_id": inspected.record.run_id,
            "sites": {site.site: {table.name: _table_json(table) for table in site.tables} for site in sites},
            "quarantined_elsewhere": _elsewhere(sites),
        },
        indent=2,
    )


def _table_json(table: TableFacts) -> dict[str, Any]:
    return {
        "rows": table.rows,
        "quarantined": table.quarantined,
        "orphans": table.orphans,
        "unknown_attributes": sorted(attribute.name for attribute in table.unknown_attributes),
    }


def _elsewhere(sites: list[SiteFacts]) -> dict[str, int]:
    return {site.site: site.quarantined_elsewhere for site in sites if site.quarantined_elsewhere}


HEAD: Head[InspectedRun, Inspection] = Head(
    inspection,
    rendering("sections/inspection/header.html.j2", "inspection"),
    title=lambda inspected: f"Inspection of {inspected.lake} · {inspected.record.run_id}",
    provenance=lambda inspected: (
        f"Run {inspected.record.run_id}, {inspected.record.recorded_at:%Y-%m-%d %H:%M:%S %Z}".rstrip()
        + f" · cqa-spark {inspected.record.code_version}"
    ),
    console=print_run,
)

_PAGE = rendering("sections/inspection/overview.html.j2", "inspection")
SECTION: Section[InspectedRun, Inspection] = Section("tables", "Tables", inspection, _PAGE, console)
