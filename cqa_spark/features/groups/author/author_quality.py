"""How often an author's comments were judged relevant; authors are identified by name if ids differ between files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.features.arrays import Indices, Mask, Reals, counts, fields, items
from cqa_spark.features.author_facts import known_names, person, same_person, with_aliases, with_person
from cqa_spark.features.group import Entity, FeatureColumn, Values
from cqa_spark.features.learned_group import LEARNED, LearnedFactsGroup, in_section
from cqa_spark.features.query_batch import QueryBatch
from cqa_spark.features.training_data import Fitted, TrainingData, fold_of
from cqa_spark.lake.model_folder import ModelFolder, NewModelFolder
from cqa_spark.spark.frames import persist

if TYPE_CHECKING:
    import pandas as pd


# How often an author's comments were judged relevant, counted by fold, so that an example's own fold is excluded.

PRIOR_WEIGHT = 5
"""The weight of the mean of all authors, in judged comments."""

COUNTS = ("judged", "relevant", "helper_judged", "helper_relevant")


def by_person(judged: DataFrame) -> DataFrame:
    """Count the judged comments of each person.

    Args:
        judged: one row per comment: ``site``, ``person``, ``section`` (of the forum), ``fold``, ``relevant`` and
            ``helps`` (whether another person asked).

    Returns:
        ``site``, ``person`` and ``parts``: structs of section, fold and the counts.
    """
    counted = judged.groupBy("site", "person", "section", "fold").agg(
        F.count(F.lit(1)).alias("judged"),
        F.count_if("relevant").alias("relevant"),
        F.count_if("helps").alias("helper_judged"),
        F.count_if(F.col("helps") & F.col("relevant")).alias("helper_relevant"),
    )
    part = F.struct("section", "fold", *COUNTS)
    return counted.groupBy("site", "person").agg(F.sort_array(F.collect_list(part)).alias("parts"))


@dataclass(frozen=True)
class Judged:
    """The counts for the author of each example, without the example's own fold; keys are the names in ``COUNTS``.

    Attributes:
        author: counts of the author.
        in_section: counts of the author in the forum section of the candidate's thread.
        everybody: counts of all authors of the site.
    """

    author: Mapping[str, Reals]
    in_section: Mapping[str, Reals]
    everybody: Mapping[str, Reals]

    @classmethod
    def elsewhere(cls, batch: QueryBatch, facts: pa.ChunkedArray, totals: pd.DataFrame) -> Judged:
        """Add up the counts of other folds than the example's own.

        Args:
            batch: the examples.
            facts: for each example, a struct with ``parts``, as ``by_person`` returns them.
            totals: ``site``, ``fold`` and the counts of all authors.
        """
        fold = batch.examples.column("fold").to_numpy()
        example, parts = items(fields(facts)["parts"])
        in_other_folds = parts["fold"].to_numpy() != fold[example]
        nearby = in_other_folds & in_section(batch, example, parts["section"])
        return cls(
            author=_sums(parts, example, in_other_folds, len(batch)),
            in_section=_sums(parts, example, nearby, len(batch)),
            everybody=_everybody(totals, batch.column("site"), fold.tolist()),
        )

    def share(self, of: str = "") -> Reals:
        """The share of relevant comments among the author's judged ones, smoothed by the share of all authors.

        Args:
            of: ``helper_`` restricts the counts to comments in threads of other askers.
        """
        mean = self.everybody[f"{of}relevant"] / np.maximum(1, self.everybody[f"{of}judged"])
        share: Reals = (self.author[f"{of}relevant"] + PRIOR_WEIGHT * mean) / (
            self.author[f"{of}judged"] + PRIOR_WEIGHT
        )
        return share


def _sums(parts: Mapping[str, pa.ChunkedArray], example: Indices, mask: Mask, examples: int) -> dict[str, Reals]:
    """Sums of the counts of each example's parts in the mask."""
    return {
        name: np.bincount(example[mask], counts(parts[name])[mask], minlength=examples).astype(np.float64)
        for name in COUNTS
    }


def _everybody(totals: pd.DataFrame, sites: Sequence[str], folds: Sequence[int]) -> dict[str, Reals]:
    """The counts of all authors of each example's site, in other folds than its own."""
    keys = list(zip(sites, folds, strict=True))
    sums = {
        (site, fold): totals.loc[(totals["site"] == site) & (totals["fold"] != fold), list(COUNTS)].sum()
        for site, fold in set(keys)
    }
    return {name: np.array([sums[key][name] for key in keys], dtype=np.float64) for name in COUNTS}


