"""The data sets SMALL, LARGE and FULL of Xu et al. (2018, section 3 and Table 1), from any site.

Rules select the answers and exclude threads. Threads are sampled and split by hashes of their site and id. The sample
therefore does not depend on the machine or the order of input, and SMALL is a subset of LARGE. A thread is in the same
split of all data sets, so no thread is a training thread in one and a test thread in another.
"""

from functools import reduce

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from cqa_spark.corpora.stackexchange.values import ACCEPTED, DOWN, UP, end_of_day
from cqa_spark.lake.schemas.community import EVERY
from cqa_spark.lake.schemas.studies import DATA_CARD
from cqa_spark.settings.preferred_answer import AnswerSettings
from cqa_spark.task_contract.contract import Task
from cqa_spark.text.post_words import post_words

KEPT = "kept"

PROPERTIES = ("self_answer", "late", "ownerless", "early")
"""Whether the asker wrote the answer, whether it was posted after the acceptance, whether its account is deleted, and
whether it is older than its question."""

_MICROSECONDS_AN_HOUR = 3_600_000_000
ACCEPTED_ANSWER = "Accepted"

OTHER_ANSWER = "NotAccepted"
"""The labels of the answers of a question whose asker accepted one."""

SIZES = {"small": 10_000, "large": 70_000}
FULL = "full"

CHOOSING, SPLITTING = 2018, 50_25_25
"""Seeds of sampling and splitting, which are independent."""

LEFT_OUT = "left_out: "

TABLE_1 = ("questions", "answers", "comments", "words", "vocabulary")
"""The statistics of Table 1 of the paper."""

_LEVEL = ("site", "split")


def judged_answers(posts: DataFrame, votes: DataFrame) -> DataFrame:
    """Every answer whose question is in the dump, with the properties that may exclude it.

    Votes have dates without times, so an acceptance is known at the end of its day; later answers are late. The last
    vote counts, because an asker may withdraw an acceptance and accept again. Answers older than their question, from
    merged questions and wrong clocks, are not treated differently.

    Args:
        posts: the table ``posts``.
        votes: the table ``votes``; if it is empty, no acceptance has a time.

    Returns:
        site, query_id, candidate_id, author_id, asker_id, asked_at, answered_at, known_at (the end of the day of the
        acceptance), accepted (null if the asker accepted none), final_votes (up minus down), and the ``PROPERTIES``,
        booleans. The answers of a question are in one partition.
    """
    questions = posts.where(F.col("post_type") == "question").select(
        "site", F.col("post_id").alias("query_id"), F.col("user_id").alias("asker_id"),
        F.col("created_at").alias("asked_at"), "accepted_answer_id",
    )  # fmt: skip
    answers = posts.where(F.col("post_type") == "answer").select(
        "site", F.col("thread_id").alias("query_id"), F.col("post_id").alias("candidate_id"),
        F.col("user_id").alias("author_id"), F.col("created_at").alias("answered_at"),
    )  # fmt: skip
    is_accepting, is_up, is_down = (F.col("vote_type_id") == type_ for type_ in (ACCEPTED, UP, DOWN))
    by_post = (
        votes.where(is_accepting | is_up | is_down)
        .groupBy("site", F.col("post_id").alias("candidate_id"))
        .agg(
            F.max(F.when(is_accepting, end_of_day("created_at"))).alias("accepted_at"),
            (F.count_if(is_up) - F.count_if(is_down)).alias("votes"),
        )
    )
    joined = answers.join(by_post, on=["site", "candidate_id"], how="left").join(questions, on=["site", "query_id"])
    accepted = F.col("candidate_id") == F.col("accepted_answer_id")
    thread = Window.partitionBy("site", "query_id")
    judged = joined.withColumns(
        {"accepted": accepted, "known_at": F.max(F.when(accepted, F.col("accepted_at"))).over(thread)}
    )
    return judged.select(
        "site", "query_id", "candidate_id", "author_id", "asker_id", "asked_at", "answered_at", "known_at", "accepted",
        F.coalesce("votes", F.lit(0)).alias("final_votes"),
        _or_false(F.col("author_id") == F.col("asker_id")).alias("self_answer"),
        _or_false(F.col("answered_at") >= F.col("known_at")).alias("late"),
        F.col("author_id").isNull().alias("ownerless"),
        _or_false(F.col("answered_at") < F.col("asked_at")).alias("early"),
    )  # fmt: skip


