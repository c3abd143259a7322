"""Which threads a preferred-answer data set has, how they are split, and what its card says."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from cqa_spark.lake.schemas.activity import VOTES
from cqa_spark.lake.schemas.community import COMMENTS, POSTS
from cqa_spark.lake.table import Table
from cqa_spark.settings.preferred_answer import AnswerSettings
from cqa_spark.tasks.preferred_answer import examples as dataset
from cqa_spark.tasks.preferred_answer.examples import candidates, data_card, examples_of, judged_answers
from cqa_spark.tasks.preferred_answer.task import PreferredAnswer

START = datetime(2020, 1, 1, tzinfo=UTC)
TWO = AnswerSettings(min_answers=2)
YES, NO = True, False
TASK = PreferredAnswer()


def hours(number: float) -> datetime:
    return START + timedelta(hours=number)


def table(spark: SparkSession, declared: Table, rows: Sequence[dict[str, object]]) -> DataFrame:
    filled = {"site": "s", "split": "unannotated", "source_file": "f"}
    return spark.createDataFrame(
        [tuple((filled | row).get(field.name) for field in declared.columns) for row in rows], declared.schema
    )


def community(spark: SparkSession, *answers: tuple[str, str, str | None, float | None, bool | None]) -> DataFrame:
    """Judged answers of questions asked by ``asker`` at hour 0; acceptances are known at hour 24.

    Args:
        spark: the session.
        answers: (question, answer, author, hour, label: whether it was accepted).
    """
    accepted = {question: answer for question, answer, *_, label in answers if label}
    # An answer that is not in the dump may have been accepted.
    judged = {
        question: accepted.get(question, "elsewhere")
        for question, *_, is_accepted in answers
        if is_accepted is not None
    }
    posts: list[dict[str, object]] = [
        {"post_id": question, "thread_id": question, "post_type": "question", "user_id": "asker", "created_at": START,
         "accepted_answer_id": judged.get(question)}
        for question in sorted({question for question, *_ in answers})
    ] + [
        {"post_id": a, "thread_id": q, "post_type": "answer", "user_id": author,
         "created_at": None if hour is None else hours(hour)}
        for q, a, author, hour, _ in answers
    ]  # fmt: skip
    votes = [{"vote_id": a, "post_id": a, "vote_type_id": 1, "created_at": START} for a in accepted.values()]
    return judged_answers(table(spark, POSTS, posts), table(spark, VOTES, votes))


def outcomes(frame: DataFrame) -> dict[str, str]:
    return {row["query_id"]: row["outcome"] for row in frame.collect()}


@pytest.fixture(scope="module")
def answers(spark: SparkSession) -> DataFrame:
    return community(
        spark,
        ("sound", "10", "a", 5, NO), ("sound", "9", "b", 5, YES), ("sound", "8", None, 7, NO),
        ("skewed", "21", "a", 3, NO), ("skewed", "22", "b", -2, YES),
        ("self", "31", "asker", 1, YES), ("self", "32", "a", 2, NO), ("self", "33", "b", 25, NO),
        ("open", "51", "a", 1, None), ("open", "52", "b", 2, None),
        ("gone", "61", "a", 1, NO), ("gone", "62", "b", 2, NO),
        ("lonely", "71", "a", 1, YES),
        ("undated", "81", "a", None, NO), ("undated", "82", "b", 4, YES),
    ).persist()  # fmt: skip


def test_what_may_speak_against_an_answer(answers: DataFrame) -> None:
    found = {
        row["candidate_id"]: {name for name in ("self_answer", "late", "ownerless", "early") if row[name]}
        for row in answers.collect()
    }
    assert {answer: names for answer, names in found.items() if names} == {
        "8": {"ownerless"}, "22": {"early"}, "31": {"self_answer"}, "33": {"late"},
    }  # fmt: skip


def test_an_acceptance_is_known_from_the_midnight_after_its_last_vote(spark: SparkSession) -> None:
    posts = [
        {"post_id": "1", "thread_id": "1", "post_type": "question", "accepted_answer_id": "12"},
        {"post_id": "11", "thread_id": "1", "post_type": "answer"},
        {"post_id": "12", "thread_id": "1", "post_type": "answer"},
        {"post_id": "2", "thread_id": "2", "post_type": "question", "accepted_answer_id": "21"},
        {"post_id": "21", "thread_id": "2", "post_type": "answer"},
    ]
    votes = [
        {"vote_id": "1", "post_id": "12", "vote_type_id": 1, "created_at": datetime(2020, 1, 1, tzinfo=UTC)},
        {"vote_id": "2", "post_id": "12", "vote_type_id": 1, "created_at": datetime(2020, 1, 3, 15, 30, tzinfo=UTC)},
        {"vote_id": "3", "post_id": "12", "vote_type_id": 2, "created_at": datetime(2020, 1, 9, tzinfo=UTC)},
        {"vote_id": "4", "post_id": "21", "vote_type_id": 1, "created_at": datetime(2020, 1, 5, tzinfo=UTC)},
    ]
    found = judged_answers(table(spark, POSTS, posts), table(spark, VOTES, votes))
    rows = found.selectExpr("candidate_id", "accepted", "unix_seconds(known_at) as known_at").orderBy("candidate_id")
    third, fifth = (int(datetime(2020, 1, day + 1, tzinfo=UTC).timestamp()) for day in (3, 5))
    assert [tuple(row) for row in rows.collect()] == [("11", False, third), ("12", True, third), ("21", True, fifth)]


def test_outcome_and_initial_rank(answers: DataFrame) -> None:
    found = candidates(answers, TWO)
    assert outcomes(found) == {
        "sound": "kept", "skewed": "kept", "self": "kept", "undated": "kept",
        "open": "no answer is accepted",
        "gone": "the accepted answer is not among the candidates",
        "lonely": "fewer than 2 answers",
    }  # fmt: skip
    in_order = {
        question: [row[0] for row in found.where(F.col("query_id") == question).orderBy("initial_rank").collect()]
        for question, found in ((name, found.select("candidate_id", "query_id", "initial_rank"))
                                for name in ("sound", "skewed", "undated"))
    }  # fmt: skip
    assert in_order == {"sound": ["9", "10", "8"], "skewed": ["22", "21"], "undated": ["82", "81"]}


@pytest.mark.parametrize(
    ("rules", "lost"),
    [
        (TWO.model_copy(update={"min_answers": 3}), {"skewed", "undated"}),
        (TWO.model_copy(update={"self_answers": False}), {"self"}),
        (TWO.model_copy(update={"min_answers": 3, "late_answers": False}), {"skewed", "undated", "self"}),
        (TWO.model_copy(update={"min_answers": 3, "deleted_owners": False}), {"skewed", "undated", "sound"}),
        (TWO.model_copy(update={"within_hours": 4}), {"sound", "undated"}),
        (TWO.model_copy(update={"within_hours": 23, "open_questions": True}), {"undated"}),
        (TWO.model_copy(update={"within_hours": 30, "open_questions": True}), {"sound", "skewed", "self", "undated"}),
    ],
)
def test_what_can_be_switched_off(answers: DataFrame, rules: AnswerSettings, lost: set[str]) -> None:
    kept = {question for question, outcome in outcomes(candidates(answers, rules)).items() if outcome == "kept"}
    assert kept == {"sound", "skewed", "self", "undated"} - lost


@pytest.fixture(scope="module")
def many(spark: SparkSession) -> DataFrame:
    """400 threads of two sites, one asked every hour, with two answers, the first of which is accepted."""
    rows = [
        (f"s{number % 2}", f"q{number}", f"{number}-{answer}", "u", "v", hours(number), hours(number + answer),
         answer == 1, answer, "kept")
        for number in range(400) for answer in (1, 2)
    ]  # fmt: skip
    return spark.createDataFrame(
        rows,
        "site string, query_id string, candidate_id string, author_id string, asker_id string, "
        "asked_at timestamp, answered_at timestamp, accepted boolean, initial_rank int, outcome string",
    ).persist()


def splits_of(examples: DataFrame) -> dict[str, str]:
    return {row["query_id"]: row["split"] for row in examples.select("query_id", "split").distinct().collect()}


def test_small_is_a_part_of_large_and_full_leaves_out_what_large_is_measured_on(
    many: DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dataset, "SIZES", {"small": 50, "large": 150})
    small, large, full = (
        splits_of(examples_of(TASK, many, name=name, split="hash")) for name in ("small", "large", "full")
    )
    assert (len(small), len(large)) == (50, 150)
    assert small.items() <= large.items()
    assert set(full) == {f"q{n}" for n in range(400)} - {q for q, split in large.items() if split != "train"}
    assert set(full.values()) == {"train"}
    upside_down = many.repartition(7, "candidate_id").orderBy(F.col("candidate_id").desc())
    assert splits_of(examples_of(TASK, upside_down, name="small", split="hash")) == small


def test_half_is_for_training_and_a_quarter_each_to_measure_on(many: DataFrame) -> None:
    found = list(splits_of(examples_of(TASK, many, name="small", split="hash")).values())
    # Binomial: three standard deviations of 400 threads are 30 and 26.
    assert abs(found.count("train") - 200) <= 30
    assert abs(found.count("dev") - 100) <= 26
    assert abs(found.count("test") - 100) <= 26


def test_the_future_is_measured_on(many: DataFrame) -> None:
    found = splits_of(examples_of(TASK, many, name="small", split="temporal"))
    assert found == {
        f"q{number}": "train" if number < 200 else "dev" if number < 300 else "test" for number in range(400)
    }


def test_threads_of_one_moment_are_not_parted(many: DataFrame) -> None:
    at_once = many.where("query_id in ('q0', 'q2', 'q4', 'q6')").withColumn("asked_at", F.lit(START))
    assert set(splits_of(examples_of(TASK, at_once, name="small", split="temporal")).values()) == {"train"}


def test_examples_carry_labels_where_there_are_any(answers: DataFrame) -> None:
    found = examples_of(TASK, candidates(answers, TWO), name="full", split="hash").collect()
    by_answer = {row["candidate_id"]: row for row in found}
    assert (by_answer["51"]["label"], by_answer["51"]["relevant"]) == (None, None)
    assert by_answer["71"]["label"] == 1
    assert by_answer["71"]["fold_key"] == "lonely"
    assert (by_answer["52"]["asker_id"], by_answer["52"]["author_id"]) == ("asker", "b")
    assert by_answer["52"]["answered_at"] - by_answer["52"]["asked_at"] == timedelta(hours=2)
    kept = examples_of(TASK, candidates(answers, TWO), name="small", split="hash").collect()
    labels = {row["candidate_id"]: (row["label"], row["relevant"]) for row in kept if row["query_id"] == "sound"}
    assert labels == {"8": (0, False), "9": (1, True), "10": (0, False)}


def test_the_card_counts_what_table_1_counts(spark: SparkSession, answers: DataFrame) -> None:
    found = candidates(answers, TWO)
    examples = examples_of(TASK, found, name="small", split="temporal")
    texts = {"sound": "<p>Which <b>beer</b>?</p>", "9": "<p>This beer.</p>", "10": "That one", "31": "a_b 1"}
    posts = table(spark, POSTS, [
        {"post_id": post, "post_type": "x", "thread_id": post, "body": body,
         "subject": "Beer" if post == "sound" else None}
        for post, body in texts.items()
    ])  # fmt: skip
    comments = table(spark, COMMENTS, [
        {"comment_id": str(n), "post_id": post} for n, post in enumerate(["sound", "sound", "9", "41", "none"])
    ])  # fmt: skip
    card = {(row["site"], row["split"], row["measure"]): row["value"]
            for row in data_card(examples, found, posts, comments).collect()}  # fmt: skip
    everything = {measure: value for (site, split, measure), value in card.items() if (site, split) == ("*", "*")}
    assert everything == {
        "questions": 4, "answers": 10, "comments": 3, "words": 9, "vocabulary": 7,
        "share_self_answer": 0.1, "share_late": 0.1, "share_ownerless": 0.1, "share_early": 0.1,
        "accepted_share_self_answer": 0.25, "accepted_share_ownerless": 0.0, "accepted_share_first": 1.0,
        "left_out: no answer is accepted": 1,
        "left_out: the accepted answer is not among the candidates": 1, "left_out: fewer than 2 answers": 1,
    }  # fmt: skip
    assert card["s", "train", "questions"] == 4
