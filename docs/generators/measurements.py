"""The page of all measured figures: a section for each run, with its command, its systems and its provenance."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from cqa_spark.systems.system import known_systems, read_recipe
from generators.markdown import code, page, plain, table
from generators.measured_runs import measured_runs
from generators.provenance import note

INTRO = """Every figure of quality that a page of this documentation shows or repeats, by run. Values are percent.
Brackets hold 95 % intervals, and *minus* is the difference from another system on the same queries, with the p-value of
a paired test. [Results](../results.md) explains the main ones, [Provenance](provenance.md) has the inputs, and
[Benchmarks](../benchmarks.md) times and sizes."""

COUNTS = {"nights", "threads"}
"""Columns that say of how much a figure is."""


def measurements_page() -> str:
    """The figures of every run."""
    return page(
        "Measurements", INTRO, *(block for name, run in sorted(measured_runs().items()) for block in _run(name, run))
    )


def _run(name: str, run: Mapping[str, Any]) -> Iterator[str]:
    systems: Mapping[str, Mapping[str, str]] = run["systems"]
    main = _main_measure(systems)
    rows = []
    for system, figures in systems.items():
        others = {column: figure for column, figure in figures.items() if column != main}
        differences = {column: others.pop(column) for column in list(others) if column.startswith("minus ")}
        shown = code(system)
        if system in known_systems():
            shown += f": {plain(' '.join(read_recipe(system).about.split()))}"
        rows.append([shown, figures.get(main, ""), _listed(others), _listed(differences)])
    yield f"## {name} {{ #{name.replace(' ', '-')} }}"
    yield f"{run['queries']:,} queries:"
    yield f"```\n{run['command']}\n```"
    yield table(["system", main, "other figures", "differences"], rows)
    yield f"*{note(name)}*"


def _main_measure(systems: Mapping[str, Mapping[str, str]]) -> str:
    """The measure with intervals, or the one that most systems have."""
    values = [
        (column, figure)
        for figures in systems.values()
        for column, figure in figures.items()
        if not column.startswith("minus ") and column not in COUNTS
    ]
    with_interval = [column for column, figure in values if "[" in figure]
    return Counter(with_interval or [column for column, _ in values] or [""]).most_common(1)[0][0]


def _listed(figures: Mapping[str, str]) -> str:
    return "; ".join(f"{plain(column)} {figure}" for column, figure in figures.items())
