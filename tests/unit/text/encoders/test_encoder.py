import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cqa_spark.errors import ContractError, EnvironmentProblem
from cqa_spark.settings.conf_files import jars_folder
from cqa_spark.spark.jars import jar_name
from cqa_spark.text.encoders.encoder import AveragedWords, Encoder, Vectors, load_encoder
from cqa_spark.text.encoders.model import EmbeddingModel, ModelFile, ModelSource

BGE = EmbeddingModel.read("bge_small_en")


class LettersAndWords:
    def vector(self, text: str) -> Vectors:
        return np.array([len(text), len(text.split())], dtype=np.float32)


def of_letters_and_words(dimension: int) -> Encoder:
    return Encoder(BGE.model_copy(update={"dimension": dimension, "prefix": "q "}), LettersAndWords())


def in_folder(folder: Path, **changes: object) -> EmbeddingModel:
    """The default model as a user has it: two files in a folder."""
    with zipfile.ZipFile(jars_folder() / jar_name(str(BGE.source.maven))) as jar:
        jar.extractall(folder, [BGE.weights.file, BGE.tokenizer.file])
    return BGE.model_copy(update={"name": "mine", "source": ModelSource(folder=str(folder)), **changes})


def cosine(one: Vectors, other: Vectors) -> float:
    return float(one @ other)


def test_vectors_have_length_one_and_four_decimal_places() -> None:
    vectors = of_letters_and_words(2).encode(["a", "ab cde"])  # with the prefix: 3 letters and 2 words, 8 and 3
    assert vectors.dtype == np.float32
    assert vectors.tolist() == np.array([[0.8321, 0.5547], [0.9363, 0.3511]], dtype=np.float32).tolist()


def test_no_texts_have_no_vectors() -> None:
    assert of_letters_and_words(2).encode([]).shape == (0, 2)


def test_vectors_of_another_size_are_refused() -> None:
    with pytest.raises(ContractError, match="returns vectors of 2 components, not 3 as stated in conf/models"):
        of_letters_and_words(3).encode(["a"])


def test_a_text_has_the_same_vector_beside_any_other_texts() -> None:
    encoder = load_encoder(BGE)
    alone = encoder.encode(["Where can I buy a used car?"])
    beside = encoder.encode(["ok", "Where can I buy a used car?", "a much longer text, " * 30])
    assert np.array_equal(alone[0], beside[1])


def test_questions_of_one_meaning_are_near() -> None:
    question, same, other = load_encoder(BGE).encode(
        ["Where can I buy a used car?", "Which dealer sells second-hand cars?", "How do I renew my visa?"]
    )
    assert cosine(question, same) == pytest.approx(0.762, abs=0.02)
    assert cosine(question, other) < 0.65


def test_cosines_agree_with_judgments_of_similarity(cqa_data: Path) -> None:
    lines = (cqa_data / "sts/benchmark/sts-dev.csv").read_text(encoding="utf-8").splitlines()[:300]
    rows = [line.split("\t") for line in lines]
    encoder = load_encoder(BGE)
    first, second = (encoder.encode([row[column] for row in rows]) for column in (5, 6))
    judged = [float(row[4]) for row in rows]
    assert np.corrcoef((first * second).sum(axis=1), judged)[0, 1] == pytest.approx(0.914, abs=0.005)


def test_texts_are_cut_at_the_model_s_length() -> None:
    encoder = load_encoder(BGE)
    assert np.array_equal(*encoder.encode(["car " * 300, "car " * 400]))


def test_a_model_is_loaded_once() -> None:
    assert load_encoder(BGE) is load_encoder(EmbeddingModel.read("bge_small_en"))


@pytest.mark.parametrize(
    ("name", "equal", "unequal"), [("use_multilingual", 0.888, 0.002), ("multilingual_e5_small", 0.924, 0.762)]
)
def test_multilingual_models_map_languages_to_one_space(name: str, equal: float, unequal: float) -> None:
    english, arabic, other = load_encoder(EmbeddingModel.read(name)).encode(
        ["Where is the hospital?", "أين المستشفى؟", "The band plays on Friday."]
    )
    assert [cosine(english, arabic), cosine(english, other)] == pytest.approx([equal, unequal], abs=0.01)


def test_the_vector_of_a_text_is_the_mean_of_its_words(tmp_path: Path) -> None:
    np.save(tmp_path / "vectors.npy", np.array([[3, 0], [0, 3], [0, -1]], dtype=np.float32))
    pq.write_table(pa.table({"word": ["car", "'s", "unk"]}), tmp_path / "words.parquet")
    files = [(tmp_path / name).read_bytes() for name in ("vectors.npy", "words.parquet")]
    words = AveragedWords(EmbeddingModel.read("glove"), *files)
    assert [words.vector(text).tolist() for text in ("The Car's car", "the", "")] == [[2, 1], [0, -1], [0, -1]]


def test_a_folder_of_the_user_gives_the_same_vectors(tmp_path: Path) -> None:
    mine = load_encoder(in_folder(tmp_path)).encode(["Good morning!"])
    assert np.array_equal(mine, load_encoder(BGE).encode(["Good morning!"]))


def test_a_file_with_another_hash_is_refused(tmp_path: Path) -> None:
    model = in_folder(tmp_path)
    (tmp_path / model.tokenizer.file).write_text("{}")
    with pytest.raises(
        EnvironmentProblem, match="has another SHA-256 than its description: 44136fa355b3678a"
    ) as refused:
        load_encoder(model)
    assert "describe it under another name" in refused.value.remedy


def test_a_file_that_is_not_onnx_is_refused(tmp_path: Path) -> None:
    empty = ModelFile(file="model.onnx", sha256="e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    model = in_folder(tmp_path, weights=empty)
    (tmp_path / "model.onnx").touch()
    with pytest.raises(EnvironmentProblem, match=r"model.onnx of the model mine cannot be loaded"):
        load_encoder(model)


@pytest.mark.parametrize(
    ("source", "remedy"),
    [
        ({"folder": "/no/such/folder"}, "copy bge-small-en-v1.5-q.onnx and bge-small-en-v1.5-q-tokenizer.json to /no"),
        ({"maven": "org.example:absent:1"}, "run `cqa setup`, or `cqa setup --models`"),
        ({"package": "no-such-package"}, "install the Python package no-such-package"),
    ],
)
def test_a_model_that_is_not_installed_names_its_installation(source: dict[str, str], remedy: str) -> None:
    with pytest.raises(EnvironmentProblem, match="model bge_small_en is not installed") as refused:
        load_encoder(BGE.model_copy(update={"source": ModelSource(**source)}))
    assert refused.value.remedy.startswith(remedy)
    assert refused.value.remedy.endswith("jobs download nothing")
