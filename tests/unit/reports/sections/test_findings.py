"""The section of findings: counts, worth, and both texts."""

import literal_report as literal
from html_checks import rows
from lxml import html

from cqa_spark.findings.late_answers import LateAnswers
from cqa_spark.findings.related_questions import RelatedQuestions
from cqa_spark.reports.kit.blocks import Table
from cqa_spark.reports.queries import PostText
from cqa_spark.reports.sections.findings import ShownFinding, TonightsFindings, blocks, sentence, worth_table

LATE, (RELATED, DUPLICATE) = LateAnswers.kinds[0], RelatedQuestions.kinds


def entry(kind: str, **figures: object) -> dict[str, object]:
    known = {
        "site": "*", "kind": kind, "finding": "f", "measure": "m", "rival": "r", "cases": 40, "clusters": 30,
        "value": 0.6, "low": 0.5, "high": 0.7, "rival_value": 0.45, "difference": 0.15, "low_difference": 0.05,
        "high_difference": 0.25, "p_value": 0.004, "base": None, "published": True, "rows": 3, "reason": "better",
    }  # fmt: skip
    return known | figures


UNKNOWN = dict.fromkeys(
    ("value", "low", "high", "rival_value", "difference", "low_difference", "high_difference", "p_value")
)
TONIGHT = TonightsFindings(
    {kind.name: kind for kind in (DUPLICATE, LATE, RELATED)},
    [
        entry(LATE.name, rows=1),
        entry(DUPLICATE.name, published=False, rows=0),
        entry(RELATED.name, **UNKNOWN, cases=0, clusters=0, rows=2),
        entry(LATE.name, site="beer", rows=1),
    ],
    {
        LATE.name: [
            ShownFinding(
                "beer", "3", "2", 0.4, "votes 1 against 2", "A <title>", PostText(body="late"), PostText(body="first")
            )
        ]
    },
)  # fmt: skip


def test_the_sentence_counts_what_is_found() -> None:
    assert sentence(TONIGHT) == "To look at: late answers worth a look (1), related questions (2)."
    assert sentence(TonightsFindings({}, [], {})) == "Nothing new to look at."


def test_what_is_not_published_or_not_measured_is_said() -> None:
    cells = {row.name: [cell.text for cell in row.cells[:4]] for row in worth_table(TONIGHT).lines}
    assert cells == {
        DUPLICATE.title: ["not published", "60.00", "45.00", "+15.00"],
        LATE.title: ["1", "60.00", "45.00", "+15.00"],
        RELATED.title: ["2", "\N{EN DASH}", "\N{EN DASH}", "\N{EN DASH}"],
    }


def test_the_page_has_both_texts_and_what_speaks_for_a_finding() -> None:
    page = html.document_fromstring(literal.short_report(findings=TONIGHT).page())
    part = page.get_element_by_id("findings")
    text = part.text_content()
    assert all(words in text for words in ("A <title>", "late", "first", "votes 1 against 2", "probability 40 %"))
    assert len(rows(part)) == 3


def test_stated_probabilities_stand_beside_what_was_observed() -> None:
    bins = [
        {"stated": 0.35, "observed": 0.4, "low": 0.2, "high": 0.6, "cases": 10, "clusters": 8},
        {"stated": 0.55, "observed": 1.0, "low": None, "high": None, "cases": 1, "clusters": 1},
    ]
    stating = TonightsFindings({LATE.name: LATE}, [entry(LATE.name, reliability=bins)], {})
    *_, table = blocks(stating)
    assert isinstance(table, Table)
    assert [[(cell.text, cell.small) for cell in row.cells] for row in table.lines] == [
        [("35.00", ""), ("40.00", "[20.00, 60.00]"), ("10", "8 clusters")],
        [("55.00", ""), ("100.00", ""), ("1", "1 cluster")],
    ]
    page = html.document_fromstring(literal.short_report(findings=stating).page())
    assert any("40.00 of 10 at 35.00; 100.00 of 1 at 55.00" in label for label in page.xpath("//@aria-label"))
