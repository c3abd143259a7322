"""``cqa systems``: systems as a table of 80 columns, as YAML or as JSON."""

import json
from collections.abc import Mapping
from typing import Any

import yaml

from cqa_spark.plugins import OURS
from cqa_spark.process.terminal import Column, Terminal, TextTable
from cqa_spark.settings.conf_files import conf_files, origin_of
from cqa_spark.settings.file_commands import CatalogueSettings, ShowSystemSettings
from cqa_spark.systems.reproduced_figures import reproduced_scores
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
    return TextTable(*columns, title="Systems", caption=caption, rows=map(_row, systems))


def _row(system: System) -> tuple[str, str, str]:
    relation = f" ({system.faithfulness})" if system.faithfulness else ""
    origin = "" if _origin(system) == OURS else f" ({_origin(system)})"
    return system.name, system.task, f"{system.about}{relation}{origin}"


def print_system(settings: ShowSystemSettings) -> None:
    """Print the recipe of a system with published and reproduced scores, and the card of its model if there is one."""
    system, card = read_recipe(settings.name), shipped_card(settings.name)
    reproduced = reproduced_scores().get(system.name, {})
    described = _as_data(system) | ({"reproduced": reproduced} if reproduced else {})
    if settings.format == "json":
        described |= {} if card is None else {"card": card.model_dump(mode="json")}
        print(json.dumps(described, indent=2))
        return
    if reproduced:
        described["reproduced"] = {part: _rounded(scores) for part, scores in reproduced.items()}
    print("# Fractions; expected: published, reproduced: ours, by cqa reproduce.")
    print(yaml.safe_dump(described, sort_keys=False, allow_unicode=True, width=100, default_flow_style=None), end="")
    if card is not None:
        from cqa_spark.commands.model_cards import card_tables  # slow import of NumPy

        for table in card_tables(card):
            print("\n".join(["#", *(f"# {line}".rstrip() for line in table.lines())]))


def _rounded(scores: Mapping[str, float]) -> dict[str, float]:
    """Scores with the digits that papers print."""
    return {measure: round(score, 4) for measure, score in scores.items()}


def _as_data(system: System) -> dict[str, Any]:
    return system.model_dump(mode="json", exclude_defaults=True) | {"origin": _origin(system)}


def _origin(system: System) -> str:
    return origin_of(conf_files("systems")[system.name])
