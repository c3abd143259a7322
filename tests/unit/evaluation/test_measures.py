"""Measures of small queries, worked out by hand."""

import math

import pytest

from cqa_spark.errors import ConfigError, InputError
from cqa_spark.evaluation.measure import Candidate, RankedQuery
from cqa_spark.evaluation.measures import MEASURES, parse_measure
from cqa_spark.tasks.semeval import QuestionComment

DEFAULT_MEASURES = QuestionComment.measures

MISS = Candidate(relevant=False, gain=0)
HIT = Candidate(relevant=True, gain=1, predicted=True)
CALLED_MISS = Candidate(relevant=False, gain=0, predicted=True)
BEST_NOT_CALLED = Candidate(relevant=True, gain=2)

QUERY = RankedQuery([CALLED_MISS, HIT, BEST_NOT_CALLED, MISS], unranked=[BEST_NOT_CALLED])
ONE_HIT = RankedQuery([HIT])
NOT_RANKED = RankedQuery([], unranked=[HIT, MISS])
NO_HITS = RankedQuery([MISS, CALLED_MISS])


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("MAP@10", (1 / 2 + 2 / 3) / 2),
        ("MAP@2", 1 / 2),
        ("MAP@1", 0.0),
        ("AP@1000", (1 / 2 + 2 / 3) / 3),
        ("AP@2", 1 / 2 / 3),
        ("MRR@10", 1 / 2),
        ("MRR@1", 0.0),
        ("P@1", 0.0),
        ("P@3", 2 / 3),
        ("P@10", 0.2),
        ("AvgRec@2", (0 / 1 + 1 / 2) / 2),
        ("AvgRec@3", (0 / 1 + 1 / 2 + 2 / 3) / 3),
        ("nDCG@2", (1 / math.log2(3)) / (2 + 2 / math.log2(3))),
        ("nDCG@10", (1 / math.log2(3) + 2 / 2) / (2 + 2 / math.log2(3) + 1 / 2)),
        ("Precision", 1 / 2),
        ("Recall", 1 / 3),
        ("F1", 2 * (1 / 2 * 1 / 3) / (1 / 2 + 1 / 3)),
        ("Accuracy", 2 / 5),
        ("RR@50", 1 / 2),
        ("RR@1", 0.0),
        ("R@50", 2 / 3),
        ("R@2", 1 / 3),
        ("AnsRR@50", 1 / 2),
        ("AnsRR@1", 0.0),
        ("AnsR@50", 2 / 3),
        ("AnsR@2", 1 / 3),
        ("RBP(p=0)", 0.0),
        ("RBP(p=0.5)@2", 1 / 4),
        ("RBP(p=0.5)", 1 / 4 + 1 / 8),
        ("OracleTMAP", (1 / 2 + 2 / 3 + 2 / 3 * (2 + 2 / 3) / 4) / (3 + 1)),
        ("UncutTMAP", (1 / 2 + 2 / 3 + 2 / 3 * (2 + 2 / 3) / 5) / (3 + 1)),
        ("TMAP", (1 * 1 / 2 + 1 / 3 * (1 + 1 / 3) / 3) / (3 + 1)),
    ],
)
def test_value_of_one_query(written: str, expected: float) -> None:
    assert parse_measure(written).value(QUERY) == pytest.approx(expected, abs=1e-15)


def test_linear_gain_in_digits() -> None:
    assert parse_measure("nDCG@10").value(QUERY) == pytest.approx(1.6309297535714573 / 3.7618595071429146)


@pytest.mark.parametrize("written", DEFAULT_MEASURES)
def test_query_that_is_not_ranked_scores_nothing(written: str) -> None:
    assert parse_measure(written).value(NOT_RANKED) == 0.0


@pytest.mark.parametrize("written", [name for name in DEFAULT_MEASURES if name != "Accuracy"])
def test_query_without_hits_scores_nothing(written: str) -> None:
    assert parse_measure(written).value(NO_HITS) == 0.0


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("MAP@10", (7 / 12 + 1 + 0 + 0) / 4),
        ("MRR@10", (1 / 2 + 1 + 0 + 0) / 4),
        ("AvgRec@1", (0 + 1 + 0 + 0) / (1 + 1 + 1 + 0)),
        ("AvgRec@2", (1 / 3 + 2 / 4) / 2),
        ("Precision", (1 + 1 + 0 + 0) / (2 + 1 + 0 + 1)),
        ("Recall", (1 + 1 + 0 + 0) / (3 + 1 + 1 + 0)),
        ("F1", 2 * 2 / (4 + 5)),
        ("Accuracy", (2 + 1 + 0 + 1) / (5 + 1 + 2 + 2)),
        ("RR@50", (1 / 2 + 1 + 0 + 0) / 4),
        ("R@50", (2 / 3 + 1 + 0 + 0) / 4),
        ("AnsRR@50", (1 / 2 + 1 + 0) / 3),
        ("AnsR@50", (2 / 3 + 1 + 0) / 3),
    ],
)
def test_total_over_queries(written: str, expected: float) -> None:
    measure = parse_measure(written)
    components = [measure.components(query) for query in (QUERY, ONE_HIT, NOT_RANKED, NO_HITS)]
    assert measure.total(components) == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("written", [*DEFAULT_MEASURES, "nDCG@3", "P@10"])
