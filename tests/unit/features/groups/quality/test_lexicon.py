"""What the words of a comment, and of those around it, say of its label."""

from math import log, sqrt

import numpy as np
import pytest
from literal_batches import batch_of, values
from literal_threads import Said, Thread
from saved_folders import reloaded_group

from cqa_spark.features.groups.dialogue.thread_lexicon import ThreadLexiconV2
from cqa_spark.features.groups.quality.lexicon import Lexicon, LexiconV2, bags, fit_lexicon

_GOOD, _BAD = ["the", "souq", "has", "it"], ["lol", "the", "joke"]


@pytest.fixture(scope="module")
def lexicon() -> Lexicon:
    """Learned from comments in which the souq is relevant and a joke is not."""
    texts = [_GOOD, _BAD] * 8
    return fit_lexicon(bags(texts, texts), np.array([True, False] * 8))


def test_terms_are_tokens_pairs_and_stems_and_repeats_do_not_count() -> None:
    once, twice = bags([["a", "b"], ["a", "b", "a", "b"]], [["a"], ["a", "a"]])
    assert once.nnz == 6  # a, b, ^ a, a b, b $, stem:a
    assert twice.nnz == 7  # and b a
    assert once.data == pytest.approx([1 / sqrt(6)] * 6)
    assert bags([], []).shape[0] == 0


def test_the_lexicon_tells_good_words_from_bad(lexicon: Lexicon) -> None:
    said = [Said("U7", "the souq"), Said("U8", "lol"), Said("U6", "zebra")]
    good, bad, unknown = values(LexiconV2(lexicon), batch_of([Thread("Q9", "U9", said)]))
    assert good["log_odds"] > 1.0 > -1.0 > bad["log_odds"]
    assert unknown["probability"] == pytest.approx(0.5, abs=0.2)
    for row in (good, bad, unknown):
        assert row["log_odds"] == pytest.approx(log(row["probability"] / (1 - row["probability"])))


def test_what_has_no_text_is_not_known(lexicon: Lexicon) -> None:
    batch = batch_of([Thread("Q9", "U9", [])], [("Q9", "Q9", "Q9")])
    (row,) = values(LexiconV2(lexicon), batch)
    assert row["log_odds"] is None
    assert row["probability"] is None


def test_of_labels_that_are_all_alike_only_their_odds_are_learned() -> None:
    learned = fit_lexicon(bags([_GOOD, _BAD], [[], []]), np.array([False, False]))
    assert learned.intercept == pytest.approx(log(1 / 3))
    assert not learned.coefficients.any()


def test_values_of_a_comment_follow_from_the_log_odds_of_its_thread(lexicon: Lexicon) -> None:
    said = [Said("U7", "the souq"), Said("U9", "lol"), Said("U6", "zebra")]
    batch = batch_of([Thread("Q9", "U9", said)])
    souq, lol, zebra = (row["log_odds"] for row in values(LexiconV2(lexicon), batch))
    first, second, third = values(ThreadLexiconV2(lexicon), batch)
    mean = (souq + lol + zebra) / 3
    deviation = sqrt(sum((one - mean) ** 2 for one in (souq, lol, zebra)) / 3)
    assert souq > zebra > lol
    assert second == pytest.approx(
        {
            "query_id": "Q9",
            "candidate_id": "Q9_C2",
            "previous": souq,
            "next": zebra,
            "others_mean": (souq + zebra) / 2,
            "helpers_mean": (souq + zebra) / 2,
            "gap_to_best": lol - souq,
            "z_score": (lol - mean) / deviation,
            "rank": 1.0,
            "rank_among_helpers": 1.0,
        }
    )
    assert (first["previous"], third["next"]) == (0.0, 0.0)
    assert first["gap_to_best"] == pytest.approx(souq - zebra)
    assert first["rank"] == pytest.approx(1 / 3)


def test_a_comment_alone_in_its_thread_equals_its_mean(lexicon: Lexicon) -> None:
    (row,) = values(ThreadLexiconV2(lexicon), batch_of([Thread("Q9", "U9", [Said("U9", "the souq")])]))
    assert [row[name] for name in ("others_mean", "helpers_mean", "gap_to_best", "z_score")] == [0.0] * 4
    assert (row["rank"], row["rank_among_helpers"]) == (1.0, 1.0)


def test_what_was_learned_is_read_back(lexicon: Lexicon, tmp_path) -> None:
    batch = batch_of([Thread("Q9", "U9", [Said("U7", "the souq"), Said("U8", "lol")])])
    for group in (LexiconV2(lexicon), ThreadLexiconV2(lexicon)):
        assert values(reloaded_group(group, tmp_path / group.name), batch) == values(group, batch)
