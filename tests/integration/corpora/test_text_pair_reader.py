from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from cqa_spark.corpora.accounting import check_accounting
from cqa_spark.corpora.text_pairs.reader import PairFiles
from cqa_spark.errors import InputError
from cqa_spark.settings.sections import ObjectStorageSettings
from cqa_spark.spark.frames import persistence_scope
from cqa_spark.task_contract.contract import task
from cqa_spark.tasks.formats import QuestionPairs, SentencePairs


def files(tmp_path: Path, kind: type[PairFiles] = SentencePairs, /, **contents: str) -> PairFiles:
    folder = tmp_path / "2014"
    folder.mkdir()
    for name, content in contents.items():
        (folder / f"{name}.tsv").write_text(content)
    return kind({name: [str(folder / f"{name}.tsv")] for name in contents}, "site", ObjectStorageSettings())


def test_pairs_become_examples_without_repeats_in_training(spark: SparkSession, tmp_path: Path) -> None:
    train = "\tA.\tB.\n4.6\ta\tb!\n1.25\tC.\tD.\nbroken\n2\tY\tX\n"
    with persistence_scope():
        found = files(tmp_path, train=train, test="X.\tY.\nx\ty\n").read(spark)
        totals = check_accounting([row.asDict() for row in found.ingested_files.collect()])
        refused = sorted((row.byte_offset, row.reason) for row in found.quarantine.collect())
        examples = task("sts").build(found.posts, found.comments, found.judgments).collect()
        bodies = {row.post_id: row.body for row in found.posts.collect()}
    assert totals == (7, 4, 3)
    assert refused == [
        (0, "the pair repeats 2014/train:2"),
        (27, "the line has 1 columns; its file has score<TAB>sentence<TAB>sentence"),
        (34, "the pair is evaluated on, as 2014/test:1"),
    ]
    assert sorted(
        (row.split, row.query_id, row.candidate_id, row.similarity, row.label, row.relevant) for row in examples
    ) == [
        ("test", "2014/test:1:1", "2014/test:1:2", None, None, None),
        ("test", "2014/test:2:1", "2014/test:2:2", None, None, None),
        ("train", "2014/train:2:1", "2014/train:2:2", 4.6, 5, True),
        ("train", "2014/train:3:1", "2014/train:3:2", 1.25, 1, False),
    ]
    assert bodies["2014/test:1:2"] == "Y."


def test_training_pairs_that_nearly_repeat_an_evaluated_pair_are_quarantined(
    spark: SparkSession, tmp_path: Path
) -> None:
    flute = "A man is playing a {} flute.\tA man plays the flute.\n"
    train = "4\tA dog barks at the moon in the night.\tThe dog barks.\n3\t" + flute.format("large")
    with persistence_scope():
        found = files(tmp_path, train=train, test=flute.format("small")).read(spark)
        refused = [(row.byte_offset, row.reason) for row in found.quarantine.collect()]
        kept = sorted({row.thread_id for row in found.posts.collect()})
    assert refused == [(55, "the pair differs in one word from 2014/test:1, which is evaluated on")]
    assert kept == ["2014/test:1", "2014/train:1"]


def test_pairs_of_questions_are_examples_of_related_questions(spark: SparkSession, tmp_path: Path) -> None:
    train = "duplicate\tWhy?\tWhy so?\nnon-duplicate\tHow?\tWhen?\n"
    with persistence_scope():
        found = files(tmp_path, QuestionPairs, train=train).read(spark)
        examples = task("question_question").build(found.posts, found.comments, found.judgments).collect()
        types = {row.post_type for row in found.posts.collect()}
    assert types == {"question"}
    assert sorted((row.query_id, row.candidate_id, row.label, row.relevant, row.fold_key) for row in examples) == [
        ("2014/train:1:1", "2014/train:1:2", 2, True, "2014/train:1:1"),
        ("2014/train:2:1", "2014/train:2:2", 0, False, "2014/train:2:1"),
    ]


def test_broken_lines_to_rank_are_refused(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"test\.tsv:2: the line has 1 columns"):
        files(tmp_path, test="X.\tY.\nonly one\n").read(spark)


def test_a_header_is_no_pair_and_its_columns_are_named(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    train = "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n"
    pairs = "1\tA.\tB.\t4.2\tNEUTRAL\n2\tC.\tD.\t1\tNEUTRAL\n"
    with persistence_scope():
        found = files(tmp_path, train=train + pairs).read(spark)
        (counts,) = found.ingested_files.collect()
        labels = sorted((row.query_id, row.label) for row in found.judgments.collect())
    assert (counts.lines, counts.not_rows, counts.rows_in, counts.rows_out) == (3, 1, 2, 2)
    assert labels == [("2014/train:2:1", "4.0"), ("2014/train:3:1", "0.0")]
    shown = "".join(capsys.readouterr().err.split())
    assert "train.tsv:SICK:textssentence_Aandsentence_B,labelsrelatedness_score;notread:pair_ID,entailment" in shown


def test_all_files_of_unknown_layouts_are_named(spark: SparkSession, tmp_path: Path) -> None:
    inputs = files(tmp_path, train="a\tb\nA.\tB.\n", dev="A.\tB.\n", test="")
    with pytest.raises(InputError, match=r"(?s)train.tsv: its layout is unknown.*test.tsv: it is empty"):
        inputs.read(spark)
