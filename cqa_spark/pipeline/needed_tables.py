"""Groups that need tables which not every dump has: left out where they are lacking, with a warning, or refused."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.errors import InputError
from cqa_spark.features.group import FeatureGroup, FeatureInputs


def with_needed_tables(
    groups: Iterable[type[FeatureGroup]], inputs: FeatureInputs, *, strict: bool
) -> Iterator[tuple[str, FeatureInputs]]:
    """Give each group the examples whose sites have all the tables that it needs.

    A site without votes is not a site on which nobody voted: its values are left out, so that they count as not known.

    Args:
        groups: the groups.
        inputs: the tables.
        strict: refuse instead.

    Yields:
        The names of the groups with their inputs; a group that no site has the tables for is skipped.

    Raises:
        InputError: strict, and a site lacks a table that a group needs.
    """
    sites: set[str] | None = None
    sites_with: dict[str, set[str]] = {}
    for group in groups:
        if not group.needs:
            yield group.name, inputs
            continue
        sites = _sites(inputs.examples) if sites is None else sites
        for table in group.needs:
            if table not in sites_with:
                sites_with[table] = _sites(getattr(inputs, table))
        lacking = {table: sites - sites_with[table] for table in group.needs if sites - sites_with[table]}
        if not lacking:
            yield group.name, inputs
            continue
        problem = "; ".join(f"no {table} of {', '.join(sorted(where))}" for table, where in lacking.items())
        if strict:
            raise InputError(f"feature group {group.name}: {problem}", "read complete dumps, or go without --strict")
        print(f"warning: feature group {group.name} is left out: {problem}", file=sys.stderr)
        complete = sites.difference(*lacking.values())
        if complete:
            yield group.name, inputs.keep_examples(F.col("site").isin(*sorted(complete)))


def _sites(frame: DataFrame | None) -> set[str]:
    return set() if frame is None else {row["site"] for row in frame.select("site").distinct().collect()}
