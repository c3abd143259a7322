"""Cases of the past → what each kind of findings is worth, against its simple rival, and whether it is published."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from cqa_spark.evaluation.statistics.clusters import FEWEST, Estimate, clustered_mean, paired_difference
from cqa_spark.findings.finding import Kind
from cqa_spark.lake.schemas.community import EVERY

Reals = NDArray[np.float64]

SHARE = 0.1
"""Share of a list that is measured, from its beginning."""


def worth(cases: pa.Table, kinds: Mapping[str, Kind]) -> Iterator[dict[str, Any]]:
    """The worth of every kind on all sites, and on each with ``FEWEST`` clusters or more.

    Args:
        cases: rows of ``FINDING_CASES``; those of other kinds are ignored.
        kinds: by name.

    Yields:
        The measured columns of ``FINDING_WORTH``, with site and kind.
    """
    for name, kind in kinds.items():
        of_kind = cases.filter(pc.equal(cases["kind"], name))
        yield {"site": EVERY, "kind": name, **measured(of_kind, kind)}
        for site in sorted(of_kind["site"].unique().to_pylist()):
            figures = measured(of_kind.filter(pc.equal(of_kind["site"], site)), kind)
            if figures["clusters"] >= FEWEST:
                yield {"site": site, "kind": name, **figures}


def measured(cases: pa.Table, kind: Kind) -> dict[str, Any]:
    """The figures of some cases of a kind."""
    number = cases.num_rows
    if number == 0:
        return {"cases": 0, "clusters": 0}
    scores, rival_scores = cases["score"].to_numpy(), cases["rival_score"].to_numpy()
    clusters, base = _clusters(cases), None
    if kind.is_list:
        hits = cases["hit"].cast(pa.float64()).to_numpy()
        base = float(hits.mean())
        ours, theirs = first_of(scores), first_of(rival_scores)
        value, rival_value = clustered_mean(hits, clusters, ours), clustered_mean(hits, clusters, theirs)
        # Both lists are of one length, so their precisions differ by their hits; cases in neither list say nothing.
        listed = (ours > 0) | (theirs > 0)
        difference = paired_difference((hits * (ours - theirs))[listed], clusters[listed])
        scale = listed.sum() / ours.sum()
    else:
        value, rival_value = clustered_mean(scores, clusters), clustered_mean(rival_scores, clusters)
        difference, scale = paired_difference(scores - rival_scores, clusters), 1.0
    return {
        "cases": number,
        "clusters": len(np.unique(clusters)),
        "value": value.value,
        **_bounds("", value, 1.0),
        "rival_value": rival_value.value,
        "difference": difference.value * scale,
        **_bounds("_difference", difference, scale),
        "p_value": difference.p_value,
        "base": base,
        "reliability": reliability(cases),
    }


def reliability(cases: pa.Table) -> list[dict[str, Any]] | None:
    """Stated probabilities against the share that proved right, for each tenth with cases; None without probabilities.

    Args:
        cases: rows of ``FINDING_CASES``, of one kind.
    """
    stated_cases = cases.filter(pc.and_(pc.is_valid(cases["probability"]), pc.is_valid(cases["hit"])))
    if not stated_cases.num_rows:
        return None
    stated, clusters = stated_cases["probability"].to_numpy(), _clusters(stated_cases)
    hits = stated_cases["hit"].cast(pa.float64()).to_numpy()
    tenths = np.minimum(np.floor(10 * stated), 9)
    bins = []
    for tenth in np.unique(tenths):
        inside = tenths == tenth
        observed = clustered_mean(hits[inside], clusters[inside])
        bins.append(
            {
                "stated": float(stated[inside].mean()),
                "observed": observed.value,
                **_bounds("", observed, 1.0),
                "cases": int(inside.sum()),
                "clusters": observed.clusters,
            }
        )
    return bins


def _clusters(cases: pa.Table) -> NDArray[np.int64]:
    """A number for the cluster of each case."""
    named = pc.binary_join_element_wise(cases["site"], cases["cluster"], " ")
    return np.asarray(named.combine_chunks().dictionary_encode().indices.to_numpy(), dtype=np.int64)


def first_of(scores: Reals) -> Reals:
    """How much of each case is among the first ``SHARE`` by score; cases with equal scores share the last places."""
    number = max(1.0, np.floor(SHARE * len(scores)))
    last = np.sort(scores)[::-1][int(number) - 1]
    above, equal = scores > last, scores == last
    weights: Reals = above + equal * (number - above.sum()) / equal.sum()
    return weights


def _bounds(suffix: str, estimate: Estimate, scale: float) -> dict[str, float | None]:
    """The interval of an estimate; unknown for a single cluster."""
    is_known = np.isfinite(estimate.error)
    return {
        f"low{suffix}": max(-1.0, estimate.low * scale) if is_known else None,
        f"high{suffix}": min(1.0, estimate.high * scale) if is_known else None,
    }


def is_worse(figures: Mapping[str, Any]) -> bool:
    """Whether a kind is worse than its rival by the 95 % interval of the difference; few clusters do not tell."""
    high = figures.get("high_difference")
    return figures["clusters"] >= FEWEST and high is not None and high < 0
