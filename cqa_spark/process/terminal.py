"""The terminal: prints lines and tables of plain text, from any source.

Printed text is never interpreted as markup, and control characters are made visible, so that user text can neither
control a terminal nor be hidden. No other module imports ``rich``.
"""

import io
import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from rich.cells import cell_len
from rich.console import Console
from rich.live import Live
from rich.measure import Measurement
from rich.progress import Progress
from rich.table import Table
from rich.text import Text

_ASCII = r"\x00-\x08\x0b-\x1f\x7f"
_OTHERS = r"\x80-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff"
"""C1 controls, which some terminals execute; directional overrides, which reorder a line; unpaired surrogates and
noncharacters, which XML does not allow."""

_CONTROL = re.compile(f"[{_ASCII}{_OTHERS}]")


def visible(text: str) -> str:
    """Replace control characters by their pictures, such as ``␛``, or by escapes; tabs and line breaks are kept."""
    return _CONTROL.sub(lambda match: _picture(match[0]), text)


def visible_line(text: str) -> str:
    """Like ``visible``, but tabs and line breaks are replaced as well, so the text stays on one line."""
    return visible(text).replace("\n", "␊").replace("\t", "␉")


def _picture(character: str) -> str:
    code = ord(character)
    if code == 0x7F:
        return "␡"
    return chr(0x2400 + code) if code < 0x20 else character.encode("unicode_escape").decode("ascii")


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


_GAP = 2
"""Blanks between two columns."""

