"""How often an author's comments were judged relevant, counted by fold, so that an example's own fold is excluded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.features.arrays import Indices, Mask, Reals, counts, fields, items
from cqa_spark.features.learned_facts import in_section
from cqa_spark.features.query_batch import QueryBatch

if TYPE_CHECKING:
    import pandas as pd

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


def _sums(parts: Mapping[str, pa.ChunkedArray], example: Indices, chosen: Mask, examples: int) -> dict[str, Reals]:
    """The counts of the chosen parts of each example."""
    return {
        name: np.bincount(example[chosen], counts(parts[name])[chosen], minlength=examples).astype(np.float64)
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
