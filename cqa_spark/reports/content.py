"""Everything that the report of a run shows, as plain values."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from cqa_spark.reports.experiments import Ablation, CrossValidation, CurvePoint
from cqa_spark.reports.night.content import Night
from cqa_spark.reports.preferred_answer.content import AnswerStudy


@dataclass(frozen=True)
class InputFile:
    """A file that the run read.

    Attributes:
        path: where it lies.
        split: the part that it was given as, such as train.
        bytes: its size; None where the storage does not say.
        sha256: hash of its bytes, hexadecimal; None where it was not taken.
    """

    path: str
    split: str
    bytes: int | None
    sha256: str | None


@dataclass(frozen=True)
class Step:
    """What one step of the run read and wrote, in rows, and its wall-clock time in seconds."""

    name: str
    rows_in: int
    rows_out: int
    rows_quarantined: int
    seconds: float


@dataclass(frozen=True)
class RunFacts:
    """What is known of the run itself; ``config`` is the resolved YAML, ``config_hash`` its SHA-256."""

    run_id: str
    recorded_at: datetime
    code_version: str
    config_hash: str
    config: str
    inputs: tuple[InputFile, ...]
    steps: tuple[Step, ...]

    @property
    def seconds(self) -> float:
        """Wall-clock time of all steps."""
        return sum(step.seconds for step in self.steps)


@dataclass(frozen=True)
class Measurement:
    """One measure of one system over all queries, with its bootstrap interval; fractions from 0 to 1."""

    system: str
    measure: str
    value: float
    low: float
    high: float
    confidence: float


@dataclass(frozen=True)
class Comparison:
    """The paired randomization test of a system against the baseline on one measure.

    Attributes:
        system: the system that is compared.
        measure: the measure as it prints.
        difference: system minus baseline, a fraction.
        p_value: two-sided.
        wins: queries on which the system is better.
        losses: queries on which the baseline is better.
        ties: queries on which both are equal.
    """

    system: str
    measure: str
    difference: float
    p_value: float
    wins: int
    losses: int
    ties: int


@dataclass(frozen=True)
class Evaluation:
    """The measures of all systems on one split of one task.

    Attributes:
        task: what is ranked for what.
        split: the part that is measured on.
        main_measure: the measure that systems are ordered by.
        baseline: system that the others are compared with; None where there is none.
        best_system: system that the page speaks of first.
        systems: all systems, best first.
        measures: all measures, in the order of the columns.
        queries: number of ranked queries.
        candidates: number of ranked candidates.
        measurements: one per system and measure; empty where no label is known.
        comparisons: every system but the baseline against the baseline.
        resamples: number of resamples behind intervals and tests; None where nothing was measured.
        seed: seed of the resampling; None where nothing was measured.
    """

    task: str
    split: str
    main_measure: str
    baseline: str | None
    best_system: str
    systems: tuple[str, ...]
    measures: tuple[str, ...]
    queries: int
    candidates: int
    measurements: tuple[Measurement, ...] = ()
    comparisons: tuple[Comparison, ...] = ()
    resamples: int | None = None
    seed: int | None = None

    def measurement(self, system: str, measure: str) -> Measurement | None:
        """The measurement of a system; None where it was not measured."""
        return next((m for m in self.measurements if (m.system, m.measure) == (system, measure)), None)

    def comparison(self, system: str, measure: str) -> Comparison | None:
        """The comparison of a system with the baseline; None where there is none."""
        return next((c for c in self.comparisons if (c.system, c.measure) == (system, measure)), None)

    @property
    def best(self) -> Measurement | None:
        """The main measure of the best system."""
        return self.measurement(self.best_system, self.main_measure)

    @property
    def best_comparison(self) -> Comparison | None:
        """The best system against the baseline, on the main measure."""
        return self.comparison(self.best_system, self.main_measure)


@dataclass(frozen=True)
class Differences:
    """How far the best system is from the baseline, query by query.

    Attributes:
        system: the system.
        baseline: the system that it is compared with.
        measure: the measure that is compared.
        steps: (difference, number of queries), largest difference first; differences are fractions, rounded to 0.001,
            so that their number has a bound whatever the number of queries.
    """

    system: str
    baseline: str
    measure: str
    steps: tuple[tuple[float, int], ...]

    @property
    def better(self) -> int:
        """Queries on which the system is better."""
        return sum(queries for difference, queries in self.steps if difference > 0)

    @property
    def equal(self) -> int:
        """Queries on which both are equal, rounded to 0.001."""
        return sum(queries for difference, queries in self.steps if difference == 0)

    @property
    def worse(self) -> int:
        """Queries on which the baseline is better."""
        return sum(queries for difference, queries in self.steps if difference < 0)


@dataclass(frozen=True)
class ScoreHistogram:
    """Number of candidates in equally wide bins between a system's lowest and highest score."""

    system: str
    low: float
    high: float
    relevant: tuple[int, ...]
    not_relevant: tuple[int, ...]
    unjudged: tuple[int, ...]


