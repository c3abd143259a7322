"""The real files: counts as published with them."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from cqa_spark.corpora.accounting import Totals, check_accounting
from cqa_spark.corpora.qatar_living import records as source
from cqa_spark.corpora.qatar_living.reader import SITE
from cqa_spark.corpora.source import CommunityTables
from cqa_spark.settings.sections import ObjectStorageSettings
from cqa_spark.spark.frames import persistence_scope
from cqa_spark.tasks.formats import QatarLiving


@pytest.fixture(scope="module")
def community(spark: SparkSession, cqa_data: Path) -> Iterator[CommunityTables]:
    folder = cqa_data / "semeval2016-task3"
    train = ["train/train-part1-reconstructed.xml", "train/SemEval2016-Task3-CQA-QL-train-part2.xml",
             "train/SemEval2016-Task3-CQA-QL-train-part2-subtaskA.xml"]  # fmt: skip
    files = {"train": train, "test": ["test/SemEval2016-Task3-CQA-QL-test-input.xml"]}
    by_split = {split: [str(folder / name) for name in names] for split, names in files.items()}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(source, "RANGE", 1 << 19)  # ranges that end inside threads
        with persistence_scope():
            tables = QatarLiving(by_split, SITE, ObjectStorageSettings()).read(spark)
            yield tables


def test_every_thread_is_read_once(community: CommunityTables) -> None:
    files = [row.asDict() for row in community.ingested_files.collect()]
    assert check_accounting(files) == Totals(1999 + 670 + 379 + 700, 1999 + 670 + 700, 379)
    posts = community.posts.groupBy("split").agg(F.count("*"), F.countDistinct("post_id"), F.count("same_as"))
    assert sorted(tuple(row) for row in posts.collect()) == [
        ("test", 700 + 70, 700 + 70, 373),
        ("train", 1999 + 670 + 200 + 67, 1999 + 670 + 200 + 67, 1999 - 1411 + 291),
    ]
    comments = community.comments.groupBy("split").count().collect()
    assert sorted(tuple(row) for row in comments) == [("test", 7000), ("train", 19990 + 6700)]


def test_labels_of_training_part_2(community: CommunityTables) -> None:
    part_2 = community.judgments.where(F.col("source_file").endswith("train-part2.xml"))
    counts = {(row.task, row.label): row["count"] for row in part_2.groupBy("task", "label").count().collect()}
    assert counts == {
        ("question_comment", "Good"): 2483,
        ("question_comment", "Bad"): 3058,
        ("question_comment", "PotentiallyUseful"): 1159,
        ("external_comment", "Good"): 849,
        ("external_comment", "Bad"): 5154,
        ("external_comment", "PotentiallyUseful"): 697,
        ("question_question", "PerfectMatch"): 54,
        ("question_question", "Relevant"): 242,
        ("question_question", "Irrelevant"): 374,
    }


def test_unknown_ranks_and_labels_of_training_part_1(community: CommunityTables) -> None:
    part_1 = community.judgments.where(F.col("source_file").contains("part1"))
    related = part_1.where(F.col("task") == "question_question")
    assert related.where(F.col("initial_rank").isNull()).count() == 29
    labels = {row.label: row["count"] for row in related.groupBy("label").count().collect()}
    assert labels == {"PerfectMatch": 181, "Relevant": 606, "Irrelevant": 1212}
    unlabelled = part_1.where((F.col("task") == "question_comment") & F.col("label").isNull())
    assert unlabelled.count() == 610 + 290


def test_quarantined_repeats_are_the_bytes_of_the_file(community: CommunityTables) -> None:
    rows = community.quarantine.orderBy("byte_offset").collect()
    whole = Path(rows[0].source_file).read_bytes()
    assert len(rows) == 379
    for row in rows:
        raw = row.raw.encode()
        assert whole[row.byte_offset : row.byte_offset + len(raw)] == raw
