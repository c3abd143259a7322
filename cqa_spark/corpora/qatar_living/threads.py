"""The element layouts of SemEval Task 3, and the parsing of one thread, without entities or document types.

Layouts: 2015 (trial, English, Arabic), 2016 and 2017, the forum's dump, and subtask E.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from lxml import etree

WRAPPER = (
    r"(?s)<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^\[>]*+(?:>|\[.*?\]\s*+>)|</OrgQuestion\s*+>"
    r"|</?(?!Org|Rel|Thread|Question|Comment|[QC]Subject|[QC]Body)[A-Za-z][\w.-]*+(?:\s[^<>]*+)?>"
    r"|(<(?:\?|!--|!DOCTYPE).*+)"
)
"""Matches text around threads that is not a record: the XML declaration, comments, the document type with its entities,
and the tags of enclosing elements. A start without an end matches the whole rest, so that the search is linear in the
number of starts. The group remains as text."""

ORIGINAL = "<OrgQuestion"
"""Start of the opening tag of an original question, which may precede its first related thread."""

ThreadRow = dict[str, Any]

FIRST_YEAR, LAST_YEAR = 1970, 2199
"""Times outside these years are placeholders or damaged; Spark refuses to write times before 1900."""

_DAY_MONTH = re.compile(r"^(\d{4})-(\d\d)-(\d\d)")
_DIGITS = 9
_NUMBER = re.compile(rf"[0-9]{{1,{_DIGITS}}}")
_CLOSING_ORIGINAL = b"</OrgQuestion>"

UNKNOWN = ("", "?")

COMMENT_LABELS: Mapping[str, str] = {
    "Good": "Good",
    "PotentiallyUseful": "PotentiallyUseful",
    "Bad": "Bad",
    "Potential": "PotentiallyUseful",
    "Dialogue": "Bad",
    "Not English": "Bad",
    "non-English": "Bad",
    "Other": "Bad",
    "Author": "Bad",
    "Direct": "Good",
    "Related": "PotentiallyUseful",
    "Irrelevant": "Bad",
}
"""The labels of 2016 by the labels of all releases. SemEval-2015 Task 3 had six classes in English and three in Arabic,
and its trial file others; the release of 2016 merges all but Good and Potential into Bad."""


@dataclass(frozen=True)
class PostNames:
    """Names of a question, answer or comment.

    Attributes:
        element: its element; None if it is the element of the thread.
        id: attribute with its id.
        time: attribute with its time.
        user_id: attribute with the id of its author; None without one.
        user_name: attribute with the name of its author; None without one.
        bodies: elements of its text, of which the first one present is used; without any, the text is its own.
        score: attribute with up votes minus down votes; None without one.
    """

    element: str | None
    id: str
    time: str
    user_id: str | None
    user_name: str | None
    bodies: tuple[str, ...]
    score: str | None = None


@dataclass(frozen=True)
class Layout:
    """Names of the elements and attributes.

    Attributes:
        name: the release that introduced it.
        mark: an element that no layout listed after it has.
        thread: element of a thread.
        question: the thread's question.
        subject: element of the question's subject.
        category: attribute with the question's category.
        comment: a comment.
        to_related: attribute with a comment's relevance to the question of its thread.
        day_before_month: whether dates read year-day-month.
        question_labels: the labels of related questions.
        answer: an answer to the question; None if replies are comments.
        answer_comment: a comment on an answer.
    """

    name: str
    mark: str
    thread: str
    question: PostNames
    subject: str
    category: str
    comment: PostNames
    to_related: str
    day_before_month: bool = False
    question_labels: tuple[str, ...] = ("PerfectMatch", "Relevant", "Irrelevant")
    answer: PostNames | None = None
    answer_comment: PostNames | None = None

    @property
    def opening(self) -> str:
        """Regular expression of a thread's opening tag."""
        return rf"<{self.thread}[\s>]"

    @property
    def closing(self) -> str:
        """A thread's closing tag, at which the text is split."""
        return f"</{self.thread}>"

    @property
    def about(self) -> str:
        """The names, for messages."""
        posts = [post for post in (self.question, self.comment, self.answer, self.answer_comment) if post is not None]
        replies = [name for post in posts[1:] for name in (post.element, *post.bodies)]
        elements = (self.thread, self.question.element, self.subject, *self.question.bodies, *replies)
        attributes = [name for post in posts for name in (post.id, post.time, post.user_id)]
        return (
            f"elements {', '.join(filter(None, elements))}; "
            f"attributes {', '.join([*dict.fromkeys(filter(None, attributes)), self.to_related])}"
        )


