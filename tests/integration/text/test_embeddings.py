"""The table of embeddings: what a run encodes, and what it keeps of the published run."""

from pathlib import Path

import numpy as np
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from cqa_spark.lake.lake import Lake
from cqa_spark.lake.lease import Holder
from cqa_spark.lake.opening import hold
from cqa_spark.lake.publishing import publish
from cqa_spark.lake.run import open_run
from cqa_spark.lake.run_log import RunRecord, StepRecord
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.lake.schemas.text import DOCUMENTS, EMBEDDINGS, TEXTS
from cqa_spark.steps.embed import Embed
from cqa_spark.text.encoders.encoder import load_encoder
from cqa_spark.text.encoders.model import EmbeddingModel

MODEL = EmbeddingModel.read("bge_small_en")


def run_on(lake: Lake, run_id: str, texts: list[str]) -> tuple[dict[str, list[float]], StepRecord]:
    """Vectors by text of a run that is published, and the counts of its step; text ids are the texts themselves."""
    rows = [(text, text, text, *[[]] * 6) for text in texts]
    counts = StepRecord("embeddings")
    begin = RunRecord(run_id, "running", "run", config_hash="c0ffee", config="", code_version="0")
    with open_run(lake, begin, resume=False, on_step=lambda _: None) as run:
        run.write(TEXTS, lake.spark.createDataFrame(rows, TEXTS.schema))
        Embed([MODEL.name]).execute(run, counts)
        found = {row["text_id"]: row["vector"] for row in run.read(EMBEDDINGS).collect()}
    with hold(lake, Holder.of_this_process("test")) as held:
        publish(held, run_id)
    return found, counts


def test_a_night_encodes_new_texts_only_and_drops_those_that_are_gone_once_they_are_many(
    spark: SparkSession, tmp_path: Path
) -> None:
    lake = Lake(spark, str(tmp_path / "lake"))
    first, counts = run_on(lake, "first", ["good morning", "where is the souq?", "thanks"])
    assert (counts.rows_in, counts.rows_out) == (3, 3)
    assert np.array_equal(
        np.array([first["good morning"], first["thanks"]], np.float32),
        load_encoder(MODEL).encode(["good morning", "thanks"]),
    )
    second, counts = run_on(lake, "second", ["good morning", "in the old town", "thanks"])
    assert (counts.rows_in, counts.rows_out) == (3, 1)
    assert second.keys() == {"good morning", "in the old town", "thanks", "where is the souq?"}
    assert second["thanks"] == first["thanks"]
    same, counts = run_on(lake, "same", ["good morning", "in the old town", "thanks"])
    assert (same, counts.rows_out) == (second, 0)
    fewer, counts = run_on(lake, "fewer", ["good morning", "thanks"])
    assert (counts.rows_out, fewer.keys()) == (0, {"good morning", "thanks"})


def test_only_texts_that_are_learned_from_or_ranked_are_encoded(spark: SparkSession, tmp_path: Path) -> None:
    lake = Lake(spark, str(tmp_path / "lake"))
    documents = spark.createDataFrame(
        [
            ("a", "q", "title and body", "title"),
            ("a", "a1", "answer", None),
            ("a", "a2", "late answer", None),
            ("a", "a3", "unlabelled training answer", None),
            ("a", "a4", "answer to rank", None),
            ("b", "q", "other site", None),
        ],
        "site string, document_id string, text_id string, subject_text_id string",
    )
    texts = [row[name] for row in documents.collect() for name in ("text_id", "subject_text_id") if row[name]]
    examples = spark.createDataFrame(
        [
            ("a", "preferred_answer", "q", "a1", "q", "q", 1, 0, "train"),
            ("a", "preferred_answer", "q", "a3", "q", "q", 2, None, "train"),
            ("a", "preferred_answer", "q", "a4", "q", "q", 3, None, "test"),
        ],
        "site string, task string, query_id string, candidate_id string, thread_id string, fold_key string, "
        "initial_rank int, label int, split string",
    )
    begin = RunRecord("run", "running", "run", config_hash="c0ffee", config="", code_version="0")
    with open_run(lake, begin, resume=False, on_step=lambda _: None) as run:
        run.write(TEXTS, spark.createDataFrame([(text, text, text, *[[]] * 6) for text in texts], TEXTS.schema))
        run.write(DOCUMENTS, DOCUMENTS.complete(documents.withColumn("split", F.lit("train"))))
        run.write(EXAMPLES, EXAMPLES.complete(examples))
        Embed([MODEL.name], examples_only=True).execute(run, StepRecord("embeddings"))
        found = {row["text_id"] for row in run.read(EMBEDDINGS).collect()}
    assert found == {"title and body", "title", "answer", "answer to rank"}
