"""rankings + texts + features → threads to search, in shards that a page loads."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from math import ceil

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema

from cqa_spark.config.object_storage_settings import ObjectStorageSettings
from cqa_spark.features.feature_table import feature_table, stored_groups
from cqa_spark.lake.manifest import folder_of
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_record import RunRecord, StepRecord
from cqa_spark.lake.schemas.community import COMMENTS, POSTS, USERS
from cqa_spark.lake.schemas.examples import IS_REPLAYED
from cqa_spark.lake.schemas.rankings import RANKINGS
from cqa_spark.lake.snapshot import Snapshot
from cqa_spark.lake.table import Table
from cqa_spark.lake.table_files import fingerprint_of
from cqa_spark.object_store.locations import write_file
from cqa_spark.object_store.s3 import credentials, use_credentials
from cqa_spark.process.terminal import Terminal
from cqa_spark.reports.kit.wording import listed
from cqa_spark.reports.reasons import REASON_FEATURES
from cqa_spark.reports.thread_shard import WRITTEN, write_shards
from cqa_spark.runtime.step import Artifact, Product, Step
from cqa_spark.steps.attribution import texts_of, with_attributions
from cqa_spark.steps.report import REPORT

THREADS = Artifact("threads")
"""The folder of the shards of a site is the artifact ``threads/SITE``."""

ROWS_PER_SHARD = 80
"""Rows of rankings; a night has three or more orders of a thread, of which it serves one."""

_WORD = r"[\p{L}\p{M}\p{N}]+"


@dataclass(frozen=True)
class WriteThreads(Step):
    """Write the shards of the threads that the page of the lake searches.

    Attributes:
        rows: rows of rankings that become searchable, of the smallest sites first; the threads of others do not.
        served: whether the rankings say which order of a thread is served; else that of the report's first system is
            shown.
        last: the published run, whose shards of unchanged sites are kept; None to write all.
    """

    rows: int
    served: bool
    last: Snapshot | None = None

    name = "threads"

    def reads(self) -> tuple[Product, ...]:
        """The rankings with their texts."""
        return RANKINGS, POSTS, *([] if self.served else [REPORT])

    def reads_if_present(self) -> tuple[Product, ...]:
        """More texts, names of authors, and features that tell reasons."""
        return COMMENTS, USERS, feature_table(())

    def writes(self) -> tuple[Product, ...]:
        """The shards."""
        return (THREADS,)

    def execute(self, run: Run, counts: StepRecord) -> None:
        """Write them."""
        unchanged = self._unchanged(run)
        for site, folder in unchanged.items():
            run.add_artifact(f"{THREADS.name}/{site}", folder)
        new = {site: rows for site, rows in run.files(RANKINGS).rows_by_site().items() if site not in unchanged}
        sites = smallest(new, self.rows)
        if left_out := sorted(new.keys() - sites):
            Terminal(stderr=True).line(
                f"note: the page of the lake does not search the threads of {listed(left_out, 5)}: their rankings have "
                f"{sum(new[site] for site in left_out):,} rows; --page-rows N raises the limit of {self.rows:,}"
            )
        counts.rows_in = run.rows(RANKINGS)
        counts.rows_out = _write_sites(run, self._is_shown(run), {site: new[site] for site in sites})

    def _unchanged(self, run: Run) -> dict[str, str]:
        """The folders of shards that stay, by site."""
        if self.last is None or not self.last.has(RANKINGS):
            return {}
        changed = run.changed_sites([RANKINGS, POSTS, COMMENTS, USERS], self.last)
        return {site: path for site, path in folders_of(self.last.record) if site not in changed}

    def _is_shown(self, run: Run) -> Column:
        """Whether a row of rankings belongs to the order of its thread that is shown."""
        if self.served:
            return F.col("served")
        return F.col("system") == (run.record.scores[0].system if run.record.scores else "")


def smallest(rows_by_site: Mapping[str, int], most: int) -> set[str]:
    """The smallest sites, which together have at most so many rows."""
    ordered = sorted(rows_by_site.items(), key=lambda item: (item[1], item[0]))
    totals = accumulate(rows for _, rows in ordered)
    return {site for (site, _), total in zip(ordered, totals, strict=True) if total <= most}


def folders_of(record: RunRecord) -> Iterator[tuple[str, str]]:
    """The sites whose threads a run shows, with the folders of their shards."""
    prefix = f"{THREADS.name}/"
    artifacts = record.artifacts.items()
    return ((name.removeprefix(prefix), path) for name, path in artifacts if name.startswith(prefix))


def _write_sites(run: Run, is_shown: Column, rows_by_site: Mapping[str, int]) -> int:
    """Write the shards of some sites in one job, as artifacts of the run; return the number of threads.

    Args:
        run: has rankings.
        is_shown: whether a row of rankings belongs to the order that is shown.
        rows_by_site: rows of rankings of the sites.
    """
    if not rows_by_site:
        return 0
    orders = _of_sites(run, RANKINGS, rows_by_site).where(is_shown)
    shards = {site: ceil(rows / ROWS_PER_SHARD) for site, rows in rows_by_site.items()}
    folders = {
        site: run.artifact_path(THREADS.name, fingerprint_of(site)[:12], str(number)) for site, number in shards.items()
    }
    rows = _by_key(_with_texts(run, orders, rows_by_site))
    features = _reason_features(run, rows_by_site)
    if features is not None:
        rows = rows.unionByName(features, allowMissingColumns=True)
    number = F.create_map(*[F.lit(value) for item in shards.items() for value in item])[F.col("site")]
    ordered = (
        rows.withColumn("shard", F.pmod(F.crc32("key"), number).cast("int"))
        .repartition("site", "shard")
        .sortWithinPartitions("site", "shard", "key", "position")
    )
    run.lake.before_write()
    task = partial(_write_shards, folders, run.lake.storage, credentials())
    [written] = (
        ordered.mapInArrow(task, from_arrow_schema(WRITTEN)).agg(F.coalesce(F.sum("threads"), F.lit(0))).collect()
    )
    stored = run.lake.objects.sizes(f"{folder_of(run.record)}/{THREADS.name}/")
    for site, folder in folders.items():
        if any(run.lake.path(key).startswith(f"{folder}/") for key in stored):  # no order of a site may be shown
            run.add_artifact(f"{THREADS.name}/{site}", folder)
    return int(written[0])


def _with_texts(run: Run, orders: DataFrame, sites: Collection[str]) -> DataFrame:
    """The ranked candidates and, with rank 0, their questions, with title, text and attribution."""
    ranked = F.struct("candidate_id", "rank")
    asked = F.struct(F.col("query_id").alias("candidate_id"), F.lit(0).alias("rank"))
    rows = F.when(F.col("rank") == 1, F.array(ranked, asked)).otherwise(F.array(ranked))
    documents = orders.select("site", "query_id", "system", "score", F.inline(rows))
    comments = _of_sites(run, COMMENTS, sites).where("thread_id IS NOT NULL")  # others are no candidates of any task
    texts = texts_of(_of_sites(run, POSTS, sites), comments).withColumnRenamed("document_id", "candidate_id")
    return with_attributions(run, documents.join(texts, on=["site", "candidate_id"], how="left"))


def _of_sites(run: Run, table: Table, sites: Collection[str]) -> DataFrame:
    return run.lake.read(table, run.files_or_none(table).of(sites))


def _by_key(rows: DataFrame) -> DataFrame:
    """Rows under the key of their thread and, without their body, under each word of the title of a question."""
    words = F.array_distinct(F.regexp_extract_all(F.lower("subject"), F.lit(_WORD), F.lit(0)))
    of_question = F.when(F.col("rank") == 0, F.coalesce(words, F.array().cast("array<string>")))
    thread = F.concat(F.lit("#"), "query_id")
    keys = F.concat(F.array(thread), F.coalesce(of_question, F.array().cast("array<string>")))
    is_thread = F.col("key") == thread
    return (
        rows.withColumn("key", F.explode(keys))
        .withColumns(
            {
                "body": F.when(is_thread, F.col("body")),
                "position": F.when(is_thread, F.col("rank")).otherwise(-F.unix_timestamp("created_at")),
            }
        )
        .drop("created_at")
    )


def _reason_features(run: Run, sites: Collection[str]) -> DataFrame | None:
    """The features that reasons are made of, under the key of the thread; None if the run has none of them."""
    names = {name.partition("__")[0] for name in REASON_FEATURES}
    groups = {group.name: group for group in stored_groups(run) if group.name in names}
    if not groups:
        return None
    features = _of_sites(run, feature_table(groups.values()), sites)
    of_threads = features.where(f"NOT {IS_REPLAYED}")
    values = [
        F.col(name.replace("__", ".")).alias(name) for name in REASON_FEATURES if name.partition("__")[0] in groups
    ]
    return of_threads.select("site", F.concat(F.lit("#"), "query_id").alias("key"), "candidate_id", *values)


def _write_shards(
    folders: Mapping[str, str],
    storage: ObjectStorageSettings,
    given: Mapping[str, str],
    batches: Iterable[pa.RecordBatch],
) -> Iterator[pa.RecordBatch]:
    use_credentials(given)
    return write_shards(batches, lambda site, shard, script: write_file(f"{folders[site]}/{shard}.js", script, storage))
