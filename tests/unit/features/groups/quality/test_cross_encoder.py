from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import pytest

pytest.importorskip("jax", reason="needs JAX: make test-neural runs it")

import numpy as np
from literal_batches import batch_of, values
from literal_threads import Said, Thread
from saved_folders import reloaded_group, saved
from tiny_transformer import write_tiny_transformer

from cqa_spark.errors import ContractError, EnvironmentProblem
from cqa_spark.features.groups.quality.cross_encoder import CrossEncoderV1
from cqa_spark.text.cross_encoder import CrossEncoderSettings, EncodedTexts
from cqa_spark.text.cross_encoder_training import JudgedPairs, learn
from cqa_spark.text.encoders.encoder import load_encoder

pytestmark = pytest.mark.neural


class TinyV1(CrossEncoderV1):
    name: ClassVar[str] = "tiny_v1"
    about: ClassVar[str] = "for tests"
    settings: ClassVar[CrossEncoderSettings] = CrossEncoderSettings(
        "tiny", 2, first_tokens=8, second_tokens=5, epochs=1, batch=4, learning_rate=1e-2, workers=1
    )


@pytest.fixture(scope="module")
def group(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TinyV1]:
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CQA_HOME", str(home))
        write_tiny_transformer(home)
        pairs = ["how much is a visa"] * 2, ["a visa costs 100", "thanks"]
        judged = JudgedPairs(*pairs, np.array([True, False]), np.array([0, 1], np.int32))
        (on_all,) = learn(judged, TinyV1.settings, [2])
        yield TinyV1(on_all)


def test_each_pair_with_texts_has_a_score(group: TinyV1) -> None:
    batch = batch_of(
        [
            Thread("Q1", "U1", [Said("U2", "a visa costs 100"), Said("U3", "thanks")], question="how much is a visa"),
            Thread("Q2", "U1", [Said("U2", "thanks")]),
        ]
    )
    texts = EncodedTexts(["how much is a visa", "a visa costs 100", "thanks"], TinyV1.settings)
    assert values(group, batch) == [
        {"query_id": "Q1", "candidate_id": "Q1_C1", "log_odds": texts.score(group.network, 0, 1)},
        {"query_id": "Q1", "candidate_id": "Q1_C2", "log_odds": texts.score(group.network, 0, 2)},
        {"query_id": "Q2", "candidate_id": "Q2_C1", "log_odds": None},
    ]


def test_without_training_pairs_no_score_is_known(group: TinyV1) -> None:
    batch = batch_of([Thread("Q1", "U1", [Said("U2", "a visa costs 100")], question="how much is a visa")])
    assert values(TinyV1(b""), batch) == [{"query_id": "Q1", "candidate_id": "Q1_C1", "log_odds": None}]


def test_a_saved_group_scores_as_before(group: TinyV1, tmp_path: Path) -> None:
    assert reloaded_group(group, tmp_path).network == group.network


def test_another_version_of_the_transformer_is_refused(
    group: TinyV1, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = saved(group, tmp_path / "saved")
    (tmp_path / "home").mkdir()
    write_tiny_transformer(tmp_path / "home", seed=2)
    monkeypatch.setenv("CQA_HOME", str(tmp_path / "home"))
    with pytest.raises(ContractError, match=r"trained with version \w+ of the embedding model tiny"):
        TinyV1.load(folder)


def test_a_transformer_that_is_absent_is_an_error_before_anything_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_tiny_transformer(tmp_path)
    (tmp_path / "weights").unlink()
    monkeypatch.setenv("CQA_HOME", str(tmp_path))
    load_encoder.cache_clear()
    with pytest.raises(EnvironmentProblem, match="the embedding model tiny is not installed"):
        TinyV1.require_installed()
