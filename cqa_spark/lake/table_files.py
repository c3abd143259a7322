"""The data files of a table in one run, with the counts of their footers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256


@dataclass(frozen=True)
class DataFile:
    """A Parquet file; it is never changed.

    Attributes:
        path: relative to the lake.
        bytes: size.
        rows: number of rows.
        values: the value that all rows have, for each column by which the table is divided.
        nulls: number of nulls by column, without columns of arrays and maps.
    """

    path: str
    bytes: int
    rows: int
    values: Mapping[str, str | None] = field(default_factory=dict, hash=False)
    nulls: Mapping[str, int] = field(default_factory=dict, hash=False)

    @property
    def site(self) -> str | None:
        """The site of all rows; None if the table is not divided by site."""
        return self.values.get("site")


@dataclass(frozen=True)
class TableFiles:
    """The files of a table.

    Attributes:
        columns: names of the stored columns.
        files: the files, each with at least one row.
        fingerprints: by site, the hash of what its rows were made from; rows with equal ones are equal.
    """

    columns: tuple[str, ...] = ()
    files: tuple[DataFile, ...] = ()
    fingerprints: Mapping[str, str] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        """The number of rows."""
        return sum(file.rows for file in self.files)

    def rows_by_site(self) -> Counter[str]:
        """The number of rows by site, of a table that is divided by site."""
        found: Counter[str] = Counter()
        for file in self.files:
            found[file.site or ""] += file.rows
        return found

    @property
    def sites(self) -> set[str]:
        """The sites with rows or a fingerprint."""
        return {file.site for file in self.files if file.site is not None} | self.fingerprints.keys()

    def of(self, sites: Collection[str]) -> TableFiles:
        """The files of some sites."""
        return self.without(self.sites.difference(sites))

    def without(self, sites: Collection[str]) -> TableFiles:
        """The files of all other sites."""
        kept = tuple(file for file in self.files if file.site not in sites)
        return replace(
            self, files=kept, fingerprints={site: each for site, each in self.fingerprints.items() if site not in sites}
        )

    def united(self, other: TableFiles) -> TableFiles:
        """The files of both; of a site in both, the other's fingerprint holds, and none if it has none."""
        columns = (*self.columns, *(name for name in other.columns if name not in self.columns))
        kept = {site: each for site, each in self.fingerprints.items() if site not in other.sites}
        return TableFiles(columns, self.files + other.files, {**kept, **other.fingerprints})

    def with_fingerprints(self, fingerprints: Mapping[str, str]) -> TableFiles:
        """The same files, made from what these fingerprints say."""
        return replace(self, fingerprints={**self.fingerprints, **fingerprints})

    def fingerprint(self, site: str) -> str:
        """The fingerprint of a site's rows; without one, its files stand for themselves, as files never change."""
        known = self.fingerprints.get(site)
        return known or fingerprint_of(*sorted(file.path for file in self.files if file.site == site))

    def null_shares(self) -> dict[str, float]:
        """The share of nulls by column, without columns of arrays and maps."""
        counted = [name for name in self.columns if all(name in file.nulls for file in self.files)]
        return {name: sum(file.nulls[name] for file in self.files) / max(1, self.rows) for name in counted}


NO_FILES = TableFiles()


def fingerprint_of(*parts: str) -> str:
    """The hash of some texts, hexadecimal."""
    total = sha256()
    for part in parts:
        total.update(f"{len(part)}:{part}".encode())
    return total.hexdigest()
