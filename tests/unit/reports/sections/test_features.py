"""The page: its content, no network requests, and escaped text."""

import re
from dataclasses import replace

import literal_report as literal
import pytest
from html_checks import assert_inert, assert_no_requests, assert_references_resolve, words
from lxml import html

from cqa_spark.reports.kit.svg import short
from cqa_spark.reports.reported_run import QueryLinks
from cqa_spark.reports.section import ReportValues
from cqa_spark.reports.sections.features import LETTERS_ABOVE, Importances
from cqa_spark.reports.sections.queries import RankedCandidate
from cqa_spark.reports.sections.scores import Scores
from cqa_spark.reports.sections.summary import RunSummary

HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</style><svg onload=alert(1)>",
    "{{ 7 * 7 }}{% include 'kit/style.css' %}",
    "\u202etxet desrever\u202c and \x00\x1b[31m\uffff $x$",
)


@pytest.fixture(scope="module")
def page() -> str:
    return literal.full_report().page()


@pytest.fixture(scope="module")
def document(page: str) -> html.HtmlElement:
    return html.document_fromstring(page)


def test_the_header_shows_the_main_measure(document: html.HtmlElement) -> None:
    assert words(document.find(".//h1")) == "best_a"
    assert words(document.find_class("main-number")[0]) == "MAP@10 70.12 [67.52, 72.62]"
    assert words(document.find_class("delta")[0]) == "+16.28 over given order, p < 0.001"


def test_the_best_system_is_compared_with_the_second_best(document: html.HtmlElement) -> None:
    section = words(document.get_element_by_id("systems"))
    assert (
        "best_a differs from boosted_classifier by +0.55 points ([\N{MINUS SIGN}0.71, +1.82], p = 0.410): better on 92 "
        "queries"
    ) in section
    assert (
        "length differs from random by \N{MINUS SIGN}1.24 points ([\N{MINUS SIGN}2.05, \N{MINUS SIGN}0.31], p = 0.020)"
        ": better on 60 queries, equal on 94, worse on 90."
    ) in section
    assert "The difference from the second best system, boosted_classifier, is +0.55 points" in words(
        document.find_class("summary")[0]
    )


def test_systems_are_described(document: html.HtmlElement) -> None:
    described = [words(each) for each in document.find_class("descriptions")[0]]
    assert described == ["best_a Boosted trees and logistic regression, averaged.", "random A random order."]


def test_predictions_are_counted_by_judgment(document: html.HtmlElement) -> None:
    rows = [[words(cell) for cell in row] for row in document.find_class("confusion")[0].iterfind(".//tbody/tr")]
    assert rows == [["predicted relevant", "508", "278"], ["predicted not relevant", "310", "1,344"]]


def test_a_candidate_has_three_reasons_of_different_groups_and_its_values_folded(document: html.HtmlElement) -> None:
    reasons = [words(each) for each in document.find_class("reasons")[0]]
    assert reasons == ["▲ log-odds of being relevant", "▼ hours since the question", "▲ words_v1__length"]
    values = document.find_class("values")[0]
    assert values.tag == "details"
    assert values.get("open") is None
    assert words(values).startswith("values +0.750 lexicon_v2 · log-odds of being relevant = 2.25+0.500 lexicon_v2")


def test_every_section_is_there_in_order(document: html.HtmlElement) -> None:
    sections = ["systems", "differences", "scores", "features", "queries", "intake", "run"]
    assert [section.get("id") for section in document.iter("section")] == sections
    links = [link.get("href") for link in document.find(".//nav").iter("a")]
    assert links == [f"#{section}" for section in sections]


def test_the_table_of_systems_marks_significant_differences(document: html.HtmlElement) -> None:
    rows = {
        words(row[0]): [words(cell).replace("\N{EN DASH}", " to ") for cell in row[1:]]
        for row in document.find_class("measures")[0].iterfind(".//tbody/tr")
    }
    assert list(rows) == list(literal.VALUES)
    assert rows["best_a"][:2] == ["▲70.12[67.52, 72.62]", "▲85.98[83.38, 88.48]"]
    assert rows["tfidf_cosine"][0] == "57.02[54.42, 59.52]"
    assert rows["given_order"][0] == "53.84[51.24, 56.34]"
    assert rows["random"][0] == "▼45.56[42.96, 48.06]"


