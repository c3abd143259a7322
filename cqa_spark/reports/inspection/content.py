"""Everything that an inspection shows, as plain values."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class Counted:
    """Something with a name, and how many there are."""

    name: str
    rows: int


@dataclass(frozen=True)
class TableFacts:
    """One table of one site.

    Attributes:
        name: name of the table.
        rows: rows of the site.
        quarantined: records that would have been rows of it, had they been understood.
        orphans: rows that point to nothing, added up over its references.
        first: day of the earliest row, ISO 8601, UTC; None where no row has a time.
        last: day of the latest row.
        nulls: rows without a value, for each column that has such rows.
        unknown_attributes: rows with an attribute that no column is declared for, by attribute, most frequent first.
    """

    name: str
    rows: int
    quarantined: int = 0
    orphans: int = 0
    first: str | None = None
    last: str | None = None
    nulls: tuple[Counted, ...] = ()
    unknown_attributes: tuple[Counted, ...] = ()


@dataclass(frozen=True)
class Quartiles:
    """How a number is spread: a quarter of the values lies between two neighbours."""

    lowest: float
    lower: float
    median: float
    upper: float
    highest: float


@dataclass(frozen=True)
class ScoreCount:
    """Questions and answers with one score; the outermost scores stand for all beyond them too."""

    score: int
    questions: int
    answers: int


@dataclass(frozen=True)
class Month:
    """What was written in one month.

    Attributes:
        number: months since the year 0: twelve times the year, plus 0 for January to 11 for December.
        questions: questions of the month.
        answers: answers of the month.
    """

    number: int
    questions: int
    answers: int


@dataclass(frozen=True)
class Threads:
    """Questions with their answers and scores."""

    questions: int
    answers: int
    accepted: int
    question_scores: Quartiles | None = None
    answer_scores: Quartiles | None = None

    @property
    def answers_per_question(self) -> float | None:
        """Mean number of answers; None where there is no question."""
        return self.answers / self.questions if self.questions else None


@dataclass(frozen=True)
class OrphanReference:
    """Rows of a table whose column points to rows that another table lacks."""

    table: str
    reference: str
    missing_in: str
    rows: int


@dataclass(frozen=True)
class Refusal:
    """Why records were refused, how many, and the first of them.

    Attributes:
        reason: one sentence; where the sentences differ in their numbers alone, those are left out.
        rows: refused records.
        source_file: file of the example.
        byte_offset: where the example starts in its file, in bytes from 0.
        example_reason: the sentence about the example.
        raw: beginning of the example's text.
    """

    reason: str
    rows: int
    source_file: str
    byte_offset: int
    example_reason: str
    raw: str


@dataclass(frozen=True)
class FileFacts:
    """One input file: lines = rows_out + rows_quarantined + not_rows, where lines are counted.

    Attributes:
        path: where it lies.
        table: the one table that it fills; None where it fills several.
        lines: lines of the file; None where records are not lines.
        rows_out: records that became rows.
        rows_quarantined: records that were refused.
        not_rows: lines without a record.
        is_complete: whether the file ends as it should; None where that is not checked.
    """

    path: str
    table: str | None
    lines: int | None
    rows_out: int
    rows_quarantined: int
    not_rows: int | None
    is_complete: bool | None

    @property
    def adds_up(self) -> bool:
        """Whether every line is accounted for; true where lines are not counted."""
        return self.lines is None or self.lines == self.rows_out + self.rows_quarantined + (self.not_rows or 0)


@dataclass(frozen=True)
class FileTotals:
    """All input files of a site together; ``lines`` is None where they are not counted in every file."""

    files: int = 0
    incomplete: int = 0
    lines: int | None = None
    rows_out: int = 0
    rows_quarantined: int = 0
    not_rows: int = 0


@dataclass(frozen=True)
class SiteFacts:
    """One site; lists have a bounded length, whatever the size of the site.

    Attributes:
        site: its name.
        tables: every table that the run wrote, in the order of the dumps.
        quarantined_elsewhere: refused records of files that fill several tables.
        first: day of the earliest post or comment, ISO 8601, UTC; None where none has a time.
        last: day of the latest.
        threads: questions and answers; None without posts.
        scores: questions and answers by score, lowest first.
        months: questions and answers by month, earliest first.
        tags: tags with the most posts.
        orphans: references that point to nothing, those with the most rows first.
        refusals: why records were refused, most frequent first.
        file_totals: all files together.
        files: incomplete files first, then those with the most refused records.
    """

    site: str
    tables: tuple[TableFacts, ...]
    quarantined_elsewhere: int = 0
    first: str | None = None
    last: str | None = None
    threads: Threads | None = None
    scores: tuple[ScoreCount, ...] = ()
    months: tuple[Month, ...] = ()
    tags: tuple[Counted, ...] = ()
    orphans: tuple[OrphanReference, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    file_totals: FileTotals = FileTotals()
    files: tuple[FileFacts, ...] = ()

    @property
    def rows(self) -> int:
        """Rows of all tables."""
        return sum(table.rows for table in self.tables)

    @property
    def quarantined(self) -> int:
        """Refused records of all files."""
        return sum(table.quarantined for table in self.tables) + self.quarantined_elsewhere


@dataclass(frozen=True)
class RunShown:
    """The run that is looked at."""

    lake: str
    run_id: str
    recorded_at: datetime
    code_version: str


@dataclass(frozen=True)
class Inspection:
    """What is in the tables of one run; sites with the most rows come first."""

    run: RunShown
    sites: tuple[SiteFacts, ...]
