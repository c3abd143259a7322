"""Official files of the STS tasks, one score per line, and the correlation of predictions with gold, without Spark.

``--task sts`` of the commands on files.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from cqa_spark.corpora.text_pairs.layouts import SENTENCE_PAIRS, UnknownLayout, gold_path, set_name
from cqa_spark.corpora.text_pairs.pairs import read_pairs
from cqa_spark.errors import InputError
from cqa_spark.evaluation.compare_files import RankingComparison, compare_components
from cqa_spark.evaluation.files.columns import write_lines
from cqa_spark.evaluation.measure import Candidate, Measure, RankedQuery, Sum, on_unit_range
from cqa_spark.evaluation.measures.pearson import Pearson
from cqa_spark.evaluation.statistics.bootstrap import Resampling, bootstrap_intervals
from cqa_spark.evaluation.statistics.tests import holm, williams_test

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LAYOUT = "score, or score and confidence separated by a tab"

ScoredPairs = list[RankedQuery]
"""Every pair is a query whose only candidate is its second sentence."""

WEIGHTED_MEAN, MEAN = "weighted mean", "mean"
"""Over sets: weighted by their scored pairs, as in 2012-2016, and unweighted, as over the tracks of 2017."""


class ScoredSet(NamedTuple):
    """A set of pairs, such as ``headlines``, with gold scores from 0 to 5; None for an unscored pair."""

    name: str
    gold: list[float | None]


def read_gold(path: Path) -> list[ScoredSet]:
    """The sets of a gold file, or of a folder of gold files in the order of their names.

    A gold file has a score on each line, or is a file of pairs with scores, or an official input with its gold file
    beside it. Pairs with an empty score do not count.

    Raises:
        InputError: a file cannot be read, a line is not a score, or there is no score.
    """
    files = [Path(gold_path(str(path)) or path)]
    if path.is_dir():
        files = sorted(file for file in path.iterdir() if not file.name.startswith("."))
    sets = [ScoredSet(set_name(file.name), _gold_scores(file)) for file in files]
    scored = [scored_set for scored_set in sets if any(score is not None for score in scored_set.gold)]
    if not scored:
        raise InputError(f"{path}: contains no gold scores", f"a line should read: {LAYOUT}, or be a pair with a score")
    return scored


def read_scores(path: Path) -> list[float]:
    """Predicted scores, in the order of the lines; confidences are ignored.

    Raises:
        InputError: the file cannot be read, or a line is not a score.
    """
    lines = _lines(path)
    return [_number(path, number, line.split("\t")[0]) for number, line in enumerate(lines, start=1)]


def write_scores(path: Path, scores: Iterable[float]) -> int:
    """Write predicted scores, in full precision.

    Returns:
        The number of lines.

    Raises:
        EnvironmentProblem: the folder is not writable.
    """
    return write_lines(path, ((repr(score),) for score in scores), separator="\t")


def scored_pairs(gold: ScoredSet, prediction: Path) -> ScoredPairs:
    """The pairs of a set with a gold score, and their predicted scores.

    Args:
        gold: the set.
        prediction: a file of predictions, or a folder with one for the set.

    Raises:
        InputError: there is no such file, it cannot be read, or its number of pairs differs from the set's.
    """
    file = prediction
    if prediction.is_dir():
        files = [file for file in sorted(prediction.iterdir()) if set_name(file.name) == gold.name]
        if len(files) != 1:
            raise InputError(
                f"{prediction}: {len(files)} files for the set {gold.name}",
                f"name one file like the set, such as STS.output.{gold.name}.txt",
            )
        file = files[0]
    scores = read_scores(file)
    if len(scores) != len(gold.gold):
        raise InputError(
            f"{file}: {len(scores)} scores for the {len(gold.gold)} pairs of {gold.name}",
            "give the predictions for the same input: one score per line, including unscored pairs",
        )
    return [
        RankedQuery([Candidate(relevant=similarity > 0, gain=similarity, predicted=True, score=score)])
        for similarity, score in zip(gold.gold, scores, strict=True)
        if similarity is not None
    ]


@dataclass(frozen=True)
class SetCorrelation:
    """Pearson's correlation, from -1 to 1, of one file with the scored pairs of one set, or its mean over all sets."""

    file: str
    set: str
    pairs: int
    pearson: float


