"""The settings of the checks before a night's run is published."""

from __future__ import annotations

from pydantic import Field

from cqa_spark.config.sections import Section


class CheckSettings(Section):
    """What a run may differ by from the published one before people have to look at it."""

    max_quarantine_share: float = Field(
        default=0.001, ge=0, le=1, description="share of the records that may be in quarantine"
    )
    max_row_loss: float = Field(default=0.05, ge=0, le=1, description="share of a table's rows that may be gone")
    max_row_growth: float = Field(default=0.5, ge=0, description="rows that may be more, as a share of those before")
    max_null_rise: float = Field(
        default=0.05, ge=0, le=1, description="by how much the share of unknown values of a column may rise"
    )
    max_score_drift: float = Field(
        default=0.25,
        ge=0,
        description="population stability index of the scores; above 0.25 counts as another population",
    )
    max_metric_drop: float = Field(
        default=0, ge=0, le=1, description="by how much the first measure may lie below its interval of the last run"
    )
    min_rank_correlation: float = Field(
        default=0.8, ge=-1, le=1, description="mean correlation of the ranks of the answers that both runs ranked"
    )
