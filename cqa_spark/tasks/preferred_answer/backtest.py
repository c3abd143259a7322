"""Backtests on replayed nights: the answers of a question as they were before one of them was accepted.

A night on a site ranks the answers of all open questions, without knowing which of them will be accepted. Replaying
asks the same question of the past: a thread is looked at 1, 2, 4, 8, ... days after it was asked, at midnight (UTC),
as long as the acceptance was not yet known, with the answers that had been posted. A night is measured if it has two
answers or more, one of which was accepted later. A thread that stayed open for long has more nights than others: the
nights of a thread are not independent, so errors and p-values of means over nights are by thread.

What a system may know of a night is what was public at its cut. Dumps date votes by day, so that a vote, and an
acceptance, is known from the end of its day.

A model learns the answer that was accepted later, or, weakly, that which got the most votes. Most questions have no
accepted answer: on their nights, the answers with the most net votes at the end of the dump are the label, with a small
weight. Such labels are many, and what brings votes also brings acceptances.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cqa_spark.corpora.stackexchange.values import end_of_day
from cqa_spark.evaluation.statistics.nights import Nights, expected_hits
from cqa_spark.features.training_data import sample_queries
from cqa_spark.lake.schemas.community import UNANNOTATED
from cqa_spark.lake.schemas.examples import EXAMPLES, MEASURED, NIGHT_MARK, SERVED, UNDECIDED
from cqa_spark.lake.schemas.metrics import NIGHTS, QUERY_METRICS
from cqa_spark.rankers.candidates import Candidates
from cqa_spark.spark.frames import learn_in_one_task, whole_groups
from cqa_spark.spark.internals import to_arrow_schema
from cqa_spark.steps.score import map_queries
from cqa_spark.tasks.preferred_answer.examples import PROPERTIES, judged_answers

CUT_AT, ROLE, AGE = "cut_at", "role", "age_days"

NIGHT = pa.schema([(CUT_AT, pa.timestamp("us", "UTC")), (ROLE, pa.string()), (AGE, pa.int32())])
"""The columns that a night adds to the rows of its answers."""

_DAY = 86_400_000_000
_LATEST_NIGHT = 11
_NEVER = np.iinfo(np.int64).max

WEAK_WEIGHT = 0.2
"""Weight of a thread that is labelled by votes, where one with an accepted answer has 1; chosen by cross-validation
over sites."""

Longs = NDArray[np.int64]
Reals = NDArray[np.float64]

Score = Callable[[Candidates], Reals]
"""The score of each candidate."""

_VOTES = "answer_votes_asof_v1"
UP, DOWN, NET = (f"{_VOTES}__{column}" for column in ("up_votes", "down_votes", "score"))

FEATURES = (UP, DOWN, NET)
"""The features that the simple orders and the bands of votes need."""

SIMPLE_ORDERS: Mapping[str, Score] = {
    "votes": lambda candidates: candidates.of([NET])[:, 0],
    "random": lambda candidates: np.zeros(len(candidates)),
}
"""By name; higher scores are better, and equal scores are ties."""

_MOST = 1_000_000
"""Answers of nights up to which all nights are in the task; of more, whole nights are sampled."""

_SCHEMA = to_arrow_schema(QUERY_METRICS.schema)
_BY_NIGHT = ("site", "thread_id", "age_days")
_THREAD = ("site", "query_id")
_ADDED = {
    "cut_at": T.TimestampType(),
    "role": T.StringType(),
    "age_days": T.IntegerType(),
    "choice": T.DoubleType(),
    "initial_rank": T.IntegerType(),
}
"""The columns that nights add to answers."""


def night_examples(
    task: str, posts: DataFrame, votes: DataFrame, min_answers: int = 2, *, undecided: bool = True
) -> DataFrame:
    """All nights of all threads with enough answers.

    Labels are those of measured nights. A served night has none, whatever was accepted by then, so that no measure and
    no model reads it.

    Args:
        task: name of the task of accepted answers.
        posts: the table ``posts``.
        votes: the table ``votes``; if it is empty, no acceptance has a time, and all nights are undecided or served.
        min_answers: minimum number of answers of a night.
        undecided: whether to include undecided nights.

    Returns:
        A frame of the schema ``EXAMPLES``; ranks are by time, from 1, and replayed nights are all of the split
        train, because who learns from which is decided by sites.
    """
    newest = posts.select("site", "created_at").unionByName(votes.select("site", "created_at"))
    ends = newest.groupBy("site").agg(F.max(end_of_day("created_at")).alias("ends_at"))
    dated = judged_answers(posts, votes).drop(*PROPERTIES).join(F.broadcast(ends), on="site")
    in_time = ("answered_at", F.length("candidate_id"), "candidate_id")
    answers = dated.sortWithinPartitions(*_THREAD, *in_time)
    schema = T.StructType([*answers.schema, *[T.StructField(name, type_) for name, type_ in _ADDED.items()]])

    def replay(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        arrow_schema = to_arrow_schema(schema)
        for threads in whole_groups(batches, *_THREAD):
            nights = replayed_nights(threads, min_answers, undecided=undecided)
            starts = starts_of_nights(nights)
            sizes = np.diff(starts, append=nights.num_rows)
            ranks = np.arange(nights.num_rows) - np.repeat(starts, sizes) + 1
            for name, values in (("choice", choice_weights(nights)), ("initial_rank", ranks)):
                nights = nights.append_column(name, pa.array(values))
            yield from nights.cast(arrow_schema).to_batches()

    rows = answers.mapInArrow(replay, schema)
    is_served, measured = F.col("role") == SERVED, F.col("role") == MEASURED
    night = F.concat_ws(NIGHT_MARK, "query_id", F.date_format("cut_at", "yyyy-MM-dd"))
    return EXAMPLES.conform(
        rows.select(
            "site", F.lit(task).alias("task"),
            F.when(is_served, F.col("query_id")).otherwise(night).alias("query_id"), "candidate_id",
            F.col("query_id").alias("thread_id"), F.col("query_id").alias("fold_key"), "author_id", "asker_id",
            "asked_at", "answered_at", "initial_rank", F.when(measured, F.col("accepted").cast("int")).alias("label"),
            F.when(measured, F.col("accepted")).alias("relevant"), F.lit(None).cast("double").alias("similarity"),
            F.when(is_served, UNANNOTATED).otherwise("train").alias("split"),
            "cut_at", "role", "age_days", "accepted", "choice",
        )
    )  # fmt: skip


def replayed_nights(answers: pa.Table, min_answers: int = 2, *, undecided: bool = True) -> pa.Table:
    """The nights of whole threads.

    Args:
        answers: one row per answer, with the answers of a thread adjacent: ``site``, ``query_id``, ``asked_at``,
            ``answered_at``, ``known_at`` (when the acceptance of an answer of the thread became known; null for none)
            and ``accepted``, as ``judged_answers`` returns them, and ``ends_at``, the end of the day of the newest time
            in the site's dump. A thread with an acceptance of unknown time is only served. Rows without ``asked_at`` or
            ``answered_at`` have no nights, because it is not known when they were there.
        min_answers: minimum number of answers of a night.
        undecided: whether to include undecided nights.

    Returns:
        A row per night and answer, in order of thread, cut and the rows given: the columns of ``answers``, then
        ``NIGHT``; ages count the midnights since the question was asked. A served night is that at the end of the
        dump, whether an answer was accepted before or not.
    """
    dated = answers.filter(pc.and_(pc.is_valid(answers["asked_at"]), pc.is_valid(answers["answered_at"])))
    if dated.num_rows == 0:
        none = np.empty(0, dtype=np.int64)
        return _with_nights(dated, none, none, none, [])
    # Microseconds since 1970 of each answer, shape (answers,); ``_NEVER`` for null.
    asked, answered, known, end = (
        _microseconds(dated[name]) for name in ("asked_at", "answered_at", "known_at", "ends_at")
    )
    accepted = dated["accepted"].fill_null(False).to_numpy()
    threads = starts_of_threads(dated)
    # An acceptance of unknown time was known from the beginning, so that no night comes before it.
    known = np.where(_of_thread(accepted & (known == _NEVER), threads), np.iinfo(np.int64).min, known)
    rows, cuts, ages, roles = [], [], [], []
    for cut, role in _looks(asked, known, end):
        # Answers that had been posted by the night; nights with too few of them are left out.
        present = (answered <= cut) & (cut < _NEVER)
        sizes = np.add.reduceat(present.astype(np.int64), threads)
        chosen = np.flatnonzero(present & np.repeat(sizes >= min_answers, np.diff(threads, append=len(asked))))
        is_measured = _of_thread(present & accepted, threads)
        if not (role or undecided):
            chosen = chosen[is_measured[chosen]]
        rows.append(chosen)
        cuts.append(cut[chosen])
        ages.append(-((asked - cut)[chosen] // _DAY))
        if role is None:
            roles += np.where(is_measured[chosen], MEASURED, UNDECIDED).tolist()
        else:
            roles += [role] * len(chosen)
    # Nights were made age by age: sort them by thread, then by age, then in the given order of answers.
    row, cut = np.concatenate(rows), np.concatenate(cuts)
    thread = np.searchsorted(threads, row, side="right")
    order = np.lexsort((row, np.repeat(np.arange(len(rows)), [len(chosen) for chosen in rows]), thread))
    in_order = [roles[number] for number in order.tolist()]
    return _with_nights(dated, row[order], cut[order], np.concatenate(ages)[order], in_order)


def _looks(asked: Longs, known: Longs, end: Longs) -> Iterator[tuple[Longs, str | None]]:
    """By age of nights, the cut of each row, ``_NEVER`` where its thread has none; the role, if that decides it."""
    day = asked - asked % _DAY
    for power in range(_LATEST_NIGHT + 1):
        cut = day + _DAY * 2**power
        yield np.where((cut < known) & (cut <= end), cut, _NEVER), None
    yield end, SERVED


def _of_thread(rows: NDArray[np.bool_], threads: Longs) -> NDArray[np.bool_]:
    """Whether it holds for any row of the thread of each row."""
    return np.repeat(np.logical_or.reduceat(rows, threads), np.diff(threads, append=len(rows)))


def _microseconds(moments: pa.ChunkedArray) -> Longs:
    numbers = pc.cast(moments, pa.timestamp("us", "UTC")).cast(pa.int64()).fill_null(_NEVER)
    return np.asarray(numbers.to_numpy(), dtype=np.int64)


def starts_of_threads(answers: pa.Table) -> Longs:
    """The index of the first row of each thread."""
    columns = [answers[name].to_numpy(zero_copy_only=False) for name in ("site", "query_id")]
    changes = np.logical_or.reduce([column[1:] != column[:-1] for column in columns])
    return np.flatnonzero(np.concatenate([[True], changes])[: answers.num_rows])


def starts_of_nights(nights: pa.Table) -> NDArray[np.int64]:
    """The index of the first row of each night, of rows in the order of ``replayed_nights``."""
    columns = [nights[name].to_numpy(zero_copy_only=False) for name in ("site", "query_id", CUT_AT, ROLE)]
    changes = np.logical_or.reduce([column[1:] != column[:-1] for column in columns])
    return np.flatnonzero(np.concatenate([[True], changes])[: nights.num_rows])


def _with_nights(answers: pa.Table, rows: Longs, cuts: Longs, ages: Longs, roles: list[str]) -> pa.Table:
    nights = answers.take(pa.array(rows))
    columns = [pa.array(cuts).cast(NIGHT.field(CUT_AT).type), pa.array(roles, pa.string()), pa.array(ages, pa.int32())]
    for field, column in zip(NIGHT, columns, strict=True):
        nights = nights.append_column(field, column)
    return nights


def choice_weights(nights: pa.Table) -> NDArray[np.float64]:
    """The weight with which each answer of a night is the choice to learn.

    The weights of a measured night are on the accepted answer; its thread has weight 1 in all, shared by its measured
    nights. Those of an undecided night are shared by the answers with the most net votes, unless all have equally many,
    or none has more up votes than down votes; its thread has ``WEAK_WEIGHT``, shared by all its replayed nights. Served
    nights teach nothing.

    Args:
        nights: as ``replayed_nights`` returns them, with the column ``final_votes``: up minus down votes for the
            answer in the whole dump.

    Returns:
        Shape (rows,), from 0 to 1.
    """
    if nights.num_rows == 0:
        return np.empty(0)
    # Index of the first row of each thread, shape (threads,), and of each night, shape (nights,).
    threads, night = starts_of_threads(nights), starts_of_nights(nights)
    role = nights[ROLE].to_numpy(zero_copy_only=False)
    accepted = nights["accepted"].fill_null(False).to_numpy().astype(np.float64)
    votes = nights["final_votes"].to_numpy().astype(np.float64)
    sizes = np.diff(night, append=len(role))
    # Whether an answer has the most votes of its night, and how many have; shape (rows,), as all that follows.
    best = votes == np.repeat(np.maximum.reduceat(votes, night), sizes)
    ties = np.repeat(np.add.reduceat(best.astype(np.float64), night), sizes)
    tells = best & (votes > 0) & (ties < np.repeat(sizes, sizes))
    measured, undecided = role == MEASURED, role == UNDECIDED
    of_thread = np.searchsorted(threads, night, side="right") - 1

    def number(chosen: NDArray[np.bool_]) -> NDArray[np.float64]:
        """The number of such nights of each row's thread, at least 1."""
        of_threads = np.bincount(of_thread, chosen[night], minlength=len(threads))
        return np.repeat(np.repeat(np.maximum(1, of_threads), np.bincount(of_thread)), sizes)

    weak = WEAK_WEIGHT * tells / ties / number(measured | undecided)
    weights: NDArray[np.float64] = np.where(measured, accepted / number(measured), np.where(undecided, weak, 0.0))
    return weights