def evaluate_scores(gold: Path, predictions: Sequence[Path]) -> list[SetCorrelation]:
    """Correlate prediction files with gold scores, as the official scorers of STS 2012-2017 do.

    Args:
        gold: file of gold scores, or folder with one for each set.
        predictions: files of predictions, or folders with one for each set.

    Returns:
        For each prediction a row for each set and, where there are several, for the means over the sets.

    Raises:
        InputError: a file cannot be read, or the files do not belong together.
    """
    measure, rows = Pearson(), []
    for prediction in predictions:
        file, sets = str(prediction), _sets(gold, prediction)
        for name, pairs in sets.items():
            rows.append(SetCorrelation(file, name, len(pairs), measure.total(measure.components_of(pairs))))
        if len(sets) > 1:
            for mean, (components,) in _mean_components([sets]).items():
                rows.append(SetCorrelation(file, str(mean), len(components), mean.total(components)))
    return rows


def score_intervals(gold: Path, prediction: Path) -> list[tuple[SetCorrelation, float, float]]:
    """The rows of ``evaluate_scores`` for one prediction, each with its 95 % interval over pairs, by bootstrap.

    Args:
        gold: file of gold scores, or folder with one for each set.
        prediction: file of predictions, or folder with one for each set.

    Raises:
        InputError: a file cannot be read, or the files do not belong together.
    """
    import numpy as np

    sets = _sets(gold, prediction)
    components: dict[str, tuple[Measure, NDArray[np.float64]]] = {
        name: (Pearson(), np.array([Pearson().components_of(pairs)])) for name, pairs in sets.items()
    }
    if len(sets) > 1:
        components |= {str(mean): (mean, of_sets) for mean, of_sets in _mean_components([sets]).items()}
    bounds = (bootstrap_intervals({measure: of_pairs})[measure] for measure, of_pairs in components.values())
    rows = evaluate_scores(gold, [prediction])
    return [(row, float(ends.low[0]), float(ends.high[0])) for row, ends in zip(rows, bounds, strict=True)]


def mean_correlation(files: Sequence[tuple[Path, Path]], *, weighted: bool) -> tuple[float, float]:
    """The mean of the correlations with one or more sets, and its standard error over pairs, by bootstrap.

    Args:
        files: gold and predictions of each set.
        weighted: whether sets are weighted by their number of scored pairs.

    Raises:
        InputError: a file cannot be read, the files do not belong together, or the gold is of several sets.
    """
    sets: list[ScoredPairs] = []
    for gold, prediction in files:
        by_name = _sets(gold, prediction)
        if len(by_name) != 1:
            raise InputError(f"{gold}: {len(by_name)} sets of pairs", "name the gold file of one set")
        sets += by_name.values()
    mean = MeanOfSets(len(sets), weighted)
    components = _components([sets], mean)
    error = bootstrap_intervals({mean: components})[mean].standard_error[0]
    return mean.total(components[0]), float(error)


def compare_scores(gold: Path, predictions: Sequence[Path], drawn: Resampling) -> list[RankingComparison]:
    """Correlations with intervals, and two tests of each file against the first: paired randomization, and Williams'.

    Args:
        gold: file of gold scores, or folder with one for each set.
        predictions: files of predictions, or folders with one for each set.
        drawn: parameters of the resampling.

    Returns:
        Set by set, then the means over several sets; the files in the order given.

    Raises:
        InputError: a file cannot be read, or the files do not belong together.
    """
    import numpy as np

    files = [*map(str, predictions)]
    by_file = [_sets(gold, prediction) for prediction in predictions]
    rows = []
    for name in by_file[0]:
        components: dict[Measure, NDArray[np.float64]] = {
            Pearson(): np.array([Pearson().components_of(sets[name]) for sets in by_file])
        }
        compared = list(compare_components(components, files, drawn))
        williams = [1.0, *holm(np.array(list(_williams([sets[name] for sets in by_file]))))]
        rows += [
            replace(row, measure=f"Pearson {name}", williams=float(p_value))
            for row, p_value in zip(compared, williams, strict=True)
        ]
    if len(by_file[0]) > 1:
        rows += compare_components(_mean_components(by_file), files, drawn)
    return rows


