"""What steps find out before Spark starts: libraries and models that are not installed."""

from pathlib import Path

import pytest

from cqa_spark.errors import EnvironmentProblem
from cqa_spark.process import failures as extras
from cqa_spark.rankers.ranker import RankerSpec
from cqa_spark.steps.embed import Embed
from cqa_spark.steps.train import Train
from cqa_spark.systems.system import read_systems
from cqa_spark.text.encoders import encoder
from cqa_spark.text.encoders import model as model_files

NETWORK = RankerSpec(name="feed_forward", parameters={})
LINEAR = RankerSpec(name="logistic_regression", parameters={})


@pytest.mark.parametrize(
    "ranker",
    [
        NETWORK,
        RankerSpec(name="calibrated", parameters={"member": NETWORK}),
        RankerSpec(name="within_query", parameters={"member": NETWORK}),
        RankerSpec(name="average", parameters={"members": (LINEAR, NETWORK)}),
    ],
    ids=lambda ranker: ranker.name,
)
def test_a_ranker_without_its_library(ranker: RankerSpec, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda name: None)
    [linear] = read_systems(["logistic_a"])
    Train([linear], linear.task).prepare()
    with pytest.raises(EnvironmentProblem, match=r"needs jax and onnx.*\n.*cqa-spark\[neural\]"):
        Train([linear.model_copy(update={"ranker": ranker})], linear.task).prepare()


def test_an_embedding_model_that_is_not_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(model_files, "jars_folder", lambda: tmp_path)
    monkeypatch.setattr(model_files, "models_folder", lambda: tmp_path)
    encoder.load_encoder.cache_clear()
    with pytest.raises(EnvironmentProblem, match="the embedding model minilm is not installed"):
        Embed(["minilm"]).prepare()
