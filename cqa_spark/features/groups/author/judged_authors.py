"""How often an author's comments were judged relevant, counted by fold, so that an example's own fold is excluded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.features.arrays import Indices, Mask, Reals, counts, fields, items
from cqa_spark.features.group import FeatureColumn
from cqa_spark.features.learned_facts import LEARNED, LearnedFactsGroup, in_section
from cqa_spark.features.query_batch import QueryBatch
from cqa_spark.model_folder.reading import ModelFolder
from cqa_spark.model_folder.writing import NewModelFolder
from cqa_spark.spark.persistence import persist

if TYPE_CHECKING:
    import pandas as pd

NICOSIA = "Nicosia et al. 2015, QCRI at SemEval-2015 Task 3"
SUPER_TEAM = "Mihaylova et al. 2016, SUper Team at SemEval-2016 Task 3"

PRIOR_WEIGHT = 5
"""The weight of the mean of all authors, in judged comments."""

COUNTS = ("judged", "relevant", "helper_judged", "helper_relevant")

_TOTALS = "totals.parquet"
_TOTALS_TYPE = pa.schema([("site", pa.string()), *((name, pa.int64()) for name in ("fold", *COUNTS))])


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

    def shares(self) -> tuple[Reals, Reals]:
        """The values of ``SHARES``."""
        return self.share(), self.share("helper_")


_ABOUT_SHARE = f"share of the author's judged comments that are relevant, smoothed by {PRIOR_WEIGHT} of the mean"

SHARES = (
    FeatureColumn("relevant_share", _ABOUT_SHARE, SUPER_TEAM, 0.4),
    FeatureColumn("relevant_share_as_helper", f"{_ABOUT_SHARE}; threads of other askers only", "ours", 0.4),
)
"""Columns of all such groups, which ``Judged.shares`` computes."""


class JudgedAuthorsGroup(LearnedFactsGroup):
    """Base class of groups that count judged comments of authors.

    Args:
        learned: as ``AuthorFacts.of_people``, with ``parts``, as ``by_person`` returns them.
        totals: ``site``, ``fold`` and the counts of all authors.
    """

    learns_from_labels = True

    def __init__(self, learned: DataFrame, totals: pd.DataFrame) -> None:
        super().__init__(learned)
        self.totals = totals

    @classmethod
    def of_people(cls, learned: DataFrame) -> Self:
        """Create the group from the counts.

        Args:
            learned: as for the class.
        """
        held = persist(learned)
        parts = held.where("alias = person").selectExpr("site", "inline(parts)")
        totals = parts.groupBy("site", "fold").agg(*[F.sum(name).alias(name) for name in COUNTS])
        return cls(held, totals.orderBy("site", "fold").toPandas())

    def judged(self, batch: QueryBatch) -> Judged:
        """The counts for the author of each example."""
        fold = batch.examples.column("fold").to_numpy()
        example, parts = items(fields(batch.facts(self.name))["parts"])
        elsewhere = parts["fold"].to_numpy() != fold[example]
        nearby = elsewhere & in_section(batch, example, parts["section"])
        return Judged(
            author=_sums(parts, example, elsewhere, len(batch)),
            in_section=_sums(parts, example, nearby, len(batch)),
            everybody=self._everybody(batch.column("site"), fold.tolist()),
        )

    def save(self, folder: NewModelFolder) -> None:
        """Write the counts."""
        super().save(folder)
        folder.write_arrow(_TOTALS, pa.Table.from_pandas(self.totals, _TOTALS_TYPE, preserve_index=False))

    @classmethod
    def load(cls, folder: ModelFolder) -> Self:
        """Read the counts."""
        return cls(folder.read_table(LEARNED), folder.read_arrow(_TOTALS, _TOTALS_TYPE).to_pandas())

    def _everybody(self, sites: Sequence[str], folds: Sequence[int]) -> dict[str, Reals]:
        keys = list(zip(sites, folds, strict=True))
        of_site, of_fold = self.totals["site"], self.totals["fold"]
        sums = {
            (site, fold): self.totals.loc[(of_site == site) & (of_fold != fold), list(COUNTS)].sum()
            for site, fold in set(keys)
        }
        return {name: np.array([sums[key][name] for key in keys], dtype=np.float64) for name in COUNTS}


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


def _sums(parts: Mapping[str, pa.ChunkedArray], example: Indices, chosen: Mask, examples: int) -> dict[str, Reals]:
    """The counts of the chosen parts of each example."""
    return {
        name: np.bincount(example[chosen], counts(parts[name])[chosen], minlength=examples).astype(np.float64)
        for name in COUNTS
    }