def test_wins_and_losses_add_up_to_the_bar(document: html.HtmlElement) -> None:
    row = document.find_class("comparisons")[0].find(".//tbody/tr")
    assert [words(cell) for cell in row][:6] == ["best_a", "+16.28", "p < 0.001", "158", "34", "52"]
    widths = [float(re.findall(r"[\d.]+", part.get("style"))[0]) for part in row.find_class("stack")[0]]
    assert widths == [64.75, 13.93, 21.31]


def test_a_measure_without_values_of_single_queries_has_no_wins_and_losses() -> None:
    evaluation = replace(literal.evaluation(), by_query=False)
    head = replace(literal.summary(), evaluation=evaluation)
    page = html.document_fromstring(literal.short_report(head).page())
    table = page.find_class("comparisons")[0]
    assert [words(cell) for cell in table.find(".//thead/tr")] == ["System", "Difference", "p-value"]
    assert [words(cell) for cell in table.find(".//tbody/tr")] == ["best_a", "+16.28", "p < 0.001"]
    assert "better on" not in words(page.find_class("summary")[0]) + words(page.get_element_by_id("systems"))


def test_every_figure_has_a_caption_and_every_drawing_a_description(document: html.HtmlElement) -> None:
    figures = list(document.iter("figure"))
    assert len(figures) == 1 + 8 + 1 + 8 + 1 + 2 + 1
    for figure in figures:
        assert words(figure.find("figcaption"))
        for drawing in figure.iter("svg"):
            assert drawing.get("role") == "img"
            assert len(drawing.get("aria-label")) > 20


def test_queries_on_which_systems_disagree_show_the_first_candidates_of_both(document: html.HtmlElement) -> None:
    table = document.get_element_by_id("queries").xpath(".//h3[text()='Where systems disagree']/following::table")[0]
    assert [[words(cell) for cell in row] for row in table.find("tbody")] == [
        ["Cats Where can I leave my cats?", "given_order", "There is a kennel in Al Wakra.", "I like cats."]
    ]


def test_every_table_has_a_caption_and_heads(document: html.HtmlElement) -> None:
    tables = list(document.iter("table"))
    assert len(tables) > 5
    for table in tables:
        assert words(table.find("caption"))
        assert all(head.get("scope") in ("col", "row") for head in table.iter("th"))


def test_every_table_scrolls_by_itself(document: html.HtmlElement) -> None:
    assert document.xpath("//table[not(ancestor::div[@class='scroll'])]") == []


def test_ids_are_unique_and_every_reference_has_its_target(page: str) -> None:
    assert_references_resolve(page)


def test_the_page_makes_no_requests(page: str) -> None:
    assert_no_requests(page)


def test_dark_mode_reaches_the_drawings(page: str) -> None:
    assert "prefers-color-scheme: dark" in page
    for drawing in re.findall(r"<svg.*?</svg>", page, flags=re.S):
        assert not re.search(r"#[0-9a-f]{6}", drawing), "a colour that does not follow the page"


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_stays_text(text: str) -> None:
    document = html.document_fromstring(hostile_report(text).page())
    assert_inert(document)
    shown = text.translate({0: "␀", 27: "␛", 0x202E: "\\u202e", 0x202C: "\\u202c", 0xFFFF: "\\uffff"})
    assert sum(bdi.text_content() == shown for bdi in document.iter("bdi")) == 1 + 1 + 1 + 1
    assert sum(post.text_content().strip() == shown.strip() for post in document.find_class("post")) == 1 + 10
    assert all(bdi.get("dir") == "auto" for bdi in document.iter("bdi"))
    assert words(document.find(".//h1")) == " ".join(shown.split())
    (plot,) = document.get_element_by_id("features").find_class("drawing narrow")
    assert short(text, LETTERS_ABOVE) in [words(label) for label in plot.iter("text")]


def hostile_report(text: str) -> ReportValues:
    """The same text wherever the forum, a file or a name can bring it."""
    full = literal.full_parts()
    story = literal.story("best", "Q1", "", 1.0, 0.5)
    candidates = tuple(replace(candidate, text=text) for candidate in story.candidates)
    record = replace(
        full["run"],
        run_id=text,
        config=text,
        inputs=(replace(full["run"].inputs[0], path=text),),
        steps=(replace(full["run"].steps[0], step=text),),
    )
    evaluation = replace(
        full["systems"],
        best_system=text,
        systems=(text,),
        measurements=(replace(full["systems"].measurements[0], system=text),),
        comparisons=(),
        runner_up=None,
        descriptions=((text, text),),
    )
    scores = full["scores"]
    feature = replace(full["features"].features[0], system=text, feature=text, group=text)
    intake = full["intake"]
    return literal.report(
        RunSummary(evaluation, record, True, intake.rows_in, intake.rows_quarantined),
        {
            **full,
            "run": record,
            "systems": evaluation,
            "scores": Scores((replace(scores.histograms[0], system=text),), scores.best, scores.confusion),
            "features": Importances((feature,), (text,)),
            "queries": replace(
                full["queries"],
                best_system=text,
                stories=(replace(story, subject=text, text=text, candidates=candidates),),
            ),
            "intake": replace(
                intake,
                samples=(replace(intake.samples[0], raw=text, reason=text),),
                reasons=(replace(intake.reasons[0], reason=text),),
            ),
        },
    )


