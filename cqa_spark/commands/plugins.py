"""``cqa tasks list``, ``cqa rankers list``, …: the plug-ins of a kind, with the packages that register them."""

import inspect
import json
from collections.abc import Callable
from functools import partial
from typing import Any

from cqa_spark.checks.check import CHECKS
from cqa_spark.corpora.source import CORPORA
from cqa_spark.evaluation.measures import MEASURES
from cqa_spark.object_store.store import OBJECT_STORES
from cqa_spark.plugins import PluginKind
from cqa_spark.process.terminal import Column, Terminal, TextTable
from cqa_spark.rankers.registry import RANKERS
from cqa_spark.reports.kinds import SECTIONS
from cqa_spark.settings.file_commands import CatalogueSettings
from cqa_spark.task_contract.contract import TASKS
from cqa_spark.text.encoders.encoder import ENCODERS


def print_plugins(kind: PluginKind[Any], settings: CatalogueSettings) -> None:
    """Print a row for each plug-in of a kind; one that cannot be imported is named in a warning."""
    rows = [(name, _about(plugin), kind.registration(name).origin) for name, plugin in kind.load_all().items()]
    if settings.format == "json":
        print(json.dumps([{"name": name, "about": about, "origin": origin} for name, about, origin in rows], indent=2))
        return
    columns = Column(kind.noun, whole=True), "about", "from"
    Terminal().table(TextTable(*columns, title=kind.plural.capitalize(), rows=rows))


def _about(plugin: object) -> str:
    """The description that a plug-in declares, or the first line of its documentation."""
    declared = getattr(plugin, "about", None)
    return declared if isinstance(declared, str) else (inspect.getdoc(plugin) or "").partition("\n")[0]


Listing = Callable[[CatalogueSettings], None]

print_tasks: Listing = partial(print_plugins, TASKS)
print_rankers: Listing = partial(print_plugins, RANKERS)
print_measures: Listing = partial(print_plugins, MEASURES)
print_corpora: Listing = partial(print_plugins, CORPORA)
print_checks: Listing = partial(print_plugins, CHECKS)
print_report_sections: Listing = partial(print_plugins, SECTIONS)
print_object_stores: Listing = partial(print_plugins, OBJECT_STORES)
print_encoders: Listing = partial(print_plugins, ENCODERS)
