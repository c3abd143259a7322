"""Checks that a site has the tables that feature groups need; otherwise omits the groups with a warning, or fails."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

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
        inputs: the tables, with their sites.
        strict: fail instead.

    Raises:
        InputError: ``strict`` is set and a site lacks a table that a group needs.
    """
    sites = set(inputs.sites[EXAMPLES.name])
    for group in groups:
        missing = {
            site: [table for table in group.needs if site not in inputs.sites.get(table, ())] for site in sorted(sites)
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
