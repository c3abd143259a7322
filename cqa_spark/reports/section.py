"""The contract of a section, and reports as lists of sections.

A section is one module: it turns a run into plain values, and these into blocks, which the page and the terminal show
alike. Kinds of report differ in their sections, and in nothing else.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeAlias, TypeVar

from markupsafe import Markup

from cqa_spark.lake.journal import Entry, JournalTable
from cqa_spark.lake.table import Table
from cqa_spark.process.terminal import Terminal
from cqa_spark.reports.kit.blocks import Banner, Block, Heading, plain
from cqa_spark.reports.kit.console import print_blocks
from cqa_spark.reports.kit.page import Part, document

Result = TypeVar("Result")
Data = TypeVar("Data")
Read = TypeVar("Read", bound="Reported")

Product: TypeAlias = Table | JournalTable
"""A table that sections read."""


@dataclass(frozen=True, kw_only=True)
class Reported:
    """What the sections of a report read.

    Attributes:
        task: task of the report; empty if it is about data of all tasks.
        products: names of the tables that can be read.
    """

    task: str = ""
    products: frozenset[str] = frozenset()
    _results: dict[Callable[..., Any], Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def once(self: Read, compute: Callable[[Read], Result]) -> Result:
        """The result of a function of this object, computed the first time; sections share results through it."""
        if compute not in self._results:
            self._results[compute] = compute(self)
        result: Result = self._results[compute]
        return result


def itself(values: Result) -> Result:
    """The values of a report that is about given values."""
    return values


@dataclass(frozen=True)
class Headline:
    """What a report of an experiment presents first.

    Attributes:
        system: the system.
        baseline: the system that the others are compared with.
        measures: measures in order; the first one orders the systems.
    """

    system: str
    baseline: str
    measures: tuple[str, ...]


@dataclass(frozen=True)
class Section(Generic[Read, Data]):
    """A part of a report.

    Attributes:
        name: identifies the section in the report, and on the page as an id.
        title: title in the page's navigation.
        data: the values that the section shows; None if there is nothing to show.
        blocks: the blocks that show the values, under the title or another ``Heading`` of level 2; HTML of a template
            for what no block draws.
        tasks: tasks in whose reports the section appears; empty for all tasks.
        products: tables without which there is nothing to show.
        optional: other tables that it shows if the run has them.
        headline: from the entries of journal tables by name and the measures of the task, what a report with the
            section presents first; None for a section that leaves it to the report.
    """

    name: str
    title: str
    data: Callable[[Read], Data | None]
    blocks: Callable[[Data], Sequence[Block] | Markup]
    tasks: frozenset[str] = frozenset()
    products: tuple[Product, ...] = ()
    optional: tuple[Product, ...] = ()
    headline: Callable[[Mapping[str, Sequence[Entry]], tuple[str, ...]], Headline] | None = None

    @property
    def about(self) -> str:
        """Description: the first line of the documentation of ``data``."""
        return (inspect.getdoc(self.data) or "").partition("\n")[0]

    def applies_to(self, run: Reported) -> bool:
        """Whether the section appears in reports of the run's task, and the run has its tables."""
        return (not self.tasks or run.task in self.tasks) and self.has_its_tables(run.products)

    def has_its_tables(self, names: Collection[str]) -> bool:
        """Whether these names are those of the required tables, or of more."""
        return {product.name for product in self.products} <= set(names)


@dataclass(frozen=True)
class Head(Generic[Read, Data]):
    """What stands above the sections of a page.

    Attributes:
        data: the values of the head.
        banner: what the page shows of them.
        blocks: what the terminal shows of them; None for nothing.
        optional: tables that it shows if the run has them.
    """

    data: Callable[[Read], Data]
    banner: Callable[[Data], Banner]
    blocks: Callable[[Data], Sequence[Block]] | None = None
    optional: tuple[Product, ...] = ()


