"""A comparison of two runs as JSON, for programs."""

from __future__ import annotations

import json
from typing import Any

from cqa_spark.reports.comparison.content import Comparison, TableChanges


def comparison_json(comparison: Comparison) -> str:
    """Number of new, gone and changed rows of each site and table, and of changed rows by column."""
    diff: dict[str, dict[str, Any]] = {}
    for changes in comparison.tables:
        diff.setdefault(changes.site, {})[changes.table] = _changes(changes)
    return json.dumps(
        {
            "before": comparison.before,
            "after": comparison.after,
            "diff": diff,
            "only_before": list(comparison.only_before),
            "only_after": list(comparison.only_after),
        },
        indent=2,
    )


def _changes(changes: TableChanges) -> dict[str, Any]:
    counts: dict[str, Any] = {"new": changes.new, "gone": changes.gone, "changed": changes.changed}
    if changes.changed_in_text is not None:
        counts["changed_in_text"] = changes.changed_in_text
    return {**counts, "columns": {each.name: each.rows for each in changes.columns}}
