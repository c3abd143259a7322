"""An inspection or a comparison for programs."""

from __future__ import annotations

import json
from typing import Any

from cqa_spark.reports.inspection.content import Inspection, SiteFacts, TableFacts
from cqa_spark.reports.inspection.diff import Comparison, TableChanges


def inspection_json(inspection: Inspection) -> str:
    """Rows, refused records, orphans and undeclared attributes of every site and table.

    Refused records of files that fill several tables belong to none of them; they stand beside the sites.
    """
    sites = sorted(inspection.sites, key=lambda site: site.site)
    return _text(
        {
            "lake": inspection.run.lake,
            "run_id": inspection.run.run_id,
            "sites": {site.site: {table.name: _table(table) for table in site.tables} for site in sites},
            "quarantined_elsewhere": _elsewhere(sites),
        }
    )


def comparison_json(comparison: Comparison) -> str:
    """Rows new, gone and changed of every site and table, and which columns changed how often."""
    diff: dict[str, dict[str, Any]] = {}
    for changes in comparison.tables:
        diff.setdefault(changes.site, {})[changes.table] = _changes(changes)
    return _text(
        {
            "before": comparison.before,
            "after": comparison.after,
            "diff": diff,
            "only_before": list(comparison.only_before),
            "only_after": list(comparison.only_after),
        }
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


def _changes(changes: TableChanges) -> dict[str, Any]:
    counts: dict[str, Any] = {"new": changes.new, "gone": changes.gone, "changed": changes.changed}
    if changes.changed_in_text is not None:
        counts["changed_in_text"] = changes.changed_in_text
    return {**counts, "columns": {each.name: each.rows for each in changes.columns}}


def _text(value: dict[str, Any]) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)
