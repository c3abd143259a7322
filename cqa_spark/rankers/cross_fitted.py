"""A ranker that keeps the models of its folds: its own training threads are always scored out of fold."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.lake.model_folder import ModelFolder, NewModelFolder
from cqa_spark.rankers.candidates import Candidates, feature_columns
from cqa_spark.rankers.members import MemberParameters, build_member
from cqa_spark.rankers.model import FeatureImportance, ModelDescription, RankerModel
from cqa_spark.rankers.out_of_fold import fit_outside, share_threshold
from cqa_spark.rankers.ranker import Ranker, load_model

ELSEWHERE = -1
"""In place of a fold: an example of a site that the model did not learn from."""

_FOLDS, _ON_ALL = "folds.json", "on_all"


class Folds(BaseModel):
    """The folds of a model's training sites.

    A fold has whole sites if there are enough of them: its scores then show how good the model is on other sites.
    Otherwise a fold has threads, by a hash, and its scores show how good the model is on other threads of these sites.

    Attributes:
        number: number of folds.
        sites: the sites of the training data, in order of name.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    number: int
    sites: tuple[str, ...]

    @property
    def are_of_sites(self) -> bool:
        """Whether every site is in one fold."""
        return len(self.sites) >= self.number

    def column(self) -> Column:
        """The fold of a row of ``EXAMPLES`` of one of the sites."""
        if self.are_of_sites:
            pairs = [(F.lit(site), F.lit(index % self.number)) for index, site in enumerate(self.sites)]
            return F.create_map(*chain.from_iterable(pairs))[F.col("site")]
        return F.pmod(F.crc32(F.concat_ws("/", "site", "fold_key")), F.lit(self.number))

    def of(self, examples: pa.Table) -> NDArray[np.int64]:
        """The fold of each row of ``EXAMPLES``, as ``column`` computes it, or ``ELSEWHERE``; shape (rows,)."""
        index_of_site = {site: index for index, site in enumerate(self.sites)}
        sites = examples.column("site").to_pylist()
        threads = examples.column("fold_key").to_pylist()
        folds = np.full(len(sites), ELSEWHERE, dtype=np.int64)
        for row, (site, thread) in enumerate(zip(sites, threads, strict=True)):
            if site not in index_of_site:
                continue
            number = index_of_site[site] if self.are_of_sites else zlib.crc32(f"{site}/{thread}".encode())
            folds[row] = number % self.number
        return folds


class CrossFittedParameters(MemberParameters):
    """The member ranker, and the number of folds."""

    folds: int = Field(10, ge=2, description="number of folds, of whole sites if there are as many, else of threads")


@dataclass(frozen=True, eq=False)
class CrossFittedModel(RankerModel):
    """A model of all training examples, and for each fold a model of the examples outside of it.

    Attributes:
        folds: folds of the training sites; every thread of these sites is scored by the model without its fold.
        on_all: the model of all training examples; scores the threads of other sites.
        outside: the model of the examples outside of a fold, by fold.
    """

    folds: Folds
    on_all: RankerModel
    outside: tuple[RankerModel, ...]

    @property
    def compares_candidates(self) -> bool:
        """Whether the member compares candidates."""
        return self.on_all.compares_candidates

    @property
    def explains(self) -> bool:
        """Whether the member has additive contributions."""
        return self.on_all.explains

    def score(self, candidates: Candidates) -> NDArray[np.float64]:
        """The scores of the models that did not learn from the threads."""
        scores = np.empty(len(candidates))
        for rows, model in self._models(candidates):
            scores[rows] = model.score(candidates.where(rows))
        return scores

    def contributions(self, candidates: Candidates) -> NDArray[np.float64]:
        """The contributions in the models that did not learn from the threads."""
        contributions = np.empty((len(candidates), len(self.description.features)))
        for rows, model in self._models(candidates):
            contributions[rows] = model.contributions(candidates.where(rows))
        return contributions

    def feature_importances(self) -> tuple[FeatureImportance, ...]:
        """The importances in the model of all examples."""
        return self.on_all.feature_importances()

    @classmethod
    def load_learned(cls, description: ModelDescription, folder: ModelFolder) -> CrossFittedModel:
        """Read the folds and all models."""
        folds = folder.read_json(_FOLDS, Folds)
        if folds.number != description.parameters["folds"]:
            raise folder.refusal(_FOLDS, f"it is for {folds.number} folds, not {description.parameters['folds']}")
        outside = tuple(load_model(folder.within(str(fold))) for fold in range(folds.number))
        return cls(description, folds, load_model(folder.within(_ON_ALL)), outside)

    def save_learned(self, folder: NewModelFolder) -> None:
        """Write the folds, and a folder for each model."""
        folder.write_json(_FOLDS, self.folds)
        self.on_all.save(folder.within(_ON_ALL))
        for fold, model in enumerate(self.outside):
            model.save(folder.within(str(fold)))

    def _models(self, candidates: Candidates) -> Iterator[tuple[NDArray[np.bool_], RankerModel]]:
        """Whether a model scores each candidate, shape (candidates,), and the model; every candidate has one."""
        folds = self.folds.of(candidates.examples)
        for fold in np.unique(folds).tolist():
            yield folds == fold, self.on_all if fold == ELSEWHERE else self.outside[fold]


class CrossFittedRanker(Ranker[CrossFittedParameters]):
    """Fits the member on all examples, and once per fold on the examples outside of it.

    Training threads are thereby ranked and measured like all others, by a model that has not seen them.

    Source:
        Cross-fitting (Chernozhukov et al. 2018, Double/debiased machine learning, The Econometrics Journal 21), here
        with the models kept.
    """

    name = "cross_fitted"
    about = "fits another ranker by folds, so that training threads are scored by models that have not seen them"
    parameters_type = CrossFittedParameters
    model_type = CrossFittedModel

    @property
    def gives_probabilities(self) -> bool:
        """Whether the member's scores are probabilities."""
        return build_member(self.parameters.member).gives_probabilities

    @property
    def gives_similarities(self) -> bool:
        """Whether the member's scores are similarities."""
        return build_member(self.parameters.member).gives_similarities

    @property
    def learns_choices(self) -> bool:
        """Whether the member learns from choices."""
        return build_member(self.parameters.member).learns_choices

    def fit(self, frame: DataFrame) -> CrossFittedModel:
        """Fit like ``fit_scores``, then choose the threshold on the model's scores, which are out of fold.

        Without a relevant example, for instance if all choices are weak, every candidate is predicted relevant.
        """
        model = self.fit_scores(frame)
        labelled = frame.where(F.col("relevant").isNotNull())
        relevant = labelled.where("relevant").count()
        threshold = share_threshold(model.transform(labelled), relevant) if relevant else None
        return replace(model, description=model.description.model_copy(update={"threshold": threshold}))

    def fit_scores(self, frame: DataFrame) -> CrossFittedModel:
        """Fit the member on all examples, and outside of every fold."""
        member, number = build_member(self.parameters.member), self.parameters.folds
        on_all = member.fit_scores(frame)
        sites = sorted(row["site"] for row in frame.select("site").distinct().collect())
        folds = Folds(number=number, sites=tuple(sites))
        outside = fit_outside(member, frame, [folds.column() == fold for fold in range(number)])
        description = self.describe(feature_columns(frame), training=on_all.description.training)
        return CrossFittedModel(description, folds, on_all, tuple(outside))
