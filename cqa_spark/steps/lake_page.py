"""a run with its report, rankings and texts → the page of the lake, and the threads that it searches.

A page without a server reads no data from a folder, but a browser runs scripts of it. A shard is such a script: JSON,
compressed and in base64, so that no text in it can end the script or the page. It maps keys to entries: ``#ID`` to a
thread; a word to the threads with it in the title, ``bre*`` to those with a word that begins so, and a pair of
characters to those with it, in scripts that do not separate words. The shard of a key is its CRC-32 modulo the number
of shards, which the name of their folder tells. ``newest.js`` beside them has the newest threads of the site.
"""

import gzip
import json
from base64 import b64encode
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest
from itertools import accumulate, groupby
from math import ceil
from operator import itemgetter
from typing import Any

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema

from cqa_spark.features.feature_table import feature_table, stored_groups
from cqa_spark.lake.collection import runs_to_keep
from cqa_spark.lake.manifest import folder_of
from cqa_spark.lake.publishing import INDEX as INDEX_FILE
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_log import RunLog, RunRecord, StepRecord
from cqa_spark.lake.schemas.community import COMMENTS, POSTS, USERS
from cqa_spark.lake.schemas.examples import IS_REPLAYED
from cqa_spark.lake.schemas.rankings import RANKINGS
from cqa_spark.lake.snapshot import Snapshot, published_runs
from cqa_spark.lake.table import Table, fingerprint_of
from cqa_spark.object_store.locations import split, write_file
from cqa_spark.process.terminal import Terminal
from cqa_spark.reports import kinds
from cqa_spark.reports.kit.page import page_bytes
from cqa_spark.reports.kit.wording import listed
from cqa_spark.reports.reasons import REASON_FEATURES, reasons
from cqa_spark.reports.reported_run import ReportedRun
from cqa_spark.reports.section import ReportValues, Section
from cqa_spark.reports.sections import findings, first_answers, lake_page, night_worth, summary, systems, trend
from cqa_spark.reports.sections.lake_page import LakePage, Publication, SearchableSite
from cqa_spark.reports.sections.trend import Trend, points_of
from cqa_spark.runtime.flow import Artifact, Product, Step
from cqa_spark.spark.frames import whole_groups
from cqa_spark.steps.attribution import texts_of, with_attributions
from cqa_spark.steps.publish import leased
from cqa_spark.steps.report import REPORT, written_report
from cqa_spark.text.post_html import page_html, page_text

THREADS = Artifact("threads")
"""The folder of the shards of a site is the artifact ``threads/SITE``."""

INDEX = Artifact("index")

SHOWN = 30
"""Publications on the page."""

ROWS_PER_SHARD = 80
"""Rows of rankings; a night has three or more orders of a thread, of which it serves one."""

MOST_SHARDS = 2_000
"""Shards of a site: web servers and object stores are slow with folders of many small files."""

MOST_CANDIDATES = 20

MOST_CHARACTERS = 4_000
"""What a shard has of a thread: its first candidates, and the start of a text."""

MOST_THREADS = 200
"""Threads that a shard has of a word, the newest."""

NEWEST = 20
"""Threads of a site that the page lists before anybody searches."""

_WORD = r"[\p{L}\p{M}\p{N}]+"
_PAIR = r"(?=([\p{IsHan}\p{IsHiragana}\p{IsKatakana}\p{IsThai}]{2}))"
"""Two characters of a script that does not separate words; pairs overlap."""

PREFIX = 3
"""Characters of a word's beginning that is a key."""

