"""How many queries and candidates examples have, by task, label and split."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.examples.task import task as task_named

QUERIES, CANDIDATES, NOT_JUDGED = "queries", "candidates", "not judged"


class LabelCount(NamedTuple):
    """A number of a task.

    Attributes:
        task: name of the task.
        label: ``queries``, ``candidates``, the labels of a grade, or ``not judged``.
        split: the split.
        number: how many there are.
    """

    task: str
    label: str
    split: str
    number: int


def label_counts(examples: DataFrame) -> list[LabelCount]:
    """The statistics that Nakov et al. (2017) print in Tables 1 to 3: by task and label, the training split first.

    Repeats of a thread are no examples, so they do not count.

    Args:
        examples: the table ``examples``; it is aggregated by task, split and grade.
    """
    of_split = examples.groupBy("task", "split").agg(
        F.count_distinct("site", "query_id").alias(QUERIES), F.count(F.lit(1)).alias(CANDIDATES)
    )
    not_judged = F.col("label").isNull() & F.col("similarity").isNull()
    of_grade = examples.groupBy("task", "split", "label").agg(
        F.count(F.lit(1)).alias("number"), F.count_if(not_judged).alias(NOT_JUDGED)
    )
    totals, grades = of_split.collect(), of_grade.collect()
    found = [LabelCount(row["task"], name, row["split"], row[name]) for row in totals for name in (QUERIES, CANDIDATES)]
    for row in grades:
        if row["label"] is not None:
            name = " or ".join(label for label, grade in _labels(row["task"]) if grade == row["label"])
            found.append(LabelCount(row["task"], name, row["split"], row["number"]))
        elif row[NOT_JUDGED]:
            found.append(LabelCount(row["task"], NOT_JUDGED, row["split"], row[NOT_JUDGED]))
    return sorted(found, key=_order)


def label_table(counts: Sequence[LabelCount]) -> Iterator[str]:
    """The lines of a Markdown section with a column for each split; none without counts."""
    if not counts:
        return
    splits = list(dict.fromkeys(count.split for count in counts))
    yield "## Queries and candidates"
    yield ""
    yield f"| | {' | '.join(splits)} |"
    yield f"|---|{'---|' * len(splits)}"
    for (task, label), of_label in groupby(counts, key=lambda count: (count.task, count.label)):
        numbers = {count.split: f"{count.number:,}" for count in of_label}
        heading = f"{task.replace('_', ' ')}: {label}" if label in (QUERIES, CANDIDATES) else label
        yield f"| {heading} | {' | '.join(numbers.get(split, '') for split in splits)} |"
    yield ""


def _labels(task: str) -> Iterator[tuple[str, int]]:
    """The labels with their grades, the highest first."""
    yield from sorted(task_named(task).grades.items(), key=lambda graded: -graded[1])


def _order(count: LabelCount) -> tuple[str, int, bool, str]:
    """Queries, candidates, then labels by grade; in each, training first and then the splits by name."""
    grades = {label: -grade for label, grade in _labels(count.task)}
    place = {QUERIES: -100, CANDIDATES: -99, NOT_JUDGED: 1}.get(count.label)
    rank = grades[count.label.split(" or ")[0]] if place is None else place
    return count.task, rank, count.split != "train", count.split
