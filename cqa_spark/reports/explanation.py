"""Why a system ranked the candidates of one thread as it did, for a terminal."""

from __future__ import annotations

from dataclasses import dataclass

from rich.console import Console
from rich.text import Text

from cqa_spark.reports.content.stories import Push
from cqa_spark.reports.wording import feature_value, score, signed

_LABELS = {True: "relevant", False: "not relevant", None: "not judged"}


@dataclass(frozen=True)
class Explained:
    """A thread as a system ranks it.

    Attributes:
        system: the system.
        site: community of the thread.
        thread: its id.
        split: the part that it belongs to.
        candidates: id, score, whether it is relevant, and what moved its score most; best first.
    """

    system: str
    site: str
    thread: str
    split: str
    candidates: tuple[tuple[str, float, bool | None, tuple[Push, ...]], ...]


def print_explanation(found: Explained, console: Console) -> None:
    """Print the candidates, best first, each with the features that moved its score most."""
    learned_from = ", which the system learned from" if found.split == "train" else ""
    heading = f"{found.system} on {found.site}, thread {found.thread} of the {found.split} part{learned_from}"
    console.print(heading, highlight=False, soft_wrap=True)
    for place, (candidate, value, relevant, pushes) in enumerate(found.candidates, start=1):
        line = f"\n{place}. {candidate}  score {score(value)}  {_LABELS[relevant]}"
        console.print(Text(line, style="bold" if relevant else ""))
        for push in pushes:
            text = f"   {signed(push.by):>8}  {push.feature} = {feature_value(push)}"
            console.print(Text(text, style="green" if push.by > 0 else "red"))
