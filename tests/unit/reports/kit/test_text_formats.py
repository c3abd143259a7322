"""Formats of lists of names."""

from __future__ import annotations

from cqa_spark.reports.kit.text import listed


def test_a_long_list_ends_with_the_number_of_other_names() -> None:
    assert listed(["a", "b"], 2) == "a, b"
    assert listed([str(number) for number in range(1202)], 2) == "0, 1 and 1,200 more"
