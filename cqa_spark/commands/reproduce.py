"""``cqa reproduce``: published systems, trained on their data set and scored against the official gold labels."""

from __future__ import annotations

import json
import tempfile
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from cqa_spark.commands.jobs import Job
from cqa_spark.errors import ConfigError, InputError
from cqa_spark.process.terminal import Terminal
from cqa_spark.settings.datasets import DataSet, read_data_set
from cqa_spark.settings.rendering import config_yaml, flat_settings
from cqa_spark.settings.research_data import data_folder, file_names, locate
from cqa_spark.settings.sections import FeatureSettings, ObjectStorageSettings, OptionalLake, TrackedSettings
from cqa_spark.settings.values import (
    DataSetName,
    InputFile,
    NotHashed,
    OutputFile,
    OutputFolder,
    Positional,
    SystemNames,
    is_remote,
)
from cqa_spark.systems.reproduced_figures import ERRORS, POPULATIONS, VALUES, Figures

if TYPE_CHECKING:
    from cqa_spark.commands.reproduced_scores import EvaluatedPart
    from cqa_spark.corpora.source import Source
    from cqa_spark.reports.sections.reproduction import About, Reproduced
    from cqa_spark.runtime.flow import Flow
    from cqa_spark.systems.system import System


class ReproduceSettings(TrackedSettings):
    """Train and evaluate published systems on their data sets, and compare with the published scores."""

    examples = (
        "cqa reproduce given_order kelp_2016_a --data semeval",
        "cqa reproduce --all --output build/reproduced",
        "cqa reproduce best_a --data-set semeval2016 --scores figures.json",
        "cqa reproduce best_sts samsung_2016_sts --data-set sts2015",
    )

    lake: OptionalLake = ""
    recipes: Annotated[
        SystemNames, Positional(), Field(description="published systems, with a data set in their recipe")
    ] = ()
    data_set: DataSetName = Field(
        default="", description="data set in conf/datasets, for any systems; default: that of each recipe"
    )
    all: bool = Field(default=False, description="reproduce all published systems")
    data: InputFile = Field(
        default="",
        description="folder of the data sets; default: CQA_DATA, else data in the user's cache; see cqa data where",
    )
    output: Annotated[
        OutputFolder, NotHashed(), Field(description="output folder for the official prediction files")
    ] = "build/reproduced"
    scores: Annotated[OutputFile | None, NotHashed()] = Field(
        default=None,
        description="JSON file of scores to update; its other entries stay; default: scores.json in the output folder",
    )
    features: FeatureSettings = FeatureSettings()

    @classmethod
    def contradictions(cls, values: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
        """Neither recipes nor all."""
        if not values.get("recipes") and not values.get("all"):
            yield "recipes", "no recipes", "name recipes, or give --all"

    def reads(self) -> list[str]:
        """The data sets of the recipes."""
        return [f"{self.data or data_folder()}: files listed in conf/datasets"]

    def writes(self) -> list[str]:
        """The prediction files and the scores."""
        tables = [f"{self.lake}: tables of a run per data set and task"] if self.lake else []
        scores = self.scores or "scores.json"
        return [f"{self.output}: a prediction file per recipe and part", f"{scores}: updated", *tables]


def reproduce(settings: ReproduceSettings) -> None:
    """Run the recipes, grouped by data set and task, and print their scores next to the published ones."""
    from cqa_spark.commands.reproduced_scores import SCORES, scores_json
    from cqa_spark.object_store.locations import write_file
    from cqa_spark.reports.sections import reproduction
    from cqa_spark.reports.sections.reproduction import Reproduced
    from cqa_spark.runtime.mlflow import tracked

    systems = chosen_systems(settings)
    grouped: dict[tuple[str, str, tuple[str, ...]], list[System]] = defaultdict(list)
    for system in systems:
        # A run has one upstream system per task: recipes with different ones need separate runs.
        grouped[settings.data_set or str(system.data_set), system.task, system.upstream].append(system)
    sets = {name: read_data_set(name) for name, *_ in grouped}
    for (name, task, _), members in grouped.items():
        tasks = sets[name].tasks()
        if task not in tasks:
            raise ConfigError(
                f"{', '.join(system.name for system in members)}: data set {name} has no queries of the task {task}",
                f"its tasks: {', '.join(sorted(tasks))}",
            )
    scores = settings.scores or f"{settings.output.rstrip('/')}/{SCORES}"
    earlier, outcomes = _figures(scores, settings.object_storage), list[Reproduced]()
    data = settings.data or data_folder()
    with tracked(settings), local_data(data, sets.values(), settings.object_storage) as folder:
        for name, data_set in sets.items():
            if absent := [path for path in data_set.train if not locate(folder, path).exists()]:
                raise InputError(
                    f"data set {name}: {folder} lacks {', '.join(absent)}",
                    "give the folder of the data sets with --data; cqa data list, and cqa data where NAME, say where "
                    "they come from",
                )
        for (name, task, _), members in grouped.items():
            outcomes += _reproduce_together(settings, folder, sets[name], task, members)
            # The scores of finished runs stay if a later one fails.
            write_file(scores, scores_json(outcomes, earlier).encode(), settings.object_storage)
    reproduction.console(outcomes, map(_about, systems), Terminal())
    Terminal().line(f"scores: {scores}")
    if settings.tracking.enabled:
        _track(outcomes, settings)


def chosen_systems(settings: ReproduceSettings) -> list[System]:
    """The systems to reproduce.

    Raises:
        ConfigError: a named system has no data set, and none is given.
    """
    from cqa_spark.systems.recipes import read_systems
    from cqa_spark.systems.system import known_systems

    if settings.all:
        names = known_systems()
        return [system for system in read_systems(names) if system.data_set is not None]
    systems = read_systems(settings.recipes)
    loose = [system.name for system in systems if system.data_set is None]
    if loose and not settings.data_set:
        raise ConfigError(
            f"{', '.join(loose)}: the recipe names no data set to reproduce it on",
            "give --data-set, or name recipes with data_set; cqa run trains any system on any files",
        )
    return systems


def _figures(path: str, storage: ObjectStorageSettings) -> Figures:
    """The contents of a file of figures; nothing if there is no file.

    Raises:
        InputError: the file has other contents.
    """
    from cqa_spark.object_store.locations import find_files, local_source

    if not (find_files(path, storage) if is_remote(path) else Path(path).exists()):
        return {}
    with local_source(path, storage) as file:
        try:
            figures = json.loads(file.read_text(encoding="utf-8"))
        except ValueError:
            figures = None
    if not isinstance(figures, dict) or not figures.keys() <= {VALUES, ERRORS, POPULATIONS}:
        raise InputError(
            f"{path} is no file of scores of cqa reproduce", "name another file with --scores, or remove it"
        )
    return figures


@contextmanager
def local_data(folder: str, sets: Collection[DataSet], storage: ObjectStorageSettings) -> Iterator[Path]:
    """The folder of the data sets, or a local copy of the files of these sets if it is remote.

    Args:
        folder: folder of the data sets, local or in a bucket.
        sets: the data sets to copy.
        storage: object storage settings.
    """
    from cqa_spark.object_store.locations import fetch, find_files

    if not is_remote(folder):
        yield Path(folder)
        return
    with tempfile.TemporaryDirectory(prefix="cqa-data-") as copies:
        for path in dict.fromkeys(path for data in sets for path in data.paths()):
            for name in file_names(path):
                sibling = str(Path(path).with_name(name))
                if find_files(f"{folder.rstrip('/')}/{sibling}", storage):
                    fetch(f"{folder.rstrip('/')}/{sibling}", Path(copies, sibling), storage)
                    break
        yield Path(copies)


def _reproduce_together(
    settings: ReproduceSettings, folder: Path, data: DataSet, task: str, systems: Sequence[System]
) -> list[Reproduced]:
    """A run for recipes of one data set, task and upstream, and one for cross-validation where the data set has it."""
    from cqa_spark.commands.reproduced_scores import EvaluatedPart, score_parts
    from cqa_spark.lake.schemas.examples import CROSS_VALIDATED

    parts = [
        EvaluatedPart(name, locate(folder, part.input), locate(folder, part.gold[task]) if task in part.gold else None)
        for name, part in data.parts.items()
    ]
    held_out = [part for part in parts if part.is_there()]
    if held_out:
        _train_and_rank(settings, folder, data, systems, held_out)
    if task in data.cross_validation:
        gold = locate(folder, data.cross_validation[task])
        training = EvaluatedPart(CROSS_VALIDATED, locate(folder, data.train[0]), gold)
        _train_and_rank(settings, folder, data, systems, [training])
        parts.append(training)
    outcomes: list[Reproduced] = []
    for system in systems:
        predictions = {part: _predictions(settings, data, system, part) for part in parts}
        outcomes += score_parts(system, data, predictions, settings.object_storage)
    return outcomes


def _train_and_rank(
    settings: ReproduceSettings,
    folder: Path,
    data: DataSet,
    systems: Sequence[System],
    parts: Sequence[EvaluatedPart],
) -> None:
    """One run: train the recipes, and write their predictions for each part."""
    from cqa_spark.corpora.source import file_source
    from cqa_spark.lake.schemas.community import UNANNOTATED
    from cqa_spark.lake.schemas.examples import CROSS_VALIDATED
    from cqa_spark.runtime.workspace import run_flow, temporary_lake

    every_fold = parts[0].name == CROSS_VALIDATED
    by_split = {"train": [str(locate(folder, path)) for path in data.train]}
    by_split |= {part.name: [str(part.input)] for part in parts if not every_fold}
    unannotated = [locate(folder, path) for path in data.unannotated]
    if present := [str(path) for path in unannotated if path.exists()]:
        by_split[UNANNOTATED] = present
    if absent := [path.name for path in unannotated if not path.exists()]:
        Terminal(stderr=True).line(f"data set {data.name}: without {', '.join(absent)}, which {folder} lacks")
    source = file_source(data.corpus, by_split, site=data.site, storage=settings.object_storage)
    predictions = {
        (system.name, part.name): _predictions(settings, data, system, part) for system in systems for part in parts
    }
    # A named lake keeps a run per data set and task, each with its own id.
    names = [settings.run_id or "reproduce", data.name, systems[0].task, *systems[0].upstream]
    run_id = "-".join([*names, *([CROSS_VALIDATED] if every_fold else [])])
    of_run = {"run_id": run_id, "recipes": tuple(system.name for system in systems)}
    untracked = settings.tracking.model_copy(update={"enabled": False})  # the scores of all runs are logged together
    one_run = settings.model_copy(update={**of_run, "tracking": untracked})
    flow = reproduction_flow(
        source,
        data.corpus,
        systems,
        settings.features,
        leave_out=data.leave_out,
        predictions=predictions,
        every_fold=every_fold,
    )
    if not is_remote(settings.output):
        Path(settings.output).mkdir(parents=True, exist_ok=True)
    with temporary_lake(one_run) as job:
        run_flow(flow, job)


def reproduction_flow(
    source: Source,
    corpus: str,
    systems: Sequence[System],
    features: FeatureSettings,
    *,
    leave_out: Sequence[str],
    predictions: Mapping[tuple[str, str], str],
    every_fold: bool = False,
) -> Flow:
    """Train published systems of one task and rank the evaluation files of their data set, or its training queries.

    Args:
        source: files of the data set.
        corpus: name of their format.
        systems: recipes of one task, with the same upstream systems.
        features: folds of the cross-fitting, and the cut of as-of groups.
        leave_out: training threads that an evaluation file also contains.
        predictions: file for the predictions of each system and split.
        every_fold: rank each training query by models of the other folds.
    """
    from cqa_spark.experiments.experiment import EveryFold, RankEveryQuery
    from cqa_spark.flows import learning
    from cqa_spark.runtime.flow import Flow
    from cqa_spark.steps.ingest import Ingest
    from cqa_spark.steps.pair import Pair
    from cqa_spark.steps.predictions import WritePredictions
    from cqa_spark.steps.score import Score
    from cqa_spark.steps.upstream import tasks_of
    from cqa_spark.systems.recipes import task_of

    task = task_of(systems)
    files = (WritePredictions(path, system, task, split) for (system, split), path in predictions.items())
    return Flow(
        "reproduce",
        (
            Ingest(source, corpus),
            Pair(tasks_of(systems), leave_out=leave_out),
            *learning(systems, task, features, every_fold=every_fold),
            RankEveryQuery(systems, EveryFold(features.folds)) if every_fold else Score(systems, task),
            *files,
        ),
    )


def _predictions(settings: ReproduceSettings, data: DataSet, system: System, part: EvaluatedPart) -> str:
    return f"{settings.output.rstrip('/')}/{system.name}.{data.name}_{part.name}.pred"


def _about(system: System) -> About:
    from cqa_spark.reports.sections.reproduction import About

    paper = system.paper
    figures = {f"figures of {part}": expected.source for part, expected in system.expected.items()}
    notes = {
        "paper": f"{paper.title}; {paper.where}" if paper else "",
        **figures,
        "reproduces": system.reproduces,
        "replaces": system.replaces,
        "missing": system.missing,
    }
    return About(system.name, notes)


def _track(outcomes: Sequence[Reproduced], settings: ReproduceSettings) -> None:
    """Log a run to MLflow, with a child for each system: its measures by part of the data set."""
    from cqa_spark.runtime.mlflow import LoggedTrial, metric_name, track_trials

    by_system: dict[str, dict[str, float]] = defaultdict(dict)
    for outcome in outcomes:
        measures = {metric_name(outcome.part, measure): value for measure, value in outcome.ours.items()}
        by_system[outcome.system].update(measures)
    logged = [LoggedTrial(system, {}, measures) for system, measures in by_system.items()]
    parameters = flat_settings(config_yaml(settings))
    track_trials(settings.tracking, settings.run_id or "reproduce", parameters, logged, "reproduced")


JOBS = (
    Job(
        "reproduce",
        "train and evaluate published systems, and compare with the published scores",
        "experiments",
        ReproduceSettings,
        reproduce,
    ),
)