LAYOUT_2016 = Layout(
    name="2016",
    mark="Thread",
    thread="Thread",
    question=PostNames(
        "RelQuestion", "RELQ_ID", "RELQ_DATE", "RELQ_USERID", "RELQ_USERNAME", bodies=("RelQBody", "RelQClean")
    ),
    subject="RelQSubject",
    category="RELQ_CATEGORY",
    # The multi-line text takes precedence over its cleansed copy.
    comment=PostNames(
        "RelComment", "RELC_ID", "RELC_DATE", "RELC_USERID", "RELC_USERNAME",
        bodies=("RelCText", "RelCBody", "RelCClean"),
    ),
    to_related="RELC_RELEVANCE2RELQ",
)  # fmt: skip

LAYOUT_2015_TRIAL = Layout(
    name="2015, trial",
    mark="Short_Question",
    thread="Question",
    question=PostNames(None, "QID", "CREATED", "UID", None, bodies=("Full_Question",)),
    subject="Short_Question",
    category="CATEGORY",
    comment=PostNames("Comment", "CID", "CREATED", "UID", None, bodies=("Body",)),
    to_related="ANNOTATION",
)

LAYOUT_2015_ARABIC = Layout(
    name="2015, Arabic",
    mark="Answer",
    thread="Question",
    question=PostNames(None, "QID", "QDATE", None, None, bodies=("QBody",)),
    subject="QSubject",
    category="QCATEGORY",
    comment=PostNames("Answer", "CID", "CDATE", None, None, bodies=()),
    to_related="CGOLD",
    day_before_month=True,
)

LAYOUT_2015 = Layout(
    name="2015",
    mark="Comment",
    thread="Question",
    question=PostNames(None, "QID", "QDATE", "QUSERID", "QUSERNAME", bodies=("QBody",)),
    subject="QSubject",
    category="QCATEGORY",
    comment=PostNames("Comment", "CID", "CDATE", "CUSERID", "CUSERNAME", bodies=("CBody",)),
    to_related="CGOLD",
)

LAYOUT_SUBTASK_E = replace(
    LAYOUT_2016,
    name="2017, subtask E",
    question=replace(LAYOUT_2016.question, score="RELQ_SCORE"),
    comment=replace(LAYOUT_2016.comment, score="RELC_SCORE"),
    question_labels=("PerfectMatch", "Related", "Irrelevant"),
    answer=PostNames(
        "RelAnswer", "RELA_ID", "RELA_DATE", "RELA_USERID", "RELA_USERNAME", bodies=("RelAText",), score="RELA_SCORE"
    ),
    answer_comment=PostNames(
        "RelAComment", "RELAC_ID", "RELAC_DATE", "RELAC_USERID", "RELAC_USERNAME", bodies=("RelACText",),
        score="RELAC_SCORE",
    ),
)  # fmt: skip
"""Of Stack Exchange: as that of 2016, with answers, tags, scores and views; users linked the ``Related`` questions."""

LAYOUTS = (LAYOUT_2016, LAYOUT_2015_TRIAL, LAYOUT_2015_ARABIC, LAYOUT_2015)


class UnreadableThread(Exception):
    """A record that is not a thread; the message goes to the quarantine."""


