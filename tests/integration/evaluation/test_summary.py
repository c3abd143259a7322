"""Systems compared on Spark: values, intervals, tests, refusals."""

from pathlib import Path

import numpy as np
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from cqa_spark.errors import ContractError
from cqa_spark.evaluation.measures import parse_measure
from cqa_spark.evaluation.statistics.bootstrap import Resampling, bootstrap_intervals
from cqa_spark.evaluation.statistics.summary import summarise, summarise_by_site
from cqa_spark.evaluation.statistics.tests import holm, randomization_test
from cqa_spark.lake.journal import Entry, read_entries, write_entries
from cqa_spark.lake.schemas.metrics import COMPARISONS, METRICS, by_measure, by_query, of_systems
from cqa_spark.object_store.folder import Folder

QUERIES = [f"Q{number:02d}" for number in range(24)]


LONG = (
    "task string, split string, site string, query_id string, topic string, system string, measure string, value double"
)


def frame(spark: SparkSession, rows: list[tuple[object, ...]]) -> DataFrame:
    """Rows of ``QUERY_METRICS``."""
    return by_query(spark.createDataFrame(rows, f"{LONG}, components array<double>"))


def without(metrics: DataFrame, condition: str) -> DataFrame:
    return by_query(by_measure(metrics).where(f"not ({condition})"))


def rows(system: str, written: str, components: list[list[float]]) -> list[tuple[object, ...]]:
    measure = parse_measure(written)
    return [
        ("question_comment", "dev", "forum", query, query, system, written, float(measure.aggregate(one, 1)), one)
        for query, one in zip(QUERIES, components, strict=True)
    ]


@pytest.fixture(scope="module")
def components() -> dict[str, dict[str, list[list[float]]]]:
    draw = np.random.default_rng(7)
    average_precision = {system: draw.random((24, 1)).tolist() for system in ("given", "best", "other")}
    counts = {system: draw.integers([0, 5], [5, 10], (24, 2)).astype(float).tolist() for system in average_precision}
    return {"MAP@10": average_precision, "Precision": counts}


@pytest.fixture
def metrics(spark: SparkSession, components) -> DataFrame:
    table = [
        row
        for written, systems in components.items()
        for system, of_queries in systems.items()
        for row in rows(system, written, of_queries)
    ]
    return frame(spark, table)


def test_values_intervals_and_tests_are_those_of_the_sorted_queries(metrics, components) -> None:
    found = summarise(metrics, "given", resamples=999, seed=5, confidence=0.9)
    values = {(entry["measure"], entry["system"]): entry for entry in found.metrics}
    compared = {(entry["measure"], entry["system"]): entry for entry in found.comparisons}

    assert len(values) == 6
    assert sorted(compared) == [("MAP@10", "best"), ("MAP@10", "other"), ("Precision", "best"), ("Precision", "other")]
    for written, systems in components.items():
        measure, baseline, best = parse_measure(written), np.array(systems["given"]), np.array(systems["best"])
        low, high, _ = bootstrap_intervals({measure: best[None]}, resamples=999, seed=5, confidence=0.9)[measure]
        row, test = values[written, "best"], compared[written, "best"]
        assert row["value"] == measure.total(systems["best"])
        assert (row["low"], row["high"]) == (low[0], high[0])
        assert row["low"] < row["value"] < row["high"]
        assert (row["queries"], row["resamples"], row["seed"], row["confidence"]) == (24, 999, 5, 0.9)
        assert test["difference"] == measure.total(systems["best"]) - measure.total(systems["given"])
        both = np.stack([best, np.array(systems["other"])])
        expected = holm(randomization_test({measure: both}, {measure: baseline}, resamples=999, seed=5)[measure])
        assert test["p_value"] == expected[0]
        gain = bootstrap_intervals(
            {measure: np.stack([best, baseline])}, resamples=999, seed=5, confidence=0.9, differences=[(0, 1)]
        )[measure]
        assert (test["difference_low"], test["difference_high"]) == (gain.low[2], gain.high[2])


