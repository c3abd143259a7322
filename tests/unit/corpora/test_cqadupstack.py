"""Archives of CQADupStack as question lists: made-up archives in its layout."""

import json
import zipfile
from pathlib import Path

import pytest

from cqa_spark.cli import main
from cqa_spark.corpora.question_list import DUPLICATES, QUESTIONS, ListCounts, read_records, write_subforum
from cqa_spark.errors import InputError

QUESTION = {
    "title": "Root & reset",
    "body": "<p>How?</p>",
    "dups": ["7"],
    "related": ["9"],
    "tags": ["root"],
    "score": 3,
}


def write_archive(path: Path, questions: object, name: str = "android/android_questions.json") -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as files:
        files.writestr(name, questions if isinstance(questions, bytes) else json.dumps(questions))
        files.writestr("android/android_users.json", "{}")
    return path


def test_questions_and_duplicates_are_written_without_related_questions(tmp_path: Path) -> None:
    archive = write_archive(
        tmp_path / "android.zip", {"8": QUESTION, "7": {"title": "Rooting", "body": "", "dups": []}}
    )
    assert write_subforum(archive, tmp_path) == ListCounts(questions=2, duplicates=1)
    assert (tmp_path / QUESTIONS).read_text(encoding="utf-8").splitlines() == [
        '{"qid": "8", "title": "Root & reset", "body": "<p>How?</p>"}',
        '{"qid": "7", "title": "Rooting", "body": ""}',
    ]
    assert (tmp_path / DUPLICATES).read_text(encoding="utf-8") == "8\t7\n"


def test_what_is_no_question_is_quarantined_when_the_list_is_read(tmp_path: Path) -> None:
    archive = write_archive(tmp_path / "android.zip", {"1": {"body": "b"}, "2": "text", "3": {"title": ["t"]}})
    assert write_subforum(archive, tmp_path) == ListCounts(questions=3, duplicates=0)
    problems = [record.problem for record in read_records((tmp_path / QUESTIONS).read_bytes(), are_questions=True)]
    assert problems == [
        "the object has no title: it has qid, body",
        "the object has no title: it has qid",
        "the title is not a text or empty, or the body is neither a text nor absent",
    ]


@pytest.mark.parametrize(
    ("questions", "name", "problem"),
    [
        ([QUESTION], "android/android_questions.json", "is not a JSON object of questions by id"),
        (b"{", "android/android_questions.json", "cannot be read: Expecting property name"),
        ({}, "android/android_answers.json", "has 0 files *_questions.json, not one"),
    ],
)
def test_archives_of_another_layout_are_refused(tmp_path: Path, questions: object, name: str, problem: str) -> None:
    archive = write_archive(tmp_path / "android.zip", questions, name)
    with pytest.raises(InputError) as refused:
        write_subforum(archive, tmp_path)
    assert problem in refused.value.problem


def test_what_is_no_archive_leaves_no_list(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "android.zip").write_text("{}")
    command = ["import", "cqadupstack", str(tmp_path / "android.zip"), "--output", str(tmp_path / "list")]
    assert main(command) == InputError.exit_code
    assert "cannot be read: File is not a zip file" in capsys.readouterr().err
    assert not (tmp_path / "list").exists()
    write_archive(tmp_path / "android.zip", {"8": QUESTION})
    assert main(command) == 0
    assert capsys.readouterr().out.endswith("list: 1 questions, 1 known duplicates\n")
