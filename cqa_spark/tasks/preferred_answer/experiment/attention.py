"""Attention weights of a pair, for each system that reads words, as in the paper's Figure 1."""

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql import functions as F

from cqa_spark.lake.journal import Entry
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_record import StepRecord
from cqa_spark.lake.schemas.examples import EXAMPLES, OUTSIDE_TRAINING
from cqa_spark.lake.schemas.studies import ATTENTIONS
from cqa_spark.lake.schemas.text import DOCUMENTS, TEXTS
from cqa_spark.rankers.pair_words import WORD_COLUMNS, with_words
from cqa_spark.runtime.step import Artifact, Product, Step
from cqa_spark.steps.feature_inputs import task_examples
from cqa_spark.systems.system import System
from cqa_spark.systems.trained_system import model_artifact, trained_system
from cqa_spark.tasks.preferred_answer.task import PreferredAnswer

_FEWEST, _MOST = 8, 25
"""Minimum and maximum number of content words of each text of the pair, for a readable figure."""


@dataclass(frozen=True)
class Attend(Step):
    """Write the attention weights for a preferred answer outside the training data.

    Attributes:
        systems: recipes; only those whose networks align words have attention weights.
    """

    systems: Sequence[System]

    name = "attention"

    def reads(self) -> tuple[Product, ...]:
        """Examples, texts, models."""
        return EXAMPLES, DOCUMENTS, TEXTS, *[Artifact(model_artifact(system.name)) for system in self.systems]

    def writes(self) -> tuple[Product, ...]:
        """A row for each system."""
        return (ATTENTIONS,)

    def execute(self, run: Run, counts: StepRecord) -> None:
        """Select a pair of short texts, the same for all systems; writes no rows if there is none."""
        from cqa_spark.rankers.neural.model import AlignmentModel  # slow import of SciPy

        answers = task_examples(run, PreferredAnswer.name).where(OUTSIDE_TRAINING).where("relevant")
        sizes = [F.size(name) for name in WORD_COLUMNS]
        words = with_words(answers, run.read(DOCUMENTS), run.read(TEXTS))
        short = words.where(F.least(*sizes) >= _FEWEST).where(F.greatest(*sizes) <= _MOST)
        pair = short.orderBy((sizes[0] + sizes[1]).desc(), "site", "query_id").first()
        if pair is None:
            return
        key = {name: pair[name] for name in ("site", "query_id", "candidate_id")}
        found: list[Entry] = []
        for system in self.systems:
            model = trained_system(run, model_artifact(system.name)).model
            if isinstance(model, AlignmentModel):
                attention = model.attention(*(pair[name] for name in WORD_COLUMNS))
                texts = {"query_words": list(attention.query), "candidate_words": list(attention.candidate)}
                weights = attention.weights.ravel().tolist()
                found.append({"system": system.name, **key, **texts, "weights": weights})
        counts.rows_in, counts.rows_out = 1, run.write_entries(ATTENTIONS, found)
