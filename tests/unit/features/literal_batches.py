"""Small batches of queries, written down as literals; no Spark."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from types import MappingProxyType

import numpy as np
import pyarrow as pa
from literal_threads import SITE, Pair, Said, Thread, analysed_text, threads_of

from cqa_spark.features.group import QueryGroup
from cqa_spark.features.groups.similarity.embedding_similarity import MODEL
from cqa_spark.features.query_batch import TABLES, QueryBatch, vector_column

_SHARED = {"U2"}


_POST_COLUMNS = {"subject": pa.string(), "body": pa.string()}
"""Columns of posts that some groups read."""


Example = tuple[str, str, str]
"""Query, candidate and the candidate's thread."""


def batch_of(
    threads: Sequence[Thread],
    examples: Iterable[Example] | None = None,
    *,
    task: str = "question_comment",
    scores: Iterable[Mapping[str, object]] = (),
    facts: Mapping[str, Mapping[str, object]] | None = None,
    votes: Iterable[Mapping[str, object]] = (),
    vectors: Mapping[str, Sequence[float]] | None = None,
    cut: datetime | None = None,
) -> QueryBatch:
    """A batch; texts are split at blanks and are clean already.

    Args:
        threads: questions and their comments.
        examples: what is ranked for what; by default all comments below their questions.
        task: of all examples.
        scores: rows of ``QueryBatch.scores`` without site.
        facts: by group, then candidate, what the group knows of the candidate's author.
        votes: rows of ``QueryBatch.votes`` without site.
        vectors: by text, its vector of the embedding model that the groups look at.
        cut: of all examples.
    """
    own = [
        (each.thread_id, f"{each.thread_id}_C{place}", each.thread_id) for each in threads for place in _places(each)
    ]
    chosen = sorted(own if examples is None else examples)
    by_id = {each.thread_id: each for each in threads}
    there = list(dict.fromkeys((query, thread) for query, _, thread in chosen))
    asked = list(dict.fromkeys([*there, *((query, query) for query, _, _ in chosen)]))
    of_threads = [
        (query, by_id[thread], place, said) for query, thread in there for place, said in _said(by_id[thread])
    ]
    questions = [(query, by_id[thread]) for query, thread in asked]
    texts = {said.text for _, _, _, said in of_threads}
    texts |= {text for _, each in questions for text in each.texts}
    of_examples = [{**_example(by_id, task, rank, *each), "cut": cut} for rank, each in enumerate(chosen, start=1)]
    examples = _table("examples", of_examples)
    analysed_texts = _table("analysed_texts", [analysed_text(text) for text in sorted(texts)])
    if vectors is not None:
        of_texts = pa.array([vectors.get(text) for text in sorted(texts)], pa.list_(pa.float32()))
        analysed_texts = analysed_texts.append_column(vector_column(MODEL), of_texts)
    return QueryBatch(
        examples=examples if facts is None else examples.append_column("facts", _facts(facts, chosen)),
        posts=_table("posts", [_post(*each) for each in questions], _POST_COLUMNS),
        comments=_table("comments", [_comment(*each) for each in of_threads]),
        documents=_table(
            "documents",
            [*[_document(*each) for each in of_threads], *[_question(*each) for each in _with_text(questions)]],
        ),
        analysed_texts=analysed_texts,
        scores=_table("scores", [{"site": SITE, **each} for each in scores]),
        votes=_table("votes", [{"site": SITE, **each} for each in votes]),
    )


def pairs_of(pairs: Sequence[Pair]) -> QueryBatch:
    """Questions Q1, Q2 and so on, each with the comment Qn_C1; a question's text is its subject and its body."""
    return batch_of(threads_of(pairs))


