"""Collects the feature importances of learned systems."""

from __future__ import annotations

import re
from collections.abc import Mapping

from cqa_spark.reports.run.features.content import FeatureImportance
from cqa_spark.reports.scope import Scope

FEATURES_PER_SYSTEM = 200
"""Largest number of features of a system; the most important ones are kept."""

_GROUP = re.compile(r"(?P<group>.+?_v\d+)[^0-9A-Za-z]+(?P<feature>.+)")


def collect_importances(scope: Scope, meanings: Mapping[str, Mapping[str, str]]) -> tuple[FeatureImportance, ...]:
    """The features of each learned system, most important first.

    Args:
        scope: rows to report on.
        meanings: by system, the meanings of its feature columns.
    """
    entries = sorted(scope.entries("feature_importances"), key=lambda each: (-each["importance"], each["feature"]))
    return tuple(
        FeatureImportance(
            system,
            *split_feature(each["feature"]),
            each["importance"],
            each["direction"],
            meanings.get(system, {}).get(each["feature"], ""),
        )
        for system in sorted({each["system"] for each in entries})
        for each in [entry for entry in entries if entry["system"] == system][:FEATURES_PER_SYSTEM]
    )


def split_feature(column: str) -> tuple[str, str]:
    """The group and the name of a feature column; the group of an unversioned column is ``other``."""
    match = _GROUP.fullmatch(column)
    return (match["group"], match["feature"]) if match else ("other", column)