@dataclass(frozen=True)
class FeatureImportance:
    """Share of the total importance that a feature has in a learned system.

    ``direction`` is 1 where more of the feature raises the score, -1 where it lowers it, 0 where that is not known.
    """

    system: str
    group: str
    feature: str
    importance: float
    direction: int


@dataclass(frozen=True)
class Push:
    """What one feature did to a candidate's score.

    Attributes:
        feature: the feature's column, after its group.
        value: its value.
        by: how far it moved the score, up or down, on the ranker's own scale (log odds for classifiers).
    """

    feature: str
    value: float
    by: float


@dataclass(frozen=True)
class Caution:
    """What a reader of the figures has to know.

    Attributes:
        text: a sentence.
        groups: feature groups that it is about.
        systems: the systems that use them.
    """

    text: str
    groups: tuple[str, ...]
    systems: tuple[str, ...]


@dataclass(frozen=True)
class RankedCandidate:
    """One candidate as the best system ranked it; ``relevant`` is None where no label is known.

    ``pushes`` are the features that moved its score most; empty where the ranker does not say.
    """

    candidate_id: str
    rank: int
    initial_rank: int | None
    score: float
    predicted: bool
    relevant: bool | None
    text: str
    pushes: tuple[Push, ...] = ()


@dataclass(frozen=True)
class QueryStory:
    """One query with its candidates, in ranked order.

    Attributes:
        kind: best, worst, or sample where nothing was measured.
        site: community of the query.
        query_id: id within the site.
        subject: title; empty where there is none.
        text: text of the query, as in the dump, possibly shortened.
        value: main measure of the best system on this query; None where it was not measured.
        baseline_value: the same of the baseline.
        candidates: the first candidates of the ranking.
    """

    kind: str
    site: str
    query_id: str
    subject: str
    text: str
    value: float | None
    baseline_value: float | None
    candidates: tuple[RankedCandidate, ...]


@dataclass(frozen=True)
class FileRows:
    """Records of one input file: rows_in = rows_out + rows_quarantined."""

    site: str
    source_file: str
    split: str
    rows_in: int
    rows_out: int
    rows_quarantined: int


@dataclass(frozen=True)
class QuarantineReason:
    """Why records were refused, and how many."""

    reason: str
    rows: int


@dataclass(frozen=True)
class QuarantineSample:
    """One refused record; ``raw`` is the beginning of its text."""

    source_file: str
    byte_offset: int
    reason: str
    raw: str


@dataclass(frozen=True)
class Intake:
    """What was read and what could not be understood; totals are over all files, lists have a bounded length."""

    rows_in: int = 0
    rows_out: int = 0
    rows_quarantined: int = 0
    file_count: int = 0
    files: tuple[FileRows, ...] = ()
    reasons: tuple[QuarantineReason, ...] = ()
    samples: tuple[QuarantineSample, ...] = ()


@dataclass(frozen=True)
class RunReport:
    """The whole page."""

    run: RunFacts
    evaluation: Evaluation
    differences: Differences | None = None
    histograms: tuple[ScoreHistogram, ...] = ()
    importances: tuple[FeatureImportance, ...] = ()
    stories: tuple[QueryStory, ...] = ()
    cross_validations: tuple[CrossValidation, ...] = ()
    ablations: tuple[Ablation, ...] = ()
    curves: tuple[CurvePoint, ...] = ()
    intake: Intake = Intake()
    cautions: tuple[Caution, ...] = ()
    study: AnswerStudy | None = None
    night: Night | None = None
