"""Reproduced results beside the published ones."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from cqa_spark.evaluation.files.semeval import JudgedPopulation, in_words
from cqa_spark.process.terminal import Column, Terminal, TextTable, number
from cqa_spark.reports.kit.wording import MISSING, points, readable, signed_points

STANDARD_ERRORS = 2
"""Largest difference of results that count as equal, in standard errors of ours."""

NEAR = 0.02
"""Largest difference, a fraction, of results that count as near: that of another tokeniser or solver, say."""

MEASURE = "MAP@10"
"""The measure of random and best orders."""

_ROUNDED = 0.00006
"""Published values have four digits."""


@dataclass(frozen=True)
class Reproduced:
    """One recipe on one split of its data set.

    Attributes:
        system: name of the recipe.
        task: name of the task.
        part: split of the data set, such as ``semeval2016 dev``.
        faithfulness: what the recipe is of the published system: faithful, partial, surrogate or modern substitute;
            empty if it is none.
        ours: reproduced value by measure, fractions; empty if it could not be measured.
        errors: standard error of the reproduced value by measure, fractions.
        published: published value by measure, fractions; empty if there is none.
        source: source of the published values.
        missing: what is missing for the reproduction; empty if nothing is.
        population: the queries of the part, with the values of a random and of the best order by ``MEASURE``; None if
            the part was not measured, or its task has other measures.
    """

    system: str
    task: str
    part: str
    faithfulness: str = ""
    ours: Mapping[str, float] = field(default_factory=dict)
    errors: Mapping[str, float] = field(default_factory=dict)
    published: Mapping[str, float] = field(default_factory=dict)
    source: str = ""
    missing: str = ""
    population: JudgedPopulation | None = None


@dataclass(frozen=True)
class About:
    """The notes of a recipe by heading, such as what it replaces."""

    system: str
    notes: Mapping[str, str]


def agreement(ours: float | None, published: float | None, error: float | None, faithfulness: str) -> str:
    """Whether a reproduced value is OK, near, or differs; empty if either is unknown, or the recipe is not faithful.

    A recipe that replaces or lacks parts of the published system may come near by chance, and one with a model that was
    published later may exceed it.

    Args:
        ours: the reproduced value, a fraction; None if unknown.
        published: the published value, rounded to four digits; None if unknown.
        error: standard error of the reproduced value; None if unknown.
        faithfulness: grade of the recipe.
    """
    if ours is None or published is None or faithfulness != "faithful":
        return ""
    apart = round(abs(ours - published), 6)
    if apart <= STANDARD_ERRORS * (error or 0.0) + _ROUNDED:
        return "OK"
    return "near" if apart <= NEAR else "differs"


def console(results: Sequence[Reproduced], recipes: Iterable[About], terminal: Terminal) -> None:
    """Print the results, the tolerances, what is missing, and the notes of each recipe."""
    terminal.table(_table(results))
    tolerances = (
        f"OK: at most {STANDARD_ERRORS} standard errors apart; near: at most {points(NEAR)} points; "
        "only for faithful recipes"
    )
    terminal.line(f"{tolerances}; s.e.: standard error over queries; {MISSING}: not published or not measured")
    populations = {}
    for result in results:
        if result.population is not None:
            populations[f"{result.part} {result.task}"] = result.population
    for part, of_queries in populations.items():
        terminal.line(f"{readable(part)}: {in_words(of_queries, MEASURE)}")
    for result in results:
        if result.missing:
            terminal.line(f"{result.system}, {result.part}: {result.missing}")
    for recipe in recipes:
        terminal.line()
        terminal.line(recipe.system, style="bold")
        for heading, text in recipe.notes.items():
            if text:
                terminal.text(f"  {heading}: {text.strip()}")


def _table(results: Sequence[Reproduced]) -> TextTable:
    names = [Column(heading, whole=True) for heading in ("system", "recipe", "task", "data", "measure")]
    values = map(number, ("reproduced", "s.e.", "published", "difference"))
    table = TextTable(*names, *values, Column("verdict", whole=True), title="Reproduced and published results")
    for result in results:
        for measure in dict.fromkeys([*result.ours, *result.published]):
            ours, published = result.ours.get(measure), result.published.get(measure)
            table.add_row(
                result.system,
                result.faithfulness or MISSING,
                readable(result.task),
                result.part,
                measure,
                _shown(ours),
                _shown(result.errors.get(measure)),
                _shown(published),
                MISSING if ours is None or published is None else signed_points(ours - published),
                agreement(ours, published, result.errors.get(measure), result.faithfulness),
            )
    return table


def _shown(value: float | None) -> str:
    return MISSING if value is None else points(value)
