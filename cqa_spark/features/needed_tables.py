"""Checks that a site has the tables that feature groups need; otherwise omits the groups with a warning, or fails."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.errors import InputError
from cqa_spark.features.group import FeatureGroup
from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.process.terminal import Terminal


@dataclass(frozen=True)
class Supplied:
    """A group and the sites for which it can be computed.

    Attributes:
        group: the group.
        inputs: the tables with the examples of these sites; None if there are none.
        lacking: missing tables by site.
    """

    group: type[FeatureGroup]
    inputs: FeatureInputs | None
    lacking: dict[str, list[str]]


def with_needed_tables(
    groups: Iterable[type[FeatureGroup]], inputs: FeatureInputs, *, strict: bool
) -> Iterator[Supplied]:
    """Restrict the examples of each group to sites that have all the tables that it needs.

    Missing votes do not mean zero votes, so values of such sites are omitted and count as unknown.

    Args:
        groups: the groups.
        inputs: the tables.
        strict: fail instead.

    Raises:
        InputError: ``strict`` is set and a site lacks a table that a group needs.
    """
    wanted = list(groups)
    needed = {
        table: found for group in wanted for table in group.needs if (found := getattr(inputs, table)) is not None
    }
    sites_with = _sites_by_table({EXAMPLES.name: inputs.examples, **needed}) if any(g.needs for g in wanted) else {}
    sites = sites_with.get(EXAMPLES.name, set())
    for group in wanted:
        missing = {
            site: [table for table in group.needs if site not in sites_with.get(table, ())] for site in sorted(sites)
        }
        lacking = {site: tables for site, tables in missing.items() if tables}
        complete = sorted(sites.difference(lacking))
        if not lacking:
            yield Supplied(group, inputs, lacking)
            continue
        _tell(group, lacking, strict=strict)
        yield Supplied(group, inputs.keep_examples(F.col("site").isin(*complete)) if complete else None, lacking)


def _tell(group: type[FeatureGroup], lacking: dict[str, list[str]], *, strict: bool) -> None:
    tables = [table for table in group.needs if any(table in missing for missing in lacking.values())]
    where = {table: ", ".join(site for site, missing in lacking.items() if table in missing) for table in tables}
    problem = "; ".join(f"no {table} of {sites}" for table, sites in where.items())
    if strict:
        raise InputError(f"feature group {group.name}: {problem}", "read complete dumps, or go without --strict")
    Terminal(stderr=True).line(f"warning: feature group {group.name} is left out: {problem}")


def _sites_by_table(frames: Mapping[str, DataFrame]) -> dict[str, set[str]]:
    """The sites in each of the given tables, in one query.

    Args:
        frames: the tables, by name; at least one.
    """
    named = [frame.select(F.lit(name).alias("name"), "site") for name, frame in frames.items()]
    found: dict[str, set[str]] = {name: set() for name in frames}
    for row in reduce(DataFrame.unionByName, named).distinct().collect():
        found[row["name"]].add(row["site"])
    return found
