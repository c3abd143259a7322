"""Writes threads in the XML layouts of SemEval-2016 Task 3, and judgments in the format of its scorer.

Source: the distribution of Nakov et al. (2016), SemEval-2016 Task 3: Community Question Answering.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from xml.sax.saxutils import escape, quoteattr

from cqa_spark.synth.conversations import OriginalQuestion, Thread

HEAD = '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE xml [\n<!ELEMENT xml ANY>\n]>\n<xml version="1.0">\n'
TAIL = "\n</xml>\n"
UNKNOWN = "?"


def nested_layout(questions: Iterable[OriginalQuestion]) -> Iterator[str]:
    """Yield the XML of subtasks A, B and C, with all labels.

    As in the official files, an original question is repeated with each of its threads.
    """
    for question in questions:
        for thread in question.threads:
            yield f'\n<OrgQuestion ORGQ_ID="{question.id}">\n'
            yield f"\t<OrgQSubject>{escape(question.subject)}</OrgQSubject>\n"
            yield f"\t<OrgQBody>{escape(question.body)}</OrgQBody>\n"
            yield from _thread(thread, nested=True)
            yield "</OrgQuestion>\n"


def flat_layout(questions: Iterable[OriginalQuestion]) -> Iterator[str]:
    """Yield the XML of subtask A: threads without an original question, without labels."""
    for question in questions:
        for thread in question.threads:
            yield from _thread(thread, nested=False)


def scorer_lines(questions: Iterable[OriginalQuestion]) -> Iterator[str]:
    """Yield the judgments of subtask A: query, candidate, rank, score of the given order, whether it is Good.

    Repeated threads are omitted, as in the official task.
    """
    for question in questions:
        for thread in question.threads:
            if thread.same_as is None:
                for rank, comment in enumerate(thread.conversation.comments, start=1):
                    good = str(comment.label == "Good").lower()
                    yield f"{thread.id}\t{thread.id}_C{rank}\t{rank}\t{1 / rank:.15g}\t{good}\n"


def _thread(thread: Thread, *, nested: bool) -> Iterator[str]:
    talk = thread.conversation
    skip = {"SubtaskA_Skip_Because_Same_As_RelQuestion_ID": thread.same_as} if thread.same_as else {}
    search = {"RELQ_RANKING_ORDER": str(thread.search_rank)} if nested else {}
    relevance = {"RELQ_RELEVANCE2ORGQ": thread.relevance} if nested else {}
    facts = {
        "RELQ_CATEGORY": talk.topic.category,
        "RELQ_DATE": _date(talk.asked),
        "RELQ_USERID": talk.asker.id,
        "RELQ_USERNAME": talk.asker.name,
    }
    yield f"\n\t<Thread{_attributes({'THREAD_SEQUENCE': thread.id} | skip)}>\n"
    yield f"\t\t<RelQuestion{_attributes({'RELQ_ID': thread.id} | search | facts | relevance)}>\n"
    yield f"\t\t\t<RelQSubject>{escape(talk.subject)}</RelQSubject>\n"
    yield f"\t\t\t<RelQBody>{escape(talk.body)}</RelQBody>\n"
    yield "\t\t</RelQuestion>\n"
    yield from _comments(thread, nested=nested)
    yield "\t</Thread>\n"


def _comments(thread: Thread, *, nested: bool) -> Iterator[str]:
    labelled = zip(thread.conversation.comments, thread.original_labels, strict=True)
    for number, (comment, original_label) in enumerate(labelled, start=1):
        facts = {
            "RELC_ID": f"{thread.id}_C{number}",
            "RELC_DATE": _date(comment.posted),
            "RELC_USERID": comment.author.id,
            "RELC_USERNAME": comment.author.name,
        }
        original = {"RELC_RELEVANCE2ORGQ": original_label} if nested else {}
        own = {"RELC_RELEVANCE2RELQ": comment.label if nested else UNKNOWN}
        yield f"\n\t\t<RelComment{_attributes(facts | original | own)}>\n"
        yield f"\t\t\t<RelCText>{escape(comment.text)}</RelCText>\n"
        yield "\t\t</RelComment>\n"


def _attributes(values: dict[str, str]) -> str:
    return "".join(f" {name}={quoteattr(value)}" for name, value in values.items())


def _date(time: datetime) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S")
