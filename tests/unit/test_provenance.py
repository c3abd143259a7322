"""No figure stands on a page without its provenance, and generated sections have the figures of the files."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from generators import provenance as provenance_module
from generators.measured_runs import DOCS, SHIPPED, TABLE
from generators.provenance import (
    cheap,
    differences,
    figure_names,
    measure_run,
    measured_together,
    note,
    provenance,
    provenance_page,
    stale_systems,
    with_notes,
)
from generators.worth import GENERATED, PAGES, with_worth

from cqa_spark.systems.system import known_systems
from cqa_spark.text.encoders.model import EmbeddingModel

ENTRY: Mapping[str, Any] = {
    "command": "cqa run --systems best_a", "commit": "0123456789", "date": "2026-11-28T10:00:00+00:00", "inputs": {},
    "processor": "a processor", "seconds": 61, "fingerprints": {"best_a": "1", "lexical_a": "2"},
}  # fmt: skip


class Fingerprints:
    """In place of the sources."""

    def system(self, name: str) -> str:
        return {"best_a": "1", "lexical_a": "changed"}[name]


@pytest.fixture
def entry(monkeypatch: pytest.MonkeyPatch) -> Mapping[str, Any]:
    monkeypatch.setattr(provenance_module, "_sources", Fingerprints)
    monkeypatch.setattr(provenance_module, "provenance", lambda: {"a": ENTRY})
    return ENTRY


def test_every_figure_has_its_provenance() -> None:
    assert {*provenance()} == {*figure_names()}
    for name, entry in provenance().items():
        assert entry["command"], name
        assert re.fullmatch(r"[0-9a-f]{40}(\+changes)?", entry["commit"]), name
        assert re.match(r"2026-\d\d-\d\d", entry["date"]), name
        assert {*entry} >= {"inputs", "processor", "seconds"}, name
        assert entry.get("elsewhere") or {*entry["fingerprints"]} <= {*known_systems()}, name


def test_sections_of_the_archive_name_commit_and_command() -> None:
    _, *sections = re.split(r"^(?=## )", (DOCS / "archive.md").read_text(encoding="utf-8"), flags=re.M)
    assert sections
    for section in sections:
        assert re.search(r"^Measured \d{4}-\d\d-\d\d, commit `[0-9a-f]{8}`:\n\n```\ncqa ", section, re.M), section[:80]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_pages_have_the_figures_of_the_files(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert GENERATED.search(text)
    assert with_worth(text) == text, "PYTHONPATH=docs python -m generators.worth"


def test_a_system_whose_code_changed_is_stale(entry: Mapping[str, Any]) -> None:
    assert stale_systems(entry) == ["lexical_a"]
    assert stale_systems({"fingerprints": {"gone": "1"}}) == ["gone"]
    encoder = f"`bge_small_en` was trained on {EmbeddingModel.read('bge_small_en').trained_on}."
    assert note("a") == (
        "Measured 2026-11-28 at commit 01234567, in 61 s on a processor. "
        f"**Stale**, because the code that computes them changed: `lexical_a`. {encoder}"
    )
    table = "<!-- run a -->\n\n| system | MAP |\n|---|---|\n| `best_a` | 1.00 |\n"
    assert with_notes(f"{table}\nMore.") == f"{table}\n*{note('a')}*\n\nMore."
    assert "| stale | 2026-11-28 `01234567` |" in provenance_page()
    assert provenance_page().endswith("```\ncqa run --systems best_a\n```\n")


def test_cheap_figures_take_ten_minutes_in_all(monkeypatch: pytest.MonkeyPatch) -> None:
    times = {"a": 300, "b": 20, "c": None, "d": 290, "e": 1}
    entries = {
        name: {"command": f"cqa run --systems {name}", "seconds": seconds, "elsewhere": name == "e"}
        for name, seconds in times.items()
    }
    entries |= {"b twice": entries["b"], "f": {"command": "cqa train nights --input dumps", "seconds": 2}}
    monkeypatch.setattr(provenance_module, "provenance", lambda: entries)
    assert cheap() == ["b", "b twice", "d"]


def test_systems_of_a_data_set_are_measured_together() -> None:
    names = ["semeval2016_a", "kelp_2016_a", "kelp_2016_b semeval2016_dev", "duplicates_cs test", "tfidf_sts"]
    assert measured_together(names) == [
        ("semeval2016_a",),
        ("duplicates_cs",),
        ("semeval2016", "kelp_2016_a", "kelp_2016_b"),
        ("sts2016_crosslingual_trial", "tfidf_sts"),
        ("stsb", "tfidf_sts"),
    ]


def test_a_run_is_measured_in_a_new_lake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(provenance_module, "OUTPUT", tmp_path)
    lake = tmp_path / "nights_beer"
    lake.mkdir()

    def run(words: list[str], data: str) -> None:
        dump = "data/stackexchange/beer.stackexchange.com/2016-12/"
        assert words == ["cqa", "nightly", "--input", dump, "--lake", str(lake), "--run-id", "nights_beer"]
        assert not lake.exists()
        raise InterruptedError

    monkeypatch.setattr(provenance_module, "_run", run)
    with pytest.raises(InterruptedError):
        measure_run("nights_beer", "data")


def test_only_printed_digits_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(provenance_module, "measured_runs", lambda: {"r": {"systems": {"s": {"MAP": "1.00"}}}})
    monkeypatch.setattr(provenance_module, "reproduced_scores", lambda: {"s": {"dev": {"MAP": 0.10001}}})
    assert [*differences({"r": {"systems": {"s": {"MAP": "1.00"}}}})] == []
    assert [*differences({"r": {"systems": {"s": {"MAP": "1.01", "P": "2"}}}})] == [
        "r s MAP: 1.00 on the page, now 1.01", "r s P: absent on the page, now 2",
    ]  # fmt: skip
    assert [*differences({"values": {"s": {"dev": {"MAP": 0.10004}}}})] == []
    assert [*differences({"values": {"s": {"dev": {"MAP": 0.10006}}}})] == ["s dev MAP: 10.00 on the page, now 10.01"]


def test_encoders_say_what_they_were_trained_on() -> None:
    """Beside every table of a system that uses one."""
    assert all(EmbeddingModel.read(name).trained_on for name in EmbeddingModel.names())
    runs = {match["run"] for path in DOCS.glob("*.md") for match in TABLE.finditer(path.read_text(encoding="utf-8"))}
    with_encoders = {run for run in runs if "was trained on" in note(run)}
    assert with_encoders >= {"askubuntu", "semeval2016_a", "semeval2016_b", "stsb", "arabic"}
    assert SHIPPED not in with_encoders