def parse_thread(text: bytes, layout: Layout) -> ThreadRow:
    """Parse a record into a row of ``records.THREAD``.

    Args:
        text: the record without its closing tag.
        layout: the file's layout.

    Raises:
        UnreadableThread: it is not well-formed, refers to entities, lacks or repeats an id, or has an id with white
            space.
    """
    root = _read_xml(text, layout)
    thread = root if root.tag == layout.thread else _child(root, layout.thread)
    question = _child(thread, layout.question.element) if layout.question.element else thread
    thread_id = _required(question, layout.question.id)
    tags = _attribute(question, "RELQ_TAGS")
    return {
        "thread_id": thread_id,
        "same_as": _attribute(thread, "SubtaskA_Skip_Because_Same_As_RelQuestion_ID"),
        "original": _original(root, question, thread_id),
        "ranking_order": _whole_number(question, "RELQ_RANKING_ORDER"),
        "relevance": _label(question, "RELQ_RELEVANCE2ORGQ", {label: label for label in layout.question_labels}),
        **_authorship(question, layout.question, layout),
        "category": _attribute(question, layout.category),
        "subject": _text(question, (layout.subject,)),
        "body": _text(question, layout.question.bodies),
        "tags": None if tags is None else [tag.strip() for tag in tags.split(",")],
        "view_count": _whole_number(question, "RELQ_VIEWCOUNT"),
        "comments": _comments(thread, layout.comment, layout),
        "answers": _answers(thread, layout),
    }


def _read_xml(text: bytes, layout: Layout) -> etree._Element:
    ending = _CLOSING_ORIGINAL if text.startswith(ORIGINAL.encode()) else b""
    parser = etree.XMLParser(
        resolve_entities=False, load_dtd=False, no_network=True, dtd_validation=False, huge_tree=False,
        remove_comments=True, remove_pis=True, encoding="utf-8",
    )  # fmt: skip
    try:
        return etree.fromstring(text + layout.closing.encode() + ending, parser)
    except etree.XMLSyntaxError as error:
        raise UnreadableThread(_reason(text, parser)) from error


def _reason(text: bytes, parser: etree.XMLParser) -> str:
    try:
        text.decode("utf-8")
    except UnicodeDecodeError as wrong:
        return f"byte {wrong.start} of the record is not valid UTF-8"
    first = parser.error_log[0]
    message = first.message.strip().splitlines()[0]
    if first.type_name == "ERR_UNDECLARED_ENTITY":
        return f"the thread refers to an entity, which is not allowed: {message}"
    return f"the thread is not well-formed XML: {message}, line {first.line} of the record"


def _original(root: etree._Element, question: etree._Element, thread_id: str) -> ThreadRow | None:
    """The original question; chunks of later threads do not contain it, so their id names it."""
    if root.tag == "OrgQuestion":
        return {
            "original_id": _required(root, "ORGQ_ID"),
            "subject": _text(root, ("OrgQSubject",)),
            "body": _text(root, ("OrgQBody",)),
        }
    if question.get("RELQ_RELEVANCE2ORGQ") is None and question.get("RELQ_RANKING_ORDER") is None:
        return None
    original_id, separator, _ = thread_id.partition("_R")
    if not separator:
        raise UnreadableThread(f"the id {thread_id} does not name the original question, such as Q1 in Q1_R2")
    return {"original_id": original_id, "subject": None, "body": None}


def _comments(parent: etree._Element, names: PostNames, layout: Layout) -> list[ThreadRow]:
    """The comments on a question or an answer."""
    comments = [
        {
            "comment_id": _required(element, names.id),
            "position": position,
            **_authorship(element, names, layout),
            "body": _text(element, names.bodies) if names.bodies else _all_text(element),
            "to_related": _label(element, layout.to_related, COMMENT_LABELS),
            "to_original": _label(element, "RELC_RELEVANCE2ORGQ", COMMENT_LABELS),
        }
        for position, element in enumerate(parent.iterfind(str(names.element)), start=1)
    ]
    _refuse_repeats("comments", (str(comment["comment_id"]) for comment in comments))
    return comments


