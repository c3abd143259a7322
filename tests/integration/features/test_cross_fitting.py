"""No training example ever sees its own fold's labels."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from literal_community import Said, Thread
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from saved_folders import saved

from cqa_spark.errors import ContractError
from cqa_spark.features.cross_fitting import cross_fit
from cqa_spark.features.featurize import compute_values, fit_and_compute
from cqa_spark.features.folds import fold_of
from cqa_spark.features.group import Entity, FeatureColumn, TableGroup
from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.features.learned_table import LearnedTableGroup

FOLDS = 3


class MemoryV1(LearnedTableGroup):
    """Remembers the label of every candidate that it was fitted on: the worst leak there can be."""

    name = "memory_v1"
    about = "labels by heart"
    entity = Entity.CANDIDATE
    columns = (FeatureColumn("label", "the label", "ours", -1.0),)
    learns_from_labels = True

    def fit(self, inputs: FeatureInputs) -> MemoryV1:
        return MemoryV1(inputs.examples.select("site", "candidate_id", F.col("label").cast("double").alias("label")))

    def compute(self, inputs: FeatureInputs) -> DataFrame:
        return self.entities(inputs.examples).join(self.learned, on=["site", "candidate_id"], how="left")


class GoodSharesV1(LearnedTableGroup):
    """The number of relevant examples that it was fitted on."""

    name = "good_shares_v1"
    about = "how many relevant examples there are"
    entity = Entity.CANDIDATE
    columns = (FeatureColumn("relevant", "examples", "ours"),)
    learns_from_labels = True

    def fit(self, inputs: FeatureInputs) -> GoodSharesV1:
        return GoodSharesV1(inputs.examples.agg(F.count_if("relevant").cast("double").alias("relevant")))

    def compute(self, inputs: FeatureInputs) -> DataFrame:
        return self.entities(inputs.examples).crossJoin(self.learned)


class SizeV1(LearnedTableGroup):
    """The number of training examples and of labels that it saw: learns, but not from labels."""

    name = "size_v1"
    about = "how many examples there are"
    entity = Entity.CANDIDATE
    columns = (FeatureColumn("examples", "examples", "ours"), FeatureColumn("labels", "labels", "ours"))
    learns_from_labels = False

    def fit(self, inputs: FeatureInputs) -> SizeV1:
        counts = inputs.examples.agg(F.count("site").alias("examples"), F.count("label").alias("labels"))
        return SizeV1(counts.select(*[F.col(name).cast("double") for name in counts.columns]))

    def compute(self, inputs: FeatureInputs) -> DataFrame:
        return self.entities(inputs.examples).crossJoin(self.learned)


class PeekV1(TableGroup):
    """A plain group that tries to give the label away."""

    name = "peek_v1"
    about = "the label"
    entity = Entity.CANDIDATE
    columns = (FeatureColumn("label", "the label", "ours", -1.0),)

    def compute(self, inputs: FeatureInputs) -> DataFrame:
        return inputs.examples.select("site", "candidate_id", F.col("label").cast("double").alias("label"))


@pytest.fixture
def inputs(community) -> FeatureInputs:
    """Twelve training threads, of which the last repeats the first, and a development thread."""
    said = [Said("U7", "yes", relevant=True), Said("U8", "no", relevant=False)]
    training = [Thread(f"Q{n}", "U9", said) for n in range(11)]
    return community([*training, Thread("Q11", "U9", said, same_as="Q0"), Thread("Q20", "U9", said, split="dev")])


def _values(frame: DataFrame) -> dict[str, float | None]:
    return {row["candidate_id"]: row[2] for row in frame.collect()}


def _fold_by_candidate(inputs: FeatureInputs) -> dict[str, int]:
    training = inputs.examples.where("split = 'train'")
    return {row[0]: row[1] for row in training.select("candidate_id", fold_of(FOLDS)).collect()}


def test_a_group_that_memorises_labels_knows_none_of_the_training_examples(inputs: FeatureInputs) -> None:
    _, values = cross_fit(MemoryV1, inputs, FOLDS)
    assert set(_values(values).values()) == {None}
    assert values.count() == inputs.examples.count()


def test_the_fitted_group_saw_the_whole_training_part(inputs: FeatureInputs) -> None:
    fitted, _ = cross_fit(MemoryV1, inputs, FOLDS)
    again = _values(compute_values(fitted, inputs))
    assert again["Q3_C1"] == 1.0
    assert again["Q3_C2"] == 0.0
    assert again["Q20_C1"] is None


def test_flipping_the_labels_of_one_fold_changes_the_values_of_all_others_but_not_its_own(
    inputs: FeatureInputs,
) -> None:
    flipped = fold_of(FOLDS) == 1
    relevant = F.when(flipped, F.lit(False)).otherwise(F.col("relevant"))
    changed = replace(inputs, examples=inputs.examples.withColumn("relevant", relevant))
    before = _values(cross_fit(GoodSharesV1, inputs, FOLDS)[1])
    after = _values(cross_fit(GoodSharesV1, changed, FOLDS)[1])
    folds = _fold_by_candidate(inputs)
    assert set(folds.values()) == {0, 1, 2}
    unchanged = {candidate for candidate in before if before[candidate] == after[candidate]}
    assert unchanged == {candidate for candidate, fold in folds.items() if fold == 1}


def test_values_come_from_the_other_folds_and_those_of_other_splits_from_all(inputs: FeatureInputs) -> None:
    folds = _fold_by_candidate(inputs)
    values = _values(cross_fit(GoodSharesV1, inputs, FOLDS)[1])
    of_fold = {fold: sum(other == fold for other in folds.values()) // 2 for fold in range(FOLDS)}
    assert {candidate: values[candidate] for candidate in folds} == {
        candidate: 12.0 - of_fold[fold] for candidate, fold in folds.items()
    }
    assert values["Q20_C1"] == 12.0


def test_a_thread_and_its_repeat_share_a_fold(inputs: FeatureInputs) -> None:
    folds = _fold_by_candidate(inputs)
    assert folds["Q0_C1"] == folds["Q11_C1"]


def test_a_group_that_does_not_learn_from_labels_is_fitted_once_and_sees_none(inputs: FeatureInputs) -> None:
    _, values = cross_fit(SizeV1, inputs, FOLDS)
    assert {(row["examples"], row["labels"]) for row in values.collect()} == {(24.0, 0.0)}


def test_no_group_sees_labels_while_it_computes(inputs: FeatureInputs) -> None:
    _, values = fit_and_compute(PeekV1, inputs, folds=FOLDS)
    assert set(_values(values).values()) == {None}


@pytest.mark.parametrize("folds", [1, 0, -2])
def test_fewer_than_two_folds_are_refused(inputs: FeatureInputs, folds: int) -> None:
    with pytest.raises(ContractError, match="nothing to learn from"):
        cross_fit(MemoryV1, inputs, folds)


def test_an_unfitted_group_says_so(tmp_path: Path) -> None:
    with pytest.raises(ContractError, match="memory_v1 is not fitted"):
        saved(MemoryV1(), tmp_path)
