"""Joins rankings with judgments from files, frames or mappings: the first step of every evaluation without Spark.

Files are those of SemEval or TREC; rows may have the types of ir_datasets and ir_measures.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import pyarrow as pa

from cqa_spark.corpora.ir_datasets import load_collection, rows
from cqa_spark.errors import ConfigError, InputError
from cqa_spark.evaluation.evaluate import JudgedRanking, ReportedMeasure
from cqa_spark.evaluation.files import semeval as official_files
from cqa_spark.evaluation.files import semeval as truncated_rankings
from cqa_spark.evaluation.files import trec as trec_rankings
from cqa_spark.evaluation.files.pairs import NumberedPairs, pairs, pairs_of_mapping
from cqa_spark.evaluation.files.semeval import (
    COMPARED_MEASURES,
    OFFICIAL_MEASURES,
    in_words,
    population,
    ranked_file,
    truncated_ranking,
)
from cqa_spark.evaluation.files.trec import TrecOptions, is_qrels, judged, read_qrels, read_run
from cqa_spark.evaluation.measure import Measure
from cqa_spark.evaluation.measures import parse_measure
from cqa_spark.settings.values import IR_DATASETS

Judgments = str | PathLike[str] | Mapping[str, Mapping[str, float]] | Any
"""An official or a qrels file, ``irds:ID`` for a data set of ir_datasets, the grade of each judged document by query,
or a frame or rows with columns for query, document and grade."""

Ranking = str | PathLike[str] | Mapping[str, Mapping[str, float]] | Any
"""A prediction file or a run, the score of each document by query, or a frame or rows with a column for the score."""

_OPTIONS = TrecOptions()
_COLUMNS = {
    "query": ("query_id", "q_id", "qid", "query"),
    "document": ("doc_id", "docno", "docid", "candidate_id", "document"),
    "grade": ("relevance", "rel", "label", "grade", "score"),
    "score": ("score",),
}
"""Names of columns: those of ir_datasets and ir_measures first, then of ranx, PyTerrier and the tables of a lake."""


class JudgedSet(NamedTuple):
    """Rankings of one data set with their judgments.

    Attributes:
        rankings: the rankings.
        reported: measures to report by default.
        compared: display names of measures to compare by default.
        relevance_level: lowest grade that counts as relevant.
        about: what the measures can be compared with.
    """

    rankings: list[JudgedRanking]
    reported: Sequence[ReportedMeasure]
    compared: Sequence[str]
    relevance_level: float = 1
    about: Callable[[], str] = str

    def measures(self, names: Sequence[str]) -> list[Measure]:
        """The measures with these display names, or those to compare by default.

        Raises:
            ConfigError: an unknown measure.
        """
        return [*dict.fromkeys(parse_measure(name, self.relevance_level) for name in names or self.compared)]


def judge(
    judgments: Judgments,
    rankings: Iterable[tuple[str, Ranking]],
    options: TrecOptions = _OPTIONS,
    *,
    truncated: bool = False,
) -> JudgedSet:
    """Join rankings with judgments.

    Args:
        judgments: the judgments.
        rankings: rankings with their names.
        options: how runs are ranked and judged; official files are judged as their scorer does.
        truncated: whether official files have truncated rankings, which TMAP measures.

    Raises:
        ConfigError: options that do not apply to the files.
        InputError: a file cannot be read, a number is not finite, or the files do not belong together.
    """
    named = list(rankings)
    gold, files = _file(judgments), [_file(ranking) for _, ranking in named]
    predictions = [file for file in files if file is not None]
    are_files = gold is not None and len(predictions) == len(named)
    if gold is not None and are_files and truncated:
        labelled = official_files.read_official(gold)
        cut = [truncated_ranking(labelled, official_files.read_official(file)) for file in predictions]
        return JudgedSet(
            _named(cut, named), truncated_rankings.TRUNCATED_MEASURES, truncated_rankings.COMPARED_TRUNCATED_MEASURES
        )
    if truncated:
        raise ConfigError("truncated rankings are official files", "name a gold file and prediction files")
    is_official = gold is not None and not is_qrels(gold)
    if gold is not None and are_files and is_official:
        if options != _OPTIONS:
            raise ConfigError(
                f"{gold} has the layout of SemEval, to which the settings of TREC runs do not apply",
                "omit relevance level, precision, judged-only and ignore-identical-ids",
            )
        labelled = official_files.read_official(gold)
        official = [ranked_file(labelled, official_files.read_official(file)) for file in predictions]

        def about() -> str:
            return in_words(population(labelled, "MAP@10"), "MAP")

        return JudgedSet(_named(official, named), OFFICIAL_MEASURES, COMPARED_MEASURES, about=about)
    grades = official_files.read_labels(gold) if gold and is_official else _grades(judgments)
    source = str(judgments) if isinstance(judgments, str | PathLike) else "the judgments"
    runs = []
    for (name, ranking), file in zip(named, files, strict=True):
        scores = _numbers(ranking, "score") if file is None else read_run(file)
        runs.append(judged(grades, scores, options, names=(source, name if file is None else str(ranking))))
    measures = trec_rankings.MEASURES
    reported = [ReportedMeasure(name, name, name) for name in measures]
    return JudgedSet(_named(runs, named), reported, measures, options.relevance_level)


def _named(judged_rankings: Sequence[JudgedRanking], named: Sequence[tuple[str, Ranking]]) -> list[JudgedRanking]:
    return [ranking._replace(name=name) for ranking, (name, _) in zip(judged_rankings, named, strict=True)]


def _file(source: Judgments | Ranking) -> Path | None:
    """The file that is named; None for an id of ir_datasets and everything else."""
    if isinstance(source, str | PathLike) and not str(source).startswith(IR_DATASETS):
        return Path(source)
    return None


def _grades(judgments: Judgments) -> NumberedPairs:
    if file := _file(judgments):
        return read_qrels(file)
    return _catalogue_grades(judgments) if isinstance(judgments, str) else _numbers(judgments, "grade")


def _catalogue_grades(dataset: str) -> NumberedPairs:
    """The grade of each judged document, by query; ir_datasets downloads the judgments if it has no copy of them.

    Args:
        dataset: id, with or without the prefix.

    Raises:
        ConfigError: ir_datasets is not installed, has no such data set, or the data set has no judgments.
        EnvironmentProblem: the judgments cannot be downloaded.
    """
    collection = load_collection(dataset)
    if not collection.has_qrels():
        raise ConfigError(f"{dataset} has no judgments", f"name a subset with judgments, such as {dataset}/test")
    judged = ((row.query_id, row.doc_id, row.relevance) for row in rows(dataset, collection.qrels_iter))
    return _of_columns(*zip(*judged, strict=True))


def _numbers(source: Any, meaning: Literal["grade", "score"]) -> NumberedPairs:
    """The numbers of a mapping, a frame or rows."""
    numbers = pairs_of_mapping(source) if isinstance(source, Mapping) else _of_columns(*_columns(source, meaning))
    wrong = np.flatnonzero(~np.isfinite(numbers.number))
    if len(wrong):
        query, document = numbers.name(wrong[0])
        raise InputError(
            f"{meaning} {numbers.number[wrong[0]]} of document {document} of query {query} is not a finite number",
            "leave the document out, or give it a number",
        )
    repeated = numbers.repeated()
    if repeated is not None:
        query, document = numbers.name(repeated)
        raise InputError(f"document {document} of query {query} is there twice", "give each document once")
    return numbers


def _of_columns(queries: Iterable[Any], documents: Iterable[Any], values: Iterable[Any]) -> NumberedPairs:
    ids = (pa.array([*map(str, column)], pa.string()) for column in (queries, documents))
    return pairs([(*ids, np.fromiter(values, np.float64))])


def _columns(source: Any, meaning: Literal["grade", "score"]) -> Iterator[Iterable[Any]]:
    """Queries, documents and numbers of a frame, or of rows with named fields."""
    wanted = [_COLUMNS[column] for column in ("query", "document", meaning)]
    if hasattr(source, "columns"):
        yield from (source[name] for name in _names(list(source.columns), wanted))
        return
    rows_of_source = list(source)
    if not rows_of_source:
        yield from ([], [], [])
        return
    names = _names(list(getattr(rows_of_source[0], "_fields", ())), wanted)
    yield from ([getattr(row, name) for row in rows_of_source] for name in names)


def _names(columns: Sequence[str], wanted: Sequence[Sequence[str]]) -> list[str]:
    names = [next((name for name in possible if name in columns), "") for possible in wanted]
    if "" in names:
        raise InputError(
            f"the columns {', '.join(columns) or 'of rows without names'} are not those of judgments or a ranking",
            f"name them {', '.join(possible[0] for possible in wanted)}",
        )
    return names
