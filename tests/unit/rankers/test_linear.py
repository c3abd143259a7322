"""The losses of linear rankers, with literal numbers."""

import numpy as np
import pytest
from scipy.optimize import check_grad

from cqa_spark.rankers.linear import LOSSES, LinearLearning, LinearWeights
from cqa_spark.rankers.training import TaskRows
from cqa_spark.rankers.training_group import TrainingGroup

ONE_QUERY = np.array([0])


@pytest.mark.parametrize("loss", [LOSSES["logistic"], LOSSES["squared"]])
def test_derivatives_are_those_of_the_losses(loss) -> None:
    for target in (0.0, 1.0):
        one = np.array([target])
        assert (
            check_grad(
                lambda z, one=one: loss(z, one, ONE_QUERY)[0][0], lambda z, one=one: loss(z, one, ONE_QUERY)[1], [0.7]
            )
            < 1e-6
        )


def test_the_derivatives_of_a_choice_are_those_of_its_sum_over_two_queries() -> None:
    targets, starts = np.array([1.0, 0.0, 0.2, 0.0, 0.1]), np.array([0, 2])
    choice = LOSSES["choice"]
    values = np.array([0.3, -0.2, 1.0, 0.5, -2.0])
    assert (
        check_grad(lambda z: choice(z, targets, starts)[0].sum(), lambda z: choice(z, targets, starts)[1], values)
        < 1e-6
    )


def test_the_loss_of_a_choice_is_the_negative_logarithm_of_its_probability() -> None:
    values, targets = np.log([1.0, 3.0, 2.0, 2.0]), np.array([0.0, 1.0, 0.5, 0.0])
    losses, slopes = LOSSES["choice"](values, targets, np.array([0, 2]))
    assert losses == pytest.approx([0, -np.log(0.75), -0.5 * np.log(0.5), 0])
    assert slopes == pytest.approx([0.25, -0.25, -0.25, 0.25])


def test_the_hinge_loss_is_zero_beyond_the_margin() -> None:
    losses, slopes = LOSSES["hinge"](np.array([-2.0, 0.5, 1.5]), np.array([1.0, 1.0, 1.0]), ONE_QUERY)
    assert (losses.tolist(), slopes.tolist()) == ([3.0, 0.5, 0.0], [-1.0, -1.0, 0.0])


@pytest.mark.parametrize(
    ("scaling", "mean", "std"), [("deviation", [2.0, 5.0], [1.0, 0.0]), ("range", [1.0, 5.0], [2.0, 0.0])]
)
def test_features_are_scaled_by_deviation_or_range(scaling, mean, std) -> None:
    features, targets = np.array([[1.0, 5.0], [2.0, 5.0], [3.0, 5.0]]), np.array([0.0, 1.0, 1.0])
    rows = TaskRows(features, targets, targets > 0, np.array([1, 1, 1]), unlabelled=0, bad=np.array([False, False]))
    learning = LinearLearning("logistic", l2=0.1, iterations=50, scaling=scaling)
    learned = LinearWeights.model_validate_json(learning(rows, TrainingGroup()))
    assert (learned.mean, learned.std) == (tuple(mean), tuple(std))
    assert learned.coefficients[1] == 0.0
    # The derivative of the mean loss by the scaled coefficient is minus l2 times it.
    values = rows.values
    slopes = 1 / (1 + np.exp(-learned.sums(values))) - rows.targets
    scaled = (values[:, 0] - mean[0]) / std[0]
    assert (slopes * scaled).mean() == pytest.approx(-0.1 * learned.coefficients[0], abs=1e-5)
