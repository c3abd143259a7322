"""Prints why a system ranked the candidates of one thread as it did."""

from __future__ import annotations

from cqa_spark.process.terminal import Terminal
from cqa_spark.reports.explanation.content import Explained
from cqa_spark.reports.explanation.wording import feature_value, signed
from cqa_spark.reports.kit.numbers import score

_LABELS = {True: "relevant", False: "not relevant", None: "unjudged"}


def print_explanation(found: Explained, terminal: Terminal) -> None:
    """Print the candidates, best first, each with the features that contributed most to its score."""
    seen = ", seen in training" if found.split == "train" else ""
    terminal.line(f"{found.system} on {found.site}, thread {found.thread} of the {found.split} split{seen}")
    for place, (candidate, value, relevant, contributions) in enumerate(found.candidates, start=1):
        terminal.line()
        line = f"{place}. {candidate}  score {score(value)}  {_LABELS[relevant]}"
        terminal.line(line, style="bold" if relevant else "")
        for each in contributions:
            text = f"   {signed(each.by):>8}  {each.label} = {feature_value(each)}"
            terminal.line(text, style="green" if each.by > 0 else "red")
