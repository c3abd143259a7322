"""Encodes texts in Spark's workers."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyspark import SparkFiles, TaskContext
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import to_arrow_schema

from cqa_spark.lake.schemas.text import EMBEDDINGS
from cqa_spark.text.embedding.encoder import load_encoder
from cqa_spark.text.embedding.model import EmbeddingModel, ModelFile
from cqa_spark.text.embedding.model_files import files_to_ship, read_file


def ship(spark: SparkSession, model: EmbeddingModel) -> None:
    """Check that a model can be loaded, and send its files to the workers of a cluster.

    Raises:
        EnvironmentProblem: the model is not installed, a file differs from the description, or loading fails.
    """
    load_encoder(model)
    if not str(spark.conf.get("spark.master")).startswith("local"):
        for path in files_to_ship(model):
            spark.sparkContext.addFile(str(path))


def read_shipped(model: EmbeddingModel, file: ModelFile) -> bytes:
    """Read a file of a model shipped by ``ship``, in a worker or in the driver.

    Raises:
        EnvironmentProblem: the file is not installed, or its hash differs from the description.
    """
    sent = (Path(SparkFiles.getRootDirectory()),) if TaskContext.get() else ()
    return read_file(model, file, sent)


def embed(texts: DataFrame, model: EmbeddingModel) -> DataFrame:
    """Encode texts.

    Args:
        texts: ``text_id`` and ``clean`` of each text.
        model: a model shipped by ``ship``.

    Returns:
        Rows of the table ``embeddings``.
    """
    schema = EMBEDDINGS.schema

    def encode(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        encoder = load_encoder(model, (Path(SparkFiles.getRootDirectory()),))
        arrow_schema = to_arrow_schema(schema)
        for batch in batches:
            vectors = encoder.encode(batch.column("clean").to_pylist())
            rows = len(vectors)
            yield pa.RecordBatch.from_arrays(
                [
                    batch.column("text_id"),
                    pa.array([model.name] * rows, pa.string()),
                    pa.array([model.version] * rows, pa.string()),
                    _lists(vectors),
                ],
                schema=arrow_schema,
            )

    # Spark sizes partitions by bytes, but encoding takes milliseconds per text.
    partitions = int(str(texts.sparkSession.conf.get("spark.sql.shuffle.partitions")))
    spread = texts.select("text_id", F.col("clean")).repartition(partitions, "text_id")
    return spread.mapInArrow(encode, schema)


def _lists(vectors: np.ndarray) -> pa.ListArray:
    """Vectors as a column of lists."""
    offsets = pa.array(np.arange(len(vectors) + 1, dtype=np.int32) * vectors.shape[1])
    return pa.ListArray.from_arrays(offsets, pa.array(vectors.ravel()))
