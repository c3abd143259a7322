"""Networks that tasks of Spark train: from texts and features, saved and read back."""

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from saved_folders import reloaded_ranker

from cqa_spark.errors import ContractError
from cqa_spark.rankers.model import RankerModel
from cqa_spark.rankers.neural.ranker import AlignmentModel
from cqa_spark.rankers.registry import build_ranker

pytestmark = pytest.mark.neural

SMALL = {"hidden": [8], "epochs": 15, "learning_rate": 0.01, "dropout": 0.1}
SMALL_ATTENTION = {**SMALL, "attend": [8], "compare": [8], "most_words": 10}


@pytest.fixture(scope="module")
def with_words(training: DataFrame) -> DataFrame:
    """The relevant candidates agree, the others do not; ids make the texts distinct, and are too rare for vectors."""
    yes, no = (F.array(*map(F.lit, words), "candidate_id") for words in (("yes", "right"), ("no", "wrong")))
    said = F.when(F.col("relevant"), yes).otherwise(no)
    asked = F.array(F.lit("is"), F.lit("it"), "query_id")
    return training.withColumns({"query_words": asked, "candidate_words": said})


def scores(model: RankerModel, frame: DataFrame) -> dict[str, float]:
    return {row["candidate_id"]: row["score"] for row in model.transform(frame).collect()}


@pytest.mark.slow
def test_attention_learns_from_texts_alone_the_same_whatever_the_partitions(
    with_words: DataFrame, tmp_path: Path
) -> None:
    texts = with_words.drop("g_v1__signal", "g_v1__noise")
    model, other = (build_ranker("decomposable_attention", SMALL_ATTENTION).fit(texts.repartition(n)) for n in (1, 4))
    scored = model.transform(texts)
    assert set(scored.columns) == {*texts.columns, "score", "predicted"} - {"query_words", "candidate_words"}
    means = dict(scored.groupBy("relevant").agg(F.mean("score")).collect())
    assert means[True] > means[False] + 0.5
    assert scores(other, texts) == scores(model, texts)
    loaded = reloaded_ranker(model, tmp_path)
    assert isinstance(loaded, AlignmentModel)
    assert scores(loaded, texts) == scores(model, texts)
    with pytest.raises(ContractError, match="reads texts, and the examples have no query_words, candidate_words"):
        loaded.transform(texts.drop("query_words", "candidate_words"))


@pytest.mark.slow
def test_two_tasks_train_one_network_on_texts_and_features(with_words: DataFrame) -> None:
    ranker = build_ranker("decomposable_attention", {**SMALL_ATTENTION, "workers": 2, "epochs": 5})
    model = ranker.fit(with_words)
    assert model.description.features == ("g_v1__signal", "g_v1__noise")
    found = dict(model.transform(with_words).groupBy("relevant").agg(F.mean("score")).collect())
    assert found[True] > found[False]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "given"), [("feed_forward", SMALL), ("siamese_network", {**SMALL, "encoder": "lstm", "nodes": 4})]
)
def test_networks_learn_from_features_and_can_be_read_back(
    with_words: DataFrame, tmp_path: Path, name: str, given: dict[str, Any]
) -> None:
    model = build_ranker(name, given).fit(with_words)
    means = dict(model.transform(with_words).groupBy("relevant").agg(F.mean("score")).collect())
    assert means[True] > means[False] + 0.4
    assert scores(reloaded_ranker(model, tmp_path), with_words) == scores(model, with_words)
