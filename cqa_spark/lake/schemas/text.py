"""Processed text, once per distinct text."""

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cqa_spark.lake.schemas.community import SITE, SPLIT
from cqa_spark.lake.table import SiteTable, Table, column, required

STRINGS = T.ArrayType(T.StringType())

BODIES: Table = Table(
    "bodies",
    "Every distinct HTML body of a post, split into its parts, each in order of appearance.",
    (
        required("body_id", "string", "SHA-256 of the body as in the dump, hexadecimal"),
        column("prose", "string", "text with its inline code, a line per block; without code blocks and quotes"),
        column("code", STRINGS, "code blocks, verbatim"),
        column("quotes", STRINGS, "quotes, a line per block"),
        column("links", STRINGS, "distinct link targets"),
        column("images", STRINGS, "distinct image sources"),
    ),
    key=("body_id",),
)

DOCUMENTS: SiteTable = SiteTable(
    "documents",
    "The text of each post and comment.",
    (
        SITE,
        required(
            "document_id",
            "string",
            "post_id or comment_id; 'comment ' and the id on sites that number comments apart from posts",
        ),
        required("text_id", "string", "key into texts: a post's subject and body, a comment's body"),
        column("subject_text_id", "string", "key into texts: a post's subject alone; null without a subject"),
        SPLIT,
    ),
    key=("site", "document_id"),
)

TEXTS: Table = Table(
    "texts",
    "Every distinct text, cleaned and analysed.",
    (
        required("text_id", "string", "SHA-256 of the raw text, hexadecimal"),
        required("raw", "string", "text as in the dump; for an HTML body, its prose"),
        required(
            "clean",
            "string",
            "text without markup, with normalized Arabic letters; URLs, images, e-mail addresses and emoticons "
            "replaced by urltoken, imagetoken, emailtoken, smiletoken, frowntoken, emojitoken",
        ),
        required("sentences", STRINGS, "sentences of the clean text, in order"),
        required(
            "tokens",
            STRINGS,
            "lower-case tokens of the clean text, punctuation included, in order; in scripts without spaces, pairs of "
            "adjacent characters",
        ),
        required(
            "words",
            STRINGS,
            "tokens with a letter or digit, without punctuation at their ends and without possessive 's, in order",
        ),
        required("content_words", STRINGS, "words without stop words, in order"),
        required("stems", STRINGS, "stem of each content word, in order"),
        required("bigrams", STRINGS, "pairs of adjacent words of a sentence, joined by a space, in order"),
    ),
    key=("text_id",),
)

EMBEDDINGS: Table = Table(
    "embeddings",
    "Vectors of the clean texts by pretrained models; texts with near vectors have similar meanings.",
    (
        required("text_id", "string", "key into texts"),
        required("model", "string", "name of the model, as in conf/models"),
        required("version", "string", "hash of the model's files and settings"),
        required("vector", T.ArrayType(T.FloatType(), False), "components of the vector, which has length 1"),
    ),
    key=("text_id", "model"),
    partition_by=("model", "version"),
)


def comment_document() -> Column:
    """The document_id of a row of ``comments``; distinguishes ids of posts and comments of Stack Exchange."""
    return F.when(F.col("thread_id").isNull(), F.concat(F.lit("comment "), "comment_id")).otherwise(F.col("comment_id"))
