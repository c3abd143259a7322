"""Parses the XML of CQA-MD question by question, without entities, document types or network access."""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from lxml import etree

LABELS = ("D", "R", "I")
"""Direct answer, related, irrelevant."""

UNKNOWN = ("", "?")

NAMES = "elements Question, Qtext, QApair, QAquestion, QAanswer; attributes QID, QAID, QArel"
"""What a file consists of, for messages."""

OPENING = re.compile(rb"<Question\s")
CLOSING = b"</Question>"


class QuestionAnswer(NamedTuple):
    """A question-answer pair retrieved for a question.

    Attributes:
        pair_id: id of the pair; the same pair may be retrieved for several questions.
        position: position in the file, from 1, which is the retrieval rank.
        label: D, R or I; None if unknown.
        question: text of the pair's question.
        answer: text of its answer.
    """

    pair_id: str
    position: int
    label: str | None
    question: str
    answer: str


class QuestionRecord(NamedTuple):
    r"""One question of a file.

    Attributes:
        byte_offset: start in the uncompressed file.
        raw: its XML; bytes that are not UTF-8 as ``\xNN``.
        problem: reason for quarantine, one sentence; None if it is valid.
        question_id: id of the question.
        text: text of the question.
        pairs: the pairs, in order.
    """

    byte_offset: int
    raw: str
    problem: str | None
    question_id: str | None = None
    text: str | None = None
    pairs: tuple[QuestionAnswer, ...] = ()


class UnreadableQuestion(Exception):
    """A record that is not a question; the message goes to the quarantine."""


def read_questions(text: bytes) -> Iterator[QuestionRecord]:
    """Parse every question of a file, in order; a file without questions is a record with a problem.

    Args:
        text: the uncompressed file.
    """
    starts = [opening.start() for opening in OPENING.finditer(text)]
    if not starts:
        yield QuestionRecord(0, text.decode("utf-8", "backslashreplace"), "the file has no Question element")
    for start, following in pairwise([*starts, len(text)]):
        end = text.find(CLOSING, start, following)
        record = text[start : following if end < 0 else end + len(CLOSING)]
        raw = record.decode("utf-8", "backslashreplace")
        try:
            yield _question(QuestionRecord(start, raw, None), record)
        except UnreadableQuestion as unreadable:
            yield QuestionRecord(start, raw, str(unreadable))


def _question(record: QuestionRecord, xml: bytes) -> QuestionRecord:
    parser = etree.XMLParser(
        resolve_entities=False, load_dtd=False, no_network=True, dtd_validation=False, huge_tree=False,
        remove_comments=True, remove_pis=True, encoding="utf-8",
    )  # fmt: skip
    try:
        root = etree.fromstring(xml, parser)
    except etree.XMLSyntaxError as error:
        raise UnreadableQuestion(f"the question is not well-formed XML: {error.msg}") from error
    pairs = tuple(_pair(element, position) for position, element in enumerate(root.iterfind("QApair"), start=1))
    repeated = [pair_id for pair_id, count in Counter(pair.pair_id for pair in pairs).items() if count > 1]
    if repeated:
        raise UnreadableQuestion(f"several pairs of the question have the id {', '.join(repeated)}")
    return record._replace(question_id=_id(root, "QID"), text=_text(root, "Qtext"), pairs=pairs)


def _pair(element: etree._Element, position: int) -> QuestionAnswer:
    label = (element.get("QArel") or "").strip()
    if label not in (*LABELS, *UNKNOWN):
        raise UnreadableQuestion(f"QArel is {label!r}; known labels: {', '.join(LABELS)}")
    return QuestionAnswer(
        _id(element, "QAID"),
        position,
        label if label in LABELS else None,
        _text(element, "QAquestion"),
        _text(element, "QAanswer"),
    )


def _id(element: etree._Element, attribute: str) -> str:
    value = (element.get(attribute) or "").strip()
    # White space separates the columns of the official files.
    if value.split() != [value]:
        raise UnreadableQuestion(f"{attribute} of {element.tag} is {value!r}; an id must be one word")
    return value


def _text(element: etree._Element, name: str) -> str:
    child = element.find(name)
    if child is None:
        raise UnreadableQuestion(f"the {element.tag} element has no {name} element")
    return "".join(str(text) for text in child.itertext()).strip()
