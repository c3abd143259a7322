"""Reads files of pairs into community tables."""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from pyspark.sql import Column, DataFrame, SparkSession, Window
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cqa_spark.corpora.accounting import file_counts, quarantined
from cqa_spark.corpora.inputs import InputFile
from cqa_spark.corpora.source import AnnotatedFiles, CommunityTables
from cqa_spark.corpora.text_pairs.layouts import (
    EMPTY,
    QUESTION_PAIRS,
    SENTENCE_PAIRS,
    PairKind,
    UnknownLayout,
    gold_path,
    set_ids,
)
from cqa_spark.corpora.text_pairs.pairs import read_pairs
from cqa_spark.corpora.whole_files import DamagedFile, of_file, parse_files, read_whole_files
from cqa_spark.errors import InputError
from cqa_spark.lake.schemas.community import COMMENTS, JUDGMENTS, POSTS, UNANNOTATED, USERS
from cqa_spark.object_store.locations import find_files
from cqa_spark.process.terminal import Terminal
from cqa_spark.settings.sections import ObjectStorageSettings
from cqa_spark.settings.values import is_remote
from cqa_spark.spark.frames import persist

TRAIN = "train"
SHOWN_LINES = 5

_IS_TRAIN = f"split = '{TRAIN}'"
_IS_EVALUATED = f"split not in ('{TRAIN}', '{UNANNOTATED}')"

_FILE_OR_PAIR = T.StructType(
    [
        T.StructField("file", T.IntegerType()),
        T.StructField("lines", T.LongType()),
        T.StructField("not_rows", T.LongType()),
        *[T.StructField(name, T.StringType()) for name in ("refusal", "header")],
        T.StructField("line", T.IntegerType()),
        T.StructField("byte_offset", T.LongType()),
        *[T.StructField(name, T.StringType()) for name in ("raw", "problem", "label", "text1", "text2", "pair_key")],
        T.StructField("near_keys", T.ArrayType(T.LongType())),
    ]
)


class PairFiles(AnnotatedFiles):
    """Files of pairs of texts, of which each becomes a post.

    Training pairs that recur in another split, or earlier in the training files, are quarantined, also where they
    differ in case, punctuation or the order of the texts, and those that nearly repeat a pair of another split
    (``near_pair_keys``).

    Attributes:
        kind: the kind of texts.
        task: name of the judged task.
    """

    patterns: ClassVar[tuple[str, ...]] = ("*.tsv", "*.csv", "*.tsv.gz", "*.csv.gz")
    kind: ClassVar[PairKind]
    task: ClassVar[str]

    def gold_files(self) -> Sequence[str | None]:
        """The gold file of each input, one score per line; None without one."""
        return [None] * len(self.inputs)

    def read(self, spark: SparkSession) -> CommunityTables:
        """Read the files.

        Raises:
            InputError: a file cannot be read or has an unknown layout, two sets have the same name, or a line outside
                of the training files is not a pair, because prediction files need one line per pair.
        """
        inputs = self.inputs
        sets = set_ids([file.path for file in inputs])
        content = _with_gold(spark, inputs, self.gold_files(), self.storage)
        parsed = persist(parse_files(content, partial(_rows, self.kind), _FILE_OR_PAIR))
        pair_id = F.concat(of_file(sets), F.lit(":"), "line")
        rows = parsed.withColumns({"split": of_file([file.split for file in inputs]), "pair_id": pair_id})
        _check_readable(rows, inputs)
        pair_rows = rows.where("line is not null")
        files = rows.where("line is null").selectExpr("file", "lines", "not_rows", "lines - not_rows AS record_count")
        records = persist(_without_near_repeats(_without_repeats(pair_rows)))
        pairs = records.where("problem is null").select(
            F.lit(self.site).alias("site"), "split", of_file([file.path for file in inputs]).alias("source_file"),
            "pair_id", "label", "text1", "text2",
        )  # fmt: skip
        return CommunityTables(
            posts=POSTS.complete(_posts(pairs, self.kind)),
            comments=COMMENTS.empty(spark),
            users=USERS.empty(spark),
            judgments=JUDGMENTS.complete(_judgments(pairs, self.task)),
            quarantine=quarantined(records, inputs, self.site),
            ingested_files=file_counts(records.unionByName(files, allowMissingColumns=True), inputs, self.site),
        )


class StsFiles(PairFiles):
    """Sentence pairs in the layouts of the STS tasks, the STS Benchmark, SICK, MSRP, Quora and PAWS."""

    patterns = (*PairFiles.patterns, "sts*.input.*", "sts*.track*")
    kind = SENTENCE_PAIRS

    def gold_files(self) -> Sequence[str | None]:
        """Scores of an official input are in a file next to it, if that exists."""
        paths = [gold_path(file.path) for file in self.inputs]
        existing: list[str | None] = []
        for path in paths:
            exists = False
            if path is not None:
                exists = bool(find_files(path, self.storage)) if is_remote(path) else Path(path).is_file()
            existing.append(path if exists else None)
        return existing


class QuestionPairFiles(PairFiles):
    """Pairs of questions that are duplicates or not.

    Source:
        Bogdanova et al. 2015, Detecting Semantically Equivalent Questions in Online User Forums, section 4.
    """

    kind = QUESTION_PAIRS


