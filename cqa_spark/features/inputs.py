"""What feature groups compute from: the tables of a community, and what there is to know of a run."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.errors import ContractError
from cqa_spark.features.history.cut import Cut


@dataclass(frozen=True)
class FeatureInputs:
    """The tables that groups compute from; declared in ``cqa_spark.lake.schemas``.

    ``examples`` names the entities that values are wanted for. The other tables may hold more than that; ``users``,
    ``votes``, ``badges`` and ``post_links`` are None where the corpus has none, ``scores`` where no upstream system is
    named, ``embeddings`` where no group of the run looks at vectors, ``retrieved`` where candidates were given.

    Attributes:
        cut: the moment after which as-of groups know nothing.
        top_tags: how many of a site's tags have a column of their own in the groups of tags.
        few: whether the examples are few enough to be handed to every executor. Then groups look for what concerns them
            before they count and sort; of many examples, nearly everything does.
    """

    examples: DataFrame
    posts: DataFrame
    comments: DataFrame
    documents: DataFrame
    texts: DataFrame
    users: DataFrame | None = None
    votes: DataFrame | None = None
    badges: DataFrame | None = None
    scores: DataFrame | None = None
    embeddings: DataFrame | None = None
    post_links: DataFrame | None = None
    retrieved: DataFrame | None = None
    cut: Cut = field(default_factory=Cut)
    top_tags: int = 24
    few: bool = False

    def needed(self, table: str) -> DataFrame:
        """A table that not every corpus has.

        Args:
            table: users, votes, badges, scores, embeddings, post_links or retrieved.

        Raises:
            ContractError: it is not there.
        """
        found: DataFrame | None = getattr(self, table)
        if found is None:
            raise ContractError(f"a feature group needs the table {table}", _remedy(table))
        return found

    def keep_examples(self, condition: Column) -> FeatureInputs:
        """The same tables with fewer examples."""
        return replace(self, examples=self.examples.where(condition))

    def broadcast_if_few(self, frame: DataFrame) -> DataFrame:
        """A frame with a row or two an example, marked for Spark to join it where the other rows lie; if few."""
        return F.broadcast(frame) if self.few else frame

    def of_authors(self, rows: DataFrame, author: str = "user_id") -> DataFrame:
        """Those rows that an author of the examples is responsible for; if these are many, all rows.

        Args:
            rows: with a site and an author.
            author: the column that holds the author's id.
        """
        if not self.few:
            return rows
        authors = self.examples.select(F.col("author_id").alias(author), "site").distinct()
        return rows.join(self.broadcast_if_few(authors), on=[author, "site"], how="left_semi")


def _remedy(table: str) -> str:
    if table == "scores":
        return "name the systems that give them as upstream in the system's file"
    if table == "embeddings":
        return "analyse the texts again, with the feature group among the wanted ones"
    if table == "retrieved":
        return "the group is for the task duplicate, whose candidates are retrieved"
    return f"give a dump that has {table}"
