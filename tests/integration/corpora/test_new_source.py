"""The source format that ``cqa new`` writes reads files as it is."""

import importlib
from pathlib import Path

import pytest
from pyspark import cloudpickle
from pyspark.sql import SparkSession

from cqa_spark.cli import main
from cqa_spark.settings.sections import ObjectStorageSettings

LINES = """{"post_id": "1", "thread_id": "1", "user_id": "7", "subject": "Ale?", "body": "Which?"}
{"post_id": "2", "thread_id": "1", "user_id": null, "subject": null, "body": "Stout"}
hello
"""


def test_lines_become_posts_and_refused_rows(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["new", "source", "line_forum", "--output", str(tmp_path)]) == 0
    monkeypatch.syspath_prepend(str(tmp_path / "line_forum"))
    module = importlib.import_module("line_forum.source")
    cloudpickle.register_pickle_by_value(module)  # workers cannot import it
    (tmp_path / "posts.jsonl").write_text(LINES)
    read = module.LineForum({"test": [str(tmp_path / "posts.jsonl")]}, "forum.test", ObjectStorageSettings()).read(
        spark
    )
    posts = sorted((row["post_id"], row["post_type"], row["body"]) for row in read.posts.collect())
    assert posts == [("1", "question", "Which?"), ("2", "answer", "Stout")]
    assert [(row["reason"], row["raw"]) for row in read.quarantine.collect()] == [("no post: JSONDecodeError", "hello")]
    [counts] = read.ingested_files.collect()
    assert (counts["rows_in"], counts["rows_out"], counts["rows_quarantined"]) == (3, 2, 1)