_NARROWEST = 12
"""Characters below which a column of text is left out of a narrow terminal, not broken further."""


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
        self._columns = [Column(column) if isinstance(column, str) else column for column in columns]
        self.title = Text(visible(title), "italic") if title else None
        self.caption = Text(visible(caption), "dim italic") if caption else None
        self._has_headings = has_headings
        self._rows: list[tuple[list[Text], str]] = []
        for row in rows:
            self.add_row(*row)

    def add_row(self, *cells: str | Styled, style: str = "") -> None:
        """Add a row; missing cells at its end stay empty.

        Args:
            cells: their texts, which may have several lines.
            style: style of the row.
        """
        self._rows.append(([_text(cell) for cell in cells], style))

    @property
    def width(self) -> int:
        """Length of its longest line without wrapping, in characters."""
        unlimited = Console(width=_UNLIMITED)
        return Measurement.get(unlimited, unlimited.options, self.__rich__()).maximum

    def lines(self) -> list[str]:
        """Its lines without styles, not wrapped."""
        stream = io.StringIO()
        Console(file=stream, width=self.width).print(self)
        return stream.getvalue().splitlines()

    def fitted(self, width: int) -> tuple[Table, list[str]]:
        """The table without title and caption in a number of characters, and the headings of columns without room.

        The last columns are left out first. Texts are broken, at best between words; numbers and whole cells are not,
        but for a first column that is wider than all the room.
        """
        full, least = zip(*(self._widths(index) for index in range(len(self._columns))), strict=True)
        shown = len(self._columns)
        while shown > 1 and sum(least[:shown]) + _GAP * (shown - 1) > width:
            shown -= 1
        widths = [min(least[0], width), *least[1:shown]]
        room = max(0, width - sum(widths) - _GAP * (shown - 1))
        # Columns that want the least get all of it, and the others equal shares of what is left.
        by_need = sorted(range(shown), key=lambda index: full[index] - least[index])
        for served, index in enumerate(by_need):
            more = min(full[index] - least[index], room // (shown - served))
            widths[index] += more
            room -= more
        return self._table(widths), [column.heading for column in self._columns[shown:]]

    def _widths(self, index: int) -> tuple[int, int]:
        """The widths of a column without any break, and with as many as it may have."""
        column = self._columns[index]
        heading = visible_line(column.heading) if self._has_headings else ""
        cells = [cells[index].plain for cells, _ in self._rows if index < len(cells)]
        lines = [line for cell in cells for line in cell.split("\n")]
        words = max((cell_len(word) for line in lines for word in line.split()), default=0)
        longest = max(map(cell_len, lines), default=0)
        least = longest if column.whole else words if column.right else min(words, _NARROWEST)
        in_heading = max(map(cell_len, heading.split()), default=0)
        return max(longest, cell_len(heading)), max(least, in_heading)

    def __rich__(self) -> Table:
        """The whole table for a console of ``rich``."""
        return self._table()

    def _table(self, widths: Sequence[int] | None = None) -> Table:
        """The first columns with some widths; the whole table without any break if there are none."""
        table = Table(
            title=self.title if widths is None else None,
            caption=self.caption if widths is None else None,
            title_justify="left",
            caption_justify="left",
            box=None,
            pad_edge=False,
            show_header=self._has_headings,
        )
        shown = len(self._columns) if widths is None else len(widths)
        for index, column in enumerate(self._columns[:shown]):
            table.add_column(
                Text(visible_line(column.heading)),
                justify="right" if column.right else "left",
                overflow="fold",
                style=column.style,
                width=None if widths is None else widths[index],
            )
        for cells, style in self._rows:
            table.add_row(*cells[:shown], style=style)
        return table


class Terminal:
    """The output of a command.

    Args:
        console: prints; None for standard output or standard error.
        stderr: print on standard error.
    """

    def __init__(self, console: Console | None = None, *, stderr: bool = False) -> None:
        if console is None:
            size = shutil.get_terminal_size() if os.environ.get("TERM") in ("dumb", "unknown") else None
            # Rich takes every dumb terminal to have 80 columns.
            console = Console(stderr=stderr, width=size and size.columns, height=size and size.lines)
            # Variables such as FORCE_COLOR make a pipe a terminal for Rich; it has colours then, but no width.
            self._is_window = console.is_terminal and console.file.isatty()
        else:
            self._is_window = console.is_terminal
        self._console = console

    @property
    def width(self) -> int | None:
        """Width of a line in characters; None in a file or pipe, where it is unlimited."""
        return self._console.width if self._is_window else None

    def line(self, text: str = "", style: str = "") -> None:
        """Print one line without wrapping it."""
        self._console.print(Text(visible_line(text), style), soft_wrap=True)

    def text(self, text: str) -> None:
        """Print a text of several lines."""
        self._console.print(Text(visible(text)), soft_wrap=True)

    def table(self, table: TextTable) -> None:
        """Print a table.

        In a narrow terminal, cells are wrapped, and columns at the end that have no room are left out and named; a file
        or pipe gets every row in one line.
        """
        if self.width is None:
            Console(file=self._console.file, width=max(self._console.width, table.width)).print(table)
            return
        fitted, absent = table.fitted(self.width)
        for part in filter(None, (table.title, fitted, table.caption)):
            self._console.print(part)
        if absent:
            self.line(f"no room for {', '.join(absent)}: a wider window, or a pipe such as | less -S, shows all", "dim")


def _passing_console() -> Console:
    """The console for what is renewed; a notebook, which would need widgets to renew it, is as a file or pipe."""
    return Console(stderr=True, force_jupyter=False)


@contextmanager
def progress_bar(what: str, total: int) -> Iterator[Callable[[int, int], None]]:
    """Show a progress bar on standard error while the block runs.

    Args:
        what: name of the counted items.
        total: number of items.

    Yields:
        A function of the number of completed items and the total.
    """
    with Progress(console=_passing_console(), transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextmanager
def renewed_line(text: Callable[[], str]) -> Iterator[None]:
    """Show a line on standard error that is renewed while the block runs; nothing in a file or pipe.

    Args:
        text: returns the current line, from a thread.
    """
    console = _passing_console()
    with Live(get_renderable=lambda: Text(visible_line(text())), console=console, transient=True):
        yield


def _text(cell: str | Styled) -> Text:
    return Text(visible(cell.text), cell.style) if isinstance(cell, Styled) else Text(visible(cell))
