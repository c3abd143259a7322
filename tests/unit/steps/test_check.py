"""What a night does with its verdicts."""

import pytest
from refusals import refusal

from cqa_spark.checks.check import Verdict
from cqa_spark.errors import ChecksFailed
from cqa_spark.steps.check import refuse_failed


def test_checks_that_failed_are_all_named_and_have_an_exit_code_of_their_own() -> None:
    failed = [
        Verdict("row counts", False, 0.5, 0.05, "posts: 20 rows, now 10"),
        Verdict("score drift", False, 0.31234, 0.25, "population stability index over 10 bins"),
    ]
    assert refusal(refuse_failed, "r1", []) is None
    with pytest.raises(ChecksFailed) as refused:
        refuse_failed("r1", failed)
    assert refused.value.problem == (
        "run r1 is not published: row counts: 0.5, limit 0.05 (posts: 20 rows, now 10); "
        "score drift: 0.3123, limit 0.25 (population stability index over 10 bins)"
    )
    assert "--force --who NAME" in refused.value.remedy
    assert refused.value.exit_code == 7
