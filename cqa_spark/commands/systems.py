"""``cqa systems``: lists of systems, as tables of 80 columns or as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from cqa_spark.config.conf_files import conf_files, origin_of
from cqa_spark.config.file_commands import CatalogueSettings, ShowSystemSettings
from cqa_spark.plugins import OURS
from cqa_spark.process.terminal import Column, Terminal, TextTable
from cqa_spark.systems.shipped_models import shipped_card
from cqa_spark.systems.system import System, known_systems, read_recipe


def print_systems(settings: CatalogueSettings) -> None:
    """Print all systems."""
    systems = [read_recipe(name) for name in known_systems()]
    if settings.format == "json":
        print(json.dumps([_as_data(system) for system in systems], indent=2))
    else:
        Terminal().table(systems_table(systems))


def systems_table(systems: list[System]) -> TextTable:
    """A row for each system."""
    columns = Column("system", whole=True), Column("task", whole=True), "about"
    caption = (
        "faithful, partial, surrogate, modern substitute: how a recipe relates to the published system; "
        "cqa systems show NAME"
    )
    table = TextTable(*columns, title="Systems", caption=caption)
    for system in systems:
        relation = f" ({system.faithfulness})" if system.faithfulness else ""
        table.add_row(system.name, system.task, f"{system.about}{relation}{_of_the_user(system)}")
    return table


def _of_the_user(system: System) -> str:
    origin = _origin(system)
    return "" if origin == OURS else f" ({origin})"


def print_system(settings: ShowSystemSettings) -> None:
    """Print the recipe of a system, and the card of its model if the package ships one."""
    system, card = read_recipe(settings.name), shipped_card(settings.name)
    if settings.format == "json":
        described = {} if card is None else {"card": card.model_dump(mode="json")}
        print(json.dumps(_as_data(system) | described, indent=2))
        return
    Terminal().table(system_table(system))
    if card is None:
        return
    from cqa_spark.commands.model_cards import card_tables  # slow import of NumPy

    for table in card_tables(card):
        Terminal().table(table)


def system_table(system: System) -> TextTable:
    """A row for each statement of a recipe."""
    table = TextTable(Column("", whole=True), "", title=f"{system.name}: {system.about}", has_headings=False)
    for name, text in _stated(system):
        if text:
            table.add_row(name, text)
    return table


def _stated(system: System) -> Iterator[tuple[str, str]]:
    yield "task", system.task
    yield "from", _origin(system)
    yield "feature groups", ", ".join(system.feature_groups)
    yield "ranker", system.ranker.name
    yield "parameters", "\n".join(f"{name}: {value}" for name, value in system.ranker.parameters.items())
    yield "upstream", ", ".join(system.upstream)
    if system.paper:
        yield "paper", f"{system.paper.title}. {system.paper.where}, {system.paper.table}"
    yield "recipe is", system.faithfulness or ""
    yield "reproduces", system.reproduces
    yield "replaces", system.replaces
    yield "missing", system.missing
    for data, expected in system.expected.items():
        measures = ", ".join(f"{name} {100 * value:.2f}" for name, value in expected.measures.items())
        yield f"on {data}", f"{measures} ({expected.source})"


def _as_data(system: System) -> dict[str, Any]:
    return system.model_dump(mode="json", exclude_defaults=True) | {"origin": _origin(system)}


def _origin(system: System) -> str:
    return origin_of(conf_files("systems")[system.name])
