"""Writes the feature importances of trained systems."""

from __future__ import annotations

from collections.abc import Sequence

from cqa_spark.lake.run import Run
from cqa_spark.lake.schemas.rankings import FEATURE_IMPORTANCES
from cqa_spark.rankers.rankings import importances
from cqa_spark.systems.trained_system import TrainedSystem


def write_importances(run: Run, trained: Sequence[TrainedSystem]) -> None:
    """Write the feature importances of some systems beside those of the run's other systems.

    Args:
        run: the run to write to.
        trained: the systems; their earlier entries are replaced.
    """
    names = {each.system.name for each in trained}
    before = run.entries(FEATURE_IMPORTANCES) if run.has(FEATURE_IMPORTANCES) else []
    others = [entry for entry in before if entry["system"] not in names]
    new = [entry for each in trained for entry in importances(each.system.name, each.model)]
    run.write_entries(FEATURE_IMPORTANCES, [*others, *new])
