"""``cqa setup``: downloads jars of Spark, embedding models or drivers of databases, and compiles what starts slowly."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from cqa_spark.commands.jobs import Job
from cqa_spark.process.terminal import Terminal, renewed_line
from cqa_spark.settings.conf_files import drivers_folder, jars_folder, models_folder, project_root
from cqa_spark.settings.sections import Command

if TYPE_CHECKING:
    from cqa_spark.text.encoders.model import EmbeddingModel


class SetupSettings(Command):
    """Download the jars that Spark needs, check their hashes, and store them for all jobs of this user."""

    examples = ("cqa setup", "cqa setup --models", "cqa setup --driver postgresql")

    write_hashes: bool = Field(
        default=False, description="record the jars' hashes in conf/spark/jars-….sha256 in place of checking them"
    )
    models: bool = Field(
        default=False, description="download the embedding models of conf/models that do not come with the jars"
    )

    driver: Literal["postgresql", "mysql", "sqlite"] | None = Field(
        default=None, description="download the JDBC driver of a kind of database, which cqa ingest tables reads"
    )

    def writes(self) -> list[str]:
        """The jars, the models, or a driver."""
        if self.driver:
            return [f"{drivers_folder()}: the JDBC driver of {self.driver}"]
        if self.models:
            return [f"{models_folder()}: the embedding models of conf/models"]
        from cqa_spark.spark.jars import JARS

        return [f"{jars_folder()}: the jars of {JARS}"]


def setup(settings: SetupSettings) -> None:
    """Resolve the jars or the models; jobs download nothing."""
    from cqa_spark.spark.jars import download_jars, resolve_jars
    from cqa_spark.text.encoders.model import read_file

    terminal = Terminal()
    if settings.driver:
        from cqa_spark.spark.jdbc import download_driver

        jar = download_driver(settings.driver)
        terminal.line(f"{jar.name}, {_megabytes([jar])}, in {jar.parent}")
    elif settings.models:
        models = _optional_models()
        jars = download_jars([str(model.source.maven) for model in models], models_folder())
        for model in models:
            for file in (model.weights, model.tokenizer):
                read_file(model, file)
        names = ", ".join(model.name for model in models)
        terminal.line(f"{names}: {_megabytes(jars)} in {models_folder()}")
    else:
        jars = resolve_jars(write_hashes=settings.write_hashes)
        terminal.line(f"{len(jars)} jars, {_megabytes(jars)}, in {jars_folder()}")
        with renewed_line(lambda: "compiling: a quarter of a minute"):
            _compile_loops()
        with renewed_line(lambda: "archiving Java's classes: half a minute"):
            archive = _archive_classes()
        if archive:
            terminal.line(f"archive of Java's classes, {_megabytes([archive])}: {archive}")
        else:
            terminal.line("no archive of Java's classes: jobs work without it, and start a few seconds later")


def _optional_models() -> list[EmbeddingModel]:
    """The models in jars that do not come with those of Spark."""
    from cqa_spark.spark.jars import jar_name
    from cqa_spark.text.encoders.model import EmbeddingModel

    models = [EmbeddingModel.read(name) for name in EmbeddingModel.names()]
    return [
        model for model in models if model.source.maven and not (jars_folder() / jar_name(model.source.maven)).exists()
    ]


def _archive_classes() -> Path | None:
    """Archive the classes that a run on a small generated forum loads: most of the classes of any job."""
    from cqa_spark.spark.class_archive import make_archive
    from cqa_spark.synth.qatar_living import write_sample

    with TemporaryDirectory(prefix="cqa-setup-") as folder:
        sample = write_sample(Path(folder), threads=20, dev_threads=10, seed=1)
        settings = ["--config", str(project_root() / "conf/demo.yaml"), "--systems", "given_order", "tfidf"]
        files = ["--train", str(sample.train), "--dev", str(sample.dev), "--lake", str(Path(folder, "lake"))]
        files += ["--no-tracking.enabled"]
        return make_archive([sys.executable, "-m", "cqa_spark.cli", "run", *settings, *files])


def _compile_loops() -> None:
    """Compile the loops over bytes of dumps and terms of questions; later processes load them from the disk."""
    import numpy as np
    import pyarrow as pa

    from cqa_spark.corpora.stackexchange.block_reader import BlockReader
    from cqa_spark.corpora.stackexchange.probe import RowLayout
    from cqa_spark.corpora.stackexchange.tables import DUMP_TABLES
    from cqa_spark.findings.question_index import make_parts, read_questions
    from cqa_spark.findings.question_pairs import PairIndex

    for dump in DUMP_TABLES:
        row = " ".join(f'{name}="1"' for name in dump.attributes)
        text = f'<row {row} />\n<row Id="1" New="&lt;" />'.encode()
        for _ in BlockReader(io.BytesIO(text), dump, dump.root, RowLayout.ROW_PER_LINE).blocks():
            pass
    columns = {
        "site": ["forum", "forum"], "post_id": ["1", "2"], "asked": [1, 2], "tags": [["ale"], ["ale"]],
        "asker_id": ["1", "2"], "is_closed": [False, False], "links": pa.nulls(2), "vectors": pa.nulls(2),
        "title": ["pour an ale", "pour ale"], "text": ["an ale", "ale"],
    }  # fmt: skip
    questions = read_questions(pa.Table.from_batches([*make_parts([pa.RecordBatch.from_pydict(columns)])]))
    PairIndex.of(questions).pairs(np.arange(2))


def _megabytes(files: list[Path]) -> str:
    return f"{sum(file.stat().st_size for file in files) / 1e6:.0f} MB"


JOBS = (Job("setup", "download and check the jars", "setup", SetupSettings, setup),)
