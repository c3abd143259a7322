"""The words of a post are the same in Spark and in Python."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from cqa_spark.text.post_words import plain_text, plain_text_of, post_words, words_of

_POSTS = [
    ("Which beer?", "<p>A <b>stout</b>, x_1 &amp; 3.5%!</p>"),
    ("  No end", "of a <tag that > ends <and one that does not"),
    (None, "\tTabs\nand lines \u00a0 stay, blanks do not  "),
    ("Title alone", None),
    (None, None),
    ("", "<><<>>< $1 \\1"),
    ("ÜNÏCODE ΣΟΦΟΣ İstanbul STRASSE ß", "Ⅷ ½ ٣ ² 日本語 e\u0301 ʰ \U0001d518\U0001d52b 😀 a\u200db"),
    (None, "<div\n class='x'>over\nlines</div>"),
    ("Pythonでリスト", "色。ที่นี่ 葛\U000e0100城市 ｶﾞｲﾄﾞ か\u3099き \U00020000\U00020001 ー 한국어 한\u0301국"),
]


def test_both_read_the_same_words(spark: SparkSession) -> None:
    posts = spark.createDataFrame(_POSTS, "subject string, body string")
    found = posts.select("subject", "body", plain_text(), post_words(), F.length(plain_text())).collect()
    assert len(found) == len(_POSTS)
    for subject, body, plain, words, length in found:
        assert (plain_text_of(subject, body), words_of(plain), len(plain)) == (plain, words, length)
