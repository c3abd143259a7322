"""Collections of ir_datasets as question lists: a catalogue of literal collections takes the place of the package."""

import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import pytest

from cqa_spark.cli import main
from cqa_spark.corpora.question_list import DUPLICATES, QUESTIONS, ListCounts, write_question_list
from cqa_spark.errors import ConfigError, EnvironmentProblem, InputError


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
