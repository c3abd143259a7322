from datetime import UTC, datetime, timedelta

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from cqa_spark.errors import InputError
from cqa_spark.lake.schemas.community import COMMENTS, JUDGMENTS, POSTS
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.lake.table import Table
from cqa_spark.task_contract.contract import task
from cqa_spark.task_contract.leakage import (
    letters,
    refuse_shared_threads,
    shared_threads,
    threads_of,
    trained_on,
    training_threads,
    without_labels_of_trained,
)

NOON = datetime(2016, 1, 1, 12, tzinfo=UTC)
SITE = {"site": "s", "source_file": "f.xml", "split": "train"}


def frame(spark: SparkSession, table: Table, *rows: dict[str, object]) -> DataFrame:
    names = table.schema.names
    return spark.createDataFrame([tuple((SITE | row).get(name) for name in names) for row in rows], table.schema)


def post(post_id: str, **others: object) -> dict[str, object]:
    return {"post_id": post_id, "thread_id": post_id, "post_type": "question", "user_id": f"asks_{post_id}", **others}


def comment(comment_id: str, thread_id: str, position: int = 1, **others: object) -> dict[str, object]:
    return {"comment_id": comment_id, "post_id": thread_id, "thread_id": thread_id, "position": position,
            "user_id": f"says_{comment_id}", **others}  # fmt: skip


def judgment(name: str, query: str, candidate: str, thread: str, label: str | None, rank: int | None,
             split: str = "train") -> dict[str, object]:  # fmt: skip
    return {"task": name, "query_id": query, "candidate_id": candidate, "thread_id": thread, "label": label,
            "initial_rank": rank, "split": split}  # fmt: skip


def test_question_comment_skips_repeats_and_the_unannotated_split(spark: SparkSession) -> None:
    posts = frame(spark, POSTS, post("T1"), post("T2", same_as="T1"), post("T3", split="unannotated"))
    comments = frame(spark, COMMENTS, *[comment(f"{t}_C{n}", t, n) for t in ("T1", "T2", "T3") for n in (1, 2, 3, 4)])
    labels = {1: "Good", 2: "PotentiallyUseful", 3: "Bad", 4: None}
    judged = [judgment("question_comment", t, f"{t}_C{n}", t, label, n, "unannotated" if t == "T3" else "train")
              for t in ("T1", "T2", "T3") for n, label in labels.items()]  # fmt: skip
    built = task("question_comment").build(posts, comments, frame(spark, JUDGMENTS, *judged))
    told = built.drop(
        "asker_id", "asked_at", "answered_at", "similarity", "cut_at", "role", "age_days", "accepted", "choice"
    ).orderBy("initial_rank")
    assert [tuple(row) for row in told.collect()] == [
        ("s", "question_comment", "T1", "T1_C1", "T1", "T1", "says_T1_C1", 1, 2, True, "train"),
        ("s", "question_comment", "T1", "T1_C2", "T1", "T1", "says_T1_C2", 2, 1, False, "train"),
        ("s", "question_comment", "T1", "T1_C3", "T1", "T1", "says_T1_C3", 3, 0, False, "train"),
        ("s", "question_comment", "T1", "T1_C4", "T1", "T1", "says_T1_C4", 4, None, None, "train"),
    ]


def test_examples_say_who_asked_and_when_that_and_the_candidate_were_posted(spark: SparkSession) -> None:
    posts = frame(spark, POSTS, post("T1", created_at=NOON), post("T2"))
    comments = frame(
        spark, COMMENTS,
        comment("T1_C1", "T1", created_at=NOON + timedelta(minutes=5)),
        comment("T1_C2", "T1"),
        comment("T2_C1", "T2", created_at=NOON),
    )  # fmt: skip
    pairs = [("T1", "T1_C1"), ("T1", "T1_C2"), ("T2", "T2_C1"), ("T3", "T3_C1")]
    judged = [judgment("question_comment", query, candidate, query, "Good", 1) for query, candidate in pairs]
    built = task("question_comment").build(posts, comments, frame(spark, JUDGMENTS, *judged))
    seconds = [F.unix_seconds(name) - int(NOON.timestamp()) for name in ("asked_at", "answered_at")]
    found = built.select("candidate_id", "asker_id", *seconds).orderBy("candidate_id").collect()
    assert [tuple(row) for row in found] == [
        ("T1_C1", "asks_T1", 0, 300),
        ("T1_C2", "asks_T1", 0, None),
        ("T2_C1", "asks_T2", None, 0),
        ("T3_C1", None, None, None),
    ]


