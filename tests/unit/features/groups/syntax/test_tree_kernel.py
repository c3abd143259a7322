"""Groups of syntax trees."""

import pytest
from literal_batches import batch_of, pairs_of, values
from literal_threads import Pair, Thread

from cqa_spark.errors import EnvironmentProblem
from cqa_spark.features.groups.syntax.tree_kernel import TextTrees, TreeKernelV1, TreeSimilarityV1
from cqa_spark.features.query_batch import QueryBatch
from cqa_spark.process import failures as extras
from cqa_spark.settings.sections import FeatureSettings
from cqa_spark.steps.featurize import Featurize
from cqa_spark.text.tree_kernel import Landmarks

BATCH = pairs_of([Pair("I want a visa.", "", "Go to the bank."), Pair("I want a visa.", "", "I want a visa.")])


def landmarks(batch: QueryBatch) -> Landmarks:
    trees = batch.texts.derive(TextTrees)
    pairs = list(zip(batch.query_text.tolist(), batch.candidate_text.tolist(), strict=True))
    return Landmarks([trees.related(*pair) for pair in pairs], [trees.related(*reversed(pair)) for pair in pairs])


def test_equal_texts_have_equal_trees() -> None:
    other, same = values(TreeSimilarityV1(), BATCH)
    assert (same["query"], same["subject"], same["titles"]) == (pytest.approx(1.0), pytest.approx(1.0), None)
    # They share the part of speech DT, a noun, a verb and the full stop, and chunks of these.
    assert 0.1 < other["subject"] < 0.6


def test_a_pair_without_a_text_has_no_values() -> None:
    batch = batch_of([Thread("Q1", None, []), Thread("Q2", None, [], question="a visa")], [("Q1", "Q2", "Q2")])
    assert set(values(TreeSimilarityV1(), batch)[0].values()) == {"Q1", "Q2", None}
    assert set(values(TreeKernelV1(landmarks(BATCH)), batch)[0].values()) == {"Q1", "Q2", None}


def test_columns_without_a_landmark_are_zero() -> None:
    first, second = values(TreeKernelV1(landmarks(BATCH)), BATCH)
    assert (first["pair_3"], first["pair_100"]) == (0.0, 0.0)
    # The columns of a landmark have length 1, as its kernel with itself.
    assert first["pair_1"] ** 2 + first["pair_2"] ** 2 == pytest.approx(1.0)
    assert first["pair_1"] == pytest.approx(second["pair_2"])
    assert first["pair_2"] == pytest.approx(second["pair_1"])


def test_words_that_both_texts_share_are_related() -> None:
    trees = batch_of([Thread("Q1", None, [], question="a visa")], [("Q1", "Q1", "Q1")]).texts.derive(TextTrees)
    assert trees.related(0, 0) is trees.related(0, 0)
    assert trees.related(0, 0) is not trees.tree(0)


def test_without_its_parser_a_step_is_refused_before_spark_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda name: None)
    Featurize(("overlap_v1",), "question_question", FeatureSettings()).prepare()  # needs no parser
    step = Featurize(("overlap_v1", "tree_kernel_v1"), "question_question", FeatureSettings())
    with pytest.raises(
        EnvironmentProblem, match="the feature group tree_kernel_v1 needs textblob, which is not"
    ) as caught:
        step.prepare()
    assert "pip install 'cqa-spark[all]'" in caught.value.remedy
