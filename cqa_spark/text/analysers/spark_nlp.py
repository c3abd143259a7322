"""The analyser of Spark NLP's annotators, which run in Java; the import of Spark NLP is slow."""

from warnings import catch_warnings, simplefilter

from pyspark.ml import Pipeline
from pyspark.ml.feature import StopWordsRemover
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.process.failures import require_extra
from cqa_spark.spark.jars import require_jar
from cqa_spark.text.analysers.analyser import Analyser
from cqa_spark.text.scripts import spaced, stem_arabic

# Characters other than letters, accents and digits at either end of a token, and the possessive before its right end.
# Each run of such characters is matched once, from its start.
_EDGE = r"[^\p{L}\p{M}\p{N}]"
WORD_EDGES = rf"^{_EDGE}++|'[sS]{_EDGE}*+$|(?<!{_EDGE}){_EDGE}*+$"

_WITH_PAIRS = "sentence_with_pairs"


class SparkNlp(Analyser):
    """Sentences, tokens, stop words and stems by annotators of Spark NLP (the extra ``text``)."""

    about = "annotators of Spark NLP, in Java; needs the extra text"

    def require(self) -> None:
        """Check that the Python package and the jar of Spark NLP are installed."""
        require_extra("text", ["sparknlp"], "the text analyser spark_nlp")
        require_jar("com.johnsnowlabs.nlp", "spark-nlp", "the text analyser spark_nlp")

    def analyse(self, texts: DataFrame) -> DataFrame:
        """Analyse the texts with two pipelines: one to sentences, one from them."""
        sentences = sentence_detection().fit(texts).transform(texts)
        # In scripts without spaces, words become pairs of characters between blanks. The changed sentences keep the
        # column metadata by which Spark NLP recognises its annotations.
        in_pairs = F.transform("sentence", lambda sentence: sentence.withField("result", spaced(sentence["result"])))
        annotations = sentences.schema["sentence"].metadata
        with_pairs = sentences.withColumn(_WITH_PAIRS, in_pairs).withMetadata(_WITH_PAIRS, annotations)
        analysed = linguistics().fit(with_pairs).transform(with_pairs)
        return analysed.select(
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


def sentence_detection() -> Pipeline:
    """Build the pipeline from the column ``clean`` to sentences."""
    with catch_warnings():
        simplefilter("ignore", SyntaxWarning)  # Python 3.12 warns of backslashes in Spark NLP's docstrings
        from sparknlp.annotator import SentenceDetector
        from sparknlp.base import DocumentAssembler

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
    from sparknlp.annotator import NGramGenerator, Normalizer, Stemmer, StopWordsCleaner, Tokenizer

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
