"""Says which posts of a dump may not be the site's own."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.corpora.stackexchange.values import INVENTED

FAR = 100
"""An id above so many times the median is far above the rest: ids grow with time, so the last is twice the median."""


def unusual_posts(posts: DataFrame) -> list[str]:
    """A sentence for every site with posts that the archive invented, and for every site with an id far above the rest.

    Args:
        posts: the table ``posts``.
    """
    number = F.col("post_id").cast("bigint")
    own = F.when(F.col("post_type") != INVENTED, number)
    by_site = posts.groupBy("site").agg(
        F.count_if(F.col("post_type") == INVENTED).alias("invented"),
        F.percentile_approx(own, 0.5).alias("median"),
        F.max(own).alias("largest"),
    )
    unusual = by_site.where((F.col("invented") > 0) | (F.col("largest") > FAR * F.col("median"))).orderBy("site")
    sentences = []
    for row in unusual.collect():
        if row["invented"]:
            sentences.append(
                f"{row['site']}: {row['invented']:,} posts were invented by the archive; their type is {INVENTED}, "
                "and nothing uses them; --keep-invented uses them"
            )
        if row["largest"] is not None and row["largest"] > FAR * row["median"]:
            sentences.append(
                f"{row['site']}: the post {row['largest']} has an id far above the rest, of which the median is "
                f"{row['median']}; it may not be the site's own"
            )
    return sentences
