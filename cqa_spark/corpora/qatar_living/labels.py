"""Maps the labels of all years to the names of 2016."""

from __future__ import annotations

from collections.abc import Mapping

UNKNOWN = ("", "?")

# SemEval-2015 Task 3 had six classes in English and three in Arabic, and its trial file others; the release of 2016
# merges all but Good and Potential into Bad.
COMMENT_LABELS: Mapping[str, str] = {
    "Good": "Good",
    "PotentiallyUseful": "PotentiallyUseful",
    "Bad": "Bad",
    "Potential": "PotentiallyUseful",
    "Dialogue": "Bad",
    "Not English": "Bad",
    "non-English": "Bad",
    "Other": "Bad",
    "Author": "Bad",
    "Direct": "Good",
    "Related": "PotentiallyUseful",
    "Irrelevant": "Bad",
}
QUESTION_LABELS: Mapping[str, str] = {label: label for label in ("PerfectMatch", "Relevant", "Irrelevant")}


def normal_label(label: str | None, known: Mapping[str, str]) -> str | None:
    """The name of the label in 2016, whatever its case; None if it is missing, empty or ``?``.

    Raises:
        KeyError: the label is unknown.
    """
    if label is None or label.strip() in UNKNOWN:
        return None
    return {name.casefold(): normal for name, normal in known.items()}[label.strip().casefold()]
