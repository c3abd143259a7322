"""The members of a generated site; all properties of a member depend only on the seed and the member's number."""

import numpy as np

from cqa_spark.synth.forum_texts import FIRST_NAMES, SECOND_NAMES
from cqa_spark.synth.stackexchange.draws import Flags, Floats, Ints, normals, uniforms, zipf
from cqa_spark.synth.stackexchange.plan import CLOSED, OPENED, SitePlan

TAG_EXPONENT = 0.9
ACTIVITY_EXPONENT = 0.6
"""The activity of the user of rank r is about r to the power of minus this."""


class Population:
    """All members, numbered from 0 in the order in which they joined.

    It takes eight bytes per member; all properties are computed on demand.

    Args:
        plan: plan of the site.
    """

    def __init__(self, plan: SitePlan) -> None:
        self._seed = plan.seed
        self._step = (CLOSED - OPENED) // plan.users  # milliseconds from one member to the next
        self._tags = np.cumsum(zipf(plan.tags, TAG_EXPONENT))
        chance = 1 - uniforms(plan.seed, "activity", np.arange(plan.users))
        self._activity = np.cumsum(chance**-ACTIVITY_EXPONENT)

    def joined(self, members: Ints) -> Ints:
        """Times at which members joined, in milliseconds since 1970."""
        jitter = uniforms(self._seed, "joined", members)
        return OPENED + self._step * members + (self._step * jitter).astype(np.int64)

    def skill(self, members: Ints) -> Floats:
        """Skill of members at answering, standard normal."""
        return normals(self._seed, "skill", members)

    def home_tag(self, members: Ints) -> Ints:
        """The tag that each member knows best."""
        return np.searchsorted(self._tags, uniforms(self._seed, "home tag", members))

    def is_deleted(self, members: Ints) -> Flags:
        """Whether a member's account was deleted: one in fifty, except founders."""
        return (uniforms(self._seed, "deleted", members) < 0.02) & (members > 0)

    def active(self, rng: np.random.Generator, times: Ints) -> Ints:
        """Draw one member for each time, by activity, from those who had joined by then."""
        active = self._activity[self._joined_before(times) - 1]
        return np.searchsorted(self._activity, rng.random(len(times)) * active, side="right")

    def any(self, rng: np.random.Generator, times: Ints) -> Ints:
        """Draw one member for each time, uniformly, from those who had joined by then."""
        return (rng.random(len(times)) * self._joined_before(times)).astype(np.int64)

    def names(self, members: Ints) -> list[str]:
        """Display names of members."""
        first = (uniforms(self._seed, "first name", members) * len(FIRST_NAMES)).astype(np.int64).tolist()
        second = (uniforms(self._seed, "second name", members) * len(SECOND_NAMES)).astype(np.int64).tolist()
        return [
            f"{FIRST_NAMES[one]} {SECOND_NAMES[two]} {number}"
            for one, two, number in zip(first, second, members.tolist(), strict=True)
        ]

    def _joined_before(self, times: Ints) -> Ints:
        # Member n joins in step n, so these have certainly joined. The first question is asked when a tenth has.
        return np.minimum((times - OPENED) // self._step, len(self._activity))
