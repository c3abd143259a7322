"""Systems: recipes of feature groups and a ranker, in ``conf/systems/NAME.yaml``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from cqa_spark.errors import ConfigError, InputError
from cqa_spark.features.feature_table import feature_names, missing_groups
from cqa_spark.features.group import LearningGroup
from cqa_spark.features.registry import FEATURE_GROUPS, group_class
from cqa_spark.lake.run import Run
from cqa_spark.lake.schemas.examples import LEFT_OUT_GROUPS
from cqa_spark.process.terminal import Terminal
from cqa_spark.rankers.cross_fitted import CrossFittedRanker
from cqa_spark.rankers.model import BaselineModel
from cqa_spark.rankers.random_order import RandomOrderRanker
from cqa_spark.rankers.ranker import RANKERS, Ranker, RankerSpec, build_ranker
from cqa_spark.settings.conf_files import conf_files
from cqa_spark.settings.suggestions import known_names
from cqa_spark.settings.yaml import read_yaml

Mistake = tuple[str, str]
"""A problem of a recipe, and its remedy."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Expected(_Part):
    """Expected results of the system on a data set: fractions by measure, and their source."""

    source: str
    measures: dict[str, float]


class Paper(_Part):
    """The publication of a system and its results.

    Attributes:
        title: authors, year and title of the system's own paper, or of the overview paper if it has none.
        where: proceedings, or the overview that reports on the system.
        table: the table or section with the expected results.
    """

    title: str
    where: str
    table: str


class System(_Part):
    """A recipe.

    Attributes:
        name: the file's name without ``.yaml``.
        task: the task whose examples it ranks.
        about: description, one sentence.
        feature_groups: names of the feature groups, in order; one of a module is named ``module:class``.
        ranker: ranker that maps features to scores.
        upstream: systems of other tasks whose scores are features of this one; at most one per task.
        expected: expected results by data set and split, such as ``semeval2016_dev``.
        data_set: data set that ``cqa reproduce`` trains and ranks on; null for an unpublished system.
        paper: publication of the system; null for an unpublished system.
        faithfulness: how closely the recipe follows the published system. faithful: all of it, except for word vectors
            and other resources, which are trained on the same kind of text; partial: its main method, but not all
            parts; surrogate: other main methods, so that its results say little about the published system; modern
            substitute: a pretrained model that was published later does part of its work, so that a higher score is no
            reproduction.
        reproduces: reproduced parts of the published system.
        replaces: replaced parts, with their replacements.
        missing: parts without a replacement.
    """

    name: str
    task: str
    about: str
    feature_groups: tuple[str, ...] = ()
    ranker: RankerSpec
    upstream: tuple[str, ...] = ()
    expected: dict[str, Expected] = Field(default_factory=dict)
    data_set: str | None = None
    paper: Paper | None = None
    faithfulness: Literal["faithful", "partial", "surrogate", "modern substitute"] | None = None
    reproduces: str = ""
    replaces: str = ""
    missing: str = ""

    def features(self) -> tuple[str, ...]:
        """The feature columns of the system's DataFrames, in order."""
        return feature_names(self.feature_groups)

    def build(self) -> Ranker[Any]:
        """The system's ranker, unfitted."""
        return build_ranker(self.ranker.name, self.ranker.parameters)

    def reads_texts(self) -> bool:
        """Whether its ranker uses words in addition to features."""
        return self.build().parameters.reads_texts()

    def computation(self) -> dict[str, Any]:
        """The fields that scores depend on: a recipe may be described otherwise without making its models unusable."""
        return self.model_dump(include={"name", "task", "feature_groups", "ranker", "upstream"})

    def missing_features(self) -> tuple[str, ...]:
        """The features named by the ranker's parameters but missing from the feature groups."""
        features = self.features()
        return tuple(name for name in self.build().parameters.needs_features() if name not in features)


