"""Embedding models: their descriptions, ``conf/models/NAME.yaml``, and their files, checked by hash; no downloads."""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from cqa_spark.errors import EnvironmentProblem
from cqa_spark.settings.conf_files import conf_files, jars_folder, models_folder, project_root, read_conf_file
from cqa_spark.spark.jars import jar_name

DIGITS = 4
"""Decimal places of a vector's components; further places differ between CPUs."""

_FOLDER, _KIND = "models", "embedding model"

Sha256 = Annotated[str, StringConstraints(pattern="^[0-9a-f]{64}$")]
Coordinate = Annotated[str, StringConstraints(pattern=r"^[\w.-]+:[\w.-]+:[\w.-]+$")]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ModelSource(_Part):
    """The source of a model's files; exactly one field is given.

    Attributes:
        maven: artifact whose jar contains the files, as ``group:artifact:version``.
        package: Python package that contains the files and the program that runs the model.
        folder: local folder, relative to the project.
    """

    maven: Coordinate | None = None
    package: str | None = None
    folder: str | None = None

    @model_validator(mode="after")
    def _one_local_source(self) -> ModelSource:
        if sum(value is not None for value in (self.maven, self.package, self.folder)) != 1:
            raise ValueError("name one of maven, package and folder")
        if self.folder is not None and "://" in self.folder:
            raise ValueError(f"{self.folder} needs a network: copy the files to a local folder and name that")
        return self


class ModelFile(_Part):
    """A file of a model.

    Attributes:
        file: path within the source.
        sha256: its hash, hexadecimal.
    """

    file: str
    sha256: Sha256


class EmbeddingModel(_Part):
    """A pretrained model that turns a text into a vector of unit length.

    Attributes:
        name: the file's name without ``.yaml``.
        about: description with the paper, one sentence.
        languages: ISO 639-1 codes.
        licence: SPDX identifier of the licence of the weights.
        trained_on: texts and labelled pairs that the weights were learned from, with a source; evaluation data among
            them makes figures optimistic. Empty if nobody knows.
        source: source of the files.
        weights: the file with the weights.
        tokenizer: ``tokenizer.json`` of the library ``tokenizers``.
        encoder: name of the encoder that runs the model; by default, ONNX Runtime, for a graph with the weights inside.
        pooling: whether the vector of a text is its first token's, or the mean over its tokens; ONNX only.
        prefix: text that the model expects before every input.
        dimension: number of components of a vector.
        max_tokens: maximum number of tokens; longer texts are truncated. ONNX only.
    """

    name: str
    about: str
    languages: tuple[str, ...]
    licence: str
    trained_on: str = ""
    source: ModelSource
    weights: ModelFile
    tokenizer: ModelFile
    encoder: str = "onnx"
    pooling: Literal["first_token", "mean"] | None = None
    prefix: str = ""
    dimension: int = Field(gt=0)
    max_tokens: int | None = Field(default=None, gt=2)

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """Names of the described models, in alphabetical order."""
        return tuple(conf_files(_FOLDER))

    @classmethod
    def read(cls, name: str) -> Self:
        """Read the description of one model; its files are not opened.

        Args:
            name: the model's name.

        Raises:
            ConfigError: unknown model, or its file has mistakes; all of them are listed.
        """
        return read_conf_file(cls, _FOLDER, name, _KIND)

    @model_validator(mode="after")
    def _pooling_of_onnx(self) -> EmbeddingModel:
        if self.encoder == "onnx" and (self.pooling is None or self.max_tokens is None):
            raise ValueError("an ONNX model needs pooling and max_tokens")
        return self

    @property
    def version(self) -> str:
        """Twelve hexadecimal digits that identify everything that affects the vectors."""
        parts = (
            self.encoder,
            self.weights.sha256,
            self.tokenizer.sha256,
            self.pooling,
            self.prefix,
            self.max_tokens,
            DIGITS,
        )
        return hashlib.sha256(repr(parts).encode()).hexdigest()[:12]


def read_file(model: EmbeddingModel, file: ModelFile, folders: Iterable[Path] = ()) -> bytes:
    """Read a file of a model.

    Args:
        model: the model.
        file: its ``weights`` or ``tokenizer``.
        folders: folders to search first for jars and files.

    Returns:
        The content of the file.

    Raises:
        EnvironmentProblem: the file is not installed, or its hash differs from the description.
    """
    content = _content(model, file, folders)
    digest = hashlib.sha256(content).hexdigest()
    if digest != file.sha256:
        raise EnvironmentProblem(
            f"{file.file} of the model {model.name} has another SHA-256 than its description: {digest}",
            f"{_installation(model)}; or, if you replaced it, describe it under another name in conf/models",
        )
    return content


def files_to_ship(model: EmbeddingModel) -> list[Path]:
    """The files that the workers of a cluster need; none for a package, which is part of their environment."""
    if model.source.maven:
        return [_first(jar_name(model.source.maven), (jars_folder(), models_folder()))]
    if model.source.folder:
        return [project_root() / model.source.folder / file.file for file in (model.weights, model.tokenizer)]
    return []


def _content(model: EmbeddingModel, file: ModelFile, folders: Iterable[Path]) -> bytes:
    try:
        if model.source.maven:
            jar = _first(jar_name(model.source.maven), (*folders, jars_folder(), models_folder()))
            with zipfile.ZipFile(jar) as members:
                return members.read(file.file)
        if model.source.package:
            return Path(str(distribution(model.source.package).locate_file(file.file))).read_bytes()
        return _first(file.file, (*folders, project_root() / str(model.source.folder))).read_bytes()
    except (OSError, KeyError, zipfile.BadZipFile, PackageNotFoundError) as error:
        raise EnvironmentProblem(
            f"the embedding model {model.name} is not installed: {error}",
            f"{_installation(model)}; jobs download nothing",
        ) from error


def _first(name: str, folders: Iterable[Path]) -> Path:
    searched = list(folders)
    for folder in searched:
        if (folder / name).is_file():
            return folder / name
    raise FileNotFoundError(f"no {name} in {' or '.join(map(str, searched))}")


def _installation(model: EmbeddingModel) -> str:
    if model.source.folder:
        return f"copy {model.weights.file} and {model.tokenizer.file} to {model.source.folder}"
    if model.source.package:
        return f"install the Python package {model.source.package}"
    return "run `cqa setup`, or `cqa setup --models` for an optional model"
