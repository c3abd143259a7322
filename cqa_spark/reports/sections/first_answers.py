"""Threads that begin with another answer than last night, with both texts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pyspark.sql import DataFrame

from cqa_spark.lake.journal import Entry
from cqa_spark.lake.schemas.night import FIRST_ANSWERS
from cqa_spark.reports.kit.blocks import Block, Cell, Details, Heading, Only, Post, Table, Text, forum
from cqa_spark.reports.kit.wording import counted
from cqa_spark.reports.queries import TEXTS, PostText, collect_texts
from cqa_spark.reports.reported_run import ReportedRun
from cqa_spark.reports.section import Section

_ON_PAGE, _IN_TERMINAL = 600, 60
"""Largest number of characters of a text that is shown."""


@dataclass(frozen=True)
class ChangedThread:
    """A thread whose order begins with another answer.

    Attributes:
        site: its site.
        query_id: its question.
        title: title of the question; empty if unknown.
        before: id of the answer that was the first.
        after: id of the first answer.
        text_before: the answer that was the first.
        text_after: the first answer.
        order: name of the system whose order is served, and of that before, if it is another one.
    """

    site: str
    query_id: str
    title: str
    before: str
    after: str
    text_before: PostText
    text_after: PostText
    order: str


@dataclass(frozen=True)
class FirstAnswerChanges:
    """Number of such threads, and some of them."""

    number: int
    threads: tuple[ChangedThread, ...]


def first_answer_changes(entries: Sequence[Entry], tables: Mapping[str, DataFrame]) -> FirstAnswerChanges:
    """Add titles and texts.

    Args:
        entries: of ``FIRST_ANSWERS``.
        tables: the tables with texts, by name.
    """
    ids = {(entry["site"], entry[name]) for entry in entries for name in ("query_id", "before", "after")}
    texts = collect_texts(tables, sorted(ids)) if ids else {}

    def text(entry: Entry, name: str) -> PostText:
        return texts.get((entry["site"], entry[name]), PostText())

    threads = (
        ChangedThread(
            site=entry["site"],
            query_id=entry["query_id"],
            title=text(entry, "query_id").subject,
            before=entry["before"],
            after=entry["after"],
            text_before=text(entry, "before"),
            text_after=text(entry, "after"),
            order=" → ".join(dict.fromkeys((entry["order_before"], entry["order_after"]))),
        )
        for entry in entries
    )
    return FirstAnswerChanges(entries[0]["changed"] if entries else 0, tuple(threads))


def data(run: ReportedRun) -> FirstAnswerChanges | None:
    """The threads; None if no order begins with another answer."""
    entries = run.entries(FIRST_ANSWERS.name)
    return first_answer_changes(entries, run.tables) if entries else None


def blocks(changes: FirstAnswerChanges) -> list[Block]:
    """The threads: on the page with both texts, in the terminal with their beginnings."""
    stories = [
        Details(
            forum(thread.title or thread.query_id),
            [
                Post(thread.text_before.on_page(_ON_PAGE), [f"last night, {thread.before}"]),
                Post(thread.text_after.on_page(_ON_PAGE), [f"tonight, {thread.after}"]),
            ],
            story=True,
            is_open=thread is changes.threads[0],
            aside=f"{thread.site}, {thread.query_id}, {thread.order}",
        )
        for thread in changes.threads
    ]
    return [
        Heading("What changed tonight", 2),
        Only("page", [Text(_about(changes)), *stories]),
        Only("terminal", [table(changes, "Other first answers than last night")]),
    ]


def _about(changes: FirstAnswerChanges) -> str:
    begin = "begins" if changes.number == 1 else "begin"
    return f"{counted(changes.number, 'thread')} {begin} with another answer; {len(changes.threads)} shown."


def table(changes: FirstAnswerChanges, title: str) -> Table:
    """A row for each thread."""
    return Table(
        title=title,
        about=_about(changes),
        headings=("question", "before", "now", "order"),
        rows=tuple(
            (
                f"{thread.title} ({thread.site}, {thread.query_id})",
                (
                    Cell(f"{thread.before}: {thread.text_before.in_line(_IN_TERMINAL)}"),
                    Cell(f"{thread.after}: {thread.text_after.in_line(_IN_TERMINAL)}"),
                    Cell(thread.order),
                ),
            )
            for thread in changes.threads
        ),
        texts=("before", "now", "order"),
    )


SECTION = Section("first-answers", "Other first answers", data, blocks, products=(FIRST_ANSWERS,), optional=TEXTS)
