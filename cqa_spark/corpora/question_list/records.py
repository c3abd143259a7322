"""The records of question lists: a JSON object a line, or a pair of ids a line."""

import html
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

QUESTIONS, DUPLICATES = "questions.jsonl", "duplicates.tsv"


class ListCounts(NamedTuple):
    """Number of lines in each file of a list.

    Attributes:
        questions: lines of ``questions.jsonl``.
        duplicates: lines of ``duplicates.tsv``.
    """

    questions: int
    duplicates: int


def write_list(
    folder: Path, questions: Iterable[Mapping[str, Any]], duplicates: Iterable[tuple[str, Any]]
) -> ListCounts:
    """Write the files of a list.

    Args:
        folder: existing folder for the files.
        questions: objects with ``qid``, ``title`` and perhaps ``body``; they are streamed.
        duplicates: ids of questions, with the ids of the earlier ones that they duplicate.
    """
    lines = {
        QUESTIONS: (json.dumps(question, ensure_ascii=False) for question in questions),
        DUPLICATES: (f"{question}\t{earlier}" for question, earlier in duplicates),
    }
    counts = dict.fromkeys(lines, 0)
    for name, of_file in lines.items():
        with (folder / name).open("w", encoding="utf-8") as file:
            for line in of_file:
                file.write(f"{line}\n")
                counts[name] += 1
    return ListCounts(counts[QUESTIONS], counts[DUPLICATES])


class QuestionListLine(NamedTuple):
    r"""A line of a file.

    Attributes:
        byte_offset: where it starts.
        raw: the line; bytes that are not UTF-8 as ``\xNN``.
        problem: why it cannot be used, one sentence; None where it can.
        post_id: id of the question.
        related_id: the earlier question that it duplicates; None in lists of questions.
        title: the question's title, without HTML entities; None in lists of duplicates.
        body: its text; None where there is none.
    """

    byte_offset: int
    raw: str
    problem: str | None = None
    post_id: str | None = None
    related_id: str | None = None
    title: str | None = None
    body: str | None = None


class UnreadableRecord(Exception):
    """A line that is no record; the message goes to the quarantine."""


def read_records(content: bytes, *, are_questions: bool) -> Iterator[QuestionListLine]:
    """Parse the lines of a file, in order; blank ones are left out.

    Args:
        content: the file.
        are_questions: whether lines are questions; otherwise they are duplicates.
    """
    offset, known = 0, set[tuple[str | None, str | None]]()
    for line in content.splitlines(keepends=True):
        record = QuestionListLine(offset, line.decode("utf-8", "backslashreplace").strip("\r\n"))
        offset += len(line)
        if not record.raw.strip():
            continue
        try:
            read = _question(record) if are_questions else _duplicate(record)
            if (read.post_id, read.related_id) in known:
                raise UnreadableRecord("the record repeats an earlier one")
            known.add((read.post_id, read.related_id))
            yield read
        except UnreadableRecord as unreadable:
            yield record._replace(problem=str(unreadable))


def _question(record: QuestionListLine) -> QuestionListLine:
    try:
        values = json.loads(record.raw)
    except ValueError as error:
        raise UnreadableRecord("the line is not JSON") from error
    if not isinstance(values, dict):
        raise UnreadableRecord("the line is not a JSON object")
    if missing := [name for name in ("qid", "title") if name not in values]:
        raise UnreadableRecord(f"the object has no {' and no '.join(missing)}: it has {', '.join(values) or 'nothing'}")
    title, body = values["title"], values.get("body")
    if not isinstance(title, str) or not title.strip() or not isinstance(body, str | None):
        raise UnreadableRecord("the title is not a text or empty, or the body is neither a text nor absent")
    return record._replace(post_id=_id(values["qid"]), title=html.unescape(title), body=body)


def _duplicate(record: QuestionListLine) -> QuestionListLine:
    ids = record.raw.split("\t")
    if len(ids) != 2:
        raise UnreadableRecord(f"the line has {len(ids)} columns, not question<TAB>earlier question")
    question, earlier = map(_id, ids)
    return record._replace(post_id=question, related_id=earlier)


def _id(value: object) -> str:
    written = str(value)
    if isinstance(value, bool) or not isinstance(value, int | str) or written.split() != [written]:
        raise UnreadableRecord(f"{value!r} is no id of a question")
    return written
