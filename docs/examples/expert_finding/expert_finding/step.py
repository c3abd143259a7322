"""The table of posts → the examples of the task."""

from dataclasses import dataclass

from cqa_spark.errors import InputError
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_log import StepRecord
from cqa_spark.lake.schemas.community import POSTS
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.lake.snapshot import Snapshot
from cqa_spark.runtime.flow import Product, Step
from cqa_spark.steps.changed_sites import of_sites, site_update
from expert_finding.candidates import expert_examples


@dataclass(frozen=True)
class FindExperts(Step):
    """Write the candidates of every question of the changed sites.

    Attributes:
        last: the published run, whose examples of unchanged sites are kept; None to compute all sites.
    """

    last: Snapshot | None = None

    name = "experts"

    def reads(self) -> tuple[Product, ...]:
        """Posts."""
        return (POSTS,)

    def writes(self) -> tuple[Product, ...]:
        """The examples."""
        return (EXAMPLES,)

    def execute(self, run: Run, counts: StepRecord) -> None:
        """Write them.

        Raises:
            InputError: no question has a candidate.
        """
        counts.rows_in = run.rows(POSTS)
        update = site_update(run, self.last, EXAMPLES, (POSTS,), settings={})
        if not update.keep():
            update.write(expert_examples(of_sites(run.read(POSTS), update.sites)))
        counts.rows_out = run.rows(EXAMPLES)
        if counts.rows_out == 0:
            raise InputError("no question has tags of an earlier question with an answer", "check the dump's tags")
