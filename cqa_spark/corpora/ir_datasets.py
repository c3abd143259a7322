"""Test collections of ir_datasets, an optional package that downloads them, and their questions as a list."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cqa_spark.errors import ConfigError, EnvironmentProblem, InputError
from cqa_spark.settings.values import IR_DATASETS

if TYPE_CHECKING:
    from cqa_spark.corpora.question_list import ListCounts


def load_collection(dataset: str) -> Any:
    """The collection, as ``ir_datasets.load`` returns it; its files are downloaded when its rows are read.

    Args:
        dataset: id, with or without the prefix.

    Raises:
        ConfigError: ir_datasets is not installed, or its catalogue does not list the id.
    """
    name = dataset.removeprefix(IR_DATASETS)
    try:
        return import_module("ir_datasets").load(name)
    except ImportError as error:
        raise ConfigError(
            f"{dataset}: ir_datasets is not installed", "pip install ir-datasets, or use a local file"
        ) from error
    except KeyError as error:
        raise ConfigError(f"ir_datasets has no data set {name}", "its catalogue is at ir-datasets.com") from error


def rows(dataset: str, iterate: Callable[[], Iterable[Any]]) -> Iterator[Any]:
    """The rows of a collection, one at a time.

    Args:
        dataset: id, for the error message.
        iterate: method of the collection, such as ``docs_iter``.

    Raises:
        EnvironmentProblem: a file cannot be downloaded or read.
    """
    try:
        yield from iterate()
    except OSError as error:
        raise EnvironmentProblem(
            f"{dataset} cannot be downloaded: {error}",
            "check the network, or put a copy of the file at the path that ir_datasets names above",
        ) from error


def write_question_list(dataset: str, folder: Path) -> ListCounts:
    """Write documents and queries as questions, and relevant pairs as duplicates.

    Documents are streamed; only the queries are held in memory.

    Args:
        dataset: id in the catalogue of ir_datasets, with or without the prefix.
        folder: existing folder for the files; ``duplicates.tsv`` is empty if the collection has no judgments.

    Raises:
        ConfigError: ir_datasets is not installed or does not list the id, or the collection lacks documents or queries.
        EnvironmentProblem: the collection cannot be downloaded.
        InputError: a query and a document with the same id have different texts.
    """
    from cqa_spark.corpora.question_list import write_list  # needs PySpark, which judgments of a collection do not

    collection = load_collection(dataset)
    if not (collection.has_docs() and collection.has_queries()):
        raise ConfigError(f"{dataset} lacks documents or queries", "name a subset that has both")
    return write_list(folder, _questions(dataset, collection), _duplicates(dataset, collection))


def _questions(dataset: str, collection: Any) -> Iterator[dict[str, str]]:
    """The documents, then the queries that are not documents."""
    queries = {row.query_id: row.default_text() for row in rows(dataset, collection.queries_iter)}
    for document in rows(dataset, collection.docs_iter):
        question = _as_question(document)
        asked = queries.pop(document.doc_id, question["title"])
        if asked.strip() != question["title"].strip():
            raise InputError(
                f"{dataset}: query {document.doc_id} and the document with this id have different texts",
                "a question list needs a collection whose documents and queries are questions of one site",
            )
        yield question
    yield from ({"qid": query_id, "title": text} for query_id, text in queries.items())


def _as_question(document: Any) -> dict[str, str]:
    """A document as a question; without a title, its text is the title."""
    title = getattr(document, "title", "").strip()
    if not title:
        return {"qid": document.doc_id, "title": document.default_text().strip()}
    return {"qid": document.doc_id, "title": title, "body": document.text}


def _duplicates(dataset: str, collection: Any) -> Iterator[tuple[str, str]]:
    """The relevant pairs, without pairs of a question with itself."""
    if collection.has_qrels():
        for row in rows(dataset, collection.qrels_iter):
            if row.relevance > 0 and row.query_id != row.doc_id:
                yield row.query_id, row.doc_id
