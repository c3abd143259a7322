"""Results of the STS tasks of SemEval, Pearson's correlation as fractions: the system that won each year, by set."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from cqa_spark.evaluation.statistics.set_means import MEAN, WEIGHTED_MEAN


class PublishedSets(NamedTuple):
    """Results of one task.

    Attributes:
        system: system with the results, or a description of the systems.
        source: publication and table.
        sets: correlation by the name of the set.
        mean: official mean over the sets; None where it includes sets that are not in ``sets``.
        mean_system: system with that mean, if another one.
        official: the mean over the sets that is the official score.
    """

    system: str
    source: str
    sets: Mapping[str, float]
    mean: float | None = None
    mean_system: str | None = None
    official: str = WEIGHTED_MEAN


RESULTS: Mapping[str, PublishedSets] = {
    "2012": PublishedSets(
        "UKP, run 2",
        "Agirre et al. 2012, SemEval-2012 Task 6: A Pilot on Semantic Textual Similarity",
        {"MSRpar": 0.6830, "SMTeuroparl": 0.5280, "OnWN": 0.6641, "SMTnews": 0.4937},
    ),
    "2013": PublishedSets(
        "UMBC_EBIQUITY, ParingWords",
        "Agirre et al. 2013, *SEM 2013 shared task: Semantic Textual Similarity",
        {"headlines": 0.7642, "OnWN": 0.7529, "FNWN": 0.5818},
    ),
    "2014": PublishedSets(
        "DLS@CU, run 2",
        "Agirre et al. 2014, SemEval-2014 Task 10: Multilingual Semantic Textual Similarity",
        {
            "deft-forum": 0.4828, "deft-news": 0.7657, "headlines": 0.7646, "images": 0.8214, "OnWN": 0.8589,
            "tweet-news": 0.7639,
        },
        0.7610,
    ),
    "2015": PublishedSets(
        "DLS@CU, S1",
        "Agirre et al. 2015, SemEval-2015 Task 2: Semantic Textual Similarity",
        {
            "answers-forums": 0.7390, "answers-students": 0.7725, "belief": 0.7491, "headlines": 0.8250,
            "images": 0.8644,
        },
        0.8015,
    ),
    "2016": PublishedSets(
        "Samsung Poland, EN1",
        "Agirre et al. 2016, SemEval-2016 Task 1: Semantic Textual Similarity, Table 4",
        {
            "answer-answer": 0.69235, "headlines": 0.82749, "plagiarism": 0.84138, "postediting": 0.83516,
            "question-question": 0.68705,
        },
        0.77807,
    ),
    "2017": PublishedSets(
        "best system of each track",
        "Cer et al. 2017, SemEval-2017 Task 1: Semantic Textual Similarity, Table 10",
        {
            "track1": 0.7543, "track2": 0.7493, "track3": 0.8559, "track4a": 0.8302, "track4b": 0.3407,
            "track5": 0.8547, "track6": 0.7706,
        },
        0.7316,
        "ECNU",
        MEAN,
    ),
    "benchmark": PublishedSets(
        "ECNU",
        "Cer et al. 2017, SemEval-2017 Task 1: Semantic Textual Similarity, Table 14",
        {"sts-dev": 0.847, "sts-test": 0.810},
    ),
}  # fmt: skip
"""By year, or benchmark. The set names are those of the official files."""

_WORD = re.compile(r"[\w-]+")


@dataclass(frozen=True)
class PublishedScore:
    """A published correlation, a fraction, on one of our sets, with its publication and table."""

    set_name: str
    system: str
    value: float
    source: str


def published_scores(pairs: Mapping[str, int]) -> tuple[PublishedScore, ...]:
    """The published results on sets, and the official mean over them, where there is one.

    Args:
        pairs: scored pairs by folder and name of the set, in order.
    """
    results = ((set_id, published_results(set_id)) for set_id in sorted(pairs))
    scores = [PublishedScore(set_id, of[0].system, of[1], of[0].source) for set_id, of in results if of is not None]
    if len(pairs) > 1 and (mean := published_mean(pairs)) is not None:
        task, value = mean
        scores.append(PublishedScore(task.official, task.mean_system or task.system, value, task.source))
    return tuple(scores)


def published_results(set_id: str) -> tuple[PublishedSets, float] | None:
    """The results of the task that a set belongs to, and the correlation on the set; None where there are none.

    Args:
        set_id: folder and name of the set, such as ``2014/OnWN.test``.
    """
    task, name = _task_and_set(set_id)
    return (RESULTS[task], RESULTS[task].sets[name]) if name else None


def official_mean(set_ids: Collection[str]) -> str:
    """The official mean over sets: ``MEAN`` for tracks of 2017, ``WEIGHTED_MEAN`` for all others."""
    kinds = {RESULTS[task].official if name else WEIGHTED_MEAN for task, name in map(_task_and_set, set_ids)}
    return kinds.pop() if len(kinds) == 1 else WEIGHTED_MEAN


def published_mean(pairs: Mapping[str, int]) -> tuple[PublishedSets, float] | None:
    """The results of the task that all sets belong to, and its mean over these sets; None where there is none.

    An official mean is that of all sets of a task. Where it includes sets that are not distributed, the mean is
    computed from the correlations on these sets, weighted by their pairs.

    Args:
        pairs: scored pairs by folder and name of the set.
    """
    sets = [(*_task_and_set(set_id), number) for set_id, number in pairs.items()]
    if not all(name for _, name, _ in sets) or len({task for task, _, _ in sets}) != 1:
        return None
    results = RESULTS[sets[0][0]]
    if results.mean is not None:
        return (results, results.mean) if {name for _, name, _ in sets} == set(results.sets) else None
    return results, sum(results.sets[name] * number for _, name, number in sets) / sum(pairs.values())


def _task_and_set(set_id: str) -> tuple[str, str]:
    """The task of a set, and the name of the set in its results; an empty name where there are none."""
    words = _WORD.findall(set_id)
    task = next((word for word in words if word in RESULTS), "2017")
    return task, next((word for word in words if word in RESULTS[task].sets), "")
