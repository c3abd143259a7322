"""Models of findings: each site is judged by a model of the others."""

import numpy as np
import pytest

from cqa_spark.errors import ContractError
from cqa_spark.findings.finding import Examples
from cqa_spark.findings.late_answers import FEATURES
from cqa_spark.findings.linear_model import FindingModel, LinearModel, calibration, read_model
from cqa_spark.findings.related_questions import LINKED, features_with, model_name


def test_log_odds_are_a_weighted_sum_of_standardised_features() -> None:
    model = LinearModel(mean=[1.0, 5.0, 2.0], scale=[2.0, 0.0, 1.0], coefficients=[3.0, 9.0, -1.0], intercept=0.5)
    assert model.log_odds(np.array([[3.0, 7.0, 3.0], [1.0, 5.0, 2.0]])).tolist() == [0.5 + 3 - 1, 0.5]


def examples(sign: int) -> Examples:
    values = np.linspace(-1, 1, 40)
    return Examples("m", ("x",), values[:, None], sign * values > 0, penalty=1.0)


def test_the_log_odds_of_a_row_do_not_depend_on_others() -> None:
    values = np.random.default_rng(0).normal(size=(50, 3))
    model = LinearModel.fit(values, (values.sum(axis=1) > 0).astype(float), penalty=1.0)
    assert [float(model.log_odds(row[None])[0]) for row in values] == model.log_odds(values).tolist()


def test_examples_of_groups_of_a_site_make_one_model() -> None:
    first, second = examples(1), examples(-1)
    both = first.followed_by(second)
    assert both.features.tolist() == [*first.features.tolist(), *second.features.tolist()]
    assert both.labels.tolist() == [*first.labels.tolist(), *second.labels.tolist()]


def test_a_site_is_judged_by_a_model_that_has_not_learned_from_it() -> None:
    model = FindingModel.fit({"a": examples(1), "b": examples(-1)})
    assert model.of_site("a").coefficients[0] < 0 < model.of_site("b").coefficients[0]
    assert model.of_site("c") == model.on_all
    assert (model.rows, model.positive) == (80, 40)


def test_calibration_lowers_probabilities_that_were_too_high() -> None:
    odds = np.repeat([0.0, 2.0], 100)
    labels = np.concatenate([np.arange(100) < 20, np.arange(100) < 50])
    slope, offset = calibration(odds, labels)
    assert 1 / (1 + np.exp(-(slope * odds[[0, -1]] + offset))) == pytest.approx([0.2, 0.5], abs=1e-3)


def test_log_odds_that_fall_where_they_should_rise_tell_nothing() -> None:
    odds = np.repeat([0.0, 2.0], 100)
    labels = np.concatenate([np.arange(100) < 50, np.arange(100) < 30])
    slope, offset = calibration(odds, labels)
    assert (slope, 1 / (1 + np.exp(-offset))) == (0.0, pytest.approx(0.4))


def test_the_package_ships_models_of_the_features_that_it_computes() -> None:
    assert read_model("late_answers", FEATURES).name == "late_answers"
    for vectors in (False, True):
        name = model_name(LINKED, vectors=vectors)
        assert "beer.stackexchange.com" in read_model(name, features_with(vectors=vectors)).without
    with pytest.raises(ContractError) as refused:
        read_model("late_answers", FEATURES[1:])
    assert "late_answers.json" in str(refused.value)
