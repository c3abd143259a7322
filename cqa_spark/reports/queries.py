"""The main measure by query: the differences from the baseline, and the best and worst queries."""

from bisect import insort
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal
from functools import reduce
from math import ceil
from typing import Any, NamedTuple

from markupsafe import Markup
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.lake.schemas.community import POSTS
from cqa_spark.lake.schemas.metrics import by_measure
from cqa_spark.lake.schemas.text import DOCUMENTS
from cqa_spark.lake.schemas.text import TEXTS as ANALYSED_TEXTS
from cqa_spark.reports.evaluation import evaluation
from cqa_spark.reports.reported_run import MeasuredQuery, Query, QueryLinks, ReportedRun
from cqa_spark.text.markup import is_html
from cqa_spark.text.post_html import page_html, page_text, plain_text, truncated

QUERY = ("site", "query_id")
"""Key of a query."""

RESOLUTION = 1000
"""Differences are rounded to multiples of 1 / RESOLUTION, which bounds their number."""

AT_A_TIME = 5_000
"""Queries that the driver holds at once, half a megabyte; so many are sorted in one task, without a shuffle."""


@dataclass(frozen=True)
class MeasuredQueries:
    """The main measure by query; all lists have a bounded length.

    Attributes:
        steps: difference from the baseline, a fraction, and number of queries; largest difference first.
        best: queries with the highest value.
        worst: queries with the lowest value.
        gained: queries on which the system is above the baseline, the largest difference first.
        lost: queries on which it is below, the largest difference first.
        unanswerable: number of queries without a relevant candidate, which every order ranks equally well.
        links: files with every query; None if none were written.
    """

    steps: tuple[tuple[float, int], ...]
    best: tuple[MeasuredQuery, ...]
    worst: tuple[MeasuredQuery, ...]
    gained: tuple[MeasuredQuery, ...] = ()
    lost: tuple[MeasuredQuery, ...] = ()
    unanswerable: int = 0
    links: QueryLinks | None = None


@dataclass
class QuerySummary:
    """Summarises queries one by one, in any order, because they may exceed the driver's memory.

    Ties of the best queries are ordered by the lowest baseline, ties of the worst ones by the highest baseline. Queries
    without a relevant candidate are excluded from both, because every ranking of them is equally good.

    Attributes:
        each: number of queries of each list.
    """

    each: int
    _steps: Counter[int] = field(default_factory=Counter, init=False)
    _best: list[MeasuredQuery] = field(default_factory=list, init=False)
    _worst: list[MeasuredQuery] = field(default_factory=list, init=False)
    _gained: list[MeasuredQuery] = field(default_factory=list, init=False)
    _lost: list[MeasuredQuery] = field(default_factory=list, init=False)
    _unanswerable: int = field(default=0, init=False)

    def of(self, queries: Iterable[MeasuredQuery]) -> Iterator[MeasuredQuery]:
        """The queries, each added to the summary as it passes."""
        for query in queries:
            self._add(query)
            yield query

    def result(self, links: QueryLinks | None = None) -> MeasuredQueries:
        """The summary of all queries so far."""
        steps = ((step / RESOLUTION, self._steps[step]) for step in sorted(self._steps, reverse=True))
        best, worst, gained, lost = map(tuple, (self._best, self._worst, self._gained, self._lost))
        return MeasuredQueries(tuple(steps), best, worst, gained, lost, self._unanswerable, links)

    def _add(self, query: MeasuredQuery) -> None:
        self._unanswerable += query.value is not None and not query.relevant
        if query.difference is not None:
            self._steps[_rounded(query.difference * RESOLUTION)] += 1
            if query.difference > 0:
                self._keep(self._gained, query, _largest_difference_first)
            if query.difference < 0:
                self._keep(self._lost, query, _largest_difference_first)
        if query.value is not None and query.relevant:
            self._keep(self._best, query, _best_first)
            self._keep(self._worst, query, _worst_first)

    def _keep(self, first: list[MeasuredQuery], query: MeasuredQuery, order: Callable[[MeasuredQuery], Any]) -> None:
        insort(first, query, key=order)
        del first[self.each :]


def _best_first(query: MeasuredQuery) -> tuple[object, ...]:
    return -(query.value or 0.0), query.baseline is not None, query.baseline or 0.0, query.site, query.query_id


def _worst_first(query: MeasuredQuery) -> tuple[object, ...]:
    return query.value, query.baseline is None, -(query.baseline or 0.0), query.site, query.query_id


def _largest_difference_first(query: MeasuredQuery) -> tuple[object, ...]:
    return -abs(query.difference or 0.0), query.site, query.query_id


def _rounded(number: float) -> int:
    return int(Decimal(repr(number)).quantize(Decimal(1), ROUND_HALF_UP))


def measured_queries(run: ReportedRun) -> MeasuredQueries | None:
    """Read every query of an evaluation; None without measurements, and for a measure of all queries together."""
    evaluated = run.once(evaluation)
    if not evaluated.measurements or not {"examples", "query_metrics"} <= run.products:
        return None
    summary = QuerySummary(run.shown_queries)
    rows, links = summary.of(queries(run)), None
    if run.write_queries is None:
        deque(rows, maxlen=0)
    else:
        links = run.write_queries(run, rows)
    return summary.result(links) if evaluated.by_query else None


