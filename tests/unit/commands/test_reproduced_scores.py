"""Files of reproduced figures."""

import json

from cqa_spark.commands.reproduced_scores import scores_json
from cqa_spark.evaluation.files.semeval import JudgedPopulation
from cqa_spark.reports.sections.reproduction import Reproduced

DEV = Reproduced(
    "kelp_2016_a",
    "question_comment",
    "semeval2016 dev",
    ours={"MAP@10": 0.71, "F1": 0.64},
    errors={"MAP@10": 0.02},
    population=JudgedPopulation(queries=244, candidates=2440, random=0.45, best=0.86),
)
UNMEASURED = Reproduced("kelp_2016_a", "question_comment", "semeval2016 test", missing="there is no gold")

FIGURES = {
    "values": {"kelp_2016_a": {"semeval2016_dev": {"MAP@10": 0.71, "F1": 0.64}}},
    "standard_errors": {"kelp_2016_a": {"semeval2016_dev": {"MAP@10": 0.02}}},
    "populations": {
        "semeval2016_dev_question_comment": {"queries": 244, "candidates": 2440, "random": 0.45, "best": 0.86}
    },
}


def test_figures_are_by_system_part_and_measure() -> None:
    assert json.loads(scores_json([DEV, UNMEASURED])) == FIGURES


def test_earlier_figures_of_other_systems_and_parts_stay() -> None:
    earlier = {"values": {"a": {"p": {"MAP@10": 0.5}}, "kelp_2016_a": {"q": {"MAP@10": 0.4}, "semeval2016_dev": {}}}}
    updated = json.loads(scores_json([DEV], earlier))
    of_system = FIGURES["values"]["kelp_2016_a"]
    assert updated == {
        **FIGURES,
        "values": {"a": {"p": {"MAP@10": 0.5}}, "kelp_2016_a": {"q": {"MAP@10": 0.4}, **of_system}},
    }
