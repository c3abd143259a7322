"""Ranks the pairs of a frame with a system: frames in memory, and those of Spark, which stay there."""

from __future__ import annotations

import atexit
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from os import PathLike, fspath
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TypeVar

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema

from cqa_spark.api.job import job
from cqa_spark.api.lake import Rows
from cqa_spark.errors import ConfigError, InputError
from cqa_spark.lake.model_folder import open_model_folder
from cqa_spark.settings.sections import ObjectStorageSettings
from cqa_spark.spark.frames import whole_groups
from cqa_spark.spark.internals import to_arrow_schema
from cqa_spark.spark.session import is_local_master
from cqa_spark.systems.system import System, read_system
from cqa_spark.systems.trained_system import load_recipe
from cqa_spark.task_contract.contract import Task
from cqa_spark.task_contract.contract import task as task_named

if TYPE_CHECKING:
    import pandas as pd


SITE = "frame"
"""The site of the pairs."""

REQUIRED = ("query_id", "query", "candidate_id", "candidate")
KEY = ("query_id", "candidate_id")


def require_columns(names: Sequence[str]) -> None:
    """Check the columns of pairs.

    Raises:
        InputError: columns are missing.
    """
    if missing := [name for name in REQUIRED if name not in names]:
        raise InputError(f"the pairs have no column {', '.join(missing)}", f"required: {', '.join(REQUIRED)}")


def community_in_spark(pairs: DataFrame, task: Task) -> dict[str, DataFrame]:
    """The community tables of a Spark frame of pairs, as ``community`` makes them; nothing is computed yet."""
    texts = pairs.withColumns({name: F.col(name).cast("string") for name in KEY})
    by_query = texts.repartition(KEY[0]).sortWithinPartitions(KEY[0])
    empty = to_arrow_schema(texts.schema).empty_table()
    return {
        name: by_query.mapInArrow(partial(_of_queries, name, task), from_arrow_schema(rows.schema))
        for name, rows in community(empty, task).items()
    }


