"""The output of every source format: the community tables and the record counts of each file."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from pyspark.sql import DataFrame


@dataclass(frozen=True)
class CommunityTables:
    """A corpus as community tables with their declared schemas.

    All tables share one parse, which stays persisted until the ``with`` block ends.

    Attributes:
        posts: conforms to ``POSTS``.
        comments: conforms to ``COMMENTS``.
        users: conforms to ``USERS``.
        judgments: conforms to ``JUDGMENTS``.
        quarantine: conforms to ``QUARANTINE``.
        ingested_files: columns of ``INGESTED_FILES``; one row per input, including empty ones.
        persisted: frames persisted for the tables above.
    """

    posts: DataFrame
    comments: DataFrame
    users: DataFrame
    judgments: DataFrame
    quarantine: DataFrame
    ingested_files: DataFrame
    persisted: tuple[DataFrame, ...] = field(default=(), repr=False)

    def __enter__(self) -> Self:
        """The tables, until the block ends."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Unpersist all frames."""
        self.unpersist()

    def unpersist(self) -> None:
        """Unpersist the parse; reading the tables again would recompute them."""
        for frame in self.persisted:
            frame.unpersist()
