"""What sections consist of: headings, texts, tables, plots and posts, which the page and the terminal show alike.

A section makes blocks of its values; ``page`` and ``console`` know blocks, and no section. What no block draws is
``Markup`` of a section's own template, which the terminal leaves out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from cqa_spark.reports.kit.wording import MISSING, Tested, count, interval, p_value, points, signed_points, verdict

if TYPE_CHECKING:
    from markupsafe import Markup

    from cqa_spark.reports.kit.svg import Plotter


@dataclass(frozen=True)
class Span:
    """A part of a text.

    Attributes:
        text: the text.
        kind: ``forum`` for text from the input, in its own writing direction; ``bold``, ``code``, ``break``; ``link``
            to an address; ``key`` of a legend, behind a square of a colour; empty for text in a role.
        role: class in the style sheet, such as better, worse or muted; the square's class for a key.
        address: path relative to the page for a link; colour role of the square for a key without a class.
        hint: shown when the pointer rests on the text.
    """

    text: str
    kind: Literal["", "forum", "bold", "code", "break", "link", "key"] = ""
    role: str = ""
    address: str = ""
    hint: str = ""


Words: TypeAlias = "str | Span | tuple[Words, ...]"
"""A text, or its parts in order."""

BREAK = Span("\n", "break")


def forum(text: str) -> Span:
    """A text from the input."""
    return Span(text, "forum")


def plain(words: Words) -> str:
    """The text without its formats."""
    if isinstance(words, str):
        return words
    if isinstance(words, Span):
        return f"{words.text}  " if words.kind == "key" else words.text
    return "".join(map(plain, words))


@dataclass(frozen=True)
class Heading:
    """A heading.

    Attributes:
        text: the heading.
        level: 3 within a section; 2 in place of the section's title, as the first of its blocks or with an id.
        id: for a part of the page with an own entry in the navigation.
    """

    text: Words
    level: Literal[2, 3] = 3
    id: str = ""


@dataclass(frozen=True)
class Text:
    """A paragraph; its style is a class of the style sheet: legend, prose, source or caution."""

    words: Words
    style: str = ""


@dataclass(frozen=True)
class Cell:
    """One value of a table.

    Attributes:
        text: the value.
        small: secondary text, such as an interval: below the value on the page, after it in the terminal.
        role: better, worse or unclear, from a significance test; muted for published values; main for the main
            measure; prose and path for long texts; empty for all others.
        sign: better or worse for a small triangle before the value.
        hint: shown when the pointer rests on the cell.
        shares: numbers of a bar that is divided into better, equal and worse, in place of a text.
    """

    text: Words
    small: Words = ""
    role: str = ""
    sign: str = ""
    hint: str = ""
    shares: tuple[int, ...] = ()


NO_VALUE = Cell(MISSING, role="muted")


class Row(NamedTuple):
    """A row of a table.

    Attributes:
        name: its first cell.
        cells: the others; none for the heading of a group of rows.
        style: best, baseline or quiet; ``group`` for the heading of the rows below it.
    """

    name: Words | Cell
    cells: Sequence[Cell] = ()
    style: str = ""


@dataclass(frozen=True)
class Table:
    """A table.

    Attributes:
        title: heading above it; empty for a table whose explanation is its caption.
        about: explanation, in sentences.
        headings: column headings; the first column holds the row names.
        rows: a name and its cells.
        texts: headings of the columns with text, apart from the first; they are aligned left, numbers right.
        style: class in the style sheet; ``grid`` for a table with a title, if none is given.
        total: a row below the others; None for none.
        last_stays: whether a narrow terminal leaves out columns before the last one first.
    """

    title: str
    about: Words
    headings: tuple[str, ...]
    rows: Sequence[Row | tuple[Words | Cell, Sequence[Cell]]]
    texts: tuple[str, ...] = ()
    style: str = ""
    total: Row | None = None
    last_stays: bool = False

    @property
    def lines(self) -> list[Row]:
        """The rows, with their styles."""
        return [Row(*row) for row in self.rows]


@dataclass(frozen=True)
class Plot:
    """A plot.

    Attributes:
        name: unique on the page; letters, digits and hyphens. It never comes from a system's or user's name.
        plotter: draws it in a width.
        caption: what it shows.
        small: one of several in a row.
        about: explanation below the caption.
        line: what the terminal shows in its place.
    """

    name: str
    plotter: Plotter
    caption: Words
    small: bool = False
    about: str = ""
    line: str = ""


@dataclass(frozen=True)
class Columns:
    """Blocks side by side, as far as there is room; the style is row, roomy, pair or nulls."""

    blocks: Sequence[Block]
    style: str = "row"


@dataclass(frozen=True)
class Facts:
    """Names with their values; the style is notes, identity or descriptions."""

    facts: Sequence[tuple[Words, Words]]
    style: str = "notes"


@dataclass(frozen=True)
class Bars:
    """Named shares: fractions from 0 to 1 as bars, with their texts."""

    title: str
    shares: Sequence[tuple[str, float, str]]


@dataclass(frozen=True)
class Post:
    """A post of the forum, which only a page shows.

    Attributes:
        text: the post as it was written.
        tag: what is known of it, in parts.
        mark: ``yes`` if it is relevant, ``no`` if not, ``open`` if nobody judged it; empty outside of rankings.
        reasons: features with the largest effect on its score.
        values: the same features with their values, folded.
    """

    text: Markup
    tag: Sequence[Words] = ()
    mark: str = ""
    reasons: Sequence[Words] = ()
    values: Sequence[Words] = ()


@dataclass(frozen=True)
class Ranking:
    """Posts in ranked order."""

    posts: Sequence[Post]


@dataclass(frozen=True)
class Strip:
    """A ranking as one square per candidate: the ``mark`` of each, the name of the order, and its value."""

    name: str
    marks: Sequence[str]
    value: str = ""
    muted: bool = False


@dataclass(frozen=True)
class Details:
    """Blocks that are folded under a summary.

    Attributes:
        summary: what is shown of them.
        blocks: the folded blocks.
        story: whether the summary is the title of a thread.
        is_open: whether they are unfolded at first.
        strips: rankings of the thread beside its title.
        aside: further text below the title.
    """

    summary: Words
    blocks: Sequence[Block]
    story: bool = False
    is_open: bool = False
    strips: Sequence[Strip] = ()
    aside: str = ""


@dataclass(frozen=True)
class Code:
    """A text in a fixed-width font, such as settings or a record of a dump."""

    text: Words


@dataclass(frozen=True)
class Only:
    """Blocks that the other medium shows in another form."""

    medium: Literal["page", "terminal"]
    blocks: Sequence[Block]


Block: TypeAlias = (
    "Heading | Text | Table | Plot | Columns | Facts | Bars | Post | Ranking | Details | Code | Only | Markup"
)


class Number(NamedTuple):
    """The number that a page presents first: its measure, value and interval, and a comparison with its role."""

    measure: str
    value: str
    interval: str
    comparison: tuple[str, str, str] | None


@dataclass(frozen=True)
class Banner:
    """What stands above the sections of a page.

    Attributes:
        title: title of the document.
        provenance: what made the page, for the footer.
        eyebrow: the line above the heading.
        heading: the heading.
        facts: names and values in a row.
        sentences: a summary.
        beside: whether the summary stands beside the heading.
        number: the number that is presented first.
        legend: explanation below the heading.
    """

    title: str
    provenance: str
    eyebrow: Words
    heading: str
    facts: Sequence[tuple[str, str]] = ()
    sentences: Sequence[Words] = ()
    beside: bool = False
    number: Number | None = None
    legend: Words = ""


def better_or_worse(baseline: str) -> tuple[Words, ...]:
    """What the signs of cells mean."""
    return Span("▲ better", role="better"), " or ", Span("▼ worse", role="worse"), f" than {baseline} in a paired "


def value_cell(value: float, low: float, high: float) -> Cell:
    """A value with its interval; all fractions."""
    return Cell(points(value), interval(low, high))


def difference_cell(tested: Tested | None) -> Cell:
    """A difference with its p-value, coloured if it is significant."""
    if tested is None:
        return NO_VALUE
    return Cell(signed_points(tested.difference), p_value(tested.p_value), verdict(tested))


def warning_cell(number: int, hint: str = "") -> Cell:
    """A number that is highlighted unless it is zero."""
    return Cell(count(number), role="worse" if number else "", hint=hint)


def count_cells(*numbers: int) -> tuple[Cell, ...]:
    """A cell for each number."""
    return tuple(Cell(count(number)) for number in numbers)
