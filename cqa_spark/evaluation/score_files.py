"""Official files of the STS tasks: gold and predicted scores, one per line, in the order of the input."""

from collections.abc import Iterable
from math import isfinite
from pathlib import Path
from typing import NamedTuple

from cqa_spark.corpora.text_pairs.layout import SENTENCE_PAIRS
from cqa_spark.corpora.text_pairs.pairs import read_pairs
from cqa_spark.corpora.text_pairs.recognition import UnknownLayout
from cqa_spark.corpora.text_pairs.set_names import gold_path, set_name
from cqa_spark.errors import InputError
from cqa_spark.evaluation.line_writing import write_lines
from cqa_spark.evaluation.ranked_query import Candidate, RankedQuery

LAYOUT = "score, or score and confidence separated by a tab"

ScoredPairs = list[RankedQuery]
"""Every pair is a query whose only candidate is its second sentence."""


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
        files = sorted(each for each in path.iterdir() if not each.name.startswith("."))
    sets = [ScoredSet(set_name(file.name), _gold_scores(file)) for file in files]
    scored = [each for each in sets if any(score is not None for score in each.gold)]
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
    file = _file_of(gold.name, prediction) if prediction.is_dir() else prediction
    scores = read_scores(file)
    if len(scores) != len(gold.gold):
        raise InputError(
            f"{file}: {len(scores)} scores for the {len(gold.gold)} pairs of {gold.name}",
            "give the predictions for the same input: one score per line, including unscored pairs",
        )
    return [
        RankedQuery([Candidate(relevant=known > 0, gain=known, predicted=True, score=score)])
        for known, score in zip(gold.gold, scores, strict=True)
        if known is not None
    ]


def _gold_scores(path: Path) -> list[float | None]:
    lines = _lines(path)
    if not any(map(_has_columns, lines)):
        return [_number(path, number, line) if line.strip() else None for number, line in enumerate(lines, start=1)]
    try:
        rows = read_pairs(path.read_bytes(), SENTENCE_PAIRS).rows
    except UnknownLayout as unknown:
        raise InputError(f"{path}: {unknown}", f"a line should read: {LAYOUT}, or be a pair with a score") from unknown
    for row in rows:
        if row.problem is not None:
            raise InputError(f"{path}:{row.line}: {row.problem}", "give a file of pairs with their scores")
    return [None if row.label is None else float(row.label) for row in rows]


def _has_columns(line: str) -> bool:
    return "\t" in line or "," in line


def _file_of(name: str, folder: Path) -> Path:
    found = [each for each in sorted(folder.iterdir()) if set_name(each.name) == name]
    if len(found) != 1:
        raise InputError(
            f"{folder}: {len(found)} files for the set {name}",
            f"name one file like the set, such as STS.output.{name}.txt",
        )
    return found[0]


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
