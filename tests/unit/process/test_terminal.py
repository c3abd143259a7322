"""What is printed is text: no markup, no command to the terminal."""

import io
import os
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

import cqa_spark
from cqa_spark.process.terminal import (
    Column,
    Styled,
    Terminal,
    TextTable,
    number,
    progress_bar,
    visible,
    visible_line,
)
from cqa_spark.reports.kit.blocks import Cell, Table
from cqa_spark.reports.kit.console import print_blocks
from cqa_spark.reports.reasons import FeatureContribution
from cqa_spark.reports.sections import explanation, reproduction
from cqa_spark.reports.sections.explanation import Explained
from cqa_spark.reports.sections.reproduction import About, Reproduced
from cqa_spark.reports.sections.xu_2018.section import card_table

HOSTILE = "[/b] [dumps] [red]:smile: \x1b[31m \x9b2J \u202egnp.exe $x$ [link=http://x]y[/link]"
SHOWN = "[/b] [dumps] [red]:smile: ␛[31m \\x9b2J \\u202egnp.exe $x$ [link=http://x]y[/link]"


def in_file(width: int = 40) -> tuple[Terminal, io.StringIO]:
    shown = io.StringIO()
    return Terminal(Console(file=shown, width=width)), shown


def in_window(width: int) -> tuple[Terminal, io.StringIO]:
    shown = io.StringIO()
    return Terminal(Console(file=shown, width=width, force_terminal=True, color_system="standard")), shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x00b\x1b[0m\x7f\tc\nd", "a␀b␛[0m␡\tc\nd"),
        ("\r\x9b2J\x85", "␍\\x9b2J\\x85"),
        ("\u202e\u2066\u200f", "\\u202e\\u2066\u200f"),
        ("\udcff\uffff", "\\udcff\\uffff"),
        ("naïve 日本 🎉 ‏عربي", "naïve 日本 🎉 ‏عربي"),
    ],
)
def test_control_characters_become_visible(text: str, shown: str) -> None:
    assert visible(text) == shown
    assert visible_line(text) == shown.replace("\n", "␊").replace("\t", "␉")


def test_every_text_of_a_table_is_shown_as_it_is() -> None:
    table = TextTable(HOSTILE, number(HOSTILE), title=HOSTILE, caption=HOSTILE)
    table.add_row(HOSTILE, Styled(HOSTILE, "red"))
    terminal, shown = in_file()
    terminal.table(table)
    assert [line.rstrip() for line in shown.getvalue().splitlines()] == [
        SHOWN, f"{SHOWN}  {SHOWN}", f"{SHOWN}  {SHOWN}", SHOWN,
    ]  # fmt: skip


def test_a_line_stays_one_line() -> None:
    terminal, shown = in_file()
    terminal.line(f"{HOSTILE}\nrun: forged, published")
    assert shown.getvalue() == f"{SHOWN}␊run: forged, published\n"


def test_a_window_gets_colours_from_styles_and_none_from_texts() -> None:
    terminal, shown = in_window(100)
    terminal.line("\x1b[32mgreen", style="red")
    assert shown.getvalue() == "\x1b[31m␛[32mgreen\x1b[0m\n"


def test_a_file_gets_whole_rows_and_a_window_breaks_what_may_be_broken() -> None:
    table = TextTable(Column("id", whole=True), "text", number("n"))
    table.add_row("an-id-of-17-chars", "one two three four five", "1,234")
    for (terminal, shown), lines in ((in_file(20), 2), (in_window(36), 4)):
        terminal.table(table)
        printed = re.sub("\x1b\\[[0-9;]*m", "", shown.getvalue()).splitlines()
        assert len(printed) == lines
        assert any("an-id-of-17-chars" in line and "1,234" in line for line in printed)


RUNS = TextTable(
    *(Column(name, whole=True) for name in ("", "run", "started")), number("score"), "about", "job", caption="▶ seen"
)
RUNS.add_row("▶", "20261128T150102Z-3e94cb5a", "2026-11-28 14:51", "MAP@10 80.33", "tables: beer.example.org", "run")
NO_ROOM = "a wider window, or a pipe such as | less -S, shows all"


def window_lines(table: TextTable, width: int) -> list[str]:
    terminal, shown = in_window(width)
    terminal.table(table)
    return [re.sub("\x1b\\[[0-9;]*m", "", line).rstrip() for line in shown.getvalue().splitlines()]


