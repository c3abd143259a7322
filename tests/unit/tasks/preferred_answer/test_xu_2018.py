"""What the experiment on preferred answers tests against what."""

from cqa_spark.tasks.preferred_answer.xu_2018 import BASELINES, contrasts, learned_systems

AS_OF, SNAPSHOT = learned_systems(["boosted"])


def test_everything_against_the_best_baseline_the_learned_against_each_and_the_snapshot_against_its_twin() -> None:
    found = dict(contrasts({*BASELINES, AS_OF, SNAPSHOT}, "first_answer", ["boosted"]))
    assert found["first_answer"] == sorted([*BASELINES, AS_OF, SNAPSHOT])
    assert found["random_answer"] == ["random_answer", AS_OF, SNAPSHOT]
    assert found[AS_OF] == [AS_OF, SNAPSHOT]
    assert set(found) == {*BASELINES, AS_OF}


def test_systems_that_a_dump_does_not_allow_are_not_asked_for() -> None:
    ranked = {"first_answer", "random_answer", AS_OF}
    assert dict(contrasts(ranked, "first_answer", ["boosted"])) == {
        "first_answer": ["first_answer", AS_OF, "random_answer"],
        "random_answer": ["random_answer", AS_OF],
    }
