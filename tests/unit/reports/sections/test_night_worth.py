"""The section on what a night is worth."""

from dataclasses import replace

import literal_report as literal
from html_checks import rows
from lxml import html

from cqa_spark.lake.journal import Entry
from cqa_spark.lake.run_log import RunRecord
from cqa_spark.lake.schemas.metrics import ALL, COMPARISONS, METRICS, NIGHTS, Worth
from cqa_spark.reports.kit.wording import MINUS
from cqa_spark.reports.recorded_scores import recorded_scores
from cqa_spark.reports.reported_run import RankedSystem, ReportedRun, Unranked
from cqa_spark.reports.sections.night_worth import NightWorth, data, sentences

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
    SIMPLE,
    [worth(SYSTEM, 0.75, 0.02), worth(SIMPLE, 0.73, 0.0), worth(SYSTEM, 0.5, -0.2, "older")],
    [served("1-2 days", SYSTEM, "better"), served("older", SIMPLE, "worse")],
)


def test_the_sentences_say_what_is_served_and_what_it_is_worth() -> None:
    assert sentences(NIGHT) == (
        f"The order served is that of {SYSTEM}, except {SIMPLE} for beer, older.",
        "On 30 replayed nights of 12 threads, its first answer is the one accepted later in 75.00 %: +2.00 points "
        f"against {SIMPLE} (95 % interval [{MINUS}3.00, +7.00], p = 0.200).",
    )


def test_without_measured_nights_it_says_so() -> None:
    nothing = NightWorth(SYSTEM, SIMPLE, [], [served("older", SIMPLE, "no votes")])
    assert sentences(nothing) == (
        f"The order served is that of {SIMPLE}.",
        "No replayed night is measured: no acceptance with a date followed a night with rivals.",
    )


def test_the_tables_have_orders_bands_and_reasons() -> None:
    page = literal.short_report(**{"night-worth": NIGHT}).page()
    found = rows(html.document_fromstring(page).get_element_by_id("night-worth"))
    assert [row[:2] for row in found] == [
        [SYSTEM, "75.00[65.00, 85.00]"],
        [SIMPLE, "73.00[63.00, 83.00]"],
        [ALL, "30"],
        ["older", "30"],
        ["1-2 days", SYSTEM],
        ["older", SIMPLE],
    ]
    assert [row[-1] for row in found[-2:]] == ["better", "worse"]


def test_the_sites_with_the_most_nights_come_first() -> None:
    sites = [replace(worth(SYSTEM, 0.6, gain), population=f"on {site}", nights=nights) for site, gain, nights in
             (("ale.example", 0.1, 20), ("wine.example", -0.1, 40))]  # fmt: skip
    page = html.document_fromstring(
        literal.short_report(**{"night-worth": replace(NIGHT, worth=[*NIGHT.worth, *sites])}).page()
    )
    section = page.get_element_by_id("night-worth")
    found = [row for row in rows(section) if row[0].endswith(".example")]
    assert [row[:3] for row in found] == [["wine.example", "40", "12"], ["ale.example", "20", "12"]]
    *_, picture = (svg.get("aria-label") for svg in section.iter("{*}svg", "svg"))
    assert picture == "wine.example -10.00 [-15.00, -5.00]; ale.example 10.00 [5.00, 15.00]"


def test_a_young_site_has_no_order_to_serve() -> None:
    least = [Unranked(SYSTEM, "t", answers) for answers in (2, 3)]
    two, three = (data(replace(reported([], [], []), ranked=[young.ranked], unranked=young)) for young in least)
    assert two is not None
    assert three is not None
    assert sentences(two) == ("No question has two answers yet: there is no order to serve.",)
    assert sentences(three) == ("No question has 3 answers yet: there is no order to serve.",)
    page = html.document_fromstring(literal.short_report(**{"night-worth": two}).page())
    assert sentences(two)[0] in page.get_element_by_id("night-worth").text_content()


