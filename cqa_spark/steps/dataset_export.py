"""The examples, texts and rankings of a run → a data set of Parquet files with a dataset card."""

import re
from collections.abc import Iterator, Mapping, Sequence

import yaml
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cqa_spark.errors import InputError
from cqa_spark.lake.plain_files import write_plain_files
from cqa_spark.lake.run_record import RunRecord
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.lake.schemas.rankings import RANKINGS
from cqa_spark.lake.schemas.text import DOCUMENTS, TEXTS
from cqa_spark.lake.snapshot import Snapshot
from cqa_spark.object_store.locations import open_store, require_writable, write_file
from cqa_spark.object_store.store import ObjectStore
from cqa_spark.steps.attribution import ATTRIBUTION, NOT_STATED, attributions, licence_counts
from cqa_spark.steps.label_counts import LabelCount, label_counts, label_table

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
    found = {table.name: snapshot.read(table) for table in (EXAMPLES, RANKINGS) if snapshot.has(table)}
    if snapshot.has(DOCUMENTS) and snapshot.has(TEXTS):
        texts = snapshot.read(TEXTS).select("text_id", F.col("raw").alias(TEXT))
        documents = snapshot.read(DOCUMENTS).select("site", "document_id", "text_id", SPLIT)
        rows = documents.join(texts, on="text_id", how="inner")
        rows = rows.join(attributions(snapshot), on=["site", "document_id"], how="left")
        found[TEXTS.name] = rows.select("site", "document_id", TEXT, *ATTRIBUTION.names, SPLIT)
    return found


def _described(frame: DataFrame) -> T.StructType:
    """The columns of a frame with the comments of their declarations."""
    declared = {field.name: field for table in (EXAMPLES, RANKINGS, DOCUMENTS, TEXTS) for field in table.columns}
    declared |= {TEXT: declared["raw"], **{field.name: field for field in ATTRIBUTION}}
    return T.StructType(
        [T.StructField(each.name, each.dataType, each.nullable, declared[each.name].metadata) for each in frame.schema]
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
    for each in record.inputs:
        hashed = f", SHA-256 `{each.sha256}`" if each.sha256 else ""
        yield f"- `{each.path}` ({each.split}){hashed}"
    yield ""