def test_a_run_without_labels_shows_its_rankings() -> None:
    document = html.document_fromstring(literal.unlabelled_report().page())
    assert [section.get("id") for section in document.iter("section")] == ["scores", "queries", "run"]
    assert words(document.find_class("summary")[0]) == (
        "1 query of the test split, 10 candidates, 1 system. The split has no labels, so its rankings have no "
        "measures. The steps took 2 min 55 s in all."
    )
    assert not document.find_class("main-number")
    assert "not relevant" not in words(document.find_class("legend")[1])


def test_a_record_without_steps_and_inputs_has_no_tables_of_them() -> None:
    bare = replace(literal.record(), steps=(), inputs=())
    section = html.document_fromstring(literal.short_report(run=bare).page()).get_element_by_id("run")
    assert not list(section.iter("table"))


def test_a_run_without_quarantine_parsed_all_records() -> None:
    intake = literal.intake()
    files = tuple(file | {"rows_in": file["rows_out"], "rows_quarantined": 0} for file in intake.files)
    clean = replace(intake, rows_in=911, rows_quarantined=0, files=files, reasons=(), samples=())
    head = replace(literal.summary(), rows_in=911, rows_quarantined=0)
    document = html.document_fromstring(literal.short_report(head, intake=clean).page())
    assert "All 911 input records were parsed." in words(document.find_class("summary")[0])
    assert "Quarantine" not in [words(heading) for heading in document.iter("h3")]


def test_the_same_report_gives_the_same_bytes(page: str) -> None:
    assert literal.full_report().page() == page


def test_the_squares_show_relevance_by_rank(document: html.HtmlElement) -> None:
    best = document.find_class("story")[0]
    ranked, given = [
        "".join("#" if square.get("class") == "yes" else "." for square in strip) for strip in best.find_class("strip")
    ]
    assert ranked == "###......."
    assert given == "...##...#."


def test_the_given_order_is_shown_only_where_all_of_it_is_known() -> None:
    story = literal.queries().stories[0]
    assert [candidate.initial_rank for candidate in story.given_order] == list(range(1, 11))
    assert replace(story, candidates=story.candidates[1:]).given_order == ()
    unknown = RankedCandidate("Q1_C1", 1, None, 0.5, True, True, "text")
    assert replace(story, candidates=(unknown,)).given_order == ()


def test_differences_are_counted_above_their_plot(document: html.HtmlElement) -> None:
    keys = document.get_element_by_id("differences").find_class("key")
    assert [words(key) for key in keys] == ["better on 158 queries", "equal on 34", "worse on 52"]


def test_features_are_named_by_meaning_and_their_groups_by_colour() -> None:
    full = literal.importances()
    first = replace(full.features[0], about="words that both texts have")
    importances = replace(full, features=(first, *full.features[1:]))
    page = html.document_fromstring(literal.short_report(features=importances).page())
    features = page.get_element_by_id("features")
    wide = features.find_class("drawing wide")[0]
    assert "words that both texts have" in [words(label) for label in wide.iter("text")]
    assert first.group in [words(key) for key in features.find_class("key")]


def test_systems_with_one_label_have_no_measures_of_labels_and_are_named() -> None:
    evaluation = replace(literal.evaluation(), one_label=("random",))
    page = html.document_fromstring(literal.short_report(systems=evaluation).page())
    caption = words(page.find_class("measures")[0].find("caption"))
    assert caption.endswith("predict all candidates relevant, or none, and so are comparisons with them: random.")


def test_the_files_with_every_query_are_linked() -> None:
    linked = replace(literal.queries(), links=QueryLinks("r1.queries.html", "r1.queries.csv"))
    page = literal.short_report(queries=linked).page()
    section = html.document_fromstring(page).get_element_by_id("queries")
    assert [link.get("href") for link in section.iter("a")] == ["r1.queries.html", "r1.queries.csv"]
