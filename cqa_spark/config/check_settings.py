"""The settings of the checks before a nightly run is published."""

from pydantic import Field

from cqa_spark.config.sections import SettingsSection


class CheckSettings(SettingsSection):
    """Limits on the differences between a nightly run and the published run."""

    max_quarantine_share: float = Field(default=0.001, ge=0, le=1, description="maximum share of quarantined records")
    max_row_loss: float = Field(default=0.05, ge=0, le=1, description="maximum share of rows that a table may lose")
    max_row_growth: float = Field(default=0.5, ge=0, description="maximum growth of a table, as a share of its rows")
    max_null_rise: float = Field(
        default=0.05, ge=0, le=1, description="maximum rise of the share of unknown values in a column"
    )
    max_score_drift: float = Field(
        default=0.25,
        ge=0,
        description="maximum population stability index of the scores; above 0.25 is a different population",
    )
    max_metric_drop: float = Field(
        default=0, ge=0, le=1, description="maximum drop of the first measure below its interval in the published run"
    )
    max_worth_drop: float = Field(
        default=0.05,
        ge=0,
        le=1,
        description="maximum drop of the gain over the simple order since the model was trained, at the least by its "
        "interval",
    )
    min_rank_correlation: float = Field(
        default=0.8, ge=-1, le=1, description="minimum mean rank correlation over the answers that both runs ranked"
    )
