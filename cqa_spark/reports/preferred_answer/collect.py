"""Collects the results of the experiment."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from cqa_spark.lake.journal import Entry
from cqa_spark.reports.kit.entries import from_entry
from cqa_spark.reports.preferred_answer.content import AnswerStudy, Attention, Contrast, Figure, Search, Transfer


def collect_study(journal: Mapping[str, Sequence[Entry]], measures: Sequence[str]) -> AnswerStudy:
    """Collect the results.

    Args:
        journal: entries of site_metrics and comparisons, and of transfers, trials and attentions if there are any.
        measures: measures in order; the first is the main measure.
    """
    figures = journal["site_metrics"]
    contrasts = _of_measure(journal["comparisons"], measures[0])
    transfers = _of_measure(journal.get("transfers", ()), measures[0])
    return AnswerStudy(
        part=figures[0]["split"],
        baseline=figures[0]["baseline"],
        measures=tuple(measures),
        figures=tuple(from_entry(Figure, entry) for entry in figures),
        contrasts=tuple(from_entry(Contrast, entry) for entry in contrasts),
        transfers=tuple(from_entry(Transfer, entry) for entry in transfers),
        searches=tuple(_searches(journal.get("trials", ()))),
        attentions=tuple(from_entry(Attention, entry) for entry in journal.get("attentions", ()) if entry["weights"]),
    )


def _searches(trials: Sequence[Entry]) -> Iterator[Search]:
    for system in sorted({entry["system"] for entry in trials}):
        of_system = [entry for entry in trials if entry["system"] == system]
        chosen = next(entry for entry in of_system if entry["chosen"])
        yield Search(
            system=system,
            tried=len(of_system),
            # Differences are against the default parameters.
            given=chosen["value"] - chosen["difference"],
            parameters=json.loads(chosen["parameters"]),
            **{name: chosen[name] for name in ("value", "low", "high", "difference", "p_value")},
        )


def _of_measure(entries: Sequence[Entry], measure: str) -> list[Entry]:
    return [entry for entry in entries if entry["measure"] == measure]
