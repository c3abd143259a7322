from pathlib import Path

import pytest

from cqa_spark.errors import ConfigError
from cqa_spark.settings.conf_files import OVERLAY, project_root
from cqa_spark.text.encoders.model import EmbeddingModel

DESCRIPTION = f"""
name: mine
about: A model of the user.
languages: [en]
licence: MIT
source: {{folder: /data/models/mine}}
weights: {{file: model.onnx, sha256: {"a" * 64}}}
tokenizer: {{file: tokenizer.json, sha256: {"b" * 64}}}
pooling: mean
dimension: 2
max_tokens: 128
"""


def described(folder: Path, text: str = DESCRIPTION, name: str = "mine") -> EmbeddingModel:
    (folder / "models").mkdir()
    (folder / "models" / f"{name}.yaml").write_text(text, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(OVERLAY, str(folder))
        return EmbeddingModel.read(name)


def test_every_model_of_the_project_has_a_valid_description() -> None:
    models = {name: EmbeddingModel.read(name) for name in EmbeddingModel.names()}
    assert {name: model.dimension for name, model in models.items()} == {
        "bge_small_en": 384,
        "glove": 50,
        "minilm": 384,
        "multilingual_e5_small": 384,
        "use_multilingual": 512,
    }
    assert len({model.version for model in models.values()}) == len(models)


def test_the_default_model_comes_with_the_jars() -> None:
    maven = EmbeddingModel.read("bge_small_en").source.maven
    assert all(maven in (project_root() / f"conf/spark/jars-{line}.conf").read_text() for line in ("3.5", "4"))


def test_an_unknown_model_is_answered_with_the_known_ones() -> None:
    with pytest.raises(ConfigError) as refused:
        EmbeddingModel.read("bge_smal_en")
    assert refused.value.problem == "unknown embedding model bge_smal_en"
    assert refused.value.remedy.startswith("did you mean bge_small_en?")


def test_a_folder_of_the_user_is_a_source(tmp_path: Path) -> None:
    assert described(tmp_path).source.folder == "/data/models/mine"


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("/data/models/mine", "https://example.org/mine", "https://example.org/mine needs a network: copy the files"),
        ("{folder: /data/models/mine}", "{}", "name one of maven, package and folder"),
        ("{folder: /data/models/mine}", "{hub: org/mine}", "source.hub: Extra inputs are not permitted"),
        ("pooling: mean", "pooling: max", "pooling: Input should be 'first_token' or 'mean'"),
        ("pooling: mean\n", "", "an ONNX model needs pooling and max_tokens"),
        ("a" * 64, "abc", "weights.sha256: String should match pattern"),
        ("name: mine", "name: other", "name is other"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, old: str, new: str, problem: str) -> None:
    with pytest.raises(ConfigError, match=r"mine\.yaml") as refused:
        described(tmp_path, DESCRIPTION.replace(old, new))
    assert problem in refused.value.problem


def test_what_affects_the_vectors_changes_the_version(tmp_path: Path) -> None:
    model = described(tmp_path)
    assert model.version == model.model_copy(update={"about": "The same model."}).version
    for change in ({"prefix": "query: "}, {"pooling": "first_token"}, {"max_tokens": 64}):
        assert model.model_copy(update=change).version != model.version
