"""Every file of the STS tasks is read in full."""

from __future__ import annotations

from pathlib import Path

import pytest

from cqa_spark.corpora.inputs import find_inputs
from cqa_spark.corpora.sts.ingest import StsFiles
from cqa_spark.corpora.sts.pairs import read_pairs

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
    rows = [row for file in found for row in read_pairs(Path(file.path).read_bytes())]
    assert [row for row in rows if row.problem] == []
    assert (len(rows), sum(row.score is not None for row in rows)) == COUNTS[folder]