def test_unknown_ranks_follow_the_known_ones_in_the_order_of_the_numbers(spark: SparkSession) -> None:
    posts = frame(spark, POSTS, *[post(name) for name in ("Q1", "Q1_R31", "Q1_R4", "Q1_RX10", "Q1_RX9")])
    judged = [judgment("question_question", "Q1", "Q1_R31", "Q1_R31", "Irrelevant", 31),
              judgment("question_question", "Q1", "Q1_R4", "Q1_R4", "PerfectMatch", 4),
              judgment("question_question", "Q1", "Q1_RX10", "Q1_RX10", "Relevant", None),
              judgment("question_question", "Q1", "Q1_RX9", "Q1_RX9", None, None)]  # fmt: skip
    built = task("question_question").build(posts, frame(spark, COMMENTS), frame(spark, JUDGMENTS, *judged))
    columns = ("candidate_id", "initial_rank", "label", "relevant", "author_id", "fold_key")
    assert [tuple(row) for row in built.select(*columns).orderBy("initial_rank").collect()] == [
        ("Q1_R4", 4, 2, True, "asks_Q1_R4", "Q1"),
        ("Q1_R31", 31, 0, False, "asks_Q1_R31", "Q1"),
        ("Q1_RX9", 32, None, None, "asks_Q1_RX9", "Q1"),
        ("Q1_RX10", 33, 1, True, "asks_Q1_RX10", "Q1"),
    ]


def test_external_comment_keeps_comments_of_repeats(spark: SparkSession) -> None:
    posts = frame(spark, POSTS, post("Q1", user_id=None), post("Q1_R2", same_as="Q0_R1"))
    judged = frame(spark, JUDGMENTS, judgment("external_comment", "Q1", "Q1_R2_C1", "Q1_R2", "Good", 201))
    built = task("external_comment").build(posts, frame(spark, COMMENTS, comment("Q1_R2_C1", "Q1_R2")), judged)
    columns = ("query_id", "candidate_id", "thread_id", "fold_key", "author_id", "initial_rank", "relevant")
    assert [tuple(row) for row in built.select(*columns).collect()] == [
        ("Q1", "Q1_R2_C1", "Q1_R2", "Q1", "says_Q1_R2_C1", 201, True)
    ]


def test_letters_of_a_raw_text_and_of_its_cleansed_copy_are_equal(spark: SparkSession) -> None:
    raw = 'Visa&amp;lt;p class="a"&amp;gt; for Pakistanis,&amp;amp;nbsp;\n<br/>Kindly tell me: 2 mois à Évry?'
    texts = spark.createDataFrame([(raw,), ("Visa  for Pakistanis; Kindly tell me: 2 mois à Évry",)], "text string")
    found = {row[0] for row in texts.select(letters(F.col("text"))).collect()}
    assert found == {"visaforpakistaniskindlytellme2moisàévry"}


def examples(spark: SparkSession, *queries: tuple[str, str]) -> DataFrame:
    rows = [{"task": "question_comment", "query_id": query, "candidate_id": f"{query}_C1", "thread_id": query,
             "fold_key": query, "initial_rank": 1, "split": split} for split, query in queries]  # fmt: skip
    return frame(spark, EXAMPLES, *rows)


LONG = "Where can I find a school for children of four years near the Corniche?"


@pytest.mark.parametrize(
    ("trained", "evaluated", "replies", "shared"),
    [
        (LONG, LONG.replace("?", " ..... <b>"), ("this one", "another"), True),
        (LONG, LONG.replace("four", "five"), ("same", "same"), False),
        ("Good bank?", "good bank", ("Ask CBQ.", "ask cbq"), True),
        ("Good bank?", "good bank", ("Ask CBQ.", "ask QNB"), False),
        ("???", "!!!", ("same", "same"), False),
    ],
)
def test_threads_are_shared_by_text(
    spark: SparkSession, trained: str, evaluated: str, replies: tuple[str, str], shared: bool
) -> None:
    posts = frame(spark, POSTS, post("T1", body=trained), post("D1", subject=evaluated, split="dev"))
    comments = frame(spark, COMMENTS, comment("T1_C1", "T1", body=replies[0]), comment("D1_C1", "D1", body=replies[1]))
    trained = training_threads(examples(spark, ("train", "T1")), posts, comments)
    found = shared_threads(threads_of(examples(spark, ("dev", "D1")), posts, comments), trained).collect()
    assert [(row.split, row.evaluated, row.trained, row.shared_by) for row in found] == (
        [("dev", "D1", "T1", "text")] if shared else []
    )


