"""Sentence patterns of the generated site, ``patterns.yaml``, with gaps, by intent."""

from collections.abc import Mapping, Sequence
from enum import Enum, auto
from importlib.resources import files

import yaml


class Intent(Enum):
    """The purpose of a sentence."""

    TITLE = auto()
    PROBLEM = auto()
    ADVICE = auto()
    CODE = auto()
    PRAISE = auto()
    CRITICISM = auto()
    ASIDE = auto()
    REQUEST = auto()
    REPLY = auto()
    WIKI = auto()
    ABOUT = auto()


_TEXTS = yaml.safe_load(files("cqa_spark.synth.stackexchange").joinpath("patterns.yaml").read_text("utf-8"))

PATTERNS: Mapping[Intent, Sequence[str]] = {intent: _TEXTS[intent.name.lower()] for intent in Intent}