def measure_nights(frame: DataFrame, scores: Mapping[str, Score]) -> DataFrame:
    """Rows of ``QUERY_METRICS``, from the answers of measured nights with their features.

    Args:
        frame: the answers, with the ``FEATURES`` and those that the scores need.
        scores: the orders, by name.
    """

    def measure(candidates: Candidates) -> pa.Table:
        return measured_nights(candidates, {name: score(candidates) for name, score in scores.items()})

    return map_queries(frame, measure, QUERY_METRICS.schema)


def measured_nights(candidates: Candidates, scores: Mapping[str, Reals]) -> pa.Table:
    """Rows of ``QUERY_METRICS``: P@1 of each night, where ties count by their chance; none without the ``FEATURES``.

    Args:
        candidates: the answers of whole nights.
        scores: the scores of orders by name, beside those of the simple orders; shape (answers,).
    """
    if not {*FEATURES} <= {*candidates.features}:
        return _SCHEMA.empty_table()
    starts, examples = candidates.starts, candidates.examples
    accepted = examples["accepted"].to_numpy(zero_copy_only=False).astype(np.bool_)
    orders = {**scores, **{name: score(candidates) for name, score in SIMPLE_ORDERS.items()}}
    names = sorted(orders)
    # P@1 of all orders on the first night, then of all on the second, …; shape (nights * orders,).
    hits = np.column_stack([expected_hits(orders[name], accepted, starts) for name in names]).ravel()
    columns = [
        pa.array(names * len(starts)),
        pa.repeat("P@1", len(hits)),
        pa.array(hits),
        pa.ListArray.from_arrays(np.arange(len(hits) + 1, dtype=np.int32), pa.array(hits)),
    ]
    of_orders = pa.StructArray.from_arrays(columns, ["system", "measure", "value", "components"])
    by_night = np.arange(len(starts) + 1, dtype=np.int32) * len(names)
    nights = examples.take(pa.array(starts))
    added = {
        "split": pa.repeat(NIGHTS, len(starts)),
        "topic": nights["thread_id"],
        "measures": pa.ListArray.from_arrays(by_night, of_orders),
        "votes": pa.array(np.add.reduceat(candidates.of([UP, DOWN]).sum(axis=1), starts)),
    }
    columns_by_name = {name: nights[name] for name in _SCHEMA.names if name not in added} | added
    return pa.table({name: columns_by_name[name] for name in _SCHEMA.names}).cast(_SCHEMA)


