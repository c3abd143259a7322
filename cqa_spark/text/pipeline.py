"""Analyses every distinct text with a Spark NLP pipeline; the import of Spark NLP is slow."""

from warnings import catch_warnings, simplefilter

from pyspark.ml import Pipeline
from pyspark.ml.feature import StopWordsRemover
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.lake.schemas.text import TEXTS
from cqa_spark.text.cleaning import clean
from cqa_spark.text.scripts import spaced, stem_arabic

with catch_warnings():
    simplefilter("ignore", SyntaxWarning)  # Python 3.12 warns of backslashes in Spark NLP's docstrings
    from sparknlp.annotator import NGramGenerator, Normalizer, SentenceDetector, Stemmer, StopWordsCleaner, Tokenizer
    from sparknlp.base import DocumentAssembler

# Characters other than letters, accents and digits at either end of a token, and the possessive before its right end.
# Each run of such characters is matched once, from its start.
_EDGE = r"[^\p{L}\p{M}\p{N}]"
WORD_EDGES = rf"^{_EDGE}++|'[sS]{_EDGE}*+$|(?<!{_EDGE}){_EDGE}*+$"

_WITH_PAIRS = "sentence_with_pairs"


def analyse(texts: DataFrame) -> DataFrame:
    """Clean and analyse every text once.

    Args:
        texts: ``text_id`` and ``raw`` of each distinct text, as ``distinct_texts`` returns them.

    Returns:
        The table ``texts``; arrays are in text order.
    """
    # Repartitioned explicitly, because Spark sizes partitions by bytes and the work per byte is large.
    partitions = int(str(texts.sparkSession.conf.get("spark.sql.shuffle.partitions")))
    cleaned = texts.repartition(partitions, "text_id").select("text_id", "raw", clean(F.col("raw")).alias("clean"))
    sentences = sentence_detection().fit(cleaned).transform(cleaned)
    # In scripts without spaces, words become pairs of characters between blanks. The changed sentences keep the column
    # metadata by which Spark NLP recognises its annotations.
    in_pairs = F.transform("sentence", lambda sentence: sentence.withField("result", spaced(sentence["result"])))
    annotations = sentences.schema["sentence"].metadata
    with_pairs = sentences.withColumn(_WITH_PAIRS, in_pairs).withMetadata(_WITH_PAIRS, annotations)
    analysed = linguistics().fit(with_pairs).transform(with_pairs)
    return TEXTS.conform(
        analysed.select(
            "text_id",
            "raw",
            "clean",
            F.col("sentence.result").alias("sentences"),
            F.transform("token.result", F.lower).alias("tokens"),
            F.col("word.result").alias("words"),
            F.col("content_word.result").alias("content_words"),
            stem_arabic(F.col("stem.result"), F.col("clean")).alias("stems"),
            F.col("bigram.result").alias("bigrams"),
        )
    )


def sentence_detection() -> Pipeline:
    """Build the pipeline from the column ``clean`` to sentences."""
    return Pipeline(
        stages=[
            DocumentAssembler().setInputCol("clean").setOutputCol("document"),
            SentenceDetector().setInputCols(["document"]).setOutputCol("sentence").setCustomBounds(["\n"]),
        ]
    )


def linguistics() -> Pipeline:
    """Build the pipeline from sentences to tokens, words, words without stop words, stems, bigrams.

    The stop words are Spark ML's for English. The stemmer is Porter's (1980, An algorithm for suffix stripping).
    """
    stop_words = StopWordsRemover.loadDefaultStopWords("english")
    return Pipeline(
        stages=[
            Tokenizer().setInputCols([_WITH_PAIRS]).setOutputCol("token"),
            Normalizer()
            .setInputCols(["token"])
            .setOutputCol("word")
            .setLowercase(True)
            .setCleanupPatterns([WORD_EDGES]),
            StopWordsCleaner().setInputCols(["word"]).setOutputCol("content_word").setStopWords(stop_words),
            Stemmer().setInputCols(["content_word"]).setOutputCol("stem"),
            NGramGenerator().setInputCols(["word"]).setOutputCol("bigram").setN(2),
        ]
    )
