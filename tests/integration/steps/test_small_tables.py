"""Steps on tables of a few rows: exactly which rows, entries, files and errors follow from them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from small_runs import held, new_files, opened, published

from cqa_spark.corpora.accounting import FileAccount
from cqa_spark.corpora.source import Source
from cqa_spark.errors import ContractError, InputError
from cqa_spark.features.inputs import Cut
from cqa_spark.features.registry import group_class
from cqa_spark.lake.lake import Lake
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_log import StepRecord
from cqa_spark.lake.schemas.accounting import INGESTED_FILES, QUARANTINE
from cqa_spark.lake.schemas.activity import VOTES
from cqa_spark.lake.schemas.community import COMMENTS, JUDGMENTS, POSTS, USERS
from cqa_spark.lake.schemas.examples import EXAMPLES, QUERY
from cqa_spark.lake.schemas.metrics import METRICS, SET_METRICS
from cqa_spark.lake.schemas.night import FIRST_ANSWERS
from cqa_spark.lake.schemas.rankings import NIGHT_RANKINGS, RANKINGS
from cqa_spark.lake.schemas.retrieval import UNRETRIEVED
from cqa_spark.lake.schemas.text import BODIES, DOCUMENTS, TEXTS
from cqa_spark.lake.snapshot import Snapshot, published_of, snapshot_of
from cqa_spark.lake.table import Table
from cqa_spark.lake.writing import nullable
from cqa_spark.settings.sections import EvaluationSettings, FeatureSettings
from cqa_spark.steps.analyse import Analyse
from cqa_spark.steps.attribution import NOT_STATED, attributions, licence_counts
from cqa_spark.steps.audit import Audit
from cqa_spark.steps.changes import SHOWN, FirstAnswers, changed_first_answers
from cqa_spark.steps.evaluate import Evaluate, EvaluateSets
from cqa_spark.steps.export_trec import ExportedQrels, write_trec
from cqa_spark.steps.feature_inputs import feature_inputs
from cqa_spark.steps.featurize import values_by_pass
from cqa_spark.steps.ingest import Ingest
from cqa_spark.steps.pair import Pair
from cqa_spark.steps.publish import publish_run
from cqa_spark.steps.score import Score, served_system
from cqa_spark.systems.recipes import read_systems
from cqa_spark.systems.trained_system import TrainedSystem, model_artifact

Row = Mapping[str, object]
BEER, TEA = "beer.example.org", "tea.example.org"
GIVEN_ORDER, RANDOM = read_systems(["given_order", "random"])


@pytest.fixture
def lake(spark: SparkSession, tmp_path: Path) -> Lake:
    return Lake(spark, str(tmp_path / "lake"))


def put(run: Run, table: Table, rows: Sequence[Row], site: str = BEER) -> None:
    """Add rows of a site to a table; columns that a row does not name are null."""
    files = new_files(run, table, {site: rows})
    [file] = files.files
    nulls = {name: sum(row.get(name) is None for row in rows) for name in files.columns}
    run.put_more(table, replace(files, files=(replace(file, nulls=nulls),)))


def frame(spark: SparkSession, table: Table, rows: Sequence[Row]) -> DataFrame:
    """The rows of a site; columns that a row does not name are null."""
    values = [tuple(({"site": BEER} | row).get(name) for name in table.schema.names) for row in rows]
    return spark.createDataFrame(values, nullable(table.schema))


def rows_of(frame: DataFrame, *columns: str) -> list[tuple[object, ...]]:
    return sorted((tuple(row) for row in frame.select(*columns).collect()), key=repr)


def day(year: int, month: int, number: int, *time: int) -> datetime:
    return datetime(year, month, number, *time, tzinfo=UTC)


# Attribution.


def test_every_text_has_its_author_address_and_licence(lake: Lake) -> None:
    with opened(lake, "r1") as run:
        put(
            run,
            POSTS,
            [
                {"post_id": "1", "post_type": "question", "user_id": "7", "created_at": day(2011, 4, 7, 23, 59, 59)},
                {"post_id": "2", "post_type": "answer", "user_name": "gone", "created_at": day(2011, 4, 8)},
                {"post_id": "3", "post_type": "question", "user_id": "9", "created_at": day(2018, 5, 1, 23, 59)},
                {"post_id": "4", "post_type": "answer", "user_id": "7", "user_name": "old name",
                 "created_at": day(2010, 1, 1), "edited_at": day(2018, 5, 2)},
                {"post_id": "5", "post_type": "question", "created_at": day(2019, 1, 1),
                 "content_license": "CC BY-SA 3.0"},
                {"post_id": "6", "post_type": "question"},
            ],
        )  # fmt: skip
        run.put(POSTS, replace(run.files(POSTS), files=tuple(of_stackexchange(run))))
        put(run, POSTS, [{"post_id": "1", "post_type": "question", "user_id": "7", "created_at": day(2019, 1, 1)}], TEA)
        put(run, COMMENTS, [{"comment_id": "8", "user_id": "7", "created_at": day(2012, 1, 1)}])
        put(run, COMMENTS, [{"comment_id": "1_c", "thread_id": "1", "user_name": "bob"}], TEA)
        put(run, USERS, [{"user_id": "7", "name": "ann"}])
        attributed = attributions(run)
        q, a = f"https://{BEER}/q", f"https://{BEER}/a"
        assert rows_of(attributed, "site", "document_id", "author", "address", "licence") == [
            (BEER, "1", "ann", f"{q}/1", "CC BY-SA 2.5"),
            (BEER, "2", "gone", f"{a}/2", "CC BY-SA 3.0"),
            (BEER, "3", None, f"{q}/3", "CC BY-SA 3.0"),
            (BEER, "4", "ann", f"{a}/4", "CC BY-SA 4.0"),
            (BEER, "5", None, f"{q}/5", "CC BY-SA 3.0"),
            (BEER, "6", None, f"{q}/6", None),
            (BEER, "comment 8", "ann", f"https://{BEER}/posts/comments/8", "CC BY-SA 3.0"),
            (TEA, "1", None, None, None),
            (TEA, "1_c", "bob", None, None),
        ]
        assert [*licence_counts(attributed).items()] == [
            ("CC BY-SA 2.5", 1), ("CC BY-SA 3.0", 4), ("CC BY-SA 4.0", 1), (NOT_STATED, 3),
        ]  # fmt: skip


def of_stackexchange(run: Run) -> Iterator[object]:
    """The files of posts, as if their rows had the type numbers that only Stack Exchange has."""
    for file in run.files(POSTS).files:
        yield replace(file, nulls={**file.nulls, "post_type_id": 0})


def test_a_run_without_posts_or_users_has_no_authors(lake: Lake) -> None:
    with opened(lake, "r1") as run:
        put(run, USERS, [{"user_id": "7", "name": "ann"}])
        assert attributions(run).columns == ["site", "document_id", "author", "address", "licence"]
        assert attributions(run).count() == 0
    with opened(lake, "r2") as run:
        put(run, POSTS, [{"post_id": "1", "post_type": "question", "user_id": "7", "user_name": "ann of the dump"}])
        assert rows_of(attributions(run), "author") == [("ann of the dump",)]


# First answers.


def ranked(query: str, candidates: str, system: str = "new", *, served: bool = True) -> list[Row]:
    """The order of the candidates of a query, a letter each."""
    named = {"task": "t", "query_id": query, "system": system, "served": served}
    return [named | {"candidate_id": letter, "rank": rank} for rank, letter in enumerate(candidates, start=1)]


def test_a_query_is_listed_if_its_served_order_begins_otherwise(spark: SparkSession) -> None:
    before = [*ranked("1", "ab", "old"), *ranked("1", "ba", served=False), *ranked("2", "cd"), *ranked("3", "e")]
    after = [*ranked("1", "ba"), *ranked("2", "cd", "other"), *ranked("2", "dc", served=False), *ranked("4", "f")]
    sides = [frame(spark, RANKINGS, rows) for rows in (before, after)]
    changed = {"site": BEER, "task": "t", "order_after": "new", "changed": 1}
    assert changed_first_answers(*sides) == [
        changed | {"query_id": "1", "before": "a", "after": "b", "order_before": "old"}
    ]
    # The order of each system, served or not; `old` and `other` are in one run alone.
    assert changed_first_answers(*sides, by=(*QUERY, "system")) == [
        changed | {"query_id": "2", "before": "c", "after": "d", "order_before": "new"}
    ]
    assert changed_first_answers(sides[0], sides[0]) == []


def test_the_first_changed_queries_are_listed_and_all_counted(lake: Lake) -> None:
    queries = [f"{number:02}" for number in range(SHOWN + 2)]
    with opened(lake, "last") as run:
        put(run, RANKINGS, [row for query in queries for row in ranked(query, "ab")])
        put(run, RANKINGS, ranked("99", "ab"), TEA)
        run.put(RANKINGS, run.files(RANKINGS).with_fingerprints({BEER: "1", TEA: "1"}))
    counts = StepRecord("first answers")
    with opened(lake, "tonight") as run:
        put(run, RANKINGS, [row for query in queries[1:] for row in ranked(query, "ba")])
        put(run, RANKINGS, ranked("99", "ba"), TEA)
        run.put(RANKINGS, run.files(RANKINGS).with_fingerprints({BEER: "2", TEA: "1"}))
        FirstAnswers(snapshot_of(lake, "last")).execute(run, counts)
        entries = run.entries(FIRST_ANSWERS)
    assert [entry["query_id"] for entry in entries] == queries[1 : SHOWN + 1]
    assert {entry["changed"] for entry in entries} == {SHOWN + 1}
    assert (counts.rows_in, counts.rows_out) == (SHOWN + 1, SHOWN)


# Analysis of texts.


def test_texts_are_analysed_once_and_kept_by_later_nights_until_many_are_unused(lake: Lake) -> None:
    def night(run_id: str, *bodies: str, questions_only: bool = False) -> tuple[list[object], StepRecord, Run]:
        counts = StepRecord("text")
        with opened(lake, run_id) as run:
            kinds = ("question", "answer", "answer", "deleted", "invented")
            posts = [
                {"post_id": str(number), "post_type": kind, "body": body, "split": "train"}
                for number, (kind, body) in enumerate(zip(kinds, bodies, strict=False), start=1)
            ]
            put(run, POSTS, posts)
            put(run, COMMENTS, [{"comment_id": "c", "thread_id": "1", "body": "thanks", "split": "train"}])
            last = published_of(lake, "")
            Analyse(questions_only=questions_only, last=last).execute(run, counts)
            documents = rows_of(run.read(DOCUMENTS), "document_id")
            texts = [raw for (raw,) in rows_of(run.read(TEXTS), "raw")]
        published(lake, run_id)
        return [[name for (name,) in documents], texts], counts, run

    found, counts, first = night("first", "one", "two", "three", "never seen", "made up")
    assert found == [["1", "2", "3", "c"], ["one", "thanks", "three", "two"]]
    assert (counts.rows_in, counts.rows_out) == (4, 4)
    # Of four texts and a new one, one that no document has stays; two would be too many.
    found, counts, second = night("second", "one", "two", "four")
    assert found == [["1", "2", "3", "c"], ["four", "one", "thanks", "three", "two"]]
    assert counts.rows_out == 5
    assert {*first.files(TEXTS).files} < {*second.files(TEXTS).files}
    found, _, _ = night("third", "one", "two", "two")
    assert found == [["1", "2", "3", "c"], ["one", "thanks", "two"]]


def test_tasks_that_compare_questions_analyse_neither_answers_nor_comments(lake: Lake) -> None:
    with opened(lake, "r1") as run:
        posts = [("1", "question", "<p>one</p>"), ("2", "answer", "two"), ("3", "question", "one")]
        put(run, POSTS, [{"post_id": i, "post_type": kind, "body": body, "post_type_id": 1, "split": "dev"}
                         for i, kind, body in posts])  # fmt: skip
        put(run, COMMENTS, [{"comment_id": "c", "body": "thanks", "split": "dev"}])
        Analyse(questions_only=True).execute(run, StepRecord("text"))
        assert rows_of(run.read(DOCUMENTS), "document_id") == [("1",), ("3",)]
        assert rows_of(run.read(TEXTS), "raw") == [("one",)]
        assert rows_of(run.read(BODIES), "prose") == [("one",), ("one",)]


# Examples of threads, and what is computed for them.


def example(query: str, candidate: str, rank: int, label: int | None = None, **others: object) -> Row:
    relevant = None if label is None else label > 1
    return {"task": "question_comment", "query_id": query, "candidate_id": candidate, "thread_id": query,
            "fold_key": query, "initial_rank": rank, "label": label, "relevant": relevant, "split": "dev",
            **others}  # fmt: skip


def test_groups_read_the_tables_that_the_run_has_of_the_sites_of_the_examples(lake: Lake) -> None:
    with opened(lake, "r1") as run:
        for site in (BEER, TEA):
            put(run, POSTS, [{"post_id": "1"}], site)
            put(run, COMMENTS, [{"comment_id": "1"}], site)
            put(run, EXAMPLES, [example("1", "1", 1)], site)
        put(run, USERS, [{"user_id": "7"}], TEA)
        settings = FeatureSettings(cut="answer", cut_hours=6, top_tags=3)
        examples = run.read(EXAMPLES).where(F.col("site") == TEA)
        with feature_inputs(run, examples, settings, sites=[TEA]) as inputs:
            assert inputs.users is not None
            for table in (inputs.examples, inputs.posts, inputs.comments, inputs.users):
                assert rows_of(table, "site") == [(TEA,)]
            assert (inputs.documents.count(), inputs.texts.count()) == (0, 0)
            assert (inputs.votes, inputs.embeddings) == (None, None)
            assert inputs.sites == {"examples": [TEA], "users": [TEA]}
            assert (inputs.cut, inputs.top_tags) == (Cut("answer", 6), 3)
        with feature_inputs(run, run.read(EXAMPLES), settings) as inputs:
            assert rows_of(inputs.posts, "site") == [(BEER,), (TEA,)]
            assert inputs.sites == {"examples": [BEER, TEA], "users": [TEA]}


@pytest.mark.parametrize("sites_with_votes", [[BEER], []])
def test_a_trained_group_has_no_values_on_a_site_without_its_tables(lake: Lake, sites_with_votes: list[str]) -> None:
    group = group_class("answer_votes_asof_v1")()
    noon, evening = day(2020, 1, 1, 12), day(2020, 1, 1, 20)
    with opened(lake, "r1") as run:
        for site in (BEER, TEA):
            posts = [{"post_id": "1", "post_type": "question", "thread_id": "1", "created_at": noon},
                     {"post_id": "2", "post_type": "answer", "thread_id": "1", "created_at": noon}]  # fmt: skip
            put(run, POSTS, posts, site)
            put(run, COMMENTS, [{"comment_id": "1", "post_id": "1", "created_at": noon}], site)
            asked = {"asked_at": noon, "answered_at": noon, "cut_at": evening}
            put(run, EXAMPLES, [example("1", "2", 1, **asked)], site)
        for site in sites_with_votes:
            put(run, VOTES, [{"vote_id": "1", "post_id": "2", "vote_type_id": 2, "created_at": day(2019, 1, 1)}], site)
        with feature_inputs(run, run.read(EXAMPLES), FeatureSettings()) as inputs:
            if not sites_with_votes:
                with pytest.raises(InputError, match="trained on answer_votes_asof_v1, and the dump has no votes"):
                    values_by_pass(run, [group], inputs)
                return
            [values] = values_by_pass(run, [group], inputs).values()
            found = {row["site"]: row[group.name] for row in values.collect()}
    assert found.keys() == {BEER, TEA}
    assert found[TEA] is None
    assert found[BEER] is not None


def test_an_audit_is_of_one_task_whose_questions_have_times(lake: Lake) -> None:
    audit = Audit(["basic_a_asof_v1"], 1, FeatureSettings())
    for run_id, tasks, problem in (
        ("both", {"preferred_answer": day(2020, 1, 1), "duplicate": day(2020, 1, 1)},
         "run both has dated examples of duplicate, preferred_answer"),
        ("none", {"preferred_answer": None, "duplicate": None}, "run none has no examples with a time"),
    ):  # fmt: skip
        with opened(lake, run_id) as run:
            put(run, POSTS, [{"post_id": "1"}])
            put(run, COMMENTS, [{"comment_id": "1"}])
            put(run, EXAMPLES, [example("1", "2", 1, task=task, asked_at=time) for task, time in tasks.items()])
            with pytest.raises(InputError, match=problem):
                audit.execute(run, StepRecord("audit"))


# Pairs of threads in training and evaluation data.

LONG = "Where in the old town do they sell saffron by the gram, please?"


@pytest.fixture
def judged_run(lake: Lake) -> Iterator[Run]:
    """Threads T1 and T2 to learn from, and D1 to evaluate, whose question is that of T1."""
    threads = {"T1": (LONG, "train"), "T2": ("Is it open?", "train"), "D1": (LONG.upper(), "dev")}
    with opened(lake, "r1") as run:
        put(run, POSTS, [{"post_id": thread, "thread_id": thread, "post_type": "question", "body": body,
                          "split": split} for thread, (body, split) in threads.items()])  # fmt: skip
        put(run, COMMENTS, [{"comment_id": f"{thread}_C1", "post_id": thread, "thread_id": thread, "position": 1,
                             "split": split} for thread, (_, split) in threads.items()])  # fmt: skip
        labels = [{"task": "question_comment", "query_id": thread, "candidate_id": f"{thread}_C1", "thread_id": thread,
                   "label": "Good", "initial_rank": 1, "split": split}
                  for thread, (_, split) in threads.items()]  # fmt: skip
        put(run, JUDGMENTS, [*labels, labels[0] | {"task": "sts"}])
        yield run


def pair(run: Run, **options: object) -> tuple[list[tuple[object, ...]], StepRecord]:
    counts = StepRecord("pair")
    Pair(("question_comment", "question_question"), **options).execute(run, counts)  # type: ignore[arg-type]
    return rows_of(run.read(EXAMPLES), "query_id", "label", "relevant", "split"), counts


def test_threads_in_training_and_evaluation_data_are_refused_unless_they_are_left_out_or_allowed(
    judged_run: Run,
) -> None:
    with pytest.raises(InputError, match=r"question_comment: dev D1 = train T1 \(by text\)"):
        pair(judged_run)
    found, counts = pair(judged_run, leave_out=["T1", "D1"])
    assert found == [("D1", 2, True, "dev"), ("T2", 2, True, "train")]
    assert (counts.rows_in, counts.rows_out) == (4, 2)
    found, counts = pair(judged_run, allow_shared_threads=True)
    assert found == [("D1", 2, True, "dev"), ("T1", 2, True, "train"), ("T2", 2, True, "train")]


def test_threads_that_a_model_has_learned_from_are_refused_or_not_measured(judged_run: Run) -> None:
    known = judged_run.lake.spark.createDataFrame(
        [(BEER, "question_comment", "D1", "D1", None)],
        "site string, task string, query_id string, fold_key string, fingerprint bigint",
    )
    trained = TrainedSystem(GIVEN_ORDER, None, {}, "r0", known)  # type: ignore[arg-type]
    judged_run.add_artifact(model_artifact("given_order"), "/absent", trained)
    with pytest.raises(InputError, match=r"question_comment: dev D1 = train D1 \(by id\)"):
        pair(judged_run, models=["given_order"], leave_out=["T1"])
    found, counts = pair(judged_run, models=["given_order"], unlabel_shared_threads=True)
    assert found == [("D1", None, None, "unannotated"), ("T1", 2, True, "train"), ("T2", 2, True, "train")]
    assert (counts.rows_in, counts.rows_out) == (4, 3)


# Rankings.


def test_which_order_is_served_follows_from_site_and_age(spark: SparkSession) -> None:
    orders = [
        {"site": BEER, "order": "votes", "from_days": 0, "below_days": 2},
        {"site": BEER, "order": "usual", "from_days": 2, "below_days": 7},
        {"site": BEER, "order": "first", "from_days": 7, "below_days": None},
        {"site": TEA, "order": "first", "from_days": 1, "below_days": 3},
    ]
    rows = [(site, age) for site in (BEER, TEA) for age in (0, 1, 2, 3, 6, 7, 400)] + [(TEA, None)]
    examples = spark.createDataFrame(rows, "site string, age_days int")
    served = examples.select(served_system("usual", orders)).collect()
    assert [row[0] for row in served] == [
        "votes", "votes", "usual", "usual", "usual", "first", "first",
        "usual", "first", "first", "usual", "usual", "usual", "usual", "usual",
    ]  # fmt: skip


def test_all_systems_rank_what_is_not_to_learn_from(lake: Lake) -> None:
    counts = StepRecord("score")
    with opened(lake, "r1") as run:
        put(run, EXAMPLES, [example("1", "a", 2), example("1", "b", 1), example("2", "c", 1, split="test")])
        put(run, EXAMPLES, [example("3", "d", 1, split="train"), example("1", "e", 1, task="external_comment")])
        for system in (GIVEN_ORDER, RANDOM):
            model = system.build().fit(run.read(EXAMPLES))
            trained = TrainedSystem(system, model, {}, "r1", run.read(EXAMPLES))
            run.add_artifact(model_artifact(system.name), "/absent", trained)
        Score((GIVEN_ORDER, RANDOM), "question_comment").execute(run, counts)
        rankings = run.read(RANKINGS)
        assert rows_of(rankings.where("system = 'given_order'"), "query_id", "candidate_id", "rank", "split") == [
            ("1", "a", 2, "dev"), ("1", "b", 1, "dev"), ("2", "c", 1, "test"),
        ]  # fmt: skip
        assert (counts.rows_in, counts.rows_out) == (3, 6)
        with pytest.raises(InputError, match="the input has no candidates to rank for question_question"):
            Score((GIVEN_ORDER,), "question_question").execute(run, counts)
        with pytest.raises(InputError, match="the input has no candidates to rank for preferred_answer"):
            Score((GIVEN_ORDER,), "preferred_answer").execute(run, counts)


def ranking(system: str, query: str, candidates: str, *, task: str = "question_comment", split: str = "dev",
            scores: Sequence[float] | None = None) -> list[Row]:  # fmt: skip
    """The order of the candidates of a query, a letter each, with scores that fall by 1 if none are given."""
    named = {"system": system, "task": task, "split": split, "query_id": query, "predicted": False}
    scores = scores or range(len(candidates), 0, -1)
    return [named | {"candidate_id": letter, "score": float(score), "rank": rank}
            for rank, (letter, score) in enumerate(zip(candidates, scores, strict=True), start=1)]  # fmt: skip


def test_a_partial_ranking_is_not_published(lake: Lake) -> None:
    for run_id, candidates in (("part", "b"), ("whole", "ba")):
        with opened(lake, run_id) as run:
            put(run, EXAMPLES, [example("1", "a", 1), example("1", "b", 2)])
            put(run, RANKINGS, ranking("mine", "1", candidates))
    with held(lake) as leased:
        with pytest.raises(ContractError, match="run part is not published: mine ranked 1 of 2 candidates of 1"):
            publish_run(leased, "part")
        publish_run(leased, "whole")
    last = published_of(lake, "")
    assert last is not None
    assert last.record.run_id == "whole"


def evaluated(run: Run, **options: object) -> dict[tuple[str, ...], float]:
    settings = EvaluationSettings(measures=["AP@1000", "P@1"], resamples=9)
    Evaluate(settings, "base", **options).execute(run, StepRecord("evaluate"))  # type: ignore[arg-type]
    return {
        (entry["split"], entry["system"], entry["measure"]): entry["value"]
        for entry in run.entries(METRICS)
        if entry["system"] == "mine"
    }


def test_measures_are_of_the_queries_to_evaluate_with_what_retrieval_missed(lake: Lake) -> None:
    with opened(lake, "r1") as run:
        put(run, EXAMPLES, [example("1", "a", 1, 2), example("1", "b", 2, 0), example("2", "c", 1, 2, split="train"),
                            example("2", "d", 2, 0, split="train")])  # fmt: skip
        orders = {"mine": ("ab", "dc"), "base": ("ba", "cd")}
        for system, (first, second) in orders.items():
            put(run, RANKINGS, ranking(system, "1", first))
            put(run, RANKINGS, ranking(system, "2", second, split="cross-validated"))
        assert evaluated(run) == {("dev", "mine", "AP@1000"): 1.0, ("dev", "mine", "P@1"): 1.0}
        assert evaluated(run, cross_validated=True) == {
            ("cross-validated", "mine", "AP@1000"): 0.5,
            ("cross-validated", "mine", "P@1"): 0.0,
        }
        put(run, UNRETRIEVED, [example("1", "e", 3, 2)])
        assert evaluated(run) == {("dev", "mine", "AP@1000"): 0.5, ("dev", "mine", "P@1"): 1.0}


def test_sets_of_pairs_are_evaluated_each_and_together(lake: Lake) -> None:
    counts = StepRecord("sets")
    similarities = {"2014/news": (1.0, 2.0, 3.0), "2014/tweets": (5.0, 3.0, 1.0, 1.0)}
    examples, rankings = [], []
    for name, values in similarities.items():
        for number, value in enumerate(values, start=1):
            query = f"{name}:{number}:1"
            examples.append(example(query, "x", 1, round(value), task="sts", similarity=value))
            rankings += ranking("mine", query, "x", task="sts", scores=[2 * value + 1])
            rankings += ranking("base", query, "x", task="sts", scores=[-value])
    with opened(lake, "r1") as run:
        put(run, EXAMPLES, examples)
        put(run, RANKINGS, rankings)
        settings = EvaluationSettings(measures=["Pearson"], resamples=9)
        Evaluate(settings, "base").execute(run, StepRecord("evaluate"))
        EvaluateSets(settings, "base").execute(run, counts)
        entries = run.entries(SET_METRICS)
    assert (counts.rows_in, counts.rows_out) == (14, 8)
    columns = ("set_name", "system", "queries", "baseline", "measure")
    assert {tuple(entry[name] for name in columns): round(entry["value"], 12) for entry in entries} == {
        (name, system, queries, "base", "Pearson"): value
        for name, queries in (("2014/news", 3), ("2014/tweets", 4), ("mean by pairs", 7), ("mean of sets", 7))
        for system, value in (("mine", 1.0), ("base", -1.0))
    }
    assert {round(entry["difference"], 12) for entry in entries if entry["system"] == "mine"} == {2.0}


# TREC files.


def written(snapshot: Snapshot, folder: Path, **options: str) -> tuple[dict[str, list[str]], list[ExportedQrels]]:
    folder.mkdir()
    files = write_trec(snapshot, folder, **options)
    paths = [*files.runs, *(qrels.path for qrels in files.qrels)]
    assert sorted(paths) == sorted(folder.iterdir())
    return {path.name: path.read_text(encoding="utf-8").splitlines() for path in paths}, files.qrels


def test_runs_and_qrels_of_every_task_split_and_system(lake: Lake, tmp_path: Path) -> None:
    with opened(lake, "r1") as run:
        put(run, EXAMPLES, [example("1", "a", 1, 2), example("1", "b", 2, 0), example("1", "c", 3),
                            example("2", "d", 1, 1, split="test"), example("9", "z", 1, task="sts")])  # fmt: skip
        put(run, RANKINGS, [*ranking("mine", "1", "bac", scores=[2.5, 2.5, -1.0]), *ranking("base", "1", "abc")])
        put(run, RANKINGS, [*ranking("mine", "2", "d", split="test"), *ranking("mine", "9", "z", task="sts")])
        put(run, NIGHT_RANKINGS, ranking("mine", "5@2020-01-02", "f", task="preferred_answer", split="nights"))
        night = {"task": "preferred_answer", "role": "measured", "split": "train"}
        put(run, EXAMPLES, [example("5@2020-01-02", "f", 1, 1, **night)])
    snapshot = snapshot_of(lake, "r1")
    files, qrels = written(snapshot, tmp_path / "all")
    assert files == {
        "base.question_comment.dev.run": ["1 Q0 a 1 3.0 base", "1 Q0 b 2 2.0 base", "1 Q0 c 3 1.0 base"],
        "mine.question_comment.dev.run": ["1 Q0 b 1 2.5 mine", "1 Q0 a 2 2.499999761581421 mine", "1 Q0 c 3 -1.0 mine"],
        "mine.question_comment.test.run": ["2 Q0 d 1 1.0 mine"],
        "mine.preferred_answer.nights.run": ["5@2020-01-02 Q0 f 1 1.0 mine"],
        "question_comment.dev.qrels": ["1 0 a 2", "1 0 b 0"],
        "question_comment.test.qrels": ["2 0 d 1"],
        "preferred_answer.nights.qrels": ["5@2020-01-02 0 f 1"],
    }
    assert [(each.path.name, each.relevance_level, each.is_partial) for each in qrels] == [
        ("preferred_answer.nights.qrels", 1, False),
        ("question_comment.dev.qrels", 2, True),
        ("question_comment.test.qrels", 2, False),
    ]
    files, _ = written(snapshot, tmp_path / "some", system="mine", split="test")
    assert files.keys() == {"mine.question_comment.test.run", "question_comment.test.qrels"}
    with pytest.raises(InputError, match="run r1 has no such rankings"):
        written(snapshot, tmp_path / "none", system="base", split="test")


def test_queries_of_several_sites_are_named_after_them_and_without_judgments_there_are_no_qrels(
    lake: Lake, tmp_path: Path
) -> None:
    with opened(lake, "r1") as run:
        for site in (BEER, TEA):
            put(run, EXAMPLES, [example("1", "a", 1)], site)
            put(run, RANKINGS, ranking("mine", "1", "a"), site)
    files, qrels = written(snapshot_of(lake, "r1"), tmp_path / "all")
    assert files == {"mine.question_comment.dev.run": [f"{BEER}/1 Q0 a 1 1.0 mine", f"{TEA}/1 Q0 a 1 1.0 mine"]}
    assert qrels == []


# Ingestion.


class Damaged(Source):
    """A file of three records, two of which cannot be parsed."""

    tables = (QUARANTINE, INGESTED_FILES)

    def bytes_to_read(self, last: Snapshot | None, code_version: str) -> int | None:
        return None

    def ingest(self, run: Run) -> None:
        problems = [("Score is no number: x10", '<row Score="x10"'), ("Score is no number: ", "<row Score=''")]
        put(run, QUARANTINE, [{"source_file": "Posts.xml", "byte_offset": 7 * number, "reason": reason, "raw": raw}
                              for number, (reason, raw) in enumerate(problems)])  # fmt: skip
        counts = FileAccount(BEER, "Posts.xml", "train", None, None, None, None, 3, 1, 2)
        run.write_entries(INGESTED_FILES, [counts._asdict()])


def test_quarantined_records_are_shown_with_their_reasons(lake: Lake, capsys: pytest.CaptureFixture[str]) -> None:
    with opened(lake, "r1") as run:
        Ingest(Damaged(), "stackexchange").execute(run, StepRecord("ingest"))
    shown = capsys.readouterr().err
    assert "quarantined, 2 in all" in shown
    assert "2 x Score is no number: x10" in shown
    assert '<row Score="x10"' in shown
    assert f"cqa inspect --lake {lake.root} --run-id r1" in shown