@dataclass(frozen=True)
class ReportKind(Generic[Read]):
    """A kind of report.

    Attributes:
        head: its head.
        sections: its sections, in order.
        script: path below ``cqa_spark/reports`` of the only script that its page runs; None for a page without scripts.
        json: the values of the head as JSON, for programs; None for a kind of report for people only.
    """

    head: Head[Read, Any]
    sections: tuple[Section[Read, Any], ...]
    script: str | None = None
    json: Callable[[Any], str] | None = None

    @property
    def products(self) -> tuple[Product, ...]:
        """All tables that the head and the sections read."""
        tables = (table for section in self.sections for table in (*section.products, *section.optional))
        return tuple({table.name: table for table in (*self.head.optional, *tables)}.values())

    def headline(self, journal: Mapping[str, Sequence[Entry]], measures: tuple[str, ...]) -> Headline | None:
        """What the first section that says so presents first; None if no section of these tables does.

        Args:
            journal: entries of journal tables by name.
            measures: those of the task, the most important first.
        """
        for section in self.sections:
            if section.headline is not None and section.has_its_tables(journal):
                return section.headline(journal, measures)
        return None

    def collect(self, run: Read) -> ReportValues:
        """The values of the head, and of all sections that have something to show."""
        values = ((section, run.once(section.data)) for section in self.sections if section.applies_to(run))
        parts = tuple((section, data) for section, data in values if data is not None)
        return ReportValues(self, run.once(self.head.data), parts)


@dataclass(frozen=True)
class ReportValues:
    """The values of a report: those of its head, and its sections with theirs, in order."""

    kind: ReportKind[Any]
    head: Any
    parts: tuple[tuple[Section[Any, Any], Any], ...]

    def data(self, section: Section[Any, Data]) -> Data | None:
        """The values of a section; None if it has nothing to show."""
        return next((data for shown, data in self.parts if shown.name == section.name), None)

    def json(self) -> str:
        """The values of the head as JSON."""
        assert self.kind.json is not None, "the command offers JSON for kinds that have it"
        return self.kind.json(self.head)

    def page(self) -> str:
        """One self-contained HTML file; the same values give the same text, and all their texts are escaped."""
        parts = [part for section, data in self.parts for part in _page_parts(section, data)]
        return document(self.kind.head.banner(self.head), parts, self.kind.script)

    def show(self, terminal: Terminal, *sections: Section[Any, Any] | Head[Any, Any]) -> None:
        """Print the head and sections, those that have something to show.

        Args:
            terminal: where to print.
            sections: what to print, in this order; the head and all sections if none is named.
        """
        for section in sections or (self.kind.head, *(section for section, _ in self.parts)):
            data = self.head if isinstance(section, Head) else self.data(section)
            blocks = section.blocks(data) if section.blocks is not None and data is not None else ()
            if isinstance(blocks, Markup):
                continue
            # The title of a section is on the page alone; its tables have titles of their own.
            has_title = bool(blocks) and isinstance(blocks[0], Heading) and (blocks[0].level, blocks[0].id) == (2, "")
            print_blocks(blocks[1:] if has_title else blocks, terminal)


def _page_parts(section: Section[Any, Data], data: Data) -> list[Part]:
    """The parts of the page that a section makes: one, or one for each heading with an id."""
    blocks = section.blocks(data)
    if isinstance(blocks, Markup):
        return [Part(section.name, section.title, section.title, blocks)]
    starts = [index for index, block in enumerate(blocks) if isinstance(block, Heading) and block.level == 2]
    if not starts:
        return [Part(section.name, section.title, section.title, blocks)]
    parts = []
    for start, end in zip(starts, [*starts[1:], len(blocks)], strict=True):
        heading = blocks[start]
        assert isinstance(heading, Heading)
        name, link = (heading.id, plain(heading.text)) if heading.id else (section.name, section.title)
        parts.append(Part(name, link, heading.text, blocks[start + 1 : end]))
    return parts
