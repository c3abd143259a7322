"""The checks that need only the counts of files, on tables small enough to count by hand."""

import pytest

from cqa_spark.checks.check import CHECKS, CheckFunction, RunUnderReview, Verdict, all_checks
from cqa_spark.checks.metric_drop import metric_drop
from cqa_spark.checks.null_shares import null_shares
from cqa_spark.checks.quarantine_share import quarantine_share
from cqa_spark.checks.row_counts import row_counts
from cqa_spark.errors import ContractError
from cqa_spark.lake.journal import Entry
from cqa_spark.lake.table import DataFile, TableFiles
from cqa_spark.settings.sections import CheckSettings

LIMITS = CheckSettings()
TWENTY = TableFiles(("body",), (DataFile("a", 99, 12, nulls={"body": 0}), DataFile("b", 99, 8, nulls={"body": 0})))
EIGHTEEN = TableFiles(("body",), (DataFile("c", 99, 18, nulls={"body": 3}),))


def review(now: dict[str, TableFiles], last: dict[str, TableFiles]) -> RunUnderReview:
    return RunUnderReview({}, {}, "s", "MAP@10", files=now, last_files=last)


def test_tables_that_shrink_grow_or_go_empty() -> None:
    shrunk = review({"posts": EIGHTEEN}, {"posts": TWENTY})
    verdict = row_counts(shrunk, LIMITS)
    assert (verdict.passed, verdict.limit, verdict.reason) == (False, 0.05, "posts: 20 rows, now 18")
    assert verdict.measured == pytest.approx(0.1)
    grown = row_counts(review({"posts": TWENTY}, {"posts": EIGHTEEN}), LIMITS)
    assert (grown.passed, grown.limit, grown.reason) == (True, 0.5, "posts: 18 rows, now 20")
    empty = null_shares(shrunk, LIMITS)
    assert (empty.passed, empty.reason) == (False, "posts.body: 0.0% unknown, now 16.7%")


@pytest.mark.parametrize("check", [row_counts, null_shares])
def test_a_table_with_the_published_files_is_not_looked_at(check: CheckFunction) -> None:
    last = {"posts": EIGHTEEN, "users": TWENTY}
    alone = check(review({"posts": EIGHTEEN}, last), LIMITS)
    assert (alone.passed, alone.reason) == (True, "all tables are unchanged")
    beside = check(review({"posts": EIGHTEEN, "users": EIGHTEEN}, last), LIMITS)
    assert beside.reason.startswith("users")


def test_columns_about_people_are_null_or_not_by_a_setting() -> None:
    columns = ("reputation", "location")
    last = TableFiles(columns, (DataFile("a", 99, 2, nulls={"reputation": 0, "location": 0}),))
    withheld = TableFiles(columns, (DataFile("b", 99, 2, nulls={"reputation": 0, "location": 2}),))
    verdict = null_shares(review({"users": withheld}, {"users": last}), LIMITS)
    assert (verdict.passed, verdict.reason) == (True, "users.reputation: 0.0% unknown, now 0.0%")


def measured(split: str, value: float, low: float, high: float, queries: int = 10) -> Entry:
    of_split = {"system": "s", "split": split, "measure": "MAP@10", "queries": queries}
    return {**of_split, "value": value, "low": low, "high": high}


@pytest.mark.parametrize(("value", "passed"), [(0.55, True), (0.45, False)])
def test_a_measure_below_its_interval(value: float, passed: bool) -> None:
    last = [measured("dev", 0.6, 0.5, 0.7), measured("test", 1.0, 1.0, 1.0)]
    now = [measured("dev", value, value - 0.1, value + 0.1)]
    both = RunUnderReview({}, {}, "s", "MAP@10", entries={"metrics": now}, last_entries={"metrics": last})
    verdict = metric_drop(both, LIMITS)
    assert (verdict.passed, verdict.reason) == (passed, f"MAP@10: 0.6000 [0.5000, 0.7000], now {value:.4f}")


def table(rows: int, nulls: int = 0) -> TableFiles:
    return TableFiles(("body",), (DataFile(f"{rows} {nulls}", 99, rows, nulls={"body": nulls}),))


