"""The usual unpacked size of archives, and limits on it, against archive bombs."""

from dataclasses import dataclass
from pathlib import Path

from cqa_spark.errors import InputError

USUAL_RATIO = 6
"""Bytes of XML for a byte of a compressed dump, for files that do not record it. Of three real sites, gzip has 4.1 to
4.2, bzip2 5.4 to 5.8, and LZMA 5.6 to 6.4."""


@dataclass(frozen=True)
class UnpackLimits:
    """Limits of each archive.

    Attributes:
        max_ratio: unpacked bytes per byte of the archive; tables of real sites reach about 15.
        max_total_bytes: unpacked bytes of all members together.
    """

    max_ratio: float = 200
    max_total_bytes: int = 2 * 10**12


class Meter:
    """Counts the unpacked bytes of an archive, and refuses it at the first byte above a limit.

    Args:
        archive: the archive, for the message.
        size: its bytes.
        limits: limits on the unpacked size.
    """

    def __init__(self, archive: Path, size: int, limits: UnpackLimits) -> None:
        self._archive = archive
        self._size = size
        self._limits = limits
        self._total = 0

    def add(self, member: str, count: int) -> None:
        """Count bytes of a member.

        Args:
            member: the name inside the archive.
            count: bytes more than before.

        Raises:
            InputError: the archive unpacks to more than a limit allows.
        """
        self._total += count
        if self._total > self._limits.max_total_bytes:
            self._refuse(member, f"more than {self._limits.max_total_bytes:,} bytes")
        if self._total > self._limits.max_ratio * self._size:
            self._refuse(member, f"more than {self._limits.max_ratio:g} times its {self._size:,} bytes")

    def _refuse(self, member: str, amount: str) -> None:
        raise InputError(
            f"{self._archive} unpacks to {amount}, reached in its member {member}",
            "check where the archive comes from; if it is right, raise the limit",
        )
