"""An inspection as JSON, for programs."""

from __future__ import annotations

import json
from typing import Any

from cqa_spark.reports.inspection.content import Inspection, SiteFacts
from cqa_spark.reports.inspection.tables.content import TableFacts


def inspection_json(inspection: Inspection) -> str:
    """Rows, quarantined records, orphans and undeclared attributes of each site and table.

    ``quarantined_elsewhere`` counts the quarantined records of files that fill several tables, by site.
    """
    sites = sorted(inspection.sites, key=lambda site: site.site)
    return json.dumps(
        {
            "lake": inspection.run.lake,
            "run_id": inspection.run.run_id,
            "sites": {site.site: {table.name: _table(table) for table in site.tables} for site in sites},
            "quarantined_elsewhere": _elsewhere(sites),
        },
        indent=2,
    )


def _table(table: TableFacts) -> dict[str, Any]:
    return {
        "rows": table.rows,
        "quarantined": table.quarantined,
        "orphans": table.orphans,
        "unknown_attributes": sorted(each.name for each in table.unknown_attributes),
    }


def _elsewhere(sites: list[SiteFacts]) -> dict[str, int]:
    return {site.site: site.quarantined_elsewhere for site in sites if site.quarantined_elsewhere}
