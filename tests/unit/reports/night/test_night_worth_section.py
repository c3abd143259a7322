"""The section on what a night is worth."""

from __future__ import annotations

from html_checks import rows
from lxml import html

from cqa_spark.evaluation.night_worth import ALL, NIGHTS, Worth
from cqa_spark.lake.journal import Entry
from cqa_spark.reports.kit.numbers import MINUS
from cqa_spark.reports.sections.night_worth import NightWorth, page, sentences

SYSTEM, SIMPLE = "night_answers", "votes_then_length"


def worth(order: str, value: float, difference: float, band: str = ALL) -> Worth:
    return Worth(
        order, NIGHTS, band, "P@1", value, value - 0.1, value + 0.1, difference, difference - 0.05, difference + 0.05,
        0.2, 30, 12,
    )  # fmt: skip


def served(band: str, order: str, reason: str) -> Entry:
    return {"site": "beer", "band": band, "order": order, "simple_order": SIMPLE, "reason": reason}


NIGHT = NightWorth(
    SYSTEM,
    [worth(SYSTEM, 0.75, 0.02), worth(SIMPLE, 0.73, 0.0), worth(SYSTEM, 0.5, -0.2, "older")],
    [served("1-2 days", SYSTEM, "better"), served("older", SIMPLE, "worse")],
)


def test_the_sentences_say_what_is_served_and_what_it_is_worth() -> None:
    assert sentences(NIGHT) == (
        f"The order served is that of {SYSTEM}, except {SIMPLE} for beer, older.",
        "On 30 replayed nights of 12 threads, its first answer is the one accepted later in 75.00 %: +2.00 points "
        f"against {SIMPLE} (95 % interval {MINUS}3.00 to +7.00, p = 0.200).",
    )


def test_without_measured_nights_it_says_so() -> None:
    nothing = NightWorth(SYSTEM, [], [served("older", SIMPLE, "no votes")])
    assert sentences(nothing) == (
        f"The order served is that of {SIMPLE}.",
        "No replayed night is measured: no acceptance with a date followed a night with rivals.",
    )


def test_the_tables_have_orders_bands_and_reasons() -> None:
    found = rows(html.document_fromstring(f"<html>{page(NIGHT)}</html>"))
    assert [row[:2] for row in found] == [
        [SYSTEM, "75.0065.00\N{EN DASH}85.00"],
        [SIMPLE, "73.0063.00\N{EN DASH}83.00"],
        [ALL, "30"],
        ["older", "30"],
        ["1-2 days", SYSTEM],
        ["older", SIMPLE],
    ]
    assert [row[-1] for row in found[-2:]] == ["better", "worse"]
