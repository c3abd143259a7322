"""The page of all measured figures: a section for each run, with its command, its systems and its provenance."""

from collections.abc import Iterator, Mapping
from typing import Any

from cqa_spark.systems.system import known_systems, read_recipe
from generators.markdown import code, page, plain, table
from generators.measured_runs import measured_runs
from generators.provenance import note

INTRO = """Every figure of quality that a page of this documentation shows or repeats, by run. Values are percent. A value
in brackets is a 95 % interval, and *minus* is the difference from another system on the same queries, with the p-value
of a paired test. [Results](../results.md) explains the main ones, [Provenance](provenance.md) has the inputs, and
[Benchmarks](../benchmarks.md) times and sizes."""


def measurements_page() -> str:
    """The figures of every run."""
    return page("Measurements", INTRO, *(block for name, run in sorted(measured_runs().items()) for block in _run(name, run)))


def _run(name: str, run: Mapping[str, Any]) -> Iterator[str]:
    columns = sorted({column for figures in run["systems"].values() for column in figures}, key=_position)
    rows = ([_system(system), *(figures.get(column, "") for column in columns)] for system, figures in run["systems"].items())
    yield f"## {name} {{ #{name.replace(' ', '-')} }}"
    yield f"{run['queries']:,} queries:"
    yield f"```\n{run['command']}\n```"
    yield table(["system", *columns], rows)
    yield f"*{note(name)}*"


def _position(column: str) -> tuple[bool, str]:
    """Differences stand behind values."""
    return column.startswith("minus"), column


def _system(name: str) -> str:
    """A system with its description, or the name of another row."""
    return f"{code(name)}: {plain(' '.join(read_recipe(name).about.split()))}" if name in known_systems() else code(name)
