"""What is remembered of when the model of a night was trained."""

from types import SimpleNamespace
from typing import Any

import pytest

from cqa_spark.lake.journal import Entry
from cqa_spark.lake.run_log import StepRecord
from cqa_spark.lake.schemas.metrics import COMPARISONS, METRICS, WHEN_TRAINED
from cqa_spark.steps import trained_worth as module
from cqa_spark.steps.trained_worth import RememberWorth
from cqa_spark.systems.model_card import CardFigure

Tables = dict[str, list[Entry]]

FIGURE = CardFigure("mine", "nights", "all", "P@1", 0.75, 0.7, 0.8, 0.1, 0.06, 0.13, 0.003, 900, 400, "simple")


def metric(system: str, value: float, **changed: Any) -> Entry:
    about = {"system": system, "task": "t", "split": "test", "measure": "MAP@10", "value": value, "low": 0.6}
    return METRICS.conform([{**about, "high": 0.8, "confidence": 0.95, "queries": 50, **changed}])[0]


def comparison(difference: float, baseline: str = "simple", **changed: Any) -> Entry:
    about = {"system": "mine", "task": "t", "split": "test", "measure": "MAP@10", "baseline": baseline}
    return COMPARISONS.conform([{**about, "difference": difference, "p_value": 0.01, **changed}])[0]


def night(value: float) -> Tables:
    """The tables of a night on which the system has the value, and the simple order 0.5."""
    metrics = [metric("mine", value), metric("simple", 0.5), metric("mine", 0.9, band="older")]
    comparisons = [comparison(value - 0.5), comparison(0.01, baseline="other"), comparison(0.4, band="older")]
    return {METRICS.name: metrics, COMPARISONS.name: comparisons}


@pytest.fixture
def remembered(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The tables after the step, for those of tonight, a card, and last night's model and tables."""

    def after(
        tonight: Tables, *figures: CardFigure, last_model: str | None = None, before: Tables | None = None
    ) -> Any:
        monkeypatch.setattr(
            module, "trained_system", lambda run, name: SimpleNamespace(card=SimpleNamespace(figures=figures))
        )
        written: Tables = {}
        run: Any = SimpleNamespace(
            artifact=lambda name: "models/new",
            entries=lambda table: tonight[table.name],
            write_entries=lambda table, entries: written.update({table.name: table.conform(entries)}),
        )
        last: Any = SimpleNamespace(
            record=SimpleNamespace(artifacts={"model/mine": last_model}),
            entries_or_none=lambda table: (before or {}).get(table.name, []),
        )
        system: Any = SimpleNamespace(name="mine", task="t")
        RememberWorth(system, "simple", last if last_model else None).execute(run, StepRecord("worth"))
        assert {name: rows[: len(tonight[name])] for name, rows in written.items()} == tonight
        return {name: rows[len(tonight[name]) :] for name, rows in written.items()}

    return after


def trained(value: float) -> Tables:
    return {
        METRICS.name: [metric("mine", value, population=WHEN_TRAINED)],
        COMPARISONS.name: [comparison(value - 0.5, population=WHEN_TRAINED)],
    }


def both(one: Tables, other: Tables) -> Tables:
    return {name: [*rows, *other[name]] for name, rows in one.items()}


def test_without_a_card_the_first_night_of_a_model_is_remembered(remembered: Any) -> None:
    assert remembered(night(0.7)) == trained(0.7)
    last = both(night(0.7), trained(0.8))
    assert remembered(night(0.6), last_model="models/new", before=last) == trained(0.8)
    assert remembered(night(0.6), last_model="models/new") == trained(0.6)
    assert remembered(night(0.6), last_model="models/old", before=last) == trained(0.6)


def test_the_card_is_what_was_measured_in_training(remembered: Any) -> None:
    others = [
        CardFigure(**{**vars(FIGURE), **changed})
        for changed in ({"reference": "longest"}, {"order": "part"}, {"band": "older"})
    ]
    about = {"task": "t", "split": "nights", "measure": "P@1", "population": WHEN_TRAINED}
    found = remembered(night(0.7), *others, FIGURE, last_model="models/new", before=trained(0.8))
    assert found == {
        METRICS.name: [metric("mine", 0.75, low=0.7, queries=900, topics=400, **about)],
        COMPARISONS.name: [comparison(0.1, difference_low=0.06, difference_high=0.13, **{**about, "p_value": 0.003})],
    }