def reported(metrics: list[Entry], comparisons: list[Entry], orders: list[Entry], served: int = 3) -> ReportedRun:
    ranked = [RankedSystem("t", "unannotated", name, 3, 9, 0.0, 1.0, served=served) for name in (SYSTEM, SIMPLE)]
    journal = {METRICS.name: metrics, COMPARISONS.name: comparisons, "served_orders": orders}
    record = RunRecord("r1", "running", "nightly", "hash", "", "0.1.0")
    return ReportedRun(
        record=record, tables={}, journal=journal, ranked=ranked, task="t", split="unannotated", best_system=SYSTEM,
        baseline=SIMPLE, main_measure="MRR@10",
    )  # fmt: skip


def test_a_night_reads_the_metrics_of_replayed_nights_and_the_orders() -> None:
    about = {"task": "t", "split": NIGHTS, "measure": "P@1"}
    metrics = [
        {**about, "system": system, "band": band, "population": population, "value": value, "low": value - 0.1,
         "high": value + 0.1, "queries": 30, "topics": 12}
        for system, value, band, population in (
            (SYSTEM, 0.75, None, None), (SIMPLE, 0.73, None, None), (SYSTEM, 0.5, "older", None),
            (SYSTEM, 0.9, None, "when trained"),
        )
    ]  # fmt: skip
    comparisons = [
        {**about, "system": SYSTEM, "baseline": SIMPLE, "band": band, "population": population, "difference": gain,
         "difference_low": gain - 0.05, "difference_high": gain + 0.05, "p_value": 0.2}
        for gain, band, population in ((0.02, None, None), (-0.2, "older", None), (0.1, None, "when trained"))
    ]  # fmt: skip
    run = reported(metrics, comparisons, NIGHT.orders)
    found, simple = data(run), NIGHT.worth[1]
    assert found is not None
    assert (found.system, found.simple, found.orders) == (SYSTEM, SIMPLE, NIGHT.orders)
    assert found.worth == [
        NIGHT.worth[0],
        replace(simple, low_difference=0.0, high_difference=0.0, p_value=1.0),
        NIGHT.worth[2],
    ]
    assert [(score.system, score.measure, score.value) for score in recorded_scores(run)] == [
        (SYSTEM, "P@1", 0.75),
        (SIMPLE, "P@1", 0.73),
    ]
    assert run.entries(METRICS.name) == []
    assert data(reported(metrics, comparisons, [], served=0)) is None


LABELLED = NightWorth(
    "best_a",
    "given_order",
    [
        Worth("best_a", "test", ALL, "MAP@10", 0.71, 0.67, 0.75, 0.17, 0.13, 0.21, 0.001, 244, 244),
        Worth("given_order", "test", ALL, "MAP@10", 0.54, 0.5, 0.58, 0.0, 0.0, 0.0, 1.0, 244, 244),
    ],
)


def test_other_tasks_are_measured_on_labelled_queries() -> None:
    assert sentences(LABELLED) == (
        "The order served is that of best_a.",
        "On 244 labelled queries of the test split, its MAP@10 is 71.00: +17.00 points against given_order "
        "(95 % interval [+13.00, +21.00], p = 0.001).",
    )
    assert sentences(NightWorth("best_a", "given_order", []))[1] == "No labelled query tells what it is worth."
    page = literal.short_report(**{"night-worth": LABELLED}).page()
    found = rows(html.document_fromstring(page).get_element_by_id("night-worth"))
    assert found == [
        ["best_a", "test", "244", "71.00[67.00, 75.00]", "+17.00[+13.00, +21.00]", "p = 0.001"],
        ["given_order", "test", "244", "54.00[50.00, 58.00]", "0.00[0.00, 0.00]", "p = 1.000"],
    ]


def test_pictures_show_the_orders_and_the_gain_by_band() -> None:
    page = html.document_fromstring(literal.short_report(**{"night-worth": NIGHT}).page())
    labels = [svg.get("aria-label") for svg in page.get_element_by_id("night-worth").iter("{*}svg", "svg")]
    assert labels == [
        f"{SYSTEM} 75.00 [65.00, 85.00]; {SIMPLE} 73.00 [63.00, 83.00]",
        f"{ALL} 2.00 [-3.00, 7.00]; older -20.00 [-25.00, -15.00]",
    ]
