"""community tables → the index, and the examples of task E: every question with earlier ones that it may duplicate."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.config.duplicates_settings import RetrievalSettings
from cqa_spark.errors import InputError
from cqa_spark.lake.publishing import Snapshot
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_record import StepRecord
from cqa_spark.lake.schemas.activity import POST_LINKS
from cqa_spark.lake.schemas.community import COMMENTS, POSTS
from cqa_spark.lake.schemas.examples import EXAMPLES, IN_TRAINING
from cqa_spark.lake.schemas.retrieval import DELETED_QUESTIONS, INDEX_SHARDS, RETRIEVED, UNRETRIEVED
from cqa_spark.lake.schemas.text import DOCUMENTS, EMBEDDINGS
from cqa_spark.process.terminal import Terminal
from cqa_spark.retrieval.bm25 import Bm25
from cqa_spark.retrieval.fusion import fuse
from cqa_spark.retrieval.index import index_shards
from cqa_spark.retrieval.questions import questions, with_vectors
from cqa_spark.retrieval.search import search
from cqa_spark.runtime.step import Product, Step
from cqa_spark.spark.persistence import persisted
from cqa_spark.steps.reuse import same_origin
from cqa_spark.tasks.duplicate_clusters import clusters, duplicate_pairs
from cqa_spark.tasks.duplicate_dataset import examples_of, split_queries, unretrieved_of
from cqa_spark.text.embedding.model import EmbeddingModel


@dataclass(frozen=True)
class Candidates(Step):
    """Index the questions of every site, and retrieve candidates for them among the earlier ones.

    If a run has published an index with the same settings and code, only questions that it lacks are indexed, in shards
    of their own, and only for these candidates are retrieved. All other questions keep their candidates. Questions that
    were deleted stay in the index, are listed in ``DELETED_QUESTIONS``, and are no candidates.

    Attributes:
        settings: parameters of the retrieval.
        trains: whether systems are trained afterwards, which requires known duplicates.
        last: the published run; None to index all questions.
    """

    settings: RetrievalSettings
    trains: bool = True
    last: Snapshot | None = None

    name = "candidates"

    def reads(self) -> tuple[Product, ...]:
        """Posts, and the embeddings of their texts where they are wanted."""
        return (POSTS, DOCUMENTS, EMBEDDINGS) if self.settings.embeddings else (POSTS,)

    def reads_if_present(self) -> tuple[Product, ...]:
        """Links of duplicates."""
        return (POST_LINKS,)

    def writes(self) -> tuple[Product, ...]:
        """The index, its deleted questions, the retrieved candidates, the examples, and the missed duplicates.

        A dump of questions alone has no comments; later steps then read an empty table.
        """
        return INDEX_SHARDS, DELETED_QUESTIONS, RETRIEVED, EXAMPLES, UNRETRIEVED, COMMENTS

    def execute(self, run: Run, counts: StepRecord) -> None:
        """Write the tables.

        Raises:
            InputError: the site has no questions, or no known duplicates to learn from.
        """
        posts, settings = run.read(POSTS), self.settings
        links = run.read(POST_LINKS) if run.has(POST_LINKS) else POST_LINKS.empty(run.lake.spark)
        if not run.has(COMMENTS):
            run.write(COMMENTS, COMMENTS.empty(run.lake.spark))
        asked = self._questions(run)
        pairs = duplicate_pairs(clusters(posts, links))
        last = self._growing(run)
        published = None if last is None else _splits(last)
        annotated_only = settings.queries == "annotated"
        queries = split_queries(posts, pairs, annotated_only=annotated_only, published=published)
        with persisted(asked, pairs, queries) as (asked, pairs, queries):
            counts.rows_in = self._index_and_search(run, asked, queries, last)
            retrieved = run.read(RETRIEVED)
            counts.rows_out = run.write(EXAMPLES, examples_of(queries, retrieved, pairs, posts)).rows
            missed = run.write(UNRETRIEVED, unretrieved_of(queries, retrieved, pairs, posts)).rows
            self._require_something(run, missed)

    def _index_and_search(self, run: Run, asked: DataFrame, queries: DataFrame, last: Snapshot | None) -> int:
        """Write the index and the candidates; return the number of questions that were indexed.

        Args:
            run: the run to write to.
            asked: all questions.
            queries: those to retrieve candidates for, unless their candidates are published.
            last: the published run, whose index and candidates are kept; None to write all.
        """
        settings, model = self.settings, self._model()
        parameters, limit = Bm25(settings.k1, settings.b), settings.candidates
        ids = queries.select("site", F.col("query_id").alias("post_id"))
        if last is None:
            run.write(INDEX_SHARDS, index_shards(asked, settings.shards, model=model))
            run.write_entries(DELETED_QUESTIONS, [])
            queried = asked.join(ids, ["site", "post_id"])
            found = search(run.read(INDEX_SHARDS), queried, ids.limit(0), parameters, limit)
            run.write(RETRIEVED, RETRIEVED.conform(fuse(found, limit)))
            return asked.count()
        index, candidates = (last.record.table_versions[table.name] for table in (INDEX_SHARDS, RETRIEVED))
        indexed = last.read(INDEX_SHARDS).select("site", F.explode("ids").alias("post_id"))
        deleted = indexed.join(asked, ["site", "post_id"], "left_anti")
        new = asked.join(indexed, ["site", "post_id"], "left_anti")
        with persisted(deleted, new) as (deleted, new):
            shards = index_shards(new, 1, prefix=f"{run.record.sequence}-", model=model)
            run.merge_rows(INDEX_SHARDS, shards, stale=None, base=index)
            run.write_entries(DELETED_QUESTIONS, (row.asDict() for row in deleted.sort("site", "post_id").collect()))
            found = search(run.read(INDEX_SHARDS), new.join(ids, ["site", "post_id"]), deleted, parameters, limit)
            run.merge_rows(RETRIEVED, RETRIEVED.conform(fuse(found, limit)), stale=None, base=candidates)
            return new.count()

    def _growing(self, run: Run) -> Snapshot | None:
        """The published run, if its index can grow."""
        last = self.last
        if last is None or not (last.has(INDEX_SHARDS) and same_origin(run, last, {"retrieval": self.settings})):
            return None
        model = self._model()
        versions = last.read(INDEX_SHARDS).select("model_version").distinct().collect()
        return last if {row[0] for row in versions} <= {model and model.version} else None

    def _model(self) -> EmbeddingModel | None:
        return EmbeddingModel.read(self.settings.embeddings) if self.settings.embeddings else None

    def _questions(self, run: Run) -> DataFrame:
        asked = questions(run.read(POSTS))
        if not self.settings.embeddings:
            return asked
        of_model = F.col("model") == self.settings.embeddings
        return with_vectors(asked, run.read(DOCUMENTS), run.read(EMBEDDINGS).where(of_model))

    def _require_something(self, run: Run, missed: int) -> None:
        if run.rows(EXAMPLES) == 0:
            raise InputError(
                "no question has an earlier one that shares a word with it", "give a dump with Posts.xml of a site"
            )
        relevant = run.read(EXAMPLES).where("relevant")
        if missed == 0 and relevant.limit(1).count() == 0:
            Terminal(stderr=True).line(
                "warning: no known duplicates, so systems cannot be evaluated: PostLinks.xml is absent or has none"
            )
        if self.trains and relevant.where(IN_TRAINING).limit(1).count() == 0:
            raise InputError(
                "retrieval found no known duplicate of a training question to learn from",
                "add PostLinks.xml or duplicates.tsv, or use unsupervised systems: --systems retrieval_order",
            )


def _splits(last: Snapshot) -> DataFrame:
    """The split of each published query; those without candidates and missed duplicates have none."""
    columns = ("site", "query_id", "split")
    examples, missed = (last.read(table).select(*columns) for table in (EXAMPLES, UNRETRIEVED))
    return examples.unionByName(missed).distinct()
