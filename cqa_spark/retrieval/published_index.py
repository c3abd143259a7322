"""The index of a run, searched by one process without Spark."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from cqa_spark.lake.run_tables import RunTables
from cqa_spark.lake.schemas.retrieval import INDEX_SHARDS
from cqa_spark.lake.storage import Lake
from cqa_spark.lake.table_state import file_path
from cqa_spark.retrieval.bm25 import Bm25, Bm25Index, SiteStatistics
from cqa_spark.retrieval.shard import Moments, Shard
from cqa_spark.retrieval.stored_shard import from_row
from cqa_spark.retrieval.terms import count_terms

_LATEST = np.iinfo(np.int64).max


class Similar(NamedTuple):
    """A question that was found.

    Attributes:
        site: its site.
        question_id: its id.
        title: its title; empty where it has none.
        score: BM25; comparable within a site.
    """

    site: str
    question_id: str
    title: str
    score: float


def read_shards(lake: Lake, run: RunTables) -> dict[str, list[Shard]]:
    """The shards of a run by site.

    Args:
        lake: the lake of the run.
        run: has the table ``index_shards``.
    """
    by_site: dict[str, list[Shard]] = {}
    for path, added in run.state(INDEX_SHARDS).added.items():
        for row in _rows(lake, path):
            by_site.setdefault(added["partitionValues"]["site"], []).append(from_row(row))
    return by_site


def most_similar(site: str, shards: list[Shard], text: str, parameters: Bm25, limit: int) -> list[Similar]:
    """The questions of a site that are most similar to a text, best first; of equal scores the older one is first.

    Args:
        site: the site.
        shards: all of its shards.
        text: the question.
        parameters: of BM25.
        limit: number of questions.
    """
    queries = pa.array([text])
    terms = count_terms(queries).vocabulary
    in_shards = [pc.index_in(terms, value_set=shard.vocabulary).fill_null(-1).to_numpy() for shard in shards]
    counts = [np.append(shard.questions_with, 0)[places] for shard, places in zip(shards, in_shards, strict=True)]
    in_site = np.sum(counts, axis=0)
    questions, length = sum(len(shard.ids) for shard in shards), sum(int(shard.lengths.sum()) for shard in shards)
    found: list[tuple[float, int, int, Similar]] = []
    for shard, places in zip(shards, in_shards, strict=True):
        of_query = _only_terms(shard, places[places >= 0])
        known = SiteStatistics(questions, length, in_site[places >= 0])
        index = Bm25Index.of(of_query, known, parameters)
        best = index.search(queries, Moments(np.array([_LATEST]), np.array([0])), limit)
        for place, score in zip(best.place.tolist(), best.score.tolist(), strict=True):
            similar = Similar(site, shard.ids[place].as_py(), shard.titles[place].as_py() or "", score)
            found.append((-score, int(shard.asked.time[place]), int(shard.asked.number[place]), similar))
    return [each for *_, each in sorted(found)[:limit]]


def _only_terms(shard: Shard, terms: np.ndarray) -> Shard:
    """A shard with the postings of some terms, which are in the order of the alphabet: others need no scores."""
    parts = [slice(shard.starts[term], shard.starts[term + 1]) for term in terms.tolist()]
    starts = np.concatenate([[0], np.cumsum([part.stop - part.start for part in parts])]).astype(np.int64)
    nothing = np.zeros(0, np.int32)
    return Shard(
        shard.ids,
        shard.titles,
        shard.asked,
        shard.lengths,
        shard.vocabulary.take(pa.array(terms)),
        starts,
        np.concatenate([nothing, *(shard.places[part] for part in parts)]),
        np.concatenate([nothing, *(shard.counts[part] for part in parts)]),
    )


def _rows(lake: Lake, path: str) -> Iterator[dict[str, pa.Scalar]]:
    stored = lake.objects.read(f"{INDEX_SHARDS.name}/{file_path(path)}")
    assert stored is not None, "garbage collection keeps the files of runs"
    for batch in pq.ParquetFile(io.BytesIO(stored.data)).iter_batches(batch_size=1):
        yield {name: batch.column(name)[0] for name in batch.schema.names}
