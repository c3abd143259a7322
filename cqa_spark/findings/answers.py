"""The answers of threads with their votes, as they stood at any time, and what their authors had written before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.corpora.stackexchange.values import ACCEPTED, DOWN, UP, end_of_day
from cqa_spark.findings.finding import FindingRows
from cqa_spark.lake.schemas.activity import VOTES
from cqa_spark.lake.schemas.community import POSTS
from cqa_spark.spark.frames import persist, whole_groups
from cqa_spark.text.post_words import post_words

Reals = NDArray[np.float64]
Indices = NDArray[np.int64]
Strings = NDArray[np.object_]

DAY = 86_400_000_000
NEVER = np.iinfo(np.int64).max

WEEK = 7 * DAY
"""Time after which an answer is judged, so that it has been read; younger ones are judged tonight."""

MARKUP = ("links", "code", "quotes", "images")
"""Counts of elements in an answer."""

_ELEMENTS = ("<a ", "<pre", "<blockquote", "<img ")


def answer_rows(tables: Mapping[str, DataFrame]) -> DataFrame:
    """A row for each answer with a time whose question is in the dump and has one.

    Args:
        tables: ``posts`` and ``votes``.

    Returns:
        site, post_id, thread_id, asked, answered, accepted and ends (microseconds since 1970; accepted, when it became
        known, null for never), author_id, asker_id, words, the counts of ``MARKUP``, vote_times (when votes became
        known) and vote_signs, in order of time; author_answers and author_votes, as ``with_author_record`` gives them.
    """
    posts, votes = tables[POSTS.name], tables[VOTES.name]
    micros = F.unix_micros
    questions = posts.where("post_type = 'question' AND created_at IS NOT NULL").select(
        "site", F.col("post_id").alias("thread_id"), F.col("user_id").alias("asker_id"),
        micros("created_at").alias("asked"), "accepted_answer_id",
    )  # fmt: skip
    answers = posts.where("post_type = 'answer' AND created_at IS NOT NULL").select(
        "site", "post_id", "thread_id", F.col("user_id").alias("author_id"), micros("created_at").alias("answered"),
        F.size(post_words()).alias("words"),
        *(
            F.coalesce(F.size(F.split("body", element)) - 1, F.lit(0)).alias(name)
            for name, element in zip(MARKUP, _ELEMENTS, strict=True)
        ),
    )  # fmt: skip
    known, kind = micros(end_of_day("created_at")), F.col("vote_type_id")
    sign = F.when(kind == UP, 1).when(kind == DOWN, -1).cast("bigint")
    cast = F.sort_array(F.collect_list(F.when(sign.isNotNull(), F.struct(known.alias("time"), sign.alias("sign")))))
    by_post = (
        votes.where(kind.isin(ACCEPTED, UP, DOWN) & F.col("created_at").isNotNull())
        .groupBy("site", "post_id")
        .agg(cast.alias("cast"), F.max(F.when(kind == ACCEPTED, known)).alias("accepted"))
    )
    moments = posts.select("site", "created_at").unionByName(votes.select("site", "created_at"))
    ends = moments.groupBy("site").agg(F.max(micros(end_of_day("created_at"))).alias("ends"))
    nothing = F.array().cast("array<bigint>")
    is_accepted = F.col("accepted_answer_id") == F.col("post_id")
    rows = answers.join(questions, on=["site", "thread_id"]).join(by_post, on=["site", "post_id"], how="left")
    rows = rows.join(F.broadcast(ends), on="site").select(
        "site", "post_id", "thread_id", "asked", "answered", "ends", "author_id", "asker_id", "words", *MARKUP,
        F.when(is_accepted, F.col("accepted")).alias("accepted"), F.coalesce("cast.time", nothing).alias("vote_times"),
        F.coalesce("cast.sign", nothing).alias("vote_signs"),
    )  # fmt: skip
    return persist(with_author_record(rows))


ANSWERS = FindingRows((POSTS, VOTES), ("site", "thread_id"), answer_rows)


def with_author_record(answers: DataFrame) -> DataFrame:
    """Add what the author of each answer had written before, by ``author_records``, which takes authors, not threads.

    Args:
        answers: with the columns that ``author_records`` reads.
    """
    # Deleted accounts have no record; their answers are spread over all tasks.
    author = F.coalesce(F.concat(F.lit("user "), "author_id"), F.concat(F.lit("post "), "post_id"))
    order = ("site", "author", "answered", "thread_id", F.length("post_id"), "post_id")

    def add_records(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for rows in whole_groups(batches, "site", "author"):
            number, votes = author_records(rows)
            with_number = rows.drop_columns(["author"]).append_column("author_answers", pa.array(number))
            yield from with_number.append_column("author_votes", pa.array(votes)).to_batches()

    by_author = answers.withColumn("author", author).repartition("site", "author").sortWithinPartitions(*order)
    schema = answers.withColumns({"author_answers": F.lit(0).cast("bigint"), "author_votes": F.lit(0).cast("bigint")})
    return by_author.mapInArrow(add_records, schema.schema)


def author_records(answers: pa.Table) -> tuple[Indices, Indices]:
    """The number of answers that the author of each answer wrote before, and their net votes when it was judged.

    Args:
        answers: all answers of some authors, by site and author, then in order of time: site, author, answered, ends,
            vote_times and vote_signs.
    """
    site, author = (answers[name].combine_chunks() for name in ("site", "author"))
    is_first = np.ones(len(author), bool)
    is_first[1:] = pc.or_(pc.not_equal(site[1:], site[:-1]), pc.not_equal(author[1:], author[:-1])).to_numpy(False)
    first = np.flatnonzero(is_first)
    number_of_author = np.cumsum(is_first) - 1
    start, end = first[number_of_author], np.append(first, len(author))[number_of_author + 1]
    row = np.arange(len(author))
    votes = answers["vote_times"].combine_chunks()
    vote_row = pc.list_parent_indices(votes).to_numpy()
    signs = answers["vote_signs"].combine_chunks().flatten().to_numpy()
    # Later answers of an author are judged later: a vote that one of them knows is known to all after it.
    judged = _key(number_of_author, judged_at(answers["answered"].to_numpy(), answers["ends"].to_numpy()))
    knows = np.searchsorted(judged, _key(number_of_author[vote_row], votes.flatten().to_numpy()))
    from_row = np.maximum(knows, vote_row + 1)
    has_later = from_row < end[vote_row]
    running = np.cumsum(np.bincount(from_row[has_later], signs[has_later], minlength=len(author))).astype(np.int64)
    # No vote counts from the first answer of an author on, so that the sum up to it is that of other authors.
    return row - start, running - running[start]


def judged_at(answered: Indices, ends: Indices | int) -> Indices:
    """When answers are judged: ``WEEK`` after the day on which they were written, or tonight if they are younger."""
    return np.minimum(-(-answered // DAY) * DAY + WEEK, ends)


@dataclass(frozen=True)
class Answers:
    """The answers of some threads of a site, in the order of threads, then of time, then of ids.

    Attributes:
        ids: ids of the answers.
        threads: ids of their questions.
        asked: when the question was asked, microseconds since 1970.
        answered: when the answer was written.
        accepted: when its acceptance became known; ``NEVER`` for none.
        authors: a number for the account of each author; -1 if it is deleted.
        askers: that of the asker.
        words: number of words of the answer.
        markup: the counts of ``MARKUP``, shape (answers, 4).
        author_answers: number of answers that the author had written before, in all threads of the site.
        author_votes: net votes of these when the answer was judged.
        vote_row: the answer of each vote; ascending, and by time within an answer.
        vote_time: when each vote became known: the end of its day.
        vote_sign: 1 for an up vote, -1 for a down vote.
        end: the end of the day of the newest time of the dump: tonight.
    """

    ids: Strings
    threads: Strings
    asked: Indices
    answered: Indices
    accepted: Indices
    authors: Indices
    askers: Indices
    words: Indices
    markup: Indices
    author_answers: Indices
    author_votes: Indices
    vote_row: Indices
    vote_time: Indices
    vote_sign: Indices
    end: int

    @classmethod
    def of(cls, rows: pa.Table) -> Answers:
        """The answers of whole threads, from the rows of ``answer_rows``."""
        ids, threads = (np.array(rows[name].to_pylist(), dtype=object) for name in ("post_id", "thread_id"))
        answered = rows["answered"].to_numpy()
        lengths = np.array([len(answer) for answer in ids])
        order = np.lexsort((ids, lengths, answered, threads))
        in_order = rows.take(pa.array(order))
        names = ("asked", "answered", "words", *MARKUP, "author_answers", "author_votes")
        numbers = {name: in_order[name].to_numpy() for name in names}
        accounts = pa.chunked_array([*in_order["author_id"].chunks, *in_order["asker_id"].chunks], pa.string())
        coded = accounts.combine_chunks().dictionary_encode().indices.fill_null(-1).to_numpy().astype(np.int64)
        votes = in_order["vote_times"].combine_chunks()
        return cls(
            ids=ids[order],
            threads=threads[order],
            asked=numbers["asked"],
            answered=numbers["answered"],
            accepted=in_order["accepted"].fill_null(NEVER).to_numpy(),
            authors=coded[: len(ids)],
            askers=coded[len(ids) :],
            words=numbers["words"].astype(np.int64),
            markup=np.column_stack([numbers[name] for name in MARKUP]).astype(np.int64),
            author_answers=numbers["author_answers"],
            author_votes=numbers["author_votes"],
            vote_row=pc.list_parent_indices(votes).to_numpy().astype(np.int64),
            vote_time=votes.flatten().to_numpy(),
            vote_sign=in_order["vote_signs"].combine_chunks().flatten().to_numpy(),
            end=in_order["ends"][0].as_py(),
        )

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def thread_starts(self) -> Indices:
        """The row of the first answer of each thread, then the number of answers."""
        changes = np.flatnonzero(self.threads[1:] != self.threads[:-1]) + 1
        return np.concatenate([[0], changes, [len(self)]])

    def votes(self, rows: Indices, times: Indices) -> Indices:
        """Up minus down votes of some answers that were known at some times, one for each."""
        first = np.searchsorted(self.vote_row, rows)
        known = np.searchsorted(self._vote_keys, _key(rows, times), side="right")
        return self._running_votes[np.maximum(known, first)] - self._running_votes[first]

    def rivals(self, rows: Indices, times: Indices) -> tuple[Indices, Indices]:
        """The other answers of the threads of some answers that had been written at some times.

        Returns:
            For each rival the position of its answer among ``rows``, ascending; and its own row.
        """
        starts = self.thread_starts
        thread = np.searchsorted(starts, rows, side="right") - 1
        sizes = np.diff(starts)[thread]
        position = np.repeat(np.arange(len(rows)), sizes)
        row = np.arange(len(position)) - np.repeat(np.cumsum(sizes) - sizes - starts[thread], sizes)
        is_rival = (self.answered[row] <= times[position]) & (row != rows[position])
        return position[is_rival], row[is_rival]

    @cached_property
    def _running_votes(self) -> Indices:
        """The sum of all votes before each, and of all."""
        return np.concatenate([[0], np.cumsum(self.vote_sign)])

    @cached_property
    def _vote_keys(self) -> Indices:
        return _key(self.vote_row, self.vote_time)


def _key(rows: Indices, times: Indices) -> Indices:
    """A number that sorts by row, then by day."""
    return rows * np.int64(1 << 20) + times // DAY
