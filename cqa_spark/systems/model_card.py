"""The card of a trained system: what it learned from, and what it is worth."""

from dataclasses import dataclass
from datetime import date
from typing import ClassVar

from pydantic import BaseModel, ConfigDict

from cqa_spark.lake.schemas.metrics import Worth

CARD = "card.json"


class LearnedSite(BaseModel):
    """The training data of a system from one site.

    Attributes:
        site: its name.
        newest: date of the newest cut of its examples.
        threads: number of threads.
        labels: number of threads with a label.
        queries: number of labelled queries; of a thread that is replayed, one for each night.
        licences: licences that its posts state; empty if they state none.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    site: str
    newest: date
    threads: int
    labels: int
    queries: int
    licences: tuple[str, ...] = ()


@dataclass(frozen=True)
class CardFigure(Worth):
    """The backtest of an order when the system was trained.

    Attributes:
        reference: the order that differences are from.
    """

    reference: str

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid", allow_inf_nan=False)


class SiteDifference(BaseModel):
    """How much better a system was than a simple order on the replayed nights of one site in one band of age.

    Attributes:
        site: its name.
        band: name of the band.
        order: name of the simple order.
        difference: of P@1, the system minus the simple order, as a fraction.
        error: its standard error, by thread.
        threads: number of threads, at least two.
        nights: number of their nights.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    site: str
    band: str
    order: str
    difference: float
    error: float
    threads: int
    nights: int


class ModelCard(BaseModel):
    """The content of ``card.json``.

    Attributes:
        version: of the package that trained the system.
        sites: its training data, in order of site.
        features: ``features.probe.values_hash`` of its feature groups.
        licence: of its training data.
        figures: its out-of-fold backtest.
        by_site: its out-of-fold backtest on each site; other sites can expect as much.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    version: str
    sites: tuple[LearnedSite, ...]
    features: str
    licence: str
    figures: tuple[CardFigure, ...] = ()
    by_site: tuple[SiteDifference, ...] = ()

    @property
    def labels(self) -> int:
        """Number of threads with a label that the system learned from."""
        return sum(site.labels for site in self.sites)

    @property
    def newest(self) -> date:
        """Date of the newest post of the sites that the system learned from."""
        return max(site.newest for site in self.sites)
