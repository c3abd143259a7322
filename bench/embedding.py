"""Compares the speed of encoding texts on one core with plain onnxruntime on the same model.

    .venv/bin/python bench/embedding.py
    .venv/bin/python bench/embedding.py --model minilm --texts 400
    .venv/bin/python bench/embedding.py --questions 1000000

The generated forum texts have 200 characters on average and up to 1,000. The peer encodes the same tokens in batches of
32 sorted by length and padded to the longest, as libraries for sentence embeddings do. Both use one thread and take
turns; speeds are the best of the rounds, per second of CPU time. The vectors are compared, because 8-bit models scale
activations by batch, so that the vector of a text depends on its batch unless it is encoded alone.

``--questions`` writes the vectors of other texts of this kind in Spark, on two cores, as a job does.
"""

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path
from random import Random

import numpy as np
import onnxruntime
import pyarrow as pa
from measuring import add_figure, peak_memory, processor_seconds
from numpy.typing import NDArray
from pyarrow.parquet import write_table
from rich.console import Console
from rich.table import Table
from tokenizers import Tokenizer

from cqa_spark.spark.session import spark_session
from cqa_spark.synth.qatar_living import TOPICS, invent_conversation, invent_users
from cqa_spark.text.encoders.encoder import embed, load_encoder, ship
from cqa_spark.text.encoders.model import EmbeddingModel, read_file

BATCH = 32
FILES = 16
Encode = Callable[[list[str]], NDArray[np.float32]]


def main() -> None:
    """Measure both and print a table."""
    arguments = _arguments()
    if arguments.questions:
        embed_in_spark(EmbeddingModel.read(arguments.model), arguments.questions)
        return
    model, texts = EmbeddingModel.read(arguments.model), invented_texts(arguments.texts)
    encoders: dict[str, Encode] = {
        "cqa_spark, one text at a time": load_encoder(model).encode,
        f"onnxruntime, batches of {BATCH}": plain(model),
    }
    speeds: dict[str, list[float]] = {name: [] for name in encoders}
    vectors: dict[str, NDArray[np.float32]] = {}
    for _ in range(arguments.rounds):
        for name, encode in encoders.items():
            started = time.process_time()
            vectors[name] = encode(texts)
            speeds[name].append(len(texts) / (time.process_time() - started))
    ours, peer = (max(found) for found in speeds.values())
    add_figure(f"{model.name}, texts encoded", ours, peer, "texts/s", f"onnxruntime, batches of {BATCH}")
    table = Table(title=f"{model.name}, {len(texts)} texts of {np.mean(list(map(len, texts))):.0f} characters")
    table.add_column("encoder")
    table.add_column("texts/s", justify="right")
    table.add_column("ratio", justify="right")
    for name, speed in zip(encoders, (ours, peer), strict=True):
        table.add_row(name, f"{speed:,.0f}", f"{speed / peer:.2f}")
    cosines = np.multiply(*vectors.values()).sum(axis=1)
    Console(width=100).print(table)
    Console(width=100).print(
        f"cosine of the two vectors of a text: mean {cosines.mean():.4f}, least {cosines.min():.4f}"
    )


def embed_in_spark(model: EmbeddingModel, number: int) -> None:
    """Write the vectors of invented texts to Parquet, and print what that took."""
    with tempfile.TemporaryDirectory(prefix="cqa-embedding-") as name:
        texts, vectors = Path(name) / "texts", Path(name) / "vectors"
        texts.mkdir()
        with get_context("spawn").Pool(2) as processes:
            pieces = [(texts, file, number * (file + 1) // FILES - number * file // FILES) for file in range(FILES)]
            processes.starmap(write_texts, pieces)
        spark = spark_session("embedding", master="local[2]")
        ship(spark, model)
        with peak_memory() as peak:
            began, before = time.perf_counter(), processor_seconds(os.getpid())
            embed(spark.read.parquet(str(texts)), model).write.parquet(str(vectors))
            seconds, processor = time.perf_counter() - began, processor_seconds(os.getpid()) - before
        size = sum(file.stat().st_size for file in vectors.glob("*.parquet"))
        spark.stop()
    print(
        f"{model.name}, {number:,} texts: {seconds:,.0f} s, {processor:,.0f} s on processors, "
        f"{1000 * processor / number:.1f} ms a text, peak {peak[0] / 1e9:.1f} GB, vectors {size / 1e9:.2f} GB"
    )


def write_texts(folder: Path, file: int, number: int) -> None:
    """Write one of the files of texts."""
    ids = [f"{file:08x}{row:024x}" for row in range(number)]
    table = pa.table({"text_id": ids, "clean": invented_texts(number, seed=file)})
    write_table(table, folder / f"{file}.parquet")


def invented_texts(number: int, seed: int = 1) -> list[str]:
    """Texts of one to eight generated comments; short ones are most frequent."""
    rng = Random(seed)
    users = invent_users(50, rng)
    texts: list[str] = []
    while len(texts) < number:
        topic = rng.choice(TOPICS)
        comments = [each.text for each in invent_conversation(rng, users, topic, rng.choice(topic.things)).comments]
        texts.append(" ".join(comments[: min(8, 1 + int(rng.expovariate(0.5)))]))
    return texts


def plain(model: EmbeddingModel) -> Encode:
    """The peer, as in the documentation of onnxruntime and tokenizers."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(read_file(model, model.weights), options)
    tokenizer = Tokenizer.from_buffer(read_file(model, model.tokenizer))
    if model.max_tokens is not None:
        tokenizer.enable_truncation(model.max_tokens)
    tokenizer.enable_padding()
    names = [each.name for each in session.get_inputs()]

    def encode(texts: list[str]) -> NDArray[np.float32]:
        vectors = np.empty((len(texts), model.dimension), np.float32)
        order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
        for start in range(0, len(order), BATCH):
            places = order[start : start + BATCH]
            encodings = tokenizer.encode_batch([model.prefix + texts[place] for place in places])
            columns = {
                "input_ids": [each.ids for each in encodings],
                "attention_mask": [each.attention_mask for each in encodings],
                "token_type_ids": [each.type_ids for each in encodings],
            }
            tokens = session.run(None, {name: np.array(columns[name], np.int64) for name in names})[0]
            mask = np.array(columns["attention_mask"])[:, :, None]
            pooled = tokens[:, 0] if model.pooling == "first_token" else (tokens * mask).sum(axis=1) / mask.sum(axis=1)
            vectors[places] = pooled / np.linalg.norm(pooled, axis=1, keepdims=True)
        return vectors

    return encode


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measures the speed of encoding texts.")
    parser.add_argument("--model", default="bge_small_en", help="name of an ONNX model of conf/models")
    parser.add_argument("--texts", type=int, default=600, help="number of texts")
    parser.add_argument("--rounds", type=int, default=3, help="rounds of both encoders")
    parser.add_argument("--questions", type=int, help="number of texts to encode in Spark, instead of comparing")
    return parser.parse_args()


if __name__ == "__main__":
    main()
