"""The reference of feature groups, systems, measures and tables, from their declarations."""

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any

from cqa_spark.evaluation.measures import MEASURES
from cqa_spark.features.registry import described, known_groups
from cqa_spark.lake.journal import JournalTable
from cqa_spark.lake.schemas import declared_tables
from cqa_spark.lake.table import Table
from cqa_spark.rankers.model import BaselineModel
from cqa_spark.reports.kit.wording import counted
from cqa_spark.systems.system import System, known_systems, read_recipe
from generators.markdown import code, folded, page, plain, sentence, table


def features_page() -> str:
    """Every feature group with its columns, by family."""
    groups = sorted(map(described, known_groups()), key=lambda group: group["family"])
    intro = """A feature group is a named, versioned set of columns that describe one entity. The column `COLUMN` of the
group `GROUP` is the feature `GROUP__COLUMN`. Values of a group never change: other values are a new version.
`cqa features show NAME` prints the same. *Missing* replaces a value that is unknown."""
    blocks = [
        block
        for family, members in groupby(groups, key=lambda group: group["family"])
        for block in (f"## Family: {family}", *map(_group, members))
    ]
    return page("Feature groups", intro, *blocks)


def systems_page() -> str:
    """Every system: recipe, paper, and what the recipe reproduces, replaces and lacks."""
    systems = [read_recipe(name) for name in known_systems()]
    intro = """A system is a recipe in `conf/systems/`: feature groups, a ranker and its parameters. `cqa systems show
NAME` prints it, and `--systems NAME …` of `cqa run` trains it. [Reproductions](reproductions.md) compares published
scores with ours."""
    by_task = sorted(systems, key=lambda system: system.task)
    blocks = [
        block
        for task, members in groupby(by_task, key=lambda system: system.task)
        for block in (f"## {plain(task.replace('_', ' '))}", *map(_system, members))
    ]
    return page("Systems", intro, *blocks)


def measures_page() -> str:
    """Every measure with its definition and source."""
    rows = [
        [code(str(measure())), plain(measure.about), plain(measure.source)] for measure in MEASURES.load_all().values()
    ]
    intro = """Measures are written as shown; the number is the cutoff, and may be another one (`nDCG@20`). Tables show
percent; JSON, files and `cqa_spark.evaluate` hold fractions. Intervals are bootstrap intervals over queries, and
p-values are those of a paired randomization test, adjusted by Holm."""
    return page("Measures", intro, table(["measure", "definition", "source"], rows))


def tables_page() -> str:
    """Every table of a lake with its columns."""
    found = sorted(declared_tables().values(), key=lambda each: each.name)
    journal = [each for each in found if isinstance(each, JournalTable)]
    tables = [each for each in found if each not in journal]
    return page(
        "Tables",
        "A published table is a [Delta table](../how-to/read-results.md#delta-tables), `LAKE/tables/NAME`. A journal "
        "table is a file for each attempt of a run, `LAKE/runs/RUN.ATTEMPT/NAME.parquet`, with `run_id` as first "
        "column. See [Design](../design.md#the-lake).",
        "## Published tables",
        *map(_table, tables),
        "## Journal tables",
        *map(_table, journal),
    )


def _group(group: Mapping[str, Any]) -> str:
    rows = [
        [code(each["name"]), plain(each["about"]), plain(each["source"]), f"{each['missing']:g}"]
        for each in group["columns"]
    ]
    facts = f"Entity: {group['entity']}. Learns from: {group['learns_from']}."
    columns = folded(counted(len(rows), "column"), table(["column", "meaning", "source", "missing"], rows))
    return "\n\n".join([f"### {group['name']}", f"{sentence(plain(group['about']))} {facts}", columns])


def _system(system: System) -> str:
    lines = [f"- {name}: {text}" for name, text in _stated(system) if text]
    return "\n\n".join([f"### {system.name}", sentence(plain(system.about)), folded("Recipe", "\n".join(lines))])


def _stated(system: System) -> Iterator[tuple[str, str]]:
    yield "feature groups", ", ".join(f"[{name}](features.md#{name})" for name in system.feature_groups)
    yield "ranker", code(system.ranker.name)
    yield "parameters", ", ".join(code(f"{name}: {value}") for name, value in system.ranker.parameters.items())
    yield "predicts as relevant", _predicted(system)
    yield "upstream systems", ", ".join(f"[{name}](#{name})" for name in system.upstream)
    if system.paper:
        yield "paper", plain(f"{system.paper.title}. {system.paper.where}, {system.paper.table}")
    yield "the recipe is", system.faithfulness or ""
    yield "reproduces", plain(" ".join(system.reproduces.split()))
    yield "replaces", plain(" ".join(system.replaces.split()))
    yield "missing", plain(" ".join(system.missing.split()))


def _predicted(system: System) -> str:
    """The candidates that a system predicts relevant; empty for tasks whose measures ignore predictions."""
    if system.task in ("sts", "preferred_answer"):
        return ""
    ranker = system.build()
    if not issubclass(ranker.model_type, BaselineModel):
        return "candidates above a threshold, which is learned or a probability"
    predicts = ranker.parameters.model_dump().get("predict", "all")
    return {"all": "every candidate", "none": "no candidate"}.get(predicts, "")


def _table(declared: Table | JournalTable) -> str:
    rows = [
        [
            code(field.name),
            code(field.dataType.simpleString()),
            "" if field.nullable else "yes",
            plain(str(field.metadata.get("comment", ""))),
        ]
        for field in declared.columns
    ]
    facts = f"Key: {', '.join(map(code, declared.key))}."
    columns = folded(counted(len(rows), "column"), table(["column", "type", "required", "meaning"], rows))
    return "\n\n".join([f"### {declared.name}", f"{sentence(plain(declared.about))} {facts}", columns])
