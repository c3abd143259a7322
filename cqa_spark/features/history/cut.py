"""The cut: the time up to which as-of features use events."""

from dataclasses import dataclass

_MICROSECONDS_AN_HOUR = 3_600_000_000


@dataclass(frozen=True)
class Cut:
    """The time at which the candidates of a question are evaluated.

    Attributes:
        kind: ``question``, the time of the question; ``answer``, the time of each answer; ``delay``, ``hours`` after
            the question. An example of a night is evaluated at the cut of the night, whatever the kind.
        hours: the delay, in hours.
    """

    kind: str = "delay"
    hours: float = 24.0

    @property
    def sql(self) -> str:
        """SQL expression of the cut over columns of the examples; null where unknown."""
        delayed = f"timestamp_micros(unix_micros(asked_at) + {round(self.hours * _MICROSECONDS_AN_HOUR)})"
        otherwise = {"question": "asked_at", "answer": "answered_at", "delay": delayed}[self.kind]
        return f"coalesce(cut_at, {otherwise})"
