"""Related and duplicate questions: the earlier questions that a question repeats or belongs to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cqa_spark.findings.finding import Examples, Finding, Kind
from cqa_spark.findings.linear_model import FindingModel, read_model
from cqa_spark.findings.question_index import QUESTIONS, read_questions
from cqa_spark.findings.question_pairs import (
    VECTOR_FEATURES,
    WORD_FEATURES,
    Flags,
    Indices,
    PairIndex,
    QuestionPairs,
    Reals,
    SiteLinks,
    SiteQuestions,
)

FIRST = 5
"""Related questions of a question that are listed, at most."""

DEEPEST = 50
"""Rank up to which a duplicate counts in the backtest."""

LEAST = 0.1
"""Probability below which nothing is listed."""

LINKED, DUPLICATE = "related_question", "duplicate_question"


class RelatedQuestions(Finding):
    """Earlier questions of the site that a question belongs to, and those that it repeats.

    The questions of a recurring series, such as yearly elections, resemble each other more than any duplicates do. They
    may be related, and are never listed as duplicates. Pairs with a link are known, and not listed. The model of links
    orders the candidates of both kinds, and that of duplicates gives the probability that a pair is one.
    """

    name = "related_questions"
    about = "earlier questions that a question repeats or belongs to"
    kinds = (
        Kind(
            LINKED,
            "Related questions",
            "Link them, so that readers of one come to the other.",
            "share of linked questions with a linked one among the first five",
            "BM25",
            is_list=False,
        ),
        Kind(
            DUPLICATE,
            "Duplicate questions",
            "Read both: close the later one as a duplicate, or link them.",
            "mean reciprocal rank of a known duplicate, 0 below rank 50",
            "BM25",
            is_list=False,
        ),
    )
    rows = QUESTIONS

    @cached_property
    def _models(self) -> dict[tuple[str, bool], FindingModel]:
        """The models, by kind and by whether they judge vectors."""
        return {
            (kind.name, vectors): read_model(model_name(kind.name, vectors=vectors), features_with(vectors=vectors))
            for kind in self.kinds
            for vectors in (False, True)
        }

    @property
    def version(self) -> str:
        """Those of the models."""
        return " ".join(model.version for model in self._models.values())

    def find(self, site: str, rows: pa.Table) -> Iterator[dict[str, Any]]:
        """The related questions and the duplicates of the questions of some shares that are not linked yet."""
        questions, shares, of = shares_of(rows)
        for pairs in PairIndex.of(questions).batches(np.arange(len(questions)), shares, of):
            is_linked = known_pairs(questions.links, pairs, len(questions))
            by_kind = {kind.name: self._probability(kind.name, site, questions, pairs) for kind in self.kinds}
            is_first = pairs.ranks(by_kind[LINKED]) <= FIRST
            for kind in self.kinds:
                probability = by_kind[kind.name]
                listed = ~is_linked & is_first & (probability >= LEAST)
                if kind.name == DUPLICATE:
                    listed &= (pairs.features["series"] == 0) & ~questions.is_closed[pairs.later]
                    listed &= pairs.ranks(np.where(listed, probability, -1)) == 1
                for pair in np.flatnonzero(listed).tolist():
                    yield {
                        "kind": kind.name,
                        "post_id": questions.ids[pairs.later[pair]],
                        "other_id": questions.ids[pairs.earlier[pair]],
                        "thread_id": questions.ids[pairs.later[pair]],
                        "score": float(probability[pair]),
                        "probability": float(probability[pair]),
                        "evidence": evidence(questions, pairs, pair),
                    }

    def backtest(self, site: str, rows: pa.Table) -> Iterator[dict[str, Any]]:
        """The questions with a link to an earlier one, by what was known when they were asked."""
        questions, shares, of = shares_of(rows)
        index, links, number = PairIndex.of(questions), questions.links, len(questions)
        # The oldest question that each is linked with: a question with many links makes one cluster of them.
        oldest = np.arange(number)
        np.minimum.at(oldest, links.later, links.earlier)
        repeated = components(links.of(links.is_duplicate), number)
        duplicates = np.flatnonzero(repeated < np.arange(number))
        clusters = {LINKED: oldest, DUPLICATE: repeated}
        for pairs in index.batches(np.union1d(links.later, duplicates), shares, of):
            relevant = {
                LINKED: known_pairs(links, pairs, number),
                DUPLICATE: repeated[pairs.later] == repeated[pairs.earlier],
            }
            # Links are ten times as many as duplicates: their model orders the candidates of both kinds.
            orders = (self._probability(LINKED, site, questions, pairs), pairs.features["words"])
            for kind, queries in ((LINKED, np.unique(links.later)), (DUPLICATE, duplicates)):
                values = [_measure(kind, pairs, pairs.ranks(order), relevant[kind]) for order in orders]
                for position, query in enumerate(pairs.queries.tolist()):
                    if query in queries:
                        yield {
                            "kind": kind,
                            "post_id": questions.ids[query],
                            "cluster": questions.ids[clusters[kind][query]],
                            "score": float(values[0][position]),
                            "rival_score": float(values[1][position]),
                            "hit": None,
                        }

    def examples(self, rows: pa.Table) -> Iterator[Examples]:
        """The pairs of the questions of a site with links, by whether they are linked, or duplicates."""
        questions, shares, of = shares_of(rows)
        if not len(questions.links.made):
            return
        repeated = components(questions.links.of(questions.links.is_duplicate), len(questions))
        without_vectors = replace(questions, vectors=None, title_vectors=None)
        for judged in (without_vectors, questions)[: 1 + (questions.vectors is not None)]:
            vectors = judged.vectors is not None
            batches = list(PairIndex.of(judged).batches(np.arange(len(judged)), shares, of))
            features = np.concatenate([pairs.matrix(features_with(vectors=vectors)) for pairs in batches])
            labels = {
                LINKED: [known_pairs(judged.links, pairs, len(judged)) for pairs in batches],
                DUPLICATE: [repeated[pairs.later] == repeated[pairs.earlier] for pairs in batches],
            }
            for kind, label in labels.items():
                name = model_name(kind, vectors=vectors)
                yield Examples(name, features_with(vectors=vectors), features, np.concatenate(label), penalty=1.0)

    def _probability(self, kind: str, site: str, questions: SiteQuestions, pairs: QuestionPairs) -> Reals:
        model = self._models[kind, questions.vectors is not None]
        return model.probability(site, pairs.matrix(model.features))


def shares_of(rows: pa.Table) -> tuple[SiteQuestions, set[int], int]:
    """The questions of a site, the shares of them that are judged here, and the number of all shares.

    Args:
        rows: those of ``question_shares`` of some shares.
    """
    shares = rows["share"].unique()
    parts = rows.filter(pc.equal(rows["share"], shares[0]))
    return read_questions(parts), {*shares.to_pylist()}, rows["shares"][0].as_py()


def features_with(*, vectors: bool) -> tuple[str, ...]:
    """The names of the features, with those of vectors or without."""
    return (*WORD_FEATURES, *VECTOR_FEATURES) if vectors else WORD_FEATURES


def model_name(kind: str, *, vectors: bool) -> str:
    """The name of the model of a kind."""
    return f"{kind}_by_{'text' if vectors else 'words'}"


def known_pairs(links: SiteLinks, pairs: QuestionPairs, number: int) -> Flags:
    """Whether each pair is linked.

    Args:
        links: of the site.
        pairs: pairs of its questions.
        number: of its questions.
    """
    return np.isin(pairs.later * number + pairs.earlier, links.later * number + links.earlier)


def components(links: SiteLinks, number: int) -> Indices:
    """The oldest question that each question is connected with by links; itself without links."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    graph = coo_array((np.ones(len(links.made)), (links.later, links.earlier)), shape=(number, number))
    _, component = connected_components(graph, directed=False)
    _, oldest, of_component = np.unique(component, return_index=True, return_inverse=True)
    return oldest[of_component]


