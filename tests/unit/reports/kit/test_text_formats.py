"""Formats of headings and of lists of names."""

from cqa_spark.reports.kit.wording import heading, listed


def test_a_long_list_ends_with_the_number_of_other_names() -> None:
    assert listed(["a", "b"], 2) == "a, b"
    assert listed([str(number) for number in range(1202)], 2) == "0, 1 and 1,200 more"


def test_headings_of_words_begin_with_a_capital_letter() -> None:
    assert [heading(text) for text in ("earlier question", "paper, small")] == ["Earlier question", "Paper, small"]


def test_names_are_not_changed_in_headings() -> None:
    names = ["nDCG@10", "first_answer", "beer.stackexchange.com (49)", ""]
    assert [heading(name) for name in names] == names