def test_measure_prints_as_it_is_written(written: str) -> None:
    assert str(parse_measure(written)) == written


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        pytest.param(RankedQuery([MISS, MISS]), 1.0, id="nothing to find, nothing kept"),
        pytest.param(RankedQuery([CALLED_MISS, MISS]), 1 / 2, id="nothing to find, one kept"),
        pytest.param(RankedQuery([HIT, MISS]), 1.0, id="perfectly truncated"),
        pytest.param(RankedQuery([HIT, CALLED_MISS]), (1 + 2 / 3) / 2, id="one too many"),
        pytest.param(RankedQuery([BEST_NOT_CALLED, MISS]), 0.0, id="something to find, nothing kept"),
        pytest.param(RankedQuery([MISS, HIT]), 0.0, id="cut before the hit"),
        pytest.param(NOT_RANKED, 0.0, id="missed by retrieval"),
    ],
)
def test_truncated_rankings_end_in_a_terminal_document(query: RankedQuery, expected: float) -> None:
    assert parse_measure("TMAP").value(query) == pytest.approx(expected, abs=1e-15)


LAST_OF_2000 = RankedQuery([MISS] * 1999 + [HIT])


@pytest.mark.parametrize(
    ("written", "value", "cut"),
    [
        ("AP", 1 / 2000, "AP@1000"),
        ("RR", 1 / 2000, "RR@1000"),
        ("MRR", 1 / 2000, "MRR@1000"),
        ("AnsRR", 1 / 2000, "AnsRR@1000"),
        ("nDCG", 1 / math.log2(2001), "nDCG@1000"),
        ("RBP(p=0.999)", 0.001 * 0.999**1999, "RBP(p=0.999)@1000"),
    ],
)
def test_names_without_a_cutoff_consider_all_ranks(written: str, value: float, cut: str) -> None:
    assert str(parse_measure(written)) == written
    assert parse_measure(written).value(LAST_OF_2000) == pytest.approx(value, rel=1e-12)
    assert parse_measure(cut).value(LAST_OF_2000) == 0


@pytest.mark.parametrize(
    ("written", "advice"),
    [("P", "P@1"), ("R", "R@50"), ("AvgRec", "AvgRec@10"), ("AnsR", "AnsR@50"), ("MAP", "MAP@10, or AP")],
)
def test_measures_that_need_a_cutoff_say_which(written: str, advice: str) -> None:
    with pytest.raises(ConfigError) as refused:
        parse_measure(written)
    assert str(refused.value) == f"measure '{written}' has no cutoff\n  → write, for instance, {advice}"


@pytest.mark.parametrize(
    ("written", "displayed"),
    [
        ("map", "AP"),
        ("map_cut_5", "AP@5"),
        ("ndcg", "nDCG"),
        ("ndcg_cut_10", "nDCG@10"),
        ("ndcg_cut.10", "nDCG@10"),
        ("P_10", "P@10"),
        ("P.5", "P@5"),
        ("recall_100", "R@100"),
        ("recip_rank", "RR"),
        ("success_5", "Success@5"),
        ("iprec_at_recall_0.10", "IPrec(recall=0.1)"),
        ("set_recall", "SetR"),
        ("set_P", "SetP"),
        ("set_relative_P", "SetP(relative=True)"),
        ("set_map", "SetAP"),
        ("set_F", "SetF"),
        ("Rprec", "Rprec"),
        ("bpref", "Bpref"),
        ("infAP", "infAP"),
        ("ndcg@10", "nDCG@10"),
        ("rr@10", "RR@10"),
        ("Recall@10", "R@10"),
    ],
)
def test_names_of_trec_eval_and_spellings_are_understood(written: str, displayed: str) -> None:
    assert str(parse_measure(written)) == displayed
    assert parse_measure(written) == parse_measure(displayed)


@pytest.mark.parametrize(
    ("written", "advice"),
    [
        ("RBP(p=2)", "p is not a probability below 1"),
        ("RBP(p=1)", "p is not a probability below 1"),
        ("P(rel=0)@5", "rel must be 1 or more"),
        ("P(rel=2)@1000000", "cutoff must be 1 to 999999"),
        ("AvgRec@1000000", "not known"),
        ("P@0", "cutoff must be 1 to 999999"),
        ("IPrec@1.5", "recall must be 0 to 1"),
        ("SetF(beta=0.0)", "beta must be above 0"),
        ("nDCG(gains={1:'x'})", "gains must be a number"),
        ("nDCG(gains={1:0.0000001})", "gains must be a number"),
        ("nDCG(gains={1:True})", "gains must be a number"),
        ("nDCG@10,P@1", "separate measures by blanks"),
        ("ndgc@10", r"did you mean nDCG@10\?"),
    ],
)
def test_parameters_are_checked_where_they_are_accepted(written: str, advice: str) -> None:
    with pytest.raises(ConfigError, match=advice):
        parse_measure(written)


