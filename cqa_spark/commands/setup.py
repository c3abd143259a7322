"""``cqa setup``: downloads and checks the jars and the embedding models, once per installation."""

from __future__ import annotations

from pathlib import Path

from cqa_spark.config.file_commands import SetupSettings
from cqa_spark.config.project_root import jars_folder, models_folder
from cqa_spark.process.terminal import Terminal
from cqa_spark.spark.jars import download_jars, resolve_jars
from cqa_spark.text.embedding.files import downloadable_models, read_file


def setup(settings: SetupSettings) -> None:
    """Resolve the jars or the models; jobs download nothing."""
    terminal = Terminal()
    if settings.models:
        models = downloadable_models()
        jars = download_jars([str(model.source.maven) for model in models], models_folder())
        for model in models:
            for file in (model.weights, model.tokenizer):
                read_file(model, file)
        names = ", ".join(model.name for model in models)
        terminal.line(f"{names}: {_megabytes(jars)} in {models_folder()}")
    else:
        jars = resolve_jars(write_hashes=settings.write_hashes)
        terminal.line(f"{len(jars)} jars, {_megabytes(jars)}, in {jars_folder()}")


def _megabytes(files: list[Path]) -> str:
    return f"{sum(file.stat().st_size for file in files) / 1e6:.0f} MB"
