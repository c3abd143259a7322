"""Analyses every distinct text with a Spark NLP pipeline."""

from warnings import catch_warnings, simplefilter

from pyspark.ml import Pipeline
from pyspark.ml.feature import StopWordsRemover
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.lake.schemas.text import TEXTS
from cqa_spark.text.arabic import stem_arabic
from cqa_spark.text.cleaning import clean
from cqa_spark.text.unspaced_scripts import spaced

with catch_warnings():
    simplefilter("ignore", SyntaxWarning)  # of Python 3.12, when it compiles the backslashes in Spark NLP's texts
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
    cleaned = _spread(texts).select("text_id", "raw", clean(F.col("raw")).alias("clean"))
    in_sentences = _with_pairs(sentence_detection().fit(cleaned).transform(cleaned))
    analysed = linguistics().fit(in_sentences).transform(in_sentences)
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

    The stop words are those of Spark ML for English. The stemmer is Porter's (1980, An algorithm for suffix stripping).
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


def _with_pairs(in_sentences: DataFrame) -> DataFrame:
    """Add the sentences in which the words of every script stand between blanks, as Spark NLP's annotations."""
    with_pairs = F.transform("sentence", lambda sentence: sentence.withField("result", spaced(sentence["result"])))
    annotations = in_sentences.schema["sentence"].metadata
    return in_sentences.withColumn(_WITH_PAIRS, with_pairs).withMetadata(_WITH_PAIRS, annotations)


def _spread(texts: DataFrame) -> DataFrame:
    """Repartition the texts explicitly, because Spark sizes partitions by bytes and the work per byte is large."""
    partitions = int(str(texts.sparkSession.conf.get("spark.sql.shuffle.partitions")))
    return texts.repartition(partitions, "text_id")
