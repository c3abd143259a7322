"""Results of the STS tasks of SemEval, Pearson's correlation as fractions: the system that won each year, by set."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple


class PublishedSets(NamedTuple):
    """Results of one task.

    Attributes:
        system: system with the results, or a description of the systems.
        source: publication and table.
        sets: correlation by the name of the set.
        mean: official mean over the sets; None where it includes sets that are not in ``sets``.
    """

    system: str
    source: str
    sets: Mapping[str, float]
    mean: float | None = None


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
        "Cer et al. 2017, SemEval-2017 Task 1: Semantic Textual Similarity, Table 10; the mean is that of ECNU",
        {
            "track1": 0.7543, "track2": 0.7493, "track3": 0.8559, "track4a": 0.8302, "track4b": 0.3407,
            "track5": 0.8547, "track6": 0.7706,
        },
        0.7316,
    ),
    "benchmark": PublishedSets(
        "ECNU",
        "Cer et al. 2017, SemEval-2017 Task 1: Semantic Textual Similarity, Table 14",
        {"sts-dev": 0.847, "sts-test": 0.810},
    ),
}  # fmt: skip
"""By year, or benchmark. The set names are those of the official files."""

_WORD = re.compile(r"[\w-]+")


def published_results(set_id: str) -> tuple[PublishedSets, float] | None:
    """The results of the task that a set belongs to, and the correlation on the set; None where there are none.

    Args:
        set_id: folder and name of the set, such as ``2014/OnWN.test``.
    """
    words = _WORD.findall(set_id)
    year = next((word for word in words if word in RESULTS), "2017")
    found = [RESULTS[year].sets[word] for word in words if word in RESULTS[year].sets]
    return (RESULTS[year], found[0]) if found else None
