"""metrics → what the orders of a night are worth on labelled queries; and what its system was worth when trained."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields

from cqa_spark.evaluation.measures import parse_measure
from cqa_spark.evaluation.statistics.nights import ALL, NIGHTS
from cqa_spark.lake.journal import Entry
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_log import StepRecord
from cqa_spark.lake.schemas.metrics import COMPARISONS, METRICS
from cqa_spark.lake.schemas.night import NIGHT_WORTH, TRAINED_WORTH, Worth
from cqa_spark.lake.snapshot import Snapshot
from cqa_spark.runtime.flow import Artifact, Product, Step
from cqa_spark.systems.system import System
from cqa_spark.systems.trained_system import model_artifact, trained_system


@dataclass(frozen=True)
class MeasureLabelled(Step):
    """Measure the orders of a task without replayed nights, on the labelled queries that no system has learned from.

    Attributes:
        system: recipe of the system that nights serve.
        simple: name of the simple order that differences are from.
        measures: names of the measures, the most important first.
        last: the published run; None before the first publication.
    """

    system: System
    simple: str
    measures: Sequence[str]
    last: Snapshot | None = None

    name = "worth"

    def reads(self) -> tuple[Product, ...]:
        """The measures, their comparisons, and the model."""
        return METRICS, COMPARISONS, Artifact(model_artifact(self.system.name))

    def writes(self) -> tuple[Product, ...]:
        """What orders are worth, and what the system was worth when it was trained."""
        return NIGHT_WORTH, TRAINED_WORTH

    def execute(self, run: Run, counts: StepRecord) -> None:
        """Write both."""
        metrics = run.entries(METRICS)
        worth = labelled_worth(metrics, run.entries(COMPARISONS), self.simple, self.measures)
        counts.rows_in, counts.rows_out = len(metrics), run.write_entries(NIGHT_WORTH, map(asdict, worth))
        write_trained_worth(run, self.system.name, self.simple, worth, self.last)


def labelled_worth(
    metrics: Iterable[Entry], comparisons: Iterable[Entry], simple: str, measures: Sequence[str]
) -> list[Worth]:
    """The worth of orders on labelled queries, by measure, the most important first, and by split.

    Args:
        metrics: entries of ``METRICS`` of a task.
        comparisons: entries of ``COMPARISONS``; those with other baselines than the simple order are ignored.
        simple: name of the simple order.
        measures: their names, in order.
    """
    tests = {
        (each["system"], each["split"], each["measure"]): each for each in comparisons if each["baseline"] == simple
    }
    itself = {"difference": 0.0, "difference_low": 0.0, "difference_high": 0.0, "p_value": 1.0}
    names = [str(parse_measure(name)) for name in measures]
    ordered = sorted(metrics, key=lambda each: (names.index(each["measure"]), each["split"], each["system"]))
    return [_labelled(each, tests.get((each["system"], each["split"], each["measure"]), itself)) for each in ordered]


def _labelled(metric: Entry, test: Entry) -> Worth:
    return Worth(
        order=metric["system"], population=metric["split"], band=ALL, measure=metric["measure"], value=metric["value"],
        low=metric["low"], high=metric["high"], difference=test["difference"], low_difference=test["difference_low"],
        high_difference=test["difference_high"], p_value=test["p_value"], nights=metric["queries"],
        threads=metric["queries"],
    )  # fmt: skip


def write_trained_worth(run: Run, system: str, simple: str, worth: Iterable[Worth], last: Snapshot | None) -> None:
    """Write what a system was worth when its model was trained.

    Args:
        run: the run, with the model if it was trained.
        system: name of the system that nights serve.
        simple: name of the simple order that differences are from.
        worth: of tonight.
        last: the published run, whose entries stay if it has the same model.
    """
    name = model_artifact(system)
    card = trained_system(run, name).card if run.artifact(name) is not None else None
    figures = [
        {field.name: getattr(figure, field.name) for field in fields(Worth)}
        for figure in (card.figures if card is not None else ())
        if (figure.order, figure.reference, figure.population, figure.band) == (system, simple, NIGHTS, ALL)
    ]
    is_same = last is not None and last.record.artifacts.get(name) == run.artifact(name)
    before = last.entries_or_none(TRAINED_WORTH) if last is not None and is_same else []
    tonight = [asdict(each) for each in worth if (each.order, each.band) == (system, ALL)]
    run.write_entries(TRAINED_WORTH, figures or before or tonight)
