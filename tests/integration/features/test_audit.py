"""As-of features stay the same whatever comes later; those of the dump do not."""

from dataclasses import replace
from datetime import UTC

import pytest
from literal_answers import at, community
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from cqa_spark.commands.audit import refuse_changes, refuse_late_answers
from cqa_spark.errors import ContractError
from cqa_spark.features.audit import (
    AuditedGroup,
    Exposure,
    audit_groups,
    audit_moments,
    exposure,
    go_on_otherwise,
    known_at,
)
from cqa_spark.features.inputs import Cut, FeatureInputs
from cqa_spark.features.registry import group_class, known_groups

CUT = at(3, 3, 10)
AS_OF = [name for name in known_groups() if group_class(name).is_as_of]
SNAPSHOT = [name for name in known_groups() if group_class(name).caution]


@pytest.fixture(scope="module")
def inputs(spark: SparkSession) -> FeatureInputs:
    return community(spark)


def test_every_snapshot_group_has_an_as_of_variant() -> None:
    assert {name.replace("_snapshot_", "_asof_") for name in SNAPSHOT} == {*AS_OF} - {
        "answer_markup_asof_v1", "answer_standing_asof_v1", "answer_text_v1", "answer_timing_asof_v1",
        "answer_votes_asof_v1", "author_record_asof_v1",
    }  # fmt: skip
    assert len(SNAPSHOT) == 7


def test_as_of_columns_stay_the_same(inputs: FeatureInputs) -> None:
    findings = audit_groups(list(map(group_class, AS_OF)), known_at(inputs, CUT), CUT, folds=2)
    assert {finding.group: (finding.rows, finding.changed) for finding in findings} == dict.fromkeys(AS_OF, (3, {}))
    assert {finding.group for finding in findings if finding.as_of_dump} == {
        name for name in AS_OF if group_class(name).as_of_dump
    } - {"answer_timing_asof_v1"}  # no asker answers here


def test_what_a_group_does_not_declare_to_read_as_of_the_dump_must_not_change(
    inputs: FeatureInputs, monkeypatch: pytest.MonkeyPatch
) -> None:
    declared = {"answer_text_v1": {"characters", "words", "cosine"}, "comments_asof_v1": {"asker_on_answer"}}
    groups = list(map(group_class, declared))
    for group in groups:
        monkeypatch.setattr(group, "as_of_dump", frozenset())
    found = {
        finding.group: set(finding.changed) for finding in audit_groups(groups, known_at(inputs, CUT), CUT, folds=2)
    }
    assert {name: found[name] & columns for name, columns in declared.items()} == declared


def test_an_injected_late_answer_is_refused(inputs: FeatureInputs) -> None:
    assert exposure(inputs) == Exposure(pairs=3, late=0, edited=0, deleted=1)
    late = inputs.examples.where("candidate_id = '13'").withColumns(
        {"candidate_id": F.lit("14"), "answered_at": F.lit(at(3, 3, 10, 1))}
    )
    edits = F.when(F.col("post_id") == "11", F.lit(at(3, 4)))
    exposed = exposure(
        replace(inputs, examples=inputs.examples.unionByName(late), posts=inputs.posts.withColumn("edited_at", edits))
    )
    assert exposed == Exposure(pairs=4, late=1, edited=1, deleted=1)
    with pytest.raises(ContractError, match="1 of 4 answers were posted after the cut"):
        refuse_late_answers(exposed)
    refuse_late_answers(replace(exposed, late=0))


def test_columns_of_the_dump_change(inputs: FeatureInputs) -> None:
    groups = [group_class(f"{name}_snapshot_v1") for name in ("basic_q", "basic_u", "comments")]
    findings = audit_groups(groups, known_at(inputs, CUT), CUT, folds=2)
    changed = {finding.group: set(finding.changed) for finding in findings}
    assert changed["basic_q_snapshot_v1"] == {"views", "active"}
    assert changed["basic_u_snapshot_v1"] == {column.name for column in group_class("basic_u_snapshot_v1").columns}
    assert {"on_question", "on_answer", "answerer_on_answer", "sentiment"} <= changed["comments_snapshot_v1"]


def test_only_examples_that_were_there_are_looked_at(inputs: FeatureInputs) -> None:
    early = replace(inputs, cut=Cut("question"))
    there = known_at(early, at(3, 2, 18)).examples.select("candidate_id").collect()
    assert sorted(row[0] for row in there) == ["11", "12"]
    assert known_at(inputs, at(3, 3, 9)).examples.count() == 0


def test_moments_are_cuts_of_examples(inputs: FeatureInputs) -> None:
    by_answer = replace(inputs, cut=Cut("answer"))
    moments = [moment.astimezone(UTC) for moment in audit_moments(by_answer, 3)]
    assert moments == [at(3, 2, 12), at(3, 2, 18), at(3, 3, 9)]
    assert [moment.astimezone(UTC) for moment in audit_moments(inputs, 3)] == [CUT]


def test_the_other_future_starts_after_the_moment(inputs: FeatureInputs) -> None:
    changed = go_on_otherwise(inputs, CUT)
    assert inputs.posts.where("created_at <= '2020-03-03 10:00:00'").count() == 9
    assert changed.posts.where("created_at <= '2020-03-03 10:00:00'").count() == 9
    assert changed.posts.where("created_at > '2020-03-03 10:00:00'").select("source_file").distinct().collect() == [
        ("later",)
    ]
    assert changed.votes is not None
    assert changed.votes.where("created_at < '2020-03-03'").count() == 11
    assert changed.votes.where("created_at >= '2020-03-03'").select("created_at").distinct().count() == 1


def test_a_change_is_refused_with_group_and_columns() -> None:
    findings = [
        AuditedGroup("good_v1", CUT, 3, {}),
        AuditedGroup("bad_v1", CUT, 3, {f"c{number}": number for number in range(1, 8)}),
    ]
    with pytest.raises(ContractError) as error:
        refuse_changes(findings)
    assert error.value.problem.endswith("after the cut: bad_v1 (c1, c2, c3, c4, c5, 2 more)")
    refuse_changes(findings[:1])
