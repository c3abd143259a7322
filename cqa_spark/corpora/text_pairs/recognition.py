"""Recognizes the layout of a file of pairs by its first line.

A file in another layout is refused: its columns could only be guessed.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from cqa_spark.corpora.text_pairs.layout import WITH_HEADER, ColumnLayout, Scale

EMPTY = "it is empty"
SHOWN_CHARACTERS = 160

_COLUMN_NAME = re.compile(r"""["'#(]*\w[\w.#/()-]*(?: [\w#()]+)?["']?(?<![.?!])""", re.ASCII)
"""At most two words without a full stop: a line of such cells may be a header, and is no pair."""


class UnknownLayout(Exception):
    """A file whose columns are not known; the message says why."""


@dataclass(frozen=True)
class FileLayout:
    """Where the columns of one file are.

    Attributes:
        layout: the layout.
        delimiter: the character between two columns.
        has_header: whether the first line names the columns.
        texts: positions of the two texts.
        label: position of the label; None without labels.
        widths: allowed numbers of columns.
        unread: names of the columns that are not read.
    """

    layout: ColumnLayout
    delimiter: str
    has_header: bool
    texts: tuple[int, int]
    label: int | None
    widths: range
    unread: tuple[str, ...] = ()

    @property
    def columns(self) -> str:
        """The columns of the file, for messages."""
        return f"a header of {self.widths.start} columns" if self.has_header else self.layout.about

    @property
    def about(self) -> str:
        """What is read of a file with a header, one line."""
        label = "no labels" if self.label is None else f"labels {self.layout.label}"
        unread = f"; not read: {', '.join(self.unread)}" if self.unread else ""
        return f"{self.layout.name}: texts {' and '.join(self.layout.texts)}, {label}{unread}"


def recognize(line: str, without_header: Sequence[ColumnLayout], scales: Sequence[Scale]) -> FileLayout:
    """Recognize the layout of a file by its first line.

    Args:
        line: the first line.
        without_header: the layouts without a header that the file may have.
        scales: scales of the labels that the kind of pairs can have.

    Raises:
        UnknownLayout: the file has another layout, or labels of another scale.
    """
    found = _by_header(line) or _by_columns(line.split("\t"), without_header)
    if found is None:
        raise UnknownLayout(_unknown(line, without_header))
    if found.label is not None and found.layout.scale not in scales:
        labels = f"its labels, {found.layout.label}, are {found.layout.scale.about}"
        raise UnknownLayout(f"{labels}; --corpus sts reads them")
    return found


def is_note(cell: str) -> bool:
    """Whether a cell without a name can be a source or licence: a label or score, which is one word, cannot."""
    return not cell.strip() or len(cell.split()) > 1 or "://" in cell


def has_letter(text: str) -> bool:
    """Whether a text can be a sentence, which an id cannot."""
    return any(map(str.isalpha, text))


def _by_header(line: str) -> FileLayout | None:
    for delimiter in ("\t", ","):
        names = [_name(cell) for cell in line.split(delimiter)]
        for layout in WITH_HEADER:
            columns = _names(layout)
            texts, label = [_name(text) for text in layout.texts], _name(layout.label or "")
            if set(texts) <= set(names) <= columns.keys() and len(set(names)) == len(names):
                one, other = map(names.index, texts)
                return FileLayout(
                    layout=layout,
                    delimiter=delimiter,
                    has_header=True,
                    texts=(one, other),
                    label=names.index(label) if label in names else None,
                    widths=range(len(names), len(names) + 1),
                    unread=tuple(columns[name] for name in names if name not in (*texts, label)),
                )
    return None


def _by_columns(cells: Sequence[str], layouts: Sequence[ColumnLayout]) -> FileLayout | None:
    for layout in layouts:
        width = len(layout.columns)
        candidate = FileLayout(
            layout=layout,
            delimiter="\t",
            has_header=False,
            texts=(width - 2, width - 1),
            label=layout.columns.index(layout.label) if layout.label else None,
            widths=range(width, width + layout.notes + 1),
        )
        if len(cells) in candidate.widths and _fits(cells, candidate):
            return candidate
    return None


def _fits(cells: Sequence[str], candidate: FileLayout) -> bool:
    layout, texts = candidate.layout, [cells[position] for position in candidate.texts]
    if not all(map(is_note, cells[candidate.widths.start :])) or not cells[0].startswith(layout.start):
        return False
    if candidate.label is not None:
        return layout.scale.has(cells[candidate.label])
    return all(map(has_letter, texts)) and not all(map(_COLUMN_NAME.fullmatch, cells))


def _unknown(line: str, without_header: Sequence[ColumnLayout]) -> str:
    shown = line[:SHOWN_CHARACTERS].replace("\t", "<TAB>") + ("…" if len(line) > SHOWN_CHARACTERS else "")
    known = "\n      ".join(f"{layout.name}: {layout.about}" for layout in (*without_header, *WITH_HEADER))
    return f"its layout is unknown{_surplus(line)}\n    first line: {shown}\n    known layouts:\n      {known}"


def _surplus(line: str) -> str:
    """The columns that keep a header from being recognized, for messages."""
    names = [_name(cell) for cell in line.split("\t")]
    for layout in WITH_HEADER:
        if {_name(text) for text in layout.texts} <= set(names):
            surplus = [name for name in names if name not in _names(layout)]
            return f": the header of {layout.name} has no column {' or '.join(surplus)}"
    return ""


def _names(layout: ColumnLayout) -> dict[str, str]:
    return {_name(column): column for column in layout.columns}


def _name(cell: str) -> str:
    return cell.strip().strip('"').strip().casefold()
