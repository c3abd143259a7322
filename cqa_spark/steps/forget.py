"""a run → the same run without forgotten users and posts: tables, texts, index, journal, models; seen findings."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.corpora.erasure import Change, Erasure, Forgotten, erasure_of, recounted
from cqa_spark.features.author_facts import aliases_of
from cqa_spark.features.feature_table import feature_table, stored_groups
from cqa_spark.lake.done import done_findings, named_posts, remove_done
from cqa_spark.lake.lake import Lake
from cqa_spark.lake.model_folder import Copy, Kind, copy_with_fewer_rows, open_model_folder, original_of
from cqa_spark.lake.run import Run
from cqa_spark.lake.schemas import declared_tables, published_tables
from cqa_spark.lake.schemas.accounting import INGESTED_FILES, QUARANTINE
from cqa_spark.lake.schemas.community import COMMENTS, POSTS
from cqa_spark.lake.schemas.retrieval import DELETED_QUESTIONS, INDEX_SHARDS
from cqa_spark.lake.schemas.text import BODIES, DOCUMENTS, EMBEDDINGS, TEXTS
from cqa_spark.lake.snapshot import RunTables
from cqa_spark.lake.table import Table
from cqa_spark.retrieval.index import without_questions
from cqa_spark.steps.featurize import GROUPS
from cqa_spark.systems.trained_system import MODELS, UPSTREAM_MODELS
from cqa_spark.text.markup import distinct_bodies

_FOLDERS: dict[str, Kind] = {
    MODELS: "trained_system",
    UPSTREAM_MODELS: "trained_system",
    GROUPS.name: "feature_groups",
}
"""The kinds of artifacts that are model folders. All others go: reports and predictions quote or name posts."""


@contextmanager
def forgotten_in(run: RunTables, site: str, named: Sequence[Forgotten]) -> Iterator[Erasure]:
    """The erasure of users and posts of a run.

    Args:
        run: the run, which has what they wrote.
        site: the site.
        named: the users and posts.
    """
    written = [run.read(table).where(F.col("site") == site) for table in (POSTS, COMMENTS) if run.has(table)]
    with erasure_of(run, site, named) as erasure:
        yield replace(erasure, aliases=aliases_of(written, erasure.users) if written and erasure.users else ())


def changes_in(run: RunTables, erasure: Erasure) -> list[Change]:
    """How the tables of a run that are divided by site change, and its index; none if it has nothing to erase.

    Quarantined records, which may be about anybody, do not tell.
    """
    changes = erasure.changes(run, _tables_of_sites(run))
    questions = _indexed(run, erasure).count() if run.has(INDEX_SHARDS) else 0
    if questions:
        changes.append(Change(INDEX_SHARDS.name, None, questions, 0))
    return changes if any(change.table != QUARANTINE.name for change in changes) else []


def remove(run: Run, erasure: Erasure) -> None:
    """Remove what is forgotten from everything that a run has; texts that no document has go, too."""
    changes = erasure.remove_from(run, _tables_of_sites(run))
    if run.has(INGESTED_FILES):
        run.write_entries(INGESTED_FILES, recounted(run.entries(INGESTED_FILES), erasure.site, changes))
    if run.has(INDEX_SHARDS):
        _remove_from_index(run, erasure)
    erasure.remove_entries(run, declared_tables().values())
    _remove_texts(run)
    _remove_from_models(run, erasure)


def remove_seen_findings(lake: Lake, erasure: Erasure) -> None:
    """Remove the findings about forgotten posts from those that somebody has seen."""
    seen = {post for done in done_findings(lake.objects) if done[0] == erasure.site for post in named_posts(done)}
    if seen:
        erased = erasure.documents.where(F.col("id").isin(*seen)).collect()
        remove_done(lake.objects, erasure.site, {row["id"] for row in erased})


def _tables_of_sites(run: RunTables) -> list[Table]:
    """The tables whose columns say what a row is about, features included."""
    of_sites = [table for table in published_tables() if "site" in table.partition_by and table != INDEX_SHARDS]
    return [*of_sites, feature_table(stored_groups(run))]


def _indexed(run: RunTables, erasure: Erasure) -> DataFrame:
    """The forgotten questions in the index: site and post_id."""
    shards = run.read(INDEX_SHARDS).where(F.col("site") == erasure.site)
    indexed = shards.select("site", F.explode("ids").alias("post_id"))
    return indexed.join(erasure.documents.withColumnRenamed("id", "post_id"), "post_id", "left_semi")


def _remove_from_index(run: Run, erasure: Erasure) -> None:
    """Remove questions from the shards; deleted ones as well, because nothing tells any more who asked them."""
    entries = run.entries_or_none(DELETED_QUESTIONS)
    deleted = [(entry["site"], entry["post_id"]) for entry in entries if entry["site"] == erasure.site]
    listed = run.lake.spark.createDataFrame(deleted, "site string, post_id string")
    questions = _indexed(run, erasure).select("site", "post_id").union(listed)
    if not questions.isEmpty():
        before = run.files(INDEX_SHARDS)
        shards = run.read(INDEX_SHARDS).where(F.col("site") == erasure.site)
        run.replace(INDEX_SHARDS, without_questions(shards, questions), sites=[erasure.site], base=before)


def _remove_texts(run: Run) -> None:
    """Keep the texts, vectors and bodies that a document of any site has."""
    if run.has(DOCUMENTS):
        of_document = F.explode(F.array("text_id", "subject_text_id")).alias("text_id")
        texts = run.read(DOCUMENTS).select(of_document).distinct()
        for table in (TEXTS, EMBEDDINGS):
            _keep_only(run, table, texts)
    if run.has(POSTS):
        _keep_only(run, BODIES, distinct_bodies(run.read(POSTS)).select("body_id"))


def _keep_only(run: Run, table: Table, used: DataFrame) -> None:
    """Write a table anew with the rows of the given keys, if it has others."""
    key = used.columns
    if run.has(table) and not run.read(table).join(used, key, "left_anti").isEmpty():
        rows = run.read(table)
        run.write(table, rows.join(used, key, "left_semi").select(*rows.columns))


def _remove_from_models(run: Run, erasure: Erasure) -> None:
    """Copy the model folders whose tables have forgotten threads or authors, without them; drop all other artifacts."""
    for name in list(run.record.artifacts):
        kind = _FOLDERS.get(name.partition("/")[0])
        if kind is None:
            run.remove_artifact(name)
            continue
        folder = open_model_folder(run.record.artifacts[name], kind, run.lake.storage)
        if any(erasure.concerns(folder.read_table(table)) for table in folder.manifest.tables):
            copy, top = run.artifact_path("models", name), run.lake.path("")
            original = original_of(run.lake.root, folder.location.removeprefix(top), run.lake.storage)
            copy_of = Copy(location=copy.removeprefix(top), original=original)
            copy_with_fewer_rows(folder, copy_of, copy, run.lake.storage, erasure.remaining_rows)
            run.add_artifact(name, copy)