def test_topics_are_resampled_with_all_their_queries(spark: SparkSession, components) -> None:
    best = components["MAP@10"]["best"]
    topic = F.concat(F.lit("T"), F.floor(F.substring("query_id", 2, 2).cast("int") / 2))
    metrics = frame(spark, rows("best", "MAP@10", best)).withColumn("topic", topic)
    [row] = summarise(metrics, "best", resamples=999, seed=5).metrics
    sums = np.array(best).reshape(1, 12, 2, 1).sum(axis=2)
    measure = parse_measure("MAP@10")
    wanted = bootstrap_intervals({measure: sums}, resamples=999, seed=5, sizes=np.full(12, 2.0))[measure]
    assert (row["value"], row["queries"]) == (measure.total(best), 24)
    assert (row["low"], row["high"]) == pytest.approx((wanted.low[0], wanted.high[0]), abs=1e-12)


def test_wins_losses_and_ties(spark: SparkSession) -> None:
    better = [[1.0]] * 5 + [[0.0]] * 3 + [[0.5]] * 16
    table = rows("given", "MAP@10", [[0.5]] * 24) + rows("best", "MAP@10", better)
    [row] = summarise(frame(spark, table), "given", 99).comparisons
    assert (row["wins"], row["losses"], row["ties"]) == (5, 3, 16)
    assert row["difference"] == pytest.approx((5 * 0.5 - 3 * 0.5) / 24)


def test_each_site_is_measured_by_itself_and_all_together(spark: SparkSession) -> None:
    given, best = ([[float(number < first)] for number in range(24)] for first in (6, 12))
    table = rows("given", "MAP@10", given) + rows("best", "MAP@10", best)
    two_sites = frame(spark, table).withColumn("site", F.when(F.col("query_id") < "Q12", "early").otherwise("late"))
    found = summarise_by_site(two_sites, "given", Resampling(resamples=99))
    values = {(each["site"], each["system"]): (each["value"], each["difference"], each["queries"]) for each in found}
    assert values == {
        ("*", "given"): (0.25, 0.0, 24), ("*", "best"): (0.5, 0.25, 24),
        ("early", "given"): (0.5, 0.0, 12), ("early", "best"): (1.0, 0.5, 12),
        ("late", "given"): (0.0, 0.0, 12), ("late", "best"): (0.0, 0.0, 12),
    }  # fmt: skip


def test_partitions_do_not_change_a_digit(metrics) -> None:
    def figures(partitions: int) -> list[Entry]:
        shuffled = metrics.orderBy("query_id").repartition(partitions)
        return summarise(shuffled, "given", resamples=999).tested

    assert figures(1) == figures(4) == figures(16)


def test_groups_of_many_queries_are_resampled(metrics, monkeypatch: pytest.MonkeyPatch) -> None:
    exact = summarise(metrics, "given", resamples=3999, seed=5, confidence=0.9).tested
    monkeypatch.setattr("cqa_spark.evaluation.statistics.summary.MANY", 20)

    def figures(partitions: int) -> list[Entry]:
        shuffled = metrics.orderBy("query_id").repartition(partitions)
        return summarise(shuffled, "given", resamples=3999, seed=5, confidence=0.9).tested

    found = figures(1)
    assert found == figures(7)
    assert {entry["resamples"] for entry in found} == {3999}
    for ours, expected in zip(found, exact, strict=True):
        assert ours["value"] == pytest.approx(expected["value"], abs=1e-9)
        assert (ours["low"], ours["high"]) == pytest.approx((expected["low"], expected["high"]), abs=0.03)
        same = ("system", "measure", "queries", "baseline", "wins", "losses", "ties", "confidence", "seed")
        assert [ours[name] for name in same] == [expected[name] for name in same]
        if expected["p_value"] is not None:
            assert ours["difference"] == pytest.approx(expected["difference"], abs=1e-9)
            assert ours["p_value"] == pytest.approx(expected["p_value"], abs=0.1)


def test_entries_are_those_of_the_declared_tables(metrics, tmp_path: Path) -> None:
    objects = Folder(str(tmp_path))
    found = summarise(metrics, "given", resamples=9)
    for table, entries in ((METRICS, found.metrics), (COMPARISONS, found.comparisons)):
        write_entries(objects, table, entries, "table", run_id="r1")
        for rows in (table.conform(entries), read_entries(objects, table, "table")):
            assert [{name: value for name, value in row.items() if value is not None} for row in rows] == entries


def test_baseline_alone_has_metrics_and_no_comparisons(metrics) -> None:
    found = summarise(of_systems(metrics, ["given"]), "given", resamples=9)
    assert (len(found.metrics), len(found.comparisons)) == (2, 0)


