"""Lists of plug-ins, feature groups and systems, as tables of 80 columns or as JSON."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

import yaml
from pydantic import Field

from cqa_spark.commands.jobs import Job
from cqa_spark.plugins import OURS
from cqa_spark.process.terminal import Column, Terminal, TextTable, number
from cqa_spark.settings.conf_files import conf_files, origin_of
from cqa_spark.settings.sections import Command, OutputFormat
from cqa_spark.settings.values import GroupName, Positional, Shown
from cqa_spark.systems.reproduced_figures import reproduced_scores

if TYPE_CHECKING:
    from cqa_spark.plugins import PluginKind
    from cqa_spark.systems.model_card import CardFigure, ModelCard
    from cqa_spark.systems.system import System


class CatalogueSettings(Command):
    """List all entries by name."""

    format: OutputFormat = "table"


def print_tasks(settings: CatalogueSettings) -> None:
    """Print the tasks."""
    from cqa_spark.task_contract.contract import TASKS

    _print_plugins(TASKS, settings)


def print_rankers(settings: CatalogueSettings) -> None:
    """Print the rankers."""
    from cqa_spark.rankers.registry import RANKERS

    _print_plugins(RANKERS, settings)


def print_measures(settings: CatalogueSettings) -> None:
    """Print the measures."""
    from cqa_spark.evaluation.measures import MEASURES

    _print_plugins(MEASURES, settings)


def print_corpora(settings: CatalogueSettings) -> None:
    """Print the source formats."""
    from cqa_spark.corpora.source import CORPORA

    _print_plugins(CORPORA, settings)


def print_checks(settings: CatalogueSettings) -> None:
    """Print the checks before publishing."""
    from cqa_spark.checks.check import CHECKS

    _print_plugins(CHECKS, settings)


def print_report_sections(settings: CatalogueSettings) -> None:
    """Print the sections of the reports of runs."""
    from cqa_spark.reports.kinds import SECTIONS

    _print_plugins(SECTIONS, settings)


def print_object_stores(settings: CatalogueSettings) -> None:
    """Print the object stores by scheme."""
    from cqa_spark.object_store.store import OBJECT_STORES

    _print_plugins(OBJECT_STORES, settings)


def print_encoders(settings: CatalogueSettings) -> None:
    """Print the programs that run embedding models."""
    from cqa_spark.text.encoders.encoder import ENCODERS

    _print_plugins(ENCODERS, settings)


def print_analysers(settings: CatalogueSettings) -> None:
    """Print the analysers of texts."""
    from cqa_spark.text.analysers.analyser import ANALYSERS

    _print_plugins(ANALYSERS, settings)


def _print_plugins(kind: PluginKind[Any], settings: CatalogueSettings) -> None:
    """Print a row for each plug-in of a kind; one that cannot be imported is named in a warning."""
    rows = []
    for name, plugin in kind.load_all().items():
        about = getattr(plugin, "about", None)
        if not isinstance(about, str):  # it declares no description: the first line of its documentation
            about = (inspect.getdoc(plugin) or "").partition("\n")[0]
        rows.append((name, about, kind.registration(name).origin))
    if settings.format == "json":
        print(json.dumps([{"name": name, "about": about, "origin": origin} for name, about, origin in rows], indent=2))
        return
    columns = Column(kind.noun, whole=True), "about", "from"
    Terminal().table(TextTable(*columns, title=kind.plural.capitalize(), rows=rows))


class ShowGroupSettings(CatalogueSettings):
    """Show the columns of a feature group: meaning, source, and replacement of nulls."""

    examples = ("cqa features show lexicon_v2",)

    name: Annotated[GroupName, Positional(), Field(description="feature group; see cqa features list")]


def print_groups(settings: CatalogueSettings) -> None:
    """Print all feature groups."""
    from cqa_spark.features.registry import FEATURE_GROUPS, described

    groups = [described(name) for name in FEATURE_GROUPS.load_all()]
    if settings.format == "json":
        print(json.dumps(groups, indent=2))
    else:
        Terminal().table(groups_table(groups))


def groups_table(groups: list[Mapping[str, Any]]) -> TextTable:
    """A row for each group, as ``described`` gives it."""
    first = Column("group", whole=True)
    caption = "family, sources and what a group learns from: cqa features show NAME"
    rows = ((group["name"], group["entity"], str(len(group["columns"])), with_origin(group)) for group in groups)
    return TextTable(first, "entity", number("columns"), "about", title="Feature groups", caption=caption, rows=rows)


def with_origin(entry: Mapping[str, Any]) -> str:
    """The description of an entry, and where it comes from unless it is ours."""
    return entry["about"] if entry["origin"].startswith(OURS) else f"{entry['about']} ({entry['origin']})"


def print_group(settings: ShowGroupSettings) -> None:
    """Print the columns of a feature group."""
    from cqa_spark.features.registry import described

    group = described(settings.name)
    if settings.format == "json":
        print(json.dumps(group, indent=2))
    else:
        Terminal().table(group_table(group))


def group_table(group: Mapping[str, Any]) -> TextTable:
    """The columns of a group with meaning, source and the value that replaces an unknown one."""
    caption = f"family: {group['family']}; entity: {group['entity']}; learns from: {group['learns_from']}"
    title = f"{group['name']}: {group['about']}"
    rows = (
        (column["name"], column["about"], column["source"], f"{column['missing']:g}") for column in group["columns"]
    )
    return TextTable("column", "meaning", "source", number("missing"), title=title, caption=caption, rows=rows)


class ShowSystemSettings(Command):
    """Show a system: feature groups, ranker with parameters, published scores and ours."""

    examples = ("cqa systems show best_a",)

    format: Annotated[Literal["yaml", "json"], Field(description="output format")] = "yaml"

    name: Annotated[str, Positional(), Shown("NAME"), Field(description="system; see cqa systems list")]


def print_systems(settings: CatalogueSettings) -> None:
    """Print all systems."""
    from cqa_spark.systems.system import known_systems, read_recipe

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
        origin = "" if _origin(system) == OURS else f" ({_origin(system)})"
        table.add_row(system.name, system.task, f"{system.about}{relation}{origin}")
    return table


def print_system(settings: ShowSystemSettings) -> None:
    """Print the recipe of a system with published and reproduced scores, and the card of its model if there is one."""
    from cqa_spark.systems.shipped_models import shipped_card
    from cqa_spark.systems.system import read_recipe

    system, card = read_recipe(settings.name), shipped_card(settings.name)
    reproduced = reproduced_scores().get(system.name, {})
    described = _as_data(system) | ({"reproduced": reproduced} if reproduced else {})
    if settings.format == "json":
        described |= {} if card is None else {"card": card.model_dump(mode="json")}
        print(json.dumps(described, indent=2))
        return
    if reproduced:
        described["reproduced"] = {
            part: {measure: round(score, 4) for measure, score in scores.items()}  # the digits that papers print
            for part, scores in reproduced.items()
        }
    print("# Fractions; expected: published, reproduced: ours, by cqa reproduce.")
    print(yaml.safe_dump(described, sort_keys=False, allow_unicode=True, width=100, default_flow_style=None), end="")
    if card is not None:
        for table in card_tables(card):
            print("\n".join(["#", *(f"# {line}".rstrip() for line in table.lines())]))


def _as_data(system: System) -> dict[str, Any]:
    return system.model_dump(mode="json", exclude_defaults=True) | {"origin": _origin(system)}


def _origin(system: System) -> str:
    return origin_of(conf_files("systems")[system.name])


def card_tables(card: ModelCard) -> Iterator[TextTable]:
    """The sites that a system learned from, and its backtest: by order of answers, and by band of nights."""
    from cqa_spark.lake.schemas.metrics import ALL, NIGHTS

    caption = f"version {card.version}; licence of the data: {card.licence}"
    sites = TextTable("learned from", *map(number, ("to", "threads", "with a label", "nights")), caption=caption)
    for site in card.sites:
        sites.add_row(site.site, *map(str, (site.newest, site.threads, site.labels, site.queries)))
    totals = zip(*((site.threads, site.labels, site.queries) for site in card.sites), strict=True)
    sites.add_row("all", "", *[str(sum(total)) for total in totals])
    yield sites
    if not card.figures:
        return
    first = card.figures[0].order
    orders = TextTable("order, on all nights", *map(number, ("P@1", "difference", "95 %", "p")), "from")
    bands = TextTable(f"{first}, by nights", *map(number, ("nights", "threads", "P@1", "difference", "95 %", "p")))
    for figure in card.figures:
        if (figure.population, figure.band) == (NIGHTS, ALL):
            orders.add_row(figure.order, *_difference(figure), figure.reference)
        if figure.order == first:
            band = figure.band if figure.population == NIGHTS else figure.population
            bands.add_row(band, str(figure.nights), str(figure.threads), *_difference(figure))
    yield orders
    yield bands


def _difference(figure: CardFigure) -> tuple[str, str, str, str]:
    interval = f"{100 * figure.low_difference:+.1f} to {100 * figure.high_difference:+.1f}"
    return f"{100 * figure.value:.1f}", f"{100 * figure.difference:+.1f}", interval, f"{figure.p_value:.3f}"


JOBS = (
    Job("tasks list", "list tasks, with the packages that register them", "inspection", CatalogueSettings, print_tasks),
    Job(
        "rankers list",
        "list rankers, with the packages that register them",
        "inspection",
        CatalogueSettings,
        print_rankers,
    ),
    Job(
        "measures list",
        "list measures, with the packages that register them",
        "inspection",
        CatalogueSettings,
        print_measures,
    ),
    Job(
        "corpora list",
        "list source formats, with the packages that register them",
        "inspection",
        CatalogueSettings,
        print_corpora,
    ),
    Job(
        "checks list",
        "list checks before publishing, with the packages that register them",
        "inspection",
        CatalogueSettings,
        print_checks,
    ),
    Job(
        "report-sections list",
        "list sections of the reports of runs, with the packages that register them",
        "inspection",
        CatalogueSettings,
        print_report_sections,
    ),
    Job(
        "object-stores list",
        "list object storage by scheme, with the packages that register them",
        "inspection",
        CatalogueSettings,
        print_object_stores,
    ),
    Job(
        "encoders list",
        "list programs that run embedding models, with the packages that register them",
        "inspection",
        CatalogueSettings,
        print_encoders,
    ),
    Job(
        "analysers list",
        "list text analysers, with the packages that register them",
        "inspection",
        CatalogueSettings,
        print_analysers,
    ),
    Job("features list", "list feature groups", "inspection", CatalogueSettings, print_groups),
    Job("features show", "show the columns of a feature group", "inspection", ShowGroupSettings, print_group),
    Job(
        "systems list",
        "list systems: recipes of feature groups and a ranker",
        "inspection",
        CatalogueSettings,
        print_systems,
    ),
    Job(
        "systems show",
        "show a system's feature groups, ranker, parameters, published scores and ours",
        "inspection",
        ShowSystemSettings,
        print_system,
    ),
)
