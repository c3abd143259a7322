"""No training example ever sees its own fold's labels."""

import sys
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Self

import numpy as np
import pytest
from literal_community import community_of
from literal_threads import Said, Thread
from numpy.typing import ArrayLike
from pyspark import cloudpickle
from pyspark.sql import Column, DataFrame, Row, SparkSession
from pyspark.sql import functions as F
from single_groups import compute_values, fit_and_compute

from cqa_spark.errors import ContractError
from cqa_spark.features.group import Entity, FeatureColumn, FittedQueryGroup, QueryGroup, learns_from_labels
from cqa_spark.features.groups.quality.cross_encoder import CrossEncoderV1
from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.features.query_batch import QueryBatch
from cqa_spark.features.query_pass import compute_pass, fit_groups
from cqa_spark.features.registry import group_class, known_groups
from cqa_spark.features.training_data import Fitted, TrainingData, fold_of

cloudpickle.register_pickle_by_value(sys.modules[__name__])  # workers cannot import a test

FOLDS = 3


class _Remembering(FittedQueryGroup):
    """Base of groups that are simply saved by no one."""

    family = "test"
    entity = Entity.CANDIDATE
    learns_from_labels = True

    def save(self, folder) -> None:
        raise NotImplementedError

    @classmethod
    def load(cls, folder) -> Self:
        raise NotImplementedError


class MemoryV1(_Remembering):
    """Remembers the label of every candidate that it was fitted on: the worst leak there can be."""

    name = "memory_v1"
    about = "labels by heart"
    columns = (FeatureColumn("label", "the label", "ours", -1.0),)

    def __init__(self, labels: Mapping[str, int]) -> None:
        self.labels = labels

    @classmethod
    def fit(cls, training: TrainingData) -> Fitted[Self]:
        rows = training.inputs.examples.select("candidate_id", "label", fold_of(training.folds).alias("fold")).collect()

        def without(fold: int | None) -> Self:
            return cls({row["candidate_id"]: row["label"] for row in rows if row["fold"] != fold})

        return Fitted(without(None), tuple(without(fold) for fold in range(training.folds)))

    def compute(self, batch: QueryBatch) -> Mapping[str, ArrayLike]:
        return {"label": [self.labels.get(each, np.nan) for each in batch.column("candidate_id")]}


class PeekV1(QueryGroup):
    """Tries to read the label."""

    name = "peek_v1"
    about = "the label"
    entity = Entity.CANDIDATE
    columns = (FeatureColumn("label", "the label", "ours", -1.0),)

    def compute(self, batch: QueryBatch) -> Mapping[str, ArrayLike]:
        labels = {"label", "relevant", "similarity"} & set(batch.examples.column_names)
        return {"label": np.full(len(batch), len(labels))}


@pytest.fixture(scope="module")
def inputs(spark: SparkSession) -> FeatureInputs:
    """Twelve training threads, of which the last repeats the first, and a development thread."""
    said = [Said("U7", "yes", name="rashid", relevant=True), Said("U8", "nope", relevant=False)]
    training = [Thread(f"Q{n}", "U9", said, category="Visas", question="visa ?") for n in range(11)]
    repeat = Thread("Q11", "U9", said, category="Visas", question="visa ?", same_as="Q0")
    dev = Thread("Q20", "U9", said, category="Visas", split="dev", question="visa ?")
    return _judged(community_of(spark, [*training, repeat, dev]), F.col("relevant"))


def _values(frame: DataFrame) -> dict[str, tuple[float | None, ...]]:
    return {row["candidate_id"]: tuple(row)[3:] for row in frame.collect()}


def _fold_by_candidate(inputs: FeatureInputs) -> dict[str, int]:
    training = inputs.examples.where("split = 'train'")
    return {row[0]: row[1] for row in training.select("candidate_id", fold_of(FOLDS)).collect()}


def _flipped(inputs: FeatureInputs, chosen: Column) -> FeatureInputs:
    """The same inputs where other candidates are relevant in some threads: those of author U8."""
    relevant = F.when(chosen, F.lit(True)).otherwise(F.col("relevant"))
    return _judged(inputs, relevant)


def _judged(inputs: FeatureInputs, relevant: Column) -> FeatureInputs:
    """The same inputs with other labels; relevant candidates are similar to their question, too."""
    labels = {"relevant": relevant, "label": relevant.cast("int"), "similarity": relevant.cast("double")}
    return replace(inputs, examples=inputs.examples.withColumns(labels))


def test_a_group_that_memorises_labels_knows_none_of_the_training_examples(inputs: FeatureInputs) -> None:
    fitted, values = fit_and_compute(MemoryV1, inputs, folds=FOLDS)
    assert set(_values(values).values()) == {(None,)}
    assert values.count() == inputs.examples.count()

    again = _values(compute_values(fitted, inputs))
    assert (again["Q3_C1"], again["Q3_C2"], again["Q20_C1"]) == ((1.0,), (0.0,), (None,))


LEARNING = {name: group_class(name) for name in known_groups() if learns_from_labels(group_class(name))}
NEURAL = [name for name, group in LEARNING.items() if issubclass(group, CrossEncoderV1)]


@pytest.mark.parametrize(
    "names", [pytest.param(LEARNING.keys() - NEURAL, id="quick"), pytest.param(NEURAL, marks=pytest.mark.neural)]
)
def test_flipping_the_labels_of_one_fold_changes_the_values_of_others_but_not_its_own(
    inputs: FeatureInputs, names: Collection[str]
) -> None:
    """Of all groups at once, which share what they learn from."""

    def values(inputs: FeatureInputs) -> dict[str, Row]:
        fitted = fit_groups([LEARNING[name] for name in names], inputs, folds=FOLDS)
        return {row["candidate_id"]: row for row in compute_pass(fitted, inputs, FOLDS).collect()}

    before, after = values(inputs), values(_flipped(inputs, fold_of(FOLDS) == 1))
    folds = _fold_by_candidate(inputs)
    assert set(folds.values()) == {0, 1, 2}
    own = {candidate for candidate, fold in folds.items() if fold == 1}
    others = {candidate for candidate in before if candidate.endswith("_C2")} - own
    assert "Q20_C2" in others
    for name in sorted(names):
        assert [candidate for candidate in own if before[candidate][name] != after[candidate][name]] == [], name
        assert [candidate for candidate in others if before[candidate][name] == after[candidate][name]] == [], name


def test_a_thread_and_its_repeat_share_a_fold(inputs: FeatureInputs) -> None:
    folds = _fold_by_candidate(inputs)
    assert folds["Q0_C1"] == folds["Q11_C1"]


def test_no_group_sees_labels_while_it_computes(inputs: FeatureInputs) -> None:
    _, values = fit_and_compute(PeekV1, inputs, folds=FOLDS)
    assert set(_values(values).values()) == {(0.0,)}


@pytest.mark.parametrize("folds", [1, 0, -2])
def test_fewer_than_two_folds_are_refused(inputs: FeatureInputs, folds: int) -> None:
    with pytest.raises(ContractError, match="leaves no training data"):
        fit_and_compute(MemoryV1, inputs, folds=folds)
