"""Why a system ranked the candidates of one thread as it did, for a terminal."""

from __future__ import annotations

from dataclasses import dataclass

from cqa_spark.reports.content.stories import Push
from cqa_spark.reports.wording import feature_value, score, signed
from cqa_spark.terminal import Terminal

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


def print_explanation(found: Explained, terminal: Terminal) -> None:
    """Print the candidates, best first, each with the features that moved its score most."""
    learned_from = ", which the system learned from" if found.split == "train" else ""
    heading = f"{found.system} on {found.site}, thread {found.thread} of the {found.split} part{learned_from}"
    terminal.line(heading)
    for place, (candidate, value, relevant, pushes) in enumerate(found.candidates, start=1):
        terminal.line()
        line = f"{place}. {candidate}  score {score(value)}  {_LABELS[relevant]}"
        terminal.line(line, style="bold" if relevant else "")
        for push in pushes:
            text = f"   {signed(push.by):>8}  {push.feature} = {feature_value(push)}"
            terminal.line(text, style="green" if push.by > 0 else "red")
