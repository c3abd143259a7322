"""An inspection in the terminal and as JSON."""

import io
import json
import re
from dataclasses import replace

import literal_inspection as literal
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from cqa_spark.process.terminal import Terminal
from cqa_spark.reports.evaluation import Comparison
from cqa_spark.reports.kit.wording import (
    MINUS,
    MISSING,
    duration,
    heading,
    listed,
    number,
    p_value,
    percent,
    points,
    signed_points,
    significant,
    size,
    verdict,
)
from cqa_spark.reports.sections.inspection.contents import ThreadCounts
from cqa_spark.reports.sections.inspection.facts import SITES, Inspection
from cqa_spark.reports.sections.inspection.sites import inspection_json, threads_facts


def printed(inspection: Inspection, width: int = 60) -> list[str]:
    stream = io.StringIO()
    literal.inspected(inspection).show(Terminal(Console(file=stream, width=width)))
    return [" ".join(line.split()) for line in stream.getvalue().splitlines()]


def test_the_table_has_every_site_and_table() -> None:
    lines = printed(literal.inspection(), width=120)
    assert lines[:9] == [
        "build/lake, run december of 2016-12-20 07:30",
        "site and table rows quarantined orphans from to unknown attributes",
        "beer.stackexchange.com",
        "posts 2,000 1 12 2014-01-21 2016-12-11 Mood, Hops",
        "votes 11,000 0 34 2014-01-21 2016-12-11",
        "post history 0 0 0",
        "qatarliving.com",
        "posts 40 0 0",
        "files of several tables 2",
    ]


def test_all_facts_of_a_site() -> None:
    lines = printed(literal.inspection(), width=120)
    start = lines.index("Posts, comments 2014-01-20 to 2016-12-11")
    shown = [line for line in lines[start - 1 : lines.index("qatarliving.com", start)] if line]
    explanations = [line for line in shown if line.endswith(("refer to them.", "holds their values."))]
    assert [line for line in shown if line not in explanations] == [
        "beer.stackexchange.com",
        "Posts, comments 2014-01-20 to 2016-12-11",
        "Threads 700 questions, 1,200 answers: 1.71 answers per question; "
        "60.0 % of the questions have an accepted answer",
        f"Questions score: median 4, middle half 2 to 7.5, range {MINUS}4 to 60",
        f"Answers score: median 3, middle half 1 to 5, range {MINUS}8 to 98",
        "top tags: taste 120, brewing 80",
        "Null values",
        "posts: accepted_answer_id 40.0 %, score 0.1 %",
        "Columns without any value",
        "posts deleted_at",
        "Orphans",
        "Column Refers to Rows",
        "votes, post_id posts 34",
        "posts, user_id users 12",
        "Unknown attributes",
        "Attribute Table Rows",
        "Mood posts 7",
        "Hops posts 2",
        "Quarantine",
        "3 records: a row has Id … already",
        "Example: dump/Posts.xml, byte 4,711: a row has Id 5 already",
        "<row Id=",
        "Files",
        "File Table Lines Rows Quarantined No record Status",
        "dump/Votes.xml votes 11,003 11,000 0 3 truncated",
        "dump/Posts.xml posts 2,005 counts disagree 2,000 1 3 complete",
        "2 files, 1 truncated: 13,007 lines = 13,000 rows + 1 quarantined + 6 without a record.",
    ]
    assert f"in/train.xml several {MISSING} 40 2 {MISSING} {MISSING}" in lines


def test_control_characters_and_markup_stay_text() -> None:
    site = literal.beer()
    hostile = replace(site, refusals=(replace(site.refusals[0], reason="[red]\x1b[31m", raw="[/]\x07"),))
    shown = "\n".join(printed(Inspection("build/lake", literal.RECORD, (hostile,))))
    assert "[red]␛[31m" in shown
    assert "[/]␇" in shown
    assert "\x1b" not in shown


def test_only_the_largest_sites_are_shown_in_detail() -> None:
    sites = tuple(replace(literal.forum(), site=f"s{place}.example") for place in range(SITES + 2))
    lines = printed(Inspection("build/lake", literal.RECORD, sites))
    assert lines.count("s21.example") == 1
    assert "describe the 20 sites with the most rows" in " ".join(lines)


def test_json_of_an_inspection() -> None:
    nothing = {"rows": 0, "quarantined": 0, "orphans": 0, "unknown_attributes": []}
    assert json.loads(inspection_json(literal.inspection())) == {
        "lake": "build/lake",
        "run_id": "december",
        "sites": {
            "beer.stackexchange.com": {
                "posts": {"rows": 2000, "quarantined": 1, "orphans": 12, "unknown_attributes": ["Hops", "Mood"]},
                "votes": nothing | {"rows": 11000, "orphans": 34},
                "post_history": nothing,
            },
            "qatarliving.com": {"posts": nothing | {"rows": 40}},
        },
        "quarantined_elsewhere": {"qatarliving.com": 2},
    }


