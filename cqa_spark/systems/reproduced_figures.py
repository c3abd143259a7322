"""The scores of our reproductions of published systems, as ``cqa reproduce`` computed them."""

import json
from collections.abc import Mapping

from cqa_spark.config.conf_files import conf_file

Scores = Mapping[str, Mapping[str, Mapping[str, float]]]
"""Fractions by system, part of a data set, and measure."""


def reproduced_scores() -> Scores:
    """The files ``scores.json`` of ``cqa reproduce``, put together."""
    scores: Scores = json.loads(conf_file("reproduced.json").read_text(encoding="utf-8"))
    return scores