@pytest.mark.parametrize(
    ("width", "lines"),
    [
        (91, [
            "   run                        started                  score  about                     job",
            "▶  20261128T150102Z-3e94cb5a  2026-11-28 14:51  MAP@10 80.33  tables: beer.example.org  run",
            "▶ seen",
        ]),
        (79, [
            "   run                        started                  score  about         job",
            "▶  20261128T150102Z-3e94cb5a  2026-11-28 14:51  MAP@10 80.33  tables:       run",
            "                                                              beer.example",
            "                                                              .org",
            "▶ seen",
        ]),
        (74, [
            "   run                        started                  score  about",
            "▶  20261128T150102Z-3e94cb5a  2026-11-28 14:51  MAP@10 80.33  tables:",
            "                                                              beer.example",
            "                                                              .org",
            "▶ seen",
            f"no room for job: {NO_ROOM}",
        ]),
        (59, [
            "   run                        started",
            "▶  20261128T150102Z-3e94cb5a  2026-11-28 14:51",
            "▶ seen",
            f"no room for score, about, job: {NO_ROOM}",
        ]),
        (20, ["", "▶", "▶ seen", f"no room for run, started, score, about, job: {NO_ROOM}"]),
        (30, [
            "   run",
            "▶  20261128T150102Z-3e94cb5a",
            "▶ seen",
            f"no room for started, score, about, job: {NO_ROOM}",
        ]),
    ],
)  # fmt: skip
def test_a_narrow_window_gets_fewer_columns_with_whole_values(width: int, lines: list[str]) -> None:
    printed = window_lines(RUNS, width)
    assert printed == lines


IDS = st.text("abcXYZ0123456789_-", min_size=1, max_size=30)


@given(
    st.lists(st.tuples(IDS, st.floats(-1e6, 1e6).map("{:,.2f}".format), st.text("ab ", max_size=40)), min_size=1),
    st.integers(30, 100),
)
def test_no_id_and_no_number_is_cut_at_any_width(rows: list[tuple[str, str, str]], width: int) -> None:
    table = TextTable(Column("id", whole=True), number("score"), "text", rows=rows)
    words = [line.split() for line in window_lines(table, width)]
    has_numbers = not any(line[:4] == ["no", "room", "for", "score,"] for line in words)
    printed = {word for line in words for word in line}
    assert {name for name, _, _ in rows} <= printed
    assert not has_numbers or {value for _, value, _ in rows} <= printed


def test_a_pipe_gets_every_row_in_one_line_even_if_colours_are_forced(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "40")
    Terminal().table(RUNS)
    lines = [re.sub("\x1b\\[[0-9;]*m", "", line).rstrip() for line in capsys.readouterr().out.splitlines()]
    assert lines[1] == "▶  20261128T150102Z-3e94cb5a  2026-11-28 14:51  MAP@10 80.33  tables: beer.example.org  run"


def test_a_dumb_terminal_has_the_width_that_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setenv("COLUMNS", "123")
    leader, follower = os.openpty()
    with os.fdopen(leader, "rb"), os.fdopen(follower, "w") as window:
        monkeypatch.setattr("sys.stdout", window)
        assert Terminal().width == 123


PRINTED = {
    "table": lambda terminal: print_blocks(
        [Table(HOSTILE, HOSTILE, (HOSTILE,), ((HOSTILE, (Cell(HOSTILE),)),))], terminal
    ),
    "explanation": lambda terminal: explanation.console(
        Explained(
            HOSTILE, HOSTILE, HOSTILE, "train", ((HOSTILE, 1.0, True, (FeatureContribution(HOSTILE, 1.0, 1.0),)),)
        ),
        terminal,
    ),
    "reproduction": lambda terminal: reproduction.console(
        [Reproduced(HOSTILE, "t", HOSTILE, {HOSTILE: 0.5}, missing=HOSTILE)], [About(HOSTILE, {"x": HOSTILE})], terminal
    ),
    "data card": lambda terminal: terminal.table(
        card_table([{"site": "*", "split": "*", "measure": HOSTILE, "value": 1.0}], "small")
    ),
}


@pytest.mark.parametrize("printer", PRINTED.values(), ids=PRINTED)
def test_hostile_text_stays_text_wherever_it_is_printed(printer) -> None:
    terminal, shown = in_file()
    printer(terminal)
    assert SHOWN in shown.getvalue()
    assert HOSTILE not in shown.getvalue()


@given(st.text())
def test_no_text_is_lost_or_obeyed(text: str) -> None:
    terminal, shown = in_file()
    terminal.line(text)
    assert shown.getvalue() == f"{visible_line(text)}\n"
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f]", shown.getvalue())


def test_the_package_prints_with_rich_here_alone() -> None:
    package = Path(cqa_spark.__file__).parent
    importing = re.compile(r"^\s*(from|import) rich\b", re.MULTILINE)
    modules = [path for path in package.rglob("*.py") if importing.search(path.read_text(encoding="utf-8"))]
    assert modules == [package / "process" / "terminal.py"]


@pytest.mark.filterwarnings("error")
def test_a_notebook_shows_no_progress_bar(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("rich.console._is_jupyter", lambda: True)
    with progress_bar("threads", 2) as show:
        show(1, 2)
    assert capsys.readouterr() == ("", "\n")
