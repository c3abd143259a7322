"""All tables of the experiment, in order."""

from __future__ import annotations

from collections.abc import Sequence

from cqa_spark.reports.experiments.content import Ablation, SeedValues
from cqa_spark.reports.experiments.seeds import seeds_table
from cqa_spark.reports.kit.grid import Grid
from cqa_spark.reports.preferred_answer.content import AnswerStudy
from cqa_spark.reports.preferred_answer.grids.baselines import against_baselines
from cqa_spark.reports.preferred_answer.grids.cells import marked
from cqa_spark.reports.preferred_answer.grids.feature_groups import table_5
from cqa_spark.reports.preferred_answer.grids.sites import by_site
from cqa_spark.reports.preferred_answer.grids.systems import table_4
from cqa_spark.reports.preferred_answer.grids.transfer import transferred
from cqa_spark.reports.preferred_answer.grids.tuning import searched
from cqa_spark.reports.preferred_answer.grids.variants import both_variants


def grids(study: AnswerStudy, ablations: Sequence[Ablation], seeds: Sequence[SeedValues]) -> tuple[Grid, ...]:
    """The tables that have rows; the table by site only for several sites."""
    found = [table_4(study), against_baselines(study), both_variants(study)]
    if len(study.sites) > 1:
        found.append(by_site(study))
    found.append(seeds_table(seeds, study.measures[0], marked))
    found += [transferred(study), searched(study), table_5(study, ablations)]
    return tuple(grid for grid in found if grid.rows)
