"""What cleaning makes of texts as they stand in dumps."""

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from cqa_spark.text.cleaning import clean

_EXPECTED = {
    "": "",
    " \t\u00a0\u200b ": "",
    "plain text; nothing to do.": "plain text; nothing to do.",
    # Arabic
    "أُصِبتُ بآلامٍ، إلى متـى؟العيادة": "اصبت بالام، الي متي ؟ العياده",
    # markup
    "<p>Try <b>this</b>: 1 &lt; 2 &amp; 3</p>\n<p>and that</p>": "Try this: 1 < 2 & 3\nand that",
    "see <a href='http://a.qa/b'>here</a> <img src='x.gif'/>": "see urltoken here imagetoken",
    "see <a href='http://a.qa/b'>http://a.qa/b</a>": "see urltoken",
    "&lt;p&gt;escaped once more&lt;br&gt;&amp;nbsp;twice&lt;/p&gt;": "escaped once more\n&nbsp ; twice",
    "a<script>alert('x')</script>b<!-- c -->d": "a b d",
    "if a < b and c > d": "if a < b and c > d",
    "don&#39;t&nbsp;go": "don't go",
    # images, addresses
    "me [img_assist|nid=1|title=http://x.com :)|desc=|link=none|align=left] too": "me imagetoken too",
    "me [img_assist|nid=1|title=cut in the mid": "me imagetoken",
    "[IMG]http://x.com/y.gif[/IMG] IMAGE_LINK": "imagetoken imagetoken",
    "http://x.com/a%20b.JPG?w=1 (see http://x.com/a.html) www.y.qa": "imagetoken (see urltoken ) urltoken",
    "qatarliving.com/jobs or moi.gov.qa, not e.g. this": "urltoken or urltoken , not e.g. this",
    "mail <joe.b-1@mail.example.com> now": "mail < emailtoken > now",
    # emoticons and emoji
    "ok:) fine :-)) ;-) =D :p xD ^_^ <3": "ok smiletoken fine" + " smiletoken" * 7,
    "no:( bad :'-( hmm :/ :|": "no frowntoken bad frowntoken hmm frowntoken frowntoken",
    "Windows XP, D:Drive, 1:(a), and:/or, 8) eight": "Windows XP, D : Drive, 1 :( a), and :/ or, 8) eight",
    "\U0001f600\U0001f622❤️ \U0001f697": "smiletoken frowntoken smiletoken emojitoken",
    # repeats, glue, quotes
    "sooooo goood!!! whaaat??? wait..... what": "soo good! whaat? wait … what",
    "yes?no!ok;fine,end.Then his/her but 3.5 e.g. U.S.A. 5,000 24/7": (
        "yes ? no ! ok ; fine , end. Then his / her but 3.5 e.g. U.S.A. 5,000 24/7"
    ),
    "it’s “so”": 'it\'s "so"',
    "a long text that was cu .....": "a long text that was cu",
    # other languages keep their letters and accents
    "مرحبا بالعالم! नमस्ते दुनिया, naïve café": "مرحبا بالعالم! नमस्ते दुनिया, naïve café",
}


@pytest.fixture(scope="module")
def cleaned(spark: SparkSession) -> dict[str, str]:
    frame = spark.createDataFrame([(raw,) for raw in _EXPECTED], "raw string")
    return {row.raw: row.clean for row in frame.select("raw", clean(F.col("raw")).alias("clean")).collect()}


@pytest.mark.parametrize("raw", _EXPECTED)
def test_exact_results(cleaned: dict[str, str], raw: str) -> None:
    assert cleaned[raw] == _EXPECTED[raw]


@settings(max_examples=5, suppress_health_check=list(HealthCheck))
@given(st.lists(st.text(alphabet=st.characters(blacklist_categories=["Cs"]), max_size=60), min_size=50, max_size=50))
def test_any_text_keeps_single_blanks_and_no_ends(spark: SparkSession, texts: list[str]) -> None:
    frame = spark.createDataFrame([(text,) for text in texts], "raw string")
    found = [row.clean for row in frame.select(clean(F.col("raw")).alias("clean")).collect()]
    assert len(found) == 50
    assert [text for text in found if text != text.strip(" \n") or re.search(r"[ \n]{2}|\t", text)] == []
