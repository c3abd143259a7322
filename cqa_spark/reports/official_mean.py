"""The official mean over sets of sentence pairs, as the main measure of a report."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from cqa_spark.evaluation.set_means import MEAN, WEIGHTED_MEAN
from cqa_spark.evaluation.significance import holm
from cqa_spark.lake.journal import Entry
from cqa_spark.lake.schemas.metrics import COMPARISONS, METRICS, SET_METRICS
from cqa_spark.reports.sts_results import official_mean

Journal = Mapping[str, Sequence[Entry]]
"""Entries of journal tables by name."""


def with_official_mean(journal: Journal) -> tuple[Journal, str | None]:
    """Add the official mean over the sets to the metrics and comparisons of a run.

    Args:
        journal: entries of the run's journal tables by name.

    Returns:
        The journal, and the name of the added measure, such as ``Pearson (mean by pairs)``. A run with at most one set
        in each split has no mean: its journal is returned as it is, with None.
    """
    entries = journal.get(SET_METRICS.name, ())
    mean = official_mean({entry["set_name"] for entry in entries} - {WEIGHTED_MEAN, MEAN})
    rows = [entry for entry in entries if entry["set_name"] == mean]
    if not rows:
        return journal, None
    measure = f"{rows[0]['measure']} ({mean})"
    added = {
        METRICS.name: [{**row, "measure": measure} for row in rows],
        COMPARISONS.name: [{**row, "measure": measure} for row in _comparisons(rows)],
    }
    return {
        **journal,
        **{name: [*journal.get(name, ()), *entries_of_mean] for name, entries_of_mean in added.items()},
    }, measure


def is_mean_of_sets(measure: str) -> bool:
    """Whether a measure is a mean over sets, which has no value for a single pair."""
    return measure.endswith((f"({WEIGHTED_MEAN})", f"({MEAN})"))


def _comparisons(rows: Sequence[Entry]) -> Iterator[Entry]:
    """The comparisons with the baseline in each split, adjusted for the number of systems."""
    import numpy as np

    others = sorted((row for row in rows if row["system"] != row["baseline"]), key=lambda row: str(row["split"]))
    for _, of_split in groupby(others, key=lambda row: str(row["split"])):
        compared = list(of_split)
        adjusted = holm(np.array([row["p_value"] for row in compared]))
        for row, p_value in zip(compared, adjusted.tolist(), strict=True):
            unknown = dict.fromkeys(("difference_low", "difference_high"))
            yield {**row, "p_value": p_value, "wins": 0, "losses": 0, "ties": 0, **unknown}
