"""Logistic models of findings, which the package ships: learned on public sites, and for each without the site.

A site that a model has learned from is judged by the model of the other sites, so that its backtest is honest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel

from cqa_spark.errors import ContractError
from cqa_spark.findings.finding import Examples
from cqa_spark.settings.conf_files import conf_file

Reals = NDArray[np.float64]

DIGITS = 6

LISTED_FROM = -3.0
"""Log odds, a probability of 5 %, from which on probabilities are calibrated: fewer are not listed."""


class LinearModel(BaseModel):
    """A logistic regression on standardised features.

    Attributes:
        mean: mean of each feature.
        scale: standard deviation of each feature; 0 for one that does not vary, which is left out.
        coefficients: of the standardised features.
        intercept: log odds where all features have their means.
    """

    mean: list[float]
    scale: list[float]
    coefficients: list[float]
    intercept: float

    @classmethod
    def fit(cls, features: Reals, labels: Reals, penalty: float) -> LinearModel:
        """Learn from labelled rows.

        Args:
            features: shape (rows, features).
            labels: 0 or 1, shape (rows,).
            penalty: weight of the squared coefficients, where every row has weight 1.
        """
        from sklearn.linear_model import LogisticRegression

        mean, scale = features.mean(axis=0), features.std(axis=0)
        standardised = (features - mean) / np.where(scale > 0, scale, np.inf)
        model = LogisticRegression(C=1 / penalty, max_iter=1000).fit(standardised, labels)
        return cls(
            mean=mean.round(DIGITS).tolist(), scale=scale.round(DIGITS).tolist(),
            coefficients=model.coef_[0].round(DIGITS).tolist(), intercept=round(float(model.intercept_[0]), DIGITS),
        )  # fmt: skip

    def log_odds(self, features: Reals) -> Reals:
        """The log odds of each row, shape (rows,)."""
        odds = np.full(len(features), self.intercept)
        # Feature by feature: the last digit of a matrix product depends on the number of rows.
        for column, (mean, scale, coefficient) in enumerate(zip(self.mean, self.scale, self.coefficients, strict=True)):
            if scale > 0:
                odds += (features[:, column] - mean) * (coefficient / scale)
        return odds


class FindingModel(BaseModel):
    """The models of a finding.

    Attributes:
        name: of the model, and of its file.
        features: names of the features, in order.
        on_all: learned on all sites.
        without: by site, learned on all others.
        slope: factor of the log odds, so that probabilities hold on sites that a model has not learned from.
        offset: what is added to them.
        rows: number of rows that it learned from.
        positive: number of those with label 1.
    """

    name: str
    features: list[str]
    on_all: LinearModel
    without: dict[str, LinearModel]
    slope: float
    offset: float
    rows: int
    positive: int

    @classmethod
    def fit(cls, by_site: Mapping[str, Examples]) -> FindingModel:
        """Learn on all sites, and on all but each."""
        sites = np.repeat(np.array([*by_site], object), [len(examples.labels) for examples in by_site.values()])
        features = np.concatenate([examples.features for examples in by_site.values()])
        labels = np.concatenate([examples.labels for examples in by_site.values()])
        any_site = next(iter(by_site.values()))
        without = {}
        for site in by_site:
            others = sites != site
            if 0 < labels[others].sum() < others.sum():
                without[site] = LinearModel.fit(features[others], labels[others], any_site.penalty)
        on_all = LinearModel.fit(features, labels, any_site.penalty)
        unseen = np.concatenate([without.get(site, on_all).log_odds(rows.features) for site, rows in by_site.items()])
        slope, offset = calibration(unseen, labels)
        return cls(
            name=any_site.model,
            features=list(any_site.names),
            on_all=on_all,
            without=without,
            slope=slope,
            offset=offset,
            rows=len(labels),
            positive=int(labels.sum()),
        )

    def of_site(self, site: str) -> LinearModel:
        """The model that has not learned from a site."""
        return self.without.get(site, self.on_all)

    def probability(self, site: str, features: Reals) -> Reals:
        """The calibrated probability of each row of a site, shape (rows,)."""
        odds = self.slope * self.of_site(site).log_odds(features) + self.offset
        probability: Reals = 1 / (1 + np.exp(-odds))
        return probability

    @property
    def version(self) -> str:
        """A hash of all numbers."""
        return sha256(self.model_dump_json().encode()).hexdigest()[:16]


def calibration(log_odds: Reals, labels: NDArray[np.bool_]) -> tuple[float, float]:
    """Slope and offset that make probabilities of log odds, where they are large enough to be listed.

    Log odds that fall where they should rise, as those of a model of few sites may, tell nothing: the slope is then 0,
    and every probability the share of all.

    Args:
        log_odds: by models that have not learned from the rows, shape (rows,).
        labels: shape (rows,).

    Source:
        Platt 1999, Probabilistic Outputs for Support Vector Machines.
    """
    from scipy.special import logit
    from sklearn.linear_model import LogisticRegression

    listed = log_odds > LISTED_FROM
    if not 0 < labels[listed].sum() < listed.sum():
        return 1.0, 0.0
    fitted = LogisticRegression(C=np.inf).fit(log_odds[listed, None], labels[listed])
    if fitted.coef_[0, 0] < 0:
        return 0.0, round(float(logit(labels[listed].mean())), DIGITS)
    return round(float(fitted.coef_[0, 0]), DIGITS), round(float(fitted.intercept_[0]), DIGITS)


def read_model(name: str, features: Sequence[str]) -> FindingModel:
    """A model that the package ships.

    Args:
        name: of the model.
        features: names of the features that are computed.

    Raises:
        ContractError: it learned from other features.
    """
    path = conf_file(f"trained/findings/{name}.json")
    model = FindingModel.model_validate_json(path.read_text(encoding="utf-8"))
    if model.features != list(features):
        raise ContractError(
            f"{path} learned from other features than this package computes",
            "train it again: cqa train findings --input DUMPS --models FOLDER",
        )
    return model
