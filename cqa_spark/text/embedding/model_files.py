"""The files of embedding models, verified by their hashes; nothing is downloaded."""

import hashlib
import zipfile
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from cqa_spark.config.project_root import jars_folder, models_folder, project_root
from cqa_spark.errors import EnvironmentProblem
from cqa_spark.spark.jars import jar_name
from cqa_spark.text.embedding.model import EmbeddingModel, ModelFile


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
