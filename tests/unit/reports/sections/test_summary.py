"""The sentences that summarise a run."""

from dataclasses import replace

import literal_report as literal

from cqa_spark.reports.sections.summary import sentences


def test_a_significant_gain() -> None:
    assert [sentence.replace("\xa0", " ") for sentence in sentences(literal.summary())] == [
        "244 queries of the dev split, 2,440 candidates, 8 systems.",
        "best_a has a MAP@10 of 70.12; 95 % bootstrap interval of the mean: [67.52, 72.62].",
        "The difference from given_order is +16.28 points, a statistically significant gain (p < 0.001): better on "
        "158 queries, equal on 34, worse on 52.",
        "The difference from the second best system, boosted_classifier, is +0.55 points, not statistically "
        "significant ([\N{MINUS SIGN}0.71, +1.82], p = 0.410).",
        "12 of 923 input records were quarantined. The steps took 2 min 55 s in all.",
    ]


def test_a_night_ranks_queries_without_labels() -> None:
    night = replace(literal.summary(), evaluation=replace(literal.evaluation(), split="unannotated"))
    assert sentences(night)[0] == "244 queries to rank, 2,440 candidates, 8 systems."


def test_an_insignificant_difference() -> None:
    length = replace(literal.summary(), evaluation=replace(literal.evaluation(), best_system="length"))
    assert "+2.27 points, not statistically significant (p\xa0=\xa00.222)" in sentences(length)[2]


def test_a_split_without_labels_and_one_without_relevant_candidates() -> None:
    unlabelled = literal.unlabelled_report().head
    assert "The split has no labels, so its rankings have no measures." in sentences(unlabelled)[0]
    sentence = "No query of the split has a relevant candidate, so the measures of its rankings are undefined."
    assert sentences(replace(unlabelled, is_judged=True))[0].endswith(sentence)
