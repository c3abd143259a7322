"""A literal report of realistic size, shared by the report's tests."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from cqa_spark.lake.journal import Entry
from cqa_spark.lake.run_log import InputRecord, RunRecord, StepRecord
from cqa_spark.reports.evaluation import Comparison, Evaluation, Measurement
from cqa_spark.reports.kinds import run_report
from cqa_spark.reports.reasons import FeatureContribution
from cqa_spark.reports.reported_run import RankedSystem, ReportedRun
from cqa_spark.reports.section import ReportValues
from cqa_spark.reports.sections.differences import Differences
from cqa_spark.reports.sections.features import Importances, ReportedImportance
from cqa_spark.reports.sections.intake import Intake, QuarantineReason, QuarantineSample
from cqa_spark.reports.sections.queries import Disagreement, Queries, QueryStory, RankedCandidate
from cqa_spark.reports.sections.scores import Confusion, ScoreHistogram, Scores
from cqa_spark.reports.sections.summary import RunSummary

MEASURES = ("MAP@10", "AvgRec@10", "MRR@10", "P@1", "nDCG@10", "Precision", "Recall", "F1", "Accuracy")

VALUES = {
    "best_a": (0.7012, 0.8598, 0.7724, 0.7008, 0.7931, 0.6461, 0.6210, 0.6333, 0.7590),
    "boosted_classifier": (0.6957, 0.8544, 0.7689, 0.6926, 0.7890, 0.6390, 0.6149, 0.6267, 0.7545),
    "logistic": (0.6871, 0.8466, 0.7598, 0.6803, 0.7812, 0.6322, 0.5905, 0.6106, 0.7475),
    "lexicon_alone": (0.6569, 0.8203, 0.7311, 0.6434, 0.7544, 0.5990, 0.5428, 0.5695, 0.7250),
    "tfidf_cosine": (0.5702, 0.7421, 0.6633, 0.5656, 0.6801, 0.4312, 0.6002, 0.5018, 0.6004),
    "length": (0.5611, 0.7390, 0.6540, 0.5492, 0.6733, 0.4101, 0.5880, 0.4832, 0.5783),
    "given_order": (0.5384, 0.7278, 0.6313, 0.5123, 0.6602, 0.3352, 1.0000, 0.5021, 0.3352),
    "random": (0.4556, 0.6555, 0.5411, 0.3975, 0.5921, 0.3389, 0.5012, 0.4044, 0.5053),
}

TESTS = {
    "best_a": (0.0001, 158, 52, 34),
    "boosted_classifier": (0.0001, 155, 55, 34),
    "logistic": (0.0001, 149, 61, 34),
    "lexicon_alone": (0.0001, 141, 68, 35),
    "tfidf_cosine": (0.0712, 109, 98, 37),
    "length": (0.2219, 104, 101, 39),
    "random": (0.0001, 71, 138, 35),
}

FEATURES = {
    "lexicon_v1": ("good_comment", "best_word", "worst_word", "mean_pmi"),
    "dialogue_v1": ("is_asker", "asker_returns", "position", "thanks", "same_author_before", "same_author_after"),
    "comments_v1": ("length", "question_marks", "links", "punctuation_share", "capital_share"),
    "overlap_v1": ("stems", "words", "bigrams", "characters", "tfidf_cosine"),
    "authors_v1": ("comments", "good_share", "threads", "questions_asked", "days_active"),
}

GROUP_WEIGHT = {"lexicon_v1": 1.0, "dialogue_v1": 0.62, "overlap_v1": 0.33, "comments_v1": 0.2, "authors_v1": 0.14}


def record() -> RunRecord:
    """A run of seven steps on two files."""
    return RunRecord(
        run_id="20260509-073022-best-a",
        recorded_at=datetime(2026, 5, 9, 7, 33, 48, tzinfo=UTC),
        status="succeeded",
        job="run",
        code_version="0.1.0+3f2a9c1",
        config_hash="9f1c2b7d44aa0e5b6c8d1f3e2a7b90c4d5e6f708192a3b4c5d6e7f8091a2b3c4",
        config="task: question_comment\nsystems: [best_a, logistic, given_order]\nseed: 42\n",
        inputs=(
            InputRecord("/data/train/SemEval2016-Task3-CQA-QL-train-part2.xml", "train", 7_713_000, "ab" * 32),
            InputRecord("/data/dev/SemEval2016-Task3-CQA-QL-dev-subtaskA.xml", "dev", 2_104_550, "cd" * 32),
        ),
        steps=(
            StepRecord("ingest", 923, 911, 12, 11.4),
            StepRecord("pair", 9_140, 6_230, 0, 6.2),
            StepRecord("text", 9_911, 8_042, 0, 41.7),
            StepRecord("featurize", 6_230, 6_230, 0, 52.3),
            StepRecord("train", 3_790, 3_790, 0, 38.9),
            StepRecord("score", 19_520, 19_520, 0, 14.8),
            StepRecord("evaluate", 19_520, 17_568, 0, 9.6),
        ),
    )


def evaluation() -> Evaluation:
    """Eight systems, nine measures, 244 queries."""
    measurements = tuple(
        Measurement(system, measure, value, max(0.0, value - 0.026), min(1.0, value + 0.025), 0.95)
        for system, values in VALUES.items()
        for measure, value in zip(MEASURES, values, strict=True)
    )
    baseline = VALUES["given_order"]
    comparisons = tuple(
        Comparison(system, measure, VALUES[system][number] - baseline[number], *test)
        for system, test in TESTS.items()
        for number, measure in enumerate(MEASURES)
    )
    return Evaluation(
        task="question_comment",
        split="dev",
        main_measure="MAP@10",
        baseline="given_order",
        best_system="best_a",
        systems=tuple(VALUES),
        measures=MEASURES,
        queries=244,
        candidates=2440,
        measurements=measurements,
        comparisons=comparisons,
        resamples=10_000,
        seed=42,
        runner_up=Comparison("best_a", "MAP@10", 0.0055, 0.41, 92, 80, 72, "boosted_classifier", -0.0071, 0.0182),
        margins=(Comparison("length", "MAP@10", -0.0124, 0.02, 60, 90, 94, "random", -0.0205, -0.0031),),
        descriptions=(("best_a", "Boosted trees and logistic regression, averaged."), ("random", "A random order.")),
    )


def reported_run(journal: Mapping[str, Sequence[Entry]], *systems: str, **settings: Any) -> ReportedRun:
    """A run with journal tables alone; its systems rank ten queries, the first of them best."""
    ranked = [RankedSystem("question_comment", "dev", system, 10, 100, 0.0, 1.0) for system in systems]
    described = {"task": "question_comment", "split": "dev", "best_system": systems[0], "ranked": ranked}
    return ReportedRun(record(), {}, journal, **(described | settings))


def differences() -> Differences:
    """158 queries better, 34 equal, 52 worse."""
    gains = [(round(0.86 * (1 - number / 158) ** 1.6 + 0.002, 3), 1) for number in range(158)]
    losses = [(-round(0.55 * ((number + 1) / 52) ** 2.2 + 0.002, 3), 1) for number in range(52)]
    return Differences("best_a", "given_order", "MAP@10", (*gains, (0.0, 34), *losses))


def histogram(system: str, number: int) -> ScoreHistogram:
    """Two bells that lie further apart the better the system is."""
    apart = 4.5 - number * 0.7

    def bell(centre: float, total: int) -> tuple[int, ...]:
        weights = [math.exp(-(((place - centre) / 4.2) ** 2)) for place in range(24)]
        return tuple(round(total * weight / sum(weights)) for weight in weights)

    return ScoreHistogram(system, -3.2, 3.4, bell(11.5 + apart, 818), bell(11.5 - apart, 1622), (0,) * 24)


def scores() -> Scores:
    """All systems; of the best one its calibration and confusion."""
    histograms = tuple(histogram(system, number) for number, system in enumerate(VALUES))
    return Scores(histograms, histograms[0], Confusion("best_a", 508, 278, 310, 1344))


def importances() -> Importances:
    """25 features of two learned systems."""
    weights = {
        (group, feature): GROUP_WEIGHT[group] / (place + 1) ** 1.1
        for group, features in FEATURES.items()
        for place, feature in enumerate(features)
    }
    total = sum(weights.values())
    ordered = sorted(weights, key=lambda key: (-weights[key], key))
    features = (
        *(
            ReportedImportance("best_a", group, feature, weights[group, feature] / total, 0)
            for group, feature in ordered
        ),
        *(
            ReportedImportance("logistic", group, feature, weights[group, feature] / total, -1 if place % 3 == 1 else 1)
            for place, (group, feature) in enumerate(ordered)
        ),
    )
    return Importances(features, tuple(VALUES))


BANK_COMMENTS = (
    ("With QNB for last 4 years plus...no issues...great service with a smile (mostly)...:)", True, 5),
    (
        "Well Arman, nothing is wrong here with banks, I feel they are not up to par with UAE bank.\n\n"
        "I found out that QNB and CBQ are very dynamic, gives you a lot for cheap. My needs are:\n"
        "-Free current account with no minimum balance with 2 debit cards\n-Good credit card",
        True,
        4,
    ),
    ("Don't forget HSBC, its HQ in London. May be u can open an account even in UK and operate locally.", True, 9),
    ("I'm surprised to see such feedbacks on Qatar banks... Is there any serious problem with banks here?", False, 3),
    ("MoltenMetal, it depend how you are looking on the subject matter and the point of view.", False, 7),
    ("WesternInDoha, that's the information that I am looking for and it answer my question. Cheers...", False, 6),
    ("banks are using us ...\n\nTalk to those who had taken a credit card or loan to know more ...", False, 1),
    ("No comments", False, 8),
    ("In Qatar that is like saying which is the best STD.", False, 2),
    ("ليس هناك بنك أفضل من غيره", False, 10),
)


CONTRIBUTIONS = (
    FeatureContribution("lexicon_v2__log_odds", 2.25, 0.75, about="log-odds of being relevant"),
    FeatureContribution("lexicon_v2__probability", 0.905, 0.5, about="probability of being relevant"),
    FeatureContribution("dialogue_v1__hours", 3.5, -0.25, about="ln(1 + hours since the question)"),
    FeatureContribution("words_v1__length", 12.0, 0.125),
    FeatureContribution("overlap_v1__stems", 0.5, 0.0625, about="share of the query's stems"),
)


def story(kind: str, query_id: str, subject: str, value: float | None, baseline: float | None) -> QueryStory:
    """A query with ten comments; in a worst one the relevant comments stand last."""
    comments = BANK_COMMENTS if kind == "best" else BANK_COMMENTS[::-1]
    candidates = tuple(
        RankedCandidate(
            f"{query_id}_C{given}",
            rank,
            given,
            1.9 - 0.31 * rank,
            rank < 4,
            relevant if value is not None else None,
            text,
            CONTRIBUTIONS if rank == 1 else (),
        )
        for rank, (text, relevant, given) in enumerate(comments, start=1)
    )
    text = (
        "Hi to all QL's,\n\nWhat bank you are using? and why?\n\nAre you using this bank just because it has an "
        "affiliate at home?\n\nRegards,"
    )
    return QueryStory(kind, "qatarliving.com", query_id, subject, text, value, baseline, candidates)


def queries() -> Queries:
    """Three best and three worst queries."""
    stories = (
        story("best", "Q268_R16", "Best Bank.", 1.0, 0.3148),
        story("best", "Q275_R44", "Where can I buy a good second-hand bicycle in Doha?", 1.0, 0.3321),
        story("best", "Q301_R9", "Driving licence for visitors", 1.0, 0.3704),
        story("worst", "Q290_R2", "any idea about working hours in Ramadan for the private sector", 0.1, 1.0),
        story("worst", "Q311_R71", "HELP!!!!", 0.125, 0.5),
        story("worst", "Q284_R15", "Cats", 0.1429, 0.3333),
    )
    disagreement = Disagreement(
        "given_order", "Cats", "Where can I leave my cats?", "There is a kennel in Al Wakra.", "I like cats."
    )
    return Queries("best_a", stories, (disagreement,), is_baseline_given_order=True)


def file(path: str, split: str, read: int, ingested: int, quarantined: int) -> Entry:
    """An entry of ``INGESTED_FILES``."""
    numbers = {"rows_in": read, "rows_out": ingested, "rows_quarantined": quarantined}
    return {"site": "qatarliving.com", "source_file": path, "split": split} | numbers


def intake() -> Intake:
    """Two files, twelve refused records."""
    return Intake(
        rows_in=923,
        rows_out=911,
        rows_quarantined=12,
        file_count=2,
        files=(
            file("/data/train/SemEval2016-Task3-CQA-QL-train-part2.xml", "train", 679, 667, 12),
            file("/data/dev/SemEval2016-Task3-CQA-QL-dev-subtaskA.xml", "dev", 244, 244, 0),
        ),
        reasons=(
            QuarantineReason("the thread ends before its closing tag", 9),
            QuarantineReason("a document type definition is refused", 3),
        ),
        samples=(
            QuarantineSample(
                "/data/train/SemEval2016-Task3-CQA-QL-train-part2.xml",
                1_204_112,
                "the thread ends before its closing tag",
                '<Thread THREAD_SEQUENCE="Q1_R1">\n\t<RelQuestion RELQ_ID="Q1_R1" RELQ_CATE',
            ),
        ),
    )


def summary() -> RunSummary:
    """The head of the page."""
    return RunSummary(evaluation(), record(), is_judged=True, rows_in=923, rows_quarantined=12)


def full_parts() -> dict[str, Any]:
    """What most runs show, by the names of sections."""
    return {
        "systems": evaluation(),
        "differences": differences(),
        "scores": scores(),
        "features": importances(),
        "queries": queries(),
        "intake": intake(),
        "run": record(),
    }


def report(head: RunSummary, parts: dict[str, Any]) -> ReportValues:
    """The page with some sections."""
    kind = run_report()
    sections = (section for section in kind.sections if section.name in parts)
    return ReportValues(kind, head, tuple((section, parts[section.name]) for section in sections))


def full_report(head: RunSummary | None = None, **parts: Any) -> ReportValues:
    """The whole page, and more or other sections."""
    return report(head or summary(), {**full_parts(), **parts})


def short_report(head: RunSummary | None = None, **parts: Any) -> ReportValues:
    """What the page of every run has: the systems by their main measure, and the record; it draws few figures."""
    full = evaluation()
    measurements = tuple(each for each in full.measurements if each.measure == full.main_measure)
    head = head or RunSummary(replace(full, measurements=measurements), record(), is_judged=False)
    return report(head, {"systems": head.evaluation, "run": record(), **parts})


def unlabelled_report() -> ReportValues:
    """Rankings alone: no label, no learned system, nothing read that was counted."""
    empty = (0,) * 24
    histogram = ScoreHistogram("best_a", 0.0, 1.0, empty, empty, (3,) * 24)
    unmeasured = Evaluation(
        task="question_comment",
        split="test",
        main_measure="MAP@10",
        baseline=None,
        best_system="best_a",
        systems=("best_a",),
        measures=(),
        queries=1,
        candidates=10,
    )
    return report(
        RunSummary(unmeasured, record(), is_judged=False),
        {
            "scores": Scores((histogram,), histogram),
            "queries": Queries("best_a", (story("sample", "Q318_R1", "", None, None),)),
            "run": record(),
        },
    )
