"""Ranks the pairs of a frame with a system, for data that is in memory."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike, fspath
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from cqa_spark.api.job import job
from cqa_spark.errors import InputError
from cqa_spark.examples.task import Task
from cqa_spark.examples.task import task as task_named
from cqa_spark.systems.system import read_system

if TYPE_CHECKING:
    import pandas as pd

SITE = "frame"
_REQUIRED = ("query_id", "query", "candidate_id", "candidate")
_KEY = ("query_id", "candidate_id")


def rank(
    pairs: pd.DataFrame | pa.Table, system: str, *, train: pd.DataFrame | pa.Table | None = None,
    model: str | PathLike[str] | None = None, **settings: Any,
) -> pd.DataFrame | pa.Table:  # fmt: skip
    """Rank the candidates of each query.

    Args:
        pairs: a row per query and candidate: ``query_id``, ``query`` (text), ``candidate_id``, ``candidate`` (text);
            optional: ``title`` and ``asker_id`` of the query, ``author_id``, ``asked_at``, ``answered_at`` (times), and
            ``initial_rank``, from 1, for the order that is known.
        system: recipe, such as ``best_a``; its task says what candidates are.
        train: pairs with ``label``: a boolean, a grade of the task, or one of its labels; for pairs of sentences, the
            similarity. Omit it with ``model``.
        model: folder of the trained system.
        settings: further settings of ``cqa rank`` or ``cqa score``.

    Returns:
        The frame, of the given kind, with ``score`` (higher is better), ``rank`` (from 1) and ``predicted`` (whether
        the candidate is predicted relevant).

    Raises:
        InputError: a column is missing, or a label is unknown.
        ConfigError: an unknown system, or neither ``train`` nor ``model``.
    """
    task, given_pairs = task_named(read_system(system).task), _arrow(pairs)
    with TemporaryDirectory(prefix="cqa-rank-") as folder:
        files: dict[str, Any] = {"input": _write(given_pairs, Path(folder) / "input", task)}
        if train is not None:
            files["train"] = [_write(_arrow(train), Path(folder) / "train", task)]
        name = "rank" if model is None else "score"
        given = {"system": system} if model is None else {"model": fspath(model)}
        lake, out = Path(folder) / "lake", Path(folder) / "predictions"
        run = job(name, **files, **given, corpus="tables", site=SITE, lake=lake, predictions=out, **settings).run()
        assert run is not None, "the job has a lake"
        ranked = run.rankings().to_arrow().select([*_KEY, "score", "rank", "predicted"])
    joined = _joined(given_pairs, ranked)
    return joined if isinstance(pairs, pa.Table) else joined.to_pandas()


def _arrow(frame: pd.DataFrame | pa.Table) -> pa.Table:
    table = frame if isinstance(frame, pa.Table) else pa.Table.from_pandas(frame, preserve_index=False)
    if missing := [name for name in _REQUIRED if name not in table.column_names]:
        raise InputError(f"the pairs have no column {', '.join(missing)}", f"required: {', '.join(_REQUIRED)}")
    return table


def _write(pairs: pa.Table, folder: Path, task: Task) -> str:
    """Write pairs as community tables, whose ids are texts, and return the folder."""
    folder.mkdir()
    for name in _KEY:
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
    if task.candidate_id == "comment_id":
        candidates = candidates.append_column("post_id", candidates["thread_id"])
        pq.write_table(candidates, folder / "comments.parquet")
    else:
        queries = pa.concat_tables([queries, candidates], promote_options="default")
    pq.write_table(queries, folder / "posts.parquet")
    judged = _selected(pairs, {"query_id": "query_id", "candidate_id": "candidate_id", "initial_rank": "initial_rank"})
    labels = pa.array(_labels(pairs, task), pa.string())
    names = pa.array([task.name] * len(pairs))
    judged = judged.append_column("thread_id", judged["query_id"]).append_column("task", names)
    pq.write_table(judged.append_column("label", labels), folder / "judgments.parquet")
    return str(folder)


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
    given = pairs["label"].to_pylist()
    if not task.grades:
        return [None if value is None else str(value) for value in given]
    labels: dict[object, str] = {label: label for label in task.grades}
    labels |= {grade: label for label, grade in task.grades.items()}
    best, worst = (choose(task.grades, key=lambda label: task.grades[label]) for choose in (max, min))
    found: list[str | None] = []
    for value in given:
        label = (best if value else worst) if isinstance(value, bool) else labels.get(value)
        if value is not None and label is None:
            raise InputError(
                f"label {value!r} is not known", f"give a boolean, or one of {', '.join(map(str, labels))}"
            )
        found.append(label)
    return found


def _joined(pairs: pa.Table, ranked: pa.Table) -> pa.Table:
    """The pairs in their order, with the columns of the rankings."""
    texts = [f"_{name}" for name in _KEY]
    keyed = pairs.append_column("_row", pa.array(range(len(pairs))))
    for name, text in zip(_KEY, texts, strict=True):
        keyed = keyed.append_column(text, pc.cast(pairs[name], pa.string()))
    joined = keyed.join(ranked, texts, list(_KEY)).sort_by("_row")
    return joined.drop_columns(["_row", *texts])
