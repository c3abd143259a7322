"""What a task has to know of a night to plan its examples."""

from collections.abc import Sequence
from dataclasses import dataclass

from cqa_spark.config.nightly_settings import NightlySettings
from cqa_spark.lake.snapshot import Snapshot


@dataclass(frozen=True)
class Night:
    """A night before it starts.

    Attributes:
        settings: of the job.
        tasks: names of the tasks of the systems that rank, and of their upstream systems.
        groups: names of the feature groups of these systems.
        reads_words: whether a ranker reads words in addition to features.
        kept: names of the systems whose published models rank again.
        new: names of the systems that are trained in this night.
        learns: whether any of these learns from labels.
        learns_choices: whether a system that ranks learns from undecided nights as well, tonight or when it is due.
        last: the published run, whose rows of unchanged sites are used; None to compute all rows.
        last_texts: the published run if the systems read the same texts as those of last night.
    """

    settings: NightlySettings
    tasks: Sequence[str]
    groups: Sequence[str]
    reads_words: bool
    kept: Sequence[str]
    new: Sequence[str]
    learns: bool
    learns_choices: bool
    last: Snapshot | None
    last_texts: Snapshot | None