def _with_gold(
    spark: SparkSession, inputs: Sequence[InputFile], gold: Sequence[str | None], storage: ObjectStorageSettings
) -> DataFrame:
    content = read_whole_files(spark, [file.path for file in inputs], storage)
    gold_paths = {file: path for file, path in enumerate(gold) if path is not None}
    if not gold_paths:
        return content.withColumn("gold", F.lit(None).cast("binary"))
    # The files of scores are numbered among themselves; the array maps their numbers to those of the inputs.
    numbers = F.array(*map(F.lit, gold_paths))
    scores = read_whole_files(spark, list(gold_paths.values()), storage).select(
        numbers[F.col("file")].alias("file"), F.col("content").alias("gold")
    )
    return content.join(scores, on="file", how="left").select("file", "content", "gold")


def _rows(kind: PairKind, file: int, content: bytes, gold: bytes | None) -> Iterator[dict[str, Any]]:
    """A row about the file, and a row for each of its records."""
    try:
        read = read_pairs(content, kind, gold)
    except (UnknownLayout, DamagedFile) as refusal:
        yield {"refusal": str(refusal)}
    else:
        header = read.layout.about if read.layout.has_header else None
        yield {"lines": read.lines, "not_rows": read.not_rows, "header": header}
        yield from (row._asdict() for row in read.rows)


def _check_readable(parsed: DataFrame, inputs: Sequence[InputFile]) -> None:
    """Refuse unknown layouts and lines that cannot be ranked, and print what is read of files with a header."""
    bad_lines = parsed.where(f"problem is not null and {_IS_EVALUATED}").orderBy("file", "line").limit(SHOWN_LINES)
    rows = parsed.where("line is null").unionByName(bad_lines).orderBy("file", "line")
    shown = rows.select("file", "line", "refusal", "header", "problem").collect()
    # Spark leaves out files without a byte.
    refusals = dict.fromkeys(range(len(inputs)), EMPTY)
    refusals |= {row["file"]: row["refusal"] for row in shown if row["line"] is None}
    refused = [f"{inputs[file].path}: {refusal}" for file, refusal in refusals.items() if refusal]
    if refused:
        raise InputError(
            "files that are not pairs: " + "\n  ".join(refused),
            "give a file in one of these layouts, or put the names of its columns into the first line",
        )
    bad = [f"{inputs[row['file']].path}:{row['line']}: {row['problem']}" for row in shown if row["problem"]]
    if bad:
        raise InputError(
            f"lines that are not pairs: {'; '.join(bad)}",
            "correct them: predictions are written one per line, in the order of the input",
        )
    for row in shown:
        if row["header"]:
            Terminal(stderr=True).line(f"{inputs[row['file']].path}: {row['header']}")


def _without_repeats(records: DataFrame) -> DataFrame:
    """Mark repeated training pairs with a problem; within the training files, the first with a label is kept."""
    same = Window.partitionBy("pair_key")
    is_train = F.expr(_IS_TRAIN)
    # The least struct is that of the first pair, by file and line; false, for a pair with a label, is less than true.
    evaluated = F.min(F.when(F.expr(_IS_EVALUATED), F.struct("file", "line", "pair_id"))).over(same)["pair_id"]
    unlabelled = F.col("label").isNull().alias("unlabelled")
    first = F.min(F.when(is_train, F.struct(unlabelled, "file", "line", "pair_id"))).over(same)["pair_id"]
    repeated = (
        F.when(evaluated.isNotNull(), F.concat(F.lit("the pair is evaluated on, as "), evaluated))
        .when(first != F.col("pair_id"), F.concat(F.lit("the pair repeats "), first))
    )  # fmt: skip
    has_key = F.col("pair_key").isNotNull() & is_train
    return records.withColumn("problem", F.coalesce("problem", F.when(has_key, repeated)))


def _without_near_repeats(records: DataFrame) -> DataFrame:
    """Give training pairs that nearly repeat an evaluated pair a problem."""
    keyed = records.where("problem is null").withColumn("near_key", F.explode("near_keys"))
    evaluated = (
        keyed.where(_IS_EVALUATED)
        .groupBy("near_key")
        .agg(F.min(F.struct("file", "line", "pair_id")).alias("evaluated"))
    )
    alike = keyed.where(_IS_TRAIN).join(evaluated, on="near_key", how="inner")
    near = alike.groupBy("pair_id").agg(F.min("evaluated").alias("near"))
    repeated = F.concat(F.lit("the pair differs in one word from "), "near.pair_id", F.lit(", which is evaluated on"))
    marked = records.join(near, on="pair_id", how="left").withColumn("problem", F.coalesce("problem", repeated))
    return marked.drop("near", "near_keys")


def _posts(pairs: DataFrame, kind: PairKind) -> DataFrame:
    """Both texts of a pair as posts of its thread."""
    texts = [F.struct(_text_id(number).alias("post_id"), F.col(f"text{number}").alias("body")) for number in (1, 2)]
    exploded = pairs.select("site", "pair_id", "split", "source_file", F.explode(F.array(*texts)).alias("text"))
    return exploded.select(
        "site", "text.post_id", F.lit(kind.post_type).alias("post_type"), F.col("pair_id").alias("thread_id"),
        "text.body", "split", "source_file",
    )  # fmt: skip


def _judgments(pairs: DataFrame, task: str) -> DataFrame:
    """The first text of a pair is the query, the second its only candidate."""
    return pairs.select(
        "site", F.lit(task).alias("task"), _text_id(1).alias("query_id"), _text_id(2).alias("candidate_id"),
        F.col("pair_id").alias("thread_id"), "label", F.lit(1).alias("initial_rank"), "split", "source_file",
    )  # fmt: skip


def _text_id(number: int) -> Column:
    return F.concat("pair_id", F.lit(f":{number}"))
