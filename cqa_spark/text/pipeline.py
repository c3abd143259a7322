"""Analyses every distinct text with a Spark NLP pipeline."""

from warnings import catch_warnings, simplefilter

from pyspark.ml import Pipeline
from pyspark.ml.feature import StopWordsRemover
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.lake.schemas.text import DOCUMENTS, TEXTS, comment_document
from cqa_spark.text.cleaning import clean
from cqa_spark.text.scripts import spaced, stem_arabic

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


# Assigns texts to posts and comments; equal texts share one key.


def documents(posts: DataFrame, comments: DataFrame) -> DataFrame:
    """Assign the key of its text to every post and comment.

    Args:
        posts: the table ``posts``; a post's text is its subject and its body, one line each.
        comments: the table ``comments``; a comment's text is its body.

    Returns:
        The table ``documents``, one row per post and comment.
    """
    return DOCUMENTS.conform(
        _raw_texts(posts, comments).select(
            "site",
            "document_id",
            _text_id(F.col("raw")).alias("text_id"),
            _text_id(F.col("subject")).alias("subject_text_id"),
            "split",
        )
    )


def distinct_texts(posts: DataFrame, comments: DataFrame) -> DataFrame:
    """The distinct texts that ``documents`` refers to, for ``analyse``.

    Args:
        posts: the table ``posts``.
        comments: the table ``comments``.

    Returns:
        ``text_id`` (SHA-256, hexadecimal) and ``raw`` (the text as in the dump), one row per distinct text.
    """
    both = _raw_texts(posts, comments).select(F.explode(F.array("raw", "subject")).alias("raw"))
    return both.where(F.col("raw").isNotNull()).select(_text_id(F.col("raw")).alias("text_id"), "raw").distinct()


def _raw_texts(posts: DataFrame, comments: DataFrame) -> DataFrame:
    from_posts = posts.select(
        "site",
        F.col("post_id").alias("document_id"),
        F.concat_ws("\n", "subject", "body").alias("raw"),
        "subject",
        "split",
    )
    from_comments = comments.select(
        "site",
        comment_document().alias("document_id"),
        F.coalesce("body", F.lit("")).alias("raw"),
        F.lit(None).cast("string").alias("subject"),
        "split",
    )
    return from_posts.unionByName(from_comments)


def _text_id(text: Column) -> Column:
    return F.sha2(text, 256)


# Extracts the words of posts by regular expressions, fast enough for a whole dump, in Spark and in Python.
