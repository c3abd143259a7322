"""Extracts attributes from batches of lines with Arrow's vectorised functions.

Dumps have one row per line, values in double quotes, and double quotes within values as escapes. Splitting a line at
its double quotes therefore yields names and values alternately.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from cqa_spark.corpora.stackexchange.escapes import Flags, resolve_escapes

NAME = "[A-Za-z_][A-Za-z0-9_.-]*"
FIRST, LATER, LAST = range(3)
# The text before a row's first value, before a later one, and after the last.
ROLES = {FIRST: re.compile(rf" *<row ({NAME})="), LATER: re.compile(rf" ({NAME})="), LAST: re.compile(r"() />\r?")}
NONE = -1
TEXTS = pa.map_(pa.string(), pa.string())

Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Attributes:
    """The attributes of a batch of lines.

    Attributes:
        is_row: whether a line is a well-formed row; if not, the other columns are undefined.
        known: the texts of every known attribute, escapes resolved; null if a line lacks it.
        unknown: maps of all other attributes; null if a line has none.
    """

    is_row: Flags
    known: list[pa.Array]
    unknown: pa.Array


@dataclass(frozen=True)
class _Pieces:
    """The pieces of lines between double quotes.

    Attributes:
        texts: the pieces of all lines, one after the other.
        line: number of the piece's line.
        place: index of the piece in its line.
        counts: number of pieces of every line.
    """

    texts: pa.Array
    line: Numbers
    place: Numbers
    counts: Numbers


@dataclass(frozen=True)
class _Values:
    """The positions of values.

    Attributes:
        piece: number of the piece that is the value.
        line: number of its line.
        name: number of its attribute's name.
    """

    piece: Numbers
    line: Numbers
    name: Numbers

    def where(self, wanted: Flags) -> Self:
        """The values for which the mask is True."""
        return type(self)(self.piece[wanted], self.line[wanted], self.name[wanted])


def take_attributes(lines: pa.Array, known: Sequence[str]) -> Attributes:
    """Extract the attributes of lines.

    Args:
        lines: strings without separator, valid UTF-8.
        known: names of known attributes.
    """
    pieces = _split(lines)
    numbers = {name: number for number, name in enumerate(known)}
    values, is_row = _find_values(pieces, numbers)
    is_known = values.name < len(known)
    known_texts, sound = _known_texts(pieces, values.where(is_known), len(known))
    unknown_texts, also_sound = _unknown_texts(pieces, values.where(~is_known), list(numbers))
    return Attributes(is_row & sound & also_sound, known_texts, unknown_texts)


def _split(lines: pa.Array) -> _Pieces:
    split = pc.split_pattern(lines, '"')
    starts = split.offsets.to_numpy().astype(np.int64)
    counts = np.diff(starts)
    line = np.repeat(np.arange(len(lines)), counts)
    texts = split.flatten()
    return _Pieces(texts, line, np.arange(len(texts)) - starts[line], counts)


def _find_values(pieces: _Pieces, numbers: dict[str, int]) -> tuple[_Values, Flags]:
    """The values in well-formed rows, and the mask of these rows.

    Args:
        pieces: the pieces of the lines.
        numbers: numbers of attribute names; new names are added.
    """
    between = np.flatnonzero(pieces.place % 2 == 0)
    line, place = pieces.line[between], pieces.place[between]
    # A batch has few distinct pieces between values, except for damaged lines.
    spelled = pieces.texts.take(pa.array(between)).dictionary_encode()
    meanings = np.array([_role_and_name(text, numbers) for text in spelled.dictionary.to_pylist()], np.int64)
    role, name = meanings.reshape(-1, 2)[spelled.indices.to_numpy()].T
    expected = np.select([place == 0, place == pieces.counts[line] - 1], [FIRST, LAST], LATER)
    wrong = np.bincount(line[role != expected], minlength=len(pieces.counts))
    is_row = (pieces.counts > 1) & (pieces.counts % 2 == 1) & (wrong == 0)
    named = is_row[line] & (role != LAST)
    return _Values(between[named] + 1, line[named], name[named]), is_row


def _role_and_name(text: str, numbers: dict[str, int]) -> tuple[int, int]:
    for role, form in ROLES.items():
        if found := form.fullmatch(text):
            return role, numbers.setdefault(found[1], len(numbers)) if found[1] else NONE
    return NONE, NONE


def _known_texts(pieces: _Pieces, values: _Values, names: int) -> tuple[list[pa.Array], Flags]:
    """A column for every known name, and the mask of valid lines."""
    lines = len(pieces.counts)
    places = np.full((names, lines), NONE)
    places[values.name, values.line] = values.piece
    # If a line repeats a name, its second value has replaced the first.
    sound = np.bincount(values.line, minlength=lines) == (places != NONE).sum(axis=0)
    columns = []
    for each in places:
        texts, resolved = resolve_escapes(pieces.texts.take(pa.array(each, mask=each == NONE)))
        columns.append(texts)
        sound &= resolved
    return columns, sound


def _unknown_texts(pieces: _Pieces, values: _Values, names: Sequence[str]) -> tuple[pa.Array, Flags]:
    """Maps from name to value for every line, and the mask of valid lines."""
    lines = len(pieces.counts)
    if not len(values.piece):
        return pa.nulls(lines, TEXTS), np.ones(lines, dtype=bool)
    texts, resolved = resolve_escapes(pieces.texts.take(pa.array(values.piece)))
    counts = np.bincount(values.line, minlength=lines)
    # Null as the start of an entry makes it null; the last is the end of all.
    starts = pa.array(np.concatenate(([0], np.cumsum(counts))), pa.int32(), mask=np.append(counts == 0, False))
    keys = pa.array(names).take(pa.array(values.name))
    different = np.unique(values.line * len(names) + values.name) // len(names)
    sound = np.bincount(different, minlength=lines) == counts
    sound[values.line[~resolved]] = False
    return pa.MapArray.from_arrays(starts, keys, texts), sound
