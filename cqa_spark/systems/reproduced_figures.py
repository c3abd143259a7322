"""Files of the figures that ``cqa reproduce`` computed; that of the documentation is ``conf/reproduced.json``."""

import json
from collections.abc import Mapping
from typing import Any

from cqa_spark.settings.conf_files import conf_file

VALUES, ERRORS, POPULATIONS = "values", "standard_errors", "populations"
"""Sections of a file: by system, part of a data set and measure; populations by part and task."""

Figures = Mapping[str, Mapping[str, Any]]
"""Entries by section and name."""

Scores = Mapping[str, Mapping[str, Mapping[str, float]]]
"""Fractions by system, part of a data set, and measure."""


def reproduced_figures() -> Figures:
    """The file of the documentation."""
    figures: Figures = json.loads(conf_file("reproduced.json").read_text(encoding="utf-8"))
    return figures


def reproduced_scores() -> Scores:
    """The values of the documentation's file."""
    return reproduced_figures()[VALUES]
