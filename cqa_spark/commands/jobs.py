"""The jobs, one for each command: declared as ``JOBS`` by the modules of this folder, which are the list.

Help lists the jobs without importing their modules, and their modules import what runs a job when it runs: a command
line that needs no Spark starts without it, in a tenth of a second.
"""

from __future__ import annotations

import ast
import pkgutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from cqa_spark.settings.sections import Command, JobSettings
    from cqa_spark.settings.values import Checks

GROUPS = ("end to end", "single steps", "experiments", "on files", "setup", "inspection")
"""The headings of the overview, in its order."""

_DECLARATION = "\nJOBS = ("
"""Begins the last statement of a module that declares jobs."""


@dataclass(frozen=True)
class Job:
    """One command.

    The first three arguments, and ``step``, are literals, which the overview reads from the source.

    Attributes:
        name: one or two words, as typed.
        about: description in the list of commands.
        group: heading in the list of commands, of ``GROUPS``.
        settings: class of its settings.
        function: runs the job with its settings.
        flow: builds its flow, or its flows in order, from the settings, as the job runs it now; None for a job without
            one.
        preview: prints what the job would do with its settings, for a dry run.
        step: number in the order of a run; a group lists its commands by it, then by name.
    """

    name: str
    about: str
    group: str
    settings: type[Any]
    function: Callable[[Any], None]
    flow: Callable[[Any], Any] | None = None
    preview: Callable[[Any], None] | None = None
    step: int = 0


class Listing(NamedTuple):
    """An entry of the list of commands, which sorts as it is listed.

    Attributes:
        order: number of its group, and of its step in the group.
        name: one or two words, as typed.
        about: its description.
        module: name of the module that declares it, in this folder.
    """

    order: tuple[int, int]
    name: str
    about: str
    module: str

    @property
    def group(self) -> str:
        """Its heading."""
        return GROUPS[self.order[0]]


@cache
def listed_jobs() -> dict[str, Listing]:
    """All jobs by name, in the order of the overview, from the sources of the modules."""
    package = __name__.rpartition(".")[0]
    listings = []
    for module in pkgutil.iter_modules(import_module(package).__path__):
        if module.ispkg:
            continue
        source = (pkgutil.get_data(package, f"{module.name}.py") or b"").decode()
        start = source.rfind(_DECLARATION)
        if start < 0:
            continue
        # Parsing the declaration alone takes a tenth of the time of the whole module.
        [assignment] = ast.parse(source[start:]).body
        assert isinstance(assignment, ast.Assign), "the text starts with JOBS ="
        assert isinstance(assignment.value, ast.Tuple), "JOBS is a tuple"
        for call in assignment.value.elts:
            assert isinstance(call, ast.Call), "JOBS are calls of Job"
            name, about, group = (ast.literal_eval(argument) for argument in call.args[:3])
            step = next((ast.literal_eval(keyword.value) for keyword in call.keywords if keyword.arg == "step"), 0)
            listings.append(Listing((GROUPS.index(group), step), name, about, module.name))
    return {listing.name: listing for listing in sorted(listings)}


def load_job(name: str) -> Job:
    """The job of a name, from the module that declares it.

    Raises:
        KeyError: there is no such job.
    """
    module = import_module(f"{__name__.rpartition('.')[0]}.{listed_jobs()[name].module}")
    return next(job for job in module.JOBS if job.name == name)


def all_jobs() -> list[Job]:
    """All jobs, in the order of the overview."""
    return [load_job(name) for name in listed_jobs()]


def job_settings() -> list[type[JobSettings]]:
    """The settings of all jobs that read config files, whose keys a file may have."""
    from cqa_spark.settings.sections import JobSettings

    return [job.settings for job in all_jobs() if issubclass(job.settings, JobSettings)]


def plan(job: Job, settings: Command) -> str:
    """The settings, inputs and outputs of a job and the steps that it would run now, as ``--dry-run`` prints them.

    Args:
        job: the job.
        settings: its resolved settings.
    """
    from cqa_spark.settings.rendering import dry_run

    text = dry_run(f"cqa {job.name}", settings)
    if job.flow is None:
        return text
    planned = job.flow(settings)
    drawn = [flow.draw() for flow in (planned if isinstance(planned, list) else [planned])]
    return "\n".join([text, *(f"steps:\n{steps}" for steps in drawn)])


def checks() -> Checks:
    """The functions that refuse unknown names in settings, and names that do not fit together, by kind of name.

    What they look names up in is imported when they are called.
    """
    return {
        "task": partial(_look_up, "cqa_spark.task_contract.contract", "task"),
        "corpus": partial(_look_up, "cqa_spark.corpora.source", "require_file_format"),
        "source format": partial(_look_up, "cqa_spark.corpora.source", "require_format"),
        "data set": partial(_look_up, "cqa_spark.settings.datasets", "read_data_set"),
        "published table": partial(_look_up, "cqa_spark.evaluation.published", "read_published_table"),
        "package of data": partial(_look_up, "cqa_spark.settings.research_data", "read_package"),
        "embedding model": _check_embedding_model,
        "feature group": partial(_look_up, "cqa_spark.features.registry", "group_class"),
        "measure": partial(_look_up, "cqa_spark.evaluation.measures", "parse_measure"),
        "object store": partial(_look_up, "cqa_spark.object_store.store", "require_storage"),
        "system": partial(_look_up, "cqa_spark.systems.system", "read_system"),
        "systems of a run": _check_systems,
    }


def _look_up(module: str, function: str, name: str) -> None:
    getattr(import_module(module), function)(name)


def _check_embedding_model(name: str) -> None:
    from cqa_spark.text.encoders.model import EmbeddingModel

    EmbeddingModel.read(name)


def _check_systems(names: Sequence[str]) -> None:
    """Refuse systems of several tasks, and systems whose upstream systems do not fit."""
    from cqa_spark.steps.upstream import upstream_of
    from cqa_spark.systems.recipes import read_systems, task_of

    if systems := read_systems(names):
        task_of(systems)
        upstream_of(systems)
