"""Collects the feature importances of learned systems."""

from __future__ import annotations

import re

from cqa_spark.reports.run.features.content import FeatureImportance
from cqa_spark.reports.scope import Scope

FEATURES_PER_SYSTEM = 200
"""Largest number of features of a system; the most important ones are kept."""

_GROUP = re.compile(r"(?P<group>.+?_v\d+)[^0-9A-Za-z]+(?P<feature>.+)")


def collect_importances(scope: Scope) -> tuple[FeatureImportance, ...]:
    """The features of each learned system, most important first."""
    ordered = sorted(scope.rows("feature_importances"), key=lambda row: (row.system, -row.importance, row.feature))
    found = []
    for system in sorted({row.system for row in ordered}):
        kept = [row for row in ordered if row.system == system][:FEATURES_PER_SYSTEM]
        found += [FeatureImportance(system, *split_feature(row.feature), row.importance, row.direction) for row in kept]
    return tuple(found)


def split_feature(column: str) -> tuple[str, str]:
    """The group and the name of a feature column; the group of an unversioned column is ``other``."""
    match = _GROUP.fullmatch(column)
    return (match["group"], match["feature"]) if match else ("other", column)