def test_posts_that_nothing_uses_are_counted() -> None:
    forum = replace(literal.forum(), threads=ThreadCounts(40, 0, 0, deleted=1, invented=2))
    unused = "1 post deleted, not used; 2 posts invented by the archive, not used"
    assert threads_facts(forum) == [("Threads", f"40 questions; {unused}")]
    assert threads_facts(literal.forum()) == [("Threads", "40 questions")]


# Number formats.


@pytest.mark.parametrize(("fraction", "text"), [(0.53842, "53.84"), (0.0, "0.00"), (1.0, "100.00")])
def test_fractions_print_in_percentage_points(fraction: float, text: str) -> None:
    assert points(fraction) == text


@pytest.mark.parametrize(
    ("fraction", "text"), [(0.1628, "+16.28"), (-0.0828, f"{MINUS}8.28"), (0.0, "0.00"), (-1e-9, "0.00")]
)
def test_differences_print_with_their_sign(fraction: float, text: str) -> None:
    assert signed_points(fraction) == text


@pytest.mark.parametrize(("value", "text"), [(0.00099, "p < 0.001"), (0.001, "p = 0.001"), (0.2219, "p = 0.222")])
def test_p_values(value: float, text: str) -> None:
    assert p_value(value) == text


@given(st.integers(1, 10**9).flatmap(lambda whole: st.tuples(st.integers(0, whole), st.just(whole))))
def test_only_all_is_100_percent_and_only_none_is_0_percent(share: tuple[int, int]) -> None:
    part, whole = share
    text = percent(part, whole)
    assert (text == "100 %") == (part == whole)
    assert (text in ("0 %", "0.0 %")) == (part == 0)
    assert text != "100.0 %"


def test_numbers_have_no_trailing_zeros() -> None:
    assert [number(value) for value in (0, 100, -4, 7.5, 1234.25)] == ["0", "100", f"{MINUS}4", "7.5", "1,234.25"]


@pytest.mark.parametrize(
    ("value", "text"), [(0.00138, "0.00138"), (-1.0, f"{MINUS}1"), (123456.0, "1.235e+05"), (None, MISSING)]
)
def test_measured_values_have_four_significant_digits(value: float | None, text: str) -> None:
    assert significant(value) == text


# Which differences count as significant.


@pytest.mark.parametrize(
    ("difference", "p_value", "outcome"),
    [(0.1, 0.01, "better"), (-0.1, 0.01, "worse"), (0.1, 0.05, "unclear"), (0.0, 0.0, "unclear")],
)
def test_verdicts(difference: float, p_value: float, outcome: str) -> None:
    assert verdict(Comparison("a", "MAP@10", difference, p_value, 1, 1, 1)) == outcome


def test_no_verdict_without_a_test() -> None:
    assert verdict(None) == ""


# Formats of headings and of lists of names.


def test_a_long_list_ends_with_the_number_of_other_names() -> None:
    assert listed(["a", "b"], 2) == "a, b"
    assert listed([str(number) for number in range(1202)], 2) == "0, 1 and 1,200 more"


def test_headings_of_words_begin_with_a_capital_letter() -> None:
    assert [heading(text) for text in ("earlier question", "paper, small")] == ["Earlier question", "Paper, small"]


def test_names_are_not_changed_in_headings() -> None:
    names = ["nDCG@10", "first_answer", "beer.stackexchange.com (49)", ""]
    assert [heading(name) for name in names] == names


# Formats of durations and sizes.


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0, "0.00 s"),
        (0.994, "0.99 s"),
        (0.999, "1.0 s"),
        (12.34, "12.3 s"),
        (59.96, "1 min 00 s"),
        (185.4, "3 min 05 s"),
        (3599.6, "1 h 00 min"),
        (7440, "2 h 04 min"),
        (7199, "2 h 00 min"),
    ],
)
def test_durations(seconds: float, text: str) -> None:
    assert duration(seconds) == text


@given(st.floats(min_value=0, max_value=1e6))
def test_no_duration_has_sixty_of_a_unit(seconds: float) -> None:
    assert not re.search(r"(?<![\d.])60(\.0)? (s|min)", duration(seconds))


@pytest.mark.parametrize(
    ("number", "text"), [(None, "unknown"), (999, "999 B"), (2_104_550, "2.1 MB"), (1_500, "1.5 kB"), (10**9, "1.0 GB")]
)
def test_sizes(number: int | None, text: str) -> None:
    assert size(number) == text
