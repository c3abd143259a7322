"""Descriptions of embedding models in ``conf/models/NAME.yaml``."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator

from cqa_spark.config.project_root import project_root
from cqa_spark.config.suggestions import known_names
from cqa_spark.config.yaml_files import named_files, read_yaml
from cqa_spark.errors import ConfigError

Sha256 = Annotated[str, StringConstraints(pattern="^[0-9a-f]{64}$")]
Coordinate = Annotated[str, StringConstraints(pattern=r"^[\w.-]+:[\w.-]+:[\w.-]+$")]

DIGITS = 4
"""Decimal places of a vector's components; further places differ between CPUs."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Source(_Part):
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
    def _one_local_source(self) -> Source:
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
        source: source of the files.
        weights: ONNX graph with its weights; for a package, the weights that its program reads.
        tokenizer: ``tokenizer.json`` of the library ``tokenizers``; for a package, the one that its program reads.
        pooling: the vector of a text is that of its first token, or the mean over its tokens; not used for packages.
        prefix: text that the model expects before every input.
        dimension: number of components of a vector.
        max_tokens: maximum number of tokens; longer texts are truncated. Not used for packages.
    """

    name: str
    about: str
    languages: tuple[str, ...]
    licence: str
    source: Source
    weights: ModelFile
    tokenizer: ModelFile
    pooling: Literal["first_token", "mean"] | None = None
    prefix: str = ""
    dimension: int = Field(gt=0)
    max_tokens: int | None = Field(default=None, gt=2)

    @model_validator(mode="after")
    def _pooling_of_onnx(self) -> EmbeddingModel:
        if self.source.package is None and (self.pooling is None or self.max_tokens is None):
            raise ValueError("an ONNX model needs pooling and max_tokens")
        return self

    @property
    def version(self) -> str:
        """Twelve hexadecimal digits that identify everything that affects the vectors."""
        parts = (self.weights.sha256, self.tokenizer.sha256, self.pooling, self.prefix, self.max_tokens, DIGITS)
        return hashlib.sha256(repr(parts).encode()).hexdigest()[:12]


def known_models(conf_dir: Path | None = None) -> tuple[str, ...]:
    """Names of the models in ``CONF_DIR/models``, in alphabetical order; by default, of the project's ``conf``."""
    return tuple(_files(conf_dir))


def read_model(name: str, conf_dir: Path | None = None) -> EmbeddingModel:
    """Read the description of one model; its files are not opened.

    Args:
        name: the model's name.
        conf_dir: the folder that contains ``models/``; by default, the project's ``conf``.

    Raises:
        ConfigError: unknown model, or its file has mistakes; all of them are listed.
    """
    files = _files(conf_dir)
    if name not in files:
        raise ConfigError(f"unknown embedding model {name}", known_names(name, files, "models"))
    path = files[name]
    try:
        model = EmbeddingModel.model_validate(read_yaml(path).value)
    except ValidationError as error:
        raise ConfigError(
            f"{path} is invalid:\n{_listed(error)}", "conf/models/bge_small_en.yaml is an example"
        ) from None
    if model.name != name:
        raise ConfigError(f"{path}: name is {model.name}", "name the model like its file")
    return model


def _files(conf_dir: Path | None) -> dict[str, Path]:
    return named_files((conf_dir or project_root() / "conf") / "models")


def _listed(error: ValidationError) -> str:
    return "\n".join(_mistakes(error.errors()))


def _mistakes(errors: list[Any]) -> Iterator[str]:
    for mistake in errors:
        key = ".".join(map(str, mistake["loc"]))
        yield f"  - {f'{key}: ' if key else ''}{mistake['msg']}"