@pytest.mark.parametrize(
    ("rows", "passed", "measured", "limit"),
    [
        (124, True, 4 / 128, 1 / 32),
        (123, False, 5 / 128, 1 / 32),
        (125, True, 3 / 128, 1 / 32),
        (191, True, 63 / 128, 1 / 2),
        (192, True, 64 / 128, 1 / 2),
        (193, False, 65 / 128, 1 / 2),
    ],
)
def test_rows_at_the_limit_and_a_row_beside_it(rows: int, passed: bool, measured: float, limit: float) -> None:
    limits = CheckSettings(max_row_loss=1 / 32, max_row_growth=1 / 2)
    assert row_counts(review({"posts": table(rows)}, {"posts": table(128)}), limits) == Verdict(
        "row counts", passed, measured, limit, f"posts: 128 rows, now {rows}"
    )


def test_the_table_that_used_most_of_its_limit_is_named() -> None:
    before, now = {"posts": 100, "users": 100, "badges": 100}, {"posts": 104, "users": 140, "badges": 100}
    both = review(
        {name: table(rows) for name, rows in now.items()}, {name: table(rows) for name, rows in before.items()}
    )
    limits = CheckSettings(max_row_loss=0.05, max_row_growth=0.5)
    assert row_counts(both, limits).reason == "users: 100 rows, now 140"
    assert row_counts(both, CheckSettings(max_row_loss=0.05, max_row_growth=0)).reason == "posts: 100 rows, now 104"


@pytest.mark.parametrize(("nulls", "passed"), [(11, True), (12, True), (13, False)])
def test_unknown_values_at_the_limit_and_one_beside_it(nulls: int, passed: bool) -> None:
    both = review({"posts": table(128, nulls)}, {"posts": table(128, 8)})
    verdict = null_shares(both, CheckSettings(max_null_rise=4 / 128))
    assert (verdict.passed, verdict.measured, verdict.limit) == (passed, (nulls - 8) / 128, 4 / 128)


@pytest.mark.parametrize(
    ("value", "passed", "drop"),
    [(0.5, True, 0.0), (0.4375, True, 0.0625), (0.421875, False, 0.078125), (0.453125, True, 0.046875)],
)
def test_a_measure_at_the_limit_and_a_step_beside_it(value: float, passed: bool, drop: float) -> None:
    entries = [measured("dev", each, 0.5, 0.75) for each in (0.625, value)]
    both = RunUnderReview(
        {}, {}, "s", "MAP@10", entries={"metrics": entries[1:]}, last_entries={"metrics": entries[:1]}
    )
    verdict = metric_drop(both, CheckSettings(max_metric_drop=0.0625))
    assert (verdict.passed, verdict.measured) == (passed, drop)
    assert metric_drop(both, LIMITS).passed == (drop == 0)  # by default, the lower end is the limit


@pytest.mark.parametrize(("bad", "passed"), [(3, True), (4, True), (5, False)])
def test_quarantined_records_at_the_limit_and_one_beside_it(bad: int, passed: bool) -> None:
    file = {"source_file": "f", "lines": None, "not_rows": None, "rows_in": 1024, "rows_out": 1024 - bad}
    entries = {"ingested_files": [{**file, "rows_quarantined": bad}]}
    run = RunUnderReview({}, {}, "s", "MAP@10", entries=entries)
    assert quarantine_share(run, CheckSettings(max_quarantine_share=4 / 1024)) == Verdict(
        "quarantine", passed, bad / 1024, 4 / 1024, f"{bad} of 1,024 records"
    )


@pytest.mark.parametrize(("before", "now"), [(9, 10), (10, 9)])
def test_a_measure_of_few_queries_decides_nothing(before: int, now: int) -> None:
    both = RunUnderReview(
        {}, {}, "s", "MAP@10",
        entries={"metrics": [measured("dev", 0.1, 0.0, 0.2, now)]},
        last_entries={"metrics": [measured("dev", 0.6, 0.5, 0.7, before)]},
    )  # fmt: skip
    verdict = metric_drop(both, LIMITS)
    assert (verdict.passed, verdict.measured) == (True, None)
    assert verdict.reason == "too few to tell (fewer than 10): MAP@10: 0.6000 [0.5000, 0.7000], now 0.1000"


def test_a_check_that_does_not_declare_what_it_reads_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    assert all(check.tables for check in all_checks())
    load = CHECKS.load
    monkeypatch.setattr(
        CHECKS, "load", lambda name: (lambda review, limits: None) if name == "row_counts" else load(name)
    )
    with pytest.raises(ContractError, match=r"the check row_counts of cqa-spark .* declares no tables"):
        all_checks()