def candidates(answers: DataFrame, rules: AnswerSettings) -> DataFrame:
    """Apply the rules.

    Args:
        answers: as ``judged_answers`` returns them.
        rules: selection rules.

    Returns:
        The candidates, with ``initial_rank`` (from 1 by time; ties are broken by id) and ``outcome``: ``KEPT``, or the
        reason for excluding the thread.
    """
    allowed = F.lit(True)
    for name, is_allowed in (
        ("self_answer", rules.self_answers), ("late", rules.late_answers), ("ownerless", rules.deleted_owners)
    ):  # fmt: skip
        if not is_allowed:
            allowed &= ~F.col(name)
    accepted_by_the_cut = F.lit(False)
    if rules.within_hours is not None:
        allowed &= _within("answered_at", rules.within_hours)
        if rules.open_questions:
            accepted_by_the_cut = _or_false(_within("known_at", rules.within_hours))
    thread = Window.partitionBy("site", "query_id")
    in_time = thread.orderBy(F.col("answered_at").asc_nulls_last(), F.length("candidate_id"), "candidate_id")
    outcome = (
        F.when(F.max("accepted").over(thread).isNull(), "no answer is accepted")
        .when(F.count_if("accepted").over(thread) == 0, "the accepted answer is not among the candidates")
        .when(accepted_by_the_cut, "the question was no longer open")
        .when(F.count(F.lit(1)).over(thread) < rules.min_answers, f"fewer than {rules.min_answers} answers")
        .otherwise(KEPT)
    )
    return answers.where(allowed).select(
        "*", F.row_number().over(in_time).alias("initial_rank"), outcome.alias("outcome")
    )


def _within(moment: str, hours: float) -> Column:
    return F.unix_micros(moment) - F.unix_micros("asked_at") <= round(hours * _MICROSECONDS_AN_HOUR)


def _or_false(condition: Column) -> Column:
    return F.coalesce(condition, F.lit(False))


def examples_of(task: Task, candidates: DataFrame, *, name: str, split: str) -> DataFrame:
    """Sample the threads of a data set and split them.

    Args:
        task: the task of accepted answers.
        candidates: as ``candidates`` returns them.
        name: small or large, at most that many threads; full, every answered thread except the dev and test threads of
            LARGE, all for training, labelled or not.
        split: hash, about half of the threads for training and a quarter each for dev and test; temporal, by time of
            the question, per site.

    Returns:
        A frame of the schema ``EXAMPLES``.
    """
    if name == FULL:
        measured_on = _split(_sampled(candidates, SIZES["large"]), split).where(F.col("split") != "train")
        threads = candidates.select("site", "query_id").distinct().withColumn("split", F.lit("train"))
        threads = threads.join(measured_on, on=["site", "query_id"], how="left_anti")
    else:
        threads = _split(_sampled(candidates, SIZES[name]), split)
    rows = candidates.join(threads.select("site", "query_id", "split"), on=["site", "query_id"])
    label = F.when(F.col("accepted"), ACCEPTED_ANSWER).when(~F.col("accepted"), OTHER_ANSWER)
    return task.examples(rows.withColumns({"thread_id": F.col("query_id"), "label": label}))


def _sampled(candidates: DataFrame, size: int) -> DataFrame:
    threads = candidates.where(F.col("outcome") == KEPT).select("site", "query_id", "asked_at").distinct()
    return threads.orderBy(_hash(CHOOSING), "site", "query_id").limit(size)


