"""The texts of the generated forum, ``forum.yaml``: sentences by intention, names of members, topics."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import yaml


@dataclass(frozen=True)
class Topic:
    """One subject of conversation.

    Attributes:
        category: section of the forum.
        things: subjects of questions.
        places: recommendations in good answers.
        facts: sentences that show knowledge of the subject.
    """

    category: str
    things: Sequence[str]
    places: Sequence[str]
    facts: Sequence[str]


_TEXTS: Mapping[str, Any] = yaml.safe_load(files("cqa_spark.synth").joinpath("forum.yaml").read_text("utf-8"))

SENTENCES: Mapping[str, Sequence[str]] = _TEXTS["sentences"]
FIRST_NAMES: Sequence[str] = _TEXTS["names"]["first"]
SECOND_NAMES: Sequence[str] = _TEXTS["names"]["second"]
TOPICS = tuple(Topic(**topic) for topic in _TEXTS["topics"])