@dataclass(frozen=True)
class MeanOfSets(Measure):
    """Mean of the correlations of several sets; a pair has nonzero components only at the position of its set.

    Attributes:
        sets: number of sets.
        weighted: whether sets are weighted by their number of pairs.
    """

    name = "mean of sets"
    about = "mean of the correlations of sets"
    source = "Agirre et al. 2016, SemEval-2016 Task 1, section 3; Cer et al. 2017, section 4"

    sets: int
    weighted: bool

    def components(self, query: RankedQuery, position: int = 0) -> tuple[float, ...]:
        """The components of the correlation, at the position of the query's set.

        Args:
            query: the pair.
            position: position of its set, from 0.
        """
        own = Pearson().components(query)
        return (0.0,) * (position * len(own)) + own + (0.0,) * ((self.sets - position - 1) * len(own))

    def aggregate(self, sums: Sequence[Sum], queries: int) -> Sum:
        """Correlate each set, and average."""
        width = len(sums) // self.sets
        of_sets = [sums[start : start + width] for start in range(0, len(sums), width)]
        values = [Pearson().aggregate(own, queries) * self._weight(own[0], queries) for own in of_sets]
        return sum(values[1:], start=values[0])

    def __str__(self) -> str:
        """The name of the mean."""
        return WEIGHTED_MEAN if self.weighted else MEAN

    def _weight(self, pairs: Sum, queries: int) -> Sum | float:
        return pairs / queries if self.weighted else 1 / self.sets


def _williams(by_file: Sequence[ScoredPairs]) -> Iterator[float]:
    """The p-value of each file against the first, on one set."""
    import numpy as np

    gold = [query.ranked[0].gain for query in by_file[0]]
    scores = [[query.ranked[0].score for query in pairs] for pairs in by_file]
    constant = [len(set(values)) == 1 for values in (gold, *scores)]
    # Correlations of the gold and of each file with each other; 0 where one of the two is constant.
    with np.errstate(invalid="ignore"):
        correlations = np.where(np.logical_or.outer(constant, constant), 0.0, np.corrcoef([gold, *scores]))
    for system in range(2, len(scores) + 1):
        of_gold, between = correlations[0], float(correlations[1, system])
        yield williams_test(float(of_gold[system]), float(of_gold[1]), between, len(gold))


def _sets(gold: Path, prediction: Path) -> dict[str, ScoredPairs]:
    return {scored_set.name: scored_pairs(scored_set, prediction) for scored_set in read_gold(gold)}


def _mean_components(by_file: Sequence[dict[str, ScoredPairs]]) -> dict[Measure, NDArray[np.float64]]:
    means = [MeanOfSets(len(by_file[0]), weighted) for weighted in (True, False)]
    return {mean: _components([list(sets.values()) for sets in by_file], mean) for mean in means}


def _components(by_file: Sequence[Sequence[ScoredPairs]], mean: MeanOfSets) -> NDArray[np.float64]:
    """Components of the pairs of all sets, shape (files, pairs, components)."""
    import numpy as np

    return np.array(
        [
            [mean.components(pair, number) for number, pairs in enumerate(sets) for pair in on_unit_range(pairs)]
            for sets in by_file
        ]
    )


def _gold_scores(path: Path) -> list[float | None]:
    lines = _lines(path)
    if not any("\t" in line or "," in line for line in lines):
        return [_number(path, number, line) if line.strip() else None for number, line in enumerate(lines, start=1)]
    try:
        rows = read_pairs(path.read_bytes(), SENTENCE_PAIRS).rows
    except UnknownLayout as unknown:
        raise InputError(f"{path}: {unknown}", f"a line should read: {LAYOUT}, or be a pair with a score") from unknown
    for row in rows:
        if row.problem is not None:
            raise InputError(f"{path}:{row.line}: {row.problem}", "give a file of pairs with their scores")
    return [None if row.label is None else float(row.label) for row in rows]


def _lines(path: Path) -> list[str]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise InputError(f"{path}: cannot be read: {reason}", "name an existing, readable text file") from error
    return text.removesuffix("\n").split("\n") if text else []


def _number(path: Path, number: int, text: str) -> float:
    try:
        score = float(text)
    except ValueError:
        score = float("nan")
    if not isfinite(score):
        raise InputError(f"{path}:{number}: {text.strip()!r} is not a score", f"a line should read: {LAYOUT}")
    return score
