"""The colours of the style sheet against the paper, by the contrast of WCAG 2."""

import re
from pathlib import Path

import pytest

import cqa_spark.reports.kit.page as page

CSS = (Path(page.__file__).parent / "style.css").read_text(encoding="utf-8")
MODES = dict(zip(("light", "dark"), re.findall(r":root \{(.*?)\}", CSS, re.DOTALL), strict=True))
TEXTS = ("ink", "muted", "accent", "loss")
SHAPES = ("even", *(f"group-{number}" for number in range(1, 9)))


def colour(mode: str, role: str) -> str:
    found = re.search(rf"--{role}: (#[0-9a-f]{{6}});", MODES[mode])
    assert found
    return found[1]


def luminance(colour: str) -> float:
    shares = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    red, green, blue = (each / 12.92 if each <= 0.03928 else ((each + 0.055) / 1.055) ** 2.4 for each in shares)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    dark, light = sorted(map(luminance, (one, other)))
    return (light + 0.05) / (dark + 0.05)


def test_contrast_of_known_colours() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)


@pytest.mark.parametrize("mode", MODES)
def test_texts_can_be_read_and_shapes_be_seen(mode: str) -> None:
    paper = colour(mode, "paper")
    assert min(contrast(colour(mode, role), paper) for role in TEXTS) >= 4.5
    assert min(contrast(colour(mode, role), paper) for role in SHAPES) >= 3
