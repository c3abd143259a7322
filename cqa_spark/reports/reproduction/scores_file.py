"""Reproduced scores as JSON, for documentation and other programs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from cqa_spark.reports.reproduction.content import Reproduced

SCORES = "scores.json"
"""Name of the file, beside the prediction files."""


def scores_json(found: Sequence[Reproduced]) -> str:
    """The reproduced values, fractions, by system, part of the data set, and measure; those not measured are left out.

    Args:
        found: the results, of which a part is named like a key of ``expected`` in a recipe once blanks are underscores.
    """
    scores: dict[str, dict[str, Mapping[str, float]]] = {}
    for each in found:
        if each.ours:
            scores.setdefault(each.system, {})[each.part.replace(" ", "_")] = dict(each.ours)
    return json.dumps(scores, indent=2, sort_keys=True) + "\n"