def _of_queries(name: str, task: Task, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for pairs in whole_groups(batches, KEY[0]):
        yield from community(pairs, task)[name].combine_chunks().to_batches()


def community(pairs: pa.Table, task: Task) -> dict[str, pa.Table]:
    """The community tables of whole queries, whose ids are texts: posts, judgments, and comments if they are ranked."""
    for name in KEY:
        pairs = pairs.set_column(pairs.column_names.index(name), name, pc.cast(pairs[name], pa.string()))
    query = _selected(pairs, {"query_id": "post_id", "query": "body", "title": "subject", "asker_id": "user_id",
                              "asked_at": "created_at"})  # fmt: skip
    queries = query.group_by("post_id", use_threads=False).aggregate(
        [(name, "first") for name in query.column_names if name != "post_id"]
    )
    queries = queries.rename_columns([name.removesuffix("_first") for name in queries.column_names])
    candidate = {"candidate_id": task.candidate_id, "candidate": "body", "author_id": "user_id",
                 "answered_at": "created_at", "query_id": "thread_id"}  # fmt: skip
    candidates = _selected(pairs, candidate)
    judged = _selected(pairs, {"query_id": "query_id", "candidate_id": "candidate_id", "initial_rank": "initial_rank"})
    labels = pa.array(_labels(pairs, task), pa.string())
    names = pa.array([task.name] * len(pairs), pa.string())
    judged = judged.append_column("thread_id", judged["query_id"]).append_column("task", names)
    judgments = judged.append_column("label", labels)
    if task.candidate_id == "comment_id":
        comments = candidates.append_column("post_id", candidates["thread_id"])
        return {"posts": queries, "comments": comments, "judgments": judgments}
    posts = pa.concat_tables([queries, candidates], promote_options="default")
    return {"posts": posts, "judgments": judgments}


def _selected(pairs: pa.Table, columns: Mapping[str, str]) -> pa.Table:
    present = {name: new for name, new in columns.items() if name in pairs.column_names}
    return pairs.select(list(present)).rename_columns(list(present.values()))


def _labels(pairs: pa.Table, task: Task) -> list[str | None]:
    """The labels of the task.

    Raises:
        InputError: a value is neither a label, nor a grade, nor a boolean.
    """
    if "label" not in pairs.column_names:
        return [None] * len(pairs)
    labels_of_pairs = pairs["label"].to_pylist()
    if not task.grades:
        return [None if value is None else str(value) for value in labels_of_pairs]
    labels: dict[object, str] = {label: label for label in task.grades}
    labels |= {grade: label for label, grade in task.grades.items()}
    best, worst = (choose(task.grades, key=lambda label: task.grades[label]) for choose in (max, min))
    label_names: list[str | None] = []
    for value in labels_of_pairs:
        label = (best if value else worst) if isinstance(value, bool) else labels.get(value)
        if value is not None and label is None:
            raise InputError(
                f"label {value!r} is not known", f"give a boolean, or one of {', '.join(map(str, labels))}"
            )
        label_names.append(label)
    return label_names


Pairs = TypeVar("Pairs", "pd.DataFrame", pa.Table, DataFrame)
_RESULTS = ("score", "rank", "predicted")


def rank(
    pairs: Pairs, system: str | None = None, *, train: Pairs | None = None, model: str | PathLike[str] | None = None,
    folder: str | PathLike[str] | None = None, **settings: Any,
) -> Pairs:  # fmt: skip
    """Rank the candidates of each query.

    Args:
        pairs: a row per query and candidate: ``query_id``, ``query`` (text), ``candidate_id``, ``candidate`` (text);
            optional: ``title`` and ``asker_id`` of the query, ``author_id``, ``asked_at``, ``answered_at`` (times), and
            ``initial_rank``, from 1, for the order that is known. A pandas, Arrow or Spark frame.
        system: recipe, such as ``best_a``; its task says what candidates are. Not read with ``model``.
        train: pairs with ``label``: a boolean, a grade of the task, or one of its labels; for pairs of sentences, the
            similarity. Omit it with ``model``.
        model: folder of the trained system.
        folder: new folder for the pairs and the lake of the run, which stays; a ranked Spark frame reads it, on a
            cluster from a location that all machines see. Default: a temporary one, deleted when the result is in
            memory, or for a Spark frame when the process ends.
        settings: further settings of ``cqa rank`` or ``cqa score``.

    Returns:
        The frame, of the given kind, with ``score`` (higher is better), ``rank`` (from 1) and ``predicted`` (whether
        the candidate is predicted relevant). Rows of a Spark frame are not collected, and have no order.

    Raises:
        InputError: a column is missing, or a label is unknown.
        ConfigError: an unknown system, or neither ``train`` nor ``model``; or a Spark frame on a cluster without
            ``folder``.
    """
    task = task_named(_recipe(system, model, settings).task)
    for frame in (pairs, *([train] if train is not None else [])):
        require_columns(frame.columns if isinstance(frame, DataFrame) else _arrow(frame).column_names)
    with ExitStack() as held:
        if folder is None:
            folder = _temporary(pairs, held)
        ranked = _ranked(pairs, train, task, system, model, fspath(folder), settings)
        if isinstance(pairs, DataFrame):
            return _joined_in_spark(pairs, ranked.to_spark())
        joined = _joined(_arrow(pairs), ranked.to_arrow().select([*KEY, *_RESULTS]))
        return joined if isinstance(pairs, pa.Table) else joined.to_pandas()


def _recipe(system: str | None, model: str | PathLike[str] | None, settings: Mapping[str, Any]) -> System:
    """The recipe of a trained system, else the one of this name."""
    if model is not None:
        storage = ObjectStorageSettings(**settings.get("object_storage", {}))
        return load_recipe(open_model_folder(fspath(model), "trained_system", storage)).system
    if system is None:
        raise ConfigError(
            "no system is named", "name a recipe, such as best_a, or the folder of a trained one as model"
        )
    return read_system(system)


def _temporary(pairs: Pairs, held: ExitStack) -> str:
    """A folder that is deleted with what is held; for a Spark frame, when the process ends.

    Raises:
        ConfigError: a Spark frame whose executors may not see this machine's folders.
    """
    made = TemporaryDirectory(prefix="cqa-rank-")
    if not isinstance(pairs, DataFrame):
        return held.enter_context(made)
    if not is_local_master(pairs.sparkSession.sparkContext.master):
        raise ConfigError("executors cannot read a temporary folder of this machine", "name a shared one with folder=")
    atexit.register(made.cleanup)
    return made.name


def _ranked(
    pairs: Pairs, train: Pairs | None, task: Task, system: str | None, model: str | PathLike[str] | None, folder: str,
    settings: Mapping[str, Any],
) -> Rows:  # fmt: skip
    """The rankings of a job that reads the pairs as files."""
    files: dict[str, Any] = {"input": _write(pairs, f"{folder}/input", task)}
    if train is not None:
        files["train"] = [_write(train, f"{folder}/train", task)]
    name, ranker = ("rank", {"system": system}) if model is None else ("score", {"model": fspath(model)})
    locations = {"lake": f"{folder}/lake", "predictions": f"{folder}/predictions"}
    run = job(name, **files, **ranker, **locations, corpus="tables", site=SITE, **settings).run()
    assert run is not None, "the job has a lake"
    return run.rankings()


def _arrow(frame: pd.DataFrame | pa.Table) -> pa.Table:
    return frame if isinstance(frame, pa.Table) else pa.Table.from_pandas(frame, preserve_index=False)


def _write(pairs: Pairs, folder: str, task: Task) -> str:
    """Write pairs as community tables, and return the folder."""
    if not isinstance(pairs, DataFrame):
        Path(folder).mkdir(parents=True)
        for name, rows in community(_arrow(pairs), task).items():
            pq.write_table(rows, f"{folder}/{name}.parquet")
        return folder
    for name, table in community_in_spark(pairs, task).items():
        table.write.parquet(f"{folder}/{name}.parquet")
    return folder


def _joined(pairs: pa.Table, ranked: pa.Table) -> pa.Table:
    """The pairs in their order, with the columns of the rankings."""
    texts = [f"_{name}" for name in KEY]
    keyed = pairs.append_column("_row", pa.array(range(len(pairs))))
    for name, text in zip(KEY, texts, strict=True):
        keyed = keyed.append_column(text, pc.cast(pairs[name], pa.string()))
    joined = keyed.join(ranked, texts, list(KEY)).sort_by("_row")
    return joined.drop_columns(["_row", *texts])


def _joined_in_spark(pairs: DataFrame, ranked: DataFrame) -> DataFrame:
    """The pairs with the columns of the rankings."""
    texts = {name: f"_{name}" for name in KEY}
    results = ranked.select(*[F.col(name).alias(text) for name, text in texts.items()], *_RESULTS)
    same = [F.col(name).cast("string") == F.col(text) for name, text in texts.items()]
    return pairs.join(results, on=same, how="left").drop(*texts.values())
