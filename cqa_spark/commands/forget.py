"""``cqa lake forget``: a user or a post is removed from all tables and models, and from all later runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pyspark.sql import functions as F

from cqa_spark.config.settings import ForgetSettings
from cqa_spark.corpora.forgetting import Gone, gone_from
from cqa_spark.errors import InputError
from cqa_spark.features.feature_table import feature_table
from cqa_spark.features.stored_values import stored_groups
from cqa_spark.lake.collection import FEWEST, Collected, collect
from cqa_spark.lake.declared_tables import published_tables
from cqa_spark.lake.forgotten import Forgotten, of_site, read_forgotten, write_forgotten
from cqa_spark.lake.publishing import REPORT_FILES, Snapshot, publish, published_snapshot
from cqa_spark.lake.run import Run
from cqa_spark.lake.schemas.accounting import FINGERPRINTS
from cqa_spark.lake.schemas.attentions import ATTENTIONS
from cqa_spark.lake.schemas.retrieval import DELETED_QUESTIONS, INDEX_SHARDS, RETRIEVED
from cqa_spark.lake.schemas.text import BODIES, DOCUMENTS, EMBEDDINGS, TEXTS
from cqa_spark.lake.table import Table
from cqa_spark.lake.table_files import NO_FILES
from cqa_spark.process.terminal import Terminal, TextTable, number
from cqa_spark.runtime.workspace import open_run_in, write_lake
from cqa_spark.steps.featurize import GROUPS
from cqa_spark.systems.trained_system import MODELS, UPSTREAM_MODELS, TrainedSystem, trained_system

_BUILT_ANEW = (INDEX_SHARDS, RETRIEVED)
"""Tables of which the next night makes the whole site anew: an index has the words of all its questions together."""

_OF_SITES = (FINGERPRINTS, DELETED_QUESTIONS, ATTENTIONS)
"""Journal tables whose entries of the site go; without fingerprints, the next night reads its dump again."""

KEPT_ARTIFACTS = (GROUPS.name,)
"""Artifacts besides trained systems that stay; reports and predictions quote or name posts."""


def forget(settings: ForgetSettings) -> None:
    """Remove a user or a post, publish the result, and delete the files that only earlier runs need.

    Raises:
        InputError: nothing is published, or the published run has no such user or post.
        AnotherWriter: another process writes the lake.
    """
    asked = settings.forgotten
    kind, name = ("user", asked.user) if asked.user else ("post", asked.post)
    named = Forgotten.model_validate({"site": asked.site, "kind": kind, "id": name})
    with write_lake(settings, "forget", create=False) as lake:
        before = read_forgotten(lake.objects)
        if named in before:
            Terminal().line(f"{named} was forgotten before; nothing was written")
            return
        last = published_snapshot(lake)
        with open_run_in(lake, settings, "forget", resume=False) as run:
            removed = _remove(run, last, of_site([*before, named], named.site))
            if not removed:
                raise InputError(
                    f"the published run {last.record.run_id} has no rows of {named}", "check the site and the id"
                )
            write_forgotten(lake.objects, [*before, named])
        lake.objects.delete_all(REPORT_FILES)
        publish(lake, run.run_id, reason=f"forgot a {named.kind} of {named.site}")
        found = collect(lake, 1, fewest=1 if asked.now else FEWEST)
    _tell(named, removed, found, now=asked.now)


def _remove(run: Run, last: Snapshot, forgotten: Sequence[Forgotten]) -> dict[str, int]:
    """Carry the published run over without the forgotten; return the number of removed rows by table."""
    site = forgotten[0].site
    run.carry(last)
    run.add_inputs(last.record.inputs)
    for table in _BUILT_ANEW:
        if run.has(table):
            run.put(table, run.files(table).without([site]))
    with gone_from(run, site, forgotten) as gone:
        removed = gone.remove_from(run, _tables(run))
        if removed:
            _remove_from_models(run, gone)
    if not removed:
        return {}
    for table in (*published_tables(), feature_table(())):
        if run.has(table):
            run.put(table, run.files(table).unsigned(site))
    _remove_texts(run)
    for entries in _OF_SITES:
        if run.has(entries):
            run.write_entries(entries, [entry for entry in run.entries(entries) if entry["site"] != site])
    return removed


def _tables(run: Run) -> list[Table]:
    """The tables that are divided by site, features included."""
    features = feature_table(stored_groups(run))
    return [
        table for table in (*published_tables(), features) if "site" in table.partition_by and table not in _BUILT_ANEW
    ]


def _remove_texts(run: Run) -> None:
    """Keep the texts and vectors that a document still has; bodies are split anew by the next night."""
    if run.has(BODIES):
        run.put(BODIES, NO_FILES)
    if not run.has(DOCUMENTS):
        return
    of_document = F.explode(F.array("text_id", "subject_text_id")).alias("text_id")
    used = run.read(DOCUMENTS).select(of_document).where("text_id IS NOT NULL").distinct()
    for table in (TEXTS, EMBEDDINGS):
        if run.has(table):
            rows = run.read(table)
            run.write(table, rows.join(used, "text_id", "left_semi").select(*rows.columns))


def _remove_from_models(run: Run, gone: Gone) -> None:
    """Save the trained systems again without the forgotten among their training threads; drop all pages."""
    for name in list(run.record.artifacts):
        if name.partition("/")[0] in (MODELS, UPSTREAM_MODELS):
            path = run.artifact_path("models", name)
            trained = _without_threads(trained_system(run, name), gone)
            trained.save(path, run.lake.storage)
            run.add_artifact(name, path, loaded=trained)
        elif name not in KEPT_ARTIFACTS:
            run.remove_artifact(name)


def _without_threads(trained: TrainedSystem, gone: Gone) -> TrainedSystem:
    is_of_site = F.col("site") == gone.site
    kept = gone.without(trained.threads.where(is_of_site)).unionByName(trained.threads.where(~is_of_site))
    upstream = {name: _without_threads(each, gone) for name, each in trained.upstream.items()}
    return replace(trained, threads=kept, upstream=upstream)


def _tell(named: Forgotten, removed: Mapping[str, int], found: Collected, *, now: bool) -> None:
    terminal = Terminal()
    terminal.line(f"{named} is forgotten; removed rows:")
    terminal.table(removed_table(removed))
    terminal.line("reports that quoted texts are deleted; the next night writes a new one")
    others = [each.run_id for each in found.kept[1:]]
    if others:
        remedy = "release the runs that are kept" if now else "delete their files at once with --now: no rollback then"
        terminal.line(f"still with the data: {', '.join(others)}; {remedy}")


def removed_table(removed: Mapping[str, int]) -> TextTable:
    """A row for each table."""
    table = TextTable("table", number("rows"))
    for name, rows in sorted(removed.items()):
        table.add_row(name, f"{rows:,}")
    return table
