"""Which sites a run computes, and how it keeps the published files of all others.

The unit of change is the site. A table's rows of a site have a fingerprint of everything that they are made from; where
it equals the published one, the published files are kept, and all other sites are computed from end to end.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.lake.model_folder import original_of
from cqa_spark.lake.run import FEW_SITES, Run
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.lake.snapshot import RunTables, Snapshot
from cqa_spark.lake.table import NO_FILES, Table, fingerprint_of
from cqa_spark.settings.rendering import hashed_settings
from cqa_spark.settings.sections import SettingsSection
from cqa_spark.spark.frames import persisted
from cqa_spark.systems.trained_system import model_artifact

Sites = Collection[str] | None
"""Names of sites; None for all sites of a run."""

_AND = "-"
"""Separates, in a fingerprint, the hash of what makes rows (code, settings) from that of what they are made from."""

_QUERY = ["site", "query_id"]
_PAIR = [*_QUERY, "candidate_id"]


@dataclass(frozen=True)
class SiteUpdate:
    """How a table of a run follows from the published one; created by ``site_update``.

    Attributes:
        run: the run.
        last: the published run; None if all rows are computed, and nothing of it is used: there is none, or the
            published rows were made by other code, settings or models.
        table: the table.
        fingerprints: of the run's rows, by site.
        sites: sites whose rows have to be computed, or which are gone; None for all of a table that is not published.
    """

    run: Run
    last: Snapshot | None
    table: Table
    fingerprints: Mapping[str, str]
    sites: Sites

    def of(self, table: Table) -> SiteUpdate:
        """The update of another table that is made from the same."""
        return replace(self, table=table)

    def keep(self, *others: Table) -> bool:
        """Use the published files of the table, and of others, if no site has to be computed; return whether so."""
        if self.last is None or self.sites is None or self.sites:
            return False
        for table in (self.table, *others):
            self.run.put(table, self.last.files(table))
        return True

    def write(self, rows: DataFrame, *others: Table, ranked: DataFrame | None = None) -> None:
        """Write the rows of the sites beside the published files of others, or all.

        Args:
            rows: of these sites, and perhaps of other sites; the declared columns.
            others: further tables with rows among these, which ``TABLE`` names.
            ranked: queries of these sites whose published rows are kept, too: site and query_id.
        """
        last, sites = self.last, self.sites
        if last is None or sites is None:
            last, sites = None, self.fingerprints.keys()
        else:
            rows = of_sites(rows, sites)
            if ranked is not None:
                published = of_sites(last.read(self.table), sites)
                rows = rows.unionByName(published.join(ranked, on=_QUERY, how="left_semi"), allowMissingColumns=True)
        tables = (self.table, *others)
        found = self.run.new_files_of(tables, rows, rebalance=self._of_many_sites)
        for table, new in zip(tables, found, strict=True):
            base = NO_FILES if last is None else last.files_or_none(table).without(sites)
            self.run.put(table, base.united(new).with_fingerprints(self.fingerprints))

    @property
    def _of_many_sites(self) -> bool:
        """Whether the rows that are computed are of more than ``FEW_SITES``."""
        return len(self.fingerprints if self.last is None or self.sites is None else self.sites) > FEW_SITES

    def write_in_turn(self, frames: Iterable[DataFrame]) -> None:
        """As ``write``, for the rows of several frames, of these sites, each in a job of its own."""
        first, *others = [*frames] or [self.table.empty(self.run.lake.spark)]
        self.write(first)
        for rows in others:
            self.run.put_more(self.table, self.run.new_files(self.table, rows, rebalance=self._of_many_sites))
        self.sign()

    def sign(self) -> None:
        """Give the run's rows their fingerprints."""
        self.run.put(self.table, self.run.files(self.table).with_fingerprints(self.fingerprints))