def test_gains_may_be_fractions() -> None:
    graded = [Candidate(relevant=True, gain=grade) for grade in (1, 2, 3, 4, 7)]
    query = RankedQuery(graded[:4], unranked=graded[4:])
    fractions, whole = (
        parse_measure(f"nDCG(gains={gains})@10") for gains in ("{1:0,2:0.01,3:0.1,4:1,7:0.07}", "{1:0,2:1,3:10,4:100}")
    )
    discounts = [1 / math.log2(rank + 1) for rank in range(1, 6)]
    found = 1 * discounts[1] + 10 * discounts[2] + 100 * discounts[3]
    ideal = 100 * discounts[0] + 10 * discounts[1] + 7 * discounts[2] + 1 * discounts[3]
    assert [fractions.value(query), whole.value(query)] == pytest.approx([found / ideal] * 2, rel=1e-12)
    assert parse_measure("nDCG(gains={1:0.5})").value(query) == pytest.approx(
        sum(gain * discount for gain, discount in zip((0.5, 2, 3, 4), discounts, strict=False))
        / sum(gain * discount for gain, discount in zip((7, 4, 3, 2, 0.5), discounts, strict=True)),
        rel=1e-12,
    )


def test_every_module_declares_a_documented_measure() -> None:
    names = (
        "AP Accuracy AnsR AnsRR AvgRec F1 MAP MRR OracleTMAP P Pearson Precision R RBP RR Recall TMAP UncutTMAP nDCG"
    )
    assert sorted(MEASURES.names()) == names.split()
    for measure in MEASURES.load_all().values():
        assert measure.about
        assert measure.source
        assert all(field.metadata["about"] for field in measure.parameters())


def test_unknown_measure_is_answered_with_the_known_ones() -> None:
    with pytest.raises(
        ConfigError, match=r"measure 'nGCD@10' is not known\n.*MAP@10, MRR@10, nDCG@10, OracleTMAP, P@1.* Bpref"
    ):
        parse_measure("nGCD@10")


@pytest.mark.parametrize(
    ("written", "level", "displayed"),
    [
        ("nDCG@10", 2, "nDCG@10"),
        ("RBP(p=.5)", 1, "RBP(p=0.5)"),
        ("RBP(p=0.95)@10", 1, "RBP(p=0.95)@10"),
        ("P(rel=2)@5", 1, "P(rel=2)@5"),
        ("P(rel=2)@5", 3, "P(rel=2)@5"),
        ("bpref", 1, "Bpref"),
        ("bpref", 2, "Bpref(rel=2)"),
        ("Judged@10", 2, "Judged@10"),
        ("infap", 1, "infAP"),
        ("map", 1, "AP"),
    ],
)
def test_names_of_ir_measures_are_those_of_its_measures_unless_they_are_ours(
    written: str, level: float, displayed: str
) -> None:
    assert str(parse_measure(written, level)) == displayed


@pytest.mark.parametrize(
    "written", ["NumRel", "NRBP", "P(rel=two)@5", "P(grade=2)@5", "RBP(q=.5)", "P(rel=2)@0", "P(rel=2"]
)
def test_measures_that_no_program_computes_are_refused(written: str) -> None:
    with pytest.raises(ConfigError, match="measure"):
        parse_measure(written)


def test_provided_measures_tell_candidates_without_judgment() -> None:
    unjudged = Candidate(relevant=False, gain=0.0, judged=False)
    query = RankedQuery([unjudged, Candidate(relevant=True, gain=2.0), MISS], [Candidate(relevant=True, gain=1.0)])
    assert parse_measure("Judged@2").value(query) == 0.5
    assert parse_measure("P(rel=2)@2").value(query) == 0.5
    assert parse_measure("Bpref").value(query) == 0.5
    assert parse_measure("Judged@2").components_of([RankedQuery([unjudged]), query]) == [(0.0,), (0.5,)]
    assert parse_measure("RBP(p=.5)").value(query) == 0.25
    with pytest.raises(InputError, match=r"Bpref: grade 0\.5 is a fraction"):
        parse_measure("Bpref").value(RankedQuery([Candidate(relevant=True, gain=0.5)]))
    with pytest.raises(ConfigError, match=r"Bpref: relevance level 0\.5 is a fraction"):
        parse_measure("Bpref", 0.5)


@pytest.mark.parametrize("written", ["MAP@0", "MAP@", "MAP@-1", "MAP@ten", "", "F1@10"])
def test_cutoff_that_is_none_is_refused(written: str) -> None:
    with pytest.raises(ConfigError, match="measure"):
        parse_measure(written)
