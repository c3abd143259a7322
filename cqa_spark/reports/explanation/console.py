"""Prints why a system ranked the candidates of one thread as it did."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from cqa_spark.reports.explanation.content import Explained
from cqa_spark.reports.explanation.wording import feature_value, signed
from cqa_spark.reports.kit.console import print_line
from cqa_spark.reports.kit.numbers import score

_LABELS = {True: "relevant", False: "not relevant", None: "unjudged"}


def print_explanation(found: Explained, console: Console) -> None:
    """Print the candidates, best first, each with the features that contributed most to its score."""
    seen = ", seen in training" if found.split == "train" else ""
    print_line(f"{found.system} on {found.site}, thread {found.thread} of the {found.split} split{seen}", console)
    for place, (candidate, value, relevant, contributions) in enumerate(found.candidates, start=1):
        line = f"\n{place}. {candidate}  score {score(value)}  {_LABELS[relevant]}"
        console.print(Text(line, style="bold" if relevant else ""))
        for each in contributions:
            text = f"   {signed(each.by):>8}  {each.feature} = {feature_value(each)}"
            console.print(Text(text, style="green" if each.by > 0 else "red"))
