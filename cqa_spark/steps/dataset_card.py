"""The dataset card of an exported run: contents and sources of its files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import yaml
from pyspark.sql import types as T

from cqa_spark.lake.run_record import RunRecord

CARD = "README.md"

Rows = Mapping[str, Mapping[str, int]]
"""Number of rows by table and split."""

_SOURCES = """The texts come from the inputs below, under their licence: check it before you share the files, and
name it as `license` at the top of this card."""


def dataset_card(record: RunRecord, schemas: Mapping[str, T.StructType], rows: Rows) -> str:
    """The card as Markdown; its front matter names the files of each table and split for data-set loaders.

    Args:
        record: of the exported run.
        schemas: of each table, with comments.
        rows: number of rows by table and split.
    """
    return "\n".join([_front_matter(rows), f"# Run {record.run_id}", "", *_body(record, schemas, rows)])


def _front_matter(rows: Rows) -> str:
    configs = [
        {
            "config_name": name,
            "data_files": [{"split": split, "path": f"{name}/split={split}/*.parquet"} for split in splits],
        }
        for name, splits in rows.items()
    ]
    values = {"tags": ["community question answering", "learning to rank"], "configs": configs}
    return f"---\n{yaml.safe_dump(values, sort_keys=False)}---\n"


def _body(record: RunRecord, schemas: Mapping[str, T.StructType], rows: Rows) -> Iterator[str]:
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
    for each in record.inputs:
        hashed = f", SHA-256 `{each.sha256}`" if each.sha256 else ""
        yield f"- `{each.path}` ({each.split}){hashed}"
    yield ""
