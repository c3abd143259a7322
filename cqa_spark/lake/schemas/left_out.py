"""What a run did without."""

from cqa_spark.lake.journal import JournalTable
from cqa_spark.lake.schemas.community import SITE
from cqa_spark.lake.table import column

LEFT_OUT_GROUPS = JournalTable(
    "left_out_groups",
    "Feature groups that were not computed for a site, because its dump lacks tables that they need.",
    (
        SITE,
        column("feature_group", "string", "name of the group", nullable=False),
        column("lacking", "string", "the tables that are lacking, with commas", nullable=False),
    ),
    key=("site", "feature_group"),
)
