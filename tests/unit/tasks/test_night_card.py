"""The figures of a card, on literal nights."""

import numpy as np
import pyarrow as pa

from cqa_spark.rankers.candidates import Candidates
from cqa_spark.systems.system import read_system
from cqa_spark.tasks.preferred_answer.night_card import NO_VOTES, part_figures, variants_of
from cqa_spark.tasks.preferred_answer.simple_orders import FEATURES

WITHOUT_TIMING = "without answer_timing_asof_v1"


def test_parts_are_the_groups_and_what_votes_give() -> None:
    system = read_system("night_answers")
    assert {name: len(features) for name, features in variants_of(system).items()} == {
        "without answer_standing_asof_v1": 23,
        WITHOUT_TIMING: 24,
        "without answer_markup_asof_v1": 18,
        "without author_record_asof_v1": 25,
        NO_VOTES: 21,
    }
    assert not [feature for feature in variants_of(system)[NO_VOTES] if "votes" in feature or "standing" in feature]


def test_parts_are_compared_with_votes_and_the_one_without_votes_with_the_longest() -> None:
    nights = [("1@a", "1"), ("1@b", "1"), ("2@a", "2")]
    rows = [(query, thread, candidate) for query, thread in nights for candidate in "xy"]
    examples = pa.table(
        {
            "site": ["s"] * 6,
            "task": ["t"] * 6,
            "query_id": [query for query, _, _ in rows],
            "thread_id": [thread for _, thread, _ in rows],
            "candidate_id": [candidate for _, _, candidate in rows],
            "accepted": [candidate == "x" for _, _, candidate in rows],
            "age_days": pa.array([1, 1, 2, 2, 200, 200], pa.int32()),
        }
    )
    candidates = Candidates(examples, FEATURES, np.zeros((6, len(FEATURES))))
    first, second, tied = np.tile([1.0, 0.0], 3), np.tile([0.0, 1.0], 3), np.zeros(6)
    variants = {WITHOUT_TIMING: first, NO_VOTES: tied}
    found = part_figures(candidates, variants, {"votes_then_length": second, "longest_answer_asof": first})
    overall = [figure for figure in found if (figure.population, figure.band) == ("nights", "all")]
    assert [(figure.order, figure.reference, figure.value, figure.difference) for figure in overall] == [
        (WITHOUT_TIMING, "votes_then_length", 1.0, 1.0),
        (NO_VOTES, "votes_then_length", 0.5, 0.5),
        (NO_VOTES, "longest_answer_asof", 0.5, -0.5),
    ]
    assert {(figure.nights, figure.threads) for figure in overall} == {(3, 2)}
    assert {figure.band for figure in found} == {"all", "0-3 votes"}  # bands of age have one thread
