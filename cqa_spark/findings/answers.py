"""The answers of a site with their votes, as they stood at any time."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.corpora.stackexchange.values import ACCEPTED, DOWN, UP, end_of_day
from cqa_spark.text.post_words import post_words

Reals = NDArray[np.float64]
Indices = NDArray[np.int64]
Strings = NDArray[np.object_]

DAY = 86_400_000_000
NEVER = np.iinfo(np.int64).max

MARKUP = ("links", "code", "quotes", "images")
"""Counts of elements in an answer."""

_ELEMENTS = ("<a ", "<pre", "<blockquote", "<img ")


def answer_rows(posts: DataFrame, votes: DataFrame | None) -> DataFrame:
    """A row for each answer with a time whose question is in the dump and has one.

    Args:
        posts: the table ``posts``.
        votes: the table ``votes``; None without one.

    Returns:
        site, post_id, thread_id, asked, answered, accepted and ends (microseconds since 1970; accepted, when it became
        known, null for never), author_id, asker_id, words, the counts of ``MARKUP``, vote_times (when votes became
        known) and vote_signs, in order of time.
    """
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
    moments = posts.select("site", "created_at")
    rows = answers.join(questions, on=["site", "thread_id"])
    if votes is None:
        nothing = F.array().cast("array<bigint>")
        rows = rows.withColumns({"vote_times": nothing, "vote_signs": nothing, "accepted": F.lit(None).cast("bigint")})
    else:
        moments = moments.unionByName(votes.select("site", "created_at"))
        known, kind = micros(end_of_day("created_at")), F.col("vote_type_id")
        sign = F.when(kind == UP, 1).when(kind == DOWN, -1).cast("bigint")
        cast = F.sort_array(F.collect_list(F.when(sign.isNotNull(), F.struct(known.alias("time"), sign.alias("sign")))))
        by_post = (
            votes.where(kind.isin(ACCEPTED, UP, DOWN) & F.col("created_at").isNotNull())
            .groupBy("site", "post_id")
            .agg(cast.alias("cast"), F.max(F.when(kind == ACCEPTED, known)).alias("accepted"))
        )
        is_accepted = F.col("accepted_answer_id") == F.col("post_id")
        rows = rows.join(by_post, on=["site", "post_id"], how="left").withColumns(
            {
                "vote_times": F.coalesce(F.col("cast.time"), F.array().cast("array<bigint>")),
                "vote_signs": F.coalesce(F.col("cast.sign"), F.array().cast("array<bigint>")),
                "accepted": F.when(is_accepted, F.col("accepted")),
            }
        )
    ends = moments.groupBy("site").agg(F.max(micros(end_of_day("created_at"))).alias("ends"))
    return rows.join(F.broadcast(ends), on="site").select(
        "site", "post_id", "thread_id", "asked", "answered", "accepted", "ends", "author_id", "asker_id", "words",
        *MARKUP, "vote_times", "vote_signs",
    )  # fmt: skip


@dataclass(frozen=True)
class Answers:
    """The answers of a site, in the order of threads, then of time, then of ids.

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
    vote_row: Indices
    vote_time: Indices
    vote_sign: Indices
    end: int

    @classmethod
    def of(cls, rows: pa.Table) -> Answers:
        """The answers of a site, from the rows of ``answer_rows``."""
        ids, threads = (np.array(rows[name].to_pylist(), dtype=object) for name in ("post_id", "thread_id"))
        answered = rows["answered"].to_numpy()
        lengths = np.array([len(answer) for answer in ids])
        order = np.lexsort((ids, lengths, answered, threads))
        in_order = rows.take(pa.array(order))
        numbers = {name: in_order[name].to_numpy() for name in ("asked", "answered", "words", *MARKUP)}
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

    def author_record(self, rows: Indices, times: Indices) -> tuple[Indices, Indices]:
        """By answer, the number of answers that its author wrote before it, and their net votes at the time."""
        order = np.lexsort((self.answered, self.authors))
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order))
        first = np.searchsorted(self.authors[order], self.authors[rows])
        number = np.where(self.authors[rows] >= 0, place[rows] - first, 0)
        position = np.repeat(np.arange(len(rows)), number)
        earlier = order[np.arange(len(position)) - np.repeat(np.cumsum(number) - number - first, number)]
        votes = np.bincount(position, self.votes(earlier, times[position]), minlength=len(rows))
        return number, votes.astype(np.int64)

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
