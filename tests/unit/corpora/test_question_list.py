"""Lines of question lists: entities, repeats, and what goes to the quarantine."""

import json
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import pytest

from cqa_spark.cli import main
from cqa_spark.corpora.ir_datasets import write_question_list
from cqa_spark.corpora.question_list import DUPLICATES, QUESTIONS, ListCounts, read_records, write_subforum
from cqa_spark.errors import ConfigError, EnvironmentProblem, InputError


def test_questions_without_entities_and_lines_that_are_none() -> None:
    lines = [
        b'{"qid": 7, "title": "&quot;A&quot; or B"}',
        b"",
        b'{"qid": "8", "title": "C", "body": "text"}',
        b"{broken",
        b"[1]",
        b'{"qid": 7, "title": "again"}',
        b'{"qid": true, "title": "no id"}',
        b'{"qid": 9}',
        b'{"qid": 10, "title": "\xff"}',
        b'{"id": 11, "question": "D"}',
        b"{}",
        b'{"qid": 12, "title": " "}',
    ]
    found = list(read_records(b"\r\n".join(lines), are_questions=True))
    assert [(each.post_id, each.title, each.body) for each in found if each.problem is None] == [
        ("7", '"A" or B', None),
        ("8", "C", "text"),
    ]
    assert [(each.byte_offset, each.problem) for each in found if each.problem] == [
        (89, "the line is not JSON"),
        (98, "the line is not a JSON object"),
        (103, "the record repeats an earlier one"),
        (133, "True is no id of a question"),
        (166, "the object has no title: it has qid"),
        (178, "the line is not JSON"),
        (205, "the object has no qid and no title: it has id, question"),
        (234, "the object has no qid and no title: it has nothing"),
        (238, "the title is not a text or empty, or the body is neither a text nor absent"),
    ]


def test_duplicates() -> None:
    found = list(read_records(b"2\t1\n2 \t1\n3\n2\t1\n", are_questions=False))
    assert [(each.post_id, each.related_id, each.problem) for each in found] == [
        ("2", "1", None),
        (None, None, "'2 ' is no id of a question"),
        (None, None, "the line has 1 columns, not question<TAB>earlier question"),
        (None, None, "the record repeats an earlier one"),
    ]


# Archives of CQADupStack as question lists: made-up archives in its layout.

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


# Collections of ir_datasets as question lists: a catalogue of literal collections takes the place of the package.


class Document(NamedTuple):
    doc_id: str
    text: str

    def default_text(self) -> str:
        return self.text


class TitledDocument(NamedTuple):
    doc_id: str
    text: str
    title: str

    def default_text(self) -> str:
        return f"{self.title} {self.text}"


class Query(NamedTuple):
    query_id: str
    text: str

    def default_text(self) -> str:
        return self.text


class Judgment(NamedTuple):
    query_id: str
    doc_id: str
    relevance: int


def collection(*, docs: list[NamedTuple], queries: list[Query], qrels: list[Judgment]) -> SimpleNamespace:
    """What ``ir_datasets.load`` returns."""
    return SimpleNamespace(
        has_docs=lambda: bool(docs), docs_iter=lambda: iter(docs),
        has_queries=lambda: bool(queries), queries_iter=lambda: iter(queries),
        has_qrels=lambda: bool(qrels), qrels_iter=lambda: iter(qrels),
    )  # fmt: skip


def unreachable() -> Iterator[Document]:
    yield Document("1", "How do I prune roses?")
    raise ConnectionError("no route to host")


FORUM = collection(
    docs=[TitledDocument("1", "They are “wild”.", "How do I prune roses?"), TitledDocument("2", "No title", "")],
    queries=[Query("3", "Pruning roses"), Query("1", "How do I prune roses? ")],
    qrels=[Judgment("3", "1", 1), Judgment("3", "2", 0), Judgment("1", "1", 1)],
)
QUESTIONS_ONLY = collection(docs=[Document("1", "How?")], queries=[Query("2", "Why?")], qrels=[])
ANSWERS = collection(docs=[Document("1", "With shears.")], queries=[Query("1", "How?")], qrels=[])
CATALOGUE = {
    "garden/forum": FORUM,
    "garden/questions": QUESTIONS_ONLY,
    "garden/answers": ANSWERS,
    "garden": collection(docs=[Document("1", "How?")], queries=[], qrels=[]),
    "far": SimpleNamespace(**{**vars(QUESTIONS_ONLY), "docs_iter": unreachable}),
}


@pytest.fixture(autouse=True)
def catalogue(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ir_datasets", SimpleNamespace(load=CATALOGUE.__getitem__))


def test_documents_and_queries_are_questions_and_relevant_pairs_are_duplicates(tmp_path: Path) -> None:
    assert write_question_list("irds:garden/forum", tmp_path) == ListCounts(questions=3, duplicates=1)
    assert (tmp_path / QUESTIONS).read_text(encoding="utf-8").splitlines() == [
        '{"qid": "1", "title": "How do I prune roses?", "body": "They are “wild”."}',
        '{"qid": "2", "title": "No title"}',
        '{"qid": "3", "title": "Pruning roses"}',
    ]
    assert (tmp_path / DUPLICATES).read_text(encoding="utf-8") == "3\t1\n"


def test_a_collection_without_judgments_has_no_known_duplicates(tmp_path: Path) -> None:
    assert write_question_list("garden/questions", tmp_path) == ListCounts(questions=2, duplicates=0)
    assert (tmp_path / DUPLICATES).read_text(encoding="utf-8") == ""


def test_collections_that_are_no_list_of_questions_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="query 1 and the document with this id have different texts"):
        write_question_list("irds:garden/answers", tmp_path)
    with pytest.raises(ConfigError, match="irds:garden lacks documents or queries"):
        write_question_list("irds:garden", tmp_path)
    with pytest.raises(ConfigError, match="ir_datasets has no data set meadow"):
        write_question_list("irds:meadow", tmp_path)


def test_a_download_that_fails_leaves_no_list(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "lists" / "garden.example.org"
    assert main(["import", "ir-datasets", "irds:far", "--output", str(output)]) == EnvironmentProblem.exit_code
    assert "irds:far cannot be downloaded: no route to host" in capsys.readouterr().err
    assert list(output.parent.iterdir()) == []


def test_the_command_overwrites_no_list(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["import", "ir-datasets", "irds:garden/forum", "--output", str(tmp_path / "garden")]
    assert main(command) == 0
    assert capsys.readouterr().out.startswith(f"wrote {tmp_path / 'garden'}: 3 questions, 1 known duplicates")
    assert main(command) == InputError.exit_code
    assert "already exists" in capsys.readouterr().err


def test_without_the_package_it_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    with pytest.raises(ConfigError, match="ir_datasets is not installed"):
        write_question_list("irds:garden/forum", tmp_path)
