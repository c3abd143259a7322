"""The contract of a finding: rows of a site → what somebody should look at, and what the same would have found before.

A finding is a plug-in of the group ``cqa_spark.findings``. Spark brings the rows of a group together, such as the
answers of a thread, so that many tasks share a large site; the methods ``find`` and ``backtest`` are kernels on Arrow
tables of whole groups, without Spark.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import DataFrame

from cqa_spark.lake.table import Table
from cqa_spark.plugins import PluginKind


class Examples(NamedTuple):
    """Labelled rows of a site.

    Attributes:
        model: name of the model that learns from them.
        names: names of the features.
        features: shape (rows, features).
        labels: shape (rows,).
        penalty: weight of the squared coefficients, where every row has weight 1.
    """

    model: str
    names: Sequence[str]
    features: NDArray[np.float64]
    labels: NDArray[np.bool_]
    penalty: float

    def followed_by(self, others: Examples) -> Examples:
        """These and others of the same site and model."""
        features = np.concatenate([self.features, others.features])
        return self._replace(features=features, labels=np.concatenate([self.labels, others.labels]))


@dataclass(frozen=True)
class Kind:
    """A kind of findings.

    Attributes:
        name: in tables and commands.
        title: heading of its list.
        about: what a person may do with it, one sentence.
        measure: what its worth is, from 0 to 1.
        rival: the simple order, search or guess that it has to beat.
        is_list: whether cases are a list, measured by the share of its first tenth that proved right; else the scores
            of a case are its measures, and those of all cases are averaged.
    """

    name: str
    title: str
    about: str
    measure: str
    rival: str
    is_list: bool = True


@dataclass(frozen=True)
class FindingRows:
    """The rows that findings are made of; findings with the same rows share them.

    Attributes:
        reads: the tables that the rows need.
        reads_if_present: tables that they can do without.
        group: the columns whose rows stay together, without nulls; the first is ``site``.
        make: makes the rows, with the columns of ``group``, of the tables of some sites, by their names; those of
            ``reads_if_present`` may be missing. It persists what takes long, because a night reads the rows twice.
    """

    reads: tuple[Table, ...]
    group: tuple[str, ...]
    make: Callable[[Mapping[str, DataFrame]], DataFrame]
    reads_if_present: tuple[Table, ...] = ()

    @property
    def tables(self) -> tuple[Table, ...]:
        """All tables that they may read."""
        return self.reads + self.reads_if_present


class Finding(ABC):
    """Something that a night finds.

    Attributes:
        name: name of the plug-in.
        about: description, one sentence.
        kinds: the kinds of its rows.
        rows: what it is made of.
    """

    name: ClassVar[str]
    about: ClassVar[str]
    kinds: ClassVar[tuple[Kind, ...]]
    rows: ClassVar[FindingRows]

    @property
    def version(self) -> str:
        """Identifies models and whatever else its rows follow from, apart from tables and code."""
        return ""

    @abstractmethod
    def find(self, site: str, rows: pa.Table) -> Iterable[Mapping[str, Any]]:
        """The findings of some groups of a site, as rows of ``FINDINGS`` without their site.

        Args:
            site: its name.
            rows: all rows of these groups, in any order.
        """

    @abstractmethod
    def backtest(self, site: str, rows: pa.Table) -> Iterable[Mapping[str, Any]]:
        """What would have been found in the past, as rows of ``FINDING_CASES`` without their site; same arguments."""

    def examples(self, rows: pa.Table) -> Iterable[Examples]:
        """What models of the finding learn from in some groups of a site; nothing by default."""
        return ()


FINDING_KINDS: PluginKind[type[Finding]] = PluginKind("findings", "finding")


def all_findings() -> list[Finding]:
    """Every finding that is registered and can be imported, in alphabetical order."""
    return [finding() for finding in FINDING_KINDS.load_all().values()]
