"""Systems: recipes of feature groups and a ranker, in ``conf/systems/NAME.yaml``.

Feature groups and rankers are imported only when a recipe is checked or used, so that listing systems is fast.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from cqa_spark.errors import ConfigError
from cqa_spark.rankers.registry import RankerSpec
from cqa_spark.settings.conf_files import conf_files
from cqa_spark.settings.suggestions import known_names
from cqa_spark.settings.yaml import read_yaml

if TYPE_CHECKING:
    from cqa_spark.rankers.ranker import Ranker

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
        from cqa_spark.features.feature_table import feature_names

        return feature_names(self.feature_groups)

    def build(self) -> Ranker[Any]:
        """The system's ranker, unfitted."""
        from cqa_spark.rankers.registry import build_ranker

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
    from cqa_spark.features.registry import FEATURE_GROUPS
    from cqa_spark.rankers.registry import RANKERS

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
    from cqa_spark.features.registry import group_class

    if system.name != path.stem:
        yield f"name is {system.name}, the file is {path.name}", "name the system like its file"
    if (system.paper is None) != (system.faithfulness is None):
        yield (
            "paper and faithfulness must be given together: one of them is missing",
            "state whether the recipe of a published system is faithful, partial, surrogate or modern substitute",
        )

    checks: list[Callable[[], object]] = [partial(group_class, name) for name in system.feature_groups]
    mistakes = []
    for check in (*checks, system.build):
        try:
            check()
        except ConfigError as error:
            mistakes.append((error.problem, error.remedy))
    yield from mistakes
    if not mistakes:  # the features are known only with all groups and the ranker
        for feature in system.missing_features():
            yield f"the ranker needs {feature}", known_names(feature, system.features(), "features of these groups")
