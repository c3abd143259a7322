"""The questions of a site in compact parts, which tasks make of texts, and what other tasks read them into.

A question is compared with all earlier ones of its site, so a task needs all of them; but it needs their terms, not
their texts, and judges only a share of them. First, tasks that have some questions of every site make parts of them.
Then each share of a site gets all of its parts: a large site takes many tasks, which hold its terms and vectors, and do
the same amount of work.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.findings.finding import FindingRows
from cqa_spark.findings.question_pairs import Indices, Postings, SiteLinks, SiteQuestions, series_of
from cqa_spark.lake.schemas.activity import DUPLICATE_LINK, POST_LINKS
from cqa_spark.lake.schemas.community import POSTS
from cqa_spark.lake.schemas.findings import QUESTION_VECTORS
from cqa_spark.retrieval.index import questions as question_texts
from cqa_spark.retrieval.shard import QuestionTimes, count_terms
from cqa_spark.spark.frames import persist, runs

SHARE = 4096
"""Number of questions that a task judges, about: 10 s of work on a site of 100,000, 2 s of it to read them."""

_TERM = np.dtype([("term", "<i4"), ("count", "<i4")])
"""A term of a text: its index in the vocabulary of the part, and its frequency; in lexicographic order of terms."""

_COLUMNS = ("post_id", "asked", "tags", "asker_id", "is_closed", "links", "vectors")
_QUESTION = (
    "post_id:string,asked:bigint,tags:array<string>,asker_id:string,is_closed:boolean,"
    "links:array<struct<made:bigint,to:string,duplicate:boolean>>,vectors:binary,"
    "series:string,text_terms:binary,title_terms:binary"
)
_PARTS = f"site string, vocabulary array<string>, questions array<struct<{_QUESTION}>>"


def question_shares(tables: Mapping[str, DataFrame]) -> DataFrame:
    """The questions with a time, in parts, for each share of their site.

    Args:
        tables: ``posts``; perhaps ``post_links`` and ``question_vectors``.

    Returns:
        site, share, shares (their number), and of each part of the site: the vocabulary and the questions, with tags,
        asker, links, vectors if they are there, the series of the title, and the terms of text and title.
    """
    rows = question_rows(tables)
    parts = persist(rows.sortWithinPartitions("site").mapInArrow(make_parts, _PARTS))
    partitions = int(str(rows.sparkSession.conf.get("spark.sql.shuffle.partitions")))
    sizes = parts.groupBy("site").agg(F.sum(F.size("questions")).alias("size"))
    shares = sizes.select("site", F.least(F.ceil(F.col("size") / SHARE), F.lit(partitions)).alias("shares"))
    # The positions in an array of this length: for a sequence of numbers, Spark loads a thousand classes of Scala.
    share = F.posexplode(F.array_repeat(F.lit(True), F.col("shares").cast("int"))).alias("share", "is_one")
    return parts.join(F.broadcast(shares), on="site").select("*", share).drop("is_one")


QUESTIONS = FindingRows((POSTS,), ("site", "share"), question_shares, (POST_LINKS, QUESTION_VECTORS))


def question_rows(tables: Mapping[str, DataFrame]) -> DataFrame:
    """A row for each question with a time: title and text, tags, asker, links and, if they are there, vectors."""
    post, micros = ["site", "post_id"], F.unix_micros
    posts = tables[POSTS.name]
    about = posts.select(
        *post, "tags", F.col("user_id").alias("asker_id"), F.col("closed_at").isNotNull().alias("is_closed")
    )
    rows = question_texts(posts.where("created_at IS NOT NULL")).drop("vector").join(about, on=post)
    if (links := tables.get(POST_LINKS.name)) is None:
        rows = rows.withColumn("links", F.lit(None).cast("array<struct<made:bigint,to:string,duplicate:boolean>>"))
    else:
        is_duplicate = F.col("link_type_id") == DUPLICATE_LINK
        link = F.struct(
            micros("created_at").alias("made"), F.col("related_post_id").alias("to"), is_duplicate.alias("duplicate")
        )
        dated = links.where("created_at IS NOT NULL").groupBy(*post)
        rows = rows.join(dated.agg(F.sort_array(F.collect_set(link)).alias("links")), on=post, how="left")
    if (vectors := tables.get(QUESTION_VECTORS.name)) is None:
        return rows.withColumn("vectors", F.lit(None).cast("binary"))
    return rows.join(vectors.select(*post, "vectors"), on=post, how="left")


def make_parts(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """A part of each run of rows of a site.

    Args:
        batches: the columns of ``question_rows``.
    """
    for batch in batches:
        for site, rows in runs(batch, "site"):
            columns = {name: rows[name] for name in (*_COLUMNS, "title", "text")}
            titles = pc.fill_null(columns["title"], "")
            number = rows.num_rows
            # Titles are counted as further texts, so that a part has one vocabulary.
            terms = count_terms(pa.concat_arrays([columns["text"], titles]))
            records = np.empty(len(terms.term), _TERM)
            records["term"], records["count"] = terms.term, terms.count
            offsets = np.searchsorted(terms.text, np.arange(2 * number + 1)).astype(np.int32) * _TERM.itemsize
            buffers = [None, pa.py_buffer(offsets), pa.py_buffer(records)]
            by_text = pa.Array.from_buffers(pa.binary(), 2 * number, buffers)
            series = pa.array(map(series_of, titles.to_pylist()), pa.string())
            made = {**{name: columns[name] for name in _COLUMNS}, "series": series}
            made |= {"text_terms": by_text[:number], "title_terms": by_text[number:]}
            questions = pa.StructArray.from_arrays([*made.values()], [*made])
            yield pa.RecordBatch.from_pydict(
                {
                    "site": [site],
                    "vocabulary": pa.ListArray.from_arrays([0, len(terms.vocabulary)], terms.vocabulary),
                    "questions": pa.ListArray.from_arrays([0, number], questions),
                }
            )


def read_questions(rows: pa.Table) -> SiteQuestions:
    """The questions of a site.

    Args:
        rows: all of its parts, in any order.
    """
    vocabulary, parts = (rows[name].combine_chunks() for name in ("vocabulary", "questions"))
    in_any_order = pa.Table.from_struct_array(parts.flatten())
    order = _order(in_any_order)
    in_order = in_any_order.take(pa.array(order)).combine_chunks()
    # The number of each term of each part, in any order; and where those of the part of each question begin.
    number_of_term = vocabulary.flatten().dictionary_encode().indices.to_numpy()
    terms_of_part = pc.list_value_length(vocabulary).to_numpy()
    of_part = np.repeat(np.cumsum(terms_of_part) - terms_of_part, pc.list_value_length(parts).to_numpy())[order]

    def postings(name: str) -> Postings:
        """Where terms occur in the texts or titles."""
        column = in_order[name].combine_chunks()
        sizes = pc.binary_length(column).to_numpy() // _TERM.itemsize
        records = np.frombuffer(b"".join(column.to_pylist()), _TERM)
        starts = np.concatenate([[0], np.cumsum(sizes)])
        return Postings.of(starts, number_of_term[np.repeat(of_part, sizes) + records["term"]], records["count"])

    ids = in_order["post_id"].to_pylist()
    row_of = {post_id: row for row, post_id in enumerate(ids)}
    links = [
        (link["made"], max(row, row_of[link["to"]]), min(row, row_of[link["to"]]), link["duplicate"])
        for row, of_post in enumerate(in_order["links"].to_pylist())
        for link in of_post or ()
        if row_of.get(link["to"], row) != row
    ]
    made, later, earlier, is_duplicate = np.array(links, np.int64).reshape(-1, 4).T
    vectors = title_vectors = None
    stored = in_order["vectors"].to_pylist()
    if any(vector is not None for vector in stored):
        size = next(len(vector) for vector in stored if vector is not None)
        both = np.frombuffer(b"".join(vector or bytes(size) for vector in stored), np.float16).reshape(len(ids), 2, -1)
        title_vectors, vectors = both[:, 0], both[:, 1].astype(np.float32)
    return SiteQuestions(
        ids=ids,
        asked=in_order["asked"].to_numpy(),
        tags=[tags or [] for tags in in_order["tags"].to_pylist()],
        askers=in_order["asker_id"].to_pylist(),
        series=in_order["series"].to_pylist(),
        is_closed=np.array(in_order["is_closed"].to_pylist(), bool),
        links=SiteLinks(made, later, earlier, is_duplicate.astype(bool)),
        texts=postings("text_terms"),
        titles=postings("title_terms"),
        vectors=vectors,
        title_vectors=title_vectors,
    )


def _order(rows: pa.Table) -> Indices:
    """The oldest question first; of the same time, by number."""
    ids = rows["post_id"].combine_chunks()
    times = QuestionTimes.of(ids, rows["asked"].combine_chunks())
    return np.lexsort((np.array(ids.to_pylist(), dtype=object), times.number, times.time))
