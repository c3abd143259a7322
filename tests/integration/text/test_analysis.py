"""What the analysers make of texts."""

from importlib.util import find_spec

import pyarrow as pa
import pytest
from pyspark.sql import Row, SparkSession
from pyspark.sql import functions as F

from cqa_spark.lake.schemas.text import TEXTS
from cqa_spark.settings.conf_files import jars_folder
from cqa_spark.text.analysers.analyser import ANALYSERS, analyse
from cqa_spark.text.cleaning import clean
from cqa_spark.text.scripts import spaced, spaced_texts

_ARRAYS = ("sentences", "tokens", "words", "content_words", "stems", "bigrams")
_QUESTION = "Dentist's prices?\nI don't know!! Mr. Smith's \"shops\" are running... see www.x.com :)"
_TEXTS = {"question": _QUESTION, "marks": "?! ...", "empty": "", "blank": " \n ", "abroad": "नमस्ते दुनिया। Crème brûlée"}
_TEXTS["arabic"] = "والمعالجات بالأدوية، لا شيء"
_TEXTS["japanese"] = "Pythonsで配列を、ﾊﾞﾅﾅ 色の順。 it's の"


@pytest.fixture(scope="module")
def analysed(spark: SparkSession) -> dict[str, Row]:
    frame = spark.createDataFrame(list(_TEXTS.items()), "text_id string, raw string")
    found = analyse(frame)
    assert found.schema.simpleString() == TEXTS.schema.simpleString()
    return {row.text_id: row for row in found.collect()}


def test_a_question_with_everything(analysed: dict[str, Row]) -> None:
    found = analysed["question"]
    assert found.raw == _QUESTION
    assert found.clean == "Dentist's prices?\nI don't know! Mr. Smith's \"shops\" are running … see urltoken smiletoken"
    assert found.sentences == [
        "Dentist's prices?",
        "I don't know!",
        'Mr. Smith\'s "shops" are running … see urltoken smiletoken',
    ]
    assert found.tokens == [
        "dentist's", "prices", "?", "i", "don't", "know", "!", "mr", ".", "smith's", '"', "shops", '"', "are",
        "running", "…", "see", "urltoken", "smiletoken",
    ]  # fmt: skip
    assert found.words == [
        "dentist", "prices", "i", "don't", "know", "mr", "smith", "shops", "are", "running", "see", "urltoken",
        "smiletoken",
    ]  # fmt: skip
    assert found.content_words == [
        "dentist", "prices", "know", "mr", "smith", "shops", "running", "see", "urltoken", "smiletoken",
    ]  # fmt: skip
    assert found.stems == ["dentist", "price", "know", "mr", "smith", "shop", "run", "see", "urltoken", "smiletoken"]
    assert found.bigrams == [
        "dentist prices", "i don't", "don't know", "mr smith", "smith shops", "shops are", "are running",
        "running see", "see urltoken", "urltoken smiletoken",
    ]  # fmt: skip


def test_marks_alone_hold_no_words(analysed: dict[str, Row]) -> None:
    found = analysed["marks"]
    assert found.tokens == ["?!", "…"]
    assert found.words == found.content_words == found.stems == found.bigrams == []


@pytest.mark.parametrize("text_id", ["empty", "blank"])
def test_an_empty_text_has_empty_arrays(analysed: dict[str, Row], text_id: str) -> None:
    assert analysed[text_id].clean == ""
    assert [analysed[text_id][array] for array in _ARRAYS] == [[]] * len(_ARRAYS)


def test_words_of_other_scripts_stay_whole(analysed: dict[str, Row]) -> None:
    assert analysed["abroad"].words == ["नमस्ते", "दुनिया", "crème", "brûlée"]


def test_arabic_words_are_spelled_alike_and_stemmed_lightly(analysed: dict[str, Row]) -> None:
    assert analysed["arabic"].words == ["والمعالجات", "بالادويه", "لا", "شيء"]
    assert analysed["arabic"].stems == ["معالج", "ادو", "لا", "شيء"]


