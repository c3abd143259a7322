"""The element layouts of SemEval Task 3: 2015 (trial, English, Arabic), 2016 and 2017, the forum's dump, subtask E."""

from dataclasses import dataclass, replace

# Matches text around threads that is not a record: the XML declaration, comments, the document type
# with its entities, and the tags of enclosing elements. A start without an end matches the whole rest, so that the
# search is linear in the number of starts. The group remains as text.
WRAPPER = (
    r"(?s)<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^\[>]*+(?:>|\[.*?\]\s*+>)|</OrgQuestion\s*+>"
    r"|</?(?!Org|Rel|Thread|Question|Comment|[QC]Subject|[QC]Body)[A-Za-z][\w.-]*+(?:\s[^<>]*+)?>"
    r"|(<(?:\?|!--|!DOCTYPE).*+)"
)
ORIGINAL = "<OrgQuestion"


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
