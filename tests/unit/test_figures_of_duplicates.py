"""Comparisons in sentences about duplicates are those of the tables of their page."""

import pytest
from page_tables import MINUS, ROOT

PAGE = (ROOT / "docs" / "duplicates.md").read_text(encoding="utf-8")
TEXT = " ".join(PAGE.replace(MINUS, "-").split())
SITE, TITLES = ("**BM25 and embeddings.**", "**Titles only.**")
"""The beginnings of the paragraphs above the tables."""


def measured(paragraph: str) -> dict[tuple[str, str], tuple[float, float]]:
    """TMAP and RR@50 by split and system, from the table below a paragraph; RR@50 is 0 where it is empty."""
    figures, split = {}, ""
    table = PAGE.partition(paragraph)[2].partition("\n\n|")[2].partition("\n\n")[0]
    for line in table.splitlines()[2:]:
        new_split, system, *values = (cell.strip() for cell in line[1:-1].split("|"))
        split = new_split or split
        tmap, reciprocal_rank = (float(value.partition(" ")[0] or 0) for value in values[:2])
        figures[split, system.strip("`")] = tmap, reciprocal_rank
    return figures


@pytest.mark.parametrize(
    ("paragraph", "system", "sentence"),
    [
        (SITE, "fused_e", "{dev} (`fused_e`) and"),
        (SITE, "best_e", "{dev} times (`best_e`) the RR@50 of BM25 on dev"),
        (SITE, "fused_e", "on dev, {test} and"),
        (SITE, "best_e", "and {test} times on test"),
        (TITLES, "best_e", "`best_e` has {dev} times the RR@50 of BM25 on dev and {test} times on test"),
    ],
)
def test_ratios_to_bm25(paragraph: str, system: str, sentence: str) -> None:
    figures = measured(paragraph)
    ratios = {split: figures[split, system][1] / figures[split, "bm25_order"][1] for split in ("dev", "test")}
    shown = {split: f"{ratio:.2f}" for split, ratio in ratios.items()}
    assert sentence.format(**shown) in TEXT


@pytest.mark.parametrize(
    ("system", "sentence"),
    [
        ("fused_e", "`fused_e` {dev} [-0.20, +0.16] on dev and {test} [0.00, +0.52] on test"),
        ("best_e", "`best_e` {dev} [-0.13, +0.29] and {test} [0.00, +0.46]"),
    ],
)
def test_differences_from_no_duplicates(system: str, sentence: str) -> None:
    figures = measured(SITE)
    differences = {split: figures[split, system][0] - figures[split, "no_duplicates"][0] for split in ("dev", "test")}
    shown = {split: f"{difference:+.2f}" for split, difference in differences.items()}
    assert sentence.format(**shown) in TEXT


@pytest.mark.parametrize(
    ("baseline", "sentence"),
    [
        ("bm25_order", "the differences are {dev} [6.4, 13.2] and {test} [8.7, 15.7]"),
        ("cosine_order", "the cosine (dev: +{dev}, p = 0.10; test: +{test}, p = 0.43)"),
    ],
)
def test_differences_on_titles(baseline: str, sentence: str) -> None:
    figures = measured(TITLES)
    shown = {split: f"{figures[split, 'best_e'][1] - figures[split, baseline][1]:.1f}" for split in ("dev", "test")}
    assert sentence.format(**shown) in TEXT
