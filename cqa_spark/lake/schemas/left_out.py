"""Feature groups that a run omitted."""

from cqa_spark.lake.journal import JournalTable
from cqa_spark.lake.schemas.community import SITE
from cqa_spark.lake.table import column

LEFT_OUT_GROUPS = JournalTable(
    "left_out_groups",
    "Feature groups that were not computed for a site, because required tables are missing from its dump.",
    (
        SITE,
        column("feature_group", "string", "name of the group", nullable=False),
        column("lacking", "string", "the missing tables, separated by commas", nullable=False),
    ),
    key=("site", "feature_group"),
)
