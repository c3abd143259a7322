"""The two element layouts of the Qatar Living files: of 2015, and of 2016, 2017 and the forum's dump."""

from __future__ import annotations

from dataclasses import dataclass

# Matches text around threads that is not a record: the XML declaration, comments, the document type
# with its entities, and the tags of enclosing elements. The pattern is valid in Java and Python. A start without an end
# matches the whole rest, so that the search is linear in the number of starts. The group remains as text.
WRAPPER = (
    r"(?s)<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^\[>]*+(?:>|\[.*?\]\s*+>)|</OrgQuestion\s*+>"
    r"|</?(?!Org|Rel|Thread|Question|Comment|[QC]Subject|[QC]Body)[A-Za-z][\w.-]*+(?:\s[^<>]*+)?>"
    r"|(<(?:\?|!--|!DOCTYPE).*+)"
)
ORIGINAL = "<OrgQuestion"


@dataclass(frozen=True)
class Layout:
    """Names of the elements and attributes; of several names, the first one present is used.

    Attributes:
        name: the year of the release that introduced it.
        thread: element of a thread.
        question: element of the thread's question; None if the thread element itself contains it.
        comment: element of a comment.
        subject: element of the question's subject.
        bodies: elements of the question's text.
        comment_bodies: elements of a comment's text; the multi-line text takes precedence over its cleansed copy.
        question_prefix: prefix of the question's attributes.
        comment_prefix: prefix of a comment's attributes.
        to_related: attribute with a comment's relevance to the question of its thread.
    """

    name: str
    thread: str
    question: str | None
    comment: str
    subject: str
    bodies: tuple[str, ...]
    comment_bodies: tuple[str, ...]
    question_prefix: str
    comment_prefix: str
    to_related: str

    @property
    def opening(self) -> str:
        """Regular expression of a thread's opening tag."""
        return rf"<{self.thread}[\s>]"

    @property
    def closing(self) -> str:
        """A thread's closing tag, at which the text is split."""
        return f"</{self.thread}>"


LAYOUT_2016 = Layout(
    name="2016",
    thread="Thread",
    question="RelQuestion",
    comment="RelComment",
    subject="RelQSubject",
    bodies=("RelQBody", "RelQClean"),
    comment_bodies=("RelCText", "RelCBody", "RelCClean"),
    question_prefix="RELQ_",
    comment_prefix="RELC_",
    to_related="RELC_RELEVANCE2RELQ",
)

LAYOUT_2015 = Layout(
    name="2015",
    thread="Question",
    question=None,
    comment="Comment",
    subject="QSubject",
    bodies=("QBody",),
    comment_bodies=("CBody",),
    question_prefix="Q",
    comment_prefix="C",
    to_related="CGOLD",
)

LAYOUTS = (LAYOUT_2015, LAYOUT_2016)
