"""Terms of scripts without spaces are pairs of characters; all others are as they were."""

import re

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cqa_spark.retrieval.shard import count_terms
from cqa_spark.text.scripts import LETTER, spaced_text, spaced_texts

_RUNS = st.text(st.sampled_from("日本語かなカナー々ไทยລາວខ្មែរမြန်မာ𠀀𪜀"), min_size=1).filter(
    lambda run: re.match(LETTER, run)
)
_OTHERS = st.text(st.characters(exclude_categories=["Cs"])).filter(lambda text: not re.search(LETTER, text))


def _terms(text: str) -> list[str]:
    return spaced_text(text).split()


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("重複を取る", ["重複", "複を", "を取", "取る"]),
        ("色", ["色"]),
        ("ー", ["ー"]),
        ("サーバー", ["サー", "ーバ", "バー"]),
        ("Python3でlistを", ["Python3", "で", "list", "を"]),
        ("日本語、英語", ["日本", "本語", "、", "英語"]),
        ("ภาษาไทย", ["ภา", "าษ", "ษา", "าไ", "ไท", "ทย"]),
        ("ที่นี่ ๒๕๖๙", ["ที่นี่", "๒๕๖๙"]),
        ("မြန်မာ", ["မြန်", "န်မာ"]),
        ("ﾊﾞｯｸﾞ", ["バッ", "ッグ"]),
        ("か\u3099き\u309aく", ["がき\u309a", "き\u309aく"]),
        ("\U00020000\U00020001\U00031350", ["\U00020000\U00020001", "\U00020001\U00031350"]),
        ("葛\U000e0100城市", ["葛\U000e0100城", "城市"]),
        ("한국어는 띄어쓰기", ["한국어는", "띄어쓰기"]),
        ("\uff30\uff39 é e\u3099", ["\uff30\uff39", "é", "e\u3099"]),
    ],
)
def test_terms_by_hand(text: str, terms: list[str]) -> None:
    assert _terms(text) == terms


@given(st.lists(_OTHERS))
def test_texts_without_these_scripts_are_unchanged(texts: list[str]) -> None:
    assert spaced_texts(pa.array(texts, pa.string())).to_pylist() == texts


@given(_OTHERS, _RUNS, _OTHERS)
def test_the_rest_of_a_mixed_text_is_unchanged(before: str, run: str, after: str) -> None:
    assert spaced_text(before + run + after).startswith(before + " ")
    alone, whole = (
        count_terms(pa.array(texts)) for texts in ([before + " " + after], [before + " " + run + " " + after])
    )
    assert set(alone.vocabulary.to_pylist()) <= set(whole.vocabulary.to_pylist())


@given(st.text(st.sampled_from("日本語かなカナー々ไทย𠀀𪜀"), min_size=1))
def test_a_run_of_letters_has_a_pair_for_every_two(run: str) -> None:
    assert _terms(run) == ([run[place : place + 2] for place in range(len(run) - 1)] or [run])
