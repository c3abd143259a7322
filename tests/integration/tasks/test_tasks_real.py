"""The development set as examples: the same pairs, labels and ranks as the official gold files."""

import csv
from functools import reduce
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

from cqa_spark.corpora.qatar_living.reader import SITE
from cqa_spark.evaluation.evaluate import evaluate
from cqa_spark.evaluation.files.semeval import OfficialRow, ranked_file, read_official, write_official
from cqa_spark.lake.schemas.examples import OUTSIDE_TRAINING
from cqa_spark.settings.sections import ObjectStorageSettings
from cqa_spark.spark.frames import persistence_scope
from cqa_spark.steps.export_dataset import label_counts
from cqa_spark.task_contract.contract import task
from cqa_spark.task_contract.leakage import shared_threads, threads_of, training_threads
from cqa_spark.tasks.formats import QatarLiving

Tables = tuple[DataFrame, DataFrame, DataFrame]
GOLD = "scorer/SemEval2016-Task3-CQA-QL-dev"


def stored(spark: SparkSession, folder: Path, **files: list[Path]) -> Tables:
    """Posts, comments and judgments of the files of each split, as a lake would hold them."""
    by_split = {split: list(map(str, paths)) for split, paths in files.items()}
    names = ("posts", "comments", "judgments")
    with persistence_scope():
        community = QatarLiving(by_split, SITE, ObjectStorageSettings()).read(spark)
        for name in names:
            getattr(community, name).write.parquet(str(folder / name))
    posts, comments, judgments = (spark.read.parquet(str(folder / name)) for name in names)
    return posts, comments, judgments


@pytest.fixture(scope="module")
def dev(spark: SparkSession, cqa_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Tables:
    path = cqa_data / "semeval2016-task3/dev/SemEval2016-Task3-CQA-QL-dev.xml"
    return stored(spark, tmp_path_factory.mktemp("dev"), dev=[path])


@pytest.mark.parametrize(
    ("name", "gold", "measures"),
    [
        ("question_comment", f"{GOLD}-subtaskA.xml.subtaskA.relevancy", (0.5384, 0.7278, 0.6313)),
        ("question_question", f"{GOLD}.xml.subtaskB.relevancy", (0.7135, 0.8611, 0.7667)),
        ("external_comment", f"{GOLD}.xml.subtaskC.relevancy", (0.3065, 0.3455, 0.3597)),
    ],
)
def test_examples_equal_the_official_gold(
    dev: Tables, cqa_data: Path, tmp_path: Path, name: str, gold: str, measures: tuple[float, float, float]
) -> None:
    """And their given order has the measures that the organisers published."""
    examples = task(name).build(*dev).collect()
    judgments = cqa_data / "semeval2016-task3" / gold
    with judgments.open() as lines:
        official = {
            (query, candidate): (int(rank), relevant == "true")
            for query, candidate, rank, _, relevant in csv.reader(lines, delimiter="\t")
        }
    assert {(row.query_id, row.candidate_id): (row.initial_rank, row.relevant) for row in examples} == official
    assert len(examples) == len(official)
    given = tmp_path / "given_order.pred"
    write_official(given, [OfficialRow(row.query_id, row.candidate_id, -row.initial_rank, True) for row in examples])
    scores = evaluate(ranked_file(read_official(judgments), read_official(given)), ["MAP@10", "AvgRec@10", "MRR@10"])
    assert tuple(round(score, 4) for score in scores.values()) == measures


def test_the_numbers_of_the_development_set_are_those_of_the_overview(dev: Tables) -> None:
    """Nakov et al. 2017, Table 1, column SemEval-2016, Dev."""
    examples = [task(name).build(*dev) for name in ("question_question", "external_comment", "question_comment")]
    counts = label_counts(reduce(DataFrame.unionByName, examples))
    assert [(count.task, count.label, count.number) for count in counts] == [
        ("external_comment", "queries", 50),
        ("external_comment", "candidates", 5_000),
        ("external_comment", "Good", 345),
        ("external_comment", "PotentiallyUseful", 594),
        ("external_comment", "Bad", 4_061),
        ("question_comment", "queries", 244),
        ("question_comment", "candidates", 2_440),
        ("question_comment", "Good", 818),
        ("question_comment", "PotentiallyUseful", 413),
        ("question_comment", "Bad", 1_209),
        ("question_question", "queries", 50),
        ("question_question", "candidates", 500),
        ("question_question", "PerfectMatch", 59),
        ("question_question", "Relevant", 155),
        ("question_question", "Irrelevant", 286),
    ]


@pytest.mark.parametrize(
    ("train", "shared"),
    [
        (["extra-2015/SemEval2015-Task3-CQA-QL-dev-reformatted-multiline.xml",
          "extra-2015/SemEval2015-Task3-CQA-QL-test-reformatted-multiline.xml"],
         {("Q294_R86", "Q2760"), ("Q313_R9", "Q2879"), ("Q278_R41", "Q2970")}),
        (["train/train-part1-reconstructed.xml", "train/SemEval2016-Task3-CQA-QL-train-part2.xml",
          "extra-2015/SemEval2015-Task3-CQA-QL-dev-reformatted-excluding-2016-questions-cleansed.xml",
          "extra-2015/SemEval2015-Task3-CQA-QL-test-reformatted-excluding-2016-questions-multiline.xml"],
         set()),
    ],
    ids=["2015 as released", "2016, and 2015 without its questions"],
)  # fmt: skip
def test_threads_shared_with_the_development_set_are_found_by_their_text(
    spark: SparkSession, cqa_data: Path, tmp_path: Path, train: list[str], shared: set[tuple[str, str]]
) -> None:
    folder = cqa_data / "semeval2016-task3"
    dev = folder / "dev/SemEval2016-Task3-CQA-QL-dev-subtaskA.xml"
    posts, comments, judgments = stored(spark, tmp_path, train=[folder / name for name in train], dev=[dev])
    examples = task("question_comment").build(posts, comments, judgments)
    trained = training_threads(examples, posts, comments)
    evaluated = threads_of(examples.where(OUTSIDE_TRAINING), posts, comments)
    found = shared_threads(evaluated, trained).collect()
    assert {(row.evaluated, row.trained) for row in found} == shared
    assert {row.shared_by for row in found} <= {"text"}