_BYTES = 8 << 20
_LISTED = pa.struct([("created_at", pa.timestamp("us", "UTC")), ("query_id", pa.string()), ("title", pa.string())])
WRITTEN = pa.schema([("site", pa.string()), ("threads", pa.int64()), ("newest", pa.list_(_LISTED))])
Row = Mapping[str, Any]


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
        unchanged: dict[str, str] = {}
        if self.last is not None and self.last.has(RANKINGS):
            changed = run.changed_sites([RANKINGS, POSTS, COMMENTS, USERS], self.last)
            unchanged = {site: path for site, path in folders_of(self.last.record) if site not in changed}
        for site, folder in unchanged.items():
            run.add_artifact(f"{THREADS.name}/{site}", folder)
        new = {site: rows for site, rows in run.files(RANKINGS).rows_by_site().items() if site not in unchanged}
        sites = smallest(new, self.rows)
        if left_out := sorted(new.keys() - sites):
            Terminal(stderr=True).line(
                f"note: the page of the lake does not search the threads of {listed(left_out, 5)}: their rankings have "
                f"{sum(new[site] for site in left_out):,} rows; --page-rows N raises the limit of {self.rows:,}"
            )
        is_shown = F.col("served")
        if not self.served:
            is_shown = F.col("system") == (run.record.scores[0].system if run.record.scores else "")
        counts.rows_in = run.rows(RANKINGS)
        counts.rows_out = _write_sites(run, is_shown, {site: new[site] for site in sites})


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
    shards = {site: min(ceil(rows / ROWS_PER_SHARD), MOST_SHARDS) for site, rows in rows_by_site.items()}
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
    storage = run.lake.storage

    def write(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield from write_shards(
            batches, lambda site, shard, script: write_file(f"{folders[site]}/{shard}.js", script, storage)
        )

    newest = F.slice(F.sort_array(F.flatten(F.collect_list("newest")), asc=False), 1, NEWEST).alias("newest")
    by_site = ordered.mapInArrow(write, from_arrow_schema(WRITTEN)).groupBy("site")
    written = by_site.agg(F.sum("threads").alias("threads"), newest).collect()
    for row in written:
        listed_threads = [[thread["query_id"], thread["title"]] for thread in row["newest"]]
        write_file(f"{folders[row['site']]}/newest.js", shard_script({"": {"threads": listed_threads}}), storage)
    stored = run.lake.objects.sizes(f"{folder_of(run.record)}/{THREADS.name}/")
    for site, folder in folders.items():
        if any(run.lake.path(key).startswith(f"{folder}/") for key in stored):  # no order of a site may be shown
            run.add_artifact(f"{THREADS.name}/{site}", folder)
    return sum(row["threads"] for row in written)


def _with_texts(run: Run, orders: DataFrame, sites: Collection[str]) -> DataFrame:
    """The ranked candidates and, with rank 0, their questions, with title, text and attribution."""
    ranked = F.struct("candidate_id", "rank", "accepted")
    asked = F.struct(F.col("query_id").alias("candidate_id"), F.lit(0).alias("rank"), F.lit(False).alias("accepted"))
    rows = F.when(F.col("rank") == 1, F.array(ranked, asked)).otherwise(F.array(ranked))
    documents = orders.select("site", "query_id", "system", "score", F.inline(rows))
    comments = _of_sites(run, COMMENTS, sites).where("thread_id IS NOT NULL")  # others are no candidates of any task
    texts = texts_of(_of_sites(run, POSTS, sites), comments).withColumnRenamed("document_id", "candidate_id")
    return with_attributions(run, documents.join(texts, on=["site", "candidate_id"], how="left"))


def _of_sites(run: Run, table: Table, sites: Collection[str]) -> DataFrame:
    return run.lake.read(table, run.files_or_none(table).of(sites))


def _by_key(rows: DataFrame) -> DataFrame:
    """Rows under the key of their thread and, without their body, under the words of the title of a question.

    A title's keys are its words, their beginnings, and pairs of characters.
    """
    title = F.lower("subject")
    words = F.regexp_extract_all(title, F.lit(_WORD), F.lit(0))
    beginnings = F.transform(
        F.filter(words, lambda word: F.length(word) >= PREFIX),
        lambda word: F.concat(F.substring(word, 1, PREFIX), F.lit("*")),
    )
    pairs = F.regexp_extract_all(title, F.lit(_PAIR), F.lit(1))
    title_keys = F.array_distinct(F.concat(words, beginnings, pairs))
    of_question = F.when(F.col("rank") == 0, F.coalesce(title_keys, F.array().cast("array<string>")))
    thread = F.concat(F.lit("#"), "query_id")
    keys = F.concat(F.array(thread), F.coalesce(of_question, F.array().cast("array<string>")))
    is_thread = F.col("key") == thread
    return rows.withColumn("key", F.explode(keys)).withColumns(
        {
            "body": F.when(is_thread, F.col("body")),
            "position": F.when(is_thread, F.col("rank")).otherwise(-F.unix_timestamp("created_at")),
        }
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


def write_shards(
    batches: Iterable[pa.RecordBatch], write: Callable[[str, int, bytes], None]
) -> Iterator[pa.RecordBatch]:
    """Write the shards of a task.

    Args:
        batches: rows in order of ``site``, ``shard``, ``key`` and ``position``. Those of a thread are its features
            (without a rank), its question (of rank 0) and its ranked candidates; those of a word, questions.
        write: writes a shard, given its site, number and content.

    Yields:
        For each shard, the number of its threads and the newest of them: the columns of ``WRITTEN``.
    """
    for table in whole_groups(batches, "site", "shard", at_a_time=_BYTES, size=lambda rows: int(rows.nbytes)):
        written = []
        for (site, shard), rows in groupby(table.to_pylist(), itemgetter("site", "shard")):
            entries, questions = {}, []
            for key, of_key in groupby(rows, itemgetter("key")):
                entry_rows = list(of_key)
                if key.startswith("#"):
                    entries[key] = _thread(entry_rows)
                    questions += [row for row in entry_rows if row["rank"] == 0 and row["created_at"] is not None]
                else:
                    entries[key] = _word(entry_rows)
            write(site, shard, shard_script(entries))
            newest = nlargest(NEWEST, questions, key=lambda row: (row["created_at"], row["query_id"]))
            written.append(
                {
                    "site": site,
                    "threads": sum(key.startswith("#") for key in entries),
                    "newest": [
                        {"created_at": row["created_at"], "query_id": row["query_id"], "title": row["subject"]}
                        for row in newest
                    ],
                }
            )
        yield pa.RecordBatch.from_pylist(written, schema=WRITTEN)


def shard_script(entries: Mapping[str, Any]) -> bytes:
    """The script that gives its element the entries; the same entries give the same bytes."""
    data = json.dumps(entries, ensure_ascii=False, separators=(",", ":")).encode("utf-8", errors="replace")
    return b'document.currentScript.shard="' + b64encode(gzip.compress(data, mtime=0)) + b'"\n'


def _word(rows: Sequence[Row]) -> dict[str, Any]:
    return {"number": len(rows), "threads": [[row["query_id"], row["subject"]] for row in rows[:MOST_THREADS]]}


def _thread(rows: Sequence[Row]) -> dict[str, Any]:
    ranked = [row for row in rows if row["rank"]]
    question: Row = next((row for row in rows if row["rank"] == 0), {})
    values: dict[str, dict[str, float]] = {}
    for row in rows:
        known = {name: row[name] for name in REASON_FEATURES if row.get(name) is not None}
        values.setdefault(row["candidate_id"], {}).update(known)
    shown = ranked[:MOST_CANDIDATES]
    sentences = reasons([values[row["candidate_id"]] for row in ranked])[:MOST_CANDIDATES]
    return {
        "title": question.get("subject") or "",
        "html": _html(question),
        **_attribution(question),
        "order": ranked[0]["system"] if ranked else "",
        "number": len(ranked),
        "candidates": [
            {"id": row["candidate_id"], "score": row["score"], "title": row["subject"] or "", "html": _html(row),
             **_attribution(row), "reason": reason, **({"accepted": True} if row.get("accepted") else {})}
            for row, reason in zip(shown, sentences, strict=True)
        ],
    }  # fmt: skip


def _html(row: Row) -> str:
    body = row.get("body") or ""
    return page_html(body, MOST_CHARACTERS) if row.get("is_html") else page_text(body, MOST_CHARACTERS)


def _attribution(row: Row) -> dict[str, Any]:
    return {name: row.get(name) for name in ("author", "address", "licence")}


_RESULTS: tuple[Section[ReportedRun, Any], ...] = (night_worth.SECTION, first_answers.SECTION, systems.SECTION)
"""Sections of the run's report that the page shows below the threads; what somebody should look at is above them."""


@dataclass(frozen=True)
class WriteLakePage(Step):
    """Write the page that becomes the lake's with the run's publication.

    Attributes:
        keep: number of publications whose files stay after this one's.
    """

    keep: int = SHOWN

    name = "pages"

    def reads(self) -> tuple[Product, ...]:
        """The report, and the threads that the page searches."""
        return REPORT, THREADS

    def writes(self) -> tuple[Product, ...]:
        """The page."""
        return (INDEX,)

    def execute(self, run: Run, counts: StepRecord) -> None:
        """Write it."""
        page = run.artifact_path(INDEX_FILE)
        write_file(page, page_bytes(_values(run, self.keep).page()), run.lake.storage)
        run.add_artifact(INDEX.name, page)
        counts.rows_out = 1


def _values(run: Run, keep: int) -> ReportValues:
    """The values of the page."""
    report = written_report(run)
    records = _publications(run)
    kept = {listed.attempt_name for listed in runs_to_keep(leased(run), keep - 1, fewest=1)} | {run.record.attempt_name}
    reports = {record.attempt_name: _within(run, record.artifacts.get(REPORT.name)) for record in records}
    others = [record for record in published_runs(run.lake) if record.corpus != run.record.corpus]
    folders = sorted(pair for record in (run.record, *others) for pair in folders_of(record))
    page = LakePage(
        name=split(run.lake.root)[1] or run.lake.root,
        publications=[
            Publication(record, reports[record.attempt_name] if record.attempt_name in kept else None)
            for record in records
        ],
        sites=[SearchableSite(site, _within(run, folder) or "") for site, folder in folders],
        sentences=summary.sentences(report.head),
    )
    parts: list[tuple[Section[Any, Any], Any]] = [
        *([(findings.SECTION, found)] if (found := report.data(findings.SECTION)) is not None else []),
        (lake_page.THREADS, page),
        *((section, data) for section in _RESULTS if (data := report.data(section)) is not None),
        *([(trend.SECTION, curve)] if (curve := _trend(page.name, records)) else []),
        (lake_page.RUNS, page),
    ]
    return ReportValues(kinds.LAKE, page, tuple(parts))


def _trend(lake: str, records: Sequence[RunRecord]) -> Trend | None:
    """The main measure of the latest run over all runs; None if it has none, or no other run has it."""
    latest = records[0]
    if not latest.scores:
        return None
    main = latest.scores[0]
    points = points_of(records[::-1], main.system, main.measure)
    return Trend(lake, latest.code_version, main.system, main.measure, points) if len(points) > 1 else None


def _publications(run: Run) -> list[RunRecord]:
    """The record of the run, and those of the publications before, the latest first."""
    log = RunLog(run.lake.objects)
    by_attempt = {listed.attempt_name: listed for listed in log.listed("published")}
    latest = sorted(by_attempt.values(), key=lambda listed: -listed.sequence)
    return [run.record, *map(log.read, latest[: SHOWN - 1])]


def _within(run: Run, path: str | None) -> str | None:
    """A path relative to the lake; None if it is outside."""
    top = run.lake.path("")
    return path.removeprefix(top) if path is not None and path.startswith(top) else None