def from_all_nights(rows: DataFrame, orders: Sequence[str], answers: int, function: Callable[[Nights], Any]) -> Any:
    """Apply a function to all measured nights, which are in one task; only its result is on the driver.

    Args:
        rows: of ``QUERY_METRICS``, as ``measure_nights`` makes them.
        orders: names of the orders.
        answers: number of answers of the nights.
        function: makes the result, which passes through JSON.
    """
    hits = F.map_from_arrays("measures.system", "measures.value")
    by_order = [hits[order].alias(f"hit_{number}") for number, order in enumerate(orders)]
    sampled = sample_queries(rows, _MOST, answers).select(*_BY_NIGHT, "votes", *by_order)
    schema = to_arrow_schema(sampled.schema)

    def apply(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        table = pa.Table.from_batches(batches, schema).to_pandas()
        nights = Nights(
            site=table["site"].to_numpy(),
            thread=np.asarray(table.groupby(["site", "thread_id"]).ngroup(), dtype=np.int64),
            age=table["age_days"].to_numpy(np.int64),
            votes=table["votes"].to_numpy(np.int64),
            hits={order: table[f"hit_{number}"].to_numpy() for number, order in enumerate(orders)},
        )
        yield pa.RecordBatch.from_pydict({"result": [json.dumps(function(nights))]})

    (row,) = learn_in_one_task(sampled, _BY_NIGHT, apply, "result string")
    return json.loads(row["result"])
