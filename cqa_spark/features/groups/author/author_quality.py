"""How often an author's comments were judged relevant; version 2 knows authors by name where ids differ."""

from typing import Self

import numpy as np
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.features.aliases import by_id, known_names, person, same_person, with_aliases, with_person
from cqa_spark.features.folds import fold_of
from cqa_spark.features.group import Entity, FeatureColumn, Values
from cqa_spark.features.groups.author.judged_authors import NICOSIA, SHARES, JudgedAuthorsGroup, by_person
from cqa_spark.features.query_batch import QueryBatch
from cqa_spark.features.training_data import Fitted, TrainingData


class AuthorQualityV1(JudgedAuthorsGroup):
    """Share and number of an author's relevant comments in the training threads; the mean if none was judged."""

    name = "author_quality_v1"
    family = "author"
    about = "how often the author's comments in other threads were judged relevant"
    entity = Entity.PAIR
    columns = (
        *SHARES,
        FeatureColumn("log_judged", "ln(1 + judged comments of the author)", NICOSIA),
        FeatureColumn("log_relevant", "ln(1 + relevant comments of the author)", NICOSIA),
        FeatureColumn("log_irrelevant", "ln(1 + irrelevant comments of the author)", NICOSIA),
    )

    @classmethod
    def fit(cls, training: TrainingData) -> Fitted[Self]:
        """Count the judged and the relevant comments of every author."""
        askers = training.inputs.posts.select(
            "site", F.col("post_id").alias("thread_id"), person("site", "user_id").alias("asker")
        )
        known = training.inputs.examples.where("relevant IS NOT NULL").withColumn("author", person("site", "author_id"))
        judged = known.where("author IS NOT NULL").join(askers, on=["site", "thread_id"], how="left")
        counted = by_person(
            judged.select(
                "site",
                by_id("author").alias("person"),
                F.lit(None).cast("string").alias("section"),
                fold_of(training.folds).cast("int").alias("fold"),
                "relevant",
                (~same_person("author", "asker")).alias("helps"),
            )
        )
        return Fitted(cls.of_people(counted.select("*", F.col("person").alias("alias"), F.lit(False).alias("named"))))

    def compute(self, batch: QueryBatch) -> Values:
        """Values of each candidate whose author is one person."""
        is_person = batch.examples.column("account").is_valid().to_numpy()
        judged = self.judged(batch)
        number, relevant = judged.author["judged"], judged.author["relevant"]
        values = [*judged.shares(), np.log(1 + number), np.log(1 + relevant), np.log(1 + number - relevant)]
        return self.by_column(np.where(is_person, column, np.nan) for column in values)


_SECTION_PRIOR_WEIGHT = 2


class AuthorQualityV2(JudgedAuthorsGroup):
    """Share and number of an author's relevant comments in the training threads; the mean if none was judged."""

    name = "author_quality_v2"
    family = "author"
    about = "how often comments in other threads by an author of this name were judged relevant"
    entity = Entity.CANDIDATE
    columns = (
        *SHARES,
        FeatureColumn(
            "relevant_share_in_section",
            f"the same in the forum section, smoothed by {_SECTION_PRIOR_WEIGHT} of the share in all sections",
            "ours",
            0.4,
        ),
        FeatureColumn("log_judged", "ln(1 + judged comments of the author)", NICOSIA),
        FeatureColumn("log_odds", "ln((1 + relevant) / (1 + irrelevant)) of the author's judged comments", NICOSIA),
    )

    @classmethod
    def fit(cls, training: TrainingData) -> Fitted[Self]:
        """Count the judged and the relevant comments of every author, in all sections and in each."""
        names = training.derive(known_names)
        counted = by_person(with_person(_judged_comments(training), names))
        return Fitted(cls.of_people(with_aliases(counted, names)))

    def compute(self, batch: QueryBatch) -> Values:
        """Values of each comment whose author is one person."""
        judged = self.judged(batch)
        here, number, relevant = judged.in_section, judged.author["judged"], judged.author["relevant"]
        prior, weight = judged.share(), _SECTION_PRIOR_WEIGHT
        values = [
            *judged.shares(),
            (here["relevant"] + weight * prior) / (here["judged"] + weight),
            np.log(1 + number),
            np.log((1 + relevant) / (1 + number - relevant)),
        ]
        return self.by_column(np.where(batch.by_person, column, np.nan) for column in values)


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
    said = labels.join(comments, on=["site", "candidate_id"])
    return said.join(questions, on=["site", "post_id"], how="left").withColumn("helps", ~same_person("author", "asker"))
