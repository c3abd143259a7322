"""rankings + texts + features → threads to search, in shards that a page loads."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import partial, reduce
from math import ceil

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema

from cqa_spark.config.object_storage_settings import ObjectStorageSettings
from cqa_spark.features.feature_table import feature_table, stored_groups
from cqa_spark.lake.run import Run
from cqa_spark.lake.schemas.community import COMMENTS, POSTS
from cqa_spark.lake.schemas.examples import NIGHT_MARK
from cqa_spark.lake.schemas.rankings import RANKINGS
from cqa_spark.lake.schemas.text import comment_document
from cqa_spark.lake.table_files import fingerprint_of
from cqa_spark.object_store.locations import write_file
from cqa_spark.object_store.s3 import credentials, use_credentials
from cqa_spark.reports.reasons import REASON_FEATURES
from cqa_spark.reports.thread_shard import WRITTEN, write_shards
from cqa_spark.steps.attribution import attributions
from cqa_spark.text.markup.bodies import is_html

THREADS = "threads"
"""The folder of the shards of a site is the artifact ``threads/SITE``."""

ROWS_PER_SHARD = 80
"""Rows of rankings; a night has three or more orders of a thread, of which it serves one."""

_WORD = r"[\p{L}\p{M}\p{N}]+"


def write_thread_shards(run: Run, system: str, sites: Collection[str]) -> int:
    """Write the shards of some sites in one job, as artifacts of the run; return the number of threads.

    Args:
        run: has rankings.
        system: name of the system whose order is shown where the run serves none.
        sites: names of the sites.
    """
    if not sites:
        return 0
    is_shown = F.coalesce("served", F.col("system") == system)
    orders = run.read(RANKINGS).where(F.col("site").isin(*sites) & is_shown)
    rows_by_site = run.files(RANKINGS).rows_by_site()
    shards = {site: ceil(rows_by_site[site] / ROWS_PER_SHARD) for site in sites}
    folders = {
        site: run.artifact_path(THREADS, fingerprint_of(site)[:12], str(number)) for site, number in shards.items()
    }
    rows = _by_key(_with_texts(run, orders))
    features = _reason_features(run, shards)
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
    for site, folder in folders.items():
        run.add_artifact(f"{THREADS}/{site}", folder)
    return int(written[0])


def _with_texts(run: Run, orders: DataFrame) -> DataFrame:
    """The ranked candidates and, with rank 0, their questions, with title, text and attribution."""
    candidates = orders.select("site", "query_id", "candidate_id", "system", "rank", "score")
    questions = candidates.where("rank = 1").withColumns({"candidate_id": F.col("query_id"), "rank": F.lit(0)})
    posts = run.read(POSTS).select(
        "site", F.col("post_id").alias("candidate_id"), "subject", "body", is_html().alias("is_html"), "created_at"
    )
    texts = [posts]
    if run.has(COMMENTS):
        comments = run.read(COMMENTS).where("thread_id IS NOT NULL")  # others are no candidates of any task
        texts.append(comments.select("site", comment_document().alias("candidate_id"), "body", "created_at"))
    every_text = reduce(partial(DataFrame.unionByName, allowMissingColumns=True), texts)
    rows = questions.union(candidates.select(*questions.columns)).join(every_text, ["site", "candidate_id"], "left")
    attributed = attributions(run).withColumnRenamed("document_id", "candidate_id")
    return rows.join(attributed, ["site", "candidate_id"], "left")


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
    features = run.read(feature_table(groups.values()))
    of_threads = features.where(F.col("site").isin(*sites) & ~F.col("query_id").contains(NIGHT_MARK))
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
