"""The source format of the example plug-in, from files to community tables."""

import json
from pathlib import Path

import pytest
from pyspark.cloudpickle import register_pickle_by_value
from pyspark.sql import SparkSession

from cqa_spark.corpora.accounting import check_accounting
from cqa_spark.settings.sections import ObjectStorageSettings
from cqa_spark.spark.frames import persistence_scope

EXAMPLE = Path(__file__).resolve().parents[3] / "docs" / "examples" / "discourse"
STOUT = {
    "title": "Stout?",
    "tags": ["beer"],
    "post_stream": {
        "posts": [
            {"id": 1, "post_number": 1, "user_id": 7, "created_at": "2024-01-01T00:00:00Z", "cooked": "How?"},
            {"id": 2, "post_number": 2, "user_id": 8, "created_at": "2024-01-02T00:00:00Z", "cooked": "So.",
             "accepted_answer": True},
        ]
    },
}  # fmt: skip


def test_topics_become_questions_and_answers(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLE))
    from discourse_export import source, topics
    from discourse_export.source import DiscourseTopics

    for module in (source, topics):
        register_pickle_by_value(module)  # workers that run already cannot import it
    (tmp_path / "1.json").write_text(json.dumps(STOUT))
    (tmp_path / "2.json").write_text("<html>")
    dump = DiscourseTopics({"unannotated": [str(tmp_path)]}, "meta.example.org", ObjectStorageSettings())
    with persistence_scope():
        community = dump.read(spark)
        posts = community.posts.orderBy("post_id").collect()
        counts = check_accounting([row.asDict() for row in community.ingested_files.collect()])
    assert [(row.post_id, row.post_type, row.thread_id, row.accepted_answer_id, row.tags) for row in posts] == [
        ("1", "question", "1", "2", ["beer"]),
        ("2", "answer", "1", None, None),
    ]
    assert counts == (3, 2, 1)
