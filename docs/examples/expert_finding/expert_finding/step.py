"""The table of posts → the examples of the task."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cqa_spark.errors import InputError
from cqa_spark.lake.publishing import Snapshot
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_record import StepRecord
from cqa_spark.lake.schemas.community import COMMENTS, POSTS
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.runtime.step import Artifact, Product, Step
from cqa_spark.steps.changed_sites import of_sites, site_update
from cqa_spark.systems.trained_system import model_artifact
from expert_finding.candidates import expert_examples


@dataclass(frozen=True)
class FindExperts(Step):
    """Write the candidates of every question of the changed sites.

    Attributes:
        models: names of the systems that rank as they did last night.
        new: names of the systems that are trained in this night.
        last: the published run; None to compute all sites.
    """

    models: Sequence[str] = ()
    new: Sequence[str] = ()
    last: Snapshot | None = None

    name = "experts"

    def reads(self) -> tuple[Product, ...]:
        """Posts, and the models."""
        return POSTS, COMMENTS, *[Artifact(model_artifact(name)) for name in self.models]

    def writes(self) -> tuple[Product, ...]:
        """The examples."""
        return (EXAMPLES,)

    def execute(self, run: Run, counts: StepRecord) -> None:
        """Write them.

        Raises:
            InputError: no question has a candidate.
        """
        counts.rows_in = run.rows(POSTS)
        last = None if self.new else self.last
        update = site_update(run, last, EXAMPLES, (POSTS,), settings={}, models=self.models)
        if not update.keep():
            update.write(expert_examples(of_sites(run.read(POSTS), update.sites)))
        counts.rows_out = run.rows(EXAMPLES)
        if counts.rows_out == 0:
            raise InputError("no question has tags of an earlier question with an answer", "check the dump's tags")
