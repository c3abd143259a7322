from html import unescape

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cqa_spark.synth.stackexchange.population import later, normals, uniforms, within
from cqa_spark.synth.stackexchange.rows import attribute_value, markdown
from cqa_spark.synth.stackexchange.vocabulary import (
    GAP,
    PATTERNS,
    TAG_WORDS,
    Gap,
    Intent,
    Phrasebook,
    SiteVocabulary,
    Subjects,
)


@pytest.fixture(scope="module")
def vocabulary() -> SiteVocabulary:
    return SiteVocabulary(seed=1, tags=12)


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>Use <code>a</code>, <strong>not</strong> <em>b</em>.</p>\n", "Use `a`, **not** *b*.\r\n"),
        ("<p>a</p>\n\n<p>b &lt; c &amp; d</p>\n", "a\r\n\r\nb < c & d\r\n"),
        ("<pre><code>x &gt; &quot;y&quot;\nz\n</code></pre>\n", '```\r\nx > "y"\r\nz\r\n```\r\n'),
        ("<blockquote>\n<p>a</p>\n</blockquote>\n", "> a\r\n"),
        ("<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n", " - a\r\n - b\r\n"),
    ],
)
def test_markdown_of_html(html: str, expected: str) -> None:
    assert markdown(attribute_value(html)) == attribute_value(expected)


@given(st.text(st.characters(exclude_categories=("C",))))
def test_escaped_text_comes_back(text: str) -> None:
    assert unescape(attribute_value(text)) == text
    assert not set(attribute_value(text)) & set('<>"\n\r')


def test_words_are_different_and_tags_have_their_own(vocabulary: SiteVocabulary) -> None:
    # The same letters may mean different things; invented words do not repeat.
    assert len(set(vocabulary.words[vocabulary.rare.start :])) == len(vocabulary.rare)
    drawn = vocabulary.draw(Gap.TOPIC, np.random.default_rng(1), 1000)
    assert np.ptp(drawn) < TAG_WORDS
    assert vocabulary.words[vocabulary.tag_number(np.array([2]))[0]] == vocabulary.tag_names[2]


@pytest.mark.parametrize("intent", list(Intent))
def test_every_gap_is_filled(vocabulary: SiteVocabulary, intent: Intent) -> None:
    phrasebook = Phrasebook(vocabulary)
    rng = np.random.default_rng(1)
    focus = np.array([[vocabulary.rare.start]])
    patterns = phrasebook.choose(intent, rng, 200)
    speech = phrasebook.say(patterns, Subjects(np.array([[3]]), np.array([1]), focus), patterns * 0, rng)
    said = [speech.passage(at, at + 1) for at in range(200)]
    assert not any(GAP.search(sentence) for sentence in said)
    assert len(set(said)) >= len(PATTERNS[intent])


def test_echo_says_the_words_of_the_question(vocabulary: SiteVocabulary) -> None:
    phrasebook = Phrasebook(vocabulary)
    focus = np.array([[vocabulary.rare.start], [vocabulary.rare.start + 1]])
    subjects = Subjects(np.array([[3], [4]]), np.array([1, 1]), focus)
    patterns = phrasebook.choose(Intent.PRAISE, np.random.default_rng(2), 100)
    about = np.arange(100) % 2
    for echo, expected in ((0.0, False), (1.0, True)):
        speech = phrasebook.say(patterns, subjects, about, np.random.default_rng(3), np.full(100, echo))
        own = vocabulary.words[vocabulary.rare.start]
        assert any(own in speech.passage(at, at + 1) for at in range(0, 100, 2)) is expected
        assert not any(own in speech.passage(at, at + 1) for at in range(1, 100, 2))


@given(st.lists(st.integers(0, 50), max_size=30), st.integers(0, 200))
def test_counts_stay_within_the_capacity(counts: list[int], capacity: int) -> None:
    kept = within(np.array(counts, dtype=np.int64), capacity)
    assert kept.sum() <= capacity
    assert all(kept == counts) or sum(counts) > capacity


@given(st.integers(0, 2**31), st.integers(1, 10**9))
def test_later_is_later_and_not_after_the_end(seed: int, remaining: int) -> None:
    times = np.full(20, 1000)
    drawn = later(np.random.default_rng(seed), times, 1000 + remaining, 50.0, 3.0)
    assert (drawn > times).all()
    assert (drawn <= 1000 + remaining).all()


def test_numbered_draws_depend_on_seed_purpose_and_number_alone() -> None:
    all_of_them = uniforms(1, "skill", np.arange(100_000))
    assert (uniforms(1, "skill", np.array([5, 99])) == all_of_them[[5, 99]]).all()
    assert (uniforms(2, "skill", np.arange(100)) != all_of_them[:100]).all()
    assert (uniforms(1, "name", np.arange(100)) != all_of_them[:100]).all()
    assert all_of_them.mean() == pytest.approx(0.5, abs=0.01)
    bell = normals(1, "skill", np.arange(100_000))
    assert (bell.mean(), bell.std()) == pytest.approx((0, 1), abs=0.02)