def _measure(kind: str, pairs: QuestionPairs, ranks: Indices, relevant: Flags) -> Reals:
    """The measure of each query: whether a relevant pair is among the first five, or the best one's reciprocal rank."""
    best = np.full(len(pairs.queries), np.iinfo(np.int64).max)
    query = np.repeat(np.arange(len(best)), np.diff(pairs.starts))
    np.minimum.at(best, query[relevant], ranks[relevant])
    return (best <= FIRST).astype(np.float64) if kind == LINKED else np.where(best <= DEEPEST, 1 / best, 0.0)


def evidence(questions: SiteQuestions, pairs: QuestionPairs, pair: int) -> str:
    """What speaks for a pair, in words and numbers."""
    values = {name: column[pair] for name, column in pairs.features.items()}
    later, earlier = pairs.later[pair], pairs.earlier[pair]
    parts = [f"{100 * values['words_share']:.0f} % of its words by weight"]
    if "cosine" in values:
        parts.append(f"cosine {values['cosine']:.2f}, of titles {values['title_cosine']:.2f}")
    if shared := [tag for tag in questions.tags[later] if tag in questions.tags[earlier]]:
        parts.append(f"tagged {_listed(shared)}")
    if links := round(np.expm1(values["links"])):
        parts.append(f"{links:,} earlier link{'s' if links > 1 else ''} to it")
    if values["same_asker"]:
        parts.append("the same asker")
    if values["series"]:
        parts.append("of the same series")
    days = round(np.expm1(values["days"]))
    parts.append(f"{days:,} day{'' if days == 1 else 's'} later" if days else "within a day")
    return ", ".join(parts)


def _listed(names: Sequence[str]) -> str:
    return " and ".join(names) if len(names) < 3 else f"{', '.join(names[:-1])} and {names[-1]}"