_NICOSIA = "Nicosia et al. 2015, QCRI at SemEval-2015 Task 3"
_SUPER_TEAM = "Mihaylova et al. 2016, SUper Team at SemEval-2016 Task 3"

_SECTION_PRIOR_WEIGHT = 2
_ABOUT_SHARE = f"share of the author's judged comments that are relevant, smoothed by {PRIOR_WEIGHT} of the mean"

_TOTALS = "totals.parquet"
_TOTALS_TYPE = pa.schema([("site", pa.string()), *((name, pa.int64()) for name in ("fold", *COUNTS))])


class AuthorQualityV2(LearnedFactsGroup):
    """Share and number of an author's relevant comments in the training threads; the mean if none was judged.

    Args:
        learned: as ``AuthorFacts.of_people``, with ``parts``, as ``by_person`` returns them.
        totals: ``site``, ``fold`` and the counts of all authors.
    """

    name = "author_quality_v2"
    family = "author"
    about = "how often comments in other threads by an author of this name were judged relevant"
    entity = Entity.CANDIDATE
    columns = (
        FeatureColumn("relevant_share", _ABOUT_SHARE, _SUPER_TEAM, 0.4),
        FeatureColumn("relevant_share_as_helper", f"{_ABOUT_SHARE}; threads of other askers only", "ours", 0.4),
        FeatureColumn(
            "relevant_share_in_section",
            f"the same in the forum section, smoothed by {_SECTION_PRIOR_WEIGHT} of the share in all sections",
            "ours",
            0.4,
        ),
        FeatureColumn("log_judged", "ln(1 + judged comments of the author)", _NICOSIA),
        FeatureColumn("log_odds", "ln((1 + relevant) / (1 + irrelevant)) of the author's judged comments", _NICOSIA),
    )
    learns_from_labels = True

    def __init__(self, learned: DataFrame, totals: pd.DataFrame) -> None:
        super().__init__(learned)
        self.totals = totals

    @classmethod
    def fit(cls, training: TrainingData) -> Fitted[Self]:
        """Count the judged and the relevant comments of every author, in all sections and in each."""
        names = training.derive(known_names)
        learned = persist(with_aliases(by_person(with_person(_judged_comments(training), names)), names))
        parts = learned.where("alias = person").selectExpr("site", "inline(parts)")
        totals = parts.groupBy("site", "fold").agg(*[F.sum(name).alias(name) for name in COUNTS])
        return Fitted(cls(learned, totals.toPandas().sort_values(["site", "fold"], ignore_index=True)))

    def compute(self, batch: QueryBatch) -> Values:
        """Values of each comment whose author is one person."""
        judged = Judged.elsewhere(batch, batch.facts(self.name), self.totals)
        here, number, relevant = judged.in_section, judged.author["judged"], judged.author["relevant"]
        prior, weight = judged.share(), _SECTION_PRIOR_WEIGHT
        values = [
            prior,
            judged.share("helper_"),
            (here["relevant"] + weight * prior) / (here["judged"] + weight),
            np.log(1 + number),
            np.log((1 + relevant) / (1 + number - relevant)),
        ]
        return self.by_column(np.where(batch.by_person, column, np.nan) for column in values)

    def save(self, folder: NewModelFolder) -> None:
        """Write the counts."""
        super().save(folder)
        folder.write_arrow(_TOTALS, pa.Table.from_pandas(self.totals, _TOTALS_TYPE, preserve_index=False))

    @classmethod
    def load(cls, folder: ModelFolder) -> Self:
        """Read the counts."""
        return cls(folder.read_table(LEARNED), folder.read_arrow(_TOTALS, _TOTALS_TYPE).to_pandas())


def _judged_comments(training: TrainingData) -> DataFrame:
    """The judged comments, one row per label and fold: author, section, and whether another person asked."""
    fold = fold_of(training.folds).cast("int").alias("fold")
    known = training.inputs.examples.where("relevant IS NOT NULL")
    labels = known.select("site", "candidate_id", "relevant", fold).distinct()
    comments = training.inputs.comments.select(
        "site",
        F.col("comment_id").alias("candidate_id"),
        "post_id",
        "user_id",
        "user_name",
        person("site", "user_id", "user_name").alias("author"),
    )
    questions = training.inputs.posts.select(
        "site", "post_id", F.col("category").alias("section"), person("site", "user_id", "user_name").alias("asker")
    )
    judged = labels.join(comments, on=["site", "candidate_id"])
    return judged.join(questions, on=["site", "post_id"], how="left").withColumn(
        "helps", ~same_person("author", "asker")
    )
