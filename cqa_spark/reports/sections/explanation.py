"""Prints why a system ranked the candidates of one thread as it did."""

from dataclasses import dataclass

from cqa_spark.process.terminal import Terminal
from cqa_spark.reports.kit.wording import score
from cqa_spark.reports.reasons import FeatureContribution, feature_value, signed

_LABELS = {True: "relevant", False: "not relevant", None: "unjudged"}


@dataclass(frozen=True)
class Explained:
    """A thread as ranked by a system.

    Attributes:
        system: name of the system.
        site: site of the thread.
        thread: id of the thread.
        split: split of the thread.
        candidates: id, score, relevance (None if unjudged) and strongest contributions; best first.
        reasons: what distinguishes each of them from its neighbour, in the same order; empty where nothing is said.
    """

    system: str
    site: str
    thread: str
    split: str
    candidates: tuple[tuple[str, float, bool | None, tuple[FeatureContribution, ...]], ...]
    reasons: tuple[str, ...] = ()


def console(explained: Explained, terminal: Terminal) -> None:
    """Print the candidates, best first, each with the features that contributed most to its score."""
    seen = ", seen in training" if explained.split == "train" else ""
    terminal.line(
        f"{explained.system} on {explained.site}, thread {explained.thread} of the {explained.split} split{seen}"
    )
    said = iter(explained.reasons)
    for rank, (candidate, value, relevant, contributions) in enumerate(explained.candidates, start=1):
        terminal.line()
        line = f"{rank}. {candidate}  score {score(value)}  {_LABELS[relevant]}"
        terminal.line(line, style="bold" if relevant else "")
        if reason := next(said, ""):
            terminal.line(f"   {reason}")
        for contribution in contributions:
            text = f"   {signed(contribution.by):>8}  {contribution.label} = {feature_value(contribution)}"
            terminal.line(text, style="green" if contribution.by > 0 else "red")