def site_update(
    run: Run,
    last: Snapshot | None,
    table: Table,
    inputs: Sequence[Table],
    *,
    settings: Mapping[str, SettingsSection],
    models: Sequence[str] = (),
    versions: Sequence[str] = (),
) -> SiteUpdate:
    """Compare what a table is made from with what the published one was made from, site by site.

    Args:
        run: the run, which has the inputs.
        last: the published run; None to compute all rows.
        table: the table, whose rows follow from those of the same site.
        inputs: the tables that they follow from.
        settings: the settings that they follow from, by section.
        models: the trained systems that they follow from.
        versions: whatever else they follow from.
    """
    made_by = fingerprint_of(
        run.record.code_version,
        *[f"{name} {hashed_settings(section)}" for name, section in settings.items()],
        *versions,
    )
    # What the rows of all sites are made from, before the rows of the site in the inputs.
    common = [*table.schema.names, *[_model(run, name) for name in models]]
    input_files = [run.files_or_none(input_table) for input_table in inputs]
    sites = set[str]().union(*(files.sites for files in input_files))
    fingerprints = {}
    for site in sites:
        made_from = fingerprint_of(*common, *(files.fingerprint(site) for files in input_files))
        fingerprints[site] = f"{made_by}{_AND}{made_from}"
    if last is None or not last.has(table):
        return SiteUpdate(run, None, table, fingerprints, None)
    before = last.files(table)
    same = {site for site in sites if before.fingerprints.get(site) == fingerprints[site]}
    makers = {fingerprint.partition(_AND)[0] for fingerprint in before.fingerprints.values()}
    # The published run may have had further models, whose rows do no harm.
    is_usable = makers == {made_by} and all(_model(run, name) == _model(last, name) for name in models)
    return SiteUpdate(run, last if is_usable else None, table, fingerprints, (sites | before.sites) - same)


def _model(run: RunTables, system: str) -> str:
    """What identifies the trained system of a run: its folder, or the one that this is a copy of."""
    path = run.artifact(model_artifact(system))
    return original_of(run.lake.root, path.removeprefix(run.lake.path("")), run.lake.storage) if path else ""


MOST_UNUSED = 0.25
"""Share of the rows of a table by content, such as texts, that may be unused before its files are written again."""


def too_many_unused(stored: int, used: int) -> bool:
    """Whether a table by content has too many rows that no site needs any more.

    Args:
        stored: number of its rows.
        used: number of the rows that are needed, at most.
    """
    return stored - used > MOST_UNUSED * stored


def of_sites(frame: DataFrame, sites: Sites) -> DataFrame:
    """The rows of some sites."""
    return frame if sites is None else frame.where(F.col("site").isin(*sites))


@contextmanager
def ranked_before(run: Run, last: Snapshot | None, task: str, sites: Sites) -> Iterator[DataFrame | None]:
    """The queries of some sites that have exactly the published candidates: site and query_id; persisted.

    Args:
        run: the run, which has examples.
        last: the published run; None to rank all queries.
        task: the task of the queries.
        sites: as ``site_update`` gives them; all to rank all queries.

    Yields:
        The queries; None if all are ranked.
    """
    if last is None or sites is None:
        yield None
        return
    signed = [
        of_sites(tables.read(EXAMPLES), sites).where(F.col("task") == task).select(*_PAIR, F.lit(sign).alias("sign"))
        for tables, sign in ((run, 1), (last, -1))
    ]
    by_pair = signed[0].unionByName(signed[1]).groupBy(*_PAIR).agg(F.sum("sign").alias("sign"))
    same = by_pair.groupBy(*_QUERY).agg((F.count_if(F.col("sign") != 0) == 0).alias("is_same"))
    with persisted(same.where("is_same").select(*_QUERY)) as (ranked,):
        yield ranked


def except_queries(examples: DataFrame, ranked: DataFrame | None) -> DataFrame:
    """The examples of all queries but those that ``ranked_before`` gives."""
    return examples if ranked is None else examples.join(ranked, on=_QUERY, how="left_anti")
