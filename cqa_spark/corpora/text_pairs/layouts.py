"""The column layouts of files of pairs of texts, and their recognition by a file's first line.

A file in an unknown layout is refused: its columns could only be guessed. Names of sets follow from file names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from cqa_spark.errors import InputError

if TYPE_CHECKING:
    from pyspark.sql import Column

LEAST_WORDS = 3
"""Number of words at the start of a question from which its copy after a notice is taken for the title."""

EMPTY = "it is empty"
SHOWN_CHARACTERS = 160

_NOTICE = re.compile(r"\bpossible duplicates?\b:?", re.IGNORECASE)

_COLUMN_NAME = re.compile(r"""["'#(]*\w[\w.#/()-]*(?: [\w#()]+)?["']?(?<![.?!])""", re.ASCII)
"""At most two words without a full stop: a line of such cells may be a header, and is no pair."""

_OFFICIAL = re.compile(r"(?i)^(?P<task>STS\d*)\.(?:gs|input|output|sys)\.")
_SUFFIX = re.compile(r"(?i)(?:\.(?:tsv|csv|txt))?(?:\.gz)?$")

EQUIVALENT = 5.0
"""The largest similarity; the least is 0."""


class UnreadablePair(Exception):
    """A record that is not a pair; the message goes to the quarantine."""


@dataclass(frozen=True)
class Scale:
    """The labels of a layout.

    Attributes:
        low: the score of unrelated texts.
        high: the score of equivalent texts.
        classes: similarities of labels that are classes instead of scores, in lower case.
    """

    low: float = 0
    high: float = EQUIVALENT
    classes: Mapping[str, float] = field(default_factory=dict)

    @property
    def about(self) -> str:
        """The labels, for messages."""
        return ", ".join(self.classes) if self.classes else f"a number from {self.low:g} to {self.high:g}"

    def similarity(self, label: str) -> float | None:
        """The similarity that a label stands for: scores are mapped linearly; None for an empty label.

        Raises:
            UnreadablePair: the label is not of the scale.
        """
        text = label.strip().lower()
        if not text:
            return None
        if self.classes:
            if text not in self.classes:
                raise UnreadablePair(f"the label is {label!r}; known labels: {self.about}")
            return self.classes[text]
        try:
            score = float(text)
        except ValueError:
            score = float("nan")
        if not self.low <= score <= self.high:
            raise UnreadablePair(f"the score is {label!r}, not {self.about}")
        return (score - self.low) * (EQUIVALENT / (self.high - self.low))

    def has(self, label: str) -> bool:
        """Whether a label is of the scale or empty."""
        try:
            self.similarity(label)
        except UnreadablePair:
            return False
        return True


SIMILARITY = Scale()
"""Scores of the STS tasks (Agirre et al. 2012)."""

RELATEDNESS = Scale(1, 5)
"""Scores of SICK (Marelli et al. 2014)."""

DUPLICATE = Scale(
    classes=dict.fromkeys(("duplicate", "true", "1"), EQUIVALENT) | dict.fromkeys(("non-duplicate", "false", "0"), 0.0)
)
"""Whether the texts mean the same."""


@dataclass(frozen=True)
class ColumnLayout:
    """Columns that occur together.

    Attributes:
        name: the data set or task that introduced them.
        columns: their names; in files without a header, in the order of the columns.
        texts: the two columns of texts.
        label: the column of labels; None if there is none.
        scale: the labels.
        start: how the first line of a file without a header begins.
        notes: largest number of columns without names that may follow, such as sources and licences.
    """

    name: str
    columns: tuple[str, ...]
    texts: tuple[str, str]
    label: str | None = None
    scale: Scale = SIMILARITY
    start: str = ""
    notes: int = 0

    @property
    def about(self) -> str:
        """The columns, for messages."""
        return "<TAB>".join(self.columns)


SENTENCES = ("sentence1", "sentence2")
QUESTIONS = ("question1", "question2")

WITH_HEADER = (
    ColumnLayout(
        "STS Benchmark of GLUE",
        ("index", "genre", "filename", "year", "old_index", "source1", "source2", *SENTENCES, "score"),
        SENTENCES,
        "score",
        SIMILARITY,
    ),
    ColumnLayout(
        "SICK",
        (
            "pair_ID", "sentence_A", "sentence_B", "relatedness_score", "entailment_judgment", "entailment_label",
            "entailment_AB", "entailment_BA", "sentence_A_original", "sentence_B_original", "sentence_A_dataset",
            "sentence_B_dataset", "SemEval_set",
        ),
        ("sentence_A", "sentence_B"),
        "relatedness_score",
        RELATEDNESS,
    ),
    ColumnLayout(
        "MSRP",
        ("Quality", "index", "#1 ID", "#2 ID", "#1 String", "#2 String"),
        ("#1 String", "#2 String"),
        "Quality",
        DUPLICATE,
    ),
    ColumnLayout(
        "Quora",
        ("id", "test_id", "qid1", "qid2", *QUESTIONS, "is_duplicate"),
        QUESTIONS,
        "is_duplicate",
        DUPLICATE,
    ),
    ColumnLayout("PAWS", ("id", *SENTENCES, "label"), SENTENCES, "label", DUPLICATE),
)  # fmt: skip
"""Layouts whose first line names the columns, in any order. All but the texts may be absent."""

SENTENCES_WITHOUT_HEADER = (
    ColumnLayout(
        "STS Benchmark",
        ("genre", "file", "year", "id", "score", "sentence", "sentence"),
        SENTENCES,
        "score",
        start="main-",
        notes=2,
    ),
    ColumnLayout("scored sentences", ("score", "sentence", "sentence"), SENTENCES, "score"),
    ColumnLayout("STS input", ("sentence", "sentence"), SENTENCES, notes=2),
)
"""Files of the STS tasks: without a header, their texts at the end."""

QUESTIONS_WITHOUT_HEADER = (
    ColumnLayout("labelled questions", ("label", "question", "question"), QUESTIONS, "label", DUPLICATE),
    ColumnLayout("questions", ("question", "question"), QUESTIONS, scale=DUPLICATE),
)
"""Pairs of questions, as Bogdanova et al. (2015) used them."""


@dataclass(frozen=True)
class PairKind:
    """A kind of texts, of which files have pairs.

    Attributes:
        post_type: post type of the texts.
        without_header: layouts of files without a header.
        scales: scales of the labels.
        label: the task's label for a similarity.
        cleaned: the texts of a pair without what gives the label away.
    """

    post_type: str
    without_header: Sequence[ColumnLayout]
    scales: Sequence[Scale]
    label: Callable[[float], str] = str
    cleaned: Callable[[str, str], tuple[str, str]] = lambda text1, text2: (text1, text2)


def without_notices(question1: str, question2: str) -> tuple[str, str]:
    """Remove the words "possible duplicate" from both questions, and what follows if the other question starts so.

    Stack Exchange put this notice, with the title of the earlier question, above the body of a closed question. Text
    without markup does not show where the title ends, so the longest common start is removed.

    Args:
        question1: first question.
        question2: second question.
    """
    return _without_notices(question1, question2), _without_notices(question2, question1)


def _without_notices(question: str, duplicate: str) -> str:
    first, *after_notices = _NOTICE.split(question)
    parts = [first.strip()]
    for text in after_notices:
        words = text.split()
        pairs = zip(words, duplicate.split(), strict=False)
        shared = len(list(takewhile(lambda pair: pair[0].casefold() == pair[1].casefold(), pairs)))
        if shared >= LEAST_WORDS:
            text = " ".join(words[shared:])
        parts.append(text.strip())
    return " ".join(filter(None, parts))


def _duplicate_label(similarity: float) -> str:
    """The label of subtask B."""
    return "PerfectMatch" if similarity == EQUIVALENT else "Irrelevant"


SENTENCE_PAIRS = PairKind("sentence", SENTENCES_WITHOUT_HEADER, (SIMILARITY, RELATEDNESS, DUPLICATE))
QUESTION_PAIRS = PairKind("question", QUESTIONS_WITHOUT_HEADER, (DUPLICATE,), _duplicate_label, without_notices)


class UnknownLayout(Exception):
    """A file whose columns are not known; the message says why."""


@dataclass(frozen=True)
class FileLayout:
    """The positions of the columns of a file.

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
    file_layout = _by_header(line) or _by_columns(line.split("\t"), without_header)
    if file_layout is None:
        raise UnknownLayout(_unknown(line, without_header))
    layout = file_layout.layout
    if file_layout.label is not None and layout.scale not in scales:
        raise UnknownLayout(f"its labels, {layout.label}, are {layout.scale.about}; --corpus sts reads them")
    return file_layout


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
                first, second = map(names.index, texts)
                return FileLayout(
                    layout=layout,
                    delimiter=delimiter,
                    has_header=True,
                    texts=(first, second),
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
    # Without labels, nothing but letters tells a pair of texts from ids, and from the names of columns.
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


def set_name(path: str) -> str:
    """The set of an official file: ``headlines`` for ``STS.gs.headlines.txt`` and ``headlines.tsv``."""
    return _SUFFIX.sub("", _OFFICIAL.sub("", PurePosixPath(path).name))


def set_ids(paths: Sequence[str]) -> list[str]:
    """Ids of sets with their folders, such as ``2014/OnWN.test``, because set names recur over the years.

    Raises:
        InputError: two files would have the same id.
    """
    ids = ["_".join(f"{PurePosixPath(path).parent.name}/{set_name(path)}".split()) for path in paths]
    repeated = [path for path, name in zip(paths, ids, strict=True) if ids.count(name) > 1]
    if repeated:
        raise InputError(
            f"sets of the same name in folders of the same name: {', '.join(repeated)}",
            "rename a file or its folder: ids of pairs contain both",
        )
    return ids


def gold_path(path: str) -> str | None:
    """The gold file of an official input: ``STS.gs.news.txt`` for ``STS.input.news.txt``."""
    folder, _, name = path.rpartition("/")
    gold = re.sub(r"(?i)^(STS\d*)\.input\.", r"\1.gs.", name)
    return None if gold == name else f"{folder}/{gold}" if folder else gold


def set_of_pair(sentence: Column) -> Column:
    """The set of a sentence, from its id: set, line and position in the pair, as in ``2014/OnWN.test:12:1``."""
    from pyspark.sql import functions as F

    return F.regexp_extract(sentence, r"^(.*):\d+:\d$", 1)
