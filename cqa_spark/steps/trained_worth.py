"""metrics of a night → the same, and what its system was worth when its model was trained."""

from collections.abc import Iterable
from dataclasses import dataclass

from cqa_spark.evaluation.statistics.clusters import CONFIDENCE
from cqa_spark.lake.journal import Entry
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_log import StepRecord
from cqa_spark.lake.schemas.metrics import ALL, COMPARISONS, METRICS, NIGHTS, WHEN_TRAINED, of_population
from cqa_spark.lake.snapshot import Snapshot
from cqa_spark.runtime.flow import Artifact, Product, Step
from cqa_spark.systems.model_card import CardFigure
from cqa_spark.systems.system import System
from cqa_spark.systems.trained_system import model_artifact, trained_system

Figures = tuple[list[Entry], list[Entry]]
"""Entries of ``METRICS`` and of ``COMPARISONS``."""


@dataclass(frozen=True)
class RememberWorth(Step):
    """Add the population ``WHEN_TRAINED`` to the metrics and comparisons of a night.

    It has the figures of the model's card. Without a card, it has those of the first night that measured the model,
    which later nights with the same model repeat.

    Attributes:
        system: recipe of the system that nights rank with.
        baseline: name of the simple order that it is compared with.
        last: the published run; None before the first publication.
    """

    system: System
    baseline: str
    last: Snapshot | None = None

    name = "worth"

    def reads(self) -> tuple[Product, ...]:
        """The metrics, their comparisons, and the model."""
        return METRICS, COMPARISONS, Artifact(model_artifact(self.system.name))

    def writes(self) -> tuple[Product, ...]:
        """Both, with the population."""
        return METRICS, COMPARISONS

    def execute(self, run: Run, counts: StepRecord) -> None:
        """Write both again."""
        metrics, comparisons = run.entries(METRICS), run.entries(COMPARISONS)
        system, name = self.system.name, model_artifact(self.system.name)
        card = trained_system(run, name).card if run.artifact(name) is not None else None
        figures = self._of_card(card.figures if card is not None else ())
        if not figures[0] and self.last is not None and self.last.record.artifacts.get(name) == run.artifact(name):
            before = self.last.entries_or_none(METRICS), self.last.entries_or_none(COMPARISONS)
            figures = of_population(before[0], WHEN_TRAINED), of_population(before[1], WHEN_TRAINED)
        if not figures[0]:
            about = (system, self.baseline)
            figures = (
                [entry for entry in of_population(metrics, None) if entry["system"] == system],
                [entry for entry in of_population(comparisons, None) if (entry["system"], entry["baseline"]) == about],
            )
        counts.rows_in = len(metrics)
        for table, entries, added in zip((METRICS, COMPARISONS), (metrics, comparisons), figures, strict=True):
            run.write_entries(table, [*entries, *({**entry, "population": WHEN_TRAINED} for entry in added)])
            counts.rows_out += len(added)

    def _of_card(self, figures: Iterable[CardFigure]) -> Figures:
        """The figures of the system on all replayed nights."""
        wanted = (self.system.name, self.baseline, NIGHTS, ALL)
        metrics, comparisons = [], []
        for row in figures:
            if (row.order, row.reference, row.population, row.band) == wanted:
                about = {"task": self.system.task, "split": NIGHTS, "system": row.order, "measure": row.measure}
                value = {"value": row.value, "low": row.low, "high": row.high, "confidence": CONFIDENCE}
                metrics.append({**about, **value, "queries": row.nights, "topics": row.threads})
                bounds = {"difference_low": row.low_difference, "difference_high": row.high_difference}
                test = {"baseline": row.reference, "difference": row.difference, **bounds, "p_value": row.p_value}
                comparisons.append({**about, **test})
        return metrics, comparisons
