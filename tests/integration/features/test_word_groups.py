"""What groups learn from the words of judged comments, all folds in one Spark job."""

from dataclasses import replace

import pytest
from literal_threads import Said, Thread

from cqa_spark.features.groups.quality.lexicon import Lexicon, learn_lexicons
from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.features.training_data import CANDIDATES, judged_terms, training_data


@pytest.fixture
def inputs(community) -> FeatureInputs:
    """Eight training threads: what speaks of the souq is relevant, what laughs is not."""
    said = [Said("U7", "the souq has it", relevant=True), Said("U8", "lol the joke", relevant=False)]
    return community([*[Thread(f"Q{n}", "U9", said) for n in range(8)], Thread("Q9", "U9", said, split="dev")])


def _weights(lexicons: tuple[Lexicon, ...]) -> list[tuple[bytes, float]]:
    return [(each.coefficients.tobytes(), each.intercept) for each in lexicons]


def test_the_lexicon_is_the_same_to_the_last_bit_however_rows_are_spread(inputs: FeatureInputs) -> None:
    learned = []
    for count in (1, 7):
        with training_data(replace(inputs, examples=inputs.examples.repartition(count)), folds=2) as training:
            found = learn_lexicons(training)
            learned.append(_weights((found.on_all, *found.on_rests)))
    assert learned[0] == learned[1]


def test_judged_candidates_that_hold_a_term_are_counted_by_section_and_fold(community) -> None:
    good, bad = Said("U7", "the souq the", relevant=True), Said("U8", "the joke", relevant=False)
    food = [Thread(f"Q{n}", "U9", [good, bad], category="Food") for n in range(3)]
    threads = [*food, Thread("Q4", "U9", [bad]), Thread("Q5", "U9", [good], split="dev")]
    with training_data(community(threads), folds=2) as training:
        counts = judged_terms(training)
    summed = counts.fillna({"section": "-"}).groupby(["unit", "term", "section"])[["good", "bad"]].sum()
    found = {key: tuple(row) for key, row in zip(summed.index, summed.to_numpy().tolist(), strict=True)}
    assert set(counts["fold"]) == {0, 1}
    assert found[CANDIDATES, "", "Food"] == (3, 3)
    assert found[CANDIDATES, "", "-"] == (0, 1)
    assert found["words", "the", "Food"] == (3, 3)
    assert found["tokens", "the", "-"] == (3, 4)
    assert found["bigrams", "the souq", "-"] == (3, 0)
