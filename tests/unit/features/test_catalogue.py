"""What people read about the groups in a terminal."""

from __future__ import annotations

from io import StringIO

from rich.console import Console

from cqa_spark.features.catalogue import list_groups, show_group
from cqa_spark.features.registry import known_groups
from cqa_spark.process.terminal import Terminal, TextTable


def _printed(what: TextTable) -> str:
    printed = StringIO()
    Terminal(Console(file=printed)).table(what)
    return printed.getvalue()


def test_the_list_has_a_line_for_every_group() -> None:
    lines = _printed(list_groups()).splitlines()
    for name in known_groups():
        assert [line.split()[0] for line in lines].count(name) == 1
    (lexicon,) = [line for line in lines if line.startswith("lexicon_v2 ")]
    assert "candidate" in lexicon
    assert "labels, cross-fitted" in lexicon


def test_a_group_is_shown_with_meaning_source_and_missing_value() -> None:
    printed = _printed(show_group("author_activity_v1"))
    assert "entity: author; learns from: training texts" in printed
    (row,) = [line for line in printed.splitlines() if "log_questions" in line]
    assert "ln(1 + questions asked)" in row
    assert "Nicosia et al. 2015" in row
    assert "-1" in row


def test_a_plain_group_learns_from_nothing() -> None:
    assert "learns from: nothing" in _printed(show_group("dialogue_v1"))
