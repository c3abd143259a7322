import gzip
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from cqa_spark.corpora.accounting import check_accounting
from cqa_spark.corpora.cqa_md import NAMES
from cqa_spark.errors import InputError
from cqa_spark.settings.sections import ObjectStorageSettings
from cqa_spark.spark.frames import persistence_scope
from cqa_spark.task_contract.contract import task
from cqa_spark.tasks.formats import CqaMd


def files_of(**paths: Path) -> CqaMd:
    return CqaMd({split: [str(path)] for split, path in paths.items()}, "cqa-md", ObjectStorageSettings())


def question(number: int, *pairs: tuple[int, str]) -> str:
    retrieved = "".join(
        f'<QApair QAID="{pair}" QArel="{label}">'
        f"<QAquestion>هل {pair}</QAquestion><QAanswer>نعم {pair}</QAanswer></QApair>"
        for pair, label in pairs
    )
    return f'<Question QID="{number}"><Qtext>ما {number}</Qtext>{retrieved}</Question>'


def test_questions_and_pairs_become_posts_and_examples(spark: SparkSession, tmp_path: Path) -> None:
    train, test = tmp_path / "train.xml.gz", tmp_path / "test.xml"
    train.write_bytes(gzip.compress(f"<xml>{question(1, (9, 'I'), (1, 'D'))}{question(1, (5, 'R'))}</xml>".encode()))
    test.write_text(f"<xml>{question(2, (9, '?'))}</xml>")
    with persistence_scope():
        found = files_of(train=train, test=test).read(spark)
        totals = check_accounting([row.asDict() for row in found.ingested_files.collect()])
        reasons = [row.reason for row in found.quarantine.collect()]
        examples = task("arabic_pair").build(found.posts, found.comments, found.judgments).collect()
        posts = sorted((row.post_id, row.subject, row.body, row.split) for row in found.posts.collect())
    assert totals == (3, 2, 1)
    assert reasons == ["the question was read before: 1"]
    assert posts == [
        ("1", "هل 1", "نعم 1", "train"),
        ("9", "هل 9", "نعم 9", "train"),
        ("Q1", "ما 1", None, "train"),
        ("Q2", "ما 2", None, "test"),
    ]
    assert sorted((row.query_id, row.initial_rank, row.candidate_id, row.label, row.relevant) for row in examples) == [
        ("Q1", 1, "9", 0, False),
        ("Q1", 2, "1", 2, True),
        ("Q2", 1, "9", None, None),
    ]


def test_a_question_of_two_splits_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    for split in ("train", "test"):
        (tmp_path / f"{split}.xml").write_text(f"<xml>{question(7, (9, 'I'))}</xml>")
    files = files_of(train=tmp_path / "train.xml", test=tmp_path / "test.xml")
    with pytest.raises(InputError, match=r"questions in several splits: 7 \(test and train\)"):
        files.read(spark)


SEEN = "\n    first record: elements Question, {}, QApair, QAquestion, QAanswer; attributes QID, QAID, QArel"


@pytest.mark.parametrize(
    ("content", "problem", "seen"),
    [
        (b"<xml><Q/></xml>", "no record could be read: the file has no Question element",
         "\n    first record: elements xml, Q"),
        (b"", "no record could be read: the file has no Question element", ""),
        (question(1, (9, "I")).replace("Qtext", "Text").encode(),
         "no record could be read: the Question element has no Qtext element", SEEN.format("Text")),
        (question(1, (9, "I")).replace("ما 1", "").encode(), "no question has a text", SEEN.format("Qtext")),
        (gzip.compress(question(1).encode(), mtime=0)[:-9],
         "no record could be read: it cannot be decompressed: Compressed file ended before the end-of-stream marker "
         "was reached", ""),
    ],
)  # fmt: skip
def test_a_file_of_another_format_is_refused(
    spark: SparkSession, tmp_path: Path, content: bytes, problem: str, seen: str
) -> None:
    path = tmp_path / "other.xml"
    path.write_bytes(content)
    with pytest.raises(InputError) as refused:
        files_of(train=path).read(spark)
    assert refused.value.problem == f"files that could not be read: {path}: {problem}\n    expected: {NAMES}{seen}"
