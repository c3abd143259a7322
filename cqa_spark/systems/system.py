"""A system: the recipe of feature groups and a ranker that ``conf/systems/NAME.yaml`` holds.

Feature groups and rankers are imported when a recipe is checked or used: lists of systems start without them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from cqa_spark.config.suggestions import known_names
from cqa_spark.config.yaml_files import named_files, read_yaml
from cqa_spark.errors import ConfigError
from cqa_spark.rankers.spec import RankerSpec

if TYPE_CHECKING:
    from cqa_spark.rankers.ranker import Ranker


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Expected(_Part):
    """What the system should reach on a data set.

    Attributes:
        source: where the numbers come from.
        measures: value by measure, fractions.
    """

    source: str
    measures: dict[str, float]


class Paper(_Part):
    """Where a published system and its figures are described.

    Attributes:
        title: authors, year and title of the system's own paper, or of the overview where it has none.
        where: proceedings, or the overview that reports on the system.
        table: the table or section that the expected figures are taken from.
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
        feature_groups: names of the groups that the ranker learns from, in order.
        ranker: ranker that maps features to scores.
        upstream: systems of other tasks whose scores are features of this one; at most one a task.
        expected: by data set and part, such as ``semeval2016_dev``.
        data_set: data set that ``cqa reproduce`` trains and ranks on; null for an unpublished system.
        paper: where a published system is described.
        faithfulness: what the recipe is of the published system. faithful: all of it, but for word vectors and other
            resources trained on the same kind of text; partial: its main method, and not all of its parts; surrogate:
            other methods in the place of its main ones, so that its figures say little of the published system's.
        reproduces: parts of the published system that are here.
        replaces: parts that are replaced, and their replacements.
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
    faithfulness: Literal["faithful", "partial", "surrogate"] | None = None
    reproduces: str = ""
    replaces: str = ""
    missing: str = ""

    def features(self) -> tuple[str, ...]:
        """The feature columns that the system's frames hold, in order."""
        from cqa_spark.features.assembly import feature_names

        return feature_names(self.feature_groups)

    def build(self) -> Ranker[Any]:
        """The system's ranker, before it has learned."""
        from cqa_spark.rankers.registry import build_ranker

        return build_ranker(self.ranker.name, self.ranker.parameters)

    def reads_texts(self) -> bool:
        """Whether its ranker learns from words, beside features."""
        return self.build().parameters.reads_texts()

    def missing_features(self) -> tuple[str, ...]:
        """The features that the ranker's parameters name and none of the groups has."""
        features = self.features()
        return tuple(name for name in self.build().parameters.needs_features() if name not in features)


def known_systems(conf_dir: Path | str) -> tuple[str, ...]:
    """Names of the systems in ``CONF_DIR/systems``, in alphabetical order."""
    return tuple(_files(conf_dir))


def read_system(conf_dir: Path | str, name: str) -> System:
    """Read and check one system; Spark is not started.

    Args:
        conf_dir: the folder that holds ``systems/``.
        name: the system's name.

    Raises:
        ConfigError: there is no such system, or its file has mistakes; all of them are named.
    """
    system = read_recipe(conf_dir, name)
    path = _files(conf_dir)[name]
    _refuse(path, _content_mistakes(system, path))
    return system


def read_recipe(conf_dir: Path | str, name: str) -> System:
    """Read one system to show it; its feature groups and ranker are not looked up.

    Args:
        conf_dir: the folder that holds ``systems/``.
        name: the system's name.

    Raises:
        ConfigError: there is no such system, or its file does not have the shape of one; all mistakes are named.
    """
    files = _files(conf_dir)
    if name not in files:
        raise ConfigError(f"unknown system {name}", known_names(name, files, "systems"))
    return _parse(read_yaml(files[name]).value, files[name])


def _files(conf_dir: Path | str) -> dict[str, Path]:
    return named_files(Path(conf_dir) / "systems")


def _parse(values: Any, path: Path) -> System:
    try:
        return System.model_validate(values)
    except ValidationError as error:
        _refuse(path, _shape_mistakes(error))
        raise


def _refuse(path: Path, mistakes: Iterator[tuple[str, str]]) -> None:
    found = list(mistakes)
    if found:
        listed = "\n".join(f"  - {problem}\n      → {remedy}" for problem, remedy in found)
        raise ConfigError(f"{path} is invalid:\n{listed}", "correct the file; nothing was read or written")


def _shape_mistakes(error: ValidationError) -> Iterator[tuple[str, str]]:
    for mistake in error.errors():
        key = ".".join(str(part) for part in mistake["loc"]) or "the file"
        if mistake["type"] == "extra_forbidden":
            yield f"unknown key {key}", known_names(str(mistake["loc"][-1]), _fields_at(mistake["loc"]), "keys")
        else:
            yield f"{key}: {mistake['msg']}", "see the other files in the folder for the shape of a system"


def _fields_at(location: tuple[int | str, ...]) -> tuple[str, ...]:
    parts: dict[str, type[BaseModel]] = {"ranker": RankerSpec, "expected": Expected, "paper": Paper}
    owner = parts.get(str(location[0]), System) if len(location) > 1 else System
    return tuple(owner.model_fields)


def _content_mistakes(system: System, path: Path) -> Iterator[tuple[str, str]]:
    from cqa_spark.features.registry import group_class

    if system.name != path.stem:
        yield f"name is {system.name}, the file is {path.name}", "name the system like its file"
    if (system.paper is None) != (system.faithfulness is None):
        yield (
            "paper and faithfulness belong together: one of them is missing",
            "say whether the recipe of a published system is faithful, partial or surrogate",
        )
    unknown = [mistake for name in system.feature_groups for mistake in _mistakes_of(partial(group_class, name))]
    unknown += _mistakes_of(system.build)
    yield from unknown or _features_not_there(system)


def _features_not_there(system: System) -> Iterator[tuple[str, str]]:
    for feature in system.missing_features():
        yield f"the ranker needs {feature}", known_names(feature, system.features(), "features of these groups")


def _mistakes_of(check: Callable[[], object]) -> Iterator[tuple[str, str]]:
    try:
        check()
    except ConfigError as error:
        yield error.problem, error.remedy
