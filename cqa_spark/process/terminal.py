"""The terminal: prints lines and tables of plain text, from any source.

Printed text is never interpreted as markup, and control characters are made visible. No other module imports ``rich``.
"""

import io
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from rich.console import Console
from rich.live import Live
from rich.measure import Measurement
from rich.progress import Progress
from rich.table import Table
from rich.text import Text

from cqa_spark.process.control_characters import visible, visible_line

_UNLIMITED = 10_000
"""Width of tables in a file or pipe, in characters."""


@dataclass(frozen=True)
class Styled:
    """A text with a style of ``rich``, such as ``bold`` or ``red``."""

    text: str
    style: str


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes:
        heading: its heading.
        right: align it to the right, like numbers.
        whole: never wrap its cells.
        style: style of all its cells.
    """

    heading: str
    right: bool = False
    whole: bool = False
    style: str = ""


def number(heading: str) -> Column:
    """A column of numbers: aligned to the right and never wrapped."""
    return Column(heading, right=True, whole=True)


class TextTable:
    """A table without lines, filled row by row.

    Args:
        columns: headings, or columns with formats.
        title: text above the table.
        caption: text below the table.
        has_headings: show the headings.
        rows: the first rows, as ``add_row`` takes them.
    """

    def __init__(
        self, *columns: str | Column, title: str = "", caption: str = "", has_headings: bool = True,
        rows: Iterable[Iterable[str | Styled]] = (),
    ) -> None:  # fmt: skip
        self._table = Table(
            title=Text(visible(title), "italic") if title else None,
            caption=Text(visible(caption), "dim italic") if caption else None,
            title_justify="left",
            caption_justify="left",
            box=None,
            pad_edge=False,
            show_header=has_headings,
        )
        for heading in columns:
            column = Column(heading) if isinstance(heading, str) else heading
            self._table.add_column(
                Text(visible_line(column.heading)),
                justify="right" if column.right else "left",
                no_wrap=column.whole,
                overflow="fold",
                style=column.style,
            )
        for row in rows:
            self.add_row(*row)

    def add_row(self, *cells: str | Styled, style: str = "") -> None:
        """Add a row; missing cells at its end stay empty.

        Args:
            cells: their texts, which may have several lines.
            style: style of the row.
        """
        self._table.add_row(*map(_text, cells), style=style)

    @property
    def width(self) -> int:
        """Length of its longest line without wrapping, in characters."""
        unlimited = Console(width=_UNLIMITED)
        return Measurement.get(unlimited, unlimited.options, self._table).maximum

    def lines(self) -> list[str]:
        """Its lines without styles, not wrapped."""
        stream = io.StringIO()
        Console(file=stream, width=self.width).print(self._table)
        return stream.getvalue().splitlines()

    def __rich__(self) -> Table:
        """The table for a console of ``rich``."""
        return self._table


class Terminal:
    """The output of a command.

    Args:
        console: prints; None for standard output or standard error.
        stderr: print on standard error.
    """

    def __init__(self, console: Console | None = None, *, stderr: bool = False) -> None:
        self._console = console or Console(stderr=stderr)

    @property
    def width(self) -> int | None:
        """Width of a line in characters; None in a file or pipe, where it is unlimited."""
        return self._console.width if self._console.is_terminal else None

    def line(self, text: str = "", style: str = "") -> None:
        """Print one line without wrapping it."""
        self._console.print(Text(visible_line(text), style), soft_wrap=True)

    def text(self, text: str) -> None:
        """Print a text of several lines."""
        self._console.print(Text(visible(text)), soft_wrap=True)

    def table(self, table: TextTable) -> None:
        """Print a table; cells are wrapped in a narrow terminal, but not in a file or pipe."""
        if self._console.is_terminal:
            self._console.print(table)
        else:
            Console(file=self._console.file, width=max(self._console.width, table.width)).print(table)


@contextmanager
def progress_bar(what: str, total: int) -> Iterator[Callable[[int, int], None]]:
    """Show a progress bar on standard error while the block runs.

    Args:
        what: name of the counted items.
        total: number of items.

    Yields:
        A function of the number of completed items and the total.
    """
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextmanager
def renewed_line(text: Callable[[], str]) -> Iterator[None]:
    """Show a line on standard error that is renewed while the block runs; nothing in a file or pipe.

    Args:
        text: returns the current line, from a thread.
    """
    console = Console(stderr=True)
    with Live(get_renderable=lambda: Text(visible_line(text())), console=console, transient=True):
        yield


def _text(cell: str | Styled) -> Text:
    return Text(visible(cell.text), cell.style) if isinstance(cell, Styled) else Text(visible(cell))
