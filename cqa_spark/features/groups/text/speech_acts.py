"""What the comment does: thanks, advises, doubts, jokes; and whether it has the form that the question asks for."""

from __future__ import annotations

from typing import ClassVar

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.features.group import Entity, FeatureColumn, FeatureGroup, feature_values
from cqa_spark.features.groups.text.phrases import ACTS, ANSWERS, QUESTIONS, STARTS_IMPERATIVE
from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.features.pair_texts import pair_texts

_SEARLE = "Searle 1976, A classification of illocutionary acts; phrases ours"
_NICOSIA = "Nicosia et al. 2015, QCRI at SemEval-2015 Task 3"
_LI_ROTH = "Li and Roth 2002, Learning question classifiers; phrases ours"


def _says(side: str, pattern: str) -> str:
    return f'int(coalesce({side}.clean, "") rlike r"(?i){pattern}")'


_ACTS = {
    FeatureColumn(name, f"1 where the comment {about}", _SEARLE): _says("candidate", pattern)
    for name, (about, pattern) in ACTS.items()
}

_SENTENCES = {
    FeatureColumn(
        "imperatives", "share of the sentences that start with an order or advice", _NICOSIA
    ): f'size(filter(candidate.sentences, s -> s rlike r"(?i){STARTS_IMPERATIVE}")) / size(candidate.sentences)',
    FeatureColumn(
        "questions", "share of the sentences that end in a question mark", _NICOSIA
    ): r'size(filter(candidate.sentences, s -> s rlike r"\?[^\w?]*+$")) / size(candidate.sentences)',
}

_ASKS = {
    FeatureColumn(f"asks_{kind}", f"1 where the question asks {kind.replace('_', ' ')}", _LI_ROTH): _says(
        "query", pattern
    )
    for kind, pattern in QUESTIONS.items()
}

_FORMS = {
    FeatureColumn(
        f"form_{kind}", f"1 where the comment has the form of an answer to: {kind.replace('_', ' ')}", _LI_ROTH
    ): _says("candidate", pattern)
    for kind, pattern in ANSWERS.items()
}

_FLAGS = {**_ACTS, **_SENTENCES, **_ASKS, **_FORMS}
"""Each column with the Spark SQL expression over the pair's texts that computes it."""

_KINDS_ASKED = " + ".join(f"asks_{kind}" for kind in QUESTIONS)
_FITTING_FORMS = " + ".join(f"asks_{kind} * form_{kind}" for kind in QUESTIONS)
_FITS = {
    FeatureColumn("forms_fit", "kinds of question that are asked and answered in form", _LI_ROTH): _FITTING_FORMS,
    FeatureColumn(
        "forms_fit_share", "the same over the kinds that are asked", _LI_ROTH
    ): f"({_FITTING_FORMS}) / greatest(1, {_KINDS_ASKED})",
}
"""Each column with the Spark SQL expression over the flags that computes it."""


class SpeechActsV1(FeatureGroup):
    """Phrases of the comment, kinds of question in the query, and where the two fit."""

    name: ClassVar[str] = "speech_acts_v1"
    family: ClassVar[str] = "quality"
    about: ClassVar[str] = "what the comment does, and whether it has the form that the question asks for"
    entity: ClassVar[Entity] = Entity.PAIR
    columns: ClassVar[tuple[FeatureColumn, ...]] = (*_FLAGS, *_FITS)

    def compute(self, inputs: FeatureInputs) -> DataFrame:
        """Flags and shares of each pair whose candidate has a text."""
        texts = pair_texts(
            self.entities(inputs.examples), inputs, lambda texts: texts.select("text_id", "clean", "sentences")
        )
        flags = [
            F.coalesce(F.expr(sql).cast("double"), F.lit(0.0)).alias(column.name) for column, sql in _FLAGS.items()
        ]
        flagged = texts.where(F.col("candidate").isNotNull()).select(*self.entity.key, *flags)
        fits = feature_values(_FITS)
        return flagged.select("*", *fits)
