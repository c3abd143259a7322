"""An inspection in the terminal and as JSON."""

import io
import json
from dataclasses import replace

import literal_inspection as literal
from rich.console import Console

from cqa_spark.process.terminal import Terminal
from cqa_spark.reports.kit.wording import MINUS, MISSING
from cqa_spark.reports.sections.inspection.contents import ThreadCounts
from cqa_spark.reports.sections.inspection.facts import SITES, Inspection
from cqa_spark.reports.sections.inspection.overview import inspection_json
from cqa_spark.reports.sections.inspection.wording import threads_sentence


def printed(inspection: Inspection) -> list[str]:
    stream = io.StringIO()
    literal.inspected(inspection).show(Terminal(Console(file=stream, width=60)))
    return [" ".join(line.split()) for line in stream.getvalue().splitlines()]


def test_the_table_has_every_site_and_table() -> None:
    lines = printed(literal.inspection())
    assert lines[:9] == [
        "build/lake, run december of 2016-12-20 07:30",
        "site and table rows quarantined orphans unknown attributes",
        "beer.stackexchange.com",
        "posts 2,000 1 12 Mood, Hops",
        "votes 11,000 0 34",
        "post_history 0 0 0",
        "qatarliving.com",
        "posts 40 0 0",
        "(files of several tables) 2",
    ]


def test_all_facts_of_a_site() -> None:
    lines = printed(literal.inspection())
    assert lines[10:29] == [
        "beer.stackexchange.com",
        "posts, comments 2014-01-20 to 2016-12-11",
        "threads 700 questions, 1,200 answers: 1.71 answers per question; "
        "60.0 % of the questions have an accepted answer",
        f"scores questions: median 4, middle half 2 to 7.5, range {MINUS}4 to 60",
        f"answers: median 3, middle half 1 to 5, range {MINUS}8 to 98",
        "top tags taste 120, brewing 80",
        "nulls posts: accepted_answer_id 40.0 %, score 0.1 %",
        "not in the files posts: deleted_at",
        "orphans votes.post_id → posts: 34",
        "posts.user_id → users: 12",
        "unknown attributes posts: Mood 7, Hops 2",
        "quarantine 3 records: a row has Id … already",
        "dump/Posts.xml, byte 4,711: <row Id=",
        "files 2 files, 1 truncated: 13,007 lines = 13,000 rows + 1 quarantined + 6 without a record",
        "file lines rows quarantined no record table status",
        "dump/Votes.xml 11,003 11,000 0 3 votes truncated",
        "dump/Posts.xml 2,005 (counts disagree) 2,000 1 3 posts complete",
        "",
        "qatarliving.com",
    ]
    assert "files 1 file: 40 rows + 2 quarantined" in lines
    assert f"in/train.xml {MISSING} 40 2 {MISSING} (several) {MISSING}" in lines


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
    assert lines[-1] == "2 smaller sites not shown in detail"


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


def test_posts_that_the_archive_invented_are_counted() -> None:
    forum = replace(literal.forum(), threads=ThreadCounts(40, 0, 0, invented=2))
    assert threads_sentence(forum) == "40 questions; 2 posts invented by the archive, not used"
    assert threads_sentence(literal.forum()) == "40 questions"