def values(group: QueryGroup, batch: QueryBatch) -> list[dict[str, float | None]]:
    """The values of each example, in order of query and candidate; None where not known."""
    found = group.compute(batch)
    assert set(found) == {column.name for column in group.columns}
    rows = [dict(zip(found, row, strict=True)) for row in zip(*map(np.asarray, found.values()), strict=True)]
    known = [{name: None if np.isnan(value) else float(value) for name, value in row.items()} for row in rows]
    keys = (
        {"query_id": q, "candidate_id": c}
        for q, c in zip(batch.column("query_id"), batch.column("candidate_id"), strict=True)
    )
    return [{**key, **row} for key, row in zip(keys, known, strict=True)]


def _places(thread: Thread) -> range:
    return range(1, len(thread.said) + 1)


def _said(thread: Thread) -> Iterable[tuple[int, Said]]:
    return enumerate(thread.said, start=1)


def _with_text(questions: Sequence[tuple[str, Thread]]) -> list[tuple[str, Thread]]:
    return [(query, each) for query, each in questions if each.question is not None]


def _person(account: str | None, name: str | None = None) -> str | None:
    return None if account in _SHARED or name == "anonymous" else account


def _example(
    by_id: Mapping[str, Thread], task: str, rank: int, query: str, candidate: str, thread: str
) -> dict[str, object]:
    said = dict(_said(by_id[thread])).get(int(candidate.rpartition("_C")[2])) if "_C" in candidate else None
    return {
        "site": SITE, "task": task, "query_id": query, "query_post_id": query, "candidate_id": candidate,
        "thread_id": thread, "fold_key": query, "author_id": said.author if said else by_id[thread].asker,
        "account": _person(said.author if said else by_id[thread].asker),
        "asker_id": by_id[query].asker if query in by_id else None,
        "asked_at": by_id[query].at if query in by_id else None, "answered_at": said.at if said else by_id[thread].at,
        "initial_rank": rank, "split": "train", "fold": -1,
    }  # fmt: skip


def in_folds(batch: QueryBatch, folds: Sequence[int]) -> QueryBatch:
    """The same batch with its examples in folds: from 0, or -1 outside the training part."""
    place = batch.examples.column_names.index("fold")
    return replace(batch, examples=batch.examples.set_column(place, "fold", pa.array(folds, pa.int64())), _shared={})


def _facts(facts: Mapping[str, Mapping[str, object]], examples: Iterable[Example]) -> pa.Array:
    return pa.array([{group: known.get(candidate) for group, known in facts.items()} for _, candidate, _ in examples])


def _post(query: str, thread: Thread) -> dict[str, object]:
    return {
        "site": SITE, "query_post_id": query, "post_id": thread.thread_id, "thread_id": thread.thread_id,
        "author": _person(thread.asker), "created_at": thread.at, "category": thread.category,
        "subject": thread.subject, "body": thread.question,
    }  # fmt: skip


def _comment(query: str, thread: Thread, place: int, said: Said) -> dict[str, object]:
    return {
        "site": SITE, "query_post_id": query, "comment_id": f"{thread.thread_id}_C{place}", "post_id": thread.thread_id,
        "position": place, "author": _person(said.author, said.name), "author_name": said.name, "created_at": said.at,
        "document_id": f"{thread.thread_id}_C{place}",
    }  # fmt: skip


def _document(query: str, thread: Thread, place: int, said: Said) -> dict[str, object]:
    return {"site": SITE, "query_post_id": query, "document_id": f"{thread.thread_id}_C{place}", "text_id": said.text}


def _question(query: str, thread: Thread) -> dict[str, object]:
    return {
        "site": SITE, "query_post_id": query, "document_id": thread.thread_id, "text_id": thread.question,
        "subject_text_id": thread.subject,
    }  # fmt: skip


def _table(
    name: str, rows: Sequence[Mapping[str, object]], more: Mapping[str, pa.DataType] = MappingProxyType({})
) -> pa.Table:
    """A table of a batch, with more columns than every batch has."""
    return pa.Table.from_pylist([dict(row) for row in rows], schema=pa.schema([*TABLES[name].items(), *more.items()]))
