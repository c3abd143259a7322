"""From small tables of a run to the report's content."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from cqa_spark.errors import ContractError
from cqa_spark.lake.journal import Entry
from cqa_spark.lake.run_log import RunRecord
from cqa_spark.lake.schemas.accounting import INGESTED_FILES, QUARANTINE
from cqa_spark.lake.schemas.community import POSTS
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.lake.schemas.metrics import COMPARISONS, METRICS, QUERY_METRICS
from cqa_spark.lake.schemas.rankings import FEATURE_IMPORTANCES, RANKINGS
from cqa_spark.lake.schemas.text import DOCUMENTS, TEXTS
from cqa_spark.lake.table import Table
from cqa_spark.reports import queries as measured_queries
from cqa_spark.reports.evaluation import Comparison, Measurement
from cqa_spark.reports.kinds import run_report
from cqa_spark.reports.reported_run import ReportedRun, ranked_systems
from cqa_spark.reports.section import ReportValues
from cqa_spark.reports.sections import differences, features, intake, queries, scores
from cqa_spark.reports.sections.differences import Differences
from cqa_spark.reports.sections.features import ReportedImportance, split_feature
from cqa_spark.reports.sections.intake import QuarantineReason, QuarantineSample
from cqa_spark.reports.sections.queries import CANDIDATE_CHARACTERS, RankedCandidate
from cqa_spark.reports.sections.scores import BINS, Confusion
from cqa_spark.text.post_html import page_text

SITE = "qatarliving.com"
TASK = "question_comment"
RECORD = RunRecord(
    "run-1", "running", "run", "hash", "seed: 42\n", "0.1.0", recorded_at=datetime(2026, 5, 9, tzinfo=UTC)
)

RELEVANT = {"Q1_C1": False, "Q1_C2": True, "Q2_C1": True, "Q2_C2": False, "Q3_C1": False, "Q3_C2": False}
SCORES = {
    "best": {"Q1_C1": 0.0, "Q1_C2": 1.0, "Q2_C1": 0.75, "Q2_C2": 0.25, "Q3_C1": 0.5, "Q3_C2": 0.5},
    "given_order": {"Q1_C1": 1.0, "Q1_C2": 0.5, "Q2_C1": 1.0, "Q2_C2": 0.5, "Q3_C1": 1.0, "Q3_C2": 0.5},
}
VALUES = {"best": {"Q1": 1.0, "Q2": 1.0, "Q3": 0.0}, "given_order": {"Q1": 0.5, "Q2": 1.0, "Q3": 0.0}}


Rows = DataFrame | list[Entry]
"""The rows of a table or of a journal table."""


def frame(spark: SparkSession, table: Table, rows: list[dict[str, Any]]) -> DataFrame:
    """Rows of a declared table, computed once; columns that a row does not name are null."""
    names = table.schema.names
    return spark.createDataFrame([tuple(row.get(name) for name in names) for row in rows], table.schema).cache()


def entries(names: str, *rows: tuple[Any, ...], **shared: Any) -> list[dict[str, Any]]:
    """Rows with these columns, and with further ones that all of them share."""
    return [{**shared, **dict(zip(names.split(), row, strict=True))} for row in rows]


def ranking_rows(split: str = "dev") -> list[dict[str, Any]]:
    rows = []
    for system, of_system in SCORES.items():
        for query in ("Q1", "Q2", "Q3"):
            of_query = (key for key in of_system if key.startswith(query))
            candidates = sorted(of_query, key=lambda key: (-of_system[key], key))
            ranked = ((name, of_system[name], rank, rank == 1) for rank, name in enumerate(candidates, start=1))
            shared = {"run_id": "yesterday" if query == "Q3" else "run-1", "system": system, "query_id": query}
            rows += entries("candidate_id score rank predicted", *ranked, site=SITE, task=TASK, split=split, **shared)
    return rows


@pytest.fixture(scope="module")
def tables(spark: SparkSession) -> dict[str, Rows]:
    evaluated = {"task": TASK, "split": "dev"}
    resampled = {"resamples": 1000, "seed": 7}
    examples = entries(
        "query_id candidate_id thread_id fold_key initial_rank label relevant",
        *((key[:2], key, key[:2], key[:2], int(key[-1]), int(good), good) for key, good in RELEVANT.items()),
        site=SITE,
        **evaluated,
    )
    of_queries = [
        (query, [(system, "MAP@10", values[query], [values[query]]) for system, values in VALUES.items()])
        for query in ("Q1", "Q2", "Q3")
    ]
    metrics = entries(
        "system value low high measure",
        *((system, value, value - 0.125, value + 0.125, measure)
          for system, value in (("given_order", 0.5), ("best", 0.625)) for measure in ("P@1", "MAP@10")),
        confidence=0.95, queries=3, **evaluated, **resampled,
    )  # fmt: skip
    comparisons = entries(
        "baseline", ("given_order",), ("random",), measure="MAP@10", system="best", difference=0.125, p_value=0.25,
        wins=1, losses=0, ties=2, **evaluated, **resampled,
    )  # fmt: skip
    importances = entries(
        "feature importance", ("words_v1__b", 0.25), ("lexicon_v2__a", 0.5), ("words_v1__a", 0.25),
        system="best", direction=1,
    )  # fmt: skip
    posts = entries(
        "post_id post_type thread_id subject body", ("Q1", "question", "Q1", "Best bank", "Which one?"),
        site=SITE, split="dev", source_file="/in/b.xml",
    )  # fmt: skip
    documents = entries("document_id text_id", ("Q1_C1", "t1"), ("Q1_C2", "t2"), ("Q1", "t3"), site=SITE, split="dev")
    texts = [text_row("t1", "<b>none</b>"), text_row("t2", "x" * 2000), text_row("t3", "Best bank\nWhich one?")]
    files = entries(
        "source_file split rows_in rows_out rows_quarantined",
        ("/in/a.xml", "train", 10, 8, 2), ("/in/b.xml", "dev", 3, 3, 0), site=SITE,
    )  # fmt: skip
    quarantine = entries(
        "byte_offset raw", (900, "<Thread 900"), (20, "<Thread 20"), site=SITE, source_file="/in/a.xml", reason="cut"
    )
    frames = {
        RANKINGS: [*ranking_rows(), *ranking_rows(split="test")],
        EXAMPLES: examples,
        QUERY_METRICS: entries("query_id measures", *of_queries, site=SITE, topic="t", **evaluated),
        POSTS: posts,
        DOCUMENTS: documents,
        TEXTS: texts,
        QUARANTINE: quarantine,
    }
    journal = {
        METRICS: metrics, COMPARISONS: comparisons, FEATURE_IMPORTANCES: importances, INGESTED_FILES: files
    }  # fmt: skip
    return {
        **{table.name: frame(spark, table, rows) for table, rows in frames.items()},
        **{table.name: table.conform(rows) for table, rows in journal.items()},
    }


def text_row(text_id: str, raw: str) -> dict[str, Any]:
    lists = ("sentences", "tokens", "words", "content_words", "stems", "bigrams")
    return {"text_id": text_id, "raw": raw, "clean": raw, **{name: [] for name in lists}}


def collect(tables: Mapping[str, Rows], **settings: Any) -> ReportValues:
    wanted = {"task": TASK, "split": "dev", "best_system": "best", "baseline": "given_order", "shown_queries": 1}
    frames = {name: rows for name, rows in tables.items() if isinstance(rows, DataFrame)}
    journal = {name: rows for name, rows in tables.items() if not isinstance(rows, DataFrame)}
    ranked = ranked_systems(frames["rankings"])
    return run_report().collect(ReportedRun(RECORD, frames, journal, ranked, **(wanted | settings)))


@pytest.fixture(scope="module")
def report(tables: dict[str, Rows]) -> ReportValues:
    return collect(tables)


def test_systems_come_best_first_and_the_main_measure_first(report: ReportValues) -> None:
    evaluation = report.head.evaluation
    assert evaluation.systems == ("best", "given_order")
    assert evaluation.measures == ("MAP@10", "P@1")
    assert (evaluation.queries, evaluation.candidates) == (3, 6)
    assert evaluation.best == Measurement("best", "MAP@10", 0.625, 0.5, 0.75, 0.95)
    assert evaluation.comparisons == (Comparison("best", "MAP@10", 0.125, 0.25, 1, 0, 2, "given_order"),)
    assert (evaluation.resamples, evaluation.seed) == (1000, 7)


def test_differences_are_counted_largest_first(report: ReportValues) -> None:
    assert report.data(differences.SECTION) == Differences(
        "best", "given_order", "MAP@10", ((0.5, 1), (0.0, 2)), unanswerable=1
    )


def test_scores_are_counted_in_equal_bins_by_relevance(report: ReportValues) -> None:
    best, given = report.data(scores.SECTION).histograms
    assert (best.system, best.low, best.high) == ("best", 0.0, 1.0)
    assert places(best.relevant) == {BINS - 1: 1, BINS * 3 // 4: 1}
    assert places(best.not_relevant) == {0: 1, BINS // 4: 1, BINS // 2: 2}
    assert sum(best.unjudged) == 0
    assert places(given.relevant) == {0: 1, BINS - 1: 1}


def places(counts: tuple[int, ...]) -> dict[int, int]:
    return {number: count for number, count in enumerate(counts) if count}


def test_the_best_system_is_studied_by_prediction(report: ReportValues) -> None:
    study = report.data(scores.SECTION)
    assert study.best == study.histograms[0]
    assert study.confusion == Confusion("best", 2, 1, 0, 3)


def test_features_come_with_their_group_most_important_first(report: ReportValues) -> None:
    assert report.data(features.SECTION).features == (
        ReportedImportance("best", "lexicon_v2", "a", 0.5, 1),
        ReportedImportance("best", "words_v1", "a", 0.25, 1),
        ReportedImportance("best", "words_v1", "b", 0.25, 1),
    )


@pytest.mark.parametrize(
    ("column", "parts"),
    [
        ("comments_v1__length", ("comments_v1", "length")),
        ("v12_v3__a_v1__b", ("v12_v3", "a_v1__b")),
        ("length", ("other", "length")),
    ],
)
def test_a_feature_column_begins_with_its_group(column: str, parts: tuple[str, str]) -> None:
    assert split_feature(column) == parts


def test_the_best_query_is_the_one_that_gains_most(report: ReportValues) -> None:
    best, worst = report.data(queries.SECTION).stories
    assert (best.kind, best.query_id, best.value, best.baseline_value) == ("best", "Q1", 1.0, 0.5)
    assert (best.subject, best.text) == ("Best bank", '<p class="plain">Which one?</p>')
    assert best.candidates == (
        RankedCandidate("Q1_C2", 1, 2, 1.0, True, True, page_text("x" * 999, CANDIDATE_CHARACTERS)),
        RankedCandidate("Q1_C1", 2, 1, 0.0, False, False, page_text("<b>none</b>", 99)),
    )
    assert (worst.kind, worst.query_id, worst.subject, worst.text) == ("worst", "Q2", "", "")


def test_posts_in_html_are_shown_as_written_also_where_no_text_was_analysed(
    spark: SparkSession, tables: dict[str, Rows]
) -> None:
    bodies = {
        "Q1": (1, "Best bank", "<p>Which <b>one</b>?</p><pre><code>1 &lt; 2</code></pre>"),
        "Q1_C2": (2, None, "<p>This one.</p>\n<p>I&#39;m sure.</p>"),
    }
    posts = [
        {"site": SITE, "post_id": post, "post_type": "x", "post_type_id": kind, "thread_id": "Q1", "subject": subject,
         "body": body, "split": "dev", "source_file": "/in/b.xml"}
        for post, (kind, subject, body) in bodies.items()
    ]  # fmt: skip
    lacking = {name: table for name, table in tables.items() if name not in ("documents", "texts")}
    best = collect({**lacking, "posts": frame(spark, POSTS, posts)}).data(queries.SECTION).stories[0]
    assert (best.query_id, best.subject, best.text) == ("Q1", "Best bank", bodies["Q1"][2])
    assert [each.text for each in best.candidates] == ["<p>This one.</p>\n<p>I'm sure.</p>", ""]


@pytest.mark.parametrize("at_a_time", [1, measured_queries.AT_A_TIME])
def test_a_query_that_no_ranking_could_serve_is_not_called_the_worst(
    tables: dict[str, Rows], monkeypatch: pytest.MonkeyPatch, at_a_time: int
) -> None:
    monkeypatch.setattr(measured_queries, "AT_A_TIME", at_a_time)
    stories = collect(tables, shown_queries=3).data(queries.SECTION).stories
    assert {story.query_id for story in stories} == {"Q1", "Q2"}


def test_records_in_out_and_quarantined(report: ReportValues) -> None:
    read = report.data(intake.SECTION)
    assert (read.rows_in, read.rows_out, read.rows_quarantined, read.file_count) == (13, 11, 2, 2)
    names = ("site", "source_file", "split", "rows_in", "rows_out", "rows_quarantined")
    assert [read.files[0][name] for name in names] == [SITE, "/in/a.xml", "train", 10, 8, 2]
    assert read.reasons == (QuarantineReason("cut", 2),)
    assert read.samples == (QuarantineSample("/in/a.xml", 20, "cut", "<Thread 20"),)


@pytest.fixture(scope="module")
def of_rankings(tables: dict[str, Rows]) -> ReportValues:
    return collect({"rankings": tables["rankings"]}, baseline=None)


def test_rankings_alone_are_enough(of_rankings: ReportValues) -> None:
    report = of_rankings
    assert report.head.evaluation.best is None
    assert report.head.rows_in == 0
    assert [section.name for section, _ in report.parts] == ["scores", "queries", "run"]
    assert [sum(histogram.unjudged) for histogram in report.data(scores.SECTION).histograms] == [6, 6]
    story = report.data(queries.SECTION).stories[0]
    assert (story.kind, story.query_id, story.value) == ("sample", "Q1", None)
    assert [candidate.relevant for candidate in story.candidates] == [None, None]
    assert "The split has no labels, so its rankings have no measures." in report.page()


def test_empty_tables_are_as_good_as_absent_ones(tables: dict[str, Rows], of_rankings: ReportValues) -> None:
    emptied = {**each_table(tables, lambda table: table.limit(0), lambda _: []), "rankings": tables["rankings"]}
    assert collect(emptied, baseline=None) == of_rankings


def test_the_content_does_not_depend_on_partitions(tables: dict[str, Rows], report: ReportValues) -> None:
    assert collect(each_table(tables, lambda table: table.repartition(3), lambda entries: entries)) == report


def each_table(
    tables: Mapping[str, Rows], frames: Callable[[DataFrame], DataFrame], journal: Callable[[list[Entry]], list[Entry]]
) -> dict[str, Rows]:
    """The tables after a change of each one in Spark, and of each journal table."""
    return {name: frames(table) if isinstance(table, DataFrame) else journal(table) for name, table in tables.items()}


@pytest.mark.parametrize("settings", [{"best_system": "unknown"}, {"split": "train"}, {"task": "duplicate"}])
def test_a_system_without_ranking_is_refused(tables: dict[str, Rows], settings: dict[str, str]) -> None:
    with pytest.raises(ContractError, match="run run-1 has no ranking of"):
        collect(tables, **settings)
