"""The step that indexes the questions of sites and retrieves the candidates of task E, and the analysis it needs."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.errors import InputError
from cqa_spark.features.registry import embedding_models, reads_texts
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_log import StepRecord
from cqa_spark.lake.schemas.activity import POST_LINKS
from cqa_spark.lake.schemas.community import COMMENTS, POSTS
from cqa_spark.lake.schemas.examples import EXAMPLES, IN_TRAINING
from cqa_spark.lake.schemas.retrieval import DELETED_QUESTIONS, INDEX_SHARDS, RETRIEVED, UNRETRIEVED
from cqa_spark.lake.schemas.text import DOCUMENTS, EMBEDDINGS
from cqa_spark.lake.snapshot import Snapshot
from cqa_spark.process.terminal import Terminal
from cqa_spark.retrieval.bm25 import Bm25
from cqa_spark.retrieval.index import index_shards, with_vectors
from cqa_spark.retrieval.index import questions as indexed_questions
from cqa_spark.retrieval.search import search
from cqa_spark.retrieval.search_result import fuse
from cqa_spark.runtime.flow import Product, Step
from cqa_spark.settings.sections import RetrievalSettings
from cqa_spark.spark.frames import persisted
from cqa_spark.steps.analyse import Analyse
from cqa_spark.steps.changed_sites import SiteUpdate, of_sites, site_update
from cqa_spark.steps.embed import Embed
from cqa_spark.task_contract.contract import Task
from cqa_spark.tasks.duplicate.examples import clusters, duplicate_pairs, examples_of, split_queries, unretrieved_of
from cqa_spark.text.encoders.model import EmbeddingModel


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
        """Posts, and the embeddings of their texts for dense retrieval."""
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
        model = self._model()
        versions = [] if model is None else [model.version]
        # All sites are computed if another model embeds the questions.
        update = site_update(
            run, self.last, INDEX_SHARDS, (POSTS, POST_LINKS), settings={"retrieval": self.settings}, versions=versions
        )
        if update.last is not None and update.keep(RETRIEVED, EXAMPLES, UNRETRIEVED):
            run.write_entries(DELETED_QUESTIONS, update.last.entries(DELETED_QUESTIONS))
        else:
            counts.rows_in = self._write(run, update)
        counts.rows_out = run.rows(EXAMPLES)
        self._refuse_nothing_to_learn(run)

    def _write(self, run: Run, update: SiteUpdate) -> int:
        """Write the tables of some sites, or all; return the number of questions that were indexed."""
        last, sites = update.last, update.sites
        posts = of_sites(run.read(POSTS), sites)
        links = of_sites(run.read(POST_LINKS), sites) if run.has(POST_LINKS) else POST_LINKS.empty(run.lake.spark)
        questions = of_sites(indexed_questions(run.read(POSTS)), sites)
        if self.settings.embeddings:
            embeddings = run.read(EMBEDDINGS).where(F.col("model") == self.settings.embeddings)
            questions = with_vectors(questions, run.read(DOCUMENTS), embeddings)
        pairs = duplicate_pairs(clusters(posts, links))
        published = None
        if last is not None:
            # Queries without candidates and without missed duplicates have no published split.
            splits = [last.read(table).select("site", "query_id", "split") for table in (EXAMPLES, UNRETRIEVED)]
            published = splits[0].unionByName(splits[1]).distinct()
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
            of_other_sites = [entry for entry in last.entries(DELETED_QUESTIONS) if entry["site"] not in sites]
            of_sites_here = [row.asDict() for row in deleted.sort("site", "post_id").collect()]
            run.write_entries(DELETED_QUESTIONS, [*of_other_sites, *of_sites_here])
            index = of_sites(run.read(INDEX_SHARDS), sites)
            candidates = self._search(index, new.join(ids, ["site", "post_id"]), deleted)
            update.of(RETRIEVED).write(retrieved.unionByName(candidates))
            return new.count()

    def _search(self, index: DataFrame, queried: DataFrame, deleted: DataFrame) -> DataFrame:
        """The rows of ``RETRIEVED`` of some questions, without deleted candidates."""
        settings = self.settings
        results = search(index, queried, deleted, Bm25(settings.k1, settings.b), settings.candidates)
        return RETRIEVED.conform(fuse(results, settings.candidates))

    def _model(self) -> EmbeddingModel | None:
        return EmbeddingModel.read(self.settings.embeddings) if self.settings.embeddings else None

    def _refuse_nothing_to_learn(self, run: Run) -> None:
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


def question_texts(groups: Sequence[str], model: str | None, last: Snapshot | None = None) -> tuple[Step, ...]:
    """The analysis of questions and their embeddings, as far as retrieval and feature groups need them.

    Args:
        groups: names of feature groups.
        model: embedding model of the retrieval; None for BM25 alone.
        last: the published run, whose texts are not analysed again; None to analyse all.
    """
    models = set(embedding_models(groups))
    if model:
        models.add(model)
    steps: list[Step] = []
    if models or reads_texts(groups):
        steps.append(Analyse(questions_only=True, last=last))
    if models:
        steps.append(Embed(sorted(models)))
    return tuple(steps)
