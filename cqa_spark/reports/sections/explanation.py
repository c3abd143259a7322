"""Why a system ranked the candidates of one thread as it did, in the terminal and on a page with waterfalls."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from cqa_spark.process.terminal import Terminal
from cqa_spark.reports.kit.blocks import Banner, Block, Heading, Plot, Span, Text, forum
from cqa_spark.reports.kit.svg import Picture, short, waterfall
from cqa_spark.reports.kit.wording import count, score, signed
from cqa_spark.reports.reasons import FeatureContribution, feature_value
from cqa_spark.reports.section import Head, Reported, Section, itself

_LABELS = {True: "relevant", False: "not relevant", None: "unjudged"}


_LETTERS = 40
"""Of the meaning of a feature beside its value."""


@dataclass(frozen=True)
class Explained(Reported):
    """A thread as ranked by a system.

    Attributes:
        system: name of the system.
        site: site of the thread.
        thread: id of the thread.
        split: split of the thread.
        candidates: id, score, relevance (None if unjudged) and strongest contributions; best first.
        reasons: what distinguishes each of them from its neighbour, in the same order; empty where nothing is said.
        totals: the sum of all contributions of each, in the same order: how far its score is from the mean score of the
            training examples, on the ranker's own scale.
    """

    system: str
    site: str
    thread: str
    split: str
    candidates: tuple[tuple[str, float, bool | None, tuple[FeatureContribution, ...]], ...]
    reasons: tuple[str, ...] = ()
    totals: tuple[float, ...] = ()


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


def banner(explained: Explained) -> Banner:
    """The thread and the system."""
    return Banner(
        title=f"Thread {explained.thread} · {explained.system}",
        provenance=f"cqa explain, system {explained.system}",
        eyebrow=(f"{explained.site} · ", Span(explained.split, "bold")),
        heading=f"Thread {explained.thread}",
        facts=[("candidates", count(len(explained.candidates))), ("system", explained.system)],
        legend="From the mean score of the training examples, at zero, feature by feature to the candidate's score, on "
        "the ranker's scale: log odds for classifiers.",
    )


def blocks(explained: Explained) -> Iterator[Block]:
    """For each candidate, best first, what was said of it, and its waterfall."""
    yield Heading("Candidates", 2)
    said = iter(explained.reasons)
    named = zip(explained.candidates, explained.totals, strict=True)
    for rank, ((candidate, value, relevant, contributions), total) in enumerate(named, start=1):
        yield Heading((f"{rank}. ", forum(candidate)), 3)
        reason = next(said, "")
        yield Text(f"score {score(value)}, {_LABELS[relevant]}{f'; {reason}' if reason else ''}")
        if contributions:
            yield Plot(f"candidate-{rank}", partial(_waterfall, contributions, total), "Contributions to the score")


def _waterfall(contributions: tuple[FeatureContribution, ...], total: float, width: int) -> Picture:
    steps = [(f"{short(shown.plain, _LETTERS)} = {feature_value(shown)}", shown.by) for shown in contributions]
    if others := total - sum(by for _, by in steps):
        steps.append(("all other features", others))
    names, values = [name for name, _ in steps], [by for _, by in steps]
    figure = waterfall(names, values, "score, above the mean", width)
    return Picture(figure, "; ".join(f"{name}: {signed(by)}" for name, by in steps))


HEAD: Head[Explained, Explained] = Head(itself, banner)

SECTION: Section[Explained, Explained] = Section(
    "candidates", "Candidates", itself, lambda explained: list(blocks(explained))
)