def test_words_of_scripts_without_spaces_are_pairs_of_characters(analysed: dict[str, Row]) -> None:
    found = analysed["japanese"]
    assert found.sentences == [found.clean]
    assert found.words == ["pythons", "で配", "配列", "列を", "バナ", "ナナ", "色の", "の順", "it", "の"]
    assert found.content_words == ["pythons", "で配", "配列", "列を", "バナ", "ナナ", "色の", "の順", "の"]
    assert found.stems[:2] == ["python", "で配"]
    assert found.bigrams[:2] == ["pythons で配", "で配 配列"]


def test_pairs_of_characters_are_those_of_an_index(spark: SparkSession) -> None:
    texts = [
        *_TEXTS.values(),
        "ｶﾞｲﾄﾞカ\u3099",
        "ภาษาไทย ๒๕",
        "ၿမန်မာစာ",
        "ភាសាខ្មែរ",
        "ພາສາລາວ",
        "𠀀𠀁𠀂a",
        "葛\U000e0100城市",
        "ー",
        "한국어",
    ]
    frame = spark.createDataFrame([(text,) for text in texts], "text string").coalesce(1)
    found = [row.text for row in frame.select(spaced(F.col("text")).alias("text")).collect()]
    assert found == spaced_texts(pa.array(texts)).to_pylist()


_MANY_MARKS = [
    "Dr. No of the U.S. Navy met him at 3 p.m. He left, e.g. because of rain... It rained!",
    "1. First item 2. Second one. 3.) third (a) fourth -5. fifth",
    "He asked \"Is it? Yes! No.\" and (well. maybe?) went. [So. it] goes 'Really? yes.' he said.",
    "Version 2.0.1 costs $3.50, approx. 4.5 in. of St. John's No. 7; see p. 12 (or p. (13)). etc. and so on",
    "What?! No!! I said, stop!, he cried! and ran. Is it Inc.'s? I live in the U.S. A. Smith wrote a.m. or P.M..",
    "John's dogs' 's ''s x''s -- (((a))) *b* l'une naïve Ünïcode 'quoted' \"double\" ... .5 5.",
    "a.b.c @me #tag 10% C++ C#",
    "Die Straße 'ist lang'. A Co. KG is here. It weighs 3 kg.It is 5°C. N°. 1026.253.553.",
    "relational conditional valenci hesitanci digitizer conformabli radicalli differentli vileli analogousli agreed "
    "fed vietnamization predication operator feudalism decisiveness hopefulness callousness formaliti sensitiviti "
    "sensibiliti triplicate formative formalize electriciti electrical hopeful goodness revival allowance inference "
    "airliner gyroscopic adjustable defensible irritant replacement adjustment dependent adoption homologou communism "
    "activate angulariti homologous effective bowdlerize probate rate cease controll roll hopping tanned falling "
    "hissing fizzed failing filing happy sky ponies ties caress cats feed plastered bled motoring sing troubled sized",
]


@pytest.mark.skipif(
    not find_spec("sparknlp") or not any(jars_folder().glob("*_spark-nlp_*.jar")),
    reason="needs Spark NLP: the extra text and its jar, which only the line 3.5 of Spark has",
)
def test_both_analysers_agree(spark: SparkSession) -> None:
    texts = [*_TEXTS.values(), *_MANY_MARKS]
    frame = spark.createDataFrame(
        [(str(number), text) for number, text in enumerate(texts)], "text_id string, raw string"
    )
    cleaned = frame.withColumn("clean", clean(F.col("raw")))
    rules, spark_nlp = (ANALYSERS.load(name)().analyse(cleaned) for name in ("rules", "spark_nlp"))
    expected = {row.text_id: row.asDict() for row in spark_nlp.collect()}
    assert {row.text_id: row.asDict() for row in rules.collect()} == expected


def test_the_number_of_partitions_changes_nothing(spark: SparkSession, analysed: dict[str, Row]) -> None:
    frame = spark.createDataFrame(list(_TEXTS.items()), "text_id string, raw string").repartition(16)
    assert {row.text_id: row for row in analyse(frame).collect()} == analysed