def _answers(thread: etree._Element, layout: Layout) -> list[ThreadRow]:
    """The answers of a thread, with the comments on them."""
    names, on_answer = layout.answer, layout.answer_comment
    if names is None or on_answer is None:
        return []
    answers = [
        {
            "answer_id": _required(element, names.id),
            **_authorship(element, names, layout),
            "body": _text(element, names.bodies),
            "accepted": _attribute(element, "RELA_ACCEPTED") == "1",
            "comments": _comments(element, on_answer, layout),
        }
        for element in thread.iterfind(str(names.element))
    ]
    _refuse_repeats("answers", (str(answer["answer_id"]) for answer in answers))
    return answers


def _refuse_repeats(posts: str, ids: Iterable[str]) -> None:
    repeated = [name for name, count in Counter(ids).items() if count > 1]
    if repeated:
        raise UnreadableThread(f"several {posts} of the thread have the id {', '.join(repeated)}")


def _authorship(element: etree._Element, names: PostNames, layout: Layout) -> ThreadRow:
    return {
        "user_id": _attribute(element, names.user_id),
        "user_name": _attribute(element, names.user_name),
        "created_at": _time(element, names.time, layout),
        "score": _whole_number(element, names.score, signed=True),
    }


def _time(element: etree._Element, attribute: str, layout: Layout) -> datetime | None:
    """A time in UTC; other years than 1970 to 2199 are refused, because engines disagree on them."""
    value = _attribute(element, attribute)
    if value is None:
        return None
    try:
        time = datetime.fromisoformat(_DAY_MONTH.sub(r"\1-\3-\2", value) if layout.day_before_month else value)
    except ValueError:
        order = "year-day-month" if layout.day_before_month else "year-month-day"
        raise UnreadableThread(f"{attribute} is {value!r}, not a time that starts with {order}") from None
    if not FIRST_YEAR <= time.year <= LAST_YEAR:
        raise UnreadableThread(f"{attribute} is {value!r}, not a time from {FIRST_YEAR} to {LAST_YEAR}")
    return time.astimezone(UTC) if time.tzinfo else time.replace(tzinfo=UTC)


def _child(element: etree._Element, name: str) -> etree._Element:
    child = element.find(name)
    if child is None:
        raise UnreadableThread(f"the {element.tag} element has no {name} element")
    return child


def _attribute(element: etree._Element, attribute: str | None) -> str | None:
    value = element.get(attribute) if attribute else None
    return (value or "").strip() or None


def _required(element: etree._Element, attribute: str) -> str:
    value = _attribute(element, attribute)
    if value is None:
        raise UnreadableThread(f"the {element.tag} element has no {attribute}")
    # White space separates the columns of the official files.
    if value.split() != [value]:
        raise UnreadableThread(f"{attribute} is {value!r}; an id must not contain white space")
    return value


def _whole_number(element: etree._Element, attribute: str | None, *, signed: bool = False) -> int | None:
    value = _attribute(element, attribute)
    if value is None:
        return None
    if not _NUMBER.fullmatch(value.removeprefix("-") if signed else value):
        raise UnreadableThread(f"{attribute} is {value!r}, not a whole number of at most {_DIGITS} digits")
    return int(value)


def _label(element: etree._Element, attribute: str, names: Mapping[str, str]) -> str | None:
    """The name of the label in 2016, whatever its case; None if it is missing, empty or ``?``."""
    label = element.get(attribute)
    if label is None or label.strip() in UNKNOWN:
        return None
    for name, label_of_2016 in names.items():
        if name.casefold() == label.strip().casefold():
            return label_of_2016
    raise UnreadableThread(f"{attribute} is {label!r}; known labels: {', '.join(names)}")


def _text(element: etree._Element, names: Iterable[str]) -> str | None:
    for name in names:
        child = element.find(name)
        if child is not None:
            return _all_text(child)
    return None


def _all_text(element: etree._Element) -> str:
    return "".join(map(str, element.itertext())) if len(element) else element.text or ""