def known_systems() -> tuple[str, ...]:
    """Names of the systems in ``conf/systems``, and of those of the user, in alphabetical order."""
    return tuple(conf_files("systems"))


def read_system(name: str) -> System:
    """Read and check one system; Spark is not started.

    Args:
        name: the system's name.

    Raises:
        ConfigError: unknown system, or its file has mistakes; all of them are listed.
    """
    path = conf_files("systems").get(name, Path())
    system = _with_modules(read_recipe(name), path.parent)
    _refuse(path, _content_mistakes(system, path))
    return system


def read_recipe(name: str) -> System:
    """Read one system for display, without checking its feature groups and ranker.

    Args:
        name: the system's name.

    Raises:
        ConfigError: unknown system, or the structure of its file is invalid; all mistakes are listed.
    """
    files = conf_files("systems")
    if name not in files:
        raise ConfigError(f"unknown system {name}", known_names(name, files, "systems", "cqa systems list"))
    return _parse(read_yaml(files[name]).value, files[name])


def _with_modules(system: System, folder: Path) -> System:
    """Register the groups and the rankers that a recipe names by their modules, and use their names.

    Args:
        system: the recipe.
        folder: that of its file, where modules are looked up, too.

    Raises:
        ConfigError: another plug-in has the name of one of them.
        EnvironmentProblem: one cannot be imported.
    """
    groups = tuple(FEATURE_GROUPS.add(name, folder) if ":" in name else name for name in system.feature_groups)

    def registered(part: Any) -> Any:
        """A ranker's name and parameters, in which members of an ensemble have names and parameters, too."""
        if isinstance(part, list | tuple):
            return [registered(item) for item in part]
        if not isinstance(part, Mapping):
            return part
        inner = {key: registered(value) for key, value in part.items()}
        name = inner.get("name")
        if isinstance(name, str) and ":" in name and inner.keys() <= RankerSpec.model_fields.keys():
            return inner | {"name": RANKERS.add(name, folder)}
        return inner

    ranker = RankerSpec.model_validate(registered(system.ranker.model_dump()))
    return system.model_copy(update={"feature_groups": groups, "ranker": ranker})


def _parse(values: Any, path: Path) -> System:
    try:
        return System.model_validate(values)
    except ValidationError as error:
        _refuse(path, _shape_mistakes(error))
        raise


def _refuse(path: Path, mistakes: Iterable[Mistake]) -> None:
    """Refuse a recipe with all its mistakes; without mistakes, do nothing."""
    listed = "\n".join(f"  - {problem}\n      → {remedy}" for problem, remedy in mistakes)
    if listed:
        raise ConfigError(f"{path} is invalid:\n{listed}", "correct the file; nothing was read or written")


def _shape_mistakes(error: ValidationError) -> Iterator[Mistake]:
    """Mistakes of the file's structure: keys and types of values."""
    parts: dict[str, type[BaseModel]] = {"ranker": RankerSpec, "expected": Expected, "paper": Paper}
    for mistake in error.errors():
        location = mistake["loc"]
        key = ".".join(map(str, location)) or "the file"
        if mistake["type"] == "extra_forbidden":
            owner = parts.get(str(location[0]), System) if len(location) > 1 else System
            yield f"unknown key {key}", known_names(str(location[-1]), tuple(owner.model_fields), "keys")
        else:
            yield f"{key}: {mistake['msg']}", "see the other files in the folder for examples"


def _content_mistakes(system: System, path: Path) -> Iterator[Mistake]:
    """Mistakes that need feature groups and the ranker to be found."""
    if system.name != path.stem:
        yield f"name is {system.name}, the file is {path.name}", "name the system like its file"
    if (system.paper is None) != (system.faithfulness is None):
        yield (
            "paper and faithfulness must be given together: one of them is missing",
            "state whether the recipe of a published system is faithful, partial, surrogate or modern substitute",
        )
    mistakes = []
    for check in (*[partial(group_class, name) for name in system.feature_groups], system.build):
        try:
            check()
        except ConfigError as error:
            mistakes.append((error.problem, error.remedy))
    yield from mistakes
    if not mistakes:  # the features are known only with all groups and the ranker
        for feature in system.missing_features():
            yield f"the ranker needs {feature}", known_names(feature, system.features(), "features of these groups")


