"""The importance of features in learned systems."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from cqa_spark.lake.schemas.rankings import FEATURE_IMPORTANCES
from cqa_spark.reports.evaluation import evaluation
from cqa_spark.reports.kit.blocks import Block, Cell, Details, Heading, Plot, Row, Span, Table, Text
from cqa_spark.reports.kit.svg import WIDE, Picture, group_role, named_bars
from cqa_spark.reports.kit.wording import MINUS, MISSING, points
from cqa_spark.reports.reasons import feature_label
from cqa_spark.reports.reported_run import ReportedRun
from cqa_spark.reports.section import Section


@dataclass(frozen=True)
class ReportedImportance:
    """The importance of a feature in a learned system.

    Attributes:
        system: name of the system.
        group: feature group.
        feature: name of the feature within the group.
        importance: share of the total importance, a fraction.
        direction: 1 if larger values raise the score, -1 if they lower it, 0 if unknown.
        about: meaning of the feature; empty if unknown.
    """

    system: str
    group: str
    feature: str
    importance: float
    direction: int
    about: str = ""

    @property
    def label(self) -> str:
        """Group and meaning, or the name where the meaning is unknown."""
        return feature_label(self.group, self.about) if self.about else self.feature


FEATURES_PER_SYSTEM = 200
"""Largest number of features of a system; the most important ones are kept."""

_GROUP = re.compile(r"(?P<group>.+?_v\d+)[^0-9A-Za-z]+(?P<feature>.+)")


@dataclass(frozen=True)
class Importances:
    """Feature importances of learned systems, most important first, and the ranked systems, best first."""

    features: tuple[ReportedImportance, ...]
    systems: tuple[str, ...]


def data(run: ReportedRun) -> Importances | None:
    """The most important features of each learned system."""
    entries = sorted(run.entries("feature_importances"), key=lambda entry: (-entry["importance"], entry["feature"]))
    features: list[ReportedImportance] = []
    for system in sorted({entry["system"] for entry in entries}):
        of_system = [entry for entry in entries if entry["system"] == system]
        meanings = run.meanings.get(system, {})
        for entry in of_system[:FEATURES_PER_SYSTEM]:
            group, name = split_feature(entry["feature"])
            meaning = meanings.get(entry["feature"], "")
            features.append(ReportedImportance(system, group, name, entry["importance"], entry["direction"], meaning))
    return Importances(tuple(features), run.once(evaluation).systems) if features else None


def split_feature(column: str) -> tuple[str, str]:
    """The group and the name of a feature column; the group of an unversioned column is ``other``."""
    match = _GROUP.fullmatch(column)
    return (match["group"], match["feature"]) if match else ("other", column)


FEATURES_SHOWN = 25
"""Largest number of bars in a plot."""


def blocks(importances: Importances) -> list[Block]:
    """A plot for each learned system, ranked ones first, and a table of all features."""
    totals: defaultdict[str, float] = defaultdict(float)
    for item in importances.features:
        totals[item.group] += item.importance
    ordered = sorted(totals, key=lambda group: (-totals[group], group))
    # A group has the same colour in all plots.
    roles = {group: group_role(index) for index, group in enumerate(ordered)}
    by_system: dict[str, list[ReportedImportance]] = {system: [] for system in importances.systems}
    for item in sorted(importances.features, key=lambda item: item.system):
        by_system.setdefault(item.system, []).append(item)
    shown: list[Block] = []
    for system, features in by_system.items():
        if not features:
            continue
        drawn = features[:FEATURES_SHOWN]
        used = {item.group for item in drawn}
        keys = tuple(Span(group, "key", address=roles[group]) for group in ordered if group in used)
        plot = Plot(f"features{len(shown)}", partial(plot_importances, drawn, roles), _CAPTION)
        of_system: list[Block] = [Text(keys, "legend"), plot]
        shown += [Details(system, of_system)] if shown else [Heading(system), *of_system]
    rows = []
    for item in importances.features:
        name = Cell(item.about, Span(item.feature, "code"), "prose") if item.about else Cell(item.feature, role="prose")
        effect = {1: "raises", -1: "lowers", 0: MISSING}[item.direction]
        rows.append(Row(item.system, (Cell(item.group), name, Cell(points(item.importance)), Cell(effect))))
    table = Table(
        "",
        "Share of total importance in each learned system.",
        ("System", "Group", "Feature", "Share, %", "Effect"),
        rows,
        ("Group", "Feature"),
        style="features",
    )
    return [*shown, Details("Table of all features", [table])]


_CAPTION = (
    f"Share of total importance, in percent, coloured by feature group. +: larger values raise the score; {MINUS}: "
    "they lower it; no sign: the ranker does not report a direction."
)

_LETTERS = 62
"""Characters on a line of a feature's name beside a wide plot."""

LETTERS_ABOVE = 54
"""Characters on a line of a feature's name above a bar of a narrow plot."""

LINES = 2
"""Largest number of lines of a feature's name."""

_SIGN = {1: " +", -1: f" {MINUS}", 0: ""}


def plot_importances(importances: Sequence[ReportedImportance], roles: Mapping[str, str], width: int) -> Picture:
    """Draw the share of each feature, most important first, of the total importance, in percent; roles are by group."""
    shares = [item.importance * 100 for item in importances]
    wide = width >= WIDE
    figure = named_bars(
        [item.about or item.feature for item in importances],
        shares,
        [f"{share:.1f}{_SIGN[item.direction]}" for item, share in zip(importances, shares, strict=True)],
        width,
        row=30 if wide else 48,
        thickness=0.5 if wide else 0.27,
        font=11,
        gap=4,
        room=0.16,
        colours=[roles[item.group] for item in importances],
        letters=_LETTERS if wide else LETTERS_ABOVE,
        lines=LINES,
        names_above=not wide,
    )
    return Picture(figure, _description(importances))


def _description(importances: Sequence[ReportedImportance]) -> str:
    shares = "; ".join(f"{item.label} {item.importance * 100:.1f} %" for item in importances[:10])
    return f"Share of total importance by feature: {shares}."


SECTION = Section("features", "Features", data, blocks, products=(FEATURE_IMPORTANCES,))
