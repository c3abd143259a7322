"""The comments of a batch."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from cqa_spark.features.arrays import Indices, Reals


@dataclass(frozen=True)
class Comments:
    """The comments of a batch, sorted by question, post, position and id.

    Attributes:
        ids: comment ids.
        question: index as in ``QueryBatch.question``; a comment occurs once for each question with a candidate whose
            thread contains it.
        post_id: the post that the comment is below.
        position: position among the comments of the post, from 1; NaN where unknown.
        author: the author if it is one known person; None otherwise, for example for shared accounts.
        author_name: the author's name as in the dump.
        created_at: seconds since 1970; NaN where unknown.
        text: index of the text in ``QueryBatch.texts``; ``ABSENT`` for none.
        asker: author of the post if it is one known person; None otherwise.
        asked_at: time of the post, in seconds since 1970; NaN where unknown.
        asked: index of the post's text in ``QueryBatch.texts``; ``ABSENT`` for none.
    """

    ids: Sequence[str]
    question: Indices
    post_id: Sequence[str]
    position: Reals
    author: Sequence[str | None]
    author_name: Sequence[str | None]
    created_at: Reals
    text: Indices
    asker: Sequence[str | None]
    asked_at: Reals
    asked: Indices

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def threads(self) -> list[slice]:
        """The comments below each post of each question, as slices of the columns."""
        keys = list(zip(self.question.tolist(), self.post_id, strict=True))
        starts = [place for place, key in enumerate(keys) if place == 0 or key != keys[place - 1]]
        return [slice(start, end) for start, end in pairwise([*starts, len(keys)])]

    @cached_property
    def by_post(self) -> dict[tuple[int, str], slice]:
        """The slice of each pair of question and post."""
        return {(int(self.question[part.start]), self.post_id[part.start]): part for part in self.threads}