# Several systems of a job.


def read_systems(names: Iterable[str]) -> list[System]:
    """The systems of these names, from ``conf/systems``."""
    return [read_system(name) for name in names]


def descriptions(names: Iterable[str]) -> dict[str, str]:
    """Descriptions of systems by name; systems without a recipe in ``conf/systems`` are omitted."""
    known = known_systems()
    return {name: read_recipe(name).about for name in names if name in known}


def task_of(systems: Iterable[System]) -> str:
    """The common task of the systems.

    Raises:
        ConfigError: the systems are for several tasks; the error lists the task of each.
    """
    tasks = {system.name: system.task for system in systems}
    if len(set(tasks.values())) > 1:
        listed = ", ".join(f"{name} ({task})" for name, task in tasks.items())
        raise ConfigError(f"the systems are for several tasks: {listed}", "rank one task at a time")
    return next(iter(tasks.values()))


def at_random(systems: Iterable[System]) -> frozenset[str]:
    """The names of the systems that rank at random, whose measures are expected values."""
    return frozenset(system.name for system in systems if system.ranker.name == RandomOrderRanker.name)


def groups_of(systems: Iterable[System]) -> list[str]:
    """The feature groups that any of the systems needs, each once, in the order of first use."""
    return list(dict.fromkeys(group for system in systems for group in system.feature_groups))


def learn(systems: Iterable[System]) -> bool:
    """Whether any of the systems learns from labels; the others order by one column."""
    return any(not issubclass(system.build().model_type, BaselineModel) for system in systems)


def learn_choices(systems: Iterable[System]) -> bool:
    """Whether any of the systems learns from undecided nights as well."""
    return any(system.build().learns_choices for system in systems)


def are_fitted(systems: Iterable[System]) -> bool:
    """Whether any of the systems learns, from labels or from other training data, by its ranker or by a group."""
    systems = list(systems)
    return learn(systems) or any(issubclass(group_class(name), LearningGroup) for name in groups_of(systems))


def cross_fitted(system: System, folds: int) -> System:
    """The system with out-of-fold scores of its training examples; itself if it has them or learns nothing."""
    if system.ranker.name == CrossFittedRanker.name or not learn([system]):
        return system
    ranker = RankerSpec(name=CrossFittedRanker.name, parameters={"member": system.ranker.model_dump(), "folds": folds})
    return system.model_copy(update={"ranker": ranker})


def rank_by_words(systems: Iterable[System]) -> bool:
    """Whether the ranker of any of the systems reads texts."""
    return any(system.reads_texts() for system in systems)


def usable_systems(run: Run, systems: Sequence[System]) -> list[System]:
    """The systems without feature groups that were omitted on every site.

    A system without any other group, or whose ranker sorts by a feature of such a group, is omitted with a warning.

    Args:
        run: a run whose features are computed.
        systems: the recipes.

    Raises:
        InputError: no system is left.
    """
    left_out = {entry["feature_group"] for entry in run.entries_or_none(LEFT_OUT_GROUPS)}
    absent = missing_groups(run, left_out)  # groups that were left out on some sites have values of the others
    usable = []
    for system in systems:
        groups = tuple(group for group in system.feature_groups if group not in absent)
        reduced = system.model_copy(update={"feature_groups": groups})
        if groups == system.feature_groups:
            usable.append(system)
        elif groups and not reduced.missing_features():
            usable.append(reduced)
        else:
            Terminal(stderr=True).line(f"warning: system {system.name} is left out: its features were not computed")
    if not usable:
        raise InputError(f"all systems need {', '.join(sorted(absent))}", "read complete dumps, or name other systems")
    return usable
