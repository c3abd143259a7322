"""The examples, texts and rankings of a run → a data set of Parquet files with a dataset card."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

import yaml
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cqa_spark.errors import InputError
from cqa_spark.lake.run_log import RunRecord
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.lake.schemas.rankings import RANKINGS
from cqa_spark.lake.schemas.text import DOCUMENTS, TEXTS
from cqa_spark.lake.snapshot import Snapshot
from cqa_spark.lake.writing import write_plain_files
from cqa_spark.object_store.locations import open_store, require_writable, write_file
from cqa_spark.object_store.store import ObjectStore
from cqa_spark.steps.attribution import ATTRIBUTION, NOT_STATED, attributions, licence_counts
from cqa_spark.task_contract.contract import task as task_named

QUERIES, CANDIDATES, NOT_JUDGED = "queries", "candidates", "not judged"

TEXT = "text"

SPLIT = "split"
"""Partition column of the files: data-set loaders select splits by folder."""

CARD = "README.md"

_WRITTEN = re.compile(r"_SUCCESS|_temporary/.*|split=[^/]*/part-[^/]+\.parquet")
"""Files of a table, in its folder; Spark leaves temporary ones where it is killed."""

Rows = Mapping[str, Mapping[str, int]]
"""Number of rows by table and split."""

_SOURCES = """The texts come from the inputs below, and belong to their authors. Each row of `texts` names author,
address and licence, which CC BY-SA asks everybody to pass on with the text. Check texts without a licence before you
share the files."""


class LabelCount(NamedTuple):
    """How many queries or candidates a task has, with a label in a split.

    Attributes:
        task: name of the task.
        label: ``queries``, ``candidates``, the labels of a grade, or ``not judged``.
        split: the split.
        number: how many there are.
    """

    task: str
    label: str
    split: str
    number: int


def write_dataset(snapshot: Snapshot, folder: str) -> dict[str, dict[str, int]]:
    """Write ``TABLE/split=SPLIT/*.parquet`` and the card, ``README.md``; earlier ones in the folder are replaced.

    Args:
        snapshot: the tables of the run.
        folder: output folder, local or in a bucket.

    Returns:
        The number of rows by table and split.

    Raises:
        InputError: a folder that would be replaced has files that no export wrote.
        EnvironmentProblem: the folder cannot be written.
    """
    storage = snapshot.lake.storage
    require_own_files(open_store(folder, storage))
    require_writable(folder, storage)
    frames = _frames(snapshot)
    for name, frame in frames.items():
        write_plain_files(frame, f"{folder}/{name}", storage, partition_by=[SPLIT])
    rows = {name: _rows_by_split(frame) for name, frame in frames.items()}
    labels = label_counts(frames[EXAMPLES.name]) if EXAMPLES.name in frames else []
    described = {name: _described(frame) for name, frame in frames.items()}
    licences = licence_counts(frames[TEXTS.name]) if TEXTS.name in frames else {}
    card = dataset_card(snapshot.record, described, rows, labels, licences)
    write_file(f"{folder}/{CARD}", card.encode(), storage)
    return rows


def require_own_files(target: ObjectStore) -> None:
    """Check that the folders of the tables have no files but those of an earlier export, which replaces them whole.

    Raises:
        InputError: there are others; nothing was written.
    """
    for name in (EXAMPLES.name, RANKINGS.name, TEXTS.name):
        other = next((key for key in target.keys(f"{name}/") if not _WRITTEN.fullmatch(key.partition("/")[2])), None)
        if other is not None:
            raise InputError(
                f"{target.root}/{other} is not of an earlier export, which would replace the folder {name}; nothing "
                "was written",
                "name another folder",
            )


def _frames(snapshot: Snapshot) -> Mapping[str, DataFrame]:
    """The tables of the data set that the run has; a text has the splits of all posts and comments that contain it."""
    frames = {table.name: snapshot.read(table) for table in (EXAMPLES, RANKINGS) if snapshot.has(table)}
    if snapshot.has(DOCUMENTS) and snapshot.has(TEXTS):
        texts = snapshot.read(TEXTS).select("text_id", F.col("raw").alias(TEXT))
        documents = snapshot.read(DOCUMENTS).select("site", "document_id", "text_id", SPLIT)
        rows = documents.join(texts, on="text_id", how="inner")
        rows = rows.join(attributions(snapshot), on=["site", "document_id"], how="left")
        frames[TEXTS.name] = rows.select("site", "document_id", TEXT, *ATTRIBUTION.names, SPLIT)
    return frames


def _described(frame: DataFrame) -> T.StructType:
    """The columns of a frame with the comments of their declarations."""
    declared = {field.name: field for table in (EXAMPLES, RANKINGS, DOCUMENTS, TEXTS) for field in table.columns}
    declared |= {TEXT: declared["raw"], **{field.name: field for field in ATTRIBUTION}}
    return T.StructType(
        [
            T.StructField(field.name, field.dataType, field.nullable, declared[field.name].metadata)
            for field in frame.schema
        ]
    )


def _rows_by_split(frame: DataFrame) -> dict[str, int]:
    counts = frame.groupBy(SPLIT).count().collect()
    return {row[SPLIT]: row["count"] for row in sorted(counts, key=lambda row: row[SPLIT])}


def dataset_card(
    record: RunRecord,
    schemas: Mapping[str, T.StructType],
    rows: Rows,
    labels: Sequence[LabelCount] = (),
    licences: Mapping[str, int] = {},
) -> str:
    """The card as Markdown; its front matter names the files of each table and split for data-set loaders.

    Args:
        record: of the exported run.
        schemas: of each table, with comments.
        rows: number of rows by table and split.
        labels: numbers of queries and of candidates by label.
        licences: number of texts by licence.
    """
    sections = [*label_table(labels), *_body(record, schemas, rows, licences)]
    return "\n".join([_front_matter(rows, licences), f"# Run {record.run_id}", "", *sections])


def _front_matter(rows: Rows, licences: Mapping[str, int]) -> str:
    configs = [
        {
            "config_name": name,
            "data_files": [{"split": split, "path": f"{name}/split={split}/*.parquet"} for split in splits],
        }
        for name, splits in rows.items()
    ]
    stated = [licence.lower().replace(" ", "-") for licence in licences if licence != NOT_STATED]
    values = {
        **({"license": stated} if stated else {}),
        "tags": ["community question answering", "learning to rank"],
        "configs": configs,
    }
    return f"---\n{yaml.safe_dump(values, sort_keys=False)}---\n"


def _body(
    record: RunRecord, schemas: Mapping[str, T.StructType], rows: Rows, licences: Mapping[str, int]
) -> Iterator[str]:
    yield f"Exported by cqa-spark from the run `{record.run_id}` of {record.recorded_at:%Y-%m-%d}."
    yield f"Code version: `{record.code_version}`. Hash of the settings: `{record.config_hash}`."
    yield ""
    for name, schema in schemas.items():
        yield f"## {name}"
        yield ""
        yield f"Rows: {', '.join(f'{number:,} ({split})' for split, number in rows[name].items()) or 'none'}."
        yield ""
        yield "| column | type | meaning |"
        yield "|---|---|---|"
        for field in schema:
            meaning = str(field.metadata.get("comment", "")).replace("|", "\\|")
            yield f"| `{field.name}` | {field.dataType.simpleString()} | {meaning} |"
        yield ""
    yield "## Sources and licence"
    yield ""
    yield _SOURCES
    yield ""
    if licences:
        yield f"Texts by licence: {', '.join(f'{licence} {number:,}' for licence, number in licences.items())}."
        yield ""
    for file in record.inputs:
        hashed = f", SHA-256 `{file.sha256}`" if file.sha256 else ""
        yield f"- `{file.path}` ({file.split}){hashed}"
    yield ""


def label_counts(examples: DataFrame) -> list[LabelCount]:
    """The statistics that Nakov et al. (2017) print in Tables 1 to 3: by task and label, the training split first.

    Repeats of a thread are no examples, so they do not count.

    Args:
        examples: the table ``examples``; it is aggregated by task, split and grade.
    """
    of_split = examples.groupBy("task", "split").agg(
        F.count_distinct("site", "query_id").alias(QUERIES), F.count(F.lit(1)).alias(CANDIDATES)
    )
    not_judged = F.col("label").isNull() & F.col("similarity").isNull()
    of_grade = examples.groupBy("task", "split", "label").agg(
        F.count(F.lit(1)).alias("number"), F.count_if(not_judged).alias(NOT_JUDGED)
    )
    totals, grades = of_split.collect(), of_grade.collect()
    counts = [
        LabelCount(row["task"], name, row["split"], row[name]) for row in totals for name in (QUERIES, CANDIDATES)
    ]
    for row in grades:
        if row["label"] is not None:
            name = " or ".join(label for label, grade in _labels(row["task"]) if grade == row["label"])
            counts.append(LabelCount(row["task"], name, row["split"], row["number"]))
        elif row[NOT_JUDGED]:
            counts.append(LabelCount(row["task"], NOT_JUDGED, row["split"], row[NOT_JUDGED]))
    return sorted(counts, key=_order)


def label_table(counts: Sequence[LabelCount]) -> Iterator[str]:
    """The lines of a Markdown section with a column for each split; none without counts."""
    if not counts:
        return
    splits = list(dict.fromkeys(count.split for count in counts))
    yield "## Queries and candidates"
    yield ""
    yield f"| | {' | '.join(splits)} |"
    yield f"|---|{'---|' * len(splits)}"
    for (task, label), of_label in groupby(counts, key=lambda count: (count.task, count.label)):
        numbers = {count.split: f"{count.number:,}" for count in of_label}
        heading = f"{task.replace('_', ' ')}: {label}" if label in (QUERIES, CANDIDATES) else label
        yield f"| {heading} | {' | '.join(numbers.get(split, '') for split in splits)} |"
    yield ""


def _labels(task: str) -> Iterator[tuple[str, int]]:
    """The labels with their grades, the highest first."""
    yield from sorted(task_named(task).grades.items(), key=lambda graded: -graded[1])


def _order(count: LabelCount) -> tuple[str, int, bool, str]:
    """Queries, candidates, then labels by grade; in each, training first and then the splits by name."""
    grades = {label: -grade for label, grade in _labels(count.task)}
    position = {QUERIES: -100, CANDIDATES: -99, NOT_JUDGED: 1}.get(count.label)
    if position is None:
        position = grades[count.label.split(" or ")[0]]
    return count.task, position, count.split != "train", count.split
