"""Reproduced scores as JSON."""

import json

from cqa_spark.evaluation.population import JudgedPopulation
from cqa_spark.reports.sections.reproduction import Reproduced, scores_json


def test_scores_are_by_system_part_and_measure() -> None:
    found = [
        Reproduced(
            "kelp_2016_a", "question_comment", "semeval2016 dev", ours={"MAP@10": 0.71, "MRR@10": 0.8},
            population=JudgedPopulation(queries=244, candidates=2440, random=0.45, best=0.86),
        ),
        Reproduced("kelp_2016_a", "question_comment", "semeval2016 test", missing="there is no gold"),
        Reproduced("given_order", "question_comment", "semeval2016 dev", ours={"MAP@10": 0.5384}),
    ]  # fmt: skip
    assert json.loads(scores_json(found)) == {
        "kelp_2016_a": {"semeval2016_dev": {"MAP@10": 0.71, "MRR@10": 0.8}},
        "given_order": {"semeval2016_dev": {"MAP@10": 0.5384}},
        "populations": {
            "semeval2016_dev_question_comment": {"queries": 244, "candidates": 2440, "random": 0.45, "best": 0.86}
        },
    }
