"""posts, votes and links → what somebody should look at, measured on the past; and the vectors that it takes."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import starmap
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyspark import SparkFiles
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.evaluation.statistics.clusters import FEWEST
from cqa_spark.findings.finding import Finding, FindingRows, Kind, all_findings
from cqa_spark.findings.worth import is_worse, worth
from cqa_spark.lake.done import done_findings, not_done, version_of
from cqa_spark.lake.journal import Entry
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_log import StepRecord
from cqa_spark.lake.schemas.community import EVERY, POSTS
from cqa_spark.lake.schemas.findings import FINDING_CASES, FINDING_WORTH, FINDINGS, QUESTION_VECTORS
from cqa_spark.lake.snapshot import Snapshot
from cqa_spark.lake.table import Table
from cqa_spark.retrieval.index import questions
from cqa_spark.runtime.flow import Product, Step
from cqa_spark.settings.findings import MOST_EMBEDDED, FindingSettings
from cqa_spark.spark.frames import learn_in_one_task, runs, whole_groups
from cqa_spark.spark.internals import to_arrow_schema
from cqa_spark.steps.changed_sites import Sites, of_sites, site_update
from cqa_spark.text.encoders.encoder import load_encoder, ship
from cqa_spark.text.encoders.model import EmbeddingModel

_BYTES = 32 << 20
"""Bytes of rows from which on kernels are called: with many threads of a site at once."""

_MOST_CASES = 1_000_000
"""Cases up to which all are measured; of more, whole clusters are sampled."""


def finding_steps(settings: FindingSettings, last: Snapshot | None) -> tuple[Step, ...]:
    """The steps of a night that make findings: with embeddings of questions, if the settings or the size allow.

    Args:
        settings: how related questions are judged.
        last: the published run, whose rows of unchanged sites are kept; None to compute all.
    """
    if settings.related == "words":
        return (Find(last, "by words alone, as --related words says"),)
    if settings.related == "text":
        return (
            EmbedQuestions(settings.encoder, last=last),
            Find(last, f"by words and by {settings.encoder}, as --related text says"),
        )
    note = f"by words and by {settings.encoder}; by words alone on sites of more than {MOST_EMBEDDED:,} questions"
    return EmbedQuestions(settings.encoder, MOST_EMBEDDED, last), Find(last, note)


@dataclass(frozen=True)
class EmbedQuestions(Step):
    """Encode the questions of changed sites; those whose text is the published one keep their vectors.

    Attributes:
        model: name of the embedding model.
        most: number of questions of a site up to which they are encoded; None for any.
        last: the published run; None to encode all.
    """

    model: str
    most: int | None = None
    last: Snapshot | None = None

    name = "question vectors"

    def reads(self) -> tuple[Product, ...]:
        """Posts."""
        return (POSTS,)

    def writes(self) -> tuple[Product, ...]:
        """The vectors."""
        return (QUESTION_VECTORS,)

    def prepare(self) -> None:
        """Check that the model is installed."""
        load_encoder(EmbeddingModel.read(self.model))

    def execute(self, run: Run, counts: StepRecord) -> None:
        """Write them."""
        model = EmbeddingModel.read(self.model)
        update = site_update(
            run, self.last, QUESTION_VECTORS, (POSTS,), settings={}, versions=[model.version, str(self.most)]
        )
        if not update.keep():
            ship(run.lake.spark, model)
            texts = questions(of_sites(run.read(POSTS), update.sites))
            if self.most is not None:
                sizes = texts.groupBy("site").count().where(F.col("count") <= self.most).select("site")
                texts = texts.join(F.broadcast(sizes), on="site", how="left_semi")
            digest = F.sha2(F.concat_ws("\n", F.lit(model.version), F.coalesce("title", F.lit("")), "text"), 256)
            texts = texts.select("site", "post_id", "title", "text", digest.alias("text_hash"))
            if update.last is not None:
                known = of_sites(update.last.read(QUESTION_VECTORS), update.sites)
                kept = known.join(texts.select("site", "post_id", "text_hash"), on=["site", "post_id", "text_hash"])
                new = texts.join(known, on=["site", "post_id", "text_hash"], how="left_anti")
                update.write(QUESTION_VECTORS.conform(kept).unionByName(encode(new, model)))
            else:
                update.write(encode(texts, model))
        counts.rows_in, counts.rows_out = run.rows(POSTS), run.rows(QUESTION_VECTORS)


def encode(texts: DataFrame, model: EmbeddingModel) -> DataFrame:
    """The rows of ``QUESTION_VECTORS`` of some questions.

    Args:
        texts: site, post_id, title, text, text_hash.
        model: a model that was shipped.
    """
    schema = to_arrow_schema(QUESTION_VECTORS.schema)

    def encode_batches(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        encoder = load_encoder(model, (Path(SparkFiles.getRootDirectory()),))
        for batch in batches:
            both = [encoder.encode([text or "" for text in batch[name].to_pylist()]) for name in ("title", "text")]
            vectors = np.concatenate(both, axis=1).astype(np.float16)
            columns = [batch["site"], batch["post_id"], batch["text_hash"]]
            stored = pa.array([vector.tobytes() for vector in vectors], pa.binary())
            yield pa.RecordBatch.from_arrays([*columns, stored], schema=schema)

    # Spark sizes partitions by bytes, but encoding takes milliseconds per text.
    partitions = int(str(texts.sparkSession.conf.get("spark.sql.shuffle.partitions")))
    spread = texts.repartition(partitions, "site", "post_id")
    return QUESTION_VECTORS.conform(spread.mapInArrow(encode_batches, QUESTION_VECTORS.schema))


@dataclass(frozen=True)
class Find(Step):
    """Backtest every finding on the past of the sites, and write those that are not worse than their simple rivals.

    Attributes:
        last: the published run, whose rows of unchanged sites are kept; None to compute all.
        related: how related questions are judged, and why.
    """

    last: Snapshot | None = None
    related: str = ""

    name = "findings"

    def reads(self) -> tuple[Product, ...]:
        """Posts."""
        return (POSTS,)

    def reads_if_present(self) -> tuple[Product, ...]:
        """Whatever findings read."""
        tables = (table for finding in all_findings() for table in finding.rows.tables)
        return tuple({table.name: table for table in tables if table is not POSTS}.values())

    def writes(self) -> tuple[Product, ...]:
        """The findings, their cases of the past, and what they were worth."""
        return FINDINGS, FINDING_CASES, FINDING_WORTH

    def task_imports(self) -> Collection[str]:
        """What retrieves the earlier questions."""
        return ("numba",)

    def execute(self, run: Run, counts: StepRecord) -> None:
        """Measure first, then find."""
        findings = [finding for finding in all_findings() if all(run.has(table) for table in finding.rows.reads)]
        inputs = [product for product in (POSTS, *self.reads_if_present()) if isinstance(product, Table)]
        versions = [f"{finding.name} {finding.version}" for finding in findings]
        past = site_update(run, self.last, FINDING_CASES, inputs, settings={}, versions=versions)
        rows = {}
        if not past.keep():
            rows = rows_of_groups(run, findings, past.sites)
            past.write_in_turn(kernel_rows(rows, findings, FINDING_CASES, "backtest"))
        figures = measured_worth(run, findings)
        refused = {row["kind"] for row in figures if row["site"] == EVERY and is_worse(row)}
        kept = [kind.name for finding in findings for kind in finding.kinds if kind.name not in refused]
        done = done_findings(run.lake.objects)
        versions += [*kept, version_of(done)]
        tonight = site_update(run, self.last, FINDINGS, inputs, settings={}, versions=versions)
        if not tonight.keep():
            if not rows or tonight.sites != past.sites:
                rows = rows_of_groups(run, findings, tonight.sites)
            listed = (frame.where(F.col("kind").isin(kept)) for frame in kernel_rows(rows, findings, FINDINGS, "find"))
            tonight.write_in_turn(not_done(frame, done) for frame in listed)
        numbers = {
            (row["site"], row["kind"]): row["count"]
            for row in run.read(FINDINGS).cube("site", "kind").count().where("kind IS NOT NULL").collect()
        }
        run.write_entries(FINDING_WORTH, self._entries(findings, figures, refused, numbers))
        counts.rows_in, counts.rows_out = run.rows(FINDING_CASES), run.rows(FINDINGS)

    def _entries(
        self,
        findings: Sequence[Finding],
        figures: Sequence[Entry],
        refused: set[str],
        numbers: Mapping[tuple[str | None, str], int],
    ) -> Iterator[Entry]:
        owner = {kind.name: (finding, kind) for finding in findings for kind in finding.kinds}
        for row in figures:
            finding, kind = owner[row["kind"]]
            site = None if row["site"] == EVERY else row["site"]
            if row["clusters"] < FEWEST:
                reason = "too few cases of the past to tell"
            elif kind.name in refused:
                reason = f"{kind.rival} is better"
            else:
                reason = f"{'better' if (row['low_difference'] or 0) > 0 else 'not worse'} than {kind.rival}"
            if QUESTION_VECTORS in finding.rows.tables:
                reason += f"; {self.related}"
            yield {
                **row,
                "finding": finding.name,
                "measure": kind.measure,
                "rival": kind.rival,
                "published": kind.name not in refused,
                "rows": numbers.get((site, kind.name), 0),
                "reason": reason,
            }


def rows_of_groups(run: Run, findings: Sequence[Finding], sites: Sites) -> dict[FindingRows, DataFrame]:
    """The rows that findings are made of, once for findings that share them; those of a group are adjacent."""
    frames = {}
    for rows in dict.fromkeys(finding.rows for finding in findings):
        tables = {table.name: of_sites(run.read(table), sites) for table in rows.tables if run.has(table)}
        frames[rows] = rows.make(tables).repartition(*rows.group).sortWithinPartitions(*rows.group)
    return frames


def kernel_rows(
    frames: Mapping[FindingRows, DataFrame], findings: Sequence[Finding], table: Table, method: str
) -> Iterator[DataFrame]:
    """The rows of a table that the findings make, of each frame by itself.

    Tasks of one stage should have equal work, and groups of different rows have not.

    Args:
        frames: what ``rows_of_groups`` gave.
        findings: the findings.
        table: the table.
        method: name of the kernel of a finding that makes them, without their site, of groups of a site.
    """
    schema = to_arrow_schema(table.schema)

    def make(rows: FindingRows, frame: DataFrame) -> DataFrame:
        kernels = [getattr(finding, method) for finding in findings if finding.rows == rows]

        def run_kernels(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            for site, of_site in groups_by_site(batches, rows.group):
                made = [{"site": site, **row} for kernel in kernels for row in kernel(site, of_site)]
                yield from pa.Table.from_pylist(made, schema=schema).to_batches(max_chunksize=10_000)

        return table.conform(frame.mapInArrow(run_kernels, table.schema))

    return starmap(make, frames.items())


def groups_by_site(batches: Iterable[pa.RecordBatch], group: Sequence[str]) -> Iterator[tuple[str, pa.Table]]:
    """Tables of whole groups of one site, and its name; a site with many groups has several tables.

    Args:
        batches: rows in order of their groups.
        group: the columns of a group; the first is ``site``.
    """
    for rows in whole_groups(batches, *group, at_a_time=_BYTES, size=lambda batch: batch.nbytes):
        yield from runs(rows, "site")


def measured_worth(run: Run, findings: Sequence[Finding]) -> list[Entry]:
    """The figures of every kind on the cases of the run, computed in one task."""
    kinds: dict[str, Kind] = {kind.name: kind for finding in findings for kind in finding.kinds}
    every = max(1, -(-run.rows(FINDING_CASES) // _MOST_CASES))
    cases = run.read(FINDING_CASES).where(F.pmod(F.xxhash64("site", "cluster"), F.lit(every)) == 0)
    schema = to_arrow_schema(FINDING_CASES.schema)

    def measure(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        held = [*batches]
        rows = pa.Table.from_batches(held) if held else schema.empty_table()
        yield pa.RecordBatch.from_pydict({"figures": [json.dumps([*worth(rows, kinds)])]})

    [row] = learn_in_one_task(cases, FINDING_CASES.key, measure, "figures string")
    figures: list[Entry] = json.loads(row["figures"])
    return figures
