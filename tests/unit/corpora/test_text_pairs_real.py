"""Every file of the STS tasks, and every pair of questions, is read in full."""

from collections import Counter
from pathlib import Path

import pytest

from cqa_spark.corpora.inputs import find_inputs
from cqa_spark.corpora.text_pairs.layouts import QUESTION_PAIRS, SENTENCE_PAIRS
from cqa_spark.corpora.text_pairs.pairs import read_pairs
from cqa_spark.corpora.text_pairs.reader import QuestionPairFiles, StsFiles

COUNTS = {
    "2012": (3842, 3842),
    "2013": (1500, 1500),
    "2014": (3750, 3750),
    "2015": (8500, 3000),
    "2016": (9183, 0),
    "2016-crosslingual": (1396, 0),
    "2017/official": (2000, 0),
    "2017/translated": (2000, 0),
    "benchmark": (8628, 7249),
}
"""Pairs of each folder, and how many of them have a score."""


@pytest.mark.parametrize("folder", COUNTS)
def test_all_lines_of_a_folder_are_pairs(cqa_data: Path, folder: str) -> None:
    found = find_inputs([cqa_data / "sts" / folder], "test", patterns=StsFiles.patterns)
    rows = [row for file in found for row in read_pairs(Path(file.path).read_bytes(), SENTENCE_PAIRS).rows]
    assert [row for row in rows if row.problem] == []
    assert (len(rows), sum(row.label is not None for row in rows)) == COUNTS[folder]


def test_all_lines_of_askubuntu_are_pairs_of_questions(cqa_data: Path) -> None:
    found = find_inputs([cqa_data / "askubuntu"], "test", patterns=QuestionPairFiles.patterns)
    rows = [row for file in found for row in read_pairs(Path(file.path).read_bytes(), QUESTION_PAIRS).rows]
    assert [row for row in rows if row.problem] == []
    assert Counter(row.label for row in rows) == {"PerfectMatch": 1000, "Irrelevant": 1000}
    assert not any("possible duplicate" in f"{row.one} {row.other}".lower() for row in rows)