def test_threads_shared_by_id_are_refused_with_the_list(spark: SparkSession) -> None:
    posts = frame(spark, POSTS, *[post(f"T{n}", subject=f"{LONG} {n}") for n in range(10, 35)])
    comments = frame(spark, COMMENTS)
    trained, evaluated = (examples(spark, *[(split, f"T{n}") for n in range(10, 35)]) for split in ("train", "dev"))
    with pytest.raises(InputError) as error:
        refuse_shared_threads(threads_of(evaluated, posts, comments), training_threads(trained, posts, comments))
    lines = error.value.problem.splitlines()
    assert lines[0] == "25 threads are both in the training and in the evaluation data:"
    assert lines[1].strip() == f"question_comment: dev T10 = train T10 (by id), {LONG} 10"
    assert lines[-1].strip() == "and 5 more"
    assert len(lines) == 22


def test_many_copies_of_a_text_make_no_pairs(spark: SparkSession) -> None:
    posts = frame(spark, POSTS, *[post(f"{kind}{n}", body=LONG) for kind in "TD" for n in range(50)])
    comments = frame(spark, COMMENTS)
    trained = training_threads(examples(spark, *[("train", f"T{n}") for n in range(50)]), posts, comments)
    evaluated = threads_of(examples(spark, *[("dev", f"D{n}") for n in range(50)]), posts, comments)
    found = shared_threads(evaluated, trained).collect()
    assert {(row.evaluated, row.trained, row.shared_by) for row in found} == {
        (f"D{n}", "T0", "text") for n in range(50)
    }
    assert len(found) == 50


def test_a_thread_is_not_shared_by_text_with_its_own_copies_only(spark: SparkSession) -> None:
    schema = (
        "site string, task string, split string, query_id string, fold_key string, fingerprint bigint, subject string"
    )
    both = [
        ("s", "a", "dev", "D", "B", 1, "x"),
        ("s", "b", "dev", "D", "B", 1, "x"),
        ("s", "c", "dev", "D", "B", 1, "x"),
    ]
    trained = [("s", "a", "train", "T", "B", 1, "x"), ("s", "b", "train", "T", "B", 1, "x"),
               ("s", "b", "train", "V", "A", 1, "x"), ("s", "c", "train", "W", "C", 1, "x")]  # fmt: skip
    sides = [spark.createDataFrame(rows, schema) for rows in (both, trained)]
    found = shared_threads(sides[0], trained_on(sides[1])).collect()
    assert sorted((row.task, row.trained, row.shared_by) for row in found) == [
        ("a", "T", "id"),
        ("b", "T", "id"),
        ("b", "V", "text"),
        ("c", "W", "text"),
    ]


def test_a_thread_that_was_copied_to_another_site_is_shared_by_text(spark: SparkSession) -> None:
    schema = (
        "site string, task string, split string, query_id string, fold_key string, fingerprint long, subject string"
    )
    evaluated = [("new", "a", "dev", "7", "7", 1, "moved"), ("new", "a", "dev", "8", "8", 2, "own")]
    trained = [("old", "a", "train", "3", "3", 1, "x"), ("old", "a", "train", "8", "8", 3, "same id")]
    sides = [spark.createDataFrame(rows, schema) for rows in (evaluated, trained)]
    found = shared_threads(sides[0], trained_on(sides[1])).collect()
    assert [(row.site, row.evaluated, row.trained, row.shared_by) for row in found] == [
        ("new", "7", "3 of old", "text")
    ]


def test_copies_of_what_was_trained_on_do_not_count(spark: SparkSession) -> None:
    posts = frame(spark, POSTS, *[post(name, subject=LONG) for name in ("T1", "D1")], post("D2", subject=LONG[5:]))
    comments = frame(spark, COMMENTS)
    rows = [{"task": "question_comment", "query_id": query, "candidate_id": f"{query}_C1", "thread_id": query,
             "fold_key": query, "initial_rank": 1, "label": 2, "relevant": True, "split": split}
            for query, split in (("T1", "train"), ("D1", "dev"), ("D2", "dev"))]  # fmt: skip
    built = frame(spark, EXAMPLES, *rows)
    threads = threads_of(built, posts, comments)
    found = without_labels_of_trained(built, threads, [trained_on(threads)])
    assert found.schema == EXAMPLES.schema
    assert [
        tuple(row) for row in found.select("query_id", "split", "label", "relevant").orderBy("query_id").collect()
    ] == [
        ("D1", "unannotated", None, None),
        ("D2", "dev", 2, True),
        ("T1", "train", 2, True),
    ]
