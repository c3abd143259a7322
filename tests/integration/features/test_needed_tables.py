"""Groups whose tables a dump lacks are left out with a warning, site by site, or refused."""

from dataclasses import replace

import pytest
from literal_answers import SITE, community
from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from single_groups import compute_values

from cqa_spark.errors import ContractError, InputError
from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.features.registry import group_class, with_needed_tables

GROUPS = [group_class(name) for name in ("basic_a_asof_v1", "badges_asof_v1", "basic_u_asof_v1")]


@pytest.fixture(scope="module")
def inputs(spark: SparkSession) -> FeatureInputs:
    tables = ("examples", "users", "votes", "badges")
    return replace(community(spark), sites={name: [SITE] for name in tables})


def test_a_dump_without_votes_leaves_out_what_needs_them(
    inputs: FeatureInputs, capsys: pytest.CaptureFixture[str]
) -> None:
    without = {name: found for name, found in inputs.sites.items() if name != "votes"}
    found = list(with_needed_tables(GROUPS, replace(inputs, sites=without), strict=False))
    assert [each.group.name for each in found if each.inputs] == ["basic_a_asof_v1", "badges_asof_v1"]
    assert [each.lacking for each in found] == [{}, {}, {SITE: ["votes"]}]
    assert capsys.readouterr().err == (f"warning: feature group basic_u_asof_v1 is left out: no votes of {SITE}\n")


def test_only_the_site_without_badges_is_left_out(inputs: FeatureInputs, capsys: pytest.CaptureFixture[str]) -> None:
    two_sites = inputs.examples.unionByName(inputs.examples.withColumn("site", F.lit("wine.example.org")))
    sites = {**inputs.sites, "examples": [SITE, "wine.example.org"]}
    basic_a, badges = with_needed_tables(GROUPS[:2], replace(inputs, examples=two_sites, sites=sites), strict=False)
    assert badges.inputs
    assert {row["site"] for row in badges.inputs.examples.collect()} == {SITE}
    assert basic_a.inputs
    assert basic_a.inputs.examples.count() == 6
    assert "no badges of wine.example.org" in capsys.readouterr().err


def test_strict_refuses_with_the_group_and_the_site(inputs: FeatureInputs) -> None:
    with pytest.raises(InputError, match=f"feature group badges_asof_v1: no badges of {SITE}"):
        list(with_needed_tables(GROUPS, replace(inputs, sites={**inputs.sites, "badges": []}), strict=True))


def test_a_group_that_is_asked_all_the_same_says_what_it_lacks(inputs: FeatureInputs) -> None:
    with pytest.raises(ContractError, match="needs the table votes"):
        compute_values(group_class("basic_u_asof_v1")(), replace(inputs, votes=None))