def test_measures_of_relevant_candidates_are_absent_where_there_are_none(spark: SparkSession) -> None:
    rows = [
        ("duplicate", split, "a.org", query, query, "given", measure, 1.0, [1.0, counts])
        for split, counts in (("dev", 0.0), ("test", 1.0))
        for query in ("1", "2")
        for measure in ("TMAP", "AnsRR@50")
    ]
    found = [
        (each["split"], each["measure"]) for each in summarise(frame(spark, rows), "given", 9, best_by="TMAP").metrics
    ]
    assert found == [("test", "AnsRR@50"), ("test", "TMAP")]


def test_absent_baseline_is_refused(metrics) -> None:
    with pytest.raises(ContractError, match="question_comment, dev: baseline random is not among"):
        summarise(metrics, "random")


def test_systems_measured_on_other_queries_are_refused(metrics) -> None:
    with pytest.raises(ContractError, match=r"Precision of question_comment, dev: .* different queries"):
        summarise(without(metrics, "system = 'best' and measure = 'Precision' and query_id = 'Q03'"), "given")


def test_measures_of_other_queries_are_refused(metrics) -> None:
    with pytest.raises(ContractError, match=r"Precision of question_comment, dev: .* different queries"):
        summarise(without(metrics, "measure = 'Precision' and query_id = 'Q03'"), "given")


def ordered(components: dict[str, dict[str, list[list[float]]]]) -> list[str]:
    totals = {system: np.mean(rows) for system, rows in components["MAP@10"].items()}
    return sorted(totals, key=lambda system: totals[system])


def test_the_best_system_of_many_queries_is_tested_against_the_second_best(
    metrics, components, monkeypatch: pytest.MonkeyPatch
) -> None:
    worst, second, best = ordered(components)
    exact = summarise(metrics, worst, resamples=3999, seed=5, best_by="MAP@10")
    monkeypatch.setattr("cqa_spark.evaluation.statistics.summary.MANY", 20)
    found = summarise(metrics, worst, resamples=3999, seed=5, best_by="MAP@10")
    assert len(found.metrics) == 6
    for ours, expected in zip(found.further, exact.further, strict=True):
        same = ("system", "baseline", "measure", "queries", "wins", "losses", "ties")
        assert [ours[name] for name in same] == [expected[name] for name in same]
        assert ours["difference"] == pytest.approx(expected["difference"], abs=1e-9)
        assert ours["p_value"] == pytest.approx(expected["p_value"], abs=0.1)
    assert [(each["system"], each["baseline"]) for each in found.further] == [(best, second)] * 2


def test_the_best_system_is_tested_against_the_second_best(metrics, components) -> None:
    worst, second, best = ordered(components)
    found = summarise(metrics, worst, resamples=999, seed=5, best_by="MAP@10")
    assert {(each["measure"], each["system"], each["baseline"]) for each in found.further} == {
        ("MAP@10", best, second),
        ("Precision", best, second),
    }
    [row] = [each for each in found.further if each["measure"] == "MAP@10"]
    one, other = (np.array(components["MAP@10"][system]) for system in (best, second))
    measure = parse_measure("MAP@10")
    assert row["difference"] == measure.total(one.tolist()) - measure.total(other.tolist())
    expected = randomization_test({measure: one[None]}, {measure: other}, resamples=999, seed=5)[measure]
    assert row["p_value"] == expected[0]
    assert len(found.metrics) == 6
    assert len(found.comparisons) == 4 + 2
    assert summarise(metrics, second, resamples=9, best_by="MAP@10").further == []


def test_systems_are_also_compared_with_the_second_baseline(metrics, components) -> None:
    totals = {system: np.mean(rows) for system, rows in components["MAP@10"].items()}
    worst, second, best = sorted(totals, key=lambda system: totals[system])
    found = summarise(metrics, worst, resamples=99, seed=5, best_by="MAP@10", second_baseline=second)
    of_best = summarise(metrics, worst, resamples=99, seed=5, best_by="MAP@10")
    assert found == of_best
    [row, _] = summarise(metrics, worst, resamples=99, seed=5, best_by="MAP@10", second_baseline=best).further
    assert (row["measure"], row["system"], row["baseline"]) == ("MAP@10", second, best)
    assert row["difference_low"] <= row["difference"] <= row["difference_high"]
    assert row["difference"] == pytest.approx(totals[second] - totals[best])
    assert summarise(metrics, worst, resamples=9, second_baseline="unranked").further == []