def _split(threads: DataFrame, split: str) -> DataFrame:
    """Divide threads by hash or, so that those asked at the same time stay together, by the rank of their times."""
    if split == "hash":
        quarter = F.pmod(_hash(SPLITTING), F.lit(4))
        is_training, is_dev = quarter < 2, quarter < 3
    else:
        before = F.rank().over(Window.partitionBy("site").orderBy(F.col("asked_at").asc_nulls_first())) - 1
        number = F.count(F.lit(1)).over(Window.partitionBy("site"))
        is_training, is_dev = 4 * before < 2 * number, 4 * before < 3 * number
    return threads.withColumn("split", F.when(is_training, "train").when(is_dev, "dev").otherwise("test"))


def _hash(seed: int) -> Column:
    return F.xxhash64(F.lit(seed), F.col("site"), F.col("query_id"))


def data_card(examples: DataFrame, candidates: DataFrame, posts: DataFrame, comments: DataFrame) -> DataFrame:
    """Compute the statistics of Table 1 and the properties of the answers, per site and split and in total.

    Words are lower-case runs of letters, digits and underscores in questions (with titles) and answers, including code,
    without markup. The paper tokenised with Stanford CoreNLP, which also counts punctuation marks as words.

    Args:
        examples: the data set, as ``examples_of`` returns it.
        candidates: the candidates from which it was selected.
        posts: the table ``posts``.
        comments: the table ``comments``.

    Returns:
        The columns of ``DATA_CARD``; few rows.
    """
    answers = examples.select("site", "query_id", "candidate_id", "split").join(
        candidates.select("site", "candidate_id", "accepted", "initial_rank", *PROPERTIES), on=["site", "candidate_id"]
    )
    both = F.explode(F.array("query_id", "candidate_id")).alias("post_id")
    members = examples.select("site", "split", both).distinct()
    below = comments.select("site", "post_id").join(members, on=["site", "post_id"])
    words = members.join(posts.select("site", "post_id", post_words().alias("words")), on=["site", "post_id"])
    distinct = words.select(*_LEVEL, F.explode(F.array_distinct("words")).alias("word")).distinct()
    figures = [
        _measured(answers, questions=F.count_distinct("site", "query_id"), answers=F.count(F.lit(1)), **_shares()),
        _measured(below, comments=F.count(F.lit(1))),
        _measured(words, words=F.sum(F.size("words"))),
        _measured(distinct, vocabulary=F.count_distinct("word")),
        _left_out(candidates),
    ]
    return reduce(DataFrame.unionByName, figures).select(*[column.name for column in DATA_CARD.columns])


def _shares() -> dict[str, Column]:
    """Shares computed from integers, so that they do not depend on the order of rows."""
    accepted = F.col("accepted")
    shares = {f"share_{name}": F.count_if(F.col(name)) / F.count(F.lit(1)) for name in PROPERTIES}
    chosen = {f"accepted_share_{name}": F.count_if(accepted & F.col(name)) for name in ("self_answer", "ownerless")}
    chosen["accepted_share_first"] = F.count_if(accepted & (F.col("initial_rank") == 1))
    return shares | {name: F.try_divide(count, F.count_if(accepted)) for name, count in chosen.items()}


def _measured(rows: DataFrame, **measures: Column) -> DataFrame:
    """Compute the measures at every level, one row per measure."""
    level = [F.coalesce(name, F.lit(EVERY)).alias(name) for name in _LEVEL]
    found = rows.cube(*_LEVEL).agg(*[column.cast("double").alias(name) for name, column in measures.items()])
    long = found.select(*level, *measures).unpivot(list(_LEVEL), list(measures), "measure", "value")
    return long.where(F.col("value").isNotNull())


def _left_out(candidates: DataFrame) -> DataFrame:
    threads = candidates.where(F.col("outcome") != KEPT).select("site", "query_id", "outcome").distinct()
    by_site = threads.cube("site", "outcome").agg(F.count(F.lit(1)).cast("double").alias("value"))
    return by_site.where(F.col("outcome").isNotNull()).select(
        F.coalesce("site", F.lit(EVERY)).alias("site"), F.lit(EVERY).alias("split"),
        F.concat(F.lit(LEFT_OUT), F.col("outcome")).alias("measure"), "value",
    )  # fmt: skip
