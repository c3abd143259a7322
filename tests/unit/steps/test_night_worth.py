"""What a night on labelled queries is worth, and what is remembered of when the model was trained."""

from dataclasses import asdict, replace
from types import SimpleNamespace
from typing import Any

import pytest

from cqa_spark.lake.schemas.night import TRAINED_WORTH, Worth
from cqa_spark.steps import night_worth as module
from cqa_spark.steps.night_worth import labelled_worth, write_trained_worth
from cqa_spark.systems.model_card import CardFigure

MINE = Worth("mine", "test", "all", "MAP@10", 0.7, 0.6, 0.8, 0.2, 0.1, 0.3, 0.01, 50, 50)
SIMPLE = Worth("simple", "test", "all", "MAP@10", 0.5, 0.4, 0.6, 0.0, 0.0, 0.0, 1.0, 50, 50)


def metric(worth: Worth, **changed: Any) -> dict[str, Any]:
    names = {"system": worth.order, "split": worth.population, "queries": worth.nights, "measure": worth.measure}
    return {"value": worth.value, "low": worth.low, "high": worth.high, **names, **changed}


def comparison(worth: Worth, **changed: Any) -> dict[str, Any]:
    return {
        "system": worth.order, "split": worth.population, "measure": worth.measure, "baseline": "simple",
        "difference": worth.difference, "difference_low": worth.low_difference,
        "difference_high": worth.high_difference, "p_value": worth.p_value, **changed,
    }  # fmt: skip


def test_measures_are_in_the_given_order_and_differences_from_the_simple_order() -> None:
    first = replace(MINE, measure="P@1", population="dev")
    found = labelled_worth(
        [metric(MINE), metric(SIMPLE), metric(MINE, measure="P@1", split="dev"), metric(MINE, measure="P@1")],
        [
            comparison(MINE),
            comparison(first),
            comparison(MINE, measure="P@1"),
            comparison(MINE, baseline="other", difference=9.0),
        ],
        "simple",
        ["P@1", "MAP@10"],
    )
    assert found == [first, replace(MINE, measure="P@1"), MINE, SIMPLE]
    assert labelled_worth([], [], "simple", ["P@1"]) == []


@pytest.fixture
def remembered(monkeypatch: pytest.MonkeyPatch) -> Any:
    """What is written for tonight's worth, a card, and last night's model and entries."""

    def write(tonight: list[Worth], figures: list[CardFigure], last_model: str | None = None, *before: Worth) -> Any:
        written: list[Any] = []
        card = SimpleNamespace(figures=figures)
        monkeypatch.setattr(module, "trained_system", lambda run, name: SimpleNamespace(card=card))
        run: Any = SimpleNamespace(
            artifact=lambda name: "models/new",
            write_entries=lambda table, entries: written.extend(TRAINED_WORTH.conform(entries)),
        )
        last: Any = SimpleNamespace(
            record=SimpleNamespace(artifacts={"model/mine": last_model}),
            entries_or_none=lambda table: [*map(asdict, before)],
        )
        write_trained_worth(run, "mine", "simple", tonight, last if last_model else None)
        return [Worth(**entry) for entry in written]

    return write


def test_without_a_card_the_first_night_of_a_model_is_remembered(remembered: Any) -> None:
    night, later = [MINE, SIMPLE, replace(MINE, band="older")], replace(MINE, difference=0.0)
    assert remembered(night, []) == [MINE]
    assert remembered([later], [], "models/new", MINE) == [MINE]
    assert remembered([later], [], "models/new") == [later]
    assert remembered([later], [], "models/old", MINE) == [later]


def test_the_card_is_what_was_measured_in_training(remembered: Any) -> None:
    about = asdict(MINE) | {"population": "nights", "measure": "P@1"}
    figure = CardFigure(**about, reference="simple")
    others = [replace(figure, reference="longest"), replace(figure, order="part"), replace(figure, band="older")]
    assert remembered([MINE], [*others, figure], "models/new", MINE) == [Worth(**about)]
