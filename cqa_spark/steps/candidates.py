"""community tables → the index, and the examples of task E: every question with earlier ones that it may duplicate."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.config.duplicates_settings import RetrievalSettings
from cqa_spark.errors import InputError
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_record import StepRecord
from cqa_spark.lake.schemas.activity import POST_LINKS
from cqa_spark.lake.schemas.community import COMMENTS, POSTS
from cqa_spark.lake.schemas.examples import EXAMPLES, IN_TRAINING
from cqa_spark.lake.schemas.retrieval import INDEX_SHARDS, RETRIEVED, UNRETRIEVED
from cqa_spark.lake.schemas.text import DOCUMENTS, EMBEDDINGS
from cqa_spark.process.terminal import Terminal
from cqa_spark.retrieval.bm25 import Bm25
from cqa_spark.retrieval.fusion import fuse
from cqa_spark.retrieval.index import index_shards
from cqa_spark.retrieval.questions import questions, with_vectors
from cqa_spark.retrieval.search import search
from cqa_spark.runtime.step import Product, Step
from cqa_spark.tasks.duplicate_clusters import clusters, duplicate_pairs
from cqa_spark.tasks.duplicate_dataset import examples_of, split_queries, unretrieved_of
from cqa_spark.text.embedding.model import read_model


@dataclass(frozen=True)
class Candidates(Step):
    """Index the questions of every site, and retrieve candidates for them among the earlier ones.

    Attributes:
        settings: parameters of the retrieval.
        trains: whether systems are trained afterwards, which requires known duplicates.
    """

    settings: RetrievalSettings
    trains: bool = True

    name = "candidates"

    def reads(self) -> tuple[Product, ...]:
        """Posts, and the embeddings of their texts where they are wanted."""
        return (POSTS, DOCUMENTS, EMBEDDINGS) if self.settings.embeddings else (POSTS,)

    def reads_if_present(self) -> tuple[Product, ...]:
        """Links of duplicates."""
        return (POST_LINKS,)

    def writes(self) -> tuple[Product, ...]:
        """The index, the retrieved candidates, the examples, and the missed duplicates.

        A dump of questions alone has no comments; later steps then read an empty table.
        """
        return INDEX_SHARDS, RETRIEVED, EXAMPLES, UNRETRIEVED, COMMENTS

    def execute(self, run: Run, counts: StepRecord) -> None:
        """Write the tables.

        Raises:
            InputError: the site has no questions, or no known duplicates to learn from.
        """
        posts, settings = run.read(POSTS), self.settings
        links = run.read(POST_LINKS) if run.has(POST_LINKS) else POST_LINKS.empty(run.lake.spark)
        if not run.has(COMMENTS):
            run.write(COMMENTS, COMMENTS.empty(run.lake.spark))
        asked = self._questions(run).persist()
        pairs = duplicate_pairs(clusters(posts, links)).persist()
        queries = split_queries(posts, pairs, annotated_only=settings.queries == "annotated").persist()
        try:
            model = read_model(settings.embeddings) if settings.embeddings else None
            run.write(INDEX_SHARDS, index_shards(asked, settings.shards, model=model))
            counts.rows_in = asked.count()
            ids = queries.select("site", F.col("query_id").alias("post_id"))
            found = search(
                run.read(INDEX_SHARDS),
                asked.join(ids, ["site", "post_id"]),
                Bm25(settings.k1, settings.b),
                settings.candidates,
            )
            run.write(RETRIEVED, RETRIEVED.conform(fuse(found, settings.candidates)))
            retrieved = run.read(RETRIEVED)
            counts.rows_out = run.write(EXAMPLES, examples_of(queries, retrieved, pairs, posts)).rows
            missed = run.write(UNRETRIEVED, unretrieved_of(queries, retrieved, pairs, posts)).rows
            self._require_something(run, missed)
        finally:
            for frame in (asked, pairs, queries):
                frame.unpersist()

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
                "give a dump with PostLinks.xml, or name unsupervised systems: --systems retrieval_order",
            )