def queries(run: ReportedRun) -> Iterator[MeasuredQuery]:
    """All queries with examples, the lowest values first, then by site and id; one partition at a time."""
    examples, values, posts = run.table("examples"), run.table("query_metrics"), run.tables.get("posts")
    if examples is None:
        return
    parts = [examples.select(*QUERY, F.lit(1).alias("candidates"), F.col("relevant").cast("int").alias("relevant"))]
    if values is not None:
        parts.append(_measured(run, values))
    if posts is not None:
        titles = posts.select("site", F.col("post_id").alias("query_id"), F.col("subject").alias("title"))
        parts.append(titles.where("title is not null"))
    # A union is shuffled once, where a join shuffles both sides.
    rows = reduce(lambda one, other: one.unionByName(other, allowMissingColumns=True), parts)
    by_query = rows.groupBy(*QUERY).agg(
        F.count("candidates").alias("candidates"),
        F.coalesce(F.sum("relevant"), F.lit(0)).alias("relevant"),
        *[F.max(name).alias(name) for name in ("value", "baseline", "title") if name in rows.columns],
    )
    order = [F.asc_nulls_last("value")] if values is not None else []
    whole = by_query.where("candidates > 0")
    tasks = ceil(run.systems[run.best_system].queries / AT_A_TIME)
    in_order = whole.repartitionByRange(tasks, *order, *QUERY) if tasks > 1 else whole.coalesce(1)
    for row in in_order.sortWithinPartitions(*order, *QUERY).toLocalIterator():
        columns = row.asDict()
        yield MeasuredQuery(
            row.site, row.query_id, columns.get("title") or "", row.candidates, row.relevant, columns.get("value"),
            columns.get("baseline"),
        )  # fmt: skip


def _measured(run: ReportedRun, values: DataFrame) -> DataFrame:
    """The values of the best system and of the baseline."""
    return (
        by_measure(values)
        .where(F.col("measure") == run.main_measure)
        .select(
            *QUERY,
            F.when(F.col("system") == run.best_system, F.col("value")).alias("value"),
            F.when(F.col("system") == F.lit(run.baseline), F.col("value")).alias("baseline"),
        )
    )


# Collects the texts of a few posts and comments.

TEXTS = (POSTS, DOCUMENTS, ANALYSED_TEXTS)
"""Tables that have texts."""


class PostText(NamedTuple):
    """Title and body of a post or comment; unknown values are empty.

    Attributes:
        subject: the title.
        body: HTML or plain text, as in the dump.
        is_html: which of both.
    """

    subject: str = ""
    body: str = ""
    is_html: bool = False

    def on_page(self, characters: int, *, title: bool = False) -> Markup:
        """The beginning of the body for a page, as it was written; after the title if there is one."""
        body = page_html(self.body, characters) if self.is_html else page_text(self.body, characters)
        return Markup('<p class="subject">{}</p>{}').format(self.subject, body) if title and self.subject else body

    def in_line(self, characters: int) -> str:
        """The beginning of the text without line breaks, for a table."""
        return truncated(" ".join((plain_text(self.body) if self.is_html else self.body).split()), characters)


def collect_texts(tables: Mapping[str, DataFrame], ids: Sequence[Query]) -> dict[Query, PostText]:
    """Available texts of posts and comments, by site and id; the text of a post is in the table of posts.

    Args:
        tables: by name, those of ``TEXTS`` that a run has.
        ids: site and id of posts and comments.
    """
    frames = [*_analysed(tables, ids), *_posts(tables, ids)]
    if not frames:
        return {}
    rows = reduce(DataFrame.unionByName, frames).collect()
    rows.sort(key=lambda row: row.is_post)
    return {(row.site, row.id): PostText(row.subject or "", row.body or "", bool(row.is_html)) for row in rows}


def any_of(column: str, ids: Sequence[Query]) -> Column:
    """Whether a row has one of a few ids, in a column beside ``site``."""
    return F.struct("site", column).isin([F.struct(F.lit(site), F.lit(id_)) for site, id_ in ids])


def _analysed(tables: Mapping[str, DataFrame], ids: Sequence[Query]) -> Iterator[DataFrame]:
    documents, texts = tables.get("documents"), tables.get("texts")
    if documents is not None and texts is not None:
        wanted = documents.where(any_of("document_id", ids)).select("site", "document_id", "text_id")
        raw_texts = texts.select("text_id", F.col("raw").alias("body"))
        bodies = raw_texts.join(F.broadcast(wanted), on="text_id", how="inner")
        yield bodies.select(
            "site",
            F.col("document_id").alias("id"),
            F.lit(None).cast("string").alias("subject"),
            "body",
            F.lit(False).alias("is_html"),
            F.lit(False).alias("is_post"),
        )


def _posts(tables: Mapping[str, DataFrame], ids: Sequence[Query]) -> Iterator[DataFrame]:
    posts = tables.get("posts")
    if posts is not None:
        yield posts.where(any_of("post_id", ids)).select(
            "site",
            F.col("post_id").alias("id"),
            "subject",
            "body",
            is_html().alias("is_html"),
            F.lit(True).alias("is_post"),
        )
