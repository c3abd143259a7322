"""community tables → the index, and the examples of task E: every question with earlier ones that it may duplicate."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from cqa_spark.errors import InputError
from cqa_spark.features.registry import embedding_models, reads_texts
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_log import StepRecord
from cqa_spark.lake.schemas.activity import DUPLICATE_LINK, POST_LINKS
from cqa_spark.lake.schemas.community import COMMENTS, POSTS
from cqa_spark.lake.schemas.examples import EXAMPLES, IN_TRAINING
from cqa_spark.lake.schemas.retrieval import DELETED_QUESTIONS, INDEX_SHARDS, RETRIEVED, UNRETRIEVED
from cqa_spark.lake.schemas.text import DOCUMENTS, EMBEDDINGS
from cqa_spark.lake.snapshot import Snapshot
from cqa_spark.process.terminal import Terminal
from cqa_spark.retrieval.bm25 import Bm25
from cqa_spark.retrieval.index import index_shards, questions, with_vectors
from cqa_spark.retrieval.search import search
from cqa_spark.retrieval.search_result import fuse
from cqa_spark.runtime.flow import Product, Step
from cqa_spark.settings.duplicates import RetrievalSettings
from cqa_spark.spark.frames import persisted
from cqa_spark.steps.analyse import Analyse
from cqa_spark.steps.changed_sites import SiteUpdate, of_sites, site_update
from cqa_spark.steps.embed import Embed
from cqa_spark.task_contract.contract import Task
from cqa_spark.tasks.duplicate.dataset import examples_of, split_queries, unretrieved_of
from cqa_spark.text.encoders.model import EmbeddingModel

# Clusters of questions that duplicate each other: links closed transitively.

_CLUSTERS = "site string, post_id string, component bigint"


def clusters(posts: DataFrame, post_links: DataFrame) -> DataFrame:
    """The questions with duplicate links, and the cluster of each.

    Links to questions missing from the dump are ignored. One task processes all links of a site, because they are few
    compared to its posts.

    Args:
        posts: the table ``posts``.
        post_links: the table ``post_links``; links of other kinds are ignored.

    Returns:
        site, post_id, cluster (id of its oldest question), order (from 1, by time, then number).
    """
    questions = posts.where(F.col("post_type") == "question").select(
        "site", "post_id", F.col("created_at").alias("at"), F.col("post_id").cast("bigint").alias("number")
    )
    ends = [questions.select("site", F.col("post_id").alias(name)) for name in ("query_id", "candidate_id")]
    links = post_links.where(F.col("link_type_id") == DUPLICATE_LINK).select(
        "site", F.col("post_id").alias("query_id"), F.col("related_post_id").alias("candidate_id")
    )
    known = links.join(ends[0], ["site", "query_id"]).join(ends[1], ["site", "candidate_id"])
    by_site = known.select("site", "query_id", "candidate_id").repartition("site").sortWithinPartitions("site")
    members = by_site.mapInArrow(component_batches, _CLUSTERS).join(questions, ["site", "post_id"])
    in_time = Window.partitionBy("site", "component").orderBy(F.col("at").asc_nulls_first(), "number", "post_id")
    return members.select(
        "site",
        "post_id",
        F.first("post_id").over(in_time).alias("cluster"),
        F.row_number().over(in_time).alias("order"),
    )


def duplicate_pairs(clustered: DataFrame) -> DataFrame:
    """Pairs of a question and an earlier question of its cluster: site, query_id, candidate_id, cluster."""
    queries = clustered.select("site", "cluster", F.col("post_id").alias("query_id"), F.col("order").alias("asked"))
    earlier = clustered.select("site", "cluster", F.col("post_id").alias("candidate_id"), "order")
    pairs = queries.join(earlier, ["site", "cluster"]).where(F.col("order") < F.col("asked"))
    return pairs.select("site", "query_id", "candidate_id", "cluster")


def component_batches(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Number the connected components of each site's links.

    Args:
        batches: site, query_id and candidate_id of every link.

    Yields:
        One batch per site: site, post_id, component.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    held = list(batches)
    if not held:
        return
    links = pa.Table.from_batches(held)
    for site in dict.fromkeys(links.column("site").to_pylist()):
        of_site = links.filter(pc.equal(links.column("site"), site))
        ends = np.array([of_site.column(name).to_pylist() for name in ("query_id", "candidate_id")], dtype=object)
        ids, places = np.unique(ends, return_inverse=True)
        first, second = places.reshape(2, -1)
        graph = coo_array((np.ones(len(first)), (first, second)), shape=(len(ids), len(ids)))
        _, component = connected_components(graph, directed=False)
        yield pa.RecordBatch.from_arrays(
            [
                pa.array([site] * len(ids), pa.string()),
                pa.array(ids.tolist(), pa.string()),
                pa.array(component.astype(np.int64)),
            ],
            names=["site", "post_id", "component"],
        )


@dataclass(frozen=True)
class RetrieveCandidates(Step):
    """Index the questions of every site, and retrieve candidates for them among the earlier ones.

    If a run has published an index with the same settings and code, that of a changed site grows: only questions that
    it lacks are indexed, in shards of their own, and only for these candidates are retrieved. All other questions keep
    their candidates. Questions that were deleted stay in the index, are listed in ``DELETED_QUESTIONS``, and are no
    candidates.

    Attributes:
        task: the task of duplicates.
        settings: parameters of the retrieval.
        trains: whether systems are trained afterwards, which requires known duplicates.
        last: the published run; None to index all questions.
    """

    task: Task
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
        if not run.has(COMMENTS):
            run.write(COMMENTS, COMMENTS.empty(run.lake.spark))
        update = self._update(run)
        if update.last is not None and update.keep(RETRIEVED, EXAMPLES, UNRETRIEVED):
            run.write_entries(DELETED_QUESTIONS, update.last.entries(DELETED_QUESTIONS))
        else:
            counts.rows_in = self._write(run, update)
        counts.rows_out = run.rows(EXAMPLES)
        self._require_something(run)

    def _write(self, run: Run, update: SiteUpdate) -> int:
        """Write the tables of some sites, or all; return the number of questions that were indexed."""
        last, sites = update.last, update.sites
        posts = of_sites(run.read(POSTS), sites)
        links = of_sites(run.read(POST_LINKS), sites) if run.has(POST_LINKS) else POST_LINKS.empty(run.lake.spark)
        questions = of_sites(self._questions(run), sites)
        pairs = duplicate_pairs(clusters(posts, links))
        published = None if last is None else _splits(last)
        annotated_only = self.settings.queries == "annotated"
        queries = split_queries(posts, pairs, annotated_only=annotated_only, published=published)
        with persisted(questions, pairs, queries) as (questions, pairs, queries):
            ids = queries.select("site", F.col("query_id").alias("post_id"))
            if last is None or sites is None:
                indexed = self._index(run, update, questions, ids)
            else:
                indexed = self._grow(run, update, questions, ids, last, sites)
            retrieved = of_sites(run.read(RETRIEVED), sites)
            update.of(EXAMPLES).write(examples_of(self.task, queries, retrieved, pairs, posts))
            update.of(UNRETRIEVED).write(unretrieved_of(self.task, queries, retrieved, pairs, posts))
            return indexed

    def _index(self, run: Run, update: SiteUpdate, questions: DataFrame, ids: DataFrame) -> int:
        """Write the index of all questions and the candidates of some; return the number of questions.

        Args:
            run: the run to write to.
            update: of the index, for all sites.
            questions: all questions.
            ids: those to retrieve candidates for: site and post_id.
        """
        update.write(index_shards(questions, self.settings.shard_size, model=self._model()))
        run.write_entries(DELETED_QUESTIONS, [])
        queried = questions.join(ids, ["site", "post_id"])
        update.of(RETRIEVED).write(self._search(run.read(INDEX_SHARDS), queried, ids.limit(0)))
        return questions.count()

    def _grow(
        self,
        run: Run,
        update: SiteUpdate,
        questions: DataFrame,
        ids: DataFrame,
        last: Snapshot,
        sites: Collection[str],
    ) -> int:
        """Add a shard of new questions, and their candidates, to the published ones; return their number.

        Args:
            run: the run to write to.
            update: of the index.
            questions: all questions of the sites.
            ids: those to retrieve candidates for, unless their candidates are published: site and post_id.
            last: the published run.
            sites: the sites.
        """
        shards, retrieved = (of_sites(last.read(table), sites) for table in (INDEX_SHARDS, RETRIEVED))
        indexed = shards.select("site", F.explode("ids").alias("post_id"))
        deleted = indexed.join(questions, ["site", "post_id"], "left_anti")
        new = questions.join(indexed, ["site", "post_id"], "left_anti")
        with persisted(deleted, new) as (deleted, new):
            added = index_shards(new, self.settings.shard_size, prefix=f"{run.record.attempt}-", model=self._model())
            update.write(shards.unionByName(added))
            others = [entry for entry in last.entries(DELETED_QUESTIONS) if entry["site"] not in sites]
            here = [row.asDict() for row in deleted.sort("site", "post_id").collect()]
            run.write_entries(DELETED_QUESTIONS, [*others, *here])
            index = of_sites(run.read(INDEX_SHARDS), sites)
            candidates = self._search(index, new.join(ids, ["site", "post_id"]), deleted)
            update.of(RETRIEVED).write(retrieved.unionByName(candidates))
            return new.count()

    def _search(self, index: DataFrame, queried: DataFrame, deleted: DataFrame) -> DataFrame:
        """The rows of ``RETRIEVED`` of some questions, without deleted candidates."""
        settings = self.settings
        found = search(index, queried, deleted, Bm25(settings.k1, settings.b), settings.candidates)
        return RETRIEVED.conform(fuse(found, settings.candidates))

    def _update(self, run: Run) -> SiteUpdate:
        """The update of the index; of all sites if another model embeds its questions."""
        model, settings = self._model(), {"retrieval": self.settings}
        versions = [model.version] if model is not None else []
        return site_update(run, self.last, INDEX_SHARDS, (POSTS, POST_LINKS), settings=settings, versions=versions)

    def _model(self) -> EmbeddingModel | None:
        return EmbeddingModel.read(self.settings.embeddings) if self.settings.embeddings else None

    def _questions(self, run: Run) -> DataFrame:
        asked = questions(run.read(POSTS))
        if not self.settings.embeddings:
            return asked
        of_model = F.col("model") == self.settings.embeddings
        return with_vectors(asked, run.read(DOCUMENTS), run.read(EMBEDDINGS).where(of_model))

    def _require_something(self, run: Run) -> None:
        if run.rows(EXAMPLES) == 0:
            raise InputError(
                "no question has an earlier one that shares a word with it", "give a dump with Posts.xml of a site"
            )
        relevant = run.read(EXAMPLES).where("relevant")
        if run.rows(UNRETRIEVED) == 0 and relevant.limit(1).count() == 0:
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


def question_texts(groups: Sequence[str], model: str | None, last: Snapshot | None = None) -> tuple[Step, ...]:
    """The analysis of questions and their embeddings, as far as retrieval and feature groups need them.

    Args:
        groups: names of feature groups.
        model: embedding model of the retrieval; None for BM25 alone.
        last: the published run, whose texts are not analysed again; None to analyse all.
    """
    models = sorted({*embedding_models(groups), *([model] if model else [])})
    analysed = [Analyse(questions_only=True, last=last)] if models or reads_texts(groups) else []
    return (*analysed, *([Embed(models)] if models else []))
